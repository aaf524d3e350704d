// What differs between several things that are described by keys and values: configurations,
// flattened, or facts of provenance. Pure.
#pragma once

#include <QString>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/value.h"

namespace dt::gui {

using KeyedTexts =
    std::vector<std::pair<QString, QString>>;  // in the order in which they are shown

struct DiffRow {
  QString key;
  std::vector<std::optional<QString>> values;  // a thing each; nothing: it has no such key
  bool differs = false;
  bool operator==(const DiffRow&) const = default;
};

// "searcher.max_trials" → "16"; a list of plain values is one line, of maps an index each:
// "a[0].b". Keys with dots are quoted, as a configuration's path writes them.
KeyedTexts flattened(const Value& value);

// Every key of any of them, in the order of first appearance.
std::vector<DiffRow> diff_of(const std::vector<KeyedTexts>& things);

}  // namespace dt::gui
