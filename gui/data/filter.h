// The language of filters over a table: `state = active and best > 0.8`, `lr <= 3e-3 or not done`.
//
//   filter     = and_part { "or" and_part }
//   and_part   = not_part { ["and"] not_part }          two words side by side mean both
//   not_part   = ["not"] ( "(" filter ")" | comparison | word )
//   comparison = column ( = != < <= > >= ~ !~ ) value    ~ is "contains"
//
// Words and text compare without case; a free word is looked for in every column of text. Numbers
// take units: 50%, 2h, 30m, 1d, 5k, 2M. A cell that has no number matches no comparison of numbers
// but !=. Pure; any thread.
#pragma once

#include <QString>
#include <QVariant>
#include <functional>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "gui/data/column.h"

namespace dt::gui {

// Where a filter cannot be understood: characters of the text, to be marked there.
struct FilterError {
  qsizetype at = 0;
  qsizetype length = 0;
  QString message;  // "there is no column los; did you mean loss?"
  bool operator==(const FilterError&) const = default;
};

struct FilterNode;

class Filter {
 public:
  Filter() = default;  // everything matches

  // What a row says: the cell's text, and its sort_role where the column is a number.
  struct Cells {
    std::function<QString(int column)> text;
    std::function<QVariant(int column)> order;
  };
  bool matches(const Cells& cells) const;
  bool is_empty() const { return root_ == nullptr; }

 private:
  friend class FilterParser;
  std::shared_ptr<const FilterNode> root_;
};

std::variant<Filter, FilterError> parse_filter(const QString& text,
                                               const std::vector<Column>& columns);

}  // namespace dt::gui
