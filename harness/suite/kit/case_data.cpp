#include "harness/suite/kit/case_data.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <map>

#include "harness/core/host/exit_code.hpp"
#include "harness/core/text/terminal.hpp"
#include "harness/suite/kit/case_reader.hpp"

namespace cliffbench {
namespace {

/// Why the program has no code that runs a variant, or "".
std::string unrun(const Variant& variant, const Measure& measure) {
  for (const std::string& patch : variant.patches) {
    if (measure.patches.empty() || contains(measure.patches, patch)) continue;
    return fmt::format("the code of {} does not apply the patch {}", measure.name, patch);
  }
  if (contains(measure.variants, variant.name)) return "";
  if (variant.name == "baseline" || variant.name == "control") return "";
  if (variant.role == Role::patch && !variant.patches.empty()) return "";
  return fmt::format("no code runs the variant {}", variant.name);
}

/// Each field of a card is shown to readers.
void check_card(const Patch& card) {
  const std::pair<const char*, const std::string&> fields[] = {
      {"name", card.name}, {"before", card.before}, {"after", card.after},
      {"cost", card.cost}, {"source", card.source}, {"left_out", card.left_out}};
  for (const auto& [field, text] : fields) {
    if (!text.empty()) continue;
    throw UserError(fmt::format("the card of the patch '{}' has no {}", card.name, field));
  }
}

}  // namespace

std::vector<Case> read_cases(const CaseContext& context) {
  for (const Patch& card : context.patches) check_card(card);
  const toml::table root = parse_data(context.data, context.file);
  std::vector<Case> cases;
  std::map<std::string, ReadCase> above;
  const auto add = [&](const toml::table& table) {
    ReadCase read;
    if (const toml::node* like = table.get("like")) {
      const auto model = above.find(text_of(*like));
      if (model == above.end()) {
        throw wrong(*like, fmt::format("there is no case '{}' above", text_of(*like)));
      }
      read = model->second;
    }
    read_case(table, context, read);
    const std::string& name = cases.emplace_back(read.declared).name;
    if (!above.try_emplace(name, std::move(read)).second) {
      throw wrong(need(table, "name"), fmt::format("two cases named '{}'", name));
    }
  };
  if (const toml::node* several = root.get("case")) {
    allow(root, {"case"});
    for (const toml::node& table : list_of(*several)) add(table_of(table));
  } else {
    add(root);
  }
  return cases;
}

std::vector<Bench> benches_of(const CaseContext& context, const std::vector<Measure>& measures) {
  const auto fault = [&](const std::string& sentence) {
    return UserError(fmt::format("{}: {}", context.file, sentence));
  };
  std::vector<Case> cases = read_cases(context);
  const auto names = names_of(cases);
  std::vector<Bench> benches;
  for (Case& declared : cases) {
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
    if (contains(names, measure.name)) continue;
    throw fault(fmt::format("there is no case {}", measure.name));
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
