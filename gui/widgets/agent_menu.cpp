#include "gui/widgets/agent_menu.h"

#include <QStringList>
#include <memory>
#include <set>
#include <utility>

#include "dovetail/v1/admin.grpc.pb.h"
#include "gui/data/actions.h"
#include "gui/data/format.h"
#include "gui/data/slot_map.h"
#include "gui/session.h"
#include "gui/widgets/question_dialog.h"

namespace dt::gui {
namespace {

struct Words {
  QString title;  // "Drain gpu-box-1"
  QString told;   // "agent gpu-box-1 is draining"
};

// The call keeps itself until it is answered: the page may be closed before.
template <class Request, class Response>
void give(Session& session, const Words& words,
          grpc::Status (v1::Admin::Stub::*method)(grpc::ClientContext*, const Request&, Response*),
          const Request& request) {
  auto call = std::make_shared<Call>();
  *call = session.master.call<v1::Admin>(
      method, request, [&session, call, words](const Result<Response>& got) {
        if (!got.ok()) {
          return session.tell_problem(QStringLiteral("%1: %2").arg(
              words.title, one_line(QString::fromStdString(got.status().text()), 400)));
        }
        QString text = words.told;
        if (got->withdrawn() > 0) {
          text += QStringLiteral("; %1 asked to checkpoint and go")
                      .arg(plural(got->withdrawn(), QStringLiteral("attempt")));
        }
        session.tell(text);
      });
}

void order(Session& session, const AgentRow& agent, const char* admission, const Words& words) {
  v1::SetAgentStateRequest request;
  request.set_id(agent.id.toStdString());
  request.set_admission(admission);
  give(session, words, &v1::Admin::Stub::SetAgentState, request);
}

void order(Session& session, const AgentRow& agent, const SlotRow& slot, bool enabled, bool drain,
           const Words& words) {
  v1::SetSlotsRequest request;
  request.set_agent_id(agent.id.toStdString());
  request.add_slot_ids(slot.id.toStdString());
  request.set_enabled(enabled);
  request.set_drain(drain);
  give(session, words, &v1::Admin::Stub::SetSlots, request);
}

// Asks first if something runs there.
void ask_then(const std::set<std::int64_t>& trials, const QString& title, QWidget* parent,
              std::function<void()> run) {
  if (trials.empty()) return run();
  QStringList names;
  for (const std::int64_t trial : trials) names << QStringLiteral("trial %1").arg(trial);
  ask_question(
      {.headline = title + QLatin1Char('?'),
       .text = QStringLiteral("%1 will save a checkpoint, leave, and wait for other slots. "
                              "Nothing comes here until it is enabled again.")
                   .arg(one_line(names.join(QStringLiteral(", ")), 200)),
       .button = QStringLiteral("Disable")},
      parent, std::move(run));
}

std::set<std::int64_t> trials_on(const std::vector<SlotRow>& slots) {
  std::set<std::int64_t> trials;
  for (const SlotRow& slot : slots) {
    if (slot.trial != 0) trials.insert(slot.trial);
  }
  return trials;
}

QString with_dots(const QString& title, bool asks) { return asks ? title + QChar(0x2026) : title; }

}  // namespace

std::vector<LinkAction> agent_actions(Session& session, const AgentRow& agent, QWidget* parent) {
  const QString name = one_line(agent.name, 40);
  const QString told = QStringLiteral("agent %1 is %2");
  const bool is_draining = agent.admission == QLatin1String("draining");
  const bool is_disabled = agent.admission == QLatin1String("disabled");
  std::vector<LinkAction> actions;
  if (is_draining || is_disabled) {
    const Words words{QStringLiteral("Enable %1").arg(name),
                      told.arg(name, QStringLiteral("enabled"))};
    actions.push_back({words.title, Icon::play, {}, [&session, agent, words] {
                         order(session, agent, "enabled", words);
                       }});
  }
  if (!is_draining && !is_disabled) {
    const Words words{QStringLiteral("Drain %1").arg(name),
                      told.arg(name, QStringLiteral("draining: what runs there may end"))};
    actions.push_back({words.title, Icon::pause, {}, [&session, agent, words] {
                         order(session, agent, "draining", words);
                       }});
  }
  if (!is_disabled) {
    const Words words{QStringLiteral("Disable %1").arg(name),
                      told.arg(name, QStringLiteral("disabled"))};
    const std::set<std::int64_t> trials = trials_on(agent.slots);
    actions.push_back({with_dots(words.title, !trials.empty()),
                       Icon::stop,
                       {},
                       [&session, agent, words, trials, parent] {
                         ask_then(trials, words.title, parent, [&session, agent, words] {
                           order(session, agent, "disabled", words);
                         });
                       }});
  }
  return actions;
}

std::vector<LinkAction> slot_actions(Session& session, const AgentRow& agent, const SlotRow& slot,
                                     QWidget* parent) {
  const QString name = name_of(slot);
  const QString told = QStringLiteral("%1 of %2 is %3").arg(name, one_line(agent.name, 40));
  if (slot.is_disabled) {
    const Words words{QStringLiteral("Enable %1").arg(name), told.arg(QStringLiteral("enabled"))};
    return {{words.title, Icon::play, {}, [&session, agent, slot, words] {
               order(session, agent, slot, true, false, words);
             }}};
  }
  const Words words{QStringLiteral("Disable %1").arg(name), told.arg(QStringLiteral("disabled"))};
  std::vector<LinkAction> actions;
  const bool is_held = !slot.allocation.isEmpty();
  if (is_held) {
    actions.push_back(
        {words.title + QStringLiteral(" once it is free"),
         Icon::pause,
         {},
         [&session, agent, slot, words] { order(session, agent, slot, false, true, words); }});
  }
  const std::set<std::int64_t> trials = trials_on({slot});
  actions.push_back({with_dots(words.title, !trials.empty()),
                     Icon::stop,
                     {},
                     [&session, agent, slot, words, trials, parent] {
                       ask_then(trials, words.title, parent, [&session, agent, slot, words] {
                         order(session, agent, slot, false, false, words);
                       });
                     }});
  return actions;
}

}  // namespace dt::gui
