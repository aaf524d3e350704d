// Overload{...}: the visitor for std::visit. There is no default branch, so a new alternative
// breaks the build where it is not handled.
#pragma once

namespace dt {

template <class... Cases>
struct Overload : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overload(Cases...) -> Overload<Cases...>;

}  // namespace dt
