// Which page shows what: one line a page in pages.cpp. A page is a QWidget made from the Session;
// its windowTitle() is its tab's word and may change while it lives.
#pragma once

#include <vector>

#include "gui/data/page_id.h"

class QWidget;

namespace dt::gui {

class Session;

// Places of the rail that have a page of their own, in order.
std::vector<Place> places();

// Null: the thing has no page (a checkpoint is shown by its trial's).
QWidget* make_page(Session& session, const PageId& id, QWidget* parent);

}  // namespace dt::gui
