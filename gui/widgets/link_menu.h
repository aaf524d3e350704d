// The one menu of a thing, wherever it is named: open, compare, fork, what can be ordered, copy as
// dtctl. attach_links() gives a table all of it: menu, double click, C, F and “.”.
// GUI thread only.
#pragma once

#include <QString>
#include <functional>
#include <vector>

#include "gui/data/links.h"
#include "gui/widgets/icons.h"

class QMenu;
class QPoint;
class QWidget;

namespace dt::gui {

class Session;
class TableView;

// One thing to do with some links, as menus and the palette list it. Empty title: a separator.
struct LinkAction {
  QString title;
  Icon icon = Icon::dot;
  QString key;  // as shown: "C"; the table handles it
  std::function<void()> run;
};
std::vector<LinkAction> actions_of(Session& session, const std::vector<Link>& links,
                                   QWidget* parent);

void show_actions(const std::vector<LinkAction>& actions, const QPoint& global, QWidget* parent);
void show_link_menu(Session& session, const std::vector<Link>& links, const QPoint& global,
                    QWidget* parent);
void attach_links(TableView& table, Session& session);

}  // namespace dt::gui
