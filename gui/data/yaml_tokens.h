// What each part of a line of YAML is, for colouring while it is typed: a quick look at one line, not
// a parser. Text that YAML would refuse still gets its spans; what it means is ValidateConfig's word.
// Pure.
#pragma once

#include <QString>
#include <vector>

namespace dt::gui {

enum class YamlTone { key, text, number, constant, comment, punctuation };

struct YamlSpan {
  int start = 0;
  int length = 0;
  YamlTone tone = YamlTone::text;
  bool operator==(const YamlSpan&) const = default;
};

// `block_indent` goes from line to line, −1 for the first: the indentation of the key whose “|” or
// “>” text goes on, else −1.
std::vector<YamlSpan> yaml_spans(const QString& line, int& block_indent);

// The indentation a new line under this one should have; two more after “key:”.
int yaml_indent_after(const QString& line);

}  // namespace dt::gui
