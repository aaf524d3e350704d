#include "gui/data/experiments.h"

#include <chrono>
#include <utility>

#include "dovetail/v1/experiment.grpc.pb.h"

namespace dt::gui {
namespace {

using Rows = std::vector<ExperimentRow>;

constexpr std::chrono::milliseconds ask_every{250};
constexpr int page_size = 1000;
constexpr std::size_t asked_one_by_one = 8;  // more changed at once: one list costs less

Result<v1::ListExperimentsResponse> list_page(const client::Client& client,
                                              const std::string& token, std::stop_token stop) {
  v1::ListExperimentsRequest request;
  request.mutable_page()->set_size(page_size);
  request.mutable_page()->set_token(token);
  request.set_archived(true);
  return client.call<v1::Experiments>(&v1::Experiments::Stub::ListExperiments, request,
                                      {.retry_unavailable = false, .stop = std::move(stop)});
}

Result<Rows> list_all(const client::Client& client, const std::stop_token& stop) {
  Rows rows;
  std::string token;
  do {
    const v1::ListExperimentsResponse page = TRY(list_page(client, token, stop));
    for (const v1::Experiment& experiment : page.experiments()) rows.push_back(row_of(experiment));
    token = page.next_page_token();
  } while (!token.empty() && !stop.stop_requested());
  return rows;
}

}  // namespace

ExperimentFeed::ExperimentFeed(Master& master, Live& live, QObject* parent)
    : QObject(parent), master_(master) {
  ask_later_.setSingleShot(true);
  connect(&ask_later_, &QTimer::timeout, this, &ExperimentFeed::ask);
  connect(&live, &Live::reset, this, &ExperimentFeed::reload);
  connect(&live, &Live::changed, this, &ExperimentFeed::take_changes);
}

Result<ExperimentFeed::News> ExperimentFeed::get_some(const client::Client& client,
                                                      const std::set<std::int64_t>& ids,
                                                      const std::stop_token& stop) {
  News news;
  for (const std::int64_t id : ids) {
    v1::GetExperimentRequest request;
    request.set_id(id);
    auto got = client.call<v1::Experiments>(&v1::Experiments::Stub::GetExperiment, request,
                                            {.retry_unavailable = false, .stop = stop});
    if (got.status().code() == Code::not_found) {
      news.gone.push_back(id);
    } else {
      news.rows.push_back(row_of(TRY(std::move(got)).experiment()));
    }
  }
  return news;
}

std::vector<ExperimentRow> ExperimentFeed::rows() const {
  Rows rows;
  rows.reserve(rows_.size());
  for (const auto& [id, row] : rows_) rows.push_back(row);
  return rows;
}

const ExperimentRow* ExperimentFeed::find(std::int64_t id) const {
  const auto found = rows_.find(id);
  return found == rows_.end() ? nullptr : &found->second;
}

void ExperimentFeed::reload() {
  listing_ = master_.run<Rows>(list_all, [this](Result<Rows> got) { take_list(std::move(got)); });
}

void ExperimentFeed::ask_for(std::int64_t id) {
  asked_.insert(id);
  if (!is_asking_ && !ask_later_.isActive()) ask_later_.start(ask_every);
}

void ExperimentFeed::take_changes(const Changes& changes) {
  for (const v1::Change& change : changes) {
    if (change.experiment_id() != 0 && change.kind() != "series") ask_for(change.experiment_id());
  }
}

void ExperimentFeed::ask() {
  const std::set<std::int64_t> ids = std::exchange(asked_, {});
  if (ids.empty()) return;
  is_asking_ = true;
  if (ids.size() > asked_one_by_one) {
    asking_ = master_.run<Rows>(list_all, [this](Result<Rows> got) {
      take_list(std::move(got));
      go_on();
    });
    return;
  }
  asking_ = master_.run<News>([ids](const client::Client& client,
                                    std::stop_token stop) { return get_some(client, ids, stop); },
                              [this](Result<News> got) { take_some(std::move(got)); });
}

void ExperimentFeed::take_list(Result<Rows> got) {
  problem_ = got.status();
  if (got.ok()) {
    keep(*got);
    std::map<std::int64_t, ExperimentRow, std::greater<>> fresh;
    for (ExperimentRow& row : *got) fresh.emplace(row.id, std::move(row));
    rows_ = std::move(fresh);
    is_loaded_ = true;
  }
  Q_EMIT loaded();
}

void ExperimentFeed::take_some(Result<News> got) {
  if (got.ok()) {  // else the connection is lost, and reset() comes with the next one
    keep(got->rows);
    std::size_t gone = 0;
    for (const std::int64_t id : got->gone) gone += rows_.erase(id);
    if (gone > 0) {
      Q_EMIT loaded();
    } else {
      Q_EMIT changed(got->rows);
    }
  }
  go_on();
}

void ExperimentFeed::go_on() {
  is_asking_ = false;
  if (!asked_.empty()) ask_later_.start(ask_every);
}

void ExperimentFeed::keep(const Rows& rows) {
  for (const ExperimentRow& row : rows) {
    const auto known = rows_.find(row.id);
    const bool was_alive = known != rows_.end() && !is_over(known->second.state);
    rows_[row.id] = row;
    if (was_alive && is_over(row.state)) Q_EMIT ended(row);
  }
}

}  // namespace dt::gui
