#include "harness/engine/engine.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace cliffbench {
namespace {

/// Asks for what each letter says: "m" is measured, "s" skipped, "c" cut short.
class Letters : public Schedule {
 public:
  explicit Letters(std::string letters) : letters_(std::move(letters)) {}

  std::optional<Trial> next() override {
    if (at_ == letters_.size()) return std::nullopt;
    const char letter = letters_[at_++];
    Trial trial;
    trial.row.round = static_cast<int>(at_);
    trial.row.status = Status::skipped;
    if (letter == 's') return trial;
    trial.observe = [letter](Row& row) {
      row.status = Status::ok;
      return letter == 'm';
    };
    return trial;
  }
  void measured(const Row& row) override { said += word(row.status) + " "; }
  void cut_short() override { said += "cut short"; }

  std::string said;

 private:
  std::string letters_;
  size_t at_ = 0;
};

TEST(Engine, KeepsARowForEachTrialUntilOneIsCutShort) {
  Letters letters("msmcm");
  std::vector<int> kept;
  EXPECT_TRUE(measure(letters, [&](const Row& row) { kept.push_back(row.round); }));
  EXPECT_EQ(kept, (std::vector{1, 2, 3}));
  EXPECT_EQ(letters.said, "ok skipped ok cut short");
}

TEST(Engine, ARowIsKeptBeforeTheScheduleHearsOfIt) {
  Letters letters("m");
  std::string order;
  measure(letters, [&](Row& row) {
    order = letters.said;
    row.session = 7;
  });
  EXPECT_EQ(order, "");
}

}  // namespace
}  // namespace cliffbench
