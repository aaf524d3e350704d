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
  static constexpr Words words[] = {{"Pause", "pause", "paused"},
                                    {"Activate", "activate", "activated"},
                                    {"Cancel", "cancel", "canceled"},
                                    {"Kill", "kill", "killed"}};
  return words[static_cast<std::size_t>(verb)];
}

bool has(const ExperimentRow& row, const char* state) { return row.state == QLatin1String(state); }

}  // namespace

QString title_of(Verb verb) { return QString::fromLatin1(words_of(verb).title); }

QString past_of(Verb verb) { return QString::fromLatin1(words_of(verb).past); }

::dovetail::v1::ExperimentVerb wire_of(Verb verb) {
  switch (verb) {
    case Verb::pause: return ::dovetail::v1::EXPERIMENT_VERB_PAUSE;
    case Verb::activate: return ::dovetail::v1::EXPERIMENT_VERB_ACTIVATE;
    case Verb::cancel: return ::dovetail::v1::EXPERIMENT_VERB_CANCEL;
    case Verb::kill: return ::dovetail::v1::EXPERIMENT_VERB_KILL;
  }
  return ::dovetail::v1::EXPERIMENT_VERB_UNSPECIFIED;
}

bool is_destructive(Verb verb) { return verb == Verb::cancel || verb == Verb::kill; }

std::optional<Verb> opposite_of(Verb verb) {
  if (verb == Verb::pause) return Verb::activate;
  if (verb == Verb::activate) return Verb::pause;
  return std::nullopt;
}

bool can(Verb verb, const ExperimentRow& row) {
  if (is_over(row.state)) return false;
  switch (verb) {
    case Verb::pause: return has(row, "ACTIVE");
    case Verb::activate: return has(row, "PAUSED");
    case Verb::cancel: return has(row, "ACTIVE") || has(row, "PAUSED");
    case Verb::kill: return !has(row, "STOPPING_KILLED");
  }
  return false;
}

QString dtctl_command(Verb verb, const std::vector<std::int64_t>& experiments) {
  QStringList commands;
  for (const std::int64_t id : experiments) {
    commands.push_back(QStringLiteral("dtctl experiment %1 %2")
                           .arg(QLatin1String(words_of(verb).command))
                           .arg(id));
  }
  return commands.join(QStringLiteral(" && "));
}

Question question_for(Verb verb, const std::vector<ExperimentRow>& rows) {
  int running = 0;
  for (const ExperimentRow& row : rows) running += row.trials_running;
  Question question;
  const QString what =
      rows.size() == 1
          ? QStringLiteral("experiment %1, %2").arg(rows[0].id).arg(one_line(rows[0].name, 60))
          : plural(static_cast<std::int64_t>(rows.size()), QStringLiteral("experiment"));
  question.headline = QStringLiteral("%1 %2?").arg(title_of(verb), what);
  question.button = QStringLiteral("%1 %2").arg(
      title_of(verb), rows.size() == 1 ? QStringLiteral("experiment")
                                       : plural(static_cast<std::int64_t>(rows.size()),
                                                QStringLiteral("experiment")));
  QString lost =
      verb == Verb::kill
          ? QStringLiteral("What they trained since their last checkpoint is lost.")
          : QStringLiteral("They save a checkpoint first, so what they trained is kept.");
  if (running == 0) lost = QStringLiteral("No trial is running, so no training is lost.");
  question.text = running == 0 ? QString()
                               : QStringLiteral("%1 will be stopped. ")
                                     .arg(plural(running, QStringLiteral("running trial")));
  question.text += lost + QStringLiteral(
                              " Metrics, logs and checkpoints that are stored stay. The search "
                              "ends and cannot be taken up again; a fork starts it anew.");
  return question;
}

}  // namespace dt::gui
