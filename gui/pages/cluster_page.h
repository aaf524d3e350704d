// The cluster as a live map: which trial holds each slot, what is free, which agent is silent.
#pragma once

#include <QWidget>

#include "dovetail/v1/admin.pb.h"
#include "gui/data/master.h"
#include "gui/data/refresher.h"

class QLabel;

namespace dt::gui {

class ClusterMap;
class Content;
class Session;

class ClusterPage : public QWidget {
  Q_OBJECT

 public:
  explicit ClusterPage(Session& session, QWidget* parent = nullptr);

 private:
  void ask();
  void show_menu(int agent, int slot, const QPoint& global);
  void take(const Result<v1::ListAgentsResponse>& got);

  Session& session_;
  QLabel* summary_;
  ClusterMap* map_;
  Content* content_;
  Refresher refresher_;
  Call asking_;
};

}  // namespace dt::gui
