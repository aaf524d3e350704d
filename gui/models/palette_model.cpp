#include "gui/models/palette_model.h"

#include <algorithm>
#include <utility>

#include "gui/data/fuzzy.h"

namespace dt::gui {
namespace {

constexpr std::size_t most_shown = 50;

std::optional<int> score_of(const PaletteEntry& entry, const QString& pattern) {
  const std::optional<int> title = fuzzy_score(pattern, entry.title);
  if (title) return *title + entry.rank;
  const std::optional<int> both =
      fuzzy_score(pattern, entry.title + QLatin1Char(' ') + entry.detail);
  if (both) return *both / 2 + entry.rank;
  return std::nullopt;
}

}  // namespace

void PaletteModel::set_entries(std::vector<PaletteEntry> entries) {
  entries_ = std::move(entries);
  set_pattern(pattern_);
}

void PaletteModel::set_pattern(const QString& pattern) {
  pattern_ = pattern;
  std::vector<std::pair<int, std::size_t>> scored;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (const auto score = score_of(entries_[i], pattern)) scored.emplace_back(-*score, i);
  }
  const std::size_t count = std::min(most_shown, scored.size());
  std::partial_sort(scored.begin(), scored.begin() + static_cast<std::ptrdiff_t>(count),
                    scored.end());
  beginResetModel();
  shown_.clear();
  for (std::size_t i = 0; i < count; ++i) shown_.push_back(scored[i].second);
  endResetModel();
}

const PaletteEntry* PaletteModel::entry(int row) const {
  if (row < 0 || row >= rowCount()) return nullptr;
  return &entries_[shown_[static_cast<std::size_t>(row)]];
}

int PaletteModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(shown_.size());
}

QVariant PaletteModel::data(const QModelIndex& index, int role) const {
  const PaletteEntry* found = entry(index.row());
  if (found == nullptr) return {};
  switch (role) {
    case Qt::DisplayRole: return found->title;
    case detail_role: return found->detail;
    case key_text_role: return found->key;
    case icon_role: return static_cast<int>(found->icon);
    default: return {};
  }
}

}  // namespace dt::gui
