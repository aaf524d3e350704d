#include "gui/data/launch_draft.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QStandardPaths>

#include "gui/data/file_writer.h"

namespace dt::gui {
namespace {

using namespace Qt::StringLiterals;

constexpr qsizetype recent_max = 10;

QJsonArray to_json(const std::vector<Override>& overrides) {
  QJsonArray list;
  for (const Override& row : overrides) {
    list.append(QJsonObject{{u"key"_s, row.key}, {u"value"_s, row.value}});
  }
  return list;
}

std::vector<Override> overrides_of(const QJsonArray& list) {
  std::vector<Override> overrides;
  for (const QJsonValue& row : list) {
    overrides.push_back({row[u"key"_s].toString(), row[u"value"_s].toString()});
  }
  return overrides;
}

QJsonObject to_json(const ForkParent& parent) {
  return {{u"experiment_id"_s, QString::number(parent.experiment_id)},
          {u"name"_s, parent.name},
          {u"config_yaml"_s, parent.config_yaml},
          {u"context_hash"_s, parent.context_hash}};
}

std::optional<ForkParent> parent_of(const QJsonObject& json) {
  const std::int64_t id = json[u"experiment_id"_s].toString().toLongLong();
  if (id == 0) return std::nullopt;
  return ForkParent{id, json[u"name"_s].toString(), json[u"config_yaml"_s].toString(),
                    json[u"context_hash"_s].toString()};
}

QJsonObject to_json(const LaunchDraft& draft) {
  QJsonObject json{{u"config_path"_s, draft.config_path},
                   {u"config_yaml"_s, draft.config_yaml},
                   {u"context_folder"_s, draft.context_folder},
                   {u"overrides"_s, to_json(draft.overrides)},
                   {u"is_paused"_s, draft.is_paused}};
  if (draft.parent) json[u"parent"_s] = to_json(*draft.parent);
  return json;
}

LaunchDraft draft_of(const QJsonObject& json) {
  return {.config_path = json[u"config_path"_s].toString(),
          .config_yaml = json[u"config_yaml"_s].toString(),
          .context_folder = json[u"context_folder"_s].toString(),
          .overrides = overrides_of(json[u"overrides"_s].toArray()),
          .is_paused = json[u"is_paused"_s].toBool(),
          .parent = parent_of(json[u"parent"_s].toObject())};
}

}  // namespace

QStringList override_texts(const std::vector<Override>& overrides) {
  QStringList texts;
  for (const Override& row : overrides) {
    if (!row.key.trimmed().isEmpty()) texts.append(row.key.trimmed() + u'=' + row.value);
  }
  return texts;
}

QString shell_word(const QString& text) {
  static const QRegularExpression harmless(u"^[A-Za-z0-9_./:=,@%+-]+$"_s);
  if (harmless.match(text).hasMatch()) return text;
  QString quoted = text;
  quoted.replace(u'\'', u"'\\''"_s);
  return u'\'' + quoted + u'\'';
}

QString launch_command(const LaunchDraft& draft) {
  QStringList words = {u"dtctl"_s, u"experiment"_s, u"create"_s};
  words += shell_word(draft.config_path.isEmpty() ? u"config.yaml"_s : draft.config_path);
  if (!draft.context_folder.isEmpty()) words += shell_word(draft.context_folder);
  for (const QString& text : override_texts(draft.overrides)) {
    words += u"--set"_s;
    words += shell_word(text);
  }
  if (draft.is_paused) words += u"--paused"_s;
  return words.join(u' ');
}

QByteArray to_bytes(const LaunchState& state) {
  const QJsonObject json{{u"draft"_s, to_json(state.draft)},
                         {u"recent_configs"_s, QJsonArray::fromStringList(state.recent_configs)}};
  return QJsonDocument(json).toJson(QJsonDocument::Compact);
}

LaunchState launch_state_of(const QByteArray& bytes) {
  const QJsonObject json = QJsonDocument::fromJson(bytes).object();
  LaunchState state{.draft = draft_of(json[u"draft"_s].toObject())};
  for (const QJsonValue& path : json[u"recent_configs"_s].toArray()) {
    state.recent_configs.append(path.toString());
  }
  return state;
}

QStringList with_recent(QStringList recent, const QString& path) {
  recent.removeAll(path);
  recent.prepend(path);
  return recent.mid(0, recent_max);
}

QString LaunchMemory::default_path() {
  return QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) + u"/launch.json"_s;
}

void LaunchMemory::save(const LaunchState& state) { write_soon(path_, to_bytes(state)); }

}  // namespace dt::gui
