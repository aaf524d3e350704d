#include "agent/allocation.h"

#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <fstream>
#include <string_view>

#include "agent/files.h"
#include "core/agent/lease.h"
#include "core/model/config.h"
#include "formats/json.h"

namespace dt::agent {

namespace {

// One environment variable is at most 128 KiB (MAX_ARG_STRLEN).
constexpr std::size_t config_bytes_max = 120 * 1024;

using Entries = std::map<std::string, Environment::Entry>;

Value values_of(const Entries& entries) {
  Value::Object values;
  for (const auto& [name, entry] : entries) values[name] = entry.value;
  return values;
}

Value own_values(const Environment& environment, const Entries& shared) {
  Entries own = environment.entries();
  for (const auto& [name, entry] : shared) own.erase(name);
  return values_of(own);
}

// What only a shell can run, though it looks like a program.
constexpr std::array words_of_the_shell = {
    "!",        ".",        ":",      "alias", "break",  "case",   "cd",   "command",
    "continue", "eval",     "exec",   "exit",  "export", "for",    "if",   "local",
    "read",     "readonly", "return", "set",   "shift",  "source", "trap", "type",
    "ulimit",   "umask",    "unset",  "until", "wait",   "while"};

// One program with plain words: no operators, quotes or variables.
bool is_plain_command(const std::string& text) {
  constexpr std::string_view plain_signs = "_@%+=:,./- ";
  const std::string first = text.substr(0, text.find(' '));
  const auto is_plain = [&](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || plain_signs.find(c) != plain_signs.npos;
  };
  const bool is_of_the_shell = std::find(words_of_the_shell.begin(), words_of_the_shell.end(),
                                         first) != words_of_the_shell.end();
  return !first.empty() && !is_of_the_shell && first.find('=') == first.npos &&
         std::all_of(text.begin(), text.end(), is_plain);
}

// A plain command takes the shell's place: the kernel ends a rank with its shim (PDEATHSIG), and a
// shell between the two (dash keeps itself there) would not pass that on.
Value argv_of(const std::vector<std::string>& command) {
  if (command.size() == 1) {
    const bool plain = is_plain_command(command[0]);
    return Value::Array{"/bin/sh", "-c", plain ? "exec " + command[0] : command[0]};
  }
  return Value::Array(command.begin(), command.end());
}

Value ranks_of(const core::Assignment& assignment) {
  const auto slots = static_cast<int>(assignment.slot_ids.size());
  Value::Array ranks;
  for (int i = 0; i < std::max(slots, 1); ++i) ranks.emplace_back(assignment.first_rank + i);
  return ranks;
}

}  // namespace

Result<Allocation> make_allocation(const AllocationId& id, const std::string& folder,
                                   const std::string& contexts, const std::optional<User>& user,
                                   const v1::AssignmentMessage& message) {
  Allocation allocation{.folder = folder};
  allocation.facts.allocation = id;
  allocation.facts.assignment = TRY(assignment_from(message));
  allocation.facts.token = message.rank_token();
  const core::Assignment& assignment = allocation.facts.assignment;
  if (message.config_json().size() > config_bytes_max) {
    return invalid_argument("the configuration is ", message.config_json().size(),
                            " bytes, but DT_CONFIG holds at most ", config_bytes_max);
  }
  allocation.facts.config = TRY(core::parse_config(assignment.config, {})).config;
  allocation.facts.checkpoint_dir = folder + "/checkpoints";
  allocation.work_dir =
      assignment.context ? cat(contexts, "/", assignment.context) : folder + "/work";
  allocation.checkpoints = {.storage = allocation.facts.config.checkpoint_storage,
                            .written = allocation.facts.checkpoint_dir,
                            .fetched = folder + "/checkpoint",
                            .user = user};
  if (assignment.checkpoint) {
    allocation.facts.latest_checkpoint =
        checkpoint_folder(allocation.checkpoints, assignment.checkpoint->id);
  }
  return allocation;
}

Status save_assignment(const std::string& folder, const v1::AssignmentMessage& assignment) {
  std::string text;
  const auto converted = google::protobuf::util::MessageToJsonString(assignment, &text);
  if (!converted.ok()) return internal("an assignment has no JSON: ", converted.ToString());
  return replace_file(folder + "/assignment.json", text + "\n");
}

Result<v1::AssignmentMessage> load_assignment(const std::string& folder) {
  const std::string path = folder + "/assignment.json";
  const std::string text = TRY(read_file(path));
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;  // of a newer agent
  v1::AssignmentMessage assignment;
  const auto parsed = google::protobuf::util::JsonStringToMessage(text, &assignment, options);
  if (!parsed.ok()) return data_loss("cannot read ", path, ": ", parsed.ToString());
  return assignment;
}

void save_marks(const std::string& folder, const core::Marks& marks) {
  Value::Object values;
  for (const auto& [stream, seq] : marks) values[cat(stream)] = seq;
  const std::string path = folder + "/acknowledged.json";
  std::ofstream(path + ".new") << to_json(values) << "\n";
  std::rename((path + ".new").c_str(), path.c_str());
}

core::Marks load_marks(const std::string& folder) {
  core::Marks marks;
  const auto text = read_file(folder + "/acknowledged.json");
  if (!text.ok()) return marks;
  const auto value = parse_json(*text);
  if (!value.ok() || !value->is_object()) return marks;
  for (const auto& [stream, seq] : value->as_object()) {
    if (seq.is_int()) marks[std::atoi(stream.c_str())] = seq.as_int();
  }
  return marks;
}

void note_stored(const std::string& folder, const PartId& part) {
  std::ofstream(folder + "/uploaded", std::ios::app) << cat(part.second, " ", part.first, "\n");
}

std::set<PartId> load_stored(const std::string& folder) {
  std::set<PartId> stored;
  std::ifstream file(folder + "/uploaded");
  int part = 0;
  for (std::string id; file >> part && std::getline(file >> std::ws, id);) {
    stored.insert({CheckpointId{id}, part});
  }
  return stored;
}

Value shim_spec(const Allocation& allocation, const NodeFacts& node, const std::string& address,
                const std::string& socket_dir, const std::string& marker) {
  const AllocationFacts& facts = allocation.facts;
  const core::Assignment& assignment = facts.assignment;
  Value spec;
  spec.set("allocation", to_text(facts.allocation))
      .set("experiment", assignment.experiment.value)
      .set("trial", assignment.trial.value)
      .set("attempt", assignment.attempt)
      .set("node_rank", assignment.node_rank)
      .set("ranks", ranks_of(assignment))
      .set("bind_port", assignment.node_rank == 0)
      .set("address", address)
      .set("token", facts.token)
      .set("cwd", allocation.work_dir)
      .set("checkpoint_dir", facts.checkpoint_dir)
      .set("socket_dir", socket_dir)
      .set("kill_grace_ms", std::int64_t{core::kill_grace.count()});
  if (const auto& user = allocation.checkpoints.user) {
    spec.set("uid", std::int64_t{user->uid}).set("gid", std::int64_t{user->gid});
  }
  if (facts.config.prepare.empty()) return spec;
  Value prepare;
  prepare.set("argv", argv_of({facts.config.prepare}))
      .set("env", values_of(prepare_environment(node, facts).entries()))
      .set("cwd", allocation.work_dir)
      .set("marker", marker);
  spec.set("prepare", std::move(prepare));
  return spec;
}

Value start_order(const Allocation& allocation, const NodeFacts& node,
                  const core::RankTable& table) {
  std::map<int, Environment> by_rank;
  for (const core::RankPlace& place : table.ranks) {
    if (place.node_rank != allocation.facts.assignment.node_rank) continue;
    by_rank[place.rank] = rank_environment(node, allocation.facts, table, place);
  }
  // The shim takes a line of 1 MiB, so what ranks share is said once.
  const auto shared = shared_entries(by_rank);
  Value::Array ranks;
  for (const core::RankPlace& place : table.ranks) {
    const auto environment = by_rank.find(place.rank);
    if (environment == by_rank.end()) continue;
    Value rank;
    rank.set("rank", place.rank)
        .set("local_rank", place.local_rank)
        .set("argv", argv_of(allocation.facts.config.entrypoint))
        .set("env", own_values(environment->second, shared))
        .set("cwd", allocation.work_dir);
    ranks.push_back(std::move(rank));
  }
  Value order;
  order.set("op", "start").set("ranks", std::move(ranks)).set("env", values_of(shared));
  order.set("environment", environment_record(by_rank).set("node", node.about));
  return order;
}

}  // namespace dt::agent
