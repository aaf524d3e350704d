// dtctl login: keeps an address and a token for the next commands.
#include <unistd.h>

#include <fstream>
#include <iostream>

#include "cli/app.h"
#include "client/credentials.h"
#include "dovetail/v1/admin.grpc.pb.h"

namespace dt::cli {
namespace {

namespace v1 = ::dovetail::v1;

struct LoginOptions {
  std::string user;
  std::string tls_ca;
};

// From the terminal without echo, or a line of standard input.
std::string read_secret(const char* prompt) {
  if (isatty(STDIN_FILENO)) {
    const char* typed = getpass(prompt);
    return typed ? typed : "";
  }
  std::string line;
  std::getline(std::cin, line);
  return line;
}

Result<Exit> login(const App& app, const LoginOptions& options) {
  client::Credentials credentials;
  if (!app.master.empty()) credentials.address = app.master;
  if (credentials.address.empty()) credentials.address = "127.0.0.1:8081";
  credentials.tls_ca = options.tls_ca;
  if (!options.user.empty()) {
    v1::LoginRequest request;
    request.set_user(options.user);
    request.set_password(read_secret("password: "));
    const client::Client anonymous(credentials);
    credentials.token = TRY(anonymous.call<v1::Admin>(&v1::Admin::Stub::Login, request)).token();
  } else {
    credentials.token = app.token.empty() ? read_secret("token: ") : app.token;
  }
  const client::Client client(credentials);
  const auto master =
      TRY(client.call<v1::Admin>(&v1::Admin::Stub::GetMaster, v1::GetMasterRequest()));
  credentials.user = master.user();
  credentials.http_address = master.http_address();
  TRY(client::save_credentials(credentials));
  print(cat("logged in to ", credentials.address, " as ", master.user()));
  return Exit::ok;
}

}  // namespace

void add_login_commands(CLI::App& root, App& app) {
  CLI::App* command = root.add_subcommand(
      "login", "keep the address and a token of a master (--master, --token-file, or type it)");
  const auto options = std::make_shared<LoginOptions>();
  command->add_option("--user", options->user, "log in with a password instead of a token");
  command->add_option("--tls-ca", options->tls_ca, "PEM file that vouches for the master");
  on_chosen(*command, app, [&app, options] { return login(app, *options); });
}

}  // namespace dt::cli
