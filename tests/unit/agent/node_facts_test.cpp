// What a node says of itself, from files as NVIDIA's driver and Debian write them.
#include "agent/node_facts.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/cat.h"

namespace dt::agent {
namespace {

namespace fs = std::filesystem;

class NodeFactsOf : public testing::Test {
 protected:
  NodeFactsOf() {
    std::string pattern = (fs::temp_directory_path() / "dt-facts-XXXXXX").string();
    root_ = mkdtemp(pattern.data());
  }
  ~NodeFactsOf() override { fs::remove_all(root_); }

  void write(const std::string& path, const std::string& text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  // "os=…; gpu=…": of those named.
  std::string text(const std::vector<std::string>& names) {
    std::string out;
    const Value facts = node_facts("node1", root_.string());
    for (const Value& fact : facts.as_array()) {
      const std::string& name = fact["name"].as_string();
      if (std::find(names.begin(), names.end(), name) == names.end()) continue;
      out += cat(out.empty() ? "" : "; ", name, "=", fact["value"].as_string());
    }
    return out;
  }

  fs::path root_;
};

TEST_F(NodeFactsOf, AGpuNodeNameDriverAndModels) {
  write("etc/os-release", "ID=debian\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n");
  write("proc/meminfo", "MemTotal:       131889316 kB\nMemFree: 1 kB\n");
  write("proc/cpuinfo", "processor\t: 0\nmodel name\t: Xeon 8480C\n\nmodel name\t: other\n");
  write("proc/driver/nvidia/version",
        "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.183.01  Sun May 12 19:39:15 UTC 2024\n"
        "GCC version:  gcc version 12.2.0\n");
  for (const char* bus : {"0000:19:00.0", "0000:3b:00.0"}) {
    write(cat("proc/driver/nvidia/gpus/", bus, "/information"),
          "Model: \t\t NVIDIA H200\nIRQ:   \t\t 320\n");
  }
  EXPECT_EQ(text({"host", "os", "processor", "memory", "driver", "gpu"}),
            "host=node1; os=Debian GNU/Linux 12 (bookworm); processor=Xeon 8480C; memory=126 GiB; "
            "driver=NVIDIA 535.183.01; gpu=2 × NVIDIA H200");
}

TEST_F(NodeFactsOf, TheOpenDriverNameItsVersionToo) {
  write("proc/driver/nvidia/version",
        "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.86.15  Release Build  (a@b)\n");
  EXPECT_EQ(text({"driver"}), "driver=NVIDIA 570.86.15");
}

TEST_F(NodeFactsOf, APlainNodeLeaveOutWhatItHasNot) {
  EXPECT_EQ(text({"host", "os", "processor", "memory", "driver", "gpu"}), "host=node1");
  EXPECT_EQ(text({"kernel"}).substr(0, 13), "kernel=Linux ");
}

TEST(NodeFactsHere, AreThoseOfThisMachine) {
  const Value facts = node_facts("here");
  EXPECT_GE(facts.as_array().size(), 4u);
}

}  // namespace
}  // namespace dt::agent
