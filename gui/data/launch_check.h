// Asks the master what it thinks of a configuration while it is typed: ValidateConfig 300 ms after
// the last change, then PreviewSearch when it is valid. A newer text cancels what runs, so an answer
// always belongs to the text that was given last. The old answer stays until the new one is there.
// GUI thread only.
#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <QTimer>
#include <optional>
#include <vector>

#include "dovetail/v1/experiment.pb.h"
#include "gui/data/master.h"

namespace dt::gui {

struct ConfigProblem {
  int line = 0;  // from 1; 0: unknown
  QString path;  // "searcher.max_trials"
  QString message;
  QString value;
  QString hint;
  bool is_warning = false;
  bool operator==(const ConfigProblem&) const = default;
};

ConfigProblem problem_of(const v1::ConfigProblem& wire);
// A refusal of a call that is about the configuration: what it says line by line.
std::vector<ConfigProblem> problems_of(const Status& status);

class LaunchCheck : public QObject {
  Q_OBJECT

 public:
  enum class State {
    empty,     // there is no text
    checking,  // an answer is awaited
    invalid,
    valid,
    failed,  // the master could not be asked: see failure()
  };

  explicit LaunchCheck(Master& master, QObject* parent = nullptr);

  void set_input(const QString& config_yaml, const QStringList& overrides);
  void check_again();  // now

  State state() const { return state_; }
  const std::vector<ConfigProblem>& problems() const { return problems_; }  // errors, then warnings
  const QString& resolved_json() const { return resolved_json_; }           // of the last valid text
  const Status& failure() const { return failure_; }
  // Of the text as it is; nothing while it is not known. Its failure may be UNIMPLEMENTED.
  const std::optional<v1::PreviewSearchResponse>& preview() const { return preview_; }
  const Status& preview_failure() const { return preview_failure_; }

 Q_SIGNALS:
  void changed();

 private:
  void ask();
  void take(Result<v1::ValidateConfigResponse> answer);
  void ask_preview();
  void take_preview(Result<v1::PreviewSearchResponse> answer);
  void set_state(State state);

  Master& master_;
  QString config_yaml_;
  QStringList overrides_;
  State state_ = State::empty;
  std::vector<ConfigProblem> problems_;
  QString resolved_json_;
  Status failure_;
  std::optional<v1::PreviewSearchResponse> preview_;
  Status preview_failure_;
  QTimer ask_later_;
  Call asking_;
  Call previewing_;
};

}  // namespace dt::gui
