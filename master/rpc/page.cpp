#include "master/rpc/page.h"

#include <charconv>

namespace dt::master {

Result<int> page_size(const ::dovetail::v1::Page& page) {
  if (page.size() == 0) return page_size_default;
  if (page.size() > 0 && page.size() <= page_size_max) return page.size();
  return invalid_argument("page.size: ", page.size(), " is not within 1 to ", page_size_max)
      .with_detail({.subject = "page.size",
                    .value = cat(page.size()),
                    .hint = cat("ask for at most ", page_size_max,
                                " and go on with the answer's next_page_token"),
                    .path = "page.size"});
}

Result<std::int64_t> page_after(const ::dovetail::v1::Page& page, std::int64_t first) {
  const std::string& token = page.token();
  if (token.empty()) return first;
  std::int64_t after = 0;
  const char* end = token.data() + token.size();
  const auto [stop, problem] = std::from_chars(token.data(), end, after);
  if (problem == std::errc() && stop == end) return after;
  return invalid_argument("page.token: \"", token, "\" is no token of this list")
      .with_detail({.subject = "page.token",
                    .value = token,
                    .hint = "give the next_page_token of the answer before, or none",
                    .path = "page.token"});
}

}  // namespace dt::master
