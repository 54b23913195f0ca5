#include "harness/core/program/benchmark_json.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "harness/core/text/text.hpp"

namespace cliffbench {
namespace {

/// A report as a version of the library wrote it (harness/tests/data/README.md).
std::vector<BenchmarkResult> recorded(const std::string& version) {
  std::ifstream file(std::string(TEST_DATA) + "/benchmark-" + version + ".json");
  std::ostringstream text;
  text << file.rdbuf();
  return parse_benchmark_json(text.str());
}

std::vector<std::string> names(const std::vector<BenchmarkResult>& report) {
  std::vector<std::string> found;
  for (const auto& result : report) found.push_back(result.name);
  return found;
}

class Recorded : public testing::TestWithParam<const char*> {};

TEST_P(Recorded, HasItsNamesRepetitionsAggregatesErrorsAndTimes) {
  const std::string version = GetParam();
  const std::vector<BenchmarkResult> report = recorded(version);
  const bool cpp = version == "1.7.1-cpp";
  const std::string third = cpp ? "threads/real_time/threads:2" : "counted/real_time";
  EXPECT_EQ(names(report),
            (std::vector<std::string>{"sum/n:1000", "broken", third, "repeated/repeats:3",
                                      "repeated/repeats:3", "repeated/repeats:3",
                                      "repeated/repeats:3_mean", "repeated/repeats:3_median",
                                      "repeated/repeats:3_stddev", "repeated/repeats:3_cv"}));

  const BenchmarkResult& sum = report[0];
  EXPECT_EQ(sum.label, cpp ? "a \"label\"" : "\"a\"");
  EXPECT_GT(sum.iterations, 70);
  EXPECT_GT(sum.wall_s, 1e-6);  // written in nanoseconds
  EXPECT_LT(sum.wall_s, 1e-3);
  EXPECT_EQ(sum.counters.size(), 1);
  EXPECT_GT(sum.counters.at("items_per_second"), 1e6);
  EXPECT_EQ(sum.error, "");

  EXPECT_EQ(report[1].error, "no such file");

  const BenchmarkResult& micro = report[2];
  EXPECT_GT(micro.wall_s, 1e-7);  // written in microseconds
  EXPECT_LT(micro.wall_s, 1e-6);
  EXPECT_TRUE(micro.counters.contains("rate"));

  for (size_t i = 3; i < 6; ++i) {
    EXPECT_EQ(report[i].aggregate, "");
    EXPECT_GT(report[i].iterations, 1000);
  }
  const char* aggregates[] = {"mean", "median", "stddev", "cv"};
  for (size_t i = 6; i < 10; ++i) {
    EXPECT_EQ(report[i].aggregate, aggregates[i - 6]);
    EXPECT_EQ(report[i].run_name, "repeated/repeats:3");
  }
}

INSTANTIATE_TEST_SUITE_P(Versions, Recorded,
                         testing::Values("1.7.1-cpp", "1.7.1", "1.8.0", "1.8.3", "1.9.5"),
                         [](const auto& version) {
                           std::string name = version.param;
                           std::replace_if(
                               name.begin(), name.end(), [](char c) { return !std::isalnum(c); },
                               '_');
                           return name;
                         });

TEST(BenchmarkJson, ReadsTheDigitsOfARecordedTime) {
  const BenchmarkResult sum = recorded("1.9.5")[0];
  EXPECT_DOUBLE_EQ(sum.wall_s, 6.9524668440034118e-05);
  EXPECT_DOUBLE_EQ(sum.cpu_s, 1.8863518987341791e-05);
  EXPECT_EQ(sum.iterations, 79);
}

/// No run_name, run_type, family_index, threads, error_occurred, library_version: fields that came
/// with later versions.
TEST(BenchmarkJson, ReadsReportsWithoutNewerFields) {
  const auto report = parse_benchmark_json(
      R"({"context": {"date": "2019-01-01 10:00:00", "num_cpus": 2},
          "benchmarks": [{"name": "old/8", "iterations": 94877, "real_time": 29275,
                          "cpu_time": 29836, "time_unit": "ns", "bytes_per_second": 134066}]})");
  ASSERT_EQ(report.size(), 1);
  const BenchmarkResult& old = report[0];
  EXPECT_EQ(old.run_name, "old/8");
  EXPECT_EQ(old.aggregate, "");
  EXPECT_EQ(old.error, "");
  EXPECT_DOUBLE_EQ(old.wall_s, 29275e-9);
  EXPECT_DOUBLE_EQ(old.cpu_s, 29836e-9);
  EXPECT_EQ(old.iterations, 94877);
  EXPECT_EQ(old.counters, (std::map<std::string, double>{{"bytes_per_second", 134066}}));
}

BenchmarkResult only(const std::string& fields) {
  return parse_benchmark_json(R"({"benchmarks": [{"name": "one", )" + fields + "}]}").at(0);
}

TEST(BenchmarkJson, KnowsEveryUnit) {
  const auto in = [](const std::string& unit) {
    return only(R"("iterations": 1, "real_time": 3, "cpu_time": 2, "time_unit": ")" + unit + '"');
  };
  EXPECT_DOUBLE_EQ(in("ns").wall_s, 3e-9);
  EXPECT_DOUBLE_EQ(in("us").wall_s, 3e-6);
  EXPECT_DOUBLE_EQ(in("ms").wall_s, 3e-3);
  EXPECT_DOUBLE_EQ(in("s").cpu_s, 2);
  EXPECT_EQ(in("fortnights").error, "the program reported no usable time");
}

TEST(BenchmarkJson, AnInvalidTimeIsAnErrorAndNeverZero) {
  for (const char* time : {"-1", "null", "\"3\"", "1e400", "nan", "-Infinity"}) {
    const std::string text = std::string(R"({"benchmarks": [{"name": "one", "real_time": )") +
                             time + R"(, "cpu_time": 2, "time_unit": "ns"}]})";
    try {
      const auto report = parse_benchmark_json(text);
      EXPECT_EQ(report.at(0).error, "the program reported no usable time") << time;
    } catch (const CannotMeasure& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with("is not valid JSON; "))
          << time;  // 1e400 is out of range
    }
  }
}

