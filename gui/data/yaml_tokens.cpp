#include "gui/data/yaml_tokens.h"

#include <QStringList>
#include <algorithm>

namespace dt::gui {
namespace {

using namespace Qt::StringLiterals;

int indent_of(const QString& line) {
  int indent = 0;
  while (indent < line.size() && line[indent] == u' ') ++indent;
  return indent;
}

YamlTone tone_of(QStringView word) {
  static const QStringList constants = {u"true"_s, u"false"_s, u"null"_s, u"~"_s,
                                        u"True"_s, u"False"_s, u"Null"_s};
  if (constants.contains(word)) return YamlTone::constant;
  bool is_number = false;
  word.toString().remove(u'_').toDouble(&is_number);
  return is_number ? YamlTone::number : YamlTone::text;
}

class Line {
 public:
  explicit Line(const QString& text) : text_(text), at_(indent_of(text)) {}

  std::vector<YamlSpan> spans() {
    while (at_ < text_.size()) step();
    return std::move(spans_);
  }
  bool opens_block() const { return opens_block_; }

 private:
  void step() {
    const QChar c = text_[at_];
    const bool begins = at_ == 0 || text_[at_ - 1].isSpace();
    if (c.isSpace()) {
      ++at_;
    } else if (c == u'#' && begins) {
      add(static_cast<int>(text_.size()), YamlTone::comment);
    } else if (c == u'"' || c == u'\'') {
      quoted(c);
    } else if (is_mark(c)) {
      mark(c);
    } else {
      plain();
    }
  }

  bool is_mark(QChar c) const {
    const bool ends_word = at_ + 1 >= text_.size() || text_[at_ + 1].isSpace();
    if (c == u'-' || c == u':' || c == u'?') return ends_word;
    if (c == u'|' || c == u'>') return !spans_.empty();
    return u"{}[],"_s.contains(c);
  }

  void mark(QChar c) {
    if (c == u'{' || c == u'[') ++flow_;
    if (c == u'}' || c == u']') flow_ = std::max(0, flow_ - 1);
    if ((c == u'|' || c == u'>') && flow_ == 0) opens_block_ = true;
    add(at_ + 1, YamlTone::punctuation);
  }

  void quoted(QChar quote) {
    int end = at_ + 1;
    while (end < text_.size() && text_[end] != quote) {
      end += text_[end] == u'\\' && quote == u'"' ? 2 : 1;
    }
    end = std::min(end + 1, static_cast<int>(text_.size()));
    add(end, is_key(end) ? YamlTone::key : YamlTone::text);
  }

  void plain() {
    int end = at_;
    while (end < text_.size() && !ends_plain(end)) ++end;
    int trimmed = end;
    while (trimmed > at_ + 1 && text_[trimmed - 1].isSpace()) --trimmed;
    const auto word = QStringView(text_).mid(at_, trimmed - at_);
    add(trimmed, is_key(end) ? YamlTone::key : tone_of(word));
  }

  bool ends_plain(int at) const {
    const QChar c = text_[at];
    if (flow_ > 0 && u",]}"_s.contains(c)) return true;
    if (c == u'#') return at > 0 && text_[at - 1].isSpace();
    return c == u':' && (at + 1 >= text_.size() || text_[at + 1].isSpace());
  }

  bool is_key(int end) const {
    while (end < text_.size() && text_[end].isSpace()) ++end;
    if (end >= text_.size() || text_[end] != u':') return false;
    return flow_ > 0 || end + 1 >= text_.size() || text_[end + 1].isSpace();
  }

  void add(int end, YamlTone tone) {
    spans_.push_back({at_, end - at_, tone});
    at_ = end;
  }

  const QString& text_;
  int at_;
  int flow_ = 0;  // brackets that are open
  bool opens_block_ = false;
  std::vector<YamlSpan> spans_;
};

}  // namespace

std::vector<YamlSpan> yaml_spans(const QString& line, int& block_indent) {
  const bool is_blank = line.trimmed().isEmpty();
  if (block_indent >= 0 && (is_blank || indent_of(line) > block_indent)) {
    if (is_blank) return {};
    return {{0, static_cast<int>(line.size()), YamlTone::text}};
  }
  block_indent = -1;
  Line reader(line);
  std::vector<YamlSpan> spans = reader.spans();
  if (reader.opens_block()) block_indent = indent_of(line);
  return spans;
}

int yaml_indent_after(const QString& line) {
  QString code = line;
  int block_indent = -1;
  for (const YamlSpan& span : yaml_spans(line, block_indent)) {
    if (span.tone == YamlTone::comment) code.truncate(span.start);
  }
  code = code.trimmed();
  const bool opens = code.endsWith(u':') || block_indent >= 0;
  return indent_of(line) + (opens ? 2 : 0);
}

}  // namespace dt::gui
