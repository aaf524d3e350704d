#include "gui/data/line_diff.h"

#include <gtest/gtest.h>

#include <random>

namespace dt::gui {
namespace {

// " a −b +c": one sign and text a line.
std::string shown(const std::vector<DiffLine>& diff) {
  std::string text;
  for (const DiffLine& line : diff) {
    text += line.kind == DiffLine::Kind::same ? ' ' : line.kind == DiffLine::Kind::added ? '+' : '-';
    text += line.text.toStdString() + "\n";
  }
  return text;
}

TEST(LineDiff, KeepsWhatIsCommon) {
  EXPECT_EQ(shown(line_diff("a\nb\nc\n", "a\nx\nc\n")), " a\n-b\n+x\n c\n");
  EXPECT_EQ(shown(line_diff("a\nb\n", "a\nb\nc\n")), " a\n b\n+c\n");
  EXPECT_EQ(shown(line_diff("", "a")), "+a\n");
  EXPECT_EQ(shown(line_diff("a", "")), "-a\n");
  EXPECT_TRUE(line_diff("", "").empty());
}

TEST(LineDiff, NumbersTheLinesOfBothTexts) {
  const auto diff = line_diff("a\nb\nc", "a\nc\nd");
  ASSERT_EQ(diff.size(), 4u);
  EXPECT_EQ(diff[1], (DiffLine{DiffLine::Kind::removed, "b", 2, 0}));
  EXPECT_EQ(diff[2], (DiffLine{DiffLine::Kind::same, "c", 3, 2}));
  EXPECT_EQ(diff[3], (DiffLine{DiffLine::Kind::added, "d", 0, 3}));
}

TEST(LineDiff, AppliedToOneTextGivesTheOther) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    const auto text = [&] {
      QStringList lines;
      for (unsigned i = random() % 12; i > 0; --i) lines += QString(QChar(int(u'a' + random() % 4)));
      return lines.join(u'\n');
    };
    const QString before = text(), after = text();
    QStringList kept, made;
    for (const DiffLine& line : line_diff(before, after)) {
      if (line.kind != DiffLine::Kind::added) kept += line.text;
      if (line.kind != DiffLine::Kind::removed) made += line.text;
    }
    EXPECT_EQ(kept.join(u'\n'), before);
    EXPECT_EQ(made.join(u'\n'), after);
  }
}

TEST(LineDiff, ShowsAFewLinesAroundAChange) {
  QString before, after;
  for (int i = 0; i < 20; ++i) before += QString::number(i) + u'\n';
  after = before;
  after.replace("\n10\n", "\nten\n");
  EXPECT_EQ(shown(with_context(line_diff(before, after), 2)), " 8\n 9\n-10\n+ten\n 11\n 12\n");
  EXPECT_TRUE(with_context(line_diff(before, before), 2).empty());
}

TEST(LineDiff, LargeTextsEndSoon) {
  QString before, after;
  for (int i = 0; i < 30'000; ++i) {
    before += QStringLiteral("a%1\n").arg(i);
    after += QStringLiteral("b%1\n").arg(i);
  }
  EXPECT_EQ(line_diff(before, after).size(), 60'000u);
}

}  // namespace
}  // namespace dt::gui
