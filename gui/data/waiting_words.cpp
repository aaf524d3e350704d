#include "gui/data/waiting_words.h"

#include "gui/data/format.h"

namespace dt::gui {
namespace {

using namespace Qt::StringLiterals;

QString job_words(const JobRow& job) {
  const QString pool = u" in pool "_s + one_line(job.pool, 40);
  if (job.state == u"paused"_s) return u"Paused"_s + pool + u"."_s;
  if (job.position > 0) {
    QString words = u"Waiting for "_s + plural(job.slots_wanted, u"slot"_s) + u"; position "_s +
                    integer(job.position) + pool + u"."_s;
    if (!job.reason.isEmpty()) words += u'\n' + one_line(job.reason, 300);
    return words;
  }
  return u"Running on "_s + plural(job.slots_held, u"slot"_s) + pool +
         u": its first validation is awaited."_s;
}

}  // namespace

WaitingWords waiting_words(const QString& what, const ExperimentRow& experiment,
                           const std::optional<JobRow>& job) {
  WaitingWords words{.headline = u"No "_s + what + u" yet"_s, .text = {}};
  if (is_over(experiment.state)) {
    words.headline = u"No "_s + what;
    words.text = u"The experiment ended ("_s + state_word(experiment.state) + u") and left none."_s;
    if (!experiment.message.isEmpty()) words.text += u'\n' + one_line(experiment.message, 300);
  } else if (experiment.state == u"PAUSED"_s) {
    words.text = u"The experiment is paused. Activate it to go on."_s;
  } else if (job) {
    words.text = job_words(*job);
  } else {
    words.text = u"The search is about to make its first trials."_s;
  }
  return words;
}

}  // namespace dt::gui
