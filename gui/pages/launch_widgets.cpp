#include "gui/pages/launch_widgets.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QTabWidget>
#include <QTableView>
#include <QVBoxLayout>

#include "gui/models/problems_model.h"
#include "gui/widgets/card.h"
#include "gui/widgets/cell_delegate.h"
#include "gui/widgets/context_picker.h"
#include "gui/widgets/diff_view.h"
#include "gui/widgets/icons.h"
#include "gui/widgets/overrides_form.h"
#include "gui/widgets/search_preview.h"
#include "gui/widgets/theme.h"
#include "gui/widgets/yaml_editor.h"

namespace dt::gui {
namespace {

using namespace Qt::StringLiterals;

constexpr int side_width = 400;
constexpr int problems_rows = 4;

QPushButton* button(QWidget* parent, const QString& name, Icon drawing, const QString& words,
                    const QString& tip) {
  auto* made = new QPushButton(icon(drawing), u' ' + words, parent);
  made->setObjectName(name);
  made->setToolTip(tip);
  return made;
}

QLayout* head(QWidget* page, LaunchWidgets& widgets) {
  widgets.title = new QLabel(page);
  widgets.title->setTextFormat(Qt::PlainText);
  widgets.title->setFont(title_font());
  widgets.open =
      button(page, u"open_config"_s, Icon::folder, u"Open"_s, u"Open a configuration file"_s);
  widgets.open_menu = new QMenu(widgets.open);
  widgets.open->setMenu(widgets.open_menu);
  widgets.copy = button(page, u"copy_dtctl"_s, Icon::copy, u"dtctl"_s,
                        u"Copy the command that submits the same"_s);
  widgets.paused = new QCheckBox(u"Start paused"_s, page);
  widgets.paused->setObjectName(u"start_paused"_s);
  widgets.launch = new QPushButton(u"Launch"_s, page);
  widgets.launch->setObjectName(u"launch_button"_s);
  widgets.launch->setToolTip(u"Submit the experiment (Ctrl+Return)"_s);
  widgets.launch->setProperty("primary", true);
  widgets.launch->setShortcut(QKeySequence(Qt::CTRL | Qt::Key_Return));
  auto* row = new QHBoxLayout;
  row->setSpacing(grid);
  row->addWidget(widgets.title, 1);
  row->addWidget(widgets.open);
  row->addWidget(widgets.copy);
  row->addSpacing(grid);
  row->addWidget(widgets.paused);
  row->addWidget(widgets.launch);
  return row;
}

QTableView* problems_table(QWidget* page, ProblemsModel* model) {
  auto* table = new QTableView(page);
  table->setObjectName(u"problems"_s);
  table->setAccessibleName(u"Problems of the configuration"_s);
  table->setModel(model);
  table->setItemDelegate(new CellDelegate(table));
  table->setSelectionBehavior(QAbstractItemView::SelectRows);
  table->setSelectionMode(QAbstractItemView::SingleSelection);
  table->setShowGrid(false);
  table->setWordWrap(false);
  table->horizontalHeader()->setHighlightSections(false);
  table->verticalHeader()->hide();
  table->verticalHeader()->setDefaultSectionSize(row_height);
  const int character = table->fontMetrics().horizontalAdvance(u'n');
  for (int column = 0; column < model->columnCount(); ++column) {
    const int width = model->columns()[static_cast<std::size_t>(column)].width;
    if (width > 0) table->setColumnWidth(column, width * character);
    if (width == 0) table->horizontalHeader()->setSectionResizeMode(column, QHeaderView::Stretch);
  }
  table->setFixedHeight(row_height * (problems_rows + 1));
  table->hide();
  return table;
}

QWidget* config_card(QWidget* page, LaunchWidgets& widgets) {
  widgets.config = new Card(u"Configuration"_s, page);
  widgets.editor = new YamlEditor(page);
  widgets.editor->setPlaceholderText(
      u"Open a configuration, drop one here, or type it:\n\n"
      "name: my-search\nentrypoint: python3 train.py\nsearcher: {name: single, metric: loss}"_s);
  widgets.difference = new DiffView(page);
  widgets.difference->hide();
  widgets.tabs = new QTabWidget(page);
  widgets.tabs->setDocumentMode(true);
  widgets.tabs->setTabBarAutoHide(true);
  widgets.tabs->addTab(widgets.editor, u"Configuration"_s);
  widgets.problems_model = new ProblemsModel(page);
  widgets.problems = problems_table(page, widgets.problems_model);
  widgets.config->body()->addWidget(widgets.tabs, 1);
  widgets.config->body()->addWidget(widgets.problems);
  return widgets.config;
}

QWidget* side(QWidget* page, Master& master, LaunchWidgets& widgets) {
  auto* column = new QWidget(page);
  auto* layout = new QVBoxLayout(column);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(grid);
  auto* search = new Card(u"Search"_s, column);
  widgets.preview = new SearchPreview(search);
  search->body()->addWidget(widgets.preview);
  auto* context = new Card(u"Code folder"_s, column);
  widgets.context = new ContextPicker(master, context);
  context->body()->addWidget(widgets.context);
  auto* overrides = new Card(u"On top of the configuration"_s, column);
  widgets.overrides = new OverridesForm(overrides);
  overrides->body()->addWidget(widgets.overrides);
  layout->addWidget(search);
  layout->addWidget(context);
  layout->addWidget(overrides);
  layout->addStretch(1);
  auto* area = new QScrollArea(page);
  area->setWidget(column);
  area->setWidgetResizable(true);
  area->setFrameShape(QFrame::NoFrame);
  area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  area->setMinimumWidth(side_width);
  return area;
}

QWidget* foot(QWidget* page, LaunchWidgets& widgets) {
  widgets.progress_row = new QWidget(page);
  widgets.progress_words = new FaintLabel({}, page);
  widgets.progress_words->setObjectName(u"submit_words"_s);
  widgets.progress = new QProgressBar(page);
  widgets.progress->setObjectName(u"submit_progress"_s);
  widgets.progress->setTextVisible(false);
  widgets.cancel = new QPushButton(u"Cancel"_s, page);
  widgets.cancel->setObjectName(u"cancel_submit"_s);
  auto* row = new QHBoxLayout(widgets.progress_row);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(grid);
  row->addWidget(widgets.progress_words, 1);
  row->addWidget(widgets.progress, 1);
  row->addWidget(widgets.cancel);
  widgets.progress_row->hide();
  return widgets.progress_row;
}

}  // namespace

LaunchWidgets make_launch_widgets(QWidget* page, Master& master) {
  LaunchWidgets widgets;
  auto* layout = new QVBoxLayout(page);
  layout->setContentsMargins(2 * grid, grid, 2 * grid, 2 * grid);
  layout->setSpacing(grid);
  layout->addLayout(head(page, widgets));
  widgets.trouble = new FaintLabel({}, page);
  widgets.trouble->setObjectName(u"launch_problem"_s);
  widgets.trouble->set_bad(true);
  layout->addWidget(widgets.trouble);
  layout->addWidget(foot(page, widgets));
  auto* splitter = new QSplitter(page);
  splitter->setChildrenCollapsible(false);
  splitter->setHandleWidth(grid);
  splitter->setProperty("gap", true);
  splitter->addWidget(config_card(page, widgets));
  splitter->addWidget(side(page, master, widgets));
  splitter->setStretchFactor(0, 1);
  layout->addWidget(splitter, 1);
  page->setFocusProxy(widgets.editor);
  widgets.editor->setFocus();
  return widgets;
}

}  // namespace dt::gui
