// Submits what the launch page holds: packs and uploads the folder on a worker thread, then creates
// the experiment. Until the last step it can be cancelled. A second try of the same draft after a lost
// answer carries the same request id, so it makes no second experiment. GUI thread only.
#pragma once

#include <QObject>
#include <QTimer>
#include <atomic>
#include <memory>
#include <optional>

#include "client/context.h"
#include "dovetail/v1/experiment.pb.h"
#include "gui/data/launch_draft.h"
#include "gui/data/master.h"

namespace dt::gui {

// Written by the worker, read by the window's timer.
struct UploadMeter {
  std::atomic<bool> is_uploading{false};  // else packing
  std::atomic<std::int64_t> done_bytes{0};
  std::atomic<std::int64_t> total_bytes{0};
};

class LaunchSubmit : public QObject {
  Q_OBJECT

 public:
  enum class Step { idle, packing, uploading, creating };

  explicit LaunchSubmit(Master& master, QObject* parent = nullptr);

  void start(const LaunchDraft& draft);
  void cancel();  // does nothing once the experiment is being created

  Step step() const { return step_; }
  bool is_running() const { return step_ != Step::idle; }
  bool can_cancel() const { return step_ == Step::packing || step_ == Step::uploading; }
  double fraction() const;  // of the step; 0…1
  std::int64_t total_bytes() const { return meter_ ? meter_->total_bytes.load() : 0; }

 Q_SIGNALS:
  void changed();
  void created(std::int64_t experiment_id, const QStringList& warnings);
  // `is_context`: the folder is at fault, else the configuration or the master.
  void failed(const dt::Status& status, bool is_context);

 private:
  struct Source {
    std::string context_hash;
    v1::Provenance provenance;
  };

  void collect();
  void create(const Source& source);
  void fail(const Status& status, bool is_context);
  void set_step(Step step);
  void read_meter();
  const std::string& request_id(const std::string& context_hash);

  Master& master_;
  LaunchDraft draft_;
  Step step_ = Step::idle;
  std::shared_ptr<UploadMeter> meter_;
  QTimer read_meter_;
  Call uploading_;
  Call creating_;

  struct Sent {  // what the last request id stood for
    LaunchDraft draft;
    std::string context_hash;
    std::string request_id;
  };
  std::optional<Sent> sent_;
};

}  // namespace dt::gui
