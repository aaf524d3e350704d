// The curves of some series, kept as the master has them: fetched in buckets as wide as a pixel, in
// finer ones where somebody zooms in, and from where they grew when Watch says so. One request is
// on its way at a time and asks for many series. After a reconnect all is fetched again, and what
// was there stays until it is replaced. GUI thread only.
#pragma once

#include <QObject>
#include <QTimer>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "gui/data/live.h"
#include "gui/data/series_points.h"

namespace dt::gui {

class Curves : public QObject {
  Q_OBJECT

 public:
  Curves(Master& master, Live& live, QObject* parent = nullptr);

  // These series and no others; what is known of them already is kept.
  void show_series(const std::vector<std::int64_t>& ids);
  // Finer buckets within these steps; nothing: no more than the whole.
  void show_range(std::optional<StepRange> range);
  void set_pixels(int pixels);
  // The trial's earlier points may be hidden by a new attempt: all of it once more.
  void reload();

  // Null: none of its points has arrived yet.
  const SeriesData* find(std::int64_t id) const;
  bool is_loaded() const;  // of all series that are shown
  const Status& problem() const { return problem_; }

 Q_SIGNALS:
  void changed();  // points or problem()

 private:
  struct Entry {
    SeriesData data;
    bool is_loaded = false;
    bool wants_all = true;
    bool has_grown = false;
    std::int64_t heard = 0;   // points that Watch told of
    std::int64_t hidden = 0;  // of them those that a later attempt hides
  };
  struct Fetch {
    enum class Kind { all, tail, detail };
    Kind kind = Kind::all;
    std::vector<std::int64_t> ids;
    std::optional<std::int64_t> from;
    std::optional<std::int64_t> to;
    int buckets = 0;
    std::map<std::int64_t, std::int64_t> heard;  // when it was asked
  };
  using Fetched = std::vector<std::pair<std::int64_t, SeriesPoints>>;

  void take_changes(const Changes& changes);
  void fetch_soon(int wait_ms);
  void fetch_next();
  std::optional<Fetch> next_fetch();
  std::optional<Fetch> tail_fetch();
  void start(Fetch fetch);
  void take(const Fetch& fetch, Result<Fetched> got);
  void take_points(const Fetch& fetch, Entry& entry, std::int64_t id, SeriesPoints points);

  Master& master_;
  std::map<std::int64_t, Entry> entries_;
  std::optional<StepRange> range_;
  bool wants_detail_ = false;
  int pixels_ = 800;
  bool is_fetching_ = false;
  Call fetching_;
  QTimer fetch_later_;
  Status problem_;
};

}  // namespace dt::gui
