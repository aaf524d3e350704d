#include "gui/pages/queue_page.h"

#include <QDateTime>
#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>
#include <chrono>

#include "dovetail/v1/job.grpc.pb.h"
#include "gui/data/format.h"
#include "gui/pages/page_frame.h"
#include "gui/session.h"
#include "gui/widgets/filter_edit.h"
#include "gui/widgets/link_menu.h"
#include "gui/widgets/notice.h"
#include "gui/widgets/table_view.h"

namespace dt::gui {
namespace {

constexpr std::chrono::milliseconds ask_every{500};

bool concerns_queue(const Changes& changes) {
  for (const v1::Change& change : changes) {
    if (change.kind() != "series" && change.kind() != "checkpoint") return true;
  }
  return false;
}

}  // namespace

QueuePage::QueuePage(Session& session, QWidget* parent)
    : QWidget(parent),
      session_(session),
      model_(QDateTime::currentMSecsSinceEpoch),
      summary_(new QLabel(this)),
      table_(new TableView(model_, QStringLiteral("queue"), this)),
      filter_(new FilterEdit(
          *table_, QStringLiteral("Filter: name, or state = queued and pool = default"), this)),
      content_(new Content(table_, this)),
      refresher_(ask_every, [this] { ask(); }) {
  setWindowTitle(title_of(Place::queue));
  const PageFrame frame = build_frame(*this, summary_, content_);
  frame.rows->insertWidget(1, filter_);
  filter_->add_keys(*this);
  table_->set_default_sort({{0, Qt::AscendingOrder}});
  for (const char* column : {"order", "pool", "owner"}) {
    table_->show_by_default(QLatin1String(column), false);
  }
  setFocusProxy(table_);
  attach_links(*table_, session);
  connect(&session.live, &Live::reset, this, [this] { refresher_.want(); });
  connect(&session.live, &Live::changed, this, [this](const Changes& changes) {
    if (concerns_queue(changes)) refresher_.want();
  });
  content_->show_loading(QStringLiteral("Loading the queue…"));
  refresher_.want();
}

void QueuePage::ask() {
  asking_ = session_.master.call<v1::Jobs>(&v1::Jobs::Stub::ListJobs, v1::ListJobsRequest(),
                                           [this](Result<v1::ListJobsResponse> got) { take(got); });
}

void QueuePage::take(const Result<v1::ListJobsResponse>& got) {
  refresher_.done();
  if (!got.ok()) {
    if (model_.rowCount() > 0) return;  // the banner says that it is old
    return content_->show_problem(got.status(), QStringLiteral("its queue"),
                                  [this] { refresher_.want(); });
  }
  std::vector<JobRow> rows;
  for (const v1::Job& job : got->jobs()) {
    rows.push_back(row_of(job));
    rows.back().order = static_cast<int>(rows.size());
  }
  const bool has_pools = std::any_of(
      rows.begin(), rows.end(), [&](const JobRow& row) { return row.pool != rows.front().pool; });
  table_->show_by_default(QStringLiteral("pool"), has_pools);  // else the reason needs the room
  model_.update(std::move(rows));
  show_summary();
  if (model_.rowCount() > 0) return content_->show_content();
  content_->show_empty(QStringLiteral("Nothing runs and nothing waits"),
                       QStringLiteral("Every slot is free. What you launch starts at once."),
                       QStringLiteral("Launch an experiment"),
                       [this] { Q_EMIT session_.open_place(Place::launch); });
}

void QueuePage::show_summary() {
  int running = 0, waiting = 0;
  for (const JobRow& row : model_.rows()) {
    running += row.slots_held > 0;
    waiting += row.position > 0;
  }
  summary_->setText(
      model_.rowCount() == 0
          ? QString()
          : QStringLiteral("%1 running, %2 waiting").arg(integer(running), integer(waiting)));
}

}  // namespace dt::gui
