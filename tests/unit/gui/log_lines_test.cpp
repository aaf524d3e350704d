// A log in memory: cleaned text, levels, a million lines, filters and searches in slices.
#include <gtest/gtest.h>

#include <QApplication>
#include <QClipboard>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <ctime>

#include "base/cat.h"
#include "gui/models/log_model.h"
#include "gui/widgets/log_view.h"

namespace dt::gui {
namespace {

LogPiece piece(const std::string& text, std::int64_t time_ms = 0, int rank = 0) {
  return {.time_ms = time_ms,
          .attempt = 1,
          .rank = rank,
          .is_error = false,
          .text = cleaned_log_text(text)};
}

std::vector<LogPiece> numbered(int from, int to) {
  std::vector<LogPiece> pieces;
  for (int i = from; i < to; ++i) pieces.push_back(piece(cat("line ", i), i));
  return pieces;
}

LogFilter words(const char* text, bool is_regex = false, std::optional<int> rank = {}) {
  return LogFilter::create(QString::fromUtf8(text), is_regex, rank).value();
}

void work_off(LogModel& model) {
  while (model.is_filtering()) QApplication::processEvents();
}

TEST(LogText, LosesColoursAndOtherEscapesWholeOrUnfinished) {
  EXPECT_EQ(cleaned_log_text("\x1b[32mok\x1b[0m done"), "ok done");
  EXPECT_EQ(cleaned_log_text("a\x1b[38;5;196mb\x1b[K"), "ab");
  EXPECT_EQ(cleaned_log_text("title \x1b]0;window\x07 end"), "title  end");
  EXPECT_EQ(cleaned_log_text("link \x1b]8;;http://x\x1b\\text"), "link text");
  EXPECT_EQ(cleaned_log_text("cut \x1b[3"), "cut ");
  EXPECT_EQ(cleaned_log_text("cut \x1b"), "cut ");
  EXPECT_EQ(cleaned_log_text("\x1b(Bplain"), "plain");
}

TEST(LogText, OfAProgressBarKeepsWhatATerminalWouldShowLast) {
  EXPECT_EQ(cleaned_log_text(" 10%|#  |\r 50%|## |\r100%|###|"), "100%|###|");
  EXPECT_EQ(cleaned_log_text("done\r"), "done");
  EXPECT_EQ(cleaned_log_text("ab\b\bc"), "c");
}

TEST(LogLevelOf, ALineIsWhatItsWordsSay) {
  EXPECT_EQ(level_of("2026-11-30 ERROR disk is full"), LogLevel::error);
  EXPECT_EQ(level_of("ValueError: x"), LogLevel::error);
  EXPECT_EQ(level_of("[WARNING] slow"), LogLevel::warning);
  EXPECT_EQ(level_of("DEBUG x"), LogLevel::debug);
  EXPECT_EQ(level_of("mirrors, terrors"), LogLevel::info);
}

TEST(LogLines, DropTheOldestAndKeepTheirNumbers) {
  LogLines lines({.bytes = 1 << 20, .lines = 10'000});
  for (int i = 0; i < 50'000; ++i) lines.append({.time_ms = i, .text = "x"});
  EXPECT_EQ(lines.end(), 50'000);
  EXPECT_LE(lines.size(), 10'000);
  EXPECT_GT(lines.size(), 5'000);
  EXPECT_EQ(lines.line(lines.first()).time_ms, lines.first());
  EXPECT_EQ(lines.find_time(45'000), 45'000);
  EXPECT_EQ(lines.find_time(99'999), lines.end());
}

TEST(LogModel, FiltersByWordsExpressionsAndRanks) {
  LogModel model;
  model.append({piece("Loss 0.5", 1, 0), piece("loss 0.25", 2, 1), piece("saved", 3, 0)});
  EXPECT_EQ(model.rows(), 3);
  EXPECT_EQ(model.ranks(), (std::set<int>{0, 1}));
  model.set_filter(words("loss"));
  EXPECT_EQ(model.rows(), 2);
  model.set_filter(words("loss", false, 1));
  EXPECT_EQ(model.rows(), 1);
  EXPECT_EQ(model.line(0).time_ms, 2);
  model.set_filter(words("^[Ll]oss .*5$", true));
  EXPECT_EQ(model.rows(), 2);
  model.set_filter({});
  EXPECT_EQ(model.rows(), 3);
  QString problem;
  EXPECT_FALSE(LogFilter::create(QStringLiteral("("), true, {}, &problem).has_value());
  EXPECT_FALSE(problem.isEmpty());
}

TEST(LogModel, WorksAMillionLinesOffInSlicesAndTakesNewOnesMeanwhile) {
  LogModel model;
  constexpr int count = 1'000'000;
  for (int i = 0; i < count; i += 100'000) model.append(numbered(i, i + 100'000));
  const auto cpu_ms = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
  };
  const double start = cpu_ms();
  model.set_filter(words("line 77777"));
  const double slice = cpu_ms() - start;
  EXPECT_TRUE(model.is_filtering());
  EXPECT_LT(slice, 50) << "ms of CPU in one handler";
  model.append({piece("line 77777 again", count)});
  work_off(model);
  EXPECT_EQ(model.rows(), 12);  // 77777, 777770 … 777779, and the new one
  EXPECT_EQ(model.number(0), 77'777);
  EXPECT_EQ(model.row_at(500'000), 1);
}

TEST(LogModel, FindsRoundTheEndInBothDirections) {
  LogModel model;
  model.append(numbered(0, 60'000));
  std::optional<qint64> found;
  int answers = 0;
  QObject::connect(&model, &LogModel::found, &model, [&](std::optional<qint64> row) {
    found = row;
    ++answers;
  });
  const auto find = [&](const char* text, std::int64_t row, bool forward) {
    const int before = answers;
    model.find(words(text), row, forward);
    while (answers == before) QApplication::processEvents();
    return found;
  };
  EXPECT_EQ(find("line 59999", 0, true), 59'999);
  EXPECT_EQ(find("line 5 ", 0, true), std::nullopt);
  EXPECT_EQ(find("LINE 12", 59'999, true), 12);
  EXPECT_EQ(find("line 12", 12, false), 12'999);
}

class LogViewTest : public testing::Test {
 protected:
  LogViewTest() {
    view.resize(500, 200);
    view.show();
  }
  LogModel model;
  LogView view{model};
};

TEST_F(LogViewTest, FollowsUntilTheUserScrollsUpAndAgainAtTheEnd) {
  model.append(numbered(0, 1'000));
  EXPECT_EQ(view.verticalScrollBar()->value(), view.verticalScrollBar()->maximum());
  QTest::keyClick(&view, Qt::Key_Home);
  EXPECT_FALSE(view.is_following());
  model.append(numbered(1'000, 2'000));
  EXPECT_EQ(view.top_row(), 0) << "new lines do not move what is read";
  QTest::keyClick(&view, Qt::Key_End);
  EXPECT_TRUE(view.is_following());
  model.append(numbered(2'000, 2'100));
  EXPECT_EQ(view.verticalScrollBar()->value(), view.verticalScrollBar()->maximum());
}

TEST_F(LogViewTest, PaintsAMillionLinesAsFastAsAHundred) {
  const auto paints = [&] {
    view.viewport()->repaint();
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    const double start =
        static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
    for (int i = 0; i < 10; ++i) view.grab();
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6 - start;
  };
  model.append(numbered(0, 100));
  const double few = paints();
  for (int i = 0; i < 10; ++i) model.append(numbered(0, 100'000));
  EXPECT_LT(paints(), few * 5 + 5);
}

TEST_F(LogViewTest, CopiesWholeLinesAndShowsHostileOnesAsText) {
  const std::string huge(100'000, 'x');
  model.append(
      {piece("one"), piece("two \xE2\x80\xAE evil"), piece(huge), piece("<b>bold</b>\x07")});
  view.grab();
  view.select_all();
  view.copy();
  EXPECT_EQ(QApplication::clipboard()->text().size(), 4 + 11 + 100'001 + 13);
  EXPECT_TRUE(view.row_text(1).contains(QStringLiteral("⟨U+202E⟩")));
  EXPECT_LT(view.row_text(2).size(), 5'000);
  EXPECT_TRUE(view.row_text(2).contains(QStringLiteral("in all")));
  EXPECT_TRUE(view.row_text(3).contains(QStringLiteral("<b>bold</b>␇")));
}

TEST_F(LogViewTest, WhatIsSelectedStaysSoWhenOlderLinesGo) {
  LogModel small({.bytes = 1 << 20, .lines = 10'000});
  LogView other(small);
  other.resize(500, 200);
  small.append(numbered(0, 8'000));
  other.show_row(7'000);
  small.append(numbered(8'000, 13'000));
  ASSERT_TRUE(other.current_row().has_value());
  EXPECT_EQ(small.line(*other.current_row()).time_ms, 7'000);
}

}  // namespace
}  // namespace dt::gui
