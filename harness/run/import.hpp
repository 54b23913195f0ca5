#pragma once

/// `cliffbench import`: Google Benchmark JSON of a program that this project cannot hold, as rows.

#include <filesystem>
#include <string>

namespace cliffbench {

struct ImportRequest {
  std::filesystem::path file;
  std::string case_name, subject, variant;
  std::filesystem::path folder;  ///< a new run folder, or one to add to
};

/// Each measured result becomes a row of the program "<case>@<subject>", each repetition a round;
/// "axis:value" parts of a name become params, the others the axis `benchmark`. The session and the
/// subject are marked as imported. Throws UserError for a variant that the folder has already,
/// CannotMeasure when the file is no report of Google Benchmark.
void import_benchmark_json(const ImportRequest& request);

}  // namespace cliffbench
