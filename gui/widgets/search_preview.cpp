#include "gui/widgets/search_preview.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QVBoxLayout>
#include <algorithm>

#include "gui/data/format.h"
#include "gui/widgets/card.h"
#include "gui/widgets/rungs_view.h"
#include "gui/widgets/theme.h"

namespace dt::gui {
namespace {

using namespace Qt::StringLiterals;

constexpr int first_shown = 3;

QString value_words(const QJsonValue& value) {
  if (value.isDouble()) return number(value.toDouble());
  if (value.isString()) return one_line(value.toString(), 24);
  if (value.isBool()) return value.toBool() ? u"true"_s : u"false"_s;
  const QJsonDocument document(value.isArray() ? QJsonDocument(value.toArray())
                                               : QJsonDocument(value.toObject()));
  return one_line(QString::fromUtf8(document.toJson(QJsonDocument::Compact)), 24);
}

QString hparams_words(const std::string& json) {
  const QJsonObject hparams = QJsonDocument::fromJson(QByteArray::fromStdString(json)).object();
  QStringList words;
  for (auto it = hparams.begin(); it != hparams.end(); ++it) {
    words += one_line(it.key(), 32) + u'=' + value_words(it.value());
  }
  return words.join(u"  "_s);
}

}  // namespace

SearchPreview::SearchPreview(QWidget* parent) : QWidget(parent) {
  words_ = new FaintLabel({}, this);
  words_->setObjectName(u"preview_words"_s);
  rungs_ = new RungsView(this);
  first_ = new FaintLabel({}, this);
  first_->setObjectName(u"preview_first_trials"_s);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(grid);
  layout->addWidget(words_);
  layout->addWidget(rungs_);
  layout->addWidget(first_);
}

void SearchPreview::show_preview(const v1::PreviewSearchResponse& preview) {
  words_->set_text(preview_words(preview));
  rungs_->set_picture(picture_of(preview));
  rungs_->setVisible(preview.rungs_size() > 0);
  QStringList lines;
  for (int i = 0; i < std::min(first_shown, preview.first_hparams_json_size()); ++i) {
    lines += hparams_words(preview.first_hparams_json(i));
  }
  first_->set_text(lines.isEmpty() ? QString() : u"First trials:\n"_s + lines.join(u'\n'));
}

void SearchPreview::show_failure(const Status& failure) {
  const bool is_old = failure.code() == Code::unimplemented;
  show_words(is_old ? u"This master cannot preview a search; launching works all the same."_s
                    : QString::fromStdString(failure.text()));
}

void SearchPreview::show_words(const QString& words) {
  words_->set_text(words);
  rungs_->setVisible(false);
  first_->set_text({});
}

}  // namespace dt::gui
