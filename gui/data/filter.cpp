#include "gui/data/filter.h"

#include <QHash>
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/overload.h"
#include "base/words.h"
#include "gui/data/filter_words.h"

namespace dt::gui {
namespace {

enum class Sign { equal, unequal, less, less_equal, more, more_equal, contains, lacks };

std::optional<Sign> sign_of(const QString& text) {
  static const QHash<QString, Sign> signs{
      {"=", Sign::equal},       {"==", Sign::equal},      {"!=", Sign::unequal},
      {"<", Sign::less},        {"<=", Sign::less_equal}, {">", Sign::more},
      {">=", Sign::more_equal}, {"~", Sign::contains},    {"!~", Sign::lacks}};
  const auto found = signs.find(text);
  return found == signs.end() ? std::nullopt : std::optional(*found);
}

// "50%" is 0.5, "2h" 7200 (seconds), "5k" 5000.
std::optional<double> number_of(const QString& text) {
  static const QHash<QChar, double> units{{'%', 0.01},  {'s', 1},   {'m', 60},  {'h', 3600},
                                          {'d', 86400}, {'k', 1e3}, {'M', 1e6}, {'G', 1e9}};
  bool is_number = false;
  double value = text.toDouble(&is_number);
  if (is_number) return value;
  if (text.isEmpty() || !units.contains(text.back())) return std::nullopt;
  value = text.chopped(1).toDouble(&is_number);
  if (!is_number) return std::nullopt;
  return value * units[text.back()];
}

// The column that was meant, for "did you mean".
QString nearest_column(const QString& name, const std::vector<Column>& columns) {
  std::vector<std::string> known;
  for (const Column& column : columns) known.push_back(column.name.toLower().toStdString());
  const std::string meant = nearest(name.toLower().toStdString(), known);
  for (const Column& column : columns) {
    if (!meant.empty() && column.name.toLower().toStdString() == meant) return column.name;
  }
  return {};
}

// Exact where both are exact; else to the four digits that are shown.
bool same_number(double cell, double wanted) {
  return cell == wanted || std::abs(cell - wanted) <= std::abs(wanted) * 5e-5;
}

}  // namespace

struct FilterNode {
  struct Word {
    QString text;
    std::vector<int> columns;  // of text
  };
  struct Comparison {
    int column = 0;
    Sign sign = Sign::equal;
    QString text;
    std::optional<double> number;  // the column is one of numbers
  };
  struct Not {
    std::shared_ptr<const FilterNode> of;
  };
  struct Both {
    std::shared_ptr<const FilterNode> first, second;
  };
  struct Either {
    std::shared_ptr<const FilterNode> first, second;
  };
  std::variant<Word, Comparison, Not, Both, Either> is;
};

namespace {

using Node = std::shared_ptr<const FilterNode>;

bool compare_numbers(const FilterNode::Comparison& wanted, const QVariant& cell) {
  bool is_number = false;
  const double value = cell.toDouble(&is_number);
  if (!is_number) return wanted.sign == Sign::unequal;
  switch (wanted.sign) {
    case Sign::equal: return same_number(value, *wanted.number);
    case Sign::unequal: return !same_number(value, *wanted.number);
    case Sign::less: return value < *wanted.number;
    case Sign::less_equal: return value <= *wanted.number;
    case Sign::more: return value > *wanted.number;
    case Sign::more_equal: return value >= *wanted.number;
    case Sign::contains:
    case Sign::lacks: break;  // of text
  }
  return false;
}

bool compare_text(const FilterNode::Comparison& wanted, const QString& cell) {
  const int order = QString::compare(cell, wanted.text, Qt::CaseInsensitive);
  switch (wanted.sign) {
    case Sign::equal: return order == 0;
    case Sign::unequal: return order != 0;
    case Sign::less: return order < 0;
    case Sign::less_equal: return order <= 0;
    case Sign::more: return order > 0;
    case Sign::more_equal: return order >= 0;
    case Sign::contains: return cell.contains(wanted.text, Qt::CaseInsensitive);
    case Sign::lacks: return !cell.contains(wanted.text, Qt::CaseInsensitive);
  }
  return false;
}

bool holds(const FilterNode& node, const Filter::Cells& cells) {
  return std::visit(
      Overload{[&](const FilterNode::Word& word) {
                 return std::any_of(word.columns.begin(), word.columns.end(), [&](int column) {
                   return cells.text(column).contains(word.text, Qt::CaseInsensitive);
                 });
               },
               [&](const FilterNode::Comparison& wanted) {
                 return wanted.number ? compare_numbers(wanted, cells.order(wanted.column))
                                      : compare_text(wanted, cells.text(wanted.column));
               },
               [&](const FilterNode::Not& no) { return !holds(*no.of, cells); },
               [&](const FilterNode::Both& both) {
                 return holds(*both.first, cells) && holds(*both.second, cells);
               },
               [&](const FilterNode::Either& either) {
                 return holds(*either.first, cells) || holds(*either.second, cells);
               }},
      node.is);
}

Node node(decltype(FilterNode::is) is) {
  return std::make_shared<const FilterNode>(FilterNode{std::move(is)});
}

}  // namespace

// One method a rule of the grammar; the first error ends it.
class FilterParser {
 public:
  FilterParser(std::vector<FilterWord> words, const std::vector<Column>& columns)
      : words_(std::move(words)), columns_(columns) {}

