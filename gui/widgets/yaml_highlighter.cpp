#include "gui/widgets/yaml_highlighter.h"

#include "gui/data/yaml_tokens.h"
#include "gui/widgets/theme.h"

namespace dt::gui {
namespace {

// Beside the theme's own: two more that read well on a surface, light and dark.
QColor string_color() { return theme().is_dark ? QColor(0x8fd19e) : QColor(0x1c6b3a); }
QColor number_color() { return theme().is_dark ? QColor(0xf0b37e) : QColor(0x94500a); }

QTextCharFormat format_of(YamlTone tone) {
  QTextCharFormat format;
  switch (tone) {
    case YamlTone::key: format.setForeground(theme().accent); break;
    case YamlTone::text: format.setForeground(string_color()); break;
    case YamlTone::number:
    case YamlTone::constant: format.setForeground(number_color()); break;
    case YamlTone::comment:
      format.setForeground(theme().faint);
      format.setFontItalic(true);
      break;
    case YamlTone::punctuation: format.setForeground(theme().faint); break;
  }
  return format;
}

}  // namespace

void YamlHighlighter::highlightBlock(const QString& text) {
  int block_indent = previousBlockState();
  for (const YamlSpan& span : yaml_spans(text, block_indent)) {
    setFormat(span.start, span.length, format_of(span.tone));
  }
  setCurrentBlockState(block_indent);
}

}  // namespace dt::gui
