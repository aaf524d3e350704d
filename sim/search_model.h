// A second opinion on what a search asks for: how many trials it wants and which it stops, told by
// the rules of docs/decisions/0003 and not by core/search. Knows the methods that are not a matter
// of chance in this respect; of others it says so. Pure.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>

#include "base/value.h"

namespace dt::sim {

class SearchModel {
 public:
  virtual ~SearchModel() = default;
  // An event as the search's log has it.
  void hear(const Value& event);

  int created() const { return created_; }
  const std::set<std::int64_t>& stopped() const { return stopped_; }
  bool is_done() const { return created_ > 0 && closed_ == created_; }

  // Null: there is no model of this method. `can_vary`: its space has more than one point.
  static std::unique_ptr<SearchModel> of(const Value& searcher, bool can_vary,
                                         std::int64_t grid_points);

 protected:
  virtual void start() = 0;
  virtual void validation(std::int64_t trial, double metric, std::int64_t time) = 0;
  virtual void exited(std::int64_t trial, const std::string& reason) = 0;

  int created_ = 0;
  std::set<std::int64_t> stopped_;

 private:
  int closed_ = 0;
  std::set<std::int64_t> over_;
};

}  // namespace dt::sim
