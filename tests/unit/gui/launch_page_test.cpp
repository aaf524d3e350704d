// The launch page against a master that answers over real gRPC.
#include "gui/pages/launch_page.h"

#include <gtest/gtest.h>

#include <QCheckBox>
#include <QDir>
#include <QFile>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>

#include "gui/session.h"
#include "gui/widgets/card.h"
#include "gui/widgets/context_picker.h"
#include "gui/widgets/diff_view.h"
#include "gui/widgets/overrides_form.h"
#include "gui/widgets/yaml_editor.h"
#include "tests/unit/gui/fake_master.h"

namespace dt::gui {
namespace {

constexpr std::int64_t parent = 7;

// Refuses max_trials: -3 at its line.
v1::ValidateConfigResponse validate(const std::string& yaml) {
  v1::ValidateConfigResponse response;
  const QStringList lines = QString::fromStdString(yaml).split(u'\n');
  for (int at = 0; at < lines.size(); ++at) {
    if (!lines[at].contains("max_trials: -3")) continue;
    v1::ConfigProblem* error = response.add_errors();
    error->set_line(at + 1);
    error->set_path("searcher.max_trials");
    error->set_message("<b>must be > 0</b>, got -3");
    error->set_value("-3");
    error->set_hint("as in 8");
  }
  if (response.errors().empty()) response.set_resolved_json(R"({"name": "resolved-name"})");
  return response;
}

class LaunchPages : public testing::Test {
 protected:
  LaunchPages() {
    master_.edit([](FakeMaster::Rows& rows) {
      rows.validate = validate;
      rows.preview.set_trials(12);
      rows.preview.set_slots_per_trial(2);
      rows.preview.set_unit("batches");
      v1::Experiment& row = rows.add_experiment(parent, "parent");
      row.set_config_yaml("name: parent\nlr: 1\n");
      row.set_context_hash("abc");
    });
    session_ = std::make_unique<Session>(master_.credentials());
    open();
  }
  ~LaunchPages() override {
    master_.release();
    page_.reset();
    session_.reset();
  }

  void open(std::int64_t fork_of = 0) {
    page_.reset();
    page_ = std::make_unique<LaunchPage>(*session_, fork_of, nullptr, folder_.filePath("draft"));
    page_->resize(1100, 740);
    page_->show();
  }

  template <class Widget>
  Widget* find(const char* name) {
    return page_->findChild<Widget*>(QString::fromLatin1(name));
  }
  YamlEditor* editor() { return find<YamlEditor>("config_editor"); }
  QString words(const char* name) { return find<FaintLabel>(name)->text(); }
  bool soon_valid() {
    return soon([&] { return words("preview_words").contains("12 trials"); });
  }
  void press_launch() { find<QPushButton>("launch_button")->click(); }