  std::variant<Filter, FilterError> parse() {
    Filter filter;
    if (now().kind == FilterWord::Kind::end) return filter;
    filter.root_ = either();
    if (!error_ && now().kind != FilterWord::Kind::end) {
      fail(now(), QStringLiteral("there is no ( that this ) closes"));
    }
    if (error_) return *error_;
    return filter;
  }

 private:
  const FilterWord& now() const { return words_[at_]; }
  FilterWord take() { return words_[at_ + 1 < words_.size() ? at_++ : at_]; }

  Node fail(const FilterWord& word, const QString& message) {
    if (!error_) error_ = FilterError{word.at, std::max<qsizetype>(word.length, 1), message};
    return nullptr;
  }

  Node either() {
    Node first = both();
    while (!error_ && now().is("or")) {
      take();
      first = node(FilterNode::Either{first, both()});
    }
    return first;
  }

  Node both() {
    Node first = negation();
    for (;;) {
      const bool ends =
          now().kind == FilterWord::Kind::end || now().kind == FilterWord::Kind::close;
      if (error_ || ends || now().is("or")) return first;
      if (now().is("and")) take();
      first = node(FilterNode::Both{first, negation()});
    }
  }

  Node negation() {
    if (!now().is("not")) return part();
    take();
    return node(FilterNode::Not{negation()});
  }

  Node part() {
    const FilterWord word = take();
    switch (word.kind) {
      case FilterWord::Kind::open: {
        Node inner = either();
        if (error_) return nullptr;
        if (take().kind != FilterWord::Kind::close) {
          return fail(word, QStringLiteral("this ( is not closed"));
        }
        return inner;
      }
      case FilterWord::Kind::close:
        return fail(word, QStringLiteral("there is nothing before this )"));
      case FilterWord::Kind::sign:
        return fail(word, QStringLiteral("a column's name stands before %1").arg(word.text));
      case FilterWord::Kind::end: return fail(word, QStringLiteral("something is missing here"));
      case FilterWord::Kind::quoted: break;
      case FilterWord::Kind::word:
        if (now().kind == FilterWord::Kind::sign) return comparison(word);
        if (word.is("and") || word.is("or")) {
          return fail(word, QStringLiteral("something is missing before %1").arg(word.text));
        }
        break;
    }
    return free_word(word.text);
  }

  Node free_word(const QString& text) const {
    FilterNode::Word word{text, {}};
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (!columns_[i].is_number) word.columns.push_back(static_cast<int>(i));
    }
    return node(std::move(word));
  }

  Node comparison(const FilterWord& name) {
    const FilterWord sign_word = take();
    const auto column = std::find_if(columns_.begin(), columns_.end(), [&](const Column& c) {
      return c.name.compare(name.text, Qt::CaseInsensitive) == 0;
    });
    if (column == columns_.end()) return fail(name, unknown(name.text));
    const std::optional<Sign> sign = sign_of(sign_word.text);
    if (!sign) {
      return fail(
          sign_word,
          QStringLiteral("%1 is no comparison; there are = != < <= > >= ~ !~").arg(sign_word.text));
    }
    const FilterWord value = take();
    if (value.kind != FilterWord::Kind::word && value.kind != FilterWord::Kind::quoted) {
      return fail(value, QStringLiteral("a value is missing after %1").arg(sign_word.text));
    }
    FilterNode::Comparison wanted{.column = static_cast<int>(column - columns_.begin()),
                                  .sign = *sign,
                                  .text = value.text,
                                  .number = {}};
    const bool is_of_text = *sign == Sign::contains || *sign == Sign::lacks;
    if (column->is_number && !is_of_text) {
      wanted.number = number_of(value.text);
      if (!wanted.number) {
        return fail(value,
                    QStringLiteral("%1 is a number, and “%2” is none").arg(name.text, value.text));
      }
    }
    return node(std::move(wanted));
  }

  QString unknown(const QString& name) const {
    const QString meant = nearest_column(name, columns_);
    if (!meant.isEmpty()) {
      return QStringLiteral("there is no column %1; did you mean %2?").arg(name, meant);
    }
    QStringList names;
    for (const Column& column : columns_) names.push_back(column.name);
    return QStringLiteral("there is no column %1; there are %2").arg(name, names.join(", "));
  }

  std::vector<FilterWord> words_;
  const std::vector<Column>& columns_;
  std::size_t at_ = 0;
  std::optional<FilterError> error_;
};

bool Filter::matches(const Cells& cells) const { return !root_ || holds(*root_, cells); }

std::variant<Filter, FilterError> parse_filter(const QString& text,
                                               const std::vector<Column>& columns) {
  auto words = words_of(text);
  if (auto* error = std::get_if<FilterError>(&words)) return *error;
  return FilterParser(std::get<std::vector<FilterWord>>(std::move(words)), columns).parse();
}

}  // namespace dt::gui
