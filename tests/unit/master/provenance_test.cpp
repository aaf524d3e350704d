// All that is known of a trial as facts; and what a client may send.
#include "master/provenance.h"

#include <gtest/gtest.h>

namespace dt::master {
namespace {

namespace v1 = ::dovetail::v1;

v1::Provenance submitted() {
  v1::Provenance provenance;
  provenance.set_git_commit("1a2b3c");
  provenance.set_git_branch("main");
  provenance.set_git_dirty(true);
  provenance.set_git_diff("-a\n+ü\n");
  provenance.set_command_line("dtctl experiment create a.yaml .");
  provenance.set_user("ada");
  provenance.set_host("laptop");
  return provenance;
}

Value node(const char* name, const char* value) {
  return Value().set("node", Value::Array{Value().set("name", name).set("value", value)});
}

// "source.commit=1a2b3c; …"
std::string text(const std::vector<v1::Fact>& facts) {
  std::string out;
  for (const v1::Fact& fact : facts) {
    out += cat(out.empty() ? "" : "; ", fact.group(), ".", fact.name(), "=", fact.value());
  }
  return out;
}

TEST(Provenance, IsReadBackAsItWasStored) {
  const v1::Provenance again = provenance_of(provenance_value(submitted()));
  EXPECT_EQ(again.SerializeAsString(), submitted().SerializeAsString());
  EXPECT_EQ(provenance_of(Value()).SerializeAsString(), "");
}

TEST(Provenance, ListsWhatIsKnownInTheOrderOfInterest) {
  TrialFacts trial{.provenance = provenance_value(submitted()), .agent_names = {{{"a"}, "node1"}}};
  trial.experiment.context = {"c0ffee"};
  trial.experiment.owner = "admin";
  trial.experiment.forked_from = {7};
  trial.run.records = {
      {.agent = {"b"}, .stream = -2, .body = node("os", "Debian")},
      {.agent = {"a"}, .stream = -1, .body = node("gpu", "8 × H200")},
      {.agent = {"a"},
       .stream = 0,
       .kind = core::RecordKind::hello,
       .body = Value().set("software", Value()
                                           .set("python", "3.11")
                                           .set("packages", Value().set("torch", "2.11.0")))}};
  EXPECT_EQ(text(facts_of(trial)),
            "source.commit=1a2b3c; source.branch=main; source.changes=uncommitted changes; "
            "source.diff=-a\n+ü\n; source.context=c0ffee; "
            "submit.command=dtctl experiment create a.yaml .; submit.user=ada; "
            "submit.host=laptop; submit.owner=admin; submit.forked from=7; "
            "node node1.gpu=8 × H200; node b.os=Debian; "
            "software.python=3.11; software.torch=2.11.0");
}

TEST(Provenance, NamesRanksWithAnotherSoftware) {
  TrialFacts trial;
  const auto hello = [](int rank, const char* version) {
    return RunRecord{.stream = rank,
                     .kind = core::RecordKind::hello,
                     .body = Value().set("software", Value().set("libtorch", version))};
  };
  trial.run.records = {hello(0, "2.11"), hello(1, "2.11"), hello(2, "2.10")};
  EXPECT_EQ(text(facts_of(trial)), "software.libtorch=2.11; software of rank 2.libtorch=2.10");
}

TEST(Provenance, OfAnOddRecordIsLeftOut) {
  TrialFacts trial;
  trial.run.records = {
      {.stream = -1, .body = Value().set("node", 7)},
      {.stream = 0, .kind = core::RecordKind::hello, .body = Value().set("software", "all of it")},
      {.stream = 1, .kind = core::RecordKind::hello, .body = Value()}};
  EXPECT_EQ(text(facts_of(trial)), "");
}

TEST(Provenance, BeyondItsLimitsIsRefused) {
  v1::Provenance provenance = submitted();
  EXPECT_EQ(check_provenance(provenance).text(), "");
  provenance.set_git_diff(std::string(1024 * 1024 + 1, 'x'));
  EXPECT_EQ(check_provenance(provenance).text(),
            "provenance.git_diff: 1048577 bytes, at most 1048576 are kept (cut it, and set "
            "git_diff_cut for a diff)");
  provenance.clear_git_diff();
  provenance.set_folder(std::string(40'000, 'x'));
  EXPECT_EQ(check_provenance(provenance).code(), Code::invalid_argument);
}

}  // namespace
}  // namespace dt::master
