#include "bench/search_tables.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <sstream>

#include "base/number.h"
#include "base/rng.h"
#include "formats/json.h"

namespace dt::bench {

namespace {

constexpr double worst = 1e300;

struct Table {
  std::string name;
  std::vector<std::vector<double>> points;  // by configuration: axes scaled to [0, 1]
  std::vector<std::vector<double>> curves;  // by configuration: the loss before step 1, after it, …
  double best = 0;
  double median = 0;
};

// The file has bare NaN and Infinity, which are no JSON.
std::string with_quoted_numbers(const std::string& text) {
  std::string quoted;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool number = text.compare(i, 3, "NaN") == 0 || text.compare(i, 8, "Infinity") == 0;
    if (!number) {
      quoted += text[i];
      continue;
    }
    const std::string word = text[i] == 'N' ? "NaN" : "Infinity";
    const bool negative = !quoted.empty() && quoted.back() == '-';
    if (negative) quoted.pop_back();
    quoted += cat('"', negative ? "-" : "", word, '"');
    i += word.size() - 1;
  }
  return quoted;
}

// Most parameters spread over powers of ten; beta1 and beta2 do so in their distance from 1.
double coordinate(const std::string& name, double value) {
  const bool near_one = name.starts_with("beta");
  return std::log10(std::max(near_one ? 1 - value : value, 1e-12));
}

void scale_axes(std::vector<std::vector<double>>& points) {
  for (std::size_t axis = 0; axis < points.front().size(); ++axis) {
    double low = worst, high = -worst;
    for (const auto& point : points) {
      low = std::min(low, point[axis]);
      high = std::max(high, point[axis]);
    }
    for (auto& point : points) point[axis] = high > low ? (point[axis] - low) / (high - low) : 0.5;
  }
}

void note_scale(Table& table) {
  std::vector<double> last;
  for (const auto& curve : table.curves) {
    last.push_back(std::isfinite(curve.back()) ? curve.back() : worst);
  }
  std::sort(last.begin(), last.end());
  table.best = last.front();
  table.median = last[last.size() / 2];
}

Result<Table> table_of(const std::filesystem::path& file) {
  std::ifstream input(file);
  std::stringstream text;
  text << input.rdbuf();
  const Value rows = TRY(parse_json(with_quoted_numbers(text.str())));
  Table table{.name = file.stem().string()};
  for (const Value& row : rows.as_array()) {
    std::vector<double> point, curve;
    for (const auto& [name, value] : row["hp"].as_object()) {
      point.push_back(coordinate(name, value.as_double()));
    }
    const Value& losses = row[row.find("valid") ? "valid" : "train"]["loss"];
    for (const Value& loss : losses.as_array()) curve.push_back(number_of(loss).value_or(worst));
    table.points.push_back(std::move(point));
    table.curves.push_back(std::move(curve));
  }
  if (table.points.empty()) return invalid_argument(file.string(), " has no configuration");
  scale_axes(table.points);
  note_scale(table);
  return table;
}

class TableCourse : public Course {
 public:
  TableCourse(const Table& table, int seed)
      : table_(table), order_(table.points.size()), taken_(table.points.size()) {
    std::iota(order_.begin(), order_.end(), 0);
    Rng rng(static_cast<std::uint64_t>(seed));
    for (std::size_t left = order_.size(); left > 1; --left) {
      const std::int64_t other = rng.between(0, static_cast<std::int64_t>(left) - 1);
      std::swap(order_[left - 1], order_[static_cast<std::size_t>(other)]);
    }
  }

  int add(const std::vector<double>& point) override {
    VERIFY(chosen_.size() < order_.size(), "more trials than configurations");
    chosen_.push_back(point.empty() ? order_[chosen_.size()] : nearest(point));
    taken_[chosen_.back()] = true;
    return static_cast<int>(chosen_.size()) - 1;
  }

  double loss(int trial, int step) override {
    return table_
        .curves[chosen_.at(static_cast<std::size_t>(trial))][static_cast<std::size_t>(step)];
  }

 private:
  std::size_t nearest(const std::vector<double>& wanted) const {
    std::size_t best = 0;
    double least = worst;
    for (std::size_t i = 0; i < table_.points.size(); ++i) {
      if (taken_[i]) continue;
      double distance = 0;
      for (std::size_t axis = 0; axis < wanted.size(); ++axis) {
        const double gap = table_.points[i][axis] - wanted[axis];
        distance += gap * gap;
      }
      if (distance < least) best = i, least = distance;
    }
    return best;
  }

  const Table& table_;
  std::vector<std::size_t> order_;
  std::vector<bool> taken_;
  std::vector<std::size_t> chosen_;  // by trial
};

class TableProblem : public Problem {
 public:
  explicit TableProblem(Table table) : table_(std::move(table)) {}

  std::string name() const override { return table_.name; }
  int steps() const override { return static_cast<int>(table_.curves.front().size()) - 1; }
  int axes() const override { return static_cast<int>(table_.points.front().size()); }
  int most_trials() const override { return static_cast<int>(table_.points.size()); }
  double best() const override { return table_.best; }
  double median() const override { return table_.median; }
  std::unique_ptr<Course> begin(int seed) const override {
    return std::make_unique<TableCourse>(table_, seed);
  }

 private:
  Table table_;
};

}  // namespace

Result<Problems> load_tables(const std::string& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  if (files.empty()) return not_found("no *.json file in ", folder);
  std::sort(files.begin(), files.end());
  Problems tables;
  for (const auto& file : files) {
    tables.push_back(std::make_unique<TableProblem>(TRY(table_of(file))));
  }
  return tables;
}

}  // namespace dt::bench
