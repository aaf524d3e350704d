#include "formats/utf8.h"

#include <gtest/gtest.h>

namespace dt {
namespace {

TEST(Utf8, KnowsValidText) {
  for (const char* text : {"", "abc", "é", "€", "😀", "\xf4\x8f\xbf\xbf", "\xed\x9f\xbf"}) {
    EXPECT_TRUE(is_valid_utf8(text)) << text;
    EXPECT_EQ(with_valid_utf8(text), text);
  }
}

TEST(Utf8, KnowsInvalidText) {
  const char* texts[] = {
      "\x80",              // a continuation without a start
      "\xc3",              // cut off
      "\xc0\xaf",          // overlong
      "\xe0\x80\xaf",      // overlong
      "\xed\xa0\x80",      // a surrogate
      "\xf4\x90\x80\x80",  // above U+10FFFF
      "\xff",
  };
  for (const char* text : texts) EXPECT_FALSE(is_valid_utf8(text)) << text;
}

TEST(Utf8, ReplacesOnlyTheInvalidBytes) {
  EXPECT_EQ(with_valid_utf8("a\xff€\xc3"), "a\xef\xbf\xbd€\xef\xbf\xbd");
}

}  // namespace
}  // namespace dt
