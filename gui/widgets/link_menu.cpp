#include "gui/widgets/link_menu.h"

#include <QApplication>
#include <QClipboard>
#include <QMenu>
#include <QStringList>
#include <utility>

#include "gui/session.h"
#include "gui/widgets/experiment_orders.h"
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

// What some of them can take; it is done to those alone.
void add_order(std::vector<LinkAction>& actions, const QString& title, Icon picture,
               const std::vector<ExperimentRow>& rows,
               const std::function<bool(const ExperimentRow&)>& can_take,
               const std::function<void(const std::vector<std::int64_t>&)>& order) {
  std::vector<std::int64_t> able;
  for (const ExperimentRow& row : rows) {
    if (can_take(row)) able.push_back(row.id);
  }
  if (able.empty()) return;
  QString words = title;
  if (rows.size() > 1) words += QStringLiteral(" %1").arg(able.size());
  if (title.endsWith(QChar(0x2026))) words = words.remove(QChar(0x2026)) + QChar(0x2026);
  actions.push_back({words, picture, {}, [order, able] { order(able); }});
}

void add_verb(std::vector<LinkAction>& actions, Session& session, Verb verb, Icon picture,
              const std::vector<ExperimentRow>& rows, QWidget* parent) {
  const QString title = title_of(verb) + (is_destructive(verb) ? QStringLiteral("…") : QString());
  add_order(
      actions, title, picture, rows, [verb](const ExperimentRow& row) { return can(verb, row); },
      [&session, verb, parent](const auto& ids) {
        change_experiments(session, verb, ids, parent);
      });
}

void add_orders(std::vector<LinkAction>& actions, Session& session,
                const std::vector<std::int64_t>& ids, QWidget* parent) {
  const std::vector<ExperimentRow> rows = known_rows(session, ids);
  std::vector<LinkAction> orders;
  add_verb(orders, session, Verb::pause, Icon::pause, rows, parent);
  add_verb(orders, session, Verb::activate, Icon::play, rows, parent);
  add_order(orders, QStringLiteral("Continue…"), Icon::play, rows, can_continue,
            [&session, parent](const auto& able) { continue_experiments(session, able, parent); });
  add_order(orders, QStringLiteral("Place in the queue…"), Icon::queue, rows, can_queue,
            [&session, parent](const auto& able) { queue_experiments(session, able, parent); });
  add_verb(orders, session, Verb::cancel, Icon::stop, rows, parent);
  add_verb(orders, session, Verb::kill, Icon::kill, rows, parent);
  add_verb(orders, session, Verb::archive, Icon::archive, rows, parent);
  add_verb(orders, session, Verb::unarchive, Icon::archive, rows, parent);
  add_verb(orders, session, Verb::erase, Icon::erase, rows, parent);
  if (orders.empty()) return;
  actions.push_back({});
  actions.insert(actions.end(), orders.begin(), orders.end());
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
    actions.push_back({QStringLiteral("Continue…"), Icon::play, {}, [&session, first, parent] {
                         continue_trial(session, first.id, parent);
                       }});
  }
  if (links.size() == 1 && first.kind == Link::Kind::experiment) {
    actions.push_back({QStringLiteral("Fork…"), Icon::fork, QStringLiteral("F"),
                       [&session, first] { Q_EMIT session.open_fork(first.id); }});
  }
  add_orders(actions, session, experiments_in(links), parent);
  add_copies(actions, session, links);
  return actions;
}

void show_actions(const std::vector<LinkAction>& actions, const QPoint& global, QWidget* parent) {
  auto* menu = new QMenu(parent);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  for (const LinkAction& action : actions) {
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

void show_link_menu(Session& session, const Links& links, const QPoint& global, QWidget* parent) {
  show_actions(actions_of(session, links, parent), global, parent);
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

}  // namespace dt::gui
