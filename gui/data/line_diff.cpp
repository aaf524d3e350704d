#include "gui/data/line_diff.h"

#include <QStringList>
#include <algorithm>

namespace dt::gui {
namespace {

constexpr qsizetype compared_max = 2'000;

using Lengths = std::vector<std::vector<int>>;  // [i][j]: common lines of before[i…] and after[j…]

QStringList lines_of(const QString& text) {
  if (text.isEmpty()) return {};
  QStringList lines = text.split(u'\n');
  if (lines.back().isEmpty()) lines.removeLast();
  return lines;
}

Lengths common_lengths(const QStringList& before, const QStringList& after) {
  const auto rows = static_cast<std::size_t>(before.size());
  const auto columns = static_cast<std::size_t>(after.size());
  Lengths lengths(rows + 1, std::vector<int>(columns + 1, 0));
  for (std::size_t i = rows; i-- > 0;) {
    for (std::size_t j = columns; j-- > 0;) {
      const bool is_same = before[static_cast<qsizetype>(i)] == after[static_cast<qsizetype>(j)];
      lengths[i][j] = is_same ? lengths[i + 1][j + 1] + 1
                              : std::max(lengths[i + 1][j], lengths[i][j + 1]);
    }
  }
  return lengths;
}

class Differ {
 public:
  Differ(const QStringList& before, const QStringList& after) : before_(before), after_(after) {}

  std::vector<DiffLine> run() {
    const qsizetype shorter = std::min(before_.size(), after_.size());
    qsizetype first = 0;
    while (first < shorter && before_[first] == after_[first]) ++first;
    qsizetype last = 0;
    while (last < shorter - first &&
           before_[before_.size() - 1 - last] == after_[after_.size() - 1 - last]) {
      ++last;
    }
    while (old_ < first) keep();
    middle(before_.size() - last, after_.size() - last);
    while (old_ < before_.size()) keep();
    return std::move(lines_);
  }

 private:
  void middle(qsizetype old_end, qsizetype new_end) {
    const QStringList before = before_.mid(old_, old_end - old_);
    const QStringList after = after_.mid(new_, new_end - new_);
    if (before.size() <= compared_max && after.size() <= compared_max) compare(before, after);
    while (old_ < old_end) remove();
    while (new_ < new_end) add();
  }

  void compare(const QStringList& before, const QStringList& after) {
    const Lengths lengths = common_lengths(before, after);
    std::size_t i = 0, j = 0;
    while (i + 1 < lengths.size() && j + 1 < lengths[i].size()) {
      if (before[static_cast<qsizetype>(i)] == after[static_cast<qsizetype>(j)]) {
        keep(), ++i, ++j;
      } else if (lengths[i + 1][j] >= lengths[i][j + 1]) {
        remove(), ++i;
      } else {
        add(), ++j;
      }
    }
  }

  void keep() {
    lines_.push_back({DiffLine::Kind::same, before_[old_], int(old_ + 1), int(new_ + 1)});
    ++old_, ++new_;
  }
  void remove() {
    lines_.push_back({DiffLine::Kind::removed, before_[old_], int(old_ + 1), 0});
    ++old_;
  }
  void add() {
    lines_.push_back({DiffLine::Kind::added, after_[new_], 0, int(new_ + 1)});
    ++new_;
  }

  const QStringList& before_;
  const QStringList& after_;
  qsizetype old_ = 0;
  qsizetype new_ = 0;
  std::vector<DiffLine> lines_;
};

}  // namespace

std::vector<DiffLine> line_diff(const QString& before, const QString& after) {
  return Differ(lines_of(before), lines_of(after)).run();
}

std::vector<DiffLine> with_context(const std::vector<DiffLine>& diff, int lines_around) {
  std::vector<DiffLine> shown;
  const int count = static_cast<int>(diff.size());
  int wanted_until = -1;  // the last line that a change before it wants
  for (int at = 0; at < count; ++at) {
    int next = at;
    while (next < count && next <= at + lines_around &&
           diff[static_cast<std::size_t>(next)].kind == DiffLine::Kind::same) {
      ++next;
    }
    const bool is_before_change = next < count && next <= at + lines_around;
    const DiffLine& line = diff[static_cast<std::size_t>(at)];
    if (line.kind != DiffLine::Kind::same) wanted_until = at + lines_around;
    if (is_before_change || at <= wanted_until) shown.push_back(line);
  }
  return shown;
}

}  // namespace dt::gui
