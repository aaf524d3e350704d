// How well a few typed letters name a thing: all must occur in order, and beginnings of words,
// letters side by side and short names count more. Pure; any thread.
#pragma once

#include <QString>
#include <optional>

namespace dt::gui {

// Larger is better; nothing: the letters do not occur. An empty pattern fits everything equally.
std::optional<int> fuzzy_score(const QString& pattern, const QString& text);

}  // namespace dt::gui
