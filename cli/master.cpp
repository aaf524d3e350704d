// dtctl master: the master itself.
#include "cli/app.h"
#include "dovetail/v1/admin.grpc.pb.h"

namespace dt::cli {
namespace {

namespace v1 = ::dovetail::v1;

Result<Exit> logs(const App& app, const v1::ReadMasterLogsRequest& request) {
  const client::Client client = TRY(app.connect());
  TRY(client.read<v1::Admin>(
      &v1::Admin::Stub::ReadMasterLogs, request, [&](const v1::MasterLogBatch& batch) {
        for (const v1::MasterLogLine& line : batch.lines()) {
          if (app.json) {
            print_json(Value()
                           .set("id", line.id())
                           .set("time_ms", line.time_ms())
                           .set("level", line.level())
                           .set("text", line.text()));
          } else {
            print(cat(local_time(line.time_ms()), " ", line.level(), " ", safe_text(line.text())));
          }
        }
        return true;
      }));
  return Exit::ok;
}

}  // namespace

void add_master_commands(CLI::App& root, App& app) {
  CLI::App* group = root.add_subcommand("master", "the master itself");
  group->require_subcommand(1);
  CLI::App* command = group->add_subcommand("logs", "what it logged, as far back as it remembers");
  const auto request = std::make_shared<v1::ReadMasterLogsRequest>();
  command->add_flag_callback(
      "--follow,-f", [request] { request->set_follow(true); }, "go on until Ctrl+C");
  command->add_option_function<int>(
      "--tail", [request](int lines) { request->set_tail(lines); }, "only the last lines");
  on_chosen(*command, app, [&app, request] { return logs(app, *request); });
}

}  // namespace dt::cli
