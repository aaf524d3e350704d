#include "gui/data/master.h"

#include <QCoreApplication>
#include <QMetaObject>
#include <QThreadPool>
#include <algorithm>

namespace dt::gui {
namespace {

constexpr int calls_at_once = 6;
constexpr int streams_at_once = 64;

}  // namespace

struct Master::Workers {
  QThreadPool calls;    // short ones
  QThreadPool streams;  // a thread each
};

Master::Master(client::Credentials credentials, QObject* parent)
    : QObject(parent),
      client_(std::make_shared<client::Client>(std::move(credentials))),
      inbox_(QCoreApplication::instance()),
      workers_(std::make_shared<Workers>()) {
  workers_->calls.setMaxThreadCount(calls_at_once);
  workers_->streams.setMaxThreadCount(streams_at_once);
}

// A pool waits for its threads when it ends, so Qt's own does that waiting. The application waits
// for that one before it is gone.
Master::~Master() {
  for (std::stop_source& stop : running_) stop.request_stop();
  QThreadPool::globalInstance()->start([last = std::move(workers_)] {
    last->calls.waitForDone();
    last->streams.waitForDone();
  });
}

void Master::keep(const std::stop_source& stop) {
  std::erase_if(running_, [](const std::stop_source& old) { return old.stop_requested(); });
  running_.push_back(stop);
}

void Master::start(std::function<void()> work) { workers_->calls.start(std::move(work)); }

void Master::start_thread(std::function<void()> work) { workers_->streams.start(std::move(work)); }

void Master::answer(QObject* inbox, std::function<void()> on_gui_thread) {
  QMetaObject::invokeMethod(inbox, std::move(on_gui_thread), Qt::QueuedConnection);
}

}  // namespace dt::gui
