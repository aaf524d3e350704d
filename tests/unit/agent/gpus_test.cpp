// GPUs as slots and their health, with a libnvidia-ml.so.1 of the tests' own (fake_nvml.cpp).
#include "agent/gpus.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <condition_variable>
#include <mutex>

#include "agent/files.h"
#include "base/cat.h"
#include "tests/unit/agent/temporary_folder.h"

namespace dt::agent {
namespace {

constexpr const char* two_gpus = "gpu GPU-a 0 0 NVIDIA H200\ngpu GPU-b 0 0 NVIDIA H200\n";

class FakeNvml : public testing::Test {
 protected:
  FakeNvml() { ::setenv("DT_FAKE_NVML", (folder_ / "nvml").c_str(), 1); }
  ~FakeNvml() override { ::unsetenv("DT_FAKE_NVML"); }

  void machine(const std::string& text) { EXPECT_TRUE(replace_file(folder_ / "nvml", text).ok()); }
  Result<Gpus> find(SlotType type = SlotType::automatic, const std::string& only = "") {
    return find_gpus({.type = type, .only = only, .library = DT_FAKE_NVML_LIBRARY});
  }
  std::string slots(const Result<Gpus>& gpus) {
    if (!gpus.ok()) return gpus.status().text();
    std::string text;
    for (const core::Slot& slot : slots_of(gpus->all)) {
      text += cat(text.empty() ? "" : "; ", slot.id, " ", slot.device);
    }
    return text;
  }

  TemporaryFolder folder_;
};

TEST_F(FakeNvml, EachGpuIsASlotByItsUuid) {
  machine(two_gpus);
  EXPECT_EQ(slots(find()), "GPU-a NVIDIA H200; GPU-b NVIDIA H200");
  EXPECT_EQ(slots_of(find()->all)[0].kind, core::SlotKind::cuda);
}

TEST_F(FakeNvml, APartitionedGpuGivesOutItsInstances) {
  machine(
      "gpu GPU-a 0 0 NVIDIA H100\nmig GPU-a MIG-1 NVIDIA H100 MIG 3g.40gb\n"
      "mig GPU-a MIG-2 NVIDIA H100 MIG 4g.40gb\ngpu GPU-b 0 0 NVIDIA H100\n");
  EXPECT_EQ(slots(find()),
            "MIG-1 NVIDIA H100 MIG 3g.40gb; MIG-2 NVIDIA H100 MIG 4g.40gb; GPU-b NVIDIA H100");
}

TEST_F(FakeNvml, OnlyThoseThatAreNamedAreGivenOut) {
  machine(two_gpus);
  EXPECT_EQ(slots(find(SlotType::automatic, "1")), "GPU-b NVIDIA H200");
  EXPECT_EQ(slots(find(SlotType::automatic, "GPU-b,0")), "GPU-b NVIDIA H200; GPU-a NVIDIA H200");
  EXPECT_EQ(slots(find(SlotType::automatic, "2")),
            "--gpus: there is no GPU 2 (an index from 0, or one of GPU-a, GPU-b)");
}

TEST_F(FakeNvml, AMachineWithoutADriverGivesOutCpuSharesUnlessGpusAreAsked) {
  machine("init 9\n");
  EXPECT_EQ(slots(find()), "");
  EXPECT_EQ(slots(find(SlotType::cuda)),
            "this node's GPUs cannot be used: no NVIDIA driver is loaded (mend that, or give out "
            "CPU shares: --slot-type cpu)");
  EXPECT_EQ(slots(find_gpus({.library = "libno-such-nvml.so"})), "");
}

TEST_F(FakeNvml, ADriverThatDoesNotWorkIsNotTakenForNone) {
  machine("init 18\n");
  EXPECT_EQ(slots(find()),
            "this node's GPUs cannot be used: NVML cannot be used: Driver/library version mismatch "
            "(mend that, or give out CPU shares: --slot-type cpu)");
  EXPECT_EQ(slots(find(SlotType::cpu)), "");
}

TEST_F(FakeNvml, AGpuThatIsLostFromTheStartIsLeftOut) {
  machine("gpu GPU-a 15 0 NVIDIA H200\ngpu GPU-b 0 0 NVIDIA H200\n");
  EXPECT_EQ(slots(find()), "GPU-b NVIDIA H200");
  machine("gpu GPU-a 15 0 NVIDIA H200\n");
  EXPECT_EQ(slots(find()),
            "NVML knows no GPU that could be given out (--slot-type cpu gives out "
            "CPU shares)");
}

// What the watch tells, and waiting for it.
class Watched : public FakeNvml {
 protected:
  void watch() {
    watch_.reset();
    watch_ = std::make_unique<GpuWatch>(
        std::move(find()).value(),
        GpuWatch::Options{
            .agent = {"a1"}, .path = folder_ / "faults", .boot_id = boot_, .look_every_ms = 10},
        [this](std::vector<core::SlotFault> faults) {
          const std::lock_guard lock(mutex_);
          told_ = text_of(faults);
          changed_.notify_all();
        });
  }
  static std::string text_of(const std::vector<core::SlotFault>& faults) {
    std::string text;
    for (const core::SlotFault& fault : faults) {
      text += cat(text.empty() ? "" : "; ", fault.slot, " ", fault.reason);
    }
    return text;
  }
  std::string told() {
    const std::lock_guard lock(mutex_);
    return told_;
  }
  std::string wait_for(const std::string& wanted) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::seconds(30), [&] { return told_ == wanted; });
    return told_;
  }

