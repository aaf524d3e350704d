// Colours YAML by yaml_spans(), in the colours of the theme. GUI thread only.
#pragma once

#include <QSyntaxHighlighter>

namespace dt::gui {

class YamlHighlighter : public QSyntaxHighlighter {
 public:
  using QSyntaxHighlighter::QSyntaxHighlighter;

 protected:
  void highlightBlock(const QString& text) override;
};

}  // namespace dt::gui
