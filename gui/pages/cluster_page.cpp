#include "gui/pages/cluster_page.h"

#include <QLabel>
#include <chrono>

#include "dovetail/v1/admin.grpc.pb.h"
#include "gui/pages/page_frame.h"
#include "gui/session.h"
#include "gui/widgets/agent_menu.h"
#include "gui/widgets/cluster_map.h"
#include "gui/widgets/notice.h"
#include "gui/widgets/theme.h"

namespace dt::gui {
namespace {

constexpr std::chrono::milliseconds ask_every{500};

bool concerns_slots(const Changes& changes) {
  for (const v1::Change& change : changes) {
    if (change.kind() == "allocation" || change.kind() == "agent") return true;
  }
  return false;
}

}  // namespace

ClusterPage::ClusterPage(Session& session, QWidget* parent)
    : QWidget(parent),
      session_(session),
      summary_(new QLabel(this)),
      map_(new ClusterMap(
          [this](std::int64_t trial) {
            const Link run{Link::Kind::trial, trial, {}};
            return session_.run_colors.style(run, theme().is_dark).color;
          },
          this)),
      content_(new Content(map_, this)),
      refresher_(ask_every, [this] { ask(); }) {
  setWindowTitle(title_of(Place::cluster));
  build_frame(*this, summary_, content_);
  setFocusProxy(map_);
  connect(map_, &ClusterMap::opened, &session, &Session::open_link);
  connect(map_, &ClusterMap::menu_wanted, this, &ClusterPage::show_menu);
  connect(&session.live, &Live::reset, this, [this] { refresher_.want(); });
  connect(&session.live, &Live::changed, this, [this](const Changes& changes) {
    if (concerns_slots(changes)) refresher_.want();
  });
  content_->show_loading(QStringLiteral("Loading agents…"));
  refresher_.want();
}

void ClusterPage::show_menu(int agent_at, int slot_at, const QPoint& global) {
  const AgentRow& agent = map_->agents()[static_cast<std::size_t>(agent_at)];
  std::vector<LinkAction> actions;
  const auto add = [&](const std::vector<LinkAction>& some) {
    if (!actions.empty()) actions.push_back({});
    actions.insert(actions.end(), some.begin(), some.end());
  };
  if (slot_at >= 0) {
    const SlotRow& slot = agent.slots[static_cast<std::size_t>(slot_at)];
    if (slot.trial != 0) {
      add(actions_of(session_, {Link{Link::Kind::trial, slot.trial, {}}}, this));
    }
    add(slot_actions(session_, agent, slot, this));
  }
  add(agent_actions(session_, agent, this));
  if (slot_at < 0) add(actions_of(session_, {Link{Link::Kind::agent, 0, agent.id}}, this));
  show_actions(actions, global, this);
}

void ClusterPage::ask() {
  asking_ =
      session_.master.call<v1::Admin>(&v1::Admin::Stub::ListAgents, v1::ListAgentsRequest(),
                                      [this](Result<v1::ListAgentsResponse> got) { take(got); });
}

void ClusterPage::take(const Result<v1::ListAgentsResponse>& got) {
  refresher_.done();
  if (!got.ok()) {
    if (!map_->agents().empty()) return;  // the banner says that it is old
    return content_->show_problem(got.status(), QStringLiteral("agents"),
                                  [this] { refresher_.want(); });
  }
  std::vector<AgentRow> agents;
  for (const v1::AgentInfo& agent : got->agents()) agents.push_back(row_of(agent));
  summary_->setText(agents.empty() ? QString() : summary_of(agents));
  map_->set_agents(std::move(agents));
  if (!map_->agents().empty()) return content_->show_content();
  content_->show_empty(
      QStringLiteral("No agent has joined"),
      QStringLiteral("On each machine with slots, start dt-agent with this "
                     "master's address and a token from\ndtctl agent token create"));
}

}  // namespace dt::gui