  std::string boot_ = "boot 1";
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string told_ = "nothing yet";
  std::unique_ptr<GpuWatch> watch_;
};

constexpr const char* mended = " (once it is mended: dt-agent --clear-slot-faults)";

TEST_F(Watched, HealthyGpusAreToldBeforeAnythingElse) {
  machine(two_gpus);
  watch();
  EXPECT_EQ(told(), "");
}

TEST_F(Watched, ACriticalErrorCondemnsTheGpuAndAProgramsErrorDoesNot) {
  machine(cat(two_gpus, "xid GPU-a 31\nxid GPU-b 79\n"));
  watch();
  const std::string fault = cat("GPU-b XID 79: the GPU has fallen off the bus", mended);
  EXPECT_EQ(wait_for(fault), fault);
}

TEST_F(Watched, AFaultOfAGpuIsOneOfAllItsInstances) {
  machine("gpu GPU-a 0 2 NVIDIA H100\nmig GPU-a MIG-1 1g\nmig GPU-a MIG-2 1g\n");
  watch();
  const std::string fault = cat("uncorrected ECC errors since the driver was loaded: 2", mended);
  EXPECT_EQ(told(), cat("MIG-1 ", fault, "; MIG-2 ", fault));
}

TEST_F(Watched, AGpuThatGetsLostStaysCondemnedForTheNextAgentOfThisBoot) {
  machine(two_gpus);
  watch();
  machine("gpu GPU-a 15 0 NVIDIA H200\ngpu GPU-b 0 0 NVIDIA H200\n");
  const std::string fault = cat("GPU-a it does not answer: GPU is lost", mended);
  EXPECT_EQ(wait_for(fault), fault);
  machine(two_gpus);
  watch();
  EXPECT_EQ(told(), fault) << "it answers again, but nobody said that it is mended";
  boot_ = "boot 2";
  watch();
  EXPECT_EQ(told(), "");
}

TEST_F(Watched, AStrangersProcessCountsAsLongAsItLives) {
  const pid_t stranger = ::fork();
  if (stranger == 0) {
    ::pause();
    ::_exit(0);
  }
  machine(cat(two_gpus, "process GPU-b ", stranger, "\nprocess GPU-a 999999999\n"));
  watch();
  EXPECT_EQ(told(),
            cat("GPU-b used by what is no trial of this node: agent_test (pid ", stranger, ")"));
  ::kill(stranger, SIGKILL);
  ::waitpid(stranger, nullptr, 0);
  EXPECT_EQ(wait_for(""), "");
}

TEST_F(Watched, ARankOfThisNodeIsNoStranger) {
  const pid_t rank = ::fork();
  if (rank == 0) {
    ::execle("/bin/sleep", "sleep", "60", nullptr,
             std::vector<const char*>{"DT_AGENT_ID=a1", nullptr}.data());
    ::_exit(1);
  }
  while (!read_file(cat("/proc/", rank, "/environ")).value_or("").starts_with("DT_AGENT_ID")) {
  }
  machine(cat(two_gpus, "process GPU-a ", rank, "\n"));
  watch();
  EXPECT_EQ(told(), "");
  ::kill(rank, SIGKILL);
  ::waitpid(rank, nullptr, 0);
}

TEST(GpuHealth, AnErrorOfAnUnknownGpuMayBeAnyOnes) {
  GpuHealth health({{.uuid = "GPU-a", .model = "", .device = "GPU-a"},
                    {.uuid = "GPU-b", .model = "", .device = "GPU-b"}});
  health.saw(XidError{.device = "", .number = 200});
  EXPECT_EQ(health.lasting(), (FaultBySlot{{"GPU-a", "XID 200"}, {"GPU-b", "XID 200"}}));
}

}  // namespace
}  // namespace dt::agent
