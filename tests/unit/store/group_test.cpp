#include "master/store/group.h"

#include <gtest/gtest.h>

#include <future>
#include <thread>

namespace dt::master {
namespace {

using Numbers = Group<int, int>;

std::vector<int> doubled(const Numbers::Items& items) {
  std::vector<int> answers;
  for (const int* item : items) answers.push_back(2 * *item);
  return answers;
}

TEST(Group, AnswersEachItem) {
  Numbers group(1, 10, doubled);
  EXPECT_EQ(14, group.run(7));
  EXPECT_EQ(16, group.run(8));
}

TEST(Group, DoesTogetherWhatArrivedMeanwhileAndNoMoreThanItMay) {
  std::promise<void> go_on;
  std::vector<std::size_t> sizes;  // of one group after the other
  Numbers group(1, 3, [&](const Numbers::Items& items) {
    if (sizes.empty()) go_on.get_future().wait();
    sizes.push_back(items.size());
    return doubled(items);
  });
  const auto run = [&](int number) { return group.run(number); };
  std::vector<std::future<int>> answers;
  answers.push_back(std::async(std::launch::async, run, 0));
  while (group.under_way() == 0) std::this_thread::yield();
  for (int number = 1; number <= 5; ++number) {
    answers.push_back(std::async(std::launch::async, run, number));
  }
  while (group.waiting() < 5) std::this_thread::yield();
  go_on.set_value();
  for (int number = 0; number <= 5; ++number) EXPECT_EQ(2 * number, answers[number].get());
  EXPECT_EQ((std::vector<std::size_t>{1, 3, 2}), sizes);
}

TEST(Group, HasSeveralUnderWayAtOnce) {
  std::promise<void> go_on;
  std::shared_future<void> may_go_on = go_on.get_future().share();
  Numbers group(2, 10, [&](const Numbers::Items& items) {
    may_go_on.wait();
    return doubled(items);
  });
  const auto run = [&](int number) { return group.run(number); };
  auto first = std::async(std::launch::async, run, 1);
  auto second = std::async(std::launch::async, run, 2);
  while (group.under_way() < 2) std::this_thread::yield();
  go_on.set_value();
  EXPECT_EQ(2, first.get());
  EXPECT_EQ(4, second.get());
}

}  // namespace
}  // namespace dt::master
