#include "gui/data/filter_words.h"

namespace dt::gui {
namespace {

constexpr qsizetype longest_text = 2'000;  // so that no nesting is deep

bool is_sign(QChar c) { return QStringLiteral("=!<>~").contains(c); }

bool ends_word(QChar c) {
  return c.isSpace() || is_sign(c) || c == QLatin1Char('(') || c == QLatin1Char(')') ||
         c == QLatin1Char('"');
}

class Reader {
 public:
  explicit Reader(const QString& text) : text_(text) {}

  std::variant<std::vector<FilterWord>, FilterError> read() {
    for (;;) {
      while (at_ < text_.size() && text_[at_].isSpace()) ++at_;
      if (at_ == text_.size()) break;
      const qsizetype start = at_;
      FilterWord word = next();
      if (is_open_) return FilterError{start, text_.size() - start, open_quote};
      word.at = start;
      word.length = at_ - start;
      words_.push_back(word);
    }
    words_.push_back({FilterWord::Kind::end, {}, text_.size(), 0});
    return std::move(words_);
  }

 private:
  static inline const QString open_quote = QStringLiteral("the quotation mark is not closed");

  FilterWord next() {
    const QChar c = text_[at_];
    if (c == QLatin1Char('(')) return ++at_, FilterWord{FilterWord::Kind::open, c};
    if (c == QLatin1Char(')')) return ++at_, FilterWord{FilterWord::Kind::close, c};
    if (c == QLatin1Char('"')) return quoted();
    if (is_sign(c)) return sign();
    const qsizetype start = at_;
    while (at_ < text_.size() && !ends_word(text_[at_])) ++at_;
    return {FilterWord::Kind::word, text_.mid(start, at_ - start)};
  }

  FilterWord quoted() {
    QString content;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == QLatin1Char('"'))
        return ++at_, FilterWord{FilterWord::Kind::quoted, content};
      if (text_[at_] == QLatin1Char('\\') && at_ + 1 < text_.size()) ++at_;
      content += text_[at_];
    }
    is_open_ = true;
    return {};
  }

  FilterWord sign() {
    const qsizetype start = at_;
    while (at_ < text_.size() && is_sign(text_[at_])) ++at_;
    return {FilterWord::Kind::sign, text_.mid(start, at_ - start)};
  }

  const QString& text_;
  qsizetype at_ = 0;
  bool is_open_ = false;
  std::vector<FilterWord> words_;
};

}  // namespace

std::variant<std::vector<FilterWord>, FilterError> words_of(const QString& text) {
  if (text.size() > longest_text) {
    return FilterError{longest_text, text.size() - longest_text,
                       QStringLiteral("a filter has at most %1 characters").arg(longest_text)};
  }
  return Reader(text).read();
}

}  // namespace dt::gui
