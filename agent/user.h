// Whom ranks and `prepare` run as. A root agent needs an unprivileged user for them (DESIGN §10);
// any other agent runs them as itself.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"

namespace dt::agent {

struct User {
  uid_t uid = 0;
  gid_t gid = 0;
  std::vector<gid_t> groups;
  std::string name;
};

// None: the agent's own. `wanted` is --run-as, or empty: `dovetail` if there is such a user, else
// `nobody`. For a root agent a user that is root, or missing, is an error.
Result<std::optional<User>> choose_user(const std::string& wanted);

// Whether the user may pass through `folder` and all above it.
Status check_reach(const std::string& folder, const std::optional<User>& user);

// While it lives, this thread opens files as that user, with that user's rights and no others.
class ActAs {
 public:
  explicit ActAs(const std::optional<User>& user);
  ~ActAs();
  ActAs(const ActAs&) = delete;
  ActAs& operator=(const ActAs&) = delete;

 private:
  bool active_ = false;
  std::vector<gid_t> own_groups_;
};

}  // namespace dt::agent
