#include "master/rpc/filter.h"

#include "core/experiment/filter_text.h"
#include "formats/json.h"

namespace dt::master {
namespace {

Result<core::Filter> parse(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool is_json = first != std::string::npos && text[first] == '{';
  if (!is_json) return core::parse_filter(text);
  const Result<Value> json = parse_json(text);
  if (!json.ok()) return Status(json.status()).with_context("filter");
  return core::filter_of(*json);
}

}  // namespace

Result<core::Filter> read_filter(const std::string& text, core::FilterRows rows) {
  return core::with_known_columns(TRY(parse(text)), rows);
}

}  // namespace dt::master
