#include "gui/widgets/overrides_form.h"

#include <QFormLayout>
#include <QHeaderView>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLineEdit>
#include <QShortcut>
#include <QTableView>
#include <algorithm>

#include "gui/data/format.h"
#include "gui/widgets/cell_delegate.h"
#include "gui/widgets/theme.h"

namespace dt::gui {
namespace {

using namespace Qt::StringLiterals;

constexpr int rows_seen = 4;

// A JSON string is a YAML string, whatever is in it.
QString quoted(const QString& text) {
  const QByteArray list = QJsonDocument(QJsonArray{text}).toJson(QJsonDocument::Compact);
  return QString::fromUtf8(list.mid(1, list.size() - 2));
}

QString unquoted(const QString& yaml) {
  const QJsonArray list = QJsonDocument::fromJson("[" + yaml.toUtf8() + "]").array();
  return list.size() == 1 && list[0].isString() ? list[0].toString() : yaml;
}

QString value_at(const QJsonObject& config, const QString& key) {
  QJsonValue value = config;
  for (const QString& part : key.split(u'.')) value = value.toObject()[part];
  if (value.isDouble()) return number(value.toDouble());
  return value.toString();
}

}  // namespace

OverridesForm::OverridesForm(QWidget* parent) : QWidget(parent) {
  auto* layout = new QFormLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(grid);
  layout->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  add_field(u"name"_s, u"Name"_s, true);
  add_field(u"searcher.max_trials"_s, u"Trials at most"_s, false);
  add_field(u"resources.slots_per_trial"_s, u"Slots a trial"_s, false);
  build_table();
  layout->addRow(table_);
  connect(&model_, &OverridesModel::edited, this, &OverridesForm::changed);
}

void OverridesForm::add_field(const QString& key, const QString& title, bool is_text) {
  auto* edit = new QLineEdit(this);
  edit->setObjectName(u"override_"_s + key.section(u'.', -1));
  edit->setAccessibleName(title);
  connect(edit, &QLineEdit::textEdited, this, &OverridesForm::changed);
  qobject_cast<QFormLayout*>(layout())->addRow(title, edit);
  fields_.push_back({key, edit, is_text});
}

void OverridesForm::build_table() {
  table_ = new QTableView(this);
  table_->setObjectName(u"overrides"_s);
  table_->setAccessibleName(u"Other values on top of the configuration"_s);
  table_->setModel(&model_);
  table_->setItemDelegate(new CellDelegate(table_));
  table_->setEditTriggers(QAbstractItemView::AllEditTriggers);
  table_->verticalHeader()->hide();
  table_->verticalHeader()->setDefaultSectionSize(row_height);
  table_->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
  table_->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  table_->horizontalHeader()->setHighlightSections(false);
  table_->setFixedHeight(row_height * (rows_seen + 1));
  auto* erase = new QShortcut(QKeySequence::Delete, table_);
  erase->setContext(Qt::WidgetShortcut);
  connect(erase, &QShortcut::activated, this,
          [this] { model_.remove(table_->currentIndex().row()); });
}

OverridesForm::Field* OverridesForm::field_of(const QString& key) {
  const auto it = std::find_if(fields_.begin(), fields_.end(),
                               [&](const Field& field) { return field.key == key; });
  return it == fields_.end() ? nullptr : &*it;
}

void OverridesForm::set_overrides(const std::vector<Override>& overrides) {
  for (const Field& field : fields_) field.edit->clear();
  std::vector<Override> others;
  for (const Override& row : overrides) {
    if (const Field* field = field_of(row.key)) {
      field->edit->setText(field->is_text ? unquoted(row.value) : row.value);
    } else {
      others.push_back(row);
    }
  }
  model_.set_overrides(std::move(others));
}

std::vector<Override> OverridesForm::overrides() const {
  std::vector<Override> rows;
  for (const Field& field : fields_) {
    const QString text = field.edit->text().trimmed();
    if (!text.isEmpty()) rows.push_back({field.key, field.is_text ? quoted(text) : text});
  }
  rows.insert(rows.end(), model_.overrides().begin(), model_.overrides().end());
  return rows;
}

void OverridesForm::set_resolved(const QString& json) {
  const QJsonObject config = QJsonDocument::fromJson(json.toUtf8()).object();
  for (const Field& field : fields_) {
    field.edit->setPlaceholderText(one_line(value_at(config, field.key), 60));
  }
}

}  // namespace dt::gui
