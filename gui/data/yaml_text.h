// A value as YAML in block style, as people write configurations; parse_yaml() reads it back. Pure.
#pragma once

#include <QString>

#include "base/value.h"

namespace dt::gui {

QString to_yaml(const Value& value);

}  // namespace dt::gui
