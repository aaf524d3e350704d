// dtctl local: a cluster of this machine, in the background.
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/data_dir.h"
#include "base/words.h"
#include "cli/app.h"
#include "cli/local_cluster.h"
#include "cli/usage.h"
#include "client/credentials.h"
#include "dovetail/v1/admin.grpc.pb.h"

namespace dt::cli {
namespace {

namespace v1 = ::dovetail::v1;

std::string absolute(const std::string& dir) {
  return std::filesystem::absolute(dir).lexically_normal().string();
}

Result<Exit> up(const App& app, const LocalOptions& options) {
  LocalCluster cluster(absolute(options.dir));
  const LocalState state = TRY(cluster.up(options));
  const client::Credentials credentials = TRY(cluster.credentials(state));
  TRY(client::save_credentials(credentials));
  if (app.json) {
    print_json(Value()
                   .set("grpc", state.grpc_address)
                   .set("http", state.http_address)
                   .set("dir", cluster.dir()));
  } else {
    print(cat("the local cluster runs: master at ", state.grpc_address, ", HTTP at ",
              state.http_address, ", ", counted(static_cast<int>(state.daemons.size()) - 1, "agent"),
              "; data in ", cluster.dir()));
  }
  return Exit::ok;
}

Result<Exit> down(const std::string& dir) {
  LocalCluster cluster(absolute(dir));
  TRY(cluster.down());
  print(cat("the local cluster is down; its data stays in ", cluster.dir()));
  return Exit::ok;
}

Result<Exit> status(const App& app, const std::string& dir) {
  const LocalCluster cluster(absolute(dir));
  const LocalState state = TRY(cluster.state());
  Value::Array values;
  Table table({"PROGRAM", "PID", "STATE"});
  bool all_run = true;
  for (const Daemon& daemon : state.daemons) {
    const bool alive = is_alive(daemon);
    all_run = all_run && alive;
    Value value;
    value.set("name", daemon.name).set("pid", daemon.pid).set("alive", alive);
    values.push_back(std::move(value));
    table.add({daemon.name, std::to_string(daemon.pid), alive ? "running" : "gone"});
  }
  if (app.json) {
    Value value;
    value.set("dir", cluster.dir()).set("grpc", state.grpc_address).set("http", state.http_address);
    print_json(value.set("daemons", std::move(values)));
  } else {
    print(cat("master at ", state.grpc_address, ", HTTP at ", state.http_address, ", data in ",
              cluster.dir()));
    std::fputs(table.text().c_str(), stdout);
    if (!all_run) print("start what is gone with dtctl local up");
  }
  return all_run ? Exit::ok : Exit::unreachable;
}

Result<Exit> psql(const std::string& dir, const std::vector<std::string>& arguments) {
  const LocalCluster cluster(absolute(dir));
  TRY(cluster.state());
  ::setenv("PGSERVICEFILE", (cluster.master_dir() + "/postgres/service.conf").c_str(), 1);
  ::setenv("PGSERVICE", "dovetail", 1);
  std::vector<std::string> words = {"psql"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execvp("psql", argv.data());
  return not_found("psql cannot be run: ", std::string(std::strerror(errno)))
      .with_hint("install the package postgresql-client");
}

// Lines for eval "$(dtctl local env)".
Result<Exit> env(const std::string& dir) {
  const LocalCluster cluster(absolute(dir));
  const LocalState state = TRY(cluster.state());
  const client::Credentials credentials = TRY(cluster.credentials(state));
  print(cat("export DT_MASTER=", credentials.address));
  print(cat("export DT_TOKEN=", credentials.token));
  return Exit::ok;
}

void add_up(CLI::App& group, App& app, const std::shared_ptr<LocalOptions>& options) {
  CLI::App* command = group.add_subcommand("up", "start it, or what is missing of it");
  command->add_option("--agents", options->agents, "how many nodes to play")
      ->capture_default_str()
      ->check(CLI::Range(1, 64));
  command->add_option("--slots", options->slots, "of each agent; 0: the cores, shared out")
      ->capture_default_str()
      ->check(at_least(0));
  command
      ->add_option("--lease", options->lease,
                   "how long ranks train on without the master (20s, 3m); 0: forever")
      ->capture_default_str();
  command->add_option("--grpc-port", options->grpc_port, "0: a free one")->capture_default_str();
  command->add_option("--http-port", options->http_port, "0: a free one")->capture_default_str();
  command->add_option("--dir", options->dir, "data folder")->capture_default_str();
  on_chosen(*command, app, [&app, options, command] {
    for (const char* name : {"--slots", "--lease", "--grpc-port", "--http-port"}) {
      const CLI::Option* option = command->get_option(name);
      if (option->count() > 0) options->given[name] = option->as<std::string>();
    }
    return up(app, *options);
  });
}

}  // namespace

void add_local_commands(CLI::App& root, App& app) {
  CLI::App* group = root.add_subcommand("local", "a cluster of this machine, in the background");
  group->require_subcommand(1);
  const auto options = std::make_shared<LocalOptions>();
  options->dir = default_data_dir();
  add_up(*group, app, options);
  const auto add = [&](const char* name, const char* help) {
    CLI::App* command = group->add_subcommand(name, help);
    command->add_option("--dir", options->dir, "data folder")->capture_default_str();
    return command;
  };
  on_chosen(*add("down", "end it; the data stays"), app, [options] { return down(options->dir); });
  on_chosen(*add("status", "what of it runs"), app,
            [&app, options] { return status(app, options->dir); });
  on_chosen(*add("env", "address and token as shell variables"), app,
            [options] { return env(options->dir); });
  CLI::App* command = add("psql", "its database by psql; arguments after --");
  const auto arguments = std::make_shared<std::vector<std::string>>();
  command->add_option("ARGUMENTS", *arguments, "for psql");
  on_chosen(*command, app, [options, arguments] { return psql(options->dir, *arguments); });
}

}  // namespace dt::cli