  QTemporaryDir folder_;
  FakeMaster master_;
  std::unique_ptr<Session> session_;
  std::unique_ptr<LaunchPage> page_;
};

TEST_F(LaunchPages, ShowAnErrorAtItsLineAndForgetItOnceItIsMended) {
  editor()->setPlainText("name: x\nsearcher:\n  max_trials: -3\n");
  ASSERT_TRUE(soon([&] { return !editor()->marks().empty(); }));
  EXPECT_EQ(editor()->marks()[0].line, 3);
  EXPECT_EQ(editor()->marks()[0].text, "<b>must be > 0</b>, got -3");
  auto* problems = find<QTableView>("problems");
  ASSERT_TRUE(problems->isVisible());
  EXPECT_EQ(problems->model()->index(0, 4).data().toString(), "as in 8");
  Q_EMIT problems->clicked(problems->model()->index(0, 2));
  EXPECT_EQ(editor()->textCursor().blockNumber(), 2);
  editor()->moveCursor(QTextCursor::Start);
  editor()->insertPlainText("# a line above\n");
  EXPECT_EQ(editor()->marks()[0].line, 4);  // it moves with its text
  editor()->setPlainText("name: x\nsearcher:\n  max_trials: 3\n");
  ASSERT_TRUE(soon_valid());
  EXPECT_TRUE(editor()->marks().empty());
  EXPECT_FALSE(problems->isVisible());
}

TEST_F(LaunchPages, DropAnAnswerThatComesTooLate) {
  master_.hold("ValidateConfig");
  editor()->setPlainText("name: x\nmax_trials: -3\n");
  ASSERT_TRUE(soon([&] { return master_.calls("ValidateConfig") == 1; }));
  editor()->setPlainText("name: x\n");
  ASSERT_TRUE(soon([&] { return master_.calls("ValidateConfig") == 2; }));
  master_.release();
  ASSERT_TRUE(soon_valid());
  QTest::qWait(50);  // an answer that came would be seen by now; its dropping has no signal
  EXPECT_TRUE(editor()->marks().empty());
  EXPECT_TRUE(words("preview_words").contains("12 trials"));
}

TEST_F(LaunchPages, SubmitWithFolderAndOverridesAndOpenWhatWasMade) {
  QDir(folder_.path()).mkdir("code");
  QFile file(folder_.filePath("code/train.py"));
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write("print(1)");
  file.close();
  QSignalSpy opened(session_.get(), &Session::open_link);
  editor()->setPlainText("name: x\n");
  find<ContextPicker>("")->set_folder(folder_.filePath("code"));
  find<OverridesForm>("")->set_overrides(
      {{"searcher.max_trials", "8"}, {"hyperparameters.lr", "1"}});
  Q_EMIT find<OverridesForm>("")->changed();
  find<QCheckBox>("start_paused")->setChecked(true);
  press_launch();  // before it is checked: it goes on by itself
  ASSERT_TRUE(soon([&] { return opened.count() == 1; }));
  EXPECT_EQ(opened[0][0].value<Link>(), (Link{Link::Kind::experiment, parent + 1, {}}));
  const v1::CreateExperimentRequest request = master_.creations().at(0);
  EXPECT_EQ(request.config_yaml(), "name: x\n");
  EXPECT_EQ(request.context_hash().size(), 64u);
  EXPECT_TRUE(request.paused());
  ASSERT_EQ(request.overrides_size(), 2);
  EXPECT_EQ(request.overrides(0), "searcher.max_trials=8");
  EXPECT_EQ(master_.calls("UploadContext"), 1);
  EXPECT_EQ(words("context_summary").toStdString(), "1 file, 8 B");
}

TEST_F(LaunchPages, DoNotSubmitWhatIsWrongButGoThere) {
  editor()->setPlainText("name: x\nmax_trials: -3\n");
  press_launch();
  ASSERT_TRUE(soon([&] { return !editor()->marks().empty(); }));
  EXPECT_EQ(editor()->textCursor().blockNumber(), 1);
  EXPECT_TRUE(master_.creations().empty());
}

TEST_F(LaunchPages, ShowARefusalOfTheSubmitAtItsLine) {
  master_.refuse("CreateExperiment", grpc::StatusCode::INVALID_ARGUMENT,
                 "line 2: no slots for that");
  editor()->setPlainText("name: x\nresources: {}\n");
  ASSERT_TRUE(soon_valid());
  press_launch();
  ASSERT_TRUE(soon([&] { return !editor()->marks().empty(); }));
  EXPECT_EQ(editor()->marks()[0].line, 2);
  EXPECT_EQ(editor()->marks()[0].text, "no slots for that");
}

TEST_F(LaunchPages, TryAgainWithTheSameRequestAfterALostAnswer) {
  master_.refuse("CreateExperiment", grpc::StatusCode::UNAVAILABLE, "gone");
  QSignalSpy opened(session_.get(), &Session::open_link);
  editor()->setPlainText("name: x\n");
  ASSERT_TRUE(soon_valid());
  press_launch();
  ASSERT_TRUE(soon([&] { return words("launch_problem").contains("makes no second one"); }));
  master_.allow("CreateExperiment");
  press_launch();
  ASSERT_TRUE(soon([&] { return opened.count() == 1; }));
  press_launch();  // meant: another one
  ASSERT_TRUE(soon([&] { return opened.count() == 2; }));
  const auto requests = master_.creations();
  ASSERT_EQ(requests.size(), 3u);
  EXPECT_EQ(requests[0].request_id(), requests[1].request_id());
  EXPECT_NE(requests[1].request_id(), requests[2].request_id());
}

TEST_F(LaunchPages, SayWhereAFolderCannotBeSent) {
  QDir(folder_.path()).mkdir("code");
  QFile::link("/etc/passwd", folder_.filePath("code/out"));
  editor()->setPlainText("name: x\n");
  find<ContextPicker>("")->set_folder(folder_.filePath("code"));
  ASSERT_TRUE(soon([&] { return words("context_problem").contains("link out, to /etc/passwd"); }));
  ASSERT_TRUE(soon_valid());
  press_launch();
  EXPECT_TRUE(words("launch_problem").contains("cannot be sent"));
  EXPECT_TRUE(master_.creations().empty());
}

TEST_F(LaunchPages, WorkWithAMasterThatHasNoPreview) {
  master_.refuse("PreviewSearch", grpc::StatusCode::UNIMPLEMENTED, "");
  editor()->setPlainText("name: x\n");
  EXPECT_TRUE(soon([&] { return words("preview_words").contains("cannot preview"); }));
}

TEST_F(LaunchPages, KeepWhatIsTypedWhileTheMasterIsAway) {
  master_.stop();
  editor()->setPlainText("name: kept\n");
  ASSERT_TRUE(soon([&] { return words("preview_words").contains("answers again"); }));
  press_launch();
  ASSERT_TRUE(soon([&] { return words("launch_problem").contains("What you typed is kept"); }));
  EXPECT_EQ(editor()->toPlainText(), "name: kept\n");
}

TEST_F(LaunchPages, BringBackWhatWasTypedBeforeACrash) {
  QTest::qWait(0);
  editor()->setPlainText("name: typed\n");
  find<QCheckBox>("start_paused")->setChecked(true);
  ASSERT_TRUE(soon([&] {
    QFile file(folder_.filePath("draft"));
    return file.open(QIODevice::ReadOnly) && file.readAll().contains("typed");
  }));
  open();
  ASSERT_TRUE(soon([&] { return editor()->toPlainText() == "name: typed\n"; }));
  EXPECT_TRUE(find<QCheckBox>("start_paused")->isChecked());
}

TEST_F(LaunchPages, ForkFromAnExperimentAndShowWhatDiffers) {
  open(parent);
  QSignalSpy opened(session_.get(), &Session::open_link);
  ASSERT_TRUE(soon([&] { return editor()->toPlainText() == "name: parent\nlr: 1\n"; }));
  editor()->setPlainText("name: parent\nlr: 2\n");
  EXPECT_EQ(page_->findChild<DiffView*>()->changed_lines(), 2);
  EXPECT_TRUE(words("context_summary").contains("experiment 7 are kept"));
  ASSERT_TRUE(soon_valid());
  press_launch();
  ASSERT_TRUE(soon([&] { return opened.count() == 1; }));
  EXPECT_EQ(master_.creations().at(0).forked_from(), parent);
  EXPECT_EQ(master_.creations().at(0).context_hash(), "abc");
}

}  // namespace
}  // namespace dt::gui
