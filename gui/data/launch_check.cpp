#include "gui/data/launch_check.h"

#include <QRegularExpression>
#include <chrono>

#include "dovetail/v1/experiment.grpc.pb.h"

namespace dt::gui {
namespace {

using namespace Qt::StringLiterals;

constexpr std::chrono::milliseconds typing_pause{300};

QString text(const std::string& words) { return QString::fromStdString(words); }

template <class Request>
Request request_of(const QString& config_yaml, const QStringList& overrides) {
  Request request;
  request.set_config_yaml(config_yaml.toStdString());
  for (const QString& override_text : overrides) request.add_overrides(override_text.toStdString());
  return request;
}

}  // namespace

ConfigProblem problem_of(const v1::ConfigProblem& wire) {
  return {.line = wire.line(),
          .path = text(wire.path()),
          .message = text(wire.message()),
          .value = text(wire.value()),
          .hint = text(wire.hint())};
}

std::vector<ConfigProblem> problems_of(const Status& status) {
  static const QRegularExpression numbered(u"^line (\\d+): (.*)$"_s);
  const QStringList lines = text(status.message()).split(u'\n');
  std::vector<ConfigProblem> problems;
  for (const QString& line : lines) {
    const auto match = numbered.match(line);
    const bool is_numbered = match.hasMatch();
    problems.push_back({.line = is_numbered ? match.captured(1).toInt() : 0,
                        .message = is_numbered ? match.captured(2) : line});
  }
  ConfigProblem& first = problems.front();  // the detail is the first one's
  const Detail& detail = status.detail();
  if (first.line == 0) first.line = detail.line;
  first.path = text(detail.path);
  first.value = text(detail.value);
  first.hint = text(detail.hint);
  return problems;
}

LaunchCheck::LaunchCheck(Master& master, QObject* parent) : QObject(parent), master_(master) {
  ask_later_.setSingleShot(true);
  ask_later_.setInterval(typing_pause);
  connect(&ask_later_, &QTimer::timeout, this, &LaunchCheck::ask);
}

void LaunchCheck::set_input(const QString& config_yaml, const QStringList& overrides) {
  if (config_yaml == config_yaml_ && overrides == overrides_) return;
  config_yaml_ = config_yaml;
  overrides_ = overrides;
  asking_.cancel();
  previewing_.cancel();
  if (config_yaml_.trimmed().isEmpty()) {
    ask_later_.stop();
    problems_.clear();
    preview_.reset();
    set_state(State::empty);
    return;
  }
  ask_later_.start();
  set_state(State::checking);
}

void LaunchCheck::check_again() {
  if (state_ == State::empty) return;
  ask_later_.stop();
  ask();
}

void LaunchCheck::ask() {
  previewing_.cancel();
  asking_ = master_.call<v1::Experiments>(
      &v1::Experiments::Stub::ValidateConfig,
      request_of<v1::ValidateConfigRequest>(config_yaml_, overrides_),
      [this](Result<v1::ValidateConfigResponse> answer) { take(std::move(answer)); });
  set_state(State::checking);
}

void LaunchCheck::take(Result<v1::ValidateConfigResponse> answer) {
  failure_ = answer.ok() ? Status() : answer.status();
  if (!answer.ok()) return set_state(State::failed);
  problems_.clear();
  for (const v1::ConfigProblem& error : answer->errors()) problems_.push_back(problem_of(error));
  for (const std::string& warning : answer->warnings()) {
    problems_.push_back({.message = text(warning), .is_warning = true});
  }
  if (!answer->errors().empty()) {
    preview_.reset();
    return set_state(State::invalid);
  }
  resolved_json_ = text(answer->resolved_json());
  set_state(State::valid);
  ask_preview();
}

void LaunchCheck::ask_preview() {
  previewing_ = master_.call<v1::Experiments>(
      &v1::Experiments::Stub::PreviewSearch,
      request_of<v1::PreviewSearchRequest>(config_yaml_, overrides_),
      [this](Result<v1::PreviewSearchResponse> answer) { take_preview(std::move(answer)); });
}

void LaunchCheck::take_preview(Result<v1::PreviewSearchResponse> answer) {
  preview_failure_ = answer.ok() ? Status() : answer.status();
  preview_.reset();
  if (answer.ok() && answer->errors().empty()) preview_ = std::move(answer).value();
  Q_EMIT changed();
}

void LaunchCheck::set_state(State state) {
  state_ = state;
  Q_EMIT changed();
}

}  // namespace dt::gui
