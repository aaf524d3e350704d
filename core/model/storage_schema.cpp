#include "core/model/config_schema.h"
#include "core/model/paths.h"

namespace dt::core {
namespace {

using schema::Check;
using schema::Fields;
using schema::Findings;

Fields with_common(Fields own) {
  const Check count = schema::integer(0, 1'000'000);
  Fields fields = {{.key = "save_experiment_best", .check = count, .fallback = Value(0)},
                   {.key = "save_trial_best", .check = count, .fallback = Value(1)},
                   {.key = "save_trial_latest", .check = count, .fallback = Value(1)}};
  fields.insert(fields.end(), own.begin(), own.end());
  return fields;
}

Fields shared_fs_fields() {
  const std::string deprecated = "Determined gave this key up";
  return {
      {.key = "host_path",
       .check = schema::absolute_path(),
       .required = "add the folder that all nodes share"},
      {.key = "storage_path", .check = schema::text()},
      {.key = "propagation",
       .check = schema::text(),
       .fallback = Value("rprivate"),
       .ignored = "trials are plain processes, nothing is mounted"},
      {.key = "container_path", .check = schema::text(), .ignored = deprecated},
      {.key = "checkpoint_path", .check = schema::text(), .ignored = deprecated},
      {.key = "tensorboard_path", .check = schema::text(), .ignored = deprecated},
  };
}

void check_storage_path(const Value& storage, const std::string& path, Findings& findings) {
  if (!storage["storage_path"].is_string() || !storage["host_path"].is_string()) return;
  const std::string& folder = storage["host_path"].as_string();
  const std::string& inner = storage["storage_path"].as_string();
  if (is_within(is_absolute(inner) ? inner : cat(folder, "/", inner), folder)) return;
  findings.error(schema::child_path(path, "storage_path"), storage["storage_path"],
                 cat("must either be a relative directory or a subdirectory of host_path, got \"",
                     inner, "\""));
}

}  // namespace

Check checkpoint_storage_schema() {
  const std::string later = "is not supported yet";
  return schema::tagged(
      {
          .tag = "type",
          .variants = {{"master", with_common({})},
                       {"directory",
                        with_common({{.key = "container_path",
                                      .check = schema::absolute_path(),
                                      .required = "add the folder to store checkpoints in"}})},
                       {"shared_fs", with_common(shared_fs_fields())}},
          .refused = {{"s3", later}, {"gcs", later}, {"azure", later}},
          .fallback = "master",
          .required = "",
      },
      check_storage_path);
}

}  // namespace dt::core