TEST(BenchmarkJson, NumbersOfALocaleAreReadWhereNothingElseCanBeMeant) {
  struct Written {
    const char *iterations, *time, *counter;
  };
  for (const Written& by : {Written{"1.234.567", "5,1e+00", "2,5e+03"},
                            {"1,234,567", "5.1e+00", "2.5e+03"},
                            {"1'234'567", "5.1e+00", "2.5e+03"},
                            {"1\xa0"
                             "234\xa0"
                             "567",
                             "5,1e+00", "2,5e+03"},
                            {"1234567", "5,1e+00", "2,5e+03"}}) {
    const std::string text =
        std::string(
            "{\n\"context\": {\n\"load_avg\": [0,02,1,5],\n\"mhz_per_cpu\": "
            "2.400\n},\n\"benchmarks\": [\n{\n\"name\": \"sort/1,5/of:1.000\",\n\"iterations\": ") +
        by.iterations + ",\n\"real_time\": " + by.time + ",\n\"cpu_time\": " + by.time +
        ",\n\"time_unit\": \"s\",\n\"rate\": " + by.counter + "\n}\n]\n}\n";
    const auto report = parse_benchmark_json(text);
    EXPECT_EQ(report.at(0).name, "sort/1,5/of:1.000");
    EXPECT_EQ(report.at(0).iterations, 1234567);
    EXPECT_EQ(report.at(0).wall_s, 5.1);
    EXPECT_EQ(report.at(0).counters.at("rate"), 2500);
  }
}

