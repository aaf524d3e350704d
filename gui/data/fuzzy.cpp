#include "gui/data/fuzzy.h"

#include <algorithm>
#include <vector>

namespace dt::gui {
namespace {

constexpr int word_start = 8;
constexpr int side_by_side = 10;
constexpr int hit = 1;
constexpr int none = -1'000'000;

bool starts_word(const QString& text, qsizetype at) {
  if (at == 0) return true;
  const QChar before = text[at - 1];
  return !before.isLetterOrNumber() || (before.isLower() && text[at].isUpper()) ||
         before.isDigit() != text[at].isDigit();
}

// Most names lack a letter; this says so without counting.
bool occurs(const QString& letters, const QString& text) {
  qsizetype at = 0;
  for (const QChar letter : letters) {
    const QChar wanted = letter.toCaseFolded();
    while (at < text.size() && text[at].toCaseFolded() != wanted) ++at;
    if (at++ == text.size()) return false;
  }
  return true;
}

}  // namespace

// The best of all ways to place the letters: scores[j] is that of the pattern so far, its last
// letter at j of the text.
std::optional<int> fuzzy_score(const QString& pattern, const QString& text) {
  QString letters = pattern;
  letters.remove(QLatin1Char(' '));
  if (letters.isEmpty()) return 0;
  if (!occurs(letters, text)) return std::nullopt;
  const auto length = static_cast<std::size_t>(text.size());
  std::vector<int> scores(length, none);
  for (qsizetype i = 0; i < letters.size(); ++i) {
    std::vector<int> next(length, none);
    int best_before = none;  // of all places before j − 1
    for (std::size_t j = 0; j < length; ++j) {
      if (j >= 2) best_before = std::max(best_before, scores[j - 2]);
      const auto at = static_cast<qsizetype>(j);
      if (text[at].toCaseFolded() != letters[i].toCaseFolded()) continue;
      const int before =
          i == 0 ? 0 : std::max(best_before, j >= 1 ? scores[j - 1] + side_by_side : none);
      if (before > none / 2) next[j] = before + hit + (starts_word(text, at) ? word_start : 0);
    }
    scores = std::move(next);
  }
  const int best = scores.empty() ? none : *std::max_element(scores.begin(), scores.end());
  if (best <= none / 2) return std::nullopt;
  return best * 16 - static_cast<int>(std::min<qsizetype>(text.size(), 200));
}

}  // namespace dt::gui
