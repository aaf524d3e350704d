// The filter language: what it means, and where it says what it does not understand.
#include "gui/data/filter.h"

#include <gtest/gtest.h>

#include <map>

namespace dt::gui {
namespace {

const std::vector<Column>& columns() {
  static const std::vector<Column> all{
      {"id", "ID", true, 5},      {"name", "Name", false, 0},         {"state", "State", false, 10},
      {"best", "Best", true, 10}, {"progress", "Progress", true, 10}, {"time", "Time", true, 10}};
  return all;
}

struct Row {
  double id = 7;
  QString name = "fashion-asha";
  QString state = "active";
  QVariant best = 0.87;
  double progress = 0.43;
  double time_s = 7'200;
};

bool fits(const QString& text, const Row& row = {}) {
  const auto parsed = parse_filter(text, columns());
  if (const auto* error = std::get_if<FilterError>(&parsed)) {
    ADD_FAILURE() << text.toStdString() << ": " << error->message.toStdString();
    return false;
  }
  const QVariant cells[] = {row.id, row.name, row.state, row.best, row.progress, row.time_s};
  return std::get<Filter>(parsed).matches(
      {.text = [&](int column) { return cells[column].toString(); },
       .order = [&](int column) { return cells[column]; }});
}

// "at+length: message".
std::string problem(const QString& text) {
  const auto parsed = parse_filter(text, columns());
  const auto* error = std::get_if<FilterError>(&parsed);
  if (error == nullptr) return "";
  return std::to_string(error->at) + "+" + std::to_string(error->length) + ": " +
         error->message.toStdString();
}

TEST(Filter, NothingFitsEverything) {
  EXPECT_TRUE(fits(""));
  EXPECT_TRUE(fits("   "));
}

TEST(Filter, AFreeWordIsLookedForInText) {
  EXPECT_TRUE(fits("fashion"));
  EXPECT_TRUE(fits("FASHION"));
  EXPECT_TRUE(fits("active"));
  EXPECT_FALSE(fits("mnist"));
  EXPECT_FALSE(fits("7"));  // numbers are compared, not looked for
  EXPECT_TRUE(fits("fashion asha"));
  EXPECT_FALSE(fits("fashion mnist"));
}

TEST(Filter, ComparesTextWithoutCase) {
  EXPECT_TRUE(fits("state = ACTIVE"));
  EXPECT_TRUE(fits("State=active"));
  EXPECT_FALSE(fits("state != active"));
  EXPECT_TRUE(fits("name ~ asha"));
  EXPECT_TRUE(fits("name !~ mnist"));
  EXPECT_TRUE(fits("name = \"fashion-asha\""));
}

TEST(Filter, ComparesNumbersWithUnits) {
  EXPECT_TRUE(fits("best > 0.8"));
  EXPECT_FALSE(fits("best > 0.87"));
  EXPECT_TRUE(fits("best >= 0.87"));
  EXPECT_TRUE(fits("best < 1e0"));
  EXPECT_TRUE(fits("progress < 50%"));
  EXPECT_TRUE(fits("time >= 2h"));
  EXPECT_FALSE(fits("time > 1d"));
  EXPECT_TRUE(fits("time = 120m"));
}

TEST(Filter, EqualMeansTheDigitsThatAreShown) {
  Row row;
  row.best = 0.871384;
  EXPECT_TRUE(fits("best = 0.8714", row));
  EXPECT_FALSE(fits("best = 0.872", row));
}

TEST(Filter, ACellWithoutANumberFitsOnlyUnequal) {
  Row row;
  row.best = QVariant();
  EXPECT_FALSE(fits("best < 1", row));
  EXPECT_FALSE(fits("best >= 0", row));
  EXPECT_TRUE(fits("best != 1", row));
}

TEST(Filter, AndBindsMoreThanOrAndNotMost) {
  EXPECT_TRUE(fits("state = active and best > 0.8"));
  EXPECT_TRUE(fits("state = paused or best > 0.8"));
  EXPECT_FALSE(fits("state = paused or best > 0.8 and name ~ mnist"));
  EXPECT_TRUE(fits("(state = active or best > 9) and name ~ asha"));
  EXPECT_FALSE(fits("not state = active"));
  EXPECT_TRUE(fits("not not active"));
  EXPECT_TRUE(fits("not paused best > 0.8"));
}

TEST(Filter, QuotesMakeWordsOfAnything) {
  EXPECT_FALSE(fits("\"and\""));
  Row row;
  row.name = "a (b) = \"c\"";
  EXPECT_TRUE(fits("name = \"a (b) = \\\"c\\\"\"", row));
}

TEST(Filter, SaysWhatItDoesNotUnderstandAndWhere) {
  EXPECT_EQ(problem("stat = active"), "0+4: there is no column stat; did you mean state?");
  EXPECT_EQ(problem("state = active and colour > 3"),
            "19+6: there is no column colour; there are id, name, state, best, progress, time");
  EXPECT_EQ(problem("best > good"), "7+4: best is a number, and “good” is none");
  EXPECT_EQ(problem("best >"), "6+1: a value is missing after >");
  EXPECT_EQ(problem("best => 3"), "5+2: => is no comparison; there are = != < <= > >= ~ !~");
  EXPECT_EQ(problem("(best > 3"), "0+1: this ( is not closed");
  EXPECT_EQ(problem("best > 3)"), "8+1: there is no ( that this ) closes");
  EXPECT_EQ(problem("and best > 3"), "0+3: something is missing before and");
  EXPECT_EQ(problem("best > 3 or"), "11+1: something is missing here");
  EXPECT_EQ(problem("name = \"open"), "7+5: the quotation mark is not closed");
  EXPECT_EQ(problem("> 3"), "0+1: a column's name stands before >");
}

TEST(Filter, DeepNestingIsRefusedBeforeItIsDeep) {
  EXPECT_NE(problem(QString(100'000, '(')), "");
  EXPECT_NE(problem(QString("not ").repeated(10'000)), "");
}

// Whatever is typed, it is parsed or refused at a place of the text.
TEST(Filter, AnyTextIsParsedOrRefusedAtAPlace) {
  const QStringList pieces{"state", "best", "=",   ">",     "(",  ")",
                           "and",   "or",   "not", "\"x\"", "5%", "\""};
  std::uint64_t random = 20'261'130;
  for (int i = 0; i < 5'000; ++i) {
    QStringList words;
    for (int j = 0; j < 6; ++j) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      words.push_back(pieces[static_cast<qsizetype>(random >> 33) % pieces.size()]);
    }
    const QString text = words.join(' ');
    const auto parsed = parse_filter(text, columns());
    const auto* error = std::get_if<FilterError>(&parsed);
    if (error == nullptr) continue;
    EXPECT_LE(error->at, text.size()) << text.toStdString();
    EXPECT_FALSE(error->message.isEmpty()) << text.toStdString();
  }
}

}  // namespace
}  // namespace dt::gui
