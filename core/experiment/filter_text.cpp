#include "core/experiment/filter_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace dt::core {
namespace {

constexpr std::string_view blanks = " \t\r\n";
constexpr std::string_view word_ends = " \t\r\n()=!<>\"'";

struct Token {
  enum class Kind { end, word, quoted, sign, open, close };
  Kind kind = Kind::end;
  std::string text;
  std::size_t place = 0;
};

std::string lower(std::string text) {
  for (char& letter : text) {
    letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  return text;
}

Value number_or_text(const std::string& word) {
  if (word.find_first_of("0123456789") == std::string::npos) {  // no "inf", no "nan"
    return word == "true" || word == "false" ? Value(word == "true") : Value(word);
  }
  const char* const end = word.data() + word.size();
  std::int64_t whole = 0;
  const auto as_int = std::from_chars(word.data(), end, whole);
  if (as_int.ec == std::errc() && as_int.ptr == end) return whole;
  double real = 0;
  const auto as_double = std::from_chars(word.data(), end, real);
  if (as_double.ec == std::errc() && as_double.ptr == end) return real;
  return word;
}

class Parser {
 public:
  explicit Parser(const std::string& text) : text_(text) {}

  Result<Filter> parse() {
    TRY(advance());
    if (next_.kind == Token::Kind::end) return Filter{};
    Filter filter = TRY(either(0));
    if (next_.kind != Token::Kind::end) return expected("“and”, “or” or the end");
    return filter;
  }

 private:
  Status expected(const std::string& what) const {
    const bool over = next_.kind == Token::Kind::end;
    return problem(next_.place, cat("expected ", what, ", got ",
                                    over ? "the end" : cat("\"", next_.text, "\"")));
  }

  static Status problem(std::size_t place, const std::string& words) {
    return invalid_argument("filter: at ", place + 1, ", ", words)
        .with_detail({.subject = "filter",
                      .hint = "as in: hparams.lr <= 0.01 and state = completed",
                      .path = "filter"});
  }

  // The next token becomes next_.
  Status advance() {
    at_ = std::min(text_.find_first_not_of(blanks, at_), text_.size());
    next_ = {.kind = Token::Kind::end, .text = {}, .place = at_};
    if (at_ == text_.size()) return {};
    const char first = text_[at_];
    if (first == '"' || first == '\'') return quoted(first);
    if (first == '(' || first == ')') {
      return take(first == '(' ? Token::Kind::open : Token::Kind::close, 1);
    }
    if (std::string_view("=!<>").find(first) != std::string_view::npos) {
      return take(Token::Kind::sign, text_.compare(at_ + 1, 1, "=") == 0 ? 2 : 1);
    }
    const std::size_t end = std::min(text_.find_first_of(word_ends, at_), text_.size());
    return take(Token::Kind::word, end - at_);
  }

  Status take(Token::Kind kind, std::size_t length) {
    next_.kind = kind;
    next_.text = text_.substr(at_, length);
    at_ += length;
    return {};
  }

  // A backslash takes the character behind it as it is.
  Status quoted(char mark) {
    next_.kind = Token::Kind::quoted;
    for (++at_; at_ < text_.size() && text_[at_] != mark; ++at_) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      next_.text += text_[at_];
    }
    if (at_ == text_.size()) return problem(next_.place, "the quote is not closed");
    ++at_;
    return {};
  }

  bool is_word(const char* word) const {
    return next_.kind == Token::Kind::word && lower(next_.text) == word;
  }

  // Members joined by `word`; one alone is no group.
  template <class Member>
  Result<Filter> joined(const char* word, Filter::Kind kind, Member member) {
    Filter group{.kind = kind, .members = {}, .column = {}, .value = {}};
    group.members.push_back(TRY(member()));
    while (is_word(word)) {
      TRY(advance());
      group.members.push_back(TRY(member()));
    }
    if (group.members.size() == 1) return group.members.front();
    return group;
  }

  Result<Filter> either(int depth) {
    if (depth > filter_depth_max) return problem(next_.place, "the brackets lie too deep");
    return joined("or", Filter::Kind::any,
                  [&] { return joined("and", Filter::Kind::all, [&] { return part(depth); }); });
  }

  Result<Filter> part(int depth) {
    if (next_.kind != Token::Kind::open) return condition();
    TRY(advance());
    Filter inside = TRY(either(depth + 1));
    if (next_.kind != Token::Kind::close) return expected("“)”");
    TRY(advance());
    return inside;
  }

  Result<Filter> condition() {
    const bool is_name = next_.kind == Token::Kind::word || next_.kind == Token::Kind::quoted;
    if (!is_name) return expected("a column");
    Filter one{.kind = Filter::Kind::condition, .members = {}, .column = next_.text, .value = {}};
    TRY(advance());
    one.condition = TRY(comparison());
    const bool alone =
        one.condition == FilterOperator::is_empty || one.condition == FilterOperator::not_empty;
    if (alone) return one;
    const bool is_value = next_.kind == Token::Kind::word || next_.kind == Token::Kind::quoted;
    if (!is_value) return expected(cat("a value to compare ", one.column, " with"));
    const bool is_text = next_.kind == Token::Kind::quoted;
    one.value = is_text ? Value(next_.text) : number_or_text(next_.text);
    TRY(advance());
    return one;
  }

  Result<FilterOperator> comparison() {
    constexpr const char* choices =
        "=, !=, <, <=, >, >=, contains, not contains, is empty or "
        "is not empty";
    const std::string sign = next_.text == "==" ? "=" : next_.text;
    const auto known = filter_operator(sign);
    if (next_.kind == Token::Kind::sign && known) return then(*known);
    if (is_word("contains")) return then(FilterOperator::contains);
    const bool is = is_word("is");
    if (!is && !is_word("not")) return expected(choices);
    TRY(advance());
    const bool negated = !is || is_word("not");
    if (is && negated) TRY(advance());
    if (!is_word(is ? "empty" : "contains")) return expected(is ? "“empty”" : "“contains”");
    if (!is) return then(FilterOperator::not_contains);
    return then(negated ? FilterOperator::not_empty : FilterOperator::is_empty);
  }

  Result<FilterOperator> then(FilterOperator found) {
    TRY(advance());
    return found;
  }

  const std::string& text_;
  std::size_t at_ = 0;
  Token next_;
};

}  // namespace

Result<Filter> parse_filter(const std::string& text) {
  if (text.size() > filter_text_max) {
    return invalid_argument("filter: ", text.size(), " bytes, at most ", filter_text_max);
  }
  return Parser(text).parse();
}

}  // namespace dt::core
