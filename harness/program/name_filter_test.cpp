#include "harness/program/name_filter.hpp"

#include <gtest/gtest.h>

#include "harness/text/text.hpp"

namespace cliffbench {
namespace {

std::string repeated(const std::string& text, size_t times) {
  std::string all;
  for (size_t i = 0; i < times; ++i) all += text;
  return all;
}

TEST(NameFilter, FindsAsEcmaScript) {
  EXPECT_TRUE(NameFilter("").finds("anything"));
  EXPECT_TRUE(NameFilter("parse/[2]").finds("of/parse/2"));
  EXPECT_FALSE(NameFilter("^parse/[2]").finds("of/parse/2"));
  EXPECT_TRUE(NameFilter("^(one|two)/\\d{1,3}$").finds("two/128"));
  EXPECT_FALSE(NameFilter("^(one|two)/\\d{1,3}$").finds("two/1280"));
  EXPECT_TRUE(NameFilter("\\(x\\)").finds("a(x)"));
}

TEST(NameFilter, RefusesWhatIsNone) {
  for (const char* none : {"[", "(", "a)(b", "\\", "{", "(a)\\1", "a{2,1}"}) {
    EXPECT_THROW(NameFilter{none}, UserError) << none;
  }
}

TEST(NameFilter, RefusesWhatALibraryMightNotSurvive) {
  const std::string deep = repeated("(", 20000) + repeated(")", 20000);
  for (const std::string& large :
       {deep, repeated("(", 21) + "a" + repeated(")", 21), repeated("[", 20000),
        repeated("a|", 20000), repeated("(?:", 300), std::string("(a?){20000}"),
        std::string("((a{99}){99}){99}"), std::string("(a?){1,2000}"), repeated("a{9}", 10)}) {
    try {
      NameFilter filter(large);
      ADD_FAILURE() << large.substr(0, 30);
    } catch (const UserError& error) {
      EXPECT_LT(std::string(error.what()).size(), 300u);
    }
  }
}

TEST(NameFilter, SurvivesTheLongestNames) {
  const std::string name(10000, 'a');
  for (const char* hard :
       {"(a*)*b", "(a|b|c|.)*x", "(.*)(.*)(.*)(.*)(.*)b", "((a?){9}){9}b", "^(([a-z])+.)+[A-Z]$"}) {
    EXPECT_FALSE(NameFilter(hard).finds(name)) << hard;
  }
  EXPECT_TRUE(NameFilter("a{100}$").finds(name));
}

}  // namespace
}  // namespace cliffbench
