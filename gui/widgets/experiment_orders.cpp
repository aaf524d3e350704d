#include "gui/widgets/experiment_orders.h"

#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPointer>
#include <QVBoxLayout>
#include <functional>
#include <memory>
#include <utility>

#include "dovetail/v1/experiment.grpc.pb.h"
#include "dovetail/v1/trial.grpc.pb.h"
#include "gui/data/format.h"
#include "gui/session.h"
#include "gui/widgets/form_dialog.h"
#include "gui/widgets/question_dialog.h"
#include "gui/widgets/theme.h"

namespace dt::gui {
namespace {

using Ids = std::vector<std::int64_t>;
using Options = client::CallOptions;
using Work = std::function<Result<Outcomes>(const client::Client&, const Options&)>;
using Then = std::function<void(Result<Outcomes>)>;

// The call keeps itself until it is answered: who asked may be closed before.
void give(Session& session, Work work, Then then) {
  auto call = std::make_shared<Call>();
  *call = session.master.run<Outcomes>(
      [work = std::move(work)](const client::Client& client, std::stop_token stop) {
        return work(client, {.retry_unavailable = false, .stop = std::move(stop)});
      },
      [&session, call, then = std::move(then)](Result<Outcomes> got) {
        if (got.ok()) {
          for (const std::int64_t id : done_in(*got)) session.experiments.ask_for(id);
        }
        then(std::move(got));
      });
}

Status status_of(const v1::ItemError& error) {
  return Status(static_cast<Code>(error.code()), error.message()).with_hint(error.hint());
}

Result<Outcomes> change_all(const client::Client& client, const Options& options, const Ids& ids,
                            Verb verb) {
  v1::ChangeExperimentsRequest request;
  request.set_verb(wire_of(verb));
  for (const std::int64_t id : ids) request.add_ids(id);
  const auto changed = TRY(
      client.call<v1::Experiments>(&v1::Experiments::Stub::ChangeExperiments, request, options));
  Outcomes outcomes;
  for (const v1::ChangeResult& result : changed.results()) {
    outcomes.push_back({.experiment = result.id(),
                        .problem = result.has_error() ? status_of(result.error()) : Status(),
                        .note = QString::fromStdString(result.warning())});
  }
  return outcomes;
}

// What failed stays on the screen; what was done is told with its way back.
void tell_change(Session& session, Verb verb, const Result<Outcomes>& got) {
  const Outcomes outcomes = got.ok() ? *got : Outcomes{{.experiment = 0, .problem = got.status()}};
  if (const QString problems = problems_in(outcomes); !problems.isEmpty()) {
    Q_EMIT session.tell_problem(QStringLiteral("%1: %2").arg(title_of(verb), problems));
  }
  if (const QString notes = notes_in(outcomes); !notes.isEmpty()) Q_EMIT session.tell(notes);
  const Ids done = done_in(outcomes);
  if (done.empty()) return;
  const QString text = QStringLiteral("%1 %2").arg(past_of(verb), names_of(done));
  const std::optional<Verb> back = opposite_of(verb);
  if (!back) return Q_EMIT session.tell(text);
  Q_EMIT session.tell_undoable(
      text, [&session, back = *back, done] { change_experiments(session, back, done, nullptr); });
}

void perform(Session& session, Verb verb, const Ids& ids) {
  const auto work = [ids, verb](const client::Client& client, const Options& options) {
    return change_all(client, options, ids, verb);
  };
  give(session, work,
       [&session, verb](const Result<Outcomes>& got) { tell_change(session, verb, got); });
}

// --- orders that are filled in first

// Closes the form when all is done, else says in it what was not. What was done is told anyway.
Then answer_to(FormDialog* form, Session& session, const QString& done_words) {
  return [form = QPointer<FormDialog>(form), &session, done_words](const Result<Outcomes>& got) {
    const Outcomes outcomes =
        got.ok() ? *got : Outcomes{{.experiment = 0, .problem = got.status()}};
    const QString problems = problems_in(outcomes);
    if (const QString notes = notes_in(outcomes); !notes.isEmpty()) Q_EMIT session.tell(notes);
    if (const Ids done = done_in(outcomes); !done.empty()) {
      Q_EMIT session.tell(QStringLiteral("%1 %2").arg(done_words, names_of(done)));
    }
    if (form && problems.isEmpty()) return form->accept();
    if (form) return form->show_problem(problems);
    if (!problems.isEmpty()) Q_EMIT session.tell_problem(problems);
  };
}

Outcome outcome_of(std::int64_t id, const Result<v1::ContinueExperimentResponse>& got) {
  Outcome outcome{.experiment = id, .problem = got.status(), .note = {}};
  if (got.ok()) {
    for (const std::string& warning : got->warnings()) {
      if (!outcome.note.isEmpty()) outcome.note += QStringLiteral("; ");
      outcome.note += QString::fromStdString(warning);
    }
  }
  return outcome;
}

Outcome continue_one(const client::Client& client, const Options& options,
                     v1::ContinueExperimentRequest request) {
  const std::int64_t id = request.id();
  return outcome_of(id, client.call<v1::Experiments>(&v1::Experiments::Stub::ContinueExperiment,
                                                     std::move(request), options));
}

Result<Outcomes> continue_all(const client::Client& client, const Options& options, const Ids& ids,
                              const v1::ContinueExperimentRequest& changes) {
  Outcomes outcomes;
  for (const std::int64_t id : ids) {
    v1::ContinueExperimentRequest request = changes;
    request.set_id(id);
    outcomes.push_back(continue_one(client, options, std::move(request)));
  }
  return outcomes;
}

Result<Outcomes> continue_its_trial(const client::Client& client, const Options& options,
                                    std::int64_t trial, v1::ContinueExperimentRequest request) {
  v1::GetTrialRequest which;
  which.set_id(trial);
  const auto got = TRY(client.call<v1::Trials>(&v1::Trials::Stub::GetTrial, which, options));
  request.set_id(got.trial().experiment_id());
  request.add_trial_ids(trial);
  return Outcomes{continue_one(client, options, std::move(request))};
}

using ContinueWork = std::function<Result<Outcomes>(const client::Client&, const Options&,
                                                    const v1::ContinueExperimentRequest& changes)>;

void ask_to_continue(Session& session, const QString& what, QWidget* parent, ContinueWork work) {
  auto* form = new FormDialog(
      {.headline = QStringLiteral("Continue %1?").arg(what),
       .text = QStringLiteral("It queues anew, and its trials go on from their latest checkpoints. "
                              "Changes of the configuration can be laid on top, a line each:"),
       .yes = QStringLiteral("Continue")},
      parent);
  auto* changes = new QPlainTextEdit(form);
  changes->setObjectName(QStringLiteral("continue_changes"));
  changes->setAccessibleName(QStringLiteral("Changes of the configuration"));
  changes->setPlaceholderText(QStringLiteral("max_restarts=9"));
  changes->setFont(mono_font());
  changes->setTabChangesFocus(true);
  changes->setFixedHeight(9 * grid);
  form->body()->addWidget(changes);
  QObject::connect(form, &FormDialog::wanted, form, [&session, form, changes, work] {
    v1::ContinueExperimentRequest request;
    for (const QString& line : changes->toPlainText().split(QLatin1Char('\n'))) {
      if (!line.trimmed().isEmpty()) request.add_overrides(line.trimmed().toStdString());
    }
    give(
        session,
        [work, request](const client::Client& client, const Options& options) {
          return work(client, options, request);
        },
        answer_to(form, session, QStringLiteral("continued")));
  });
  form->open();
}

// --- the place in the queue

struct QueueFields {
  QLineEdit* priority;
  QLineEdit* weight;
  QLineEdit* max_slots;
};

// Of several, what they do not share is shown as such and stays unless something is typed.
template <class T>
QString shared_text(const std::vector<ExperimentRow>& rows, T of) {
  const QString first = of(rows.front());
  for (const ExperimentRow& row : rows) {
    if (of(row) != first) return QStringLiteral("differs");
  }
  return first;
}

QueueFields add_queue_fields(FormDialog& form, const std::vector<ExperimentRow>& rows) {
  auto* layout = new QFormLayout();
  layout->setHorizontalSpacing(2 * grid);
  layout->setVerticalSpacing(grid);
  form.body()->addLayout(layout);
  const auto add = [&](const char* name, const QString& title, const QString& now) {
    auto* edit = new QLineEdit(&form);
    edit->setObjectName(QLatin1String(name));
    edit->setPlaceholderText(now);
    layout->addRow(title, edit);
    return edit;
  };
  const auto limit = [](const ExperimentRow& row) {
    return row.max_slots ? integer(*row.max_slots) : QStringLiteral("no limit");
  };
  return {
      add("priority", QStringLiteral("&Priority, 1 is first"),
          shared_text(rows, [](const ExperimentRow& row) { return integer(row.priority); })),
      add("weight", QStringLiteral("&Weight of its fair share"),
          shared_text(rows, [](const ExperimentRow& row) { return number(row.weight); })),
      add("max_slots", QStringLiteral("&Slots at most, 0: no limit"), shared_text(rows, limit))};
}

// What is typed, as numbers; empty: it is filled in well.
QString read_fields(const QueueFields& fields, v1::EditExperimentRequest& patch) {
  const auto wrong = [](const QLineEdit* edit, const char* what) {
    return QStringLiteral("%1 is not %2").arg(one_line(edit->text(), 40), QLatin1String(what));
  };
  bool is_number = true;
  const auto whole = [&](const QLineEdit* edit) { return edit->text().toInt(&is_number); };
  if (!fields.priority->text().isEmpty()) {
    patch.set_priority(whole(fields.priority));
    if (!is_number) return wrong(fields.priority, "a whole number");
  }
  if (!fields.weight->text().isEmpty()) {
    patch.set_weight(fields.weight->text().toDouble(&is_number));
    if (!is_number) return wrong(fields.weight, "a number");
  }
  if (!fields.max_slots->text().isEmpty()) {
    patch.set_max_slots(whole(fields.max_slots));
    if (!is_number) return wrong(fields.max_slots, "a whole number");
  }
  const bool is_empty = !patch.has_priority() && !patch.has_weight() && !patch.has_max_slots();
  return is_empty ? QStringLiteral("Nothing is changed yet") : QString();
}

Result<Outcomes> edit_all(const client::Client& client, const Options& options, const Ids& ids,
                          const v1::EditExperimentRequest& patch) {
  Outcomes outcomes;
  for (const std::int64_t id : ids) {
    v1::EditExperimentRequest request = patch;
    request.set_id(id);
    const auto edited =
        client.call<v1::Experiments>(&v1::Experiments::Stub::EditExperiment, request, options);
    outcomes.push_back({.experiment = id, .problem = edited.status(), .note = {}});
  }
  return outcomes;
}

}  // namespace

void change_experiments(Session& session, Verb verb, const Ids& ids, QWidget* parent) {
  if (!is_destructive(verb)) return perform(session, verb, ids);
  ask_question(question_for(verb, known_rows(session, ids)), parent,
               [&session, verb, ids] { perform(session, verb, ids); });
}

void continue_experiments(Session& session, const Ids& ids, QWidget* parent) {
  ask_to_continue(session, names_of(known_rows(session, ids)), parent,
                  [ids](const client::Client& client, const Options& options,
                        const v1::ContinueExperimentRequest& changes) {
                    return continue_all(client, options, ids, changes);
                  });
}

void continue_trial(Session& session, std::int64_t trial_id, QWidget* parent) {
  ask_to_continue(session, QStringLiteral("trial %1").arg(trial_id), parent,
                  [trial_id](const client::Client& client, const Options& options,
                             const v1::ContinueExperimentRequest& changes) {
                    return continue_its_trial(client, options, trial_id, changes);
                  });
}

void queue_experiments(Session& session, const Ids& ids, QWidget* parent) {
  const std::vector<ExperimentRow> rows = known_rows(session, ids);
  auto* form = new FormDialog(
      {.headline = QStringLiteral("Place in the queue of %1").arg(names_of(rows)),
       .text = QStringLiteral("What is left empty stays as it is. Above a lowered limit the "
                              "youngest trials checkpoint and wait."),
       .yes = QStringLiteral("Change")},
      parent);
  const QueueFields fields = add_queue_fields(*form, rows);
  QObject::connect(form, &FormDialog::wanted, form, [&session, form, fields, ids] {
    v1::EditExperimentRequest patch;
    const QString wrong = read_fields(fields, patch);
    if (!wrong.isEmpty()) return form->show_problem(wrong);
    give(
        session,
        [ids, patch](const client::Client& client, const Options& options) {
          return edit_all(client, options, ids, patch);
        },
        answer_to(form, session, QStringLiteral("changed the place in the queue of")));
  });
  form->open();
}

std::vector<ExperimentRow> known_rows(const Session& session, const Ids& ids) {
  std::vector<ExperimentRow> rows;
  for (const std::int64_t id : ids) {
    const ExperimentRow* known = session.experiments.find(id);
    ExperimentRow row;
    row.id = id;
    rows.push_back(known ? *known : row);
  }
  return rows;
}

}  // namespace dt::gui
