#include "client/context.h"

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "dovetail/v1/context.grpc.pb.h"

namespace dt::client {
namespace {

namespace fs = std::filesystem;
namespace v1 = ::dovetail::v1;

// A folder of code, made file by file.
class Folder {
 public:
  Folder() {
    path_ = testing::TempDir() + "context-XXXXXX";
    EXPECT_NE(::mkdtemp(path_.data()), nullptr);
  }
  ~Folder() {
    std::error_code error;
    fs::remove_all(path_, error);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  Folder& add(const std::string& name, const std::string& text = "x") {
    fs::create_directories((fs::path(path_) / name).parent_path());
    std::ofstream(fs::path(path_) / name) << text;
    return *this;
  }
  // A file that has a size and no blocks.
  Folder& add_hole(const std::string& name, std::int64_t bytes) {
    add(name);
    fs::resize_file(fs::path(path_) / name, static_cast<std::uintmax_t>(bytes));
    return *this;
  }
  Folder& add_link(const std::string& name, const std::string& target) {
    fs::create_symlink(target, fs::path(path_) / name);
    return *this;
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

TEST(ContextPacking, TheSameFilesHaveTheSameHashWhereverTheyLie) {
  Folder here, there;
  here.add("b.py", "2").add("a/c.py", "3");
  there.add("a/c.py", "3").add("b.py", "2");
  ::chmod((there.path() + "/a").c_str(), 0700);
  EXPECT_EQ(pack_context(here.path()).value().hash, pack_context(there.path()).value().hash);
  there.add("b.py", "4");
  EXPECT_NE(pack_context(here.path()).value().hash, pack_context(there.path()).value().hash);
}

TEST(ContextPacking, TellsHowFarItIs) {
  Folder folder;
  folder.add("a", "1234").add("b", "56");
  std::vector<std::int64_t> done;
  const auto packed = pack_context(folder.path(), {.on_progress = [&](const ContextProgress& now) {
    EXPECT_EQ(now.phase, ContextProgress::Phase::packing);
    EXPECT_EQ(now.total_bytes, 6);
    EXPECT_EQ(now.files, 2);
    done.push_back(now.done_bytes);
  }});
  EXPECT_EQ(done, (std::vector<std::int64_t>{4, 6}));
  EXPECT_EQ(packed.value().bytes, 6);
  EXPECT_EQ(packed.value().files, 2);
}

TEST(ContextPacking, AStopEndsIt) {
  Folder folder;
  folder.add("a").add("b").add("c");
  std::stop_source stop;
  int steps = 0;
  const auto packed = pack_context(folder.path(), {.on_progress =
                                                       [&](const ContextProgress&) {
                                                         ++steps;
                                                         stop.request_stop();
                                                       },
                                                   .stop = stop.get_token()});
  EXPECT_EQ(packed.status().code(), Code::cancelled);
  EXPECT_EQ(steps, 1);
}

TEST(ContextPacking, RefusesWhatTheMasterWould) {
  Folder links, large;
  links.add("a").add_link("out", "/etc/passwd");
  const Status link = pack_context(links.path()).status();
  EXPECT_EQ(link.text(),
            "context: out is a link out, to /etc/passwd (leave it out with a line in .dtignore: out)");
  large.add_hole("data.bin", context_bytes_max + 1);
  EXPECT_EQ(pack_context(large.path()).status().message(), "context: more than 96 MiB");
  EXPECT_EQ(pack_context("/nowhere/at/all").status().message(),
            "context /nowhere/at/all is no folder");
}

TEST(ContextListing, NamesFilesWithSizesAndWhatIsIgnoredByWhichPattern) {
  Folder folder;
  folder.add(".dtignore", "# data\n*.bin\n\n/build/\n").add(".detignore", "notes");
  folder.add("train.py", "12345").add("data/a.bin").add("build/x").add("sub/build/y", "1");
  folder.add("notes").add("__pycache__/z");
  const ContextListing listing = list_context(folder.path()).value();
  EXPECT_EQ(listing.files, (std::vector<ContextFile>{{".detignore", 5},
                                                     {".dtignore", 22},
                                                     {"sub/build/y", 1},
                                                     {"train.py", 5}}));
  EXPECT_EQ(listing.ignored,
            (std::vector<IgnoredPath>{{"__pycache__", true, "__pycache__", "always"},
                                      {"build", true, "/build/", ".dtignore line 4"},
                                      {"data/a.bin", false, "*.bin", ".dtignore line 2"},
                                      {"notes", false, "notes", ".detignore line 1"}}));
  EXPECT_EQ(listing.bytes, 33);
  EXPECT_TRUE(listing.problems.empty());
}

TEST(ContextListing, IsWhatIsPacked) {
  Folder folder;
  folder.add(".dtignore", "*.log").add("a.log").add("b/c.py", "123").add_link("d", "b/c.py");
  const ContextListing listing = list_context(folder.path()).value();
  const PackedContext packed = pack_context(folder.path()).value();
  EXPECT_EQ(listing.bytes, packed.bytes);
  EXPECT_EQ(static_cast<std::int64_t>(listing.files.size()), packed.files + 1);  // the link
}

TEST(ContextListing, TellsEveryProblemAndStillLists) {
  Folder folder;
  folder.add_hole("big", context_bytes_max + 1).add_link("b", "../..").add_link("a", "/x");
  const ContextListing listing = list_context(folder.path()).value();
  ASSERT_EQ(listing.problems.size(), 3u);
  EXPECT_EQ(listing.problems[0].message(), "context: more than 96 MiB");
  EXPECT_EQ(listing.problems[1].detail().path, "a");
  EXPECT_EQ(listing.problems[2].detail().path, "b");
  EXPECT_EQ(listing.files.size(), 3u);
  EXPECT_FALSE(list_context("/nowhere/at/all").ok());
}

TEST(ContextListing, AStopEndsIt) {
  Folder folder;
  folder.add("a");
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(list_context(folder.path(), stop.get_token()).status().code(), Code::cancelled);
}

TEST(ContextIgnoring, FollowsGitsPatterns) {
  EXPECT_TRUE(ignore_matches("*.pyc", "a/b.pyc", false));
  EXPECT_TRUE(ignore_matches("build/", "a/build", true));
  EXPECT_FALSE(ignore_matches("build/", "a/build", false));
  EXPECT_TRUE(ignore_matches("/build", "build", true));
  EXPECT_FALSE(ignore_matches("/build", "a/build", true));
  EXPECT_TRUE(ignore_matches("a/*.bin", "a/x.bin", false));
  EXPECT_FALSE(ignore_matches("a/*.bin", "a/b/x.bin", false));
}

class FakeContexts final : public v1::Contexts::Service {
 public:
  grpc::Status HasContext(grpc::ServerContext*, const v1::HasContextRequest* request,
                          v1::HasContextResponse* response) override {
    response->set_present(!hash.empty() && request->hash() == hash);
    return grpc::Status::OK;
  }
  grpc::Status UploadContext(grpc::ServerContext*,
                             grpc::ServerReader<v1::UploadContextRequest>* reader,
                             v1::UploadContextResponse*) override {
    for (v1::UploadContextRequest piece; reader->Read(&piece);) {
      if (!piece.hash().empty()) hash = piece.hash();
      bytes += static_cast<std::int64_t>(piece.data().size());
    }
    ++uploads;
    return grpc::Status::OK;
  }

  std::string hash;
  std::int64_t bytes = 0;
  int uploads = 0;
};

class ContextUpload : public testing::Test {
 protected:
  ContextUpload() {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
    builder.RegisterService(&contexts_);
    server_ = builder.BuildAndStart();
  }
  Client client() const { return Client({.address = cat("127.0.0.1:", port_), .token = "t"}); }

  FakeContexts contexts_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

// Text that gzip cannot shorten much, so that it takes several pieces.
std::string noise(std::size_t bytes) {
  std::string text(bytes, ' ');
  std::uint64_t state = 7;
  for (char& c : text) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    c = static_cast<char>(state >> 56);
  }
  return text;
}

TEST_F(ContextUpload, SendsAContextOnceAndTellsHowFarItIs) {
  Folder folder;
  folder.add("noise", noise(600 * 1024));
  std::vector<ContextProgress> heard;
  const auto keep = [&](const ContextProgress& progress) { heard.push_back(progress); };
  const auto hash = upload_context(client(), folder.path(), {.on_progress = keep});
  EXPECT_EQ(hash.value(), contexts_.hash);
  ASSERT_GE(heard.size(), 4u);
  EXPECT_EQ(heard[1].phase, ContextProgress::Phase::uploading);
  EXPECT_EQ(heard[1].done_bytes, 0);
  EXPECT_EQ(heard.back().done_bytes, contexts_.bytes);
  EXPECT_EQ(heard.back().total_bytes, contexts_.bytes);
  EXPECT_EQ(upload_context(client(), folder.path()).value(), contexts_.hash);
  EXPECT_EQ(contexts_.uploads, 1);
}

TEST_F(ContextUpload, AStopEndsIt) {
  Folder folder;
  folder.add("noise", noise(600 * 1024));
  std::stop_source stop;
  const auto at_first_piece = [&](const ContextProgress& progress) {
    if (progress.phase == ContextProgress::Phase::uploading) stop.request_stop();
  };
  const auto hash = upload_context(client(), folder.path(),
                                   {.on_progress = at_first_piece, .stop = stop.get_token()});
  EXPECT_EQ(hash.status().code(), Code::cancelled);
}

}  // namespace
}  // namespace dt::client
