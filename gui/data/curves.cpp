#include "gui/data/curves.h"

#include <algorithm>

#include "dovetail/v1/metrics.grpc.pb.h"

namespace dt::gui {
namespace {

constexpr int growth_wait_ms = 200;  // many series grow at once
constexpr int zoom_wait_ms = 80;     // a pan changes the range at every move of the mouse
constexpr int again_after_ms = 5'000;
constexpr int series_a_request = 500;
constexpr int fewest_buckets = 200;
constexpr int most_buckets = 4000;

SeriesPoint point_from(const v1::Bucket& bucket) {
  return {.first_step = bucket.first_step(),
          .last_step = bucket.last_step(),
          .min = bucket.min(),
          .max = bucket.max(),
          .mean = bucket.mean(),
          .last = bucket.last(),
          .count = bucket.count(),
          .non_finite = bucket.non_finite(),
          .first_time_ms = bucket.first_time_ms(),
          .last_time_ms = bucket.last_time_ms()};
}

}  // namespace

Curves::Curves(Master& master, Live& live, QObject* parent) : QObject(parent), master_(master) {
  fetch_later_.setSingleShot(true);
  connect(&fetch_later_, &QTimer::timeout, this, &Curves::fetch_next);
  connect(&live, &Live::changed, this, &Curves::take_changes);
  connect(&live, &Live::reset, this, &Curves::reload);
}

void Curves::show_series(const std::vector<std::int64_t>& ids) {
  std::map<std::int64_t, Entry> kept;
  for (const std::int64_t id : ids) {
    const auto old = entries_.find(id);
    kept[id] = old == entries_.end() ? Entry() : std::move(old->second);
    if (range_ && kept[id].data.detail_range() != range_) wants_detail_ = true;
  }
  entries_ = std::move(kept);
  fetch_soon(0);
}

void Curves::show_range(std::optional<StepRange> range) {
  if (range_ == range) return;
  range_ = range;
  wants_detail_ = range.has_value();
  if (!range) {
    for (auto& [id, entry] : entries_) entry.data.drop_detail();
    Q_EMIT changed();
  }
  fetch_soon(zoom_wait_ms);
}

// Buckets are powers of two wide: only a much wider chart gains by asking again.
void Curves::set_pixels(int pixels) {
  const int wanted = std::clamp(pixels, fewest_buckets, most_buckets);
  if (wanted <= pixels_ && wanted * 2 > pixels_) return;
  const bool is_wider = wanted > pixels_;
  pixels_ = wanted;
  if (is_wider) reload();
}

void Curves::reload() {
  for (auto& [id, entry] : entries_) entry.wants_all = true;
  wants_detail_ = range_.has_value();
  fetch_soon(0);
}

const SeriesData* Curves::find(std::int64_t id) const {
  const auto it = entries_.find(id);
  return it == entries_.end() || !it->second.is_loaded ? nullptr : &it->second.data;
}

bool Curves::is_loaded() const {
  return std::all_of(entries_.begin(), entries_.end(),
                     [](const auto& entry) { return entry.second.is_loaded; });
}

void Curves::take_changes(const Changes& changes) {
  bool any = false;
  for (const v1::Change& change : changes) {
    if (change.kind() != "series") continue;
    const auto it = entries_.find(QByteArray::fromStdString(change.id()).toLongLong());
    if (it == entries_.end()) continue;
    it->second.has_grown = true;
    it->second.heard = change.points();
    any = true;
  }
  if (any) fetch_soon(growth_wait_ms);
}

void Curves::fetch_soon(int wait_ms) {
  if (is_fetching_) return;  // its answer asks on
  if (fetch_later_.isActive() && fetch_later_.remainingTime() <= wait_ms) return;
  fetch_later_.start(wait_ms);
}

void Curves::fetch_next() {
  if (is_fetching_) return;
  if (auto fetch = next_fetch()) start(std::move(*fetch));
}

// First what is not there at all, then what is looked at closely, then what grew.
std::optional<Curves::Fetch> Curves::next_fetch() {
  Fetch all{
      .kind = Fetch::Kind::all, .ids = {}, .from = {}, .to = {}, .buckets = pixels_, .heard = {}};
  for (const auto& [id, entry] : entries_) {
    if (entry.wants_all) all.ids.push_back(id);
  }
  if (!all.ids.empty()) return all;
  if (range_ && wants_detail_) {
    Fetch detail = all;
    detail.kind = Fetch::Kind::detail;
    detail.from = range_->from;
    detail.to = range_->to;
    for (const auto& [id, entry] : entries_) detail.ids.push_back(id);
    wants_detail_ = false;
    if (!detail.ids.empty()) return detail;
  }
  return tail_fetch();
}

// All from one step on: the earliest that one of them needs, moved back to where no bucket is cut.
std::optional<Curves::Fetch> Curves::tail_fetch() {
  Fetch tail{
      .kind = Fetch::Kind::tail, .ids = {}, .from = {}, .to = {}, .buckets = pixels_, .heard = {}};
  std::optional<std::int64_t> from;
  for (const auto& [id, entry] : entries_) {
    if (!entry.has_grown) continue;
    tail.ids.push_back(id);
    const std::int64_t start = entry.data.tail_start();
    if (!from || start < *from) from = start;
  }
  if (!from) return std::nullopt;
  for (bool moved = true; moved;) {
    moved = false;
    for (const std::int64_t id : tail.ids) {
      const std::int64_t start = entries_[id].data.tail_start(from);
      moved |= start < *from;
      from = std::min(*from, start);
    }
  }
  tail.from = from;
  return tail;
}

void Curves::start(Fetch fetch) {
  is_fetching_ = true;
  for (const std::int64_t id : fetch.ids) {
    Entry& entry = entries_[id];
    fetch.heard[id] = entry.heard;
    if (fetch.kind != Fetch::Kind::detail) entry.has_grown = false;
    if (fetch.kind == Fetch::Kind::all) entry.wants_all = false;
  }
  const auto work = [fetch](const client::Client& client,
                            const std::stop_token& stop) -> Result<Fetched> {
    Fetched fetched;
    for (std::size_t first = 0; first < fetch.ids.size(); first += series_a_request) {
      v1::GetSeriesRequest request;
      const std::size_t last = std::min(fetch.ids.size(), first + series_a_request);
      for (std::size_t i = first; i < last; ++i) request.add_series_ids(fetch.ids[i]);
      if (fetch.from) request.set_from_step(*fetch.from);
      if (fetch.to) request.set_to_step(*fetch.to);
      request.set_buckets(fetch.buckets);
      const auto got = TRY(client.call<v1::Metrics>(&v1::Metrics::Stub::GetSeries, request,
                                                    {.retry_unavailable = false, .stop = stop}));
      for (const v1::SeriesBuckets& series : got.series()) {
        SeriesPoints points;
        points.reserve(static_cast<std::size_t>(series.buckets_size()));
        for (const v1::Bucket& bucket : series.buckets()) points.push_back(point_from(bucket));
        fetched.emplace_back(series.series_id(), std::move(points));
      }
    }
    return fetched;
  };
  fetching_ = master_.run<Fetched>(
      work, [this, fetch](Result<Fetched> got) { take(fetch, std::move(got)); });
}

void Curves::take(const Fetch& fetch, Result<Fetched> got) {
  is_fetching_ = false;
  problem_ = got.status();
  if (!got.ok()) {  // a new connection asks again at once
    fetch_soon(again_after_ms);
    for (const std::int64_t id : fetch.ids) {
      const auto it = entries_.find(id);
      if (it == entries_.end()) continue;
      it->second.wants_all |= fetch.kind == Fetch::Kind::all;
      it->second.has_grown |= fetch.kind == Fetch::Kind::tail;
    }
    wants_detail_ |= fetch.kind == Fetch::Kind::detail;
    Q_EMIT changed();
    return;
  }
  for (auto& [id, points] : *got) {
    const auto it = entries_.find(id);
    if (it != entries_.end()) take_points(fetch, it->second, id, std::move(points));
  }
  Q_EMIT changed();
  fetch_soon(growth_wait_ms);
}

void Curves::take_points(const Fetch& fetch, Entry& entry, std::int64_t id, SeriesPoints points) {
  const auto heard = fetch.heard.find(id);
  const std::int64_t told = heard == fetch.heard.end() ? 0 : heard->second;
  switch (fetch.kind) {
    case Fetch::Kind::all:
      entry.data.replace(std::move(points));
      entry.is_loaded = true;
      entry.hidden = std::max<std::int64_t>(0, told - entry.data.count());
      return;
    case Fetch::Kind::detail:
      if (range_ && fetch.from == range_->from && fetch.to == range_->to) {
        entry.data.set_detail(*range_, std::move(points));
      }
      return;
    case Fetch::Kind::tail:
      entry.data.take_tail(*fetch.from, points);
      // Points before the tail are new (an older step was reported), or a new attempt hides some.
      if (entry.data.count() < told - entry.hidden) entry.wants_all = true;
      // Fine tails add up; once there are too many, the whole is asked for in even buckets.
      if (entry.data.overview().size() > 2 * static_cast<std::size_t>(pixels_))
        entry.wants_all = true;
      return;
  }
}

}  // namespace dt::gui
