#include "gui/widgets/link_menu.h"

#include <QApplication>
#include <QClipboard>
#include <QMenu>
#include <QStringList>
#include <memory>
#include <utility>

#include "dovetail/v1/experiment.grpc.pb.h"
#include "gui/data/format.h"
#include "gui/session.h"
#include "gui/widgets/question_dialog.h"
#include "gui/widgets/table_view.h"

namespace dt::gui {
namespace {

using Links = std::vector<Link>;

std::vector<std::int64_t> experiments_in(const Links& links) {
  std::vector<std::int64_t> ids;
  for (const Link& link : links) {
    if (link.kind == Link::Kind::experiment) ids.push_back(link.id);
  }
  return ids;
}

bool all_are(const Links& links, Link::Kind kind) {
  for (const Link& link : links) {
    if (link.kind != kind) return false;
  }
  return !links.empty();
}

std::vector<ExperimentRow> rows_of(const Session& session, const std::vector<std::int64_t>& ids) {
  std::vector<ExperimentRow> rows;
  for (const std::int64_t id : ids) {
    const ExperimentRow* known = session.experiments.find(id);
    ExperimentRow row;
    row.id = id;
    rows.push_back(known ? *known : row);
  }
  return rows;
}

void copy(Session& session, const QString& text) {
  QApplication::clipboard()->setText(text);
  Q_EMIT session.tell(QStringLiteral("Copied: %1").arg(text.left(80)));
}

void add_copies(std::vector<LinkAction>& actions, Session& session, const Links& links) {
  QStringList commands, ids;
  for (const Link& link : links) {
    if (const QString command = dtctl_command(link); !command.isEmpty())
      commands.push_back(command);
    ids.push_back(link.name.isEmpty() ? QString::number(link.id) : link.name);
  }
  actions.push_back({});
  if (!commands.isEmpty()) {
    const QString all = commands.join(QStringLiteral(" && "));
    actions.push_back(
        {QStringLiteral("Copy as dtctl"), Icon::copy, {}, [&session, all] { copy(session, all); }});
  }
  const QString all_ids = ids.join(QLatin1Char(' '));
  actions.push_back({links.size() == 1 ? QStringLiteral("Copy ID") : QStringLiteral("Copy IDs"),
                     Icon::copy,
                     {},
                     [&session, all_ids] { copy(session, all_ids); }});
}

// The verbs that some of them can take; a verb is done to those alone.
void add_verbs(std::vector<LinkAction>& actions, Session& session,
               const std::vector<std::int64_t>& ids, QWidget* parent) {
  static constexpr std::pair<Verb, Icon> verbs[] = {{Verb::pause, Icon::pause},
                                                    {Verb::activate, Icon::play},
                                                    {Verb::cancel, Icon::stop},
                                                    {Verb::kill, Icon::kill}};
  bool is_first = true;
  for (const auto& [verb, picture] : verbs) {
    std::vector<std::int64_t> able;
    for (const ExperimentRow& row : rows_of(session, ids)) {
      if (can(verb, row)) able.push_back(row.id);
    }
    if (able.empty()) continue;
    if (std::exchange(is_first, false)) actions.push_back({});
    QString title = title_of(verb);
    if (ids.size() > 1) title += QStringLiteral(" %1").arg(able.size());
    if (is_destructive(verb)) title += QChar(0x2026);
    actions.push_back({title, picture, {}, [&session, verb = verb, able, parent] {
                         change_experiments(session, verb, able, parent);
                       }});
  }
}

// Keeps calls alive until they are answered, and tells once all are.
struct Change {
  Session& session;
  Verb verb;
  std::size_t open = 0;
  std::vector<std::int64_t> done;
  Status problem;
  std::vector<Call> calls;
};

QString names_of(const std::vector<std::int64_t>& ids) {
  if (ids.size() == 1) return QStringLiteral("experiment %1").arg(ids[0]);
  return plural(static_cast<std::int64_t>(ids.size()), QStringLiteral("experiment"));
}

void finish(const Change& change) {
  if (!change.problem.ok()) {
    Q_EMIT change.session.tell_problem(QStringLiteral("%1: %2").arg(
        title_of(change.verb), plain(QString::fromStdString(change.problem.text()))));
  }
  if (change.done.empty()) return;
  const QString text = QStringLiteral("%1 %2").arg(past_of(change.verb), names_of(change.done));
  const std::optional<Verb> back = opposite_of(change.verb);
  if (!back) return Q_EMIT change.session.tell(text);
  Q_EMIT change.session.tell_undoable(text,
                                      [&session = change.session, back = *back, ids = change.done] {
                                        change_experiments(session, back, ids, nullptr);
                                      });
}

void perform(Session& session, Verb verb, const std::vector<std::int64_t>& ids) {
  auto change = std::make_shared<Change>(Change{session, verb, ids.size(), {}, {}, {}});
  for (const std::int64_t id : ids) {
    v1::ChangeExperimentRequest request;
    request.set_id(id);
    request.set_verb(wire_of(verb));
    change->calls.push_back(session.master.call<v1::Experiments>(
        &v1::Experiments::Stub::ChangeExperiment, request,
        [change, id](Result<v1::ChangeExperimentResponse> got) {
          if (got.ok()) {
            change->done.push_back(id);
            change->session.experiments.ask_for(id);
          } else {
            change->problem = got.status();
          }
          if (--change->open > 0) return;
          finish(*change);
          QMetaObject::invokeMethod(
              &change->session, [change] { change->calls.clear(); }, Qt::QueuedConnection);
        }));
  }
}

}  // namespace

std::vector<LinkAction> actions_of(Session& session, const Links& links, QWidget* parent) {
  std::vector<LinkAction> actions;
  if (links.empty()) return actions;
  const Link first = links.front();
  if (links.size() == 1 && first.kind != Link::Kind::agent) {
    actions.push_back({QStringLiteral("Open %1").arg(title_of(first).toLower()), Icon::open,
                       QStringLiteral("Enter"),
                       [&session, first] { Q_EMIT session.open_link(first); }});
  }
  if (all_are(links, Link::Kind::experiment) || all_are(links, Link::Kind::trial)) {
    if (links.size() > 1) {
      actions.push_back({QStringLiteral("Compare %1").arg(links.size()), Icon::compare,
                         QStringLiteral("C"),
                         [&session, links] { Q_EMIT session.open_comparison(links); }});
    }
  }
  if (links.size() == 1 && first.kind == Link::Kind::trial) {
    actions.push_back({QStringLiteral("Open log"), Icon::logs, {}, [&session, first] {
                         Q_EMIT session.open_logs(first.id, 0);
                       }});
  }
  if (links.size() == 1 && first.kind == Link::Kind::experiment) {
    actions.push_back({QStringLiteral("Fork…"), Icon::fork, QStringLiteral("F"),
                       [&session, first] { Q_EMIT session.open_fork(first.id); }});
  }
  add_verbs(actions, session, experiments_in(links), parent);
  add_copies(actions, session, links);
  return actions;
}

void show_link_menu(Session& session, const Links& links, const QPoint& global, QWidget* parent) {
  auto* menu = new QMenu(parent);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  for (const LinkAction& action : actions_of(session, links, parent)) {
    if (action.title.isEmpty()) {
      menu->addSeparator();
      continue;
    }
    QAction* entry = menu->addAction(icon(action.icon), action.title);
    if (!action.key.isEmpty()) entry->setText(action.title + QLatin1Char('\t') + action.key);
    QObject::connect(entry, &QAction::triggered, menu, action.run);
  }
  menu->popup(global);
}

void attach_links(TableView& table, Session& session) {
  QObject::connect(&table, &TableView::opened, &session, &Session::open_link);
  QObject::connect(&table, &TableView::menu_wanted, &session, [&table, &session](const QPoint& at) {
    show_link_menu(session, table.chosen_links(), at, &table);
  });
  QObject::connect(&table, &TableView::compare_wanted, &session, [&table, &session] {
    const Links links = table.chosen_links();
    if (links.size() > 1) return Q_EMIT session.open_comparison(links);
    Q_EMIT session.tell(QStringLiteral("Select two or more to compare them"));
  });
  QObject::connect(&table, &TableView::fork_wanted, &session, [&table, &session] {
    const std::vector<std::int64_t> ids = experiments_in(table.chosen_links());
    if (ids.size() == 1) Q_EMIT session.open_fork(ids[0]);
  });
  QObject::connect(&table, &TableView::palette_wanted, &session,
                   [&table, &session] { Q_EMIT session.open_palette(table.chosen_links()); });
}

void change_experiments(Session& session, Verb verb, const std::vector<std::int64_t>& ids,
                        QWidget* parent) {
  if (!is_destructive(verb)) return perform(session, verb, ids);
  ask_question(question_for(verb, rows_of(session, ids)), parent,
               [&session, verb, ids] { perform(session, verb, ids); });
}

}  // namespace dt::gui
