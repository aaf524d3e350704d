// Numbers, times and foreign text as people read them.
#include "gui/data/format.h"

#include <gtest/gtest.h>

#include <limits>

namespace dt::gui {
namespace {

std::string text(const QString& shown) { return shown.toStdString(); }

TEST(Format, NumbersKeepFourDigitsThatMatter) {
  EXPECT_EQ(text(number(0)), "0");
  EXPECT_EQ(text(number(0.8713849)), "0.8714");
  EXPECT_EQ(text(number(0.000123461)), "0.0001235");
  EXPECT_EQ(text(number(3.14159)), "3.142");
  EXPECT_EQ(text(number(-12.5)), "-12.5");
  EXPECT_EQ(text(number(999.96)), "1,000");
  EXPECT_EQ(text(number(9999.4)), "9,999");
  EXPECT_EQ(text(number(1234567.8)), "1,234,568");
  EXPECT_EQ(text(number(3.1e-5)), "3.1e-05");
  EXPECT_EQ(text(number(1e20)), "1e+20");
}

TEST(Format, WhatIsNoNumberHasAName) {
  EXPECT_EQ(text(number(std::numeric_limits<double>::quiet_NaN())), "NaN");
  EXPECT_EQ(text(number(std::numeric_limits<double>::infinity())), "∞");
  EXPECT_EQ(text(number(-std::numeric_limits<double>::infinity())), "−∞");
}

TEST(Format, FullNumbersReadBackAsTheSame) {
  for (const double value : {0.1, 1.0 / 3, 1e300, -5e-324, 123456789.123456789}) {
    EXPECT_EQ(full_number(value).toDouble(), value);
  }
}

TEST(Format, AWholePercentIsSaidOnlyWhenAllIsDone) {
  EXPECT_EQ(text(percent(0)), "0%");
  EXPECT_EQ(text(percent(0.999)), "99%");
  EXPECT_EQ(text(percent(1)), "100%");
  EXPECT_EQ(text(percent(0.29)), "29%");
  EXPECT_EQ(text(percent(std::numeric_limits<double>::quiet_NaN())), "0%");
}

TEST(Format, TimesAreInWordsOfTheirSize) {
  EXPECT_EQ(text(duration(4'000)), "4s");
  EXPECT_EQ(text(duration(200'000)), "3m 20s");
  EXPECT_EQ(text(duration(7'500'000)), "2h 05m");
  EXPECT_EQ(text(duration(273'600'000)), "3d 04h");
  EXPECT_EQ(text(age(1'000, 4'000)), "just now");
  EXPECT_EQ(text(age(1'000, 61'000 * 3)), "3m ago");
  EXPECT_EQ(text(age(0, 1'000)), "");
  EXPECT_EQ(text(age(9'000, 1'000)), "just now");  // a clock that is ahead of ours
}

TEST(Format, BytesHaveBinaryUnits) {
  EXPECT_EQ(text(bytes(512)), "512 B");
  EXPECT_EQ(text(bytes(1536)), "1.5 KiB");
  EXPECT_EQ(text(bytes(96 * 1024 * 1024)), "96.0 MiB");
  EXPECT_EQ(text(bytes(100 * 1024 * 1024)), "100 MiB");
}

TEST(Format, HostileTextShowsWhatItHides) {
  EXPECT_EQ(text(plain("<img src=x>")), "<img src=x>");  // labels are plain text: it stays words
  EXPECT_EQ(text(plain(QString::fromUtf8("a\u202Etxt.exe"))), "a⟨U+202E⟩txt.exe");
  EXPECT_EQ(text(plain("\x1b[31mred")), "␛[31mred");
  EXPECT_EQ(text(plain(QString::fromUtf8("zero\u200Bwidth"))), "zero⟨U+200B⟩width");
  EXPECT_EQ(text(plain(QString::fromUtf8("日本 🙂"))), "日本 🙂");
  EXPECT_EQ(text(plain("two\nlines")), "two\nlines");
}

TEST(Format, ALineIsShortAndOneLine) {
  EXPECT_EQ(text(one_line("two\nlines")), "two⏎lines");
  EXPECT_EQ(one_line(QString(10'000, 'x')).size(), 200);
  EXPECT_TRUE(one_line(QString(10'000, 'x')).endsWith(QChar(0x2026)));
  EXPECT_EQ(one_line(QString(1'000, QChar(0x202e)), 50).size(), 50);
}

TEST(Format, StatesAreWordsWithATone) {
  EXPECT_EQ(text(state_word("STOPPING_CANCELED")), "stopping");
  EXPECT_EQ(text(state_word("ACTIVE")), "active");
  EXPECT_EQ(tone_of(state_word("ERROR")), Tone::bad);
  EXPECT_EQ(tone_of("what is this"), Tone::neutral);
}

}  // namespace
}  // namespace dt::gui
