// Verbs, edits and deletion through the real master, as dtctl calls them.
#include <filesystem>
#include <fstream>

#include "dovetail/v1/admin.grpc.pb.h"
#include "dovetail/v1/experiment.grpc.pb.h"
#include "dovetail/v1/watch.grpc.pb.h"
#include "formats/sha256.h"
#include "master/blobs.h"
#include "tests/unit/master/fixture.h"

namespace dt::master {
namespace {

namespace v1 = ::dovetail::v1;
using Stub = v1::Experiments::Stub;

v1::CreateExperimentRequest paused_experiment() {
  v1::CreateExperimentRequest request;
  request.set_config_yaml(
      "name: one\nentrypoint: ./train\nsearcher: {name: single, metric: loss}\nlabels: [old]\n");
  request.set_paused(true);  // no agent is there to run it
  return request;
}

std::int64_t create(const client::Client& person) {
  const auto made = person.call<v1::Experiments>(&Stub::CreateExperiment, paused_experiment());
  EXPECT_TRUE(made.ok()) << made.status().text();
  return made->experiment_id();
}

std::string order(const client::Client& person, std::int64_t id, v1::ExperimentVerb verb) {
  v1::ChangeExperimentRequest request;
  request.set_id(id);
  request.set_verb(verb);
  const auto done = person.call<v1::Experiments>(&Stub::ChangeExperiment, request);
  return done.ok() ? done->state() : done.status().text();
}

v1::Experiment look_at(const client::Client& person, std::int64_t id) {
  v1::GetExperimentRequest request;
  request.set_id(id);
  const auto got = person.call<v1::Experiments>(&Stub::GetExperiment, request);
  EXPECT_TRUE(got.ok()) << got.status().text();
  return got->experiment();
}

bool is_listed(const client::Client& person, std::int64_t id, bool archived) {
  v1::ListExperimentsRequest request;
  request.set_archived(archived);
  const auto page = person.call<v1::Experiments>(&Stub::ListExperiments, request);
  for (const v1::Experiment& one : page->experiments()) {
    if (one.id() == id) return true;
  }
  return false;
}

TEST(Verbs, AnArchivedExperimentIsListedOnRequestOnly) {
  const client::Client person = real_master().person();
  const std::int64_t id = create(person);
  EXPECT_NE(order(person, id, v1::EXPERIMENT_VERB_ARCHIVE).find("is PAUSED; cannot archive it"),
            std::string::npos);
  EXPECT_EQ(order(person, id, v1::EXPERIMENT_VERB_KILL), "CANCELED");
  EXPECT_EQ(order(person, id, v1::EXPERIMENT_VERB_ARCHIVE), "CANCELED");
  EXPECT_TRUE(look_at(person, id).archived());
  EXPECT_FALSE(is_listed(person, id, false));
  EXPECT_TRUE(is_listed(person, id, true));
  EXPECT_EQ(order(person, id, v1::EXPERIMENT_VERB_UNARCHIVE), "CANCELED");
  EXPECT_TRUE(is_listed(person, id, false));
}

TEST(Verbs, ManyHaveAResultEach) {
  const client::Client person = real_master().person();
  v1::CreateExperimentsRequest submit;
  *submit.add_experiments() = paused_experiment();
  submit.add_experiments()->set_config_yaml("nonsense: 1\n");
  *submit.add_experiments() = paused_experiment();
  const auto made = person.call<v1::Experiments>(&Stub::CreateExperiments, submit);
  ASSERT_TRUE(made.ok()) << made.status().text();
  ASSERT_EQ(made->results_size(), 3);
  EXPECT_EQ(made->results(2).experiment_id(), made->results(0).experiment_id() + 1);
  EXPECT_EQ(made->results(1).error().code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_NE(made->results(1).error().message().find("nonsense"), std::string::npos);

  v1::ChangeExperimentsRequest kill;
  kill.set_verb(v1::EXPERIMENT_VERB_KILL);
  for (const std::int64_t id :
       {made->results(0).experiment_id(), std::int64_t{99'999}, made->results(2).experiment_id()}) {
    kill.add_ids(id);
  }
  const auto killed = person.call<v1::Experiments>(&Stub::ChangeExperiments, kill);
  ASSERT_TRUE(killed.ok()) << killed.status().text();
  EXPECT_EQ(killed->results(0).state(), "CANCELED");
  EXPECT_EQ(killed->results(1).error().code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(killed->results(1).error().message(), "experiment 99999 does not exist");
  EXPECT_EQ(killed->results(2).state(), "CANCELED");
  const auto again = person.call<v1::Experiments>(&Stub::ChangeExperiments, kill);
  EXPECT_NE(again->results(0).error().message().find("is CANCELED; cannot kill it"),
            std::string::npos);
}

TEST(Verbs, WhatPeopleWriteIsKeptAndWhatIsWrongIsNamed) {
  const client::Client person = real_master().person();
  v1::EditExperimentRequest request;
  request.set_id(create(person));
  request.set_name("renamed");
  request.set_notes("look at step 300");
  request.add_add_labels("new");
  request.add_remove_labels("old");
  request.set_priority(7);
  request.set_weight(2.5);
  request.set_max_slots(3);
  ASSERT_EQ(person.call<v1::Experiments>(&Stub::EditExperiment, request).status().text(), "");
  real_master().restart();
  const client::Client again = real_master().person();
  const v1::Experiment shown = look_at(again, request.id());
  EXPECT_EQ(shown.name(), "renamed");
  EXPECT_EQ(shown.notes(), "look at step 300");
  ASSERT_EQ(shown.labels_size(), 1);
  EXPECT_EQ(shown.labels(0), "new");
  EXPECT_EQ(shown.priority(), 7);
  EXPECT_EQ(shown.weight(), 2.5);
  EXPECT_EQ(shown.max_slots(), 3);
  request.set_priority(1000);
  const auto wrong = again.call<v1::Experiments>(&Stub::EditExperiment, request);
  EXPECT_EQ(wrong.status().detail().path, "resources.priority") << wrong.status().text();
}

TEST(Verbs, AKilledSearchGoesOn) {
  const client::Client person = real_master().person();
  v1::ContinueExperimentRequest request;
  request.set_id(create(person));
  order(person, request.id(), v1::EXPERIMENT_VERB_KILL);
  request.add_overrides("hyperparameters.steps=9");
  const auto went_on = person.call<v1::Experiments>(&Stub::ContinueExperiment, request);
  ASSERT_TRUE(went_on.ok()) << went_on.status().text();
  EXPECT_EQ(went_on->trial_ids_size(), 1);
  EXPECT_EQ(look_at(person, request.id()).state(), "ACTIVE");
  EXPECT_EQ(order(person, request.id(), v1::EXPERIMENT_VERB_KILL), "CANCELED");
}

TEST(Verbs, ADeletedExperimentIsGoneAndWatchHearsOfIt) {
  const client::Client person = real_master().person();
  const std::int64_t id = create(person);
  order(person, id, v1::EXPERIMENT_VERB_KILL);
  v1::WatchRequest watch;
  watch.set_experiment_id(id);
  watch.set_from_sequence(1);
  EXPECT_EQ(order(person, id, v1::EXPERIMENT_VERB_DELETE), "DELETING");
  v1::GetExperimentRequest get;
  get.set_id(id);
  const Status heard =
      person.read<v1::Watch>(&v1::Watch::Stub::Watch, watch, [&](const v1::WatchEvent&) {
        const auto got = person.call<v1::Experiments>(&Stub::GetExperiment, get);
        return got.ok();  // until it is gone
      });
  EXPECT_TRUE(heard.ok()) << heard.text();
  EXPECT_EQ(order(person, id, v1::EXPERIMENT_VERB_DELETE), cat("experiment ", id, " is deleted"));
}

TEST(Verbs, AnAgentThatIsNotThereCannotBeDrained) {
  v1::SetAgentStateRequest request;
  request.set_id("nobody");
  request.set_admission("lazy");
  const client::Client person = real_master().person();
  EXPECT_EQ(person.call<v1::Admin>(&v1::Admin::Stub::SetAgentState, request).status().text(),
            "admission: \"lazy\" is not known (enabled, draining or disabled)");
  request.set_admission("draining");
  EXPECT_EQ(person.call<v1::Admin>(&v1::Admin::Stub::SetAgentState, request).status().text(),
            "agent nobody does not exist (dtctl agent list)");
}

TEST(LogPolicies, APatternThatCannotBeReadIsNamed) {
  v1::ValidateConfigRequest request;
  request.set_config_yaml(
      "entrypoint: a\nsearcher: {name: single, metric: loss}\nlog_policies:\n  - {name: x, "
      "pattern: "
      "'a('}\n");
  const auto checked = real_master().person().call<v1::Experiments>(&Stub::ValidateConfig, request);
  ASSERT_TRUE(checked.ok()) << checked.status().text();
  ASSERT_EQ(checked->errors_size(), 1);
  EXPECT_EQ(checked->errors(0).path(), "log_policies[0].pattern");
  EXPECT_EQ(checked->errors(0).line(), 4);
}

class CondemnedBlobs : public ::testing::Test {
 protected:
  CondemnedBlobs() {
    std::string pattern = (std::filesystem::temp_directory_path() / "dt-blobs-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~CondemnedBlobs() override { std::filesystem::remove_all(folder_); }

  std::string keep(const Blobs& blobs, const std::string& text) {
    const std::string sha256 = sha256_hex(text);
    const auto writer = blobs.write(sha256);
    EXPECT_TRUE(writer.ok() && (*writer)->append(text).ok() && (*writer)->keep().ok());
    return sha256;
  }

  std::string folder_;
};

TEST_F(CondemnedBlobs, AreGoneOrBackAndNeverHalfWay) {
  const Blobs blobs = *Blobs::open(folder_);
  const std::string gone = keep(blobs, "gone"), back = keep(blobs, "back"),
                    crash = keep(blobs, "x");
  for (const std::string& sha256 : {gone, back, crash}) {
    EXPECT_TRUE(blobs.condemn(sha256).ok());
    EXPECT_FALSE(blobs.has(sha256)) << "whoever needs it stores it again";
  }
  EXPECT_TRUE(blobs.remove_condemned(gone).ok());
  EXPECT_FALSE(blobs.has(gone));
  EXPECT_TRUE(blobs.put_back(back).ok());
  EXPECT_TRUE(blobs.has(back));
  EXPECT_TRUE(Blobs::open(folder_)->has(crash)) << "a crash puts it back";
  EXPECT_TRUE(blobs.condemn("0123").ok()) << "what is not there is no trouble";
}

}  // namespace
}  // namespace dt::master