TEST(BenchmarkJson, AnErrorWithoutTextIsStillAnError) {
  EXPECT_EQ(only(R"("error_occurred": true)").error, "failed without a reason");
  EXPECT_EQ(
      only(R"("error_occurred": false, "real_time": 1, "cpu_time": 1, "time_unit": "s")").error,
      "");
}

TEST(BenchmarkJson, AnInvalidCounterIsLeftOutAndTheTimeIsKept) {
  const std::string of = R"({"benchmarks": [{"name": "NaN \" Infinity", "time_unit": "s", )"
                         R"("real_time": 1, "cpu_time": 1, "a": -NaN, "b": Infinity, "c": 2, )";
  for (const std::string kind : {"aggregate", "iteration"}) {
    const auto results = parse_benchmark_json(of + R"("run_type": ")" + kind + R"("}]})");
    ASSERT_EQ(results.size(), 1u);
    EXPECT_EQ(results[0].name, "NaN \" Infinity");
    EXPECT_EQ(results[0].error, "");
    EXPECT_EQ(results[0].wall_s, 1);
    EXPECT_EQ(results[0].counters, (std::map<std::string, double>{{"c", 2}}));
    EXPECT_EQ(results[0].note(),
              kind == "aggregate"
                  ? ""
                  : "each of its counters a, b is not a finite number and is left out");
  }
}

TEST(BenchmarkJson, InvalidUtf8BecomesEscapes) {
  const auto label = [](const std::string& bytes) {
    return only(R"("real_time": 1, "cpu_time": 1, "time_unit": "s", "label": ")" + bytes + '"')
        .label;
  };
  EXPECT_EQ(label("caf\xe9"), "caf\\xe9");  // Latin-1
  EXPECT_EQ(label("\xff\xfe\x80"), "\\xff\\xfe\\x80");
  EXPECT_EQ(label("caf\xc3"), "caf\\xc3");  // cut off
  EXPECT_EQ(label("a\x01\nb"), "a\\x01\\x0ab");
  EXPECT_EQ(label("\xe9 \\\"NaN\\\""), "\\xe9 \"NaN\"");
  EXPECT_EQ(label("caf\xc3\xa9"), "caf\xc3\xa9");
}

TEST(BenchmarkJson, ACounterNamedLikeAFieldDoesNotReplaceIt) {
  const auto result = only(R"("iterations": 7, "real_time": 1, "cpu_time": 2, "time_unit": "s",
                              "real_time": 30, "iterations": 5, "name": 3, "items": 4)");
  EXPECT_EQ(result.name, "one");
  EXPECT_EQ(result.wall_s, 1);
  EXPECT_EQ(result.iterations, 7);
  EXPECT_EQ(result.counters, (std::map<std::string, double>{{"items", 4}}));
}

TEST(BenchmarkJson, RefusesOtherFilesInOneClause) {
  const auto what = [](const std::string& text) -> std::string {
    try {
      (void)parse_benchmark_json(text);
    } catch (const CannotMeasure& error) {
      return error.what();
    }
    return "was read";
  };
  for (const char* text : {"", R"({"benchmarks": [{"name": "cut)"}) {
    EXPECT_EQ(what(text).find("is not valid JSON; a usual cause is std::locale::global"), 0u);
  }
  EXPECT_EQ(what(R"({"benchmarks": [NaN, "NaN"]})"), "has a result that is not an object");
  const std::string no_list = "is not a Google Benchmark report (it has no list of benchmarks)";
  EXPECT_EQ(what("[]"), no_list);
  EXPECT_EQ(what("{}"), no_list);
  EXPECT_EQ(what(R"({"benchmarks": 3})"), no_list);
  EXPECT_EQ(what(R"({"benchmarks": [3]})"), "has a result that is not an object");
  EXPECT_EQ(what(R"({"benchmarks": [{}]})"), "has a result without a name");
  EXPECT_EQ(what(R"({"context": 1, "benchmarks": []})"), "was read");
}

}  // namespace
}  // namespace cliffbench
