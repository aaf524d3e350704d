#include "agent/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "agent/files.h"
#include "tests/unit/agent/temporary_folder.h"

namespace dt::agent {
namespace {

// Writes a tar.gz entry by entry.
class ArchiveBuilder {
 public:
  explicit ArchiveBuilder(const std::string& path) : writer_(archive_write_new()) {
    archive_write_add_filter_gzip(writer_);
    archive_write_set_format_pax_restricted(writer_);
    archive_write_open_filename(writer_, path.c_str());
  }
  ~ArchiveBuilder() { archive_write_free(writer_); }

  ArchiveBuilder& file(const std::string& name, const std::string& text, int mode = 0644) {
    return add(name, AE_IFREG, mode, text);
  }
  ArchiveBuilder& folder(const std::string& name) { return add(name, AE_IFDIR, 0755, ""); }
  ArchiveBuilder& fifo(const std::string& name) { return add(name, AE_IFIFO, 0644, ""); }
  ArchiveBuilder& symlink(const std::string& name, const std::string& target) {
    archive_entry* entry = archive_entry_new();
    archive_entry_set_symlink(entry, target.c_str());
    return add(name, AE_IFLNK, 0777, "", entry);
  }
  ArchiveBuilder& hardlink(const std::string& name, const std::string& target) {
    archive_entry* entry = archive_entry_new();
    archive_entry_set_hardlink(entry, target.c_str());
    return add(name, AE_IFREG, 0644, "", entry);
  }

 private:
  ArchiveBuilder& add(const std::string& name, unsigned type, int mode, const std::string& text,
                      archive_entry* entry = archive_entry_new()) {
    archive_entry_set_pathname(entry, name.c_str());
    archive_entry_set_filetype(entry, type);
    archive_entry_set_perm(entry, static_cast<unsigned>(mode));
    archive_entry_set_size(entry, static_cast<la_int64_t>(text.size()));
    archive_write_header(writer_, entry);
    archive_write_data(writer_, text.data(), text.size());
    archive_entry_free(entry);
    return *this;
  }

  archive* writer_;
};

class Archive : public testing::Test {
 protected:
  Archive() { std::filesystem::create_directory(target_); }

  Status unpack(const ArchiveLimits& limits = {}) {
    return unpack_archive(archive_, target_, limits);
  }

  TemporaryFolder folder_;
  std::string archive_ = folder_ / "context.tar.gz";
  std::string target_ = folder_ / "context";
};

TEST_F(Archive, UnpacksFilesFoldersAndInnerLinks) {
  ArchiveBuilder(archive_)
      .file("train.py", "print()")
      .folder("data")
      .file("./data/a/run.sh", "#!/bin/sh\n", 0755)
      .symlink("data/link", "../train.py");
  ASSERT_EQ(unpack(), Status());
  EXPECT_EQ(read_file(target_ + "/data/link").value(), "print()");
  struct stat info {};
  ::stat((target_ + "/data/a/run.sh").c_str(), &info);
  EXPECT_EQ(info.st_mode & 0777, 0755u);
}

TEST_F(Archive, RefusesWhatLeadsOut) {
  const auto refusal = [&](void (*add)(ArchiveBuilder&)) {
    {
      ArchiveBuilder builder(archive_);
      add(builder);
    }
    return unpack().message();
  };
  EXPECT_EQ(refusal([](ArchiveBuilder& archive) { archive.file("../evil", "x"); }),
            "context refused: ../evil leads out of the context");
  EXPECT_EQ(refusal([](ArchiveBuilder& archive) { archive.file("/etc/evil", "x"); }),
            "context refused: /etc/evil leads out of the context");
  EXPECT_EQ(refusal([](ArchiveBuilder& archive) { archive.symlink("a/b", "../../etc"); }),
            "context refused: a/b is a link out of the context");
  EXPECT_EQ(refusal([](ArchiveBuilder& archive) { archive.symlink("a", "/etc/passwd"); }),
            "context refused: a is a link out of the context");
  EXPECT_EQ(refusal([](ArchiveBuilder& archive) { archive.hardlink("a", "../secret"); }),
            "context refused: a is a link out of the context");
  EXPECT_EQ(refusal([](ArchiveBuilder& archive) { archive.fifo("pipe"); }),
            "context refused: pipe is no file, folder or link");
  EXPECT_FALSE(exists(folder_ / "evil"));
}

TEST_F(Archive, DoesNotWriteThroughALinkItUnpacked) {
  ArchiveBuilder(archive_).folder("real").symlink("way", "real").file("way/file", "x");
  EXPECT_FALSE(unpack().ok());
  EXPECT_FALSE(exists(target_ + "/real/file"));
}

TEST_F(Archive, RefusesTooMuch) {
  ArchiveBuilder(archive_).file("a", std::string(3000, 'a')).file("b", "b");
  EXPECT_EQ(unpack({.bytes_max = 1000}).message(), archive_ + " unpacks to more than 1000 bytes");
  EXPECT_EQ(unpack({.files_max = 1}).message(), archive_ + " has more than 1 files");
}

TEST_F(Archive, TakesAwaySetIdBits) {
  ArchiveBuilder(archive_).file("a", "x", 06755);
  ASSERT_EQ(unpack(), Status());
  struct stat info {};
  ::stat((target_ + "/a").c_str(), &info);
  EXPECT_EQ(info.st_mode & 07777, 0755u);
}

TEST_F(Archive, NamesAFileThatIsNoArchive) {
  ASSERT_TRUE(replace_file(archive_, "no archive at all").ok());
  EXPECT_EQ(unpack().message().find("cannot unpack " + archive_), 0u);
}

}  // namespace
}  // namespace dt::agent
