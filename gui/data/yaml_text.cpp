#include "gui/data/yaml_text.h"

#include <QRegularExpression>

#include "formats/json.h"

namespace dt::gui {
namespace {

using namespace Qt::StringLiterals;

// Words that need no quotes: nothing in them means anything to YAML, and they are no number or bool.
bool is_plain(const QString& text) {
  static const QRegularExpression word(u"^[A-Za-z_/][A-Za-z0-9_./=+-]*( [A-Za-z0-9_./=+-]+)*$"_s);
  static const QRegularExpression meaning(
      u"^(true|false|null|yes|no|on|off|y|n|nan|inf|infinity)$"_s,
      QRegularExpression::CaseInsensitiveOption);
  return word.match(text).hasMatch() && !meaning.match(text).hasMatch();
}

QString scalar(const Value& value) {
  if (value.is_string()) {
    const QString text = QString::fromStdString(value.as_string());
    if (is_plain(text)) return text;
  }
  return QString::fromStdString(to_json(value));  // JSON is YAML
}

bool is_block(const Value& value) {
  return (value.is_object() && !value.as_object().empty()) ||
         (value.is_array() && !value.as_array().empty());
}

bool is_short_list(const Value& value) {
  if (!value.is_array() || value.as_array().size() > 8) return false;
  for (const Value& item : value.as_array()) {
    if (item.is_object() || item.is_array()) return false;
  }
  return true;
}

QString flow(const Value& list) {
  QStringList items;
  for (const Value& item : list.as_array()) items += scalar(item);
  return u'[' + items.join(u", "_s) + u']';
}

void write(const Value& value, int indent, QString& out);

// What follows "key:" or "-", with the line's end.
void write_member(const Value& value, int indent, QString& out) {
  if (is_short_list(value)) {
    out += u' ' + flow(value) + u'\n';
  } else if (is_block(value)) {
    out += u'\n';
    write(value, indent + 2, out);
  } else {
    out += u' ' + scalar(value) + u'\n';
  }
}

void write(const Value& value, int indent, QString& out) {
  const QString margin(indent, u' ');
  if (value.is_object()) {
    for (const auto& [key, member] : value.as_object()) {
      out += margin + scalar(Value(key)) + u':';
      write_member(member, indent, out);
    }
  } else {
    for (const Value& item : value.as_array()) {
      out += margin + u'-';
      write_member(item, indent, out);
    }
  }
}

}  // namespace

QString to_yaml(const Value& value) {
  if (!is_block(value)) return scalar(value) + u'\n';
  QString text;
  write(value, 0, text);
  return text;
}

}  // namespace dt::gui
