// What a person has filled into the launch page: kept in a file while it is typed, so that it comes
// back after a crash, and turned into the request or into the dtctl command that does the same.
// LaunchMemory is for the GUI thread; the rest is plain values.
#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace dt::gui {

struct Override {
  QString key;    // "searcher.max_trials"
  QString value;  // YAML
  bool operator==(const Override&) const = default;
};

// Where a fork comes from. Its context is kept unless another folder is chosen.
struct ForkParent {
  std::int64_t experiment_id = 0;
  QString name;
  QString config_yaml;
  QString context_hash;
  bool operator==(const ForkParent&) const = default;
};

struct LaunchDraft {
  QString config_path;  // the file it was read from; empty: typed
  QString config_yaml;
  QString context_folder;  // empty: none, or the parent's context
  std::vector<Override> overrides;
  bool is_paused = false;
  std::optional<ForkParent> parent;
  bool operator==(const LaunchDraft&) const = default;
};

// "searcher.max_trials=8", of rows that have a key.
QStringList override_texts(const std::vector<Override>& overrides);

// What to type in a terminal to submit the same; a text that lies in no file is named config.yaml.
QString launch_command(const LaunchDraft& draft);
// One word for a POSIX shell.
QString shell_word(const QString& text);

struct LaunchState {
  LaunchDraft draft;
  QStringList recent_configs;  // files, newest first
  bool operator==(const LaunchState&) const = default;
};

QByteArray to_bytes(const LaunchState& state);
LaunchState launch_state_of(const QByteArray& bytes);  // what is not understood is left out

// Newest first, each once, at most ten.
QStringList with_recent(QStringList recent, const QString& path);

class LaunchMemory {
 public:
  explicit LaunchMemory(QString path = default_path()) : path_(std::move(path)) {}

  static QString default_path();
  const QString& path() const { return path_; }
  // Soon, by another thread; later states win.
  void save(const LaunchState& state);

 private:
  QString path_;
};

}  // namespace dt::gui
