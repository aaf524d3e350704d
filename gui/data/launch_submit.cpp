#include "gui/data/launch_submit.h"

#include <QCoreApplication>
#include <QStringList>
#include <chrono>

#include "base/version.h"
#include "client/provenance.h"
#include "dovetail/v1/experiment.grpc.pb.h"

namespace dt::gui {
namespace {

constexpr std::chrono::milliseconds meter_every{50};

client::ContextOptions options_of(const std::shared_ptr<UploadMeter>& meter, std::stop_token stop) {
  const auto write = [meter](const client::ContextProgress& progress) {
    meter->is_uploading = progress.phase == client::ContextProgress::Phase::uploading;
    meter->total_bytes = progress.total_bytes;
    meter->done_bytes = progress.done_bytes;
  };
  return {.on_progress = write, .stop = std::move(stop)};
}

client::ProvenanceQuestion question_of(const std::string& folder) {
  std::vector<std::string> command;
  for (const QString& word : QCoreApplication::arguments()) command.push_back(word.toStdString());
  return {.folder = folder, .command = std::move(command), .client = cat("dt-gui ", version)};
}

}  // namespace

LaunchSubmit::LaunchSubmit(Master& master, QObject* parent) : QObject(parent), master_(master) {
  read_meter_.setInterval(meter_every);
  connect(&read_meter_, &QTimer::timeout, this, &LaunchSubmit::read_meter);
}

void LaunchSubmit::start(const LaunchDraft& draft) {
  if (is_running()) return;
  draft_ = draft;
  collect();
}

// What takes a disk, git or the network: the folder's hash, and where the code came from.
void LaunchSubmit::collect() {
  meter_ = std::make_shared<UploadMeter>();
  const std::string folder = draft_.context_folder.toStdString();
  const std::string inherited = draft_.parent ? draft_.parent->context_hash.toStdString() : "";
  uploading_ = master_.run<Source>(
      [folder, inherited, question = question_of(folder), meter = meter_](
          const client::Client& client, std::stop_token stop) -> Result<Source> {
        Source source{.context_hash = inherited, .provenance = client::provenance_of(question)};
        if (folder.empty()) return source;
        source.context_hash =
            TRY(client::upload_context(client, folder, options_of(meter, std::move(stop))));
        return source;
      },
      [this](Result<Source> source) {
        if (source.ok()) return create(*source);
        const bool is_away = source.status().code() == Code::unavailable;
        fail(source.status(), !is_away);
      });
  read_meter_.start();
  set_step(Step::packing);
}

void LaunchSubmit::create(const Source& source) {
  v1::CreateExperimentRequest request;
  request.set_request_id(request_id(source.context_hash));
  *request.mutable_provenance() = source.provenance;
  request.set_config_yaml(draft_.config_yaml.toStdString());
  request.set_context_hash(source.context_hash);
  request.set_paused(draft_.is_paused);
  for (const QString& text : override_texts(draft_.overrides)) {
    request.add_overrides(text.toStdString());
  }
  if (draft_.parent) request.set_forked_from(draft_.parent->experiment_id);
  read_meter_.stop();
  set_step(Step::creating);
  creating_ = master_.call<v1::Experiments>(
      &v1::Experiments::Stub::CreateExperiment, std::move(request),
      [this](Result<v1::CreateExperimentResponse> answer) {
        if (!answer.ok()) return fail(answer.status(), false);
        sent_.reset();
        set_step(Step::idle);
        QStringList warnings;
        for (const std::string& w : answer->warnings()) warnings += QString::fromStdString(w);
        Q_EMIT created(answer->experiment_id(), warnings);
      });
}

const std::string& LaunchSubmit::request_id(const std::string& context_hash) {
  const bool is_repeat = sent_ && sent_->draft == draft_ && sent_->context_hash == context_hash;
  if (!is_repeat) sent_ = Sent{draft_, context_hash, client::new_request_id()};
  return sent_->request_id;
}

void LaunchSubmit::cancel() {
  if (!can_cancel()) return;
  uploading_.cancel();
  read_meter_.stop();
  set_step(Step::idle);
}

void LaunchSubmit::fail(const Status& status, bool is_context) {
  read_meter_.stop();
  set_step(Step::idle);
  Q_EMIT failed(status, is_context);
}

double LaunchSubmit::fraction() const {
  const std::int64_t total = total_bytes();
  if (total <= 0) return 0;
  return static_cast<double>(meter_->done_bytes.load()) / static_cast<double>(total);
}

void LaunchSubmit::read_meter() {
  const bool is_uploading = step_ == Step::packing && meter_->is_uploading;
  if (is_uploading) step_ = Step::uploading;
  Q_EMIT changed();
}

void LaunchSubmit::set_step(Step step) {
  step_ = step;
  Q_EMIT changed();
}

}  // namespace dt::gui
