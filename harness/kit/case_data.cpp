#include "harness/kit/case_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "harness/host/exit_code.hpp"
#include "harness/kit/case_reader.hpp"
#include "harness/text/terminal.hpp"

namespace cliffbench {
namespace {

/// Why no code of a program runs a variant, or "".
std::string unrun(const Variant& variant, const Measure& measure) {
  for (const std::string& patch : variant.patches) {
    if (measure.patches.empty() || contains(measure.patches, patch)) continue;
    return fmt::format("the code of {} has no place for the patch {}", measure.name, patch);
  }
  if (contains(measure.variants, variant.name)) return "";
  if (variant.name == "baseline" || variant.name == "control") return "";
  if (variant.role == Role::patch && !variant.patches.empty()) return "";
  return fmt::format("no code runs the variant {}", variant.name);
}

}  // namespace

std::vector<Case> read_cases(const CaseContext& context) {
  const DataNode root = parse_data(context.data, context.file);
  const DataNode* several = root.find("case");
  if (several) root.allow({"case"});
  std::vector<ReadCase> read;
  const auto add = [&](const DataNode& table) {
    ReadCase begun;
    if (const DataNode* like = table.find("like")) {
      const auto model = std::find_if(read.begin(), read.end(), [&](const ReadCase& known) {
        return known.declared.name == like->text();
      });
      if (model == read.end()) {
        throw like->wrong(fmt::format("there is no case '{}' above", like->text()));
      }
      begun = *model;
    }
    read_case(table, context, begun);
    for (const ReadCase& known : read) {
      if (known.declared.name != begun.declared.name) continue;
      throw table.need("name").wrong(fmt::format("two cases named '{}'", begun.declared.name));
    }
    read.push_back(std::move(begun));
  };
  if (several) {
    for (const DataNode& table : several->items()) add(table);
  } else {
    add(root);
  }
  std::vector<Case> cases;
  for (ReadCase& one : read) cases.push_back(std::move(one.declared));
  return cases;
}

std::vector<Bench> benches_of(const CaseContext& context, const std::vector<Measure>& measures) {
  std::vector<Bench> benches;
  const auto fault = [&](const std::string& sentence) {
    return UserError(fmt::format("{}: {}", context.file, sentence));
  };
  for (Case& declared : read_cases(context)) {
    const auto measure = named(measures, declared.name);
    if (measure == measures.end()) {
      throw fault(fmt::format("no code measures the case {}", declared.name));
    }
    for (const Variant& variant : declared.variants) {
      const std::string why = unrun(variant, *measure);
      if (!why.empty()) throw fault(why);
    }
    declared.once = measure->once;
    benches.push_back({std::move(declared), measure->function});
  }
  for (const Measure& measure : measures) {
    const bool used = std::any_of(benches.begin(), benches.end(), [&](const Bench& bench) {
      return bench.declared.name == measure.name;
    });
    if (!used) throw fault(fmt::format("there is no case {}", measure.name));
  }
  return benches;
}

int case_main(CaseContext context, const std::vector<Measure>& measures, int argc, char** argv,
              const std::vector<Verb>& verbs) {
  try {
    if (argc >= 3 && std::string_view(argv[1]) == "--data") {
      context.file = argv[2];
      std::ifstream file(context.file, std::ios::binary);
      context.data.assign(std::istreambuf_iterator<char>(file), {});
      if (!file) throw UserError(fmt::format("cannot read {}", context.file));
      argv[2] = argv[0];
      argv += 2;
      argc -= 2;
    }
    const std::vector<Bench> benches = benches_of(context, measures);
    if (argc == 2 && std::string_view(argv[1]) == "--check") return 0;
    return case_main(benches, argc, argv, verbs);
  } catch (const UserError& error) {
    say(stderr, "{}\n", error.what());
    return Exit::usage;
  }
}

}  // namespace cliffbench
