// Asks for something again when it changed: not more often than every so many ms, and one question
// at a time; what changes meanwhile is asked for afterwards. GUI thread only.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <chrono>
#include <functional>
#include <utility>

namespace dt::gui {

class Refresher : public QObject {
 public:
  // `ask` starts the question; whoever gets the answer calls done().
  Refresher(std::chrono::milliseconds every, std::function<void()> ask, QObject* parent = nullptr)
      : QObject(parent), ask_(std::move(ask)) {
    again_.setSingleShot(true);
    again_.setInterval(every);
    connect(&again_, &QTimer::timeout, this, [this] {
      if (is_wanted_ && !is_asking_) start();
    });
  }

  void want() {
    is_wanted_ = true;
    if (!is_asking_ && !again_.isActive()) start();
  }
  void done() {
    is_asking_ = false;
    if (is_wanted_ && !again_.isActive()) start();
  }
  void set_every(std::chrono::milliseconds every) { again_.setInterval(every); }

 private:
  void start() {
    is_wanted_ = false;
    is_asking_ = true;
    again_.start();
    ask_();
  }

  std::function<void()> ask_;
  QTimer again_;
  bool is_wanted_ = false;
  bool is_asking_ = false;
};

}  // namespace dt::gui
