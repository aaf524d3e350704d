#include "trial/rank/manifest.h"

#include "base/number.h"
#include "formats/json.h"

namespace dt::trial {
namespace {

constexpr int format_version = 1;

Status read_files(const Value& list, std::vector<ReportedFile>& out) {
  if (!list.is_array()) return data_loss("manifest without files");
  for (const Value& entry : list.as_array()) {
    if (!entry["path"].is_string() || !entry["bytes"].is_int() || !entry["sha256"].is_string()) {
      return data_loss("manifest with a broken file entry ", to_json(entry));
    }
    out.push_back(
        {entry["path"].as_string(), entry["bytes"].as_int(), entry["sha256"].as_string()});
  }
  return {};
}

}  // namespace

Value to_value(const Manifest& manifest) {
  Value::Array files;
  for (const ReportedFile& file : manifest.files) {
    Value entry;
    entry.set("path", file.path).set("bytes", file.bytes).set("sha256", file.sha256);
    files.push_back(std::move(entry));
  }
  Value out;
  out.set("format", format_version).set("framework", "dovetail.trial");
  out.set("step", manifest.step).set("epoch", manifest.position.epoch);
  out.set("cursor", manifest.position.cursor).set("samples", manifest.samples);
  out.set("seed", manifest.seed).set("batch", manifest.batch).set("size", manifest.size);
  out.set("loss", manifest.loss).set("lr_factor", manifest.lr_factor);
  out.set("optimizer", manifest.optimizer).set("trial_state", manifest.trial_state);
  out.set("files", std::move(files));
  return out;
}

Result<Manifest> parse_manifest(const Value& value) {
  if (value["format"] != Value(format_version)) {
    return failed_precondition("checkpoint format ", to_json(value["format"]),
                               " is not the one this program reads (", format_version, ")");
  }
  Manifest out;
  Status missing;
  const auto integer = [&](const char* key) -> std::int64_t {
    if (value[key].is_int()) return value[key].as_int();
    missing = data_loss("manifest without the integer '", key, "'");
    return 0;
  };
  out.step = integer("step");
  out.position = {integer("epoch"), integer("cursor")};
  out.samples = integer("samples");
  out.seed = integer("seed");
  out.batch = integer("batch");
  out.size = static_cast<int>(integer("size"));
  TRY(std::move(missing));
  out.loss = number_of(value["loss"]).value_or(0);
  out.lr_factor = number_of(value["lr_factor"]).value_or(1);
  out.optimizer = value["optimizer"];
  if (value["trial_state"].is_string()) out.trial_state = value["trial_state"].as_string();
  TRY(read_files(value["files"], out.files));
  return out;
}

Result<Manifest> read_manifest(const std::string& folder) {
  const std::string path = folder + "/" + manifest_name;
  const auto text = read_file(path);
  if (!text.ok()) {
    return Status(text.status()).with_context("no checkpoint of this program in " + folder);
  }
  auto value = parse_json(*text);
  if (!value.ok()) return Status(value.status()).with_context(path);
  auto manifest = parse_manifest(*value);
  if (!manifest.ok()) return Status(manifest.status()).with_context(path);
  return manifest;
}

}  // namespace dt::trial
