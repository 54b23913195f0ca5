#include "harness/run/import.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>

#include "harness/case/describe.hpp"
#include "harness/host/text.hpp"
#include "harness/program/benchmark_json.hpp"
#include "harness/program/program.hpp"
#include "harness/record/folder.hpp"
#include "harness/record/record.hpp"
#include "harness/record/row.hpp"
#include "harness/record/session.hpp"

namespace cliffbench {
namespace {

namespace fs = std::filesystem;

/// "sum/n:1000/real_time" -> {n: 1000, benchmark: sum/real_time}.
Params params_of(const std::string& name) {
  Params params;
  std::string words;
  for (size_t start = 0; start <= name.size();) {
    const size_t end = std::min(name.find('/', start), name.size());
    const std::string part = name.substr(start, end - start);
    const size_t colon = part.find(':');
    if (colon == std::string::npos || colon == 0) {
      words += (words.empty() ? "" : "/") + part;
    } else {
      params[part.substr(0, colon)] = part.substr(colon + 1);
    }
    start = end + 1;
  }
  params["benchmark"] = words;
  return params;
}

Row row_of(const BenchmarkResult& result, const ImportRequest& request) {
  Row row;
  row.session = 1;
  row.program = request.case_name + "@" + request.subject;
  row.case_name = request.case_name;
  row.subject = request.subject;
  row.name = result.run_name;
  row.variant = request.variant;
  row.params = params_of(result.run_name);
  row.params.erase("variant");
  row.status = result.error.empty() ? Status::ok : Status::failed;
  row.reason = result.error;
  if (row.status == Status::ok) {
    row.iterations = result.iterations;
    row.wall_s = result.wall_s;
    row.cpu_s = result.cpu_s;
    row.process_s = result.wall_s * static_cast<double>(result.iterations);
    row.digest = result.label;
  }
  return row;
}

/// The declaration that the rows need: what is known of it, with the new axes' values and variant.
Description describe_import(const ImportRequest& request, const std::vector<Row>& rows,
                            std::map<std::string, Description> known) {
  const std::string program = request.case_name + "@" + request.subject;
  Description description = known[program];
  Case& declared = description.declared;
  declared.name = request.case_name;
  declared.subject = {request.subject, "imported", ""};
  declared.why = "Imported from a report of Google Benchmark; this project did not run it.";
  if (description.build.compiler.empty()) {
    description.build = {"imported", "imported", "imported", false};
  }
  const Variant variant{request.variant,
                        request.variant == "baseline" ? Role::baseline : Role::reference,
                        "imported from " + request.file.filename().string(),
                        {},
                        ""};
  for (const Variant& other : declared.variants) {
    if (other.name == variant.name) {
      throw UserError(fmt::format("{} has rows of {} {} already; choose another folder or variant",
                                  request.folder.string(), program, variant.name));
    }
  }
  declared.variants.push_back(variant);
  for (const Row& row : rows) {
    for (const auto& [name, value] : row.params) {
      auto axis = std::find_if(declared.axes.begin(), declared.axes.end(),
                               [&, key = name](const Axis& a) { return a.name == key; });
      if (axis == declared.axes.end()) axis = declared.axes.insert(axis, {name, "", {}});
      if (std::find(axis->values.begin(), axis->values.end(), value) == axis->values.end()) {
        axis->values.push_back(value);
      }
    }
  }
  return description;
}

}  // namespace

void import_benchmark_json(const ImportRequest& request) {
  for (const std::string* word : {&request.case_name, &request.subject, &request.variant}) {
    if (word->empty() || word->find_first_of("/@ \n") != std::string::npos) {
      throw UserError(
          fmt::format("'{}' is no name for a case, subject or variant (no blanks, / or @)", *word));
    }
  }
  require_no_link(request.folder);
  if (is_there(request.folder / "plan.json")) {
    throw UserError(
        fmt::format("{} holds a measured run; import into a folder of its own, and put "
                    "both together by: cliffbench merge",
                    request.folder.string()));
  }
  BenchmarkReport report;
  try {
    report = parse_benchmark_json(read_file(request.file, Links::followed));
  } catch (const CannotMeasure& error) {
    const std::string reason = error.what();
    const bool named = reason.find(request.file.string()) != std::string::npos;
    throw CannotMeasure(named ? reason : request.file.string() + " " + reason);
  }
  Plan plan;
  plan.run = "import-" + file_fingerprint(request.file).substr(0, 12) + "-" + request.variant;
  plan.profile = "import";
  std::vector<Row> rows;
  std::map<std::string, int> rounds;
  for (const BenchmarkResult& result : report.results) {
    if (!result.aggregate.empty()) continue;
    Row row = row_of(result, request);
    row.run = plan.run;
    row.round = ++rounds[row.name];
    row.position = static_cast<int>(rows.size());
    if (const std::string what = impossible(row); !what.empty()) {
      throw CannotMeasure(
          fmt::format("{}: the result {} {}", request.file.string(), row.name, what));
    }
    rows.push_back(std::move(row));
  }
  if (rows.empty()) {
    throw CannotMeasure(
        request.file.string() +
        " holds aggregates only; run it without --benchmark_report_aggregates_only");
  }
  make_folder(request.folder);
  const fs::path programs = make_subfolder(request.folder, "programs");
  const Description description = describe_import(request, rows, read_descriptions(request.folder));
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  const bool here = !report.host.empty() && report.host == host.data();
  Session session(request.folder, plan,
                  {.command = "cliffbench import",
                   .imported_from = request.file.filename().string(),
                   .imported_host = here                  ? ""
                                    : report.host.empty() ? "unknown"
                                                          : report.host});
  const std::string program = request.case_name + "@" + request.subject;
  write_record(programs / (program + ".json"), describe(description));
  {
    RowWriter writer(request.folder / "rows.jsonl");
    for (Row& row : rows) {
      row.session = session.number();
      writer.append(row);
    }
  }
  session.end();
  fmt::print("{} rows of {} {} in {}, marked as imported\n", rows.size(), program, request.variant,
             request.folder.string());
}

}  // namespace cliffbench
