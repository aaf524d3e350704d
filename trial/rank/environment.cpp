#include "trial/rank/environment.h"

#include <charconv>
#include <cstdlib>

#include "formats/json.h"

namespace dt::trial {
namespace {

Result<std::int64_t> integer(const ReadVariable& variable, const std::string& name,
                             std::int64_t fallback) {
  const auto text = variable(name);
  if (!text || text->empty()) return fallback;
  std::int64_t value = 0;
  const char* const end = text->data() + text->size();
  const auto parsed = std::from_chars(text->data(), end, value);
  if (parsed.ec != std::errc() || parsed.ptr != end) {
    return invalid_argument("environment variable ", name, "='", *text, "' is not an integer");
  }
  return value;
}

Result<Value> json_map(const ReadVariable& variable, const std::string& name) {
  const auto text = variable(name);
  if (!text || text->empty()) return Value(Value::Object{});
  auto value = parse_json(*text);
  if (!value.ok()) return Status(value.status()).with_context("environment variable " + name);
  if (!value->is_object()) {
    return invalid_argument("environment variable ", name, " is a ", value->type_name(),
                            ", not a JSON map");
  }
  return value;
}

Status check_place(const RankEnvironment& environment) {
  if (environment.size < 1 || environment.rank < 0 || environment.rank >= environment.size) {
    return invalid_argument("DT_RANK=", environment.rank,
                            " does not lie below DT_SIZE=", environment.size);
  }
  if (environment.size > 1 && environment.master_port == 0) {
    return invalid_argument("DT_SIZE=", environment.size, " needs MASTER_PORT")
        .with_hint("start the ranks with dt-launch --nproc N -- COMMAND");
  }
  return {};
}

}  // namespace

Result<RankEnvironment> read_environment(const ReadVariable& variable) {
  const auto text = [&](const char* name) { return variable(name).value_or(""); };
  RankEnvironment environment;
  environment.socket_path = text("DT_SOCKET");
  environment.token = text("DT_TOKEN");
  environment.allocation_id = text("DT_ALLOCATION_ID");
  environment.rank = static_cast<int>(TRY(integer(variable, "DT_RANK", 0)));
  environment.size = static_cast<int>(TRY(integer(variable, "DT_SIZE", 1)));
  const std::string address = text("MASTER_ADDR");
  if (!address.empty()) environment.master_address = address;
  environment.master_port = static_cast<int>(TRY(integer(variable, "MASTER_PORT", 0)));
  environment.interfaces = text("GLOO_SOCKET_IFNAME");
  environment.hparams = TRY(json_map(variable, "DT_HPARAMS"));
  environment.config = TRY(json_map(variable, "DT_CONFIG"));
  if (!text("DT_SEED").empty()) environment.seed = TRY(integer(variable, "DT_SEED", 0));
  environment.latest_checkpoint = text("DT_LATEST_CHECKPOINT");
  environment.checkpoint_dir = text("DT_CHECKPOINT_DIR");
  environment.threads = static_cast<int>(TRY(integer(variable, "OMP_NUM_THREADS", 1)));
  TRY(check_place(environment));
  return environment;
}

ReadVariable process_variables() {
  return [](const std::string& name) -> std::optional<std::string> {
    const char* const value = std::getenv(name.c_str());
    return value ? std::optional<std::string>(value) : std::nullopt;
  };
}

}  // namespace dt::trial
