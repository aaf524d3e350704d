#include "agent/gpus.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <sstream>
#include <utility>

#include "agent/files.h"
#include "agent/processes.h"
#include "formats/json.h"

namespace dt::agent {
namespace {

constexpr int wait_ms = 500;  // for errors; how soon the watch can end

std::vector<std::string> words_of(const std::string& list) {
  std::vector<std::string> words;
  std::istringstream text(list);
  for (std::string word; std::getline(text, word, ',');) {
    if (!word.empty()) words.push_back(word);
  }
  return words;
}

Result<std::vector<Gpu>> choose(const std::vector<Gpu>& all, const std::string& only) {
  if (only.empty()) return all;
  std::vector<Gpu> chosen;
  for (const std::string& word : words_of(only)) {
    bool is_known = false;
    for (std::size_t index = 0; index < all.size(); ++index) {
      if (word != cat(index) && word != all[index].uuid && word != all[index].device) continue;
      is_known = true;
      if (std::find(chosen.begin(), chosen.end(), all[index]) == chosen.end()) {
        chosen.push_back(all[index]);
      }
    }
    if (is_known) continue;
    std::string known;
    for (const Gpu& gpu : all) known += cat(known.empty() ? "" : ", ", gpu.uuid);
    return invalid_argument("--gpus: there is no GPU ", word)
        .with_hint(cat("an index from 0, or one of ", known));
  }
  return chosen;
}

}  // namespace

Result<Gpus> find_gpus(const GpuChoice& choice) {
  if (choice.type == SlotType::cpu) return Gpus{};
  auto opened = Nvml::open(choice.library);
  const bool none = !opened.ok() && opened.status().code() == Code::not_found;
  const bool are_wanted = choice.type == SlotType::cuda || !choice.only.empty();
  if (none && !are_wanted) return Gpus{};
  if (!opened.ok()) {
    return Status(opened.status())
        .with_context("this node's GPUs cannot be used")
        .with_hint("mend that, or give out CPU shares: --slot-type cpu");
  }
  Gpus gpus{.nvml = std::move(opened).value(), .all = {}};
  std::vector<std::string> left_out;
  gpus.all = TRY(gpus.nvml->gpus(left_out));
  for (const std::string& one : left_out) spdlog::error("{}: it is not given out", one);
  gpus.all = TRY(choose(gpus.all, choice.only));
  if (!gpus.all.empty()) return gpus;
  if (are_wanted || !left_out.empty()) {
    return failed_precondition("NVML knows no GPU that could be given out")
        .with_hint("--slot-type cpu gives out CPU shares");
  }
  return Gpus{};
}

std::vector<core::Slot> slots_of(const std::vector<Gpu>& gpus) {
  std::vector<core::Slot> slots;
  for (const Gpu& gpu : gpus) {
    slots.push_back({.id = gpu.uuid, .kind = core::SlotKind::cuda, .device = gpu.model});
  }
  return slots;
}

FaultBySlot load_faults(const std::string& path, const std::string& boot_id) {
  FaultBySlot faults;
  const auto text = read_file(path);
  const auto value = text.ok() ? parse_json(*text) : Result<Value>(text.status());
  if (!value.ok() || !(*value)["boot_id"].is_string() || (*value)["boot_id"].as_string() != boot_id)
    return faults;
  if (!(*value)["faults"].is_object()) return faults;
  for (const auto& [slot, reason] : (*value)["faults"].as_object()) {
    if (reason.is_string()) faults[slot] = reason.as_string();
  }
  return faults;
}

Status save_faults(const std::string& path, const std::string& boot_id, const FaultBySlot& faults) {
  Value by_slot{Value::Object{}};
  for (const auto& [slot, reason] : faults) by_slot.set(slot, reason);
  const Value value = Value::Object{{"boot_id", boot_id}, {"faults", by_slot}};
  return replace_file(path, to_json(value) + "\n");
}

GpuWatch::GpuWatch(Gpus gpus, Options options,
                   std::function<void(std::vector<core::SlotFault>)> changed)
    : options_(std::move(options)),
      nvml_(std::move(gpus.nvml)),
      changed_(std::move(changed)),
      health_(std::move(gpus.all), load_faults(options_.path, options_.boot_id)),
      saved_(health_.lasting()) {
  look();
  tell();
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void GpuWatch::run(const std::stop_token& stop) {
  const auto period = std::chrono::milliseconds(options_.look_every_ms);
  auto next_look = std::chrono::steady_clock::now() + period;
  while (!stop.stop_requested()) {
    for (const XidError& error : nvml_->wait_for_errors(wait_ms)) {
      spdlog::warn("GPU {}: XID {}{}", error.device, error.number,
                   is_fault_of_program(error.number) ? ", which programs cause" : "");
      health_.saw(error);
    }
    if (std::chrono::steady_clock::now() >= next_look) {
      look();
      next_look = std::chrono::steady_clock::now() + period;
    }
    tell();
  }
}

void GpuWatch::look() {
  for (const Gpu& gpu : health_.gpus()) {
    const GpuReading reading = nvml_->read(gpu);
    health_.saw(gpu, reading, strangers(reading));
  }
}

std::vector<std::string> GpuWatch::strangers(const GpuReading& reading) const {
  std::vector<std::string> strangers;
  for (const int pid : reading.processes) {
    if (!is_alive(pid) || has_variable(pid, cat("DT_AGENT_ID=", options_.agent))) continue;
    strangers.push_back(cat(program_of(pid), " (pid ", pid, ")"));
  }
  return strangers;
}

void GpuWatch::tell() {
  std::vector<core::SlotFault> faults = health_.faults();
  if (told_ == faults) return;
  if (saved_ != health_.lasting()) {
    const Status kept = save_faults(options_.path, options_.boot_id, health_.lasting());
    if (!kept.ok()) spdlog::error("faults of slots cannot be kept: {}", kept.text());
    saved_ = health_.lasting();
  }
  for (const core::SlotFault& fault : faults) {
    spdlog::warn("slot {} is not given out: {}", fault.slot, fault.reason);
  }
  if (faults.empty() && told_) spdlog::info("all slots are given out again");
  told_ = faults;
  changed_(std::move(faults));
}

}  // namespace dt::agent
