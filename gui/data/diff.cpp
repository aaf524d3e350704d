#include "gui/data/diff.h"

#include <algorithm>
#include <unordered_map>

#include "formats/json.h"

namespace dt::gui {
namespace {

QString member_path(const QString& path, const std::string& key) {
  QString name = QString::fromStdString(key);
  if (name.contains(QLatin1Char('.')) || name.isEmpty())
    name = QLatin1Char('"') + name + QLatin1Char('"');
  return path.isEmpty() ? name : path + QLatin1Char('.') + name;
}

bool is_plain(const Value& value) {
  if (value.is_object()) return value.as_object().empty();
  if (!value.is_array()) return true;
  const auto& items = value.as_array();
  return std::all_of(items.begin(), items.end(),
                     [](const Value& item) { return !item.is_object() && !item.is_array(); });
}

QString text_of(const Value& value) {
  if (value.is_string()) return QString::fromStdString(value.as_string());
  return QString::fromStdString(to_json(value));
}

void flatten(const Value& value, const QString& path, KeyedTexts& out) {
  if (is_plain(value)) {
    out.emplace_back(path, text_of(value));
  } else if (value.is_object()) {
    for (const auto& [key, member] : value.as_object())
      flatten(member, member_path(path, key), out);
  } else {
    std::size_t place = 0;
    for (const Value& item : value.as_array()) {
      flatten(item, QStringLiteral("%1[%2]").arg(path).arg(place++), out);
    }
  }
}

}  // namespace

KeyedTexts flattened(const Value& value) {
  KeyedTexts out;
  if (value.is_object() && value.as_object().empty()) return out;
  flatten(value, QString(), out);
  return out;
}

std::vector<DiffRow> diff_of(const std::vector<KeyedTexts>& things) {
  std::vector<DiffRow> rows;
  std::unordered_map<QString, std::size_t> places;
  for (std::size_t thing = 0; thing < things.size(); ++thing) {
    for (const auto& [key, value] : things[thing]) {
      const auto [place, is_new] = places.try_emplace(key, rows.size());
      if (is_new) {
        rows.push_back({key, std::vector<std::optional<QString>>(things.size()), false});
      }
      rows[place->second].values[thing] = value;
    }
  }
  for (DiffRow& row : rows) {
    row.differs = std::any_of(row.values.begin(), row.values.end(),
                              [&](const auto& value) { return value != row.values.front(); });
  }
  return rows;
}

}  // namespace dt::gui
