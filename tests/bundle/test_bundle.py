"""`./dev bundle DIR`: the folder builds and trains where there is a compiler, CMake, make and LibTorch,
and nothing of Debian's packages besides: no such header may be among what the compiler read.

    TORCH_ROOT=…/torch test_bundle.py
"""

import glob
import os
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
TOOLS = ["sh", "bash", "env", "dirname", "uname", "cmake", "make", "g++", "gcc", "c++", "cc", "as", "ld", "ar",
         "ranlib", "nm", "strip", "objcopy", "objdump", "mold", "ld.mold", "lld", "ld.lld", "ccache", "nproc"]
# What a compiler comes with. Everything else below /usr/include is some library's.
COMPILER_PACKAGES = re.compile(r"^(libc6-dev|linux-libc-dev|libstdc\+\+-\d+-dev|libgcc-\d+-dev|libcrypt-dev)\b")
LINE = """
#include <dovetail/trial.h>
#include <torch/nn/modules/linear.h>
#include <torch/optim/sgd.h>
struct Line : dovetail::Trial {
  torch::nn::Linear net{1, 1};
  torch::Tensor x = torch::linspace(0, 1, 256).unsqueeze(1);
  explicit Line(dovetail::Context& context) {
    context.wrap_optimizer(torch::optim::SGD(context.wrap_model(net)->parameters(), 0.1));
  }
  std::shared_ptr<dovetail::Dataset> training_data() override {
    return dovetail::tensor_dataset({x, 3 * x});
  }
  dovetail::Loss train_batch(const dovetail::Batch& batch) override {
    return {(net(batch[0]) - batch[1]).square().sum(), 1.0 * batch[0].size(0)};
  }
};
int main(int argc, char** argv) { return dovetail::run<Line>(argc, argv, {.steps = 500}); }
"""
CMAKE = """
cmake_minimum_required(VERSION 3.25)
project(line LANGUAGES CXX)
find_package(Dovetail REQUIRED)
add_executable(line line.cpp)
target_link_libraries(line dovetail::trial)
"""


class Bundle(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="dt-bundle-")
        self.addCleanup(shutil.rmtree, self.dir)
        tools = os.path.join(self.dir, "tools")
        os.mkdir(tools)
        for tool in TOOLS:
            if shutil.which(tool):
                os.symlink(shutil.which(tool), os.path.join(tools, tool))
        self.environment = {"PATH": tools, "HOME": self.dir, "TORCH_ROOT": os.environ["TORCH_ROOT"]}
        self.environment["CCACHE_DIR"] = os.environ.get("CCACHE_DIR", os.path.expanduser("~/.cache/ccache"))
        self.environment["JOBS"] = os.environ.get("JOBS", "2")

    def run_here(self, *arguments, **options):
        done = subprocess.run(arguments, env=self.environment, cwd=self.dir, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, **options)
        self.assertEqual(done.returncode, 0, done.stdout[-6000:])
        return done.stdout

    def test_it_builds_and_trains_with_a_compiler_cmake_and_the_wheel(self):
        bundle = os.path.join(self.dir, "bundle")
        subprocess.run([os.path.join(ROOT, "dev"), "bundle", bundle], check=True, stdout=subprocess.DEVNULL)
        self.run_here(os.path.join(bundle, "build.sh"))
        self.assertEqual(self.foreign_headers(), [])

        mine = os.path.join(self.dir, "mine")
        os.mkdir(mine)
        for name, text in (("line.cpp", LINE), ("CMakeLists.txt", CMAKE)):
            with open(os.path.join(mine, name), "w") as file:
                file.write(text)
        self.run_here("cmake", "-S", mine, "-B", "mine/build", "-DCMAKE_PREFIX_PATH=" + self.dir + "/build")
        self.run_here("cmake", "--build", "mine/build")
        said = self.run_here("build/bin/dt-launch", "--nproc", "2", "--", "mine/build/line", "--steps", "300",
                             "--batch", "64")
        loss = float(re.search(r"final loss=(\S+) params_sha256=\w{64}", said).group(1))
        self.assertLess(loss, 0.01)

    def foreign_headers(self):
        """Headers of libraries' packages that the compiler read, by the dependency files it left."""
        read = set()
        for path in glob.glob(os.path.join(self.dir, "build", "**", "*.d"), recursive=True):
            with open(path) as file:
                read.update(re.findall(r"/usr/(?:local/)?include/\S+", file.read()))
        self.assertTrue(read)
        owners = subprocess.run(["dpkg", "-S", *sorted(read)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                text=True).stdout
        return [line for line in owners.splitlines() if not COMPILER_PACKAGES.match(line)]


if __name__ == "__main__":
    unittest.main()
