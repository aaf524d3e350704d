// The services against a real master and PostgreSQL, called as dtctl and an agent call them.
#include <archive.h>
#include <archive_entry.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "dovetail/v1/admin.grpc.pb.h"
#include "dovetail/v1/agent.grpc.pb.h"
#include "dovetail/v1/context.grpc.pb.h"
#include "dovetail/v1/experiment.grpc.pb.h"
#include "dovetail/v1/job.grpc.pb.h"
#include "dovetail/v1/metrics.grpc.pb.h"
#include "dovetail/v1/trial.grpc.pb.h"
#include "dovetail/v1/watch.grpc.pb.h"
#include "formats/json.h"
#include "formats/sha256.h"
#include "tests/unit/master/fixture.h"

namespace dt::master {
namespace {

namespace v1 = ::dovetail::v1;

constexpr const char* single =
    "name: one\nentrypoint: ./train\nsearcher: {name: single, metric: loss}\n";

v1::CreateExperimentRequest create_request(const std::string& yaml) {
  v1::CreateExperimentRequest request;
  request.set_config_yaml(yaml);
  request.set_paused(true);  // no agent is there to run it
  return request;
}

TEST(Experiments, EveryProblemIsToldAtItsLine) {
  v1::ValidateConfigRequest request;
  request.set_config_yaml("entrypiont: x\nsearcher: {name: single}\nmax_restarts: many\n");
  const auto checked =
      real_master().person().call<v1::Experiments>(&v1::Experiments::Stub::ValidateConfig, request);
  ASSERT_TRUE(checked.ok()) << checked.status().text();
  std::map<std::string, int> lines;
  for (const auto& problem : checked->errors()) lines[problem.path()] = problem.line();
  EXPECT_EQ(lines["entrypiont"], 1);
  EXPECT_EQ(lines["max_restarts"], 3);
  EXPECT_EQ(lines["searcher.metric"], 2);
  EXPECT_TRUE(checked->resolved_json().empty());
}

TEST(Experiments, OverridesLieOnTopOfTheText) {
  v1::ValidateConfigRequest request;
  request.set_config_yaml(single);
  request.add_overrides("max_restarts=9");
  request.add_overrides("hyperparameters.lr={type: double, minval: 0, maxval: 1}");
  const auto checked =
      real_master().person().call<v1::Experiments>(&v1::Experiments::Stub::ValidateConfig, request);
  ASSERT_TRUE(checked.ok()) << checked.status().text();
  const Value resolved = parse_json(checked->resolved_json()).value();
  EXPECT_EQ(resolved["max_restarts"], Value(9));
  EXPECT_EQ(resolved["hyperparameters"]["lr"]["type"], Value("double"));
}

TEST(Experiments, ARepeatedRequestHasOneEffectAndAnotherOneIsRefused) {
  const client::Client person = real_master().person();
  v1::CreateExperimentRequest request = create_request(single);
  request.set_request_id("one-effect");
  const auto first =
      person.call<v1::Experiments>(&v1::Experiments::Stub::CreateExperiment, request);
  ASSERT_TRUE(first.ok()) << first.status().text();
  real_master().restart();
  const client::Client again = real_master().person();
  const auto repeat =
      again.call<v1::Experiments>(&v1::Experiments::Stub::CreateExperiment, request);
  ASSERT_TRUE(repeat.ok()) << repeat.status().text();
  EXPECT_EQ(repeat->experiment_id(), first->experiment_id());
  request.set_config_yaml(cat(single, "max_restarts: 1\n"));
  const auto other = again.call<v1::Experiments>(&v1::Experiments::Stub::CreateExperiment, request);
  EXPECT_FALSE(other.ok());
}

TEST(Experiments, PagesAreCompleteAndNewestFirst) {
  const client::Client person = real_master().person();
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(
        person
            .call<v1::Experiments>(&v1::Experiments::Stub::CreateExperiment, create_request(single))
            .ok());
  }
  v1::ListExperimentsRequest request;
  request.mutable_page()->set_size(2);
  std::vector<std::int64_t> ids;
  do {
    const auto page =
        person.call<v1::Experiments>(&v1::Experiments::Stub::ListExperiments, request);
    ASSERT_TRUE(page.ok()) << page.status().text();
    EXPECT_LE(page->experiments_size(), 2);
    for (const auto& experiment : page->experiments()) ids.push_back(experiment.id());
    request.mutable_page()->set_token(page->next_page_token());
  } while (!request.page().token().empty());
  EXPECT_GE(ids.size(), 5u);
  EXPECT_TRUE(std::is_sorted(ids.rbegin(), ids.rend()));
  EXPECT_EQ(std::set<std::int64_t>(ids.begin(), ids.end()).size(), ids.size());
}

TEST(Experiments, PagesBeyondTheLimitAreRefusedWithIt) {
  const client::Client person = real_master().person();
  v1::ListExperimentsRequest request;
  request.mutable_page()->set_size(20'001);
  const auto large = person.call<v1::Experiments>(&v1::Experiments::Stub::ListExperiments, request);
  EXPECT_EQ(large.status().text(),
            "page.size: 20001 is not within 1 to 20000 (ask for at most 20000 and go on with the "
            "answer's next_page_token)");
  request.mutable_page()->set_size(0);
  request.mutable_page()->set_token("yesterday");
  const auto odd = person.call<v1::Experiments>(&v1::Experiments::Stub::ListExperiments, request);
  EXPECT_EQ(odd.status().message(), "page.token: \"yesterday\" is no token of this list");
}

TEST(Experiments, ListsShowLabelsDescriptionAndSlots) {
  const client::Client person = real_master().person();
  ASSERT_TRUE(person
                  .call<v1::Experiments>(
                      &v1::Experiments::Stub::CreateExperiment,
                      create_request(cat(single, "labels: [fast, ünï]\ndescription: why\n",
                                         "resources: {slots_per_trial: 3}\n")))
                  .ok());
  const auto listed = person.call<v1::Experiments>(&v1::Experiments::Stub::ListExperiments, {});
  const v1::Experiment& newest = listed->experiments(0);
  EXPECT_EQ(newest.description(), "why");
  ASSERT_EQ(newest.labels_size(), 2);
  EXPECT_EQ(newest.labels(1), "ünï");
  EXPECT_EQ(newest.slots_per_trial(), 3);
  EXPECT_EQ(newest.searcher(), "single");
  EXPECT_EQ(newest.metric(), "loss");
  EXPECT_TRUE(newest.config_yaml().empty());
}

TEST(Experiments, AForkNamesItsParentAndKeepsWhereTheCodeCameFrom) {
  const client::Client person = real_master().person();
  v1::CreateExperimentRequest request = create_request(single);
  request.add_overrides("max_restarts=9");
  request.mutable_provenance()->set_git_commit("1a2b3c");
  request.mutable_provenance()->set_git_diff("-a\n+ü\n");
  const auto parent =
      person.call<v1::Experiments>(&v1::Experiments::Stub::CreateExperiment, request);
  ASSERT_TRUE(parent.ok()) << parent.status().text();
  v1::GetExperimentRequest get;
  get.set_id(parent->experiment_id());
  const v1::Experiment old =
      person.call<v1::Experiments>(&v1::Experiments::Stub::GetExperiment, get)->experiment();
  EXPECT_EQ(old.provenance().git_diff(), "-a\n+ü\n");
  EXPECT_EQ(old.forked_from(), 0);

  request = create_request(old.config_yaml());  // has what the overrides made of it
  request.set_forked_from(old.id());
  const auto child =
      person.call<v1::Experiments>(&v1::Experiments::Stub::CreateExperiment, request);
  ASSERT_TRUE(child.ok()) << child.status().text();
  get.set_id(child->experiment_id());
  const v1::Experiment forked =
      person.call<v1::Experiments>(&v1::Experiments::Stub::GetExperiment, get)->experiment();
  EXPECT_EQ(forked.forked_from(), old.id());
  EXPECT_EQ(parse_json(forked.config_json()).value()["max_restarts"], Value(9));
  EXPECT_FALSE(forked.has_provenance());

  request.set_forked_from(777'777);
  const auto orphan =
      person.call<v1::Experiments>(&v1::Experiments::Stub::CreateExperiment, request);
  EXPECT_EQ(orphan.status().message(), "experiment 777777 does not exist");
}

// --- searches before and while they run

constexpr const char* halving =
    "entrypoint: ./train\n"
    "hyperparameters: {lr: {type: double, minval: 0, maxval: 1}}\n"
    "searcher: {name: async_halving, metric: loss, max_trials: 12, max_concurrent_trials: 4,\n"
    "           num_rungs: 3, divisor: 4, max_time: 1600}\n"
    "reproducibility: {experiment_seed: 7}\n";

v1::PreviewSearchResponse preview(const std::string& yaml) {
  v1::PreviewSearchRequest request;
  request.set_config_yaml(yaml);
  const auto got =
      real_master().person().call<v1::Experiments>(&v1::Experiments::Stub::PreviewSearch, request);
  EXPECT_TRUE(got.ok()) << got.status().text();
  return got.value_or({});
}

TEST(PreviewSearch, TellsRungsTotalsAndTheFirstHyperparameters) {
  const v1::PreviewSearchResponse got = preview(halving);
  EXPECT_EQ(got.errors_size() + got.warnings_size(), 0);
  EXPECT_EQ(got.trials(), 12);
  EXPECT_EQ(got.unit(), "batches");
  EXPECT_EQ(got.max_concurrent_trials(), 4);
  EXPECT_EQ(got.slots_per_trial(), 1);
  ASSERT_EQ(got.rungs_size(), 3);
  EXPECT_EQ(got.rungs(0).units(), 100);
  EXPECT_EQ(got.rungs(0).trials(), 12);
  EXPECT_EQ(got.rungs(2).units(), 1600);
  EXPECT_GE(got.rungs(2).trials(), 1);
  EXPECT_GT(got.total_units(), 12 * 100 + 1600);
  EXPECT_EQ(got.first_hparams_json_size(), 12);
}

TEST(PreviewSearch, SaysWhatIsWrongAsValidateConfigDoes) {
  const v1::PreviewSearchResponse got = preview("searcher: {name: random, metric: loss}\n");
  ASSERT_EQ(got.errors_size(), 2);
  EXPECT_EQ(got.errors(0).path(), "entrypoint");
  EXPECT_EQ(got.errors(1).path(), "searcher.max_trials");
  EXPECT_EQ(got.errors(1).line(), 1);
  EXPECT_EQ(got.trials(), 0);
}

TEST(PreviewSearch, WarnsWhereItCannotTellAll) {
  const v1::PreviewSearchResponse got = preview(
      "entrypoint: x\nsearcher: {name: async_halving, metric: loss, max_trials: 50000,\n"
      "  num_rungs: 2, max_time: 8}\n");
  EXPECT_EQ(got.trials(), 50'000);
  EXPECT_EQ(got.rungs(0).trials(), 10'000);
  ASSERT_EQ(got.warnings_size(), 2);
  EXPECT_EQ(got.warnings(0),
            "the search is too large to play through: rungs and total are those of its first 10000 "
            "of 50000 trials");
}

TEST(GetSearch, TellsTheRungsOfARunningSearch) {
  const client::Client person = real_master().person();
  const auto created = person.call<v1::Experiments>(&v1::Experiments::Stub::CreateExperiment,
                                                    create_request(halving));
  ASSERT_TRUE(created.ok()) << created.status().text();
  v1::GetSearchRequest request;
  request.set_experiment_id(created->experiment_id());
  const auto search = person.call<v1::Experiments>(&v1::Experiments::Stub::GetSearch, request);
  ASSERT_TRUE(search.ok()) << search.status().text();
  EXPECT_EQ(search->searcher(), "async_halving");
  EXPECT_EQ(search->trials_wanted(), 12);
  ASSERT_EQ(search->rungs_size(), 3);
  EXPECT_EQ(search->rungs(1).units(), 400);
  EXPECT_EQ(search->rungs(0).trials(), 0);
  EXPECT_FALSE(search->rungs(0).has_best_metric());
}

TEST(Trials, FiveThousandAreListedByOneRequest) {
  const client::Client person = real_master().person();
  const auto created = person.call<v1::Experiments>(
      &v1::Experiments::Stub::CreateExperiment,
      create_request("entrypoint: x\nhyperparameters: {lr: {type: double, minval: 0, maxval: 1}}\n"
                     "searcher: {name: random, metric: loss, max_trials: 5000,\n"
                     "           max_concurrent_trials: 0}\n"));
  ASSERT_TRUE(created.ok()) << created.status().text();
  v1::ListTrialsRequest request;
  request.set_experiment_id(created->experiment_id());
  request.mutable_page()->set_size(5'000);
  const auto listed = person.call<v1::Trials>(&v1::Trials::Stub::ListTrials, request);
  ASSERT_TRUE(listed.ok()) << listed.status().text();
  EXPECT_EQ(listed->trials_size(), 5'000);
  EXPECT_EQ(listed->trials(4'999).number(), 4'999);
  EXPECT_EQ(listed->trials(4'999).waiting_reason(), "paused");
  EXPECT_EQ(listed->next_page_token(), "");

  v1::ChangeExperimentRequest kill;  // so that later tests' batches stay small
  kill.set_id(created->experiment_id());
  kill.set_verb(v1::EXPERIMENT_VERB_KILL);
  EXPECT_TRUE(person.call<v1::Experiments>(&v1::Experiments::Stub::ChangeExperiment, kill).ok());
}

TEST(WarmStart, RefusesAnExperimentOfAnotherMetricAndSaysWhatItUsed) {
  const client::Client person = real_master().person();
  const auto submit = [&](const std::string& searcher) {
    return person.call<v1::Experiments>(
        &v1::Experiments::Stub::CreateExperiment,
        create_request(cat("entrypoint: x\nsearcher: {", searcher, "}\n",
                           "hyperparameters: {lr: {type: double, minval: 0, maxval: 1}}\n")));
  };
  const auto earlier = submit("name: random, metric: loss, max_trials: 2");
  ASSERT_TRUE(earlier.ok()) << earlier.status().text();
  const auto id = earlier->experiment_id();
  const auto later =
      submit(cat("name: tpe, metric: loss, max_trials: 2, warm_start: [", id, "]"));
  ASSERT_TRUE(later.ok()) << later.status().text();
  EXPECT_EQ(later->warnings(0), cat("the search begins with what 0 trials of experiment ", id,
                                    " reported; 0 lie outside of its space"));
  const auto other = submit(cat("name: tpe, metric: error, max_trials: 2, warm_start: [", id, "]"));
  EXPECT_EQ(other.status().message(), cat("searcher.warm_start: experiment ", id,
                                          " is compared by another metric than error"));
  const auto absent = submit("name: tpe, metric: loss, max_trials: 2, warm_start: [987654]");
  EXPECT_EQ(absent.status().message().substr(0, 20), "searcher.warm_start:");
}

TEST(Trials, AFilterThinsThePagesOut) {
  const client::Client person = real_master().person();
  const auto created = person.call<v1::Experiments>(
      &v1::Experiments::Stub::CreateExperiment,
      create_request("entrypoint: x\nlabels: [filtered]\n"
                     "hyperparameters: {n: {type: int, minval: 0, maxval: 9, count: 10}}\n"
                     "searcher: {name: grid, metric: loss, max_concurrent_trials: 0}\n"));
  ASSERT_TRUE(created.ok()) << created.status().text();
  v1::ListTrialsRequest request;
  request.set_experiment_id(created->experiment_id());
  request.set_filter("hparams.n >= 7 or hparams.n = 2");
  request.mutable_page()->set_size(3);
  const auto first = person.call<v1::Trials>(&v1::Trials::Stub::ListTrials, request);
  ASSERT_TRUE(first.ok()) << first.status().text();
  ASSERT_EQ(first->trials_size(), 3);
  EXPECT_EQ(first->trials(0).hparams_json(), R"({"n":9})");  // the grid begins at its end
  request.mutable_page()->set_token(first->next_page_token());
  const auto second = person.call<v1::Trials>(&v1::Trials::Stub::ListTrials, request);
  ASSERT_EQ(second->trials_size(), 1);
  EXPECT_EQ(second->trials(0).hparams_json(), R"({"n":2})");
  EXPECT_EQ(second->next_page_token(), "");
  request.set_filter("hparam.n = 1");
  const auto refused = person.call<v1::Trials>(&v1::Trials::Stub::ListTrials, request);
  EXPECT_EQ(refused.status().message(), "filter: there is no column hparam.n");

  v1::ListExperimentsRequest list;
  list.set_filter(R"({"filterGroup": {"kind": "group", "conjunction": "and", "children": [
      {"kind": "field", "columnName": "tags", "operator": "contains", "value": "filtered"}]}})");
  const auto listed = person.call<v1::Experiments>(&v1::Experiments::Stub::ListExperiments, list);
  ASSERT_TRUE(listed.ok()) << listed.status().text();
  ASSERT_EQ(listed->experiments_size(), 1);
  EXPECT_EQ(listed->experiments(0).id(), created->experiment_id());
}

// --- the queue

TEST(Jobs, AreListedAndExplainedAtOnceAfterASubmit) {
  const client::Client person = real_master().person();
  v1::CreateExperimentRequest request = create_request(single);
  request.set_paused(false);
  const auto created =
      person.call<v1::Experiments>(&v1::Experiments::Stub::CreateExperiment, request);
  ASSERT_TRUE(created.ok()) << created.status().text();
  v1::ExplainJobRequest explain;
  explain.set_experiment_id(created->experiment_id());
  const auto why = person.call<v1::Jobs>(&v1::Jobs::Stub::ExplainJob, explain);
  ASSERT_TRUE(why.ok()) << why.status().text();
  EXPECT_EQ(why->job().state(), "queued");
  EXPECT_EQ(why->job().position(), 1);
  ASSERT_EQ(why->trials_size(), 1);
  EXPECT_NE(why->trials(0).reason().find("no agent"), std::string::npos);

  v1::ListJobsRequest list;
  const auto listed = person.call<v1::Jobs>(&v1::Jobs::Stub::ListJobs, list);
  EXPECT_EQ(listed->jobs(listed->jobs_size() - 1).experiment_id(), created->experiment_id());
  list.set_pool("elsewhere");
  EXPECT_EQ(person.call<v1::Jobs>(&v1::Jobs::Stub::ListJobs, list)->jobs_size(), 0);

  v1::ChangeExperimentRequest kill;
  kill.set_id(created->experiment_id());
  kill.set_verb(v1::EXPERIMENT_VERB_KILL);
  ASSERT_TRUE(person.call<v1::Experiments>(&v1::Experiments::Stub::ChangeExperiment, kill).ok());
  const auto ended = person.call<v1::Jobs>(&v1::Jobs::Stub::ExplainJob, explain);
  EXPECT_EQ(ended.status().message(), cat("experiment ", created->experiment_id(),
                                          " is CANCELED: it is not in the queue any more"));
}

// --- metrics

TEST(Metrics, OfNothingInParticularAreRefused) {
  const client::Client person = real_master().person();
  v1::ListSeriesRequest request;
  request.set_name("loss");
  const auto listed = person.call<v1::Metrics>(&v1::Metrics::Stub::ListSeries, request);
  EXPECT_EQ(listed.status().message(),
            "series of what? none of trial_id, trial_ids, experiment_id is given");
  request.set_experiment_id(424'242);
  EXPECT_EQ(person.call<v1::Metrics>(&v1::Metrics::Stub::ListSeries, request).status().message(),
            "experiment 424242 does not exist");
  request.clear_experiment_id();
  request.add_trial_ids(424'242);  // may be gone meanwhile: it has no series
  EXPECT_TRUE(person.call<v1::Metrics>(&v1::Metrics::Stub::ListSeries, request).ok());
}

TEST(Experiments, VerbsAnswerTheStateOrWhyNot) {
  const client::Client person = real_master().person();
  const auto created = person.call<v1::Experiments>(&v1::Experiments::Stub::CreateExperiment,
                                                    create_request(single));
  ASSERT_TRUE(created.ok());
  v1::ChangeExperimentRequest request;
  request.set_id(created->experiment_id());
  request.set_verb(v1::EXPERIMENT_VERB_KILL);
  const auto killed =
      person.call<v1::Experiments>(&v1::Experiments::Stub::ChangeExperiment, request);
  ASSERT_TRUE(killed.ok()) << killed.status().text();
  request.set_verb(v1::EXPERIMENT_VERB_ACTIVATE);
  const auto late = person.call<v1::Experiments>(&v1::Experiments::Stub::ChangeExperiment, request);
  EXPECT_EQ(late.status().code(), Code::failed_precondition);
  request.set_id(99'999);
  const auto unknown =
      person.call<v1::Experiments>(&v1::Experiments::Stub::ChangeExperiment, request);
  EXPECT_EQ(unknown.status().text(), "experiment 99999 does not exist");
}

// --- contexts

using Fill = std::function<void(archive*)>;

std::string packed(const Fill& fill) {
  std::string bytes;
  archive* writer = archive_write_new();
  archive_write_add_filter_gzip(writer);
  archive_write_set_format_pax_restricted(writer);
  archive_write_open2(
      writer, &bytes, nullptr,
      [](archive*, void* out, const void* data, size_t count) {
        static_cast<std::string*>(out)->append(static_cast<const char*>(data), count);
        return static_cast<la_ssize_t>(count);
      },
      nullptr, nullptr);
  fill(writer);
  archive_write_close(writer);
  archive_write_free(writer);
  return bytes;
}

void add(archive* writer, const char* path, unsigned type, const char* link = nullptr) {
  archive_entry* entry = archive_entry_new();
  archive_entry_set_pathname(entry, path);
  archive_entry_set_filetype(entry, type);
  archive_entry_set_perm(entry, 0644);
  if (link) archive_entry_set_symlink(entry, link);
  archive_write_header(writer, entry);
  archive_entry_free(entry);
}

Status upload(const std::string& archive_bytes, const std::string& hash) {
  bool sent = false;
  return real_master()
      .person()
      .write<v1::Contexts>(&v1::Contexts::Stub::UploadContext,
                           [&](v1::UploadContextRequest& piece) {
                             if (std::exchange(sent, true)) return false;
                             piece.set_hash(hash);
                             piece.set_data(archive_bytes);
                             return true;
                           })
      .status();
}

TEST(Contexts, WhatLeavesTheContextIsRefused) {
  const std::pair<const char*, Fill> hostile[] = {
      {"is a link out", [](archive* w) { add(w, "a", AE_IFLNK, "../../etc/passwd"); }},
      {"is a link out", [](archive* w) { add(w, "a", AE_IFLNK, "/etc/passwd"); }},
      {"is not inside", [](archive* w) { add(w, "../a", AE_IFREG); }},
      {"is not inside", [](archive* w) { add(w, "b/../../a", AE_IFREG); }},
      {"is neither a file", [](archive* w) { add(w, "a", AE_IFIFO); }},
  };
  for (const auto& [words, fill] : hostile) {
    const std::string bytes = packed(fill);
    const Status status = upload(bytes, sha256_hex(bytes));
    EXPECT_EQ(status.code(), Code::invalid_argument);
    EXPECT_NE(status.message().find(words), std::string::npos) << status.message();
  }
}

TEST(Contexts, AGoodOneIsKeptByItsHashAndAWrongHashIsNot) {
  const std::string bytes = packed([](archive* w) {
    add(w, "src", AE_IFDIR);
    add(w, "src/main.cpp", AE_IFREG);
    add(w, "link", AE_IFLNK, "src/main.cpp");
  });
  EXPECT_EQ(upload(bytes, std::string(64, 'a')).code(), Code::data_loss);
  EXPECT_TRUE(upload(bytes, sha256_hex(bytes)).ok());
  std::string fetched;
  v1::FetchContextRequest request;
  request.set_hash(sha256_hex(bytes));
  ASSERT_TRUE(real_master()
                  .agent()
                  .read<v1::Contexts>(&v1::Contexts::Stub::FetchContext, request,
                                      [&](const v1::Chunk& chunk) {
                                        fetched += chunk.data();
                                        return true;
                                      })
                  .ok());
  EXPECT_EQ(fetched, bytes);
}

TEST(Contexts, AnUnknownOneIsRefusedAtSubmit) {
  v1::CreateExperimentRequest request = create_request(single);
  request.set_context_hash(std::string(64, 'b'));
  const auto created = real_master().person().call<v1::Experiments>(
      &v1::Experiments::Stub::CreateExperiment, request);
  EXPECT_EQ(created.status().code(), Code::not_found);
}

// --- watch

TEST(Watch, TellsWhatChangedAndResetsAReaderOfTheFuture) {
  const client::Client person = real_master().person();
  std::vector<std::string> heard;
  const Status status = person.read<v1::Watch>(
      &v1::Watch::Stub::Watch, v1::WatchRequest(), [&](const v1::WatchEvent& event) {
        if (event.heartbeat()) {  // the stream stands; now something may happen
          EXPECT_TRUE(person
                          .call<v1::Experiments>(&v1::Experiments::Stub::CreateExperiment,
                                                 create_request(single))
                          .ok());
          return true;
        }
        heard.push_back(event.change().kind());
        return event.change().kind() != "experiment";
      });
  EXPECT_TRUE(status.ok()) << status.text();
  EXPECT_EQ(heard.back(), "experiment");

  v1::WatchRequest future;
  future.set_from_sequence(1'000'000'000);
  bool was_reset = false;
  (void)person.read<v1::Watch>(&v1::Watch::Stub::Watch, future, [&](const v1::WatchEvent& event) {
    was_reset = event.reset();
    return false;
  });
  EXPECT_TRUE(was_reset);
}

// --- the agents' service

TEST(AgentLink, RecordsOfAnUnknownAllocationAreRefused) {
  v1::PushRecordsRequest request;
  request.set_allocation_id("1.424242");
  const auto pushed =
      real_master().agent().call<v1::AgentLink>(&v1::AgentLink::Stub::PushRecords, request);
  EXPECT_EQ(pushed.status().code(), Code::not_found);
  request.set_allocation_id("elephant");
  const auto odd =
      real_master().agent().call<v1::AgentLink>(&v1::AgentLink::Stub::PushRecords, request);
  EXPECT_EQ(odd.status().text(), "\"elephant\" is no allocation id");
}

TEST(AgentLink, ALinkIsAnsweredWithTheClusterAndASession) {
  const client::Client agent = real_master().agent();
  const auto stub = agent.stub<v1::AgentLink>();
  grpc::ClientContext context;
  agent.prepare(context);
  const auto stream = stub->Link(&context);
  v1::AgentMessage hello;
  hello.mutable_hello()->set_agent_id("test-agent");
  hello.mutable_hello()->set_machine_id("m");
  hello.mutable_hello()->set_boot_id("b");
  hello.mutable_hello()->set_name("node");
  hello.mutable_hello()->set_address("127.0.0.1");
  hello.mutable_hello()->set_pool("default");
  v1::SlotMessage* slot = hello.mutable_hello()->add_slots();  // later tests submit to the pool
  slot->set_id("cpu0");
  slot->set_kind("cpu");
  ASSERT_TRUE(stream->Write(hello));
  v1::MasterMessage message;
  do {
    ASSERT_TRUE(stream->Read(&message)) << stream->Finish().error_message();
  } while (!message.has_answer());
  EXPECT_FALSE(message.answer().cluster_id().empty());
  EXPECT_GT(message.answer().session(), 0);
  EXPECT_EQ(message.answer().lease_ms(), 180'000);
  EXPECT_EQ(message.answer().wanted_size(), 0);
  stream->WritesDone();
  while (stream->Read(&message)) {
  }
  EXPECT_TRUE(stream->Finish().ok());
}

}  // namespace
}  // namespace dt::master
