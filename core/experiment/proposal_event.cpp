#include "core/experiment/proposal_event.h"

#include "base/overload.h"
#include "core/model/limits.h"
#include "core/search/snapshot.h"

namespace dt::core {
namespace {

Value event_of(const char* kind) { return Value::Object{{"event", "proposed"}, {"kind", kind}}; }

Value event_of(const char* kind, SearchTrial trial) {
  Value event = event_of(kind);
  event.set("trial", trial);
  return event;
}

Result<SearchTrial> trial_in(const Value& event, const char* key) {
  return snapshot_int(event, key, 0, max_trials_limit);
}

}  // namespace

Value proposal_event(const Proposal& proposal) {
  return std::visit(Overload{
                        [](const ProposeTrial& propose) {
                          Value event = event_of("create");
                          event.set("hparams", propose.hparams);
                          if (propose.parent) event.set("from", *propose.parent);
                          return event;
                        },
                        [](const StopTrial& stop) { return event_of("stop", stop.trial); },
                        [](const PauseTrial& pause) { return event_of("pause", pause.trial); },
                        [](const ResumeTrial& resume) { return event_of("resume", resume.trial); },
                        [](const FinishSearch&) { return event_of("finish"); },
                    },
                    proposal);
}

Result<Proposal> proposal_in(const Value& event) {
  const std::string kind = TRY(snapshot_text(event, "kind"));
  if (kind == "finish") return Proposal(FinishSearch{});
  if (kind == "create") {
    ProposeTrial propose{.hparams = event["hparams"]};
    if (event.find("from") != nullptr) propose.parent = TRY(trial_in(event, "from"));
    return Proposal(std::move(propose));
  }
  const SearchTrial trial = TRY(trial_in(event, "trial"));
  if (kind == "stop") return Proposal(StopTrial{trial});
  if (kind == "pause") return Proposal(PauseTrial{trial});
  if (kind == "resume") return Proposal(ResumeTrial{trial});
  return data_loss("a proposal of the unknown kind ", kind);
}

}  // namespace dt::core
