// What changes at the master, as it changes: one Watch stream for the whole window. Changes arrive
// in batches, at most ten a second; a lost connection comes back by itself. Whoever shows something
// listens to both signals: reset() comes with every connection, the first one too. GUI thread only.
#pragma once

#include <QObject>
#include <QTimer>
#include <vector>

#include "dovetail/v1/watch.pb.h"
#include "gui/data/master.h"

namespace dt::gui {

using Changes = std::vector<v1::Change>;

class Live : public QObject {
  Q_OBJECT

 public:
  enum class State { connecting, online, offline };

  explicit Live(Master& master, QObject* parent = nullptr);

  State state() const { return state_; }
  // Why it is offline, for people; empty when it is not.
  const Status& problem() const { return problem_; }

 Q_SIGNALS:
  void state_changed();
  void changed(const dt::gui::Changes& changes);
  // What is shown may be old: load it again, and keep showing it until the answer is there.
  void reset();

 private:
  void connect_now();
  void take(const v1::WatchEvent& event);
  void tell();
  void lose(const Status& status);
  void set_state(State state, Status problem);

  Master& master_;
  Call watch_;
  State state_ = State::connecting;
  Status problem_;
  int failures_ = 0;  // since it was online last
  Changes waiting_;
  QTimer tell_later_;
  QTimer connect_later_;
  QTimer silence_;  // the master's heartbeat is overdue
};

}  // namespace dt::gui
