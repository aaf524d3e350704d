// Small words of the window: pages as text, fuzzy names, what a verb does and loses.
#include <gtest/gtest.h>

#include <set>

#include "gui/data/actions.h"
#include "gui/data/fuzzy.h"
#include "gui/data/page_id.h"
#include "gui/data/problem_words.h"
#include "gui/data/run_colors.h"
#include "gui/data/slot_map.h"

namespace dt::gui {
namespace {

TEST(PageId, ComesBackFromItsText) {
  const Link seven{Link::Kind::experiment, 7, {}};
  const Link nine{Link::Kind::trial, 9, {}};
  const std::vector<PageId> ids{Place::experiments,
                                Place::logs,
                                seven,
                                nine,
                                Link{Link::Kind::agent, 0, "box, with comma"},
                                Comparison{{nine, {Link::Kind::trial, 10, {}}}},
                                Fork{7},
                                LogOf{9, 5}};
  for (const PageId& id : ids) {
    const auto back = page_from_text(to_text(id));
    ASSERT_TRUE(back) << to_text(id).toStdString();
    EXPECT_TRUE(*back == id) << to_text(id).toStdString();
  }
}

TEST(PageId, WhatIsNoPageIsNone) {
  for (const char* text : {"", "trial", "trial x", "trial -3", "compare ", "compare x", "fork"}) {
    EXPECT_FALSE(page_from_text(text)) << text;
  }
}

TEST(Fuzzy, LettersOccurInOrder) {
  EXPECT_TRUE(fuzzy_score("fa", "fashion-asha"));
  EXPECT_TRUE(fuzzy_score("fsha", "fashion-asha"));
  EXPECT_FALSE(fuzzy_score("af5", "fashion-asha"));
  EXPECT_FALSE(fuzzy_score("aaaaa", "fashion-asha"));
  EXPECT_TRUE(fuzzy_score("", "anything"));
  EXPECT_TRUE(fuzzy_score("go cl", "Go to Cluster"));
}

TEST(Fuzzy, BeginningsOfWordsAndNeighboursCountMore) {
  EXPECT_GT(*fuzzy_score("fa", "fashion-asha"), *fuzzy_score("fa", "xfxa"));
  EXPECT_GT(*fuzzy_score("gc", "Go to Cluster"), *fuzzy_score("gc", "logic"));
  EXPECT_GT(*fuzzy_score("asha", "my asha"), *fuzzy_score("asha", "a-s-h-a-x"));
  EXPECT_GT(*fuzzy_score("mnist", "mnist"), *fuzzy_score("mnist", "mnist with a long name"));
}

ExperimentRow experiment(const char* state, int running = 0) {
  ExperimentRow row;
  row.id = 7;
  row.name = "fashion";
  row.state = state;
  row.trials_running = running;
  return row;
}

TEST(Verbs, FitTheState) {
  EXPECT_TRUE(can(Verb::pause, experiment("ACTIVE")));
  EXPECT_FALSE(can(Verb::pause, experiment("PAUSED")));
  EXPECT_TRUE(can(Verb::activate, experiment("PAUSED")));
  EXPECT_TRUE(can(Verb::kill, experiment("STOPPING_CANCELED")));
  EXPECT_FALSE(can(Verb::kill, experiment("STOPPING_KILLED")));
  for (const Verb verb : {Verb::pause, Verb::activate, Verb::cancel, Verb::kill}) {
    EXPECT_FALSE(can(verb, experiment("COMPLETED")));
    EXPECT_FALSE(can(verb, experiment("DELETING")));
  }
}

TEST(Verbs, OfEndedOnesArePutAwayAndDeleted) {
  ExperimentRow ended = experiment("CANCELED");
  EXPECT_TRUE(can(Verb::archive, ended));
  EXPECT_FALSE(can(Verb::unarchive, ended));
  EXPECT_TRUE(can(Verb::erase, ended));
  ended.is_archived = true;
  EXPECT_FALSE(can(Verb::archive, ended));
  EXPECT_TRUE(can(Verb::unarchive, ended));
  EXPECT_TRUE(can(Verb::erase, experiment("DELETE_FAILED")));
  for (const char* state : {"ACTIVE", "PAUSED", "STOPPING_KILLED", "DELETING"}) {
    EXPECT_FALSE(can(Verb::archive, experiment(state))) << state;
    EXPECT_FALSE(can(Verb::erase, experiment(state))) << state;
  }
}

TEST(Verbs, AnEndedOneGoesOnUnlessItsSearchIsComplete) {
  EXPECT_TRUE(can_continue(experiment("CANCELED")));
  EXPECT_TRUE(can_continue(experiment("ERROR")));
  EXPECT_FALSE(can_continue(experiment("ACTIVE")));
  ExperimentRow complete = experiment("COMPLETED");
  complete.searcher = "random";
  EXPECT_FALSE(can_continue(complete));
  complete.searcher = "single";
  EXPECT_TRUE(can_continue(complete));
}

TEST(Verbs, DeletingNamesWhatIsLost) {
  ExperimentRow row = experiment("COMPLETED");
  row.trials = 12;
  const Question question = question_for(Verb::erase, {row});
  EXPECT_EQ(question.headline, "Delete experiment 7, fashion?");
  EXPECT_EQ(question.text,
            "12 trials with all metrics, logs and checkpoints will be removed for ever.");
  EXPECT_EQ(question.button, "Delete experiment");
}

TEST(Outcomes, NameEachFailureAndCountTheRest) {
  Outcomes outcomes{{.experiment = 1, .problem = {}, .note = "its files stay in /data"}};
  for (std::int64_t id = 2; id < 10; ++id) {
    outcomes.push_back({.experiment = id, .problem = not_found("experiment ", id), .note = {}});
  }
  EXPECT_EQ(done_in(outcomes), std::vector<std::int64_t>{1});
  EXPECT_EQ(notes_in(outcomes), "experiment 1: its files stay in /data");
  EXPECT_EQ(problems_in(outcomes),
            "experiment 2\nexperiment 3\nexperiment 4\nexperiment 5\nand 4 more");
}

TEST(Verbs, TheQuestionNamesWhatIsLost) {
  const Question kill = question_for(Verb::kill, {experiment("ACTIVE", 3)});
  EXPECT_EQ(kill.headline, "Kill experiment 7, fashion?");
  EXPECT_TRUE(kill.text.contains("3 running trials")) << kill.text.toStdString();
  EXPECT_TRUE(kill.text.contains("since its last checkpoint is lost") ||
              kill.text.contains("since their last checkpoint is lost"));
  const Question idle = question_for(Verb::kill, {experiment("PAUSED"), experiment("PAUSED")});
  EXPECT_EQ(idle.headline, "Kill 2 experiments?");
  EXPECT_TRUE(idle.text.contains("no training is lost"));
}

TEST(Verbs, HaveADtctlCommand) {
  EXPECT_EQ(dtctl_command(Verb::kill, {7, 9}), "dtctl experiment kill 7 9");
  EXPECT_EQ(dtctl_command(Link{Link::Kind::trial, 9, {}}), "dtctl trial describe 9");
}

TEST(ProblemWords, AreASentenceWithoutTransport) {
  const Status refused = unavailable(
      "the master at box:8081 cannot be reached: failed to connect to all addresses; last error: "
      "UNKNOWN: ipv4:10.0.0.1:8081: Failed to connect to remote host: Connection refused");
  EXPECT_EQ(problem_text(refused), "The master at box:8081 cannot be reached: connection refused.");
  const Status hostile = not_found("trial \x1b[31m<b>7</b>").with_hint("is it running?");
  EXPECT_EQ(problem_text(hostile).toStdString(), "Trial ␛[31m<b>7</b>.");
  EXPECT_EQ(problem_hint(hostile), "Is it running?");
  EXPECT_EQ(problem_line(hostile).toStdString(), "Trial ␛[31m<b>7</b>. Is it running?");
  EXPECT_EQ(problem_text(unavailable("")), "");
}

TEST(RunColors, OneRunHasOneStyleAndManyDiffer) {
  RunColors colors;
  const Link nine{Link::Kind::trial, 9, {}};
  const RunStyle first = colors.style(nine, false);
  std::set<std::pair<QString, int>> styles;
  for (std::int64_t id = 1; id <= 48; ++id) {
    const RunStyle style = colors.style({Link::Kind::trial, id, {}}, false);
    styles.insert({style.color.name(), static_cast<int>(style.dash)});
  }
  EXPECT_EQ(styles.size(), 48u);  // twelve hues by four dashes
  EXPECT_EQ(colors.style(nine, false), first);
  EXPECT_NE(colors.style(nine, true).color, first.color);
}

AgentRow agent(int slots_in_use, int slots_free, const char* state = "connected") {
  AgentRow row;
  row.name = "box";
  row.state = state;
  for (int i = 0; i < slots_in_use + slots_free; ++i) {
    SlotRow slot;
    if (i < slots_in_use) slot.allocation = "1.4";
    row.slots.push_back(slot);
  }
  return row;
}

TEST(SlotMap, IsSummedUp) {
  EXPECT_EQ(summary_of({agent(3, 1), agent(0, 4), agent(1, 0, "silent")}),
            "3 agents, 4 of 9 slots in use, 1 agent silent");
  AgentRow ordered = agent(0, 2);
  ordered.admission = "draining";
  ordered.slots[0].is_disabled = true;
  EXPECT_EQ(summary_of({ordered}),
            "1 agent, 0 of 2 slots in use, 1 agent draining, 1 slot disabled");
}

TEST(SlotMap, TilesLieInTheirCardsAndNeverOverlap) {
  std::vector<AgentRow> agents;
  for (int i = 0; i < 9; ++i) agents.push_back(agent(i % 5, i));
  for (const int width : {300, 800, 1'600}) {
    const SlotMap map = lay_out(agents, width);
    for (std::size_t i = 0; i < map.tiles.size(); ++i) {
      EXPECT_TRUE(map.cards[map.tiles[i].agent].contains(map.tiles[i].rect));
      for (std::size_t j = 0; j < i; ++j) {
        EXPECT_FALSE(map.tiles[i].rect.intersects(map.tiles[j].rect));
      }
    }
    for (std::size_t i = 0; i < map.cards.size(); ++i) {
      EXPECT_LE(map.cards[i].bottom(), map.height);
      for (std::size_t j = 0; j < i; ++j) EXPECT_FALSE(map.cards[i].intersects(map.cards[j]));
    }
  }
}

}  // namespace
}  // namespace dt::gui
