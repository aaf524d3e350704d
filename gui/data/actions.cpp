#include "gui/data/actions.h"

#include <QStringList>

#include "gui/data/format.h"

namespace dt::gui {
namespace {

struct Words {
  const char* title;
  const char* command;
  const char* past;
};

const Words& words_of(Verb verb) {
  static constexpr Words words[] = {
      {"Pause", "pause", "paused"},       {"Activate", "activate", "activated"},
      {"Cancel", "cancel", "canceled"},   {"Kill", "kill", "killed"},
      {"Archive", "archive", "archived"}, {"Unarchive", "unarchive", "unarchived"},
      {"Delete", "delete", "deleting"}};
  return words[static_cast<std::size_t>(verb)];
}

constexpr int lines_max = 5;

bool has(const ExperimentRow& row, const char* state) { return row.state == QLatin1String(state); }

// At most so many lines as a message in the corner has room for.
QString lines_of(const QStringList& lines) {
  if (lines.size() <= lines_max) return lines.join(QLatin1Char('\n'));
  return lines.mid(0, lines_max - 1).join(QLatin1Char('\n')) +
         QStringLiteral("\nand %1 more").arg(lines.size() - lines_max + 1);
}

QString what_deleting_loses(const std::vector<ExperimentRow>& rows) {
  std::int64_t trials = 0;
  for (const ExperimentRow& row : rows) trials += row.trials;
  return QStringLiteral("%1 with all metrics, logs and checkpoints will be removed for ever.")
      .arg(plural(trials, QStringLiteral("trial")));
}

QString what_stopping_loses(Verb verb, const std::vector<ExperimentRow>& rows) {
  int running = 0;
  for (const ExperimentRow& row : rows) running += row.trials_running;
  QString text = QStringLiteral("No trial is running, so no training is lost.");
  if (running > 0) {
    text = QStringLiteral("%1 will be stopped. ")
               .arg(plural(running, QStringLiteral("running trial")));
    text += verb == Verb::kill
                ? QStringLiteral("What they trained since their last checkpoint is lost.")
                : QStringLiteral("They save a checkpoint first, so what they trained is kept.");
  }
  return text + QStringLiteral(
                    " Metrics, logs and checkpoints that are stored stay, and what was not "
                    "completed can be continued later.");
}

}  // namespace

QString title_of(Verb verb) { return QString::fromLatin1(words_of(verb).title); }

QString past_of(Verb verb) { return QString::fromLatin1(words_of(verb).past); }

::dovetail::v1::ExperimentVerb wire_of(Verb verb) {
  switch (verb) {
    case Verb::pause: return ::dovetail::v1::EXPERIMENT_VERB_PAUSE;
    case Verb::activate: return ::dovetail::v1::EXPERIMENT_VERB_ACTIVATE;
    case Verb::cancel: return ::dovetail::v1::EXPERIMENT_VERB_CANCEL;
    case Verb::kill: return ::dovetail::v1::EXPERIMENT_VERB_KILL;
    case Verb::archive: return ::dovetail::v1::EXPERIMENT_VERB_ARCHIVE;
    case Verb::unarchive: return ::dovetail::v1::EXPERIMENT_VERB_UNARCHIVE;
    case Verb::erase: return ::dovetail::v1::EXPERIMENT_VERB_DELETE;
  }
  return ::dovetail::v1::EXPERIMENT_VERB_UNSPECIFIED;
}

bool is_destructive(Verb verb) {
  return verb == Verb::cancel || verb == Verb::kill || verb == Verb::erase;
}

std::optional<Verb> opposite_of(Verb verb) {
  if (verb == Verb::pause) return Verb::activate;
  if (verb == Verb::activate) return Verb::pause;
  if (verb == Verb::archive) return Verb::unarchive;
  if (verb == Verb::unarchive) return Verb::archive;
  return std::nullopt;
}

bool can(Verb verb, const ExperimentRow& row) {
  const bool has_ended = is_over(row.state);
  switch (verb) {
    case Verb::pause: return has(row, "ACTIVE");
    case Verb::activate: return has(row, "PAUSED");
    case Verb::cancel: return has(row, "ACTIVE") || has(row, "PAUSED");
    case Verb::kill: return !has_ended && !is_deleting(row.state) && !has(row, "STOPPING_KILLED");
    case Verb::archive: return has_ended && !row.is_archived;
    case Verb::unarchive: return has_ended && row.is_archived;
    case Verb::erase: return has_ended || has(row, "DELETE_FAILED");
  }
  return false;
}

bool can_continue(const ExperimentRow& row) {
  const bool is_complete = has(row, "COMPLETED") && row.searcher != QLatin1String("single");
  return is_over(row.state) && !is_complete;
}

bool can_queue(const ExperimentRow& row) { return has(row, "ACTIVE") || has(row, "PAUSED"); }

QString dtctl_command(Verb verb, const std::vector<std::int64_t>& experiments) {
  QString command =
      QStringLiteral("dtctl experiment %1").arg(QLatin1String(words_of(verb).command));
  for (const std::int64_t id : experiments) command += QStringLiteral(" %1").arg(id);
  return command;
}

QString names_of(const std::vector<std::int64_t>& experiments) {
  if (experiments.size() == 1) return QStringLiteral("experiment %1").arg(experiments[0]);
  return plural(static_cast<std::int64_t>(experiments.size()), QStringLiteral("experiment"));
}

QString names_of(const std::vector<ExperimentRow>& rows) {
  if (rows.size() == 1) {
    if (rows[0].name.isEmpty()) return QStringLiteral("experiment %1").arg(rows[0].id);
    return QStringLiteral("experiment %1, %2").arg(rows[0].id).arg(one_line(rows[0].name, 60));
  }
  return plural(static_cast<std::int64_t>(rows.size()), QStringLiteral("experiment"));
}

Question question_for(Verb verb, const std::vector<ExperimentRow>& rows) {
  const auto count = static_cast<std::int64_t>(rows.size());
  const QString noun = QStringLiteral("experiment");
  return {.headline = QStringLiteral("%1 %2?").arg(title_of(verb), names_of(rows)),
          .text = verb == Verb::erase ? what_deleting_loses(rows) : what_stopping_loses(verb, rows),
          .button =
              QStringLiteral("%1 %2").arg(title_of(verb), count == 1 ? noun : plural(count, noun))};
}

std::vector<std::int64_t> done_in(const Outcomes& outcomes) {
  std::vector<std::int64_t> ids;
  for (const Outcome& outcome : outcomes) {
    if (outcome.problem.ok()) ids.push_back(outcome.experiment);
  }
  return ids;
}

QString problems_in(const Outcomes& outcomes) {
  QStringList lines;
  for (const Outcome& outcome : outcomes) {
    if (!outcome.problem.ok())
      lines << one_line(QString::fromStdString(outcome.problem.text()), 300);
  }
  return lines_of(lines);
}

QString notes_in(const Outcomes& outcomes) {
  QStringList lines;
  for (const Outcome& outcome : outcomes) {
    if (outcome.note.isEmpty()) continue;
    lines << QStringLiteral("experiment %1: %2")
                 .arg(outcome.experiment)
                 .arg(one_line(outcome.note, 300));
  }
  return lines_of(lines);
}

}  // namespace dt::gui
