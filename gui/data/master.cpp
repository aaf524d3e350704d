#include "gui/data/master.h"

#include <QMetaObject>
#include <algorithm>

namespace dt::gui {
namespace {

constexpr int calls_at_once = 6;
constexpr int streams_at_once = 64;

}  // namespace

Master::Master(client::Credentials credentials, QObject* parent)
    : QObject(parent), client_(std::make_shared<client::Client>(std::move(credentials))) {
  pool_.setMaxThreadCount(calls_at_once);
  streams_.setMaxThreadCount(streams_at_once);
}

Master::~Master() {
  for (std::stop_source& stop : running_) stop.request_stop();
  pool_.waitForDone();
  streams_.waitForDone();
}

void Master::keep(const std::stop_source& stop) {
  std::erase_if(running_, [](const std::stop_source& old) { return old.stop_requested(); });
  running_.push_back(stop);
}

void Master::start(std::function<void()> work) { pool_.start(std::move(work)); }

void Master::start_thread(std::function<void()> work) { streams_.start(std::move(work)); }

void Master::answer(std::function<void()> on_gui_thread) {
  QMetaObject::invokeMethod(this, std::move(on_gui_thread), Qt::QueuedConnection);
}

}  // namespace dt::gui
