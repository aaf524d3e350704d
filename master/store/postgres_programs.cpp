#include "master/store/postgres_programs.h"

#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <vector>

#include "master/store/run_program.h"

namespace dt::master {

namespace {

constexpr int oldest = 13;
constexpr int newest = 40;  // where to stop looking

std::vector<std::string> candidate_folders() {
  std::vector<std::string> folders;
  for (int version = newest; version >= oldest; version--) {
    folders.push_back(cat("/usr/lib/postgresql/", version, "/bin"));  // Debian
    folders.push_back(cat("/usr/pgsql-", version, "/bin"));           // PGDG on Red Hat
  }
  folders.push_back("/usr/local/pgsql/bin");
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "/usr/bin" : path;
  while (!rest.empty()) {
    const std::size_t colon = rest.find(':');
    folders.emplace_back(rest.substr(0, colon));
    rest = colon == rest.npos ? "" : rest.substr(colon + 1);
  }
  return folders;
}

bool has_all(const std::string& folder) {
  if (folder.empty() || folder.front() != '/') return false;
  for (const char* name : {"/initdb", "/pg_ctl", "/postgres"}) {
    if (access((folder + name).c_str(), X_OK) != 0) return false;
  }
  return true;
}

// "postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)" → 15; 0 if it says anything else.
int version_in(const std::string& folder) {
  const Result<ProgramEnd> said = run_program({folder + "/postgres", "--version"}, present_user());
  if (!said.ok()) return 0;
  const std::size_t place = said->output.find(") ");
  if (place == std::string::npos) return 0;
  int version = 0;
  const char* const start = said->output.data() + place + 2;
  std::from_chars(start, said->output.data() + said->output.size(), version);
  return version;
}

}  // namespace

Result<PostgresPrograms> find_postgres_programs(int version) {
  std::string others;
  for (const std::string& folder : candidate_folders()) {
    if (!has_all(folder)) continue;
    const int found = version_in(folder);
    if (found >= oldest && (version == 0 || found == version)) {
      return PostgresPrograms{.folder = folder, .version = found};
    }
    others += cat(others.empty() ? "" : ", ", found, " in ", folder);
  }
  const std::string wanted = version == 0 ? "" : cat(" ", version);
  const std::string present = others.empty() ? "" : cat("; there is ", others);
  return failed_precondition("PostgreSQL", wanted, " (initdb, pg_ctl, postgres) is not installed",
                             present)
      .with_hint(version == 0
                     ? "apt install postgresql; or use your own server: --db postgresql://…"
                     : cat("apt install postgresql-", version,
                           ", or bring the data folder to another version by pg_upgrade"));
}

}  // namespace dt::master
