#include "gui/widgets/command_palette.h"

#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "gui/widgets/theme.h"

namespace dt::gui {
namespace {

constexpr int palette_width = 600;
constexpr int entry_height = 34;
constexpr int shown_at_once = 10;

class EntryDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override {
    return {palette_width, entry_height};
  }

  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override {
    painter->save();
    const bool is_chosen = option.state & QStyle::State_Selected;
    QRect rect = option.rect.adjusted(half_grid, 1, -half_grid, -1);
    if (is_chosen) {
      painter->setRenderHint(QPainter::Antialiasing);
      painter->setPen(Qt::NoPen);
      painter->setBrush(theme().selection);
      painter->drawRoundedRect(rect, 5, 5);
    }
    rect.adjust(grid, 0, -grid, 0);
    const auto picture = static_cast<Icon>(index.data(PaletteModel::icon_role).toInt());
    paint_icon(*painter, picture, QRectF(rect.left(), rect.center().y() - 8, 16, 16),
               theme().faint);
    rect.setLeft(rect.left() + 16 + grid);
    paint_words(*painter, option, index, rect);
    painter->restore();
  }

 private:
  static void paint_words(QPainter& painter, const QStyleOptionViewItem& option,
                          const QModelIndex& index, QRect rect) {
    const auto draw = [&](const QString& text, int alignment, const QColor& color) {
      painter.setPen(color);
      painter.drawText(rect, alignment | Qt::AlignVCenter | Qt::TextSingleLine,
                       option.fontMetrics.elidedText(text, Qt::ElideRight, rect.width()));
    };
    const auto width_of = [&](const QString& text) {
      return text.isEmpty() ? 0 : option.fontMetrics.horizontalAdvance(text) + 2 * grid;
    };
    const QString key = index.data(PaletteModel::key_text_role).toString();
    draw(key, Qt::AlignRight, theme().faint);
    rect.setRight(rect.right() - width_of(key));
    const QString detail = index.data(PaletteModel::detail_role).toString();
    const QString title = index.data(Qt::DisplayRole).toString();
    draw(title, Qt::AlignLeft, theme().text);
    rect.setLeft(rect.left() + width_of(title));
    if (rect.width() > 4 * grid) draw(detail, Qt::AlignLeft, theme().faint);
  }
};

}  // namespace

CommandPalette::CommandPalette(QWidget* window)
    : QDialog(window, Qt::Popup | Qt::FramelessWindowHint),
      edit_(new QLineEdit(this)),
      list_(new QListView(this)),
      nothing_(new QLabel(this)) {
  setObjectName(QStringLiteral("palette"));
  setFixedWidth(palette_width);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(grid, grid, grid, grid);
  layout->setSpacing(half_grid);
  layout->addWidget(edit_);
  layout->addWidget(list_);
  layout->addWidget(nothing_);
  nothing_->setProperty("faint", true);
  nothing_->setContentsMargins(grid, grid, grid, grid);
  nothing_->setText(
      QStringLiteral("Nothing is called that. A number finds a trial or experiment."));
  edit_->setAccessibleName(QStringLiteral("Search or command"));
  edit_->installEventFilter(this);
  list_->setModel(&model_);
  list_->setItemDelegate(new EntryDelegate(list_));
  list_->setFocusPolicy(Qt::NoFocus);
  list_->setFrameShape(QFrame::NoFrame);
  list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  list_->setUniformItemSizes(true);
  list_->setMouseTracking(true);
  connect(edit_, &QLineEdit::textChanged, this, &CommandPalette::type);
  connect(edit_, &QLineEdit::returnPressed, this, [this] { run(list_->currentIndex()); });
  connect(list_, &QListView::clicked, this, &CommandPalette::run);
}

void CommandPalette::open_with(const QString& hint, std::vector<PaletteEntry> entries, More more) {
  entries_ = std::move(entries);
  more_ = std::move(more);
  edit_->setPlaceholderText(hint);
  edit_->clear();
  type({});
  const QWidget* window = parentWidget();
  move(window->mapToGlobal(QPoint((window->width() - width()) / 2, 6 * grid)));
  show();
  edit_->setFocus();
}

void CommandPalette::type(const QString& text) {
  std::vector<PaletteEntry> entries = more_ ? more_(text.trimmed()) : std::vector<PaletteEntry>();
  entries.insert(entries.end(), entries_.begin(), entries_.end());
  model_.set_entries(std::move(entries));
  model_.set_pattern(text.trimmed());
  const int count = model_.rowCount();
  list_->setVisible(count > 0);
  nothing_->setVisible(count == 0);
  list_->setFixedHeight(std::clamp(count, 1, shown_at_once) * entry_height + half_grid);
  list_->setCurrentIndex(model_.index(0));
  adjustSize();
}

void CommandPalette::run(const QModelIndex& index) {
  const PaletteEntry* entry = model_.entry(index.row());
  if (entry == nullptr) return;
  const std::function<void()> work = entry->run;
  close();
  if (work) work();
}

void CommandPalette::step(int by) {
  const int count = model_.rowCount();
  if (count == 0) return;
  list_->setCurrentIndex(model_.index((list_->currentIndex().row() + by + count) % count));
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::KeyPress) return QDialog::eventFilter(watched, event);
  switch (static_cast<QKeyEvent*>(event)->key()) {
    case Qt::Key_Down: return step(1), true;
    case Qt::Key_Up: return step(-1), true;
    case Qt::Key_PageDown: return step(shown_at_once), true;
    case Qt::Key_PageUp: return step(-shown_at_once), true;
    default: return QDialog::eventFilter(watched, event);
  }
}

}  // namespace dt::gui
