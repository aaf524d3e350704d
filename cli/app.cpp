#include "cli/app.h"

#include "client/credentials.h"

namespace dt::cli {

Result<client::Client> App::connect() const {
  client::Credentials credentials;
  if (master.empty()) {
    credentials = TRY(client::load_credentials());
  } else {
    const Result<client::Credentials> saved = client::load_credentials();
    if (saved.ok() && saved->address == master) credentials = *saved;
    credentials.address = master;
  }
  if (!token.empty()) credentials.token = token;
  return client::Client(credentials);
}

void on_chosen(CLI::App& command, App& app, std::function<Result<Exit>()> work) {
  command.add_flag("--json", app.json, "machine-readable output");
  command.callback([&app, work = std::move(work)] {
    app.chosen = [work] {
      const Result<Exit> exit = work();
      if (exit.ok()) return *exit;
      print_error(exit.status());
      return exit_of(exit.status());
    };
  });
}

}  // namespace dt::cli
