#include "harness/suite/run/case_programs.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "harness/core/host/exact.hpp"
#include "harness/core/program/program.hpp"
#include "harness/core/text/text.hpp"

namespace cliffbench {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

std::string before_at(const std::string& name) { return name.substr(0, name.find('@')); }

/// Whether the word is a name, "<case>@<subject>", or what stands before its @.
bool means(const std::string& word, const std::string& name) {
  return name == word || before_at(name) == word;
}

UserError no_such_case(const std::string& word, const std::vector<std::string>& names) {
  std::vector<std::string> short_names = names;
  for (const std::string& name : names) short_names.push_back(before_at(name));
  const std::string meant = nearest(word, short_names);
  if (!meant.empty()) return UserError(no_such("case", word, {meant}));
  return UserError(no_such("case", word, names) + ", or the path of a program");
}

}  // namespace

std::map<std::string, Description> describe_program(const fs::path& program) {
  const Process answer = ask_program(program, {program.string(), "--describe"});
  const auto broken = [&](const std::string& what) {
    return CannotMeasure(
        with_last_words(program.string() + " --describe " + what, answer.last_words));
  };
  if (answer.exit_code) throw broken(bad_end(answer));
  std::vector<Description> cases;
  try {
    std::istringstream lines(answer.output);
    for (std::string line; std::getline(lines, line);) {
      cases.push_back(parse_description(Json::parse(line)));
    }
  } catch (const std::exception& error) {
    throw broken(fmt::format("did not print a case's declaration ({})", what_is_wrong(error)));
  }
  if (cases.empty()) throw broken("did not print a case's declaration (it printed nothing)");
  std::map<std::string, Description> named;
  for (Description& description : cases) {
    const Case& declared = description.declared;
    std::string name = cases.size() == 1 ? program.filename().string()
                                         : declared.name + "@" + declared.subject.name;
    named.emplace(std::move(name), std::move(description));
  }
  return named;
}

CasePrograms wanted_cases(const std::vector<std::string>& words, const fs::path& folder) {
  const auto programs = find_programs(folder);
  if (programs.empty() && words.empty()) {
    throw UserError("there are no case programs in " + folder.string() +
                    "; run in a checkout: make build");
  }
  std::map<fs::path, CasePrograms> asked;  // each program once
  const auto cases_of = [&](const fs::path& path) -> const CasePrograms& {
    CasePrograms& cases = asked[path];
    if (!cases.empty()) return cases;
    for (auto& [name, description] : describe_program(path)) {
      cases.try_emplace(name, path, std::move(description));
    }
    return cases;
  };
  CasePrograms wanted;
  if (words.empty()) {
    for (const auto& [name, path] : programs) wanted.merge(CasePrograms(cases_of(path)));
  }
  for (const std::string& word : words) {
    CasePrograms meant;
    for (const auto& [name, path] : programs) {
      if (means(word, name)) meant.merge(CasePrograms(cases_of(path)));
    }
    if (meant.empty() && word.find('/') != std::string::npos && fs::is_regular_file(word)) {
      meant = cases_of(fs::absolute(word));
    }
    if (!meant.empty()) {
      wanted.merge(meant);
      continue;
    }
    std::vector<std::string> names;  // of all cases; of a program that is broken, its own
    for (const auto& [program, path] : programs) {
      try {
        for (const auto& of_case : cases_of(path)) {
          names.push_back(of_case.first);
          if (means(word, of_case.first)) meant.insert(of_case);
        }
      } catch (const CannotMeasure&) {
        names.push_back(program);
      }
    }
    if (meant.empty()) throw no_such_case(word, names);
    wanted.merge(meant);
  }
  return wanted;
}

Identity identity_of(const CaseProgram& program) {
  return identity_of(program.path, program.description.libraries);
}

std::vector<fs::path> files_of(const CaseProgram& program) {
  std::vector<fs::path> files = {program.path};
  const auto& libraries = program.description.libraries;
  files.insert(files.end(), libraries.begin(), libraries.end());
  return files;
}

}  // namespace cliffbench
