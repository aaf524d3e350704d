#include "client/provenance.h"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>

#include "base/cat.h"
#include "client/run_git.h"
#include "formats/utf8.h"

namespace dt::client {
namespace {

constexpr std::size_t line_bytes_max = 4096;
constexpr std::size_t command_bytes_max = 16 * 1024;
constexpr const char* hidden = "***";
constexpr std::array secret_words{"SECRET", "PASSWORD",   "PASSWD",     "CREDENTIAL", "API_KEY",
                                  "APIKEY", "ACCESS_KEY", "PRIVATE_KEY"};

std::string upper(std::string text) {
  for (char& letter : text) {
    if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
    if (letter == '-') letter = '_';
  }
  return text;
}

// A file with a secret in it is none itself.
bool is_secret(const std::string& name) {
  const std::string word = upper(name);
  if (word.ends_with("TOKEN")) return true;  // but max_tokens and tokenizer are none
  if (word.ends_with("FILE") || word.ends_with("PATH")) return false;
  return std::any_of(secret_words.begin(), secret_words.end(),
                     [&](const char* secret) { return word.find(secret) != word.npos; });
}

bool is_name_letter(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' ||
         c == '-';
}

// Values after NAME= and NAME: within a word, in quotes or not.
std::string hide_values(const std::string& word) {
  constexpr const char* ends = " ,;&\"'])}";
  std::string out;
  for (std::size_t at = 0; at < word.size(); ++at) {
    out += word[at];
    if (word[at] != '=' && word[at] != ':') continue;
    std::size_t name_end = at;
    while (name_end > 0 && std::strchr(" \"'", word[name_end - 1])) --name_end;
    std::size_t begin = name_end;
    while (begin > 0 && is_name_letter(word[begin - 1])) --begin;
    if (!is_secret(word.substr(begin, name_end - begin))) continue;
    std::size_t value = at + 1;
    while (value < word.size() && std::strchr(" \"'", word[value])) out += word[value++];
    const std::size_t end = std::min(word.find_first_of(ends, value), word.size());
    if (end > value) out += hidden;
    at = end - 1;
  }
  return out;
}

// At most so many bytes, cut between characters.
std::string cut_text(const std::string& text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  std::size_t end = bytes_max;
  while (end > 0 && (text[end] & 0xc0) == 0x80) --end;
  return text.substr(0, end);
}

std::string valid_text(const std::string& bytes, std::size_t bytes_max = line_bytes_max) {
  return cut_text(with_valid_utf8(bytes), bytes_max);
}

std::string shell_quoted(const std::string& word) {
  constexpr const char* safe =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./:=,@%+";
  if (!word.empty() && word.find_first_not_of(safe) == word.npos) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// The first line of what git says; empty if it says nothing.
std::string git_line(const std::string& folder, std::vector<std::string> arguments) {
  const auto answer = run_git(folder, std::move(arguments), line_bytes_max);
  if (!answer) return "";
  return valid_text(answer->output.substr(0, answer->output.find('\n')));
}

std::string remote_of(const std::string& folder) {
  std::string url = git_line(folder, {"remote", "get-url", "origin"});
  if (url.empty()) {
    const std::string other = git_line(folder, {"remote"});
    if (!other.empty()) url = git_line(folder, {"remote", "get-url", other});
  }
  return without_credentials(url);
}

void add_git(const std::string& folder, ::dovetail::v1::Provenance& out) {
  out.set_git_commit(git_line(folder, {"rev-parse", "--verify", "-q", "HEAD"}));
  if (out.git_commit().empty()) return;
  out.set_git_branch(git_line(folder, {"symbolic-ref", "-q", "--short", "HEAD"}));
  out.set_git_remote(remote_of(folder));
  out.set_git_dirty(!git_line(folder, {"status", "--porcelain", "--", "."}).empty());
  if (!out.git_dirty()) return;
  const auto diff = run_git(
      folder, {"diff", "--no-color", "--no-ext-diff", "--no-textconv", "HEAD", "--", "."},
      diff_bytes_max);
  if (!diff) return;
  const std::string text = with_valid_utf8(diff->output);
  out.set_git_diff(cut_text(text, diff_bytes_max));
  out.set_git_diff_cut(diff->cut || text.size() > diff_bytes_max);
}

std::string user_name() {
  const passwd* user = ::getpwuid(::geteuid());
  return user != nullptr ? user->pw_name : cat(static_cast<std::int64_t>(::geteuid()));
}

std::string host_name() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

}  // namespace

std::string without_credentials(const std::string& text) {
  const std::size_t scheme = text.find("://");
  if (scheme == text.npos) return text;  // git@host:path names a user, no secret
  const std::size_t host = scheme + 3;
  const std::size_t end = std::min(text.find_first_of("/?# ", host), text.size());
  const std::size_t at = text.substr(0, end).rfind('@');
  const std::size_t from = at != text.npos && at >= host ? at + 1 : host;
  return text.substr(0, host) + text.substr(from, end - from) +
         without_credentials(text.substr(end));
}

std::string scrubbed_command(const std::vector<std::string>& command) {
  std::string line;
  bool hides_next = false;
  for (const std::string& word : command) {
    const bool is_option = word.starts_with("-");
    std::string shown = hide_values(without_credentials(word));
    if (hides_next && !is_option) shown = hidden;
    hides_next = is_option && word.find('=') == word.npos && is_secret(word);
    line += cat(line.empty() ? "" : " ", shell_quoted(shown));
  }
  return valid_text(line, command_bytes_max);
}

::dovetail::v1::Provenance provenance_of(const ProvenanceQuestion& question) {
  ::dovetail::v1::Provenance out;
  out.set_command_line(scrubbed_command(question.command));
  out.set_user(valid_text(user_name()));
  out.set_host(valid_text(host_name()));
  out.set_client(question.client);
  if (question.folder.empty()) return out;
  std::error_code error;
  const auto folder = std::filesystem::canonical(question.folder, error);
  out.set_folder(valid_text(error ? question.folder : folder.string()));
  if (!error) add_git(folder.string(), out);
  return out;
}

}  // namespace dt::client
