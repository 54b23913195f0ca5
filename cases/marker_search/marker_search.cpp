// The innermost loop of the cliff of conceptual_stmt: std::regex_search of every marker over one
// giant line, with each of the two standard libraries.
#include <dlfcn.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "cases/conceptual_stmt/listing.hpp"
#include "cases/marker_search/made_listing.hpp"
#include "cases/marker_search/search.h"
#include "harness/case.hpp"
#include "patches/halide/regex_filter.hpp"

namespace {

using namespace cliffbench;

/// Each is empty where no compiler with that library was found.
SearchMarkers* search_of(const std::string& variant) {
  const bool apple = variant.ends_with("libcxx");
  const std::string path = apple ? SEARCH_LIBCXX : SEARCH_LIBSTDCXX;
  if (path.empty()) {
    throw Skipped(apple ? "this build found no clang with libc++ (Debian: clang-19 libc++-19-dev "
                          "libc++abi-19-dev)"
                        : "this build's compiler has libc++ and no libstdc++");
  }
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* search = library ? dlsym(library, "search_markers") : nullptr;
  if (!search) throw std::runtime_error(dlerror());
  return reinterpret_cast<SearchMarkers*>(search);
}

void measure(benchmark::State& state, Trial& trial) {
  SearchMarkers* search = search_of(trial.variant);
  const int filter = trial.variant.starts_with("regex_filter");
  const int count = std::stoi(trial.params.at("markers"));
  const MadeListing made = made_listing(std::stoul(trial.params.at("values")), count);
  std::vector<const char*> markers;
  for (const std::string& marker : made.markers) markers.push_back(marker.c_str());
  std::vector<int> lines(made.markers.size());

  trial.ready();
  for (auto _ : state) {
    search(made.text.data(), made.text.size(), markers.data(), count, filter, lines.data());
  }
  trial.done();

  std::string found;
  for (const int line : lines) found += std::to_string(line) + " ";
  trial.digest(digest_of(found));
  if (lines != made.lines) trial.wrong("markers were found on the lines " + found);
}

/// From runs on a 2-core x86-64 machine; for the estimate before a run only.
Cost expected_cost(const Params& params, const std::string& variant) {
  const double bytes = 11.4 * std::stod(params.at("values"));
  const double searched = variant.starts_with("regex_filter") ? 0 : std::stod(params.at("markers"));
  const double byte_s = variant.ends_with("libcxx") ? 45e-9 : 14e-9;
  return {0.05 + bytes * (20e-9 + searched * byte_s), 50 + 4e-6 * bytes, 0};
}

const std::vector<std::string> kValues = {"16384", "65536", "262144", "1048576"};
const std::vector<std::string> kMarkers = {"1", "2", "4", "8"};

std::vector<Claim> claims() {
  const Params one = {{"values", "262144"}, {"markers", "1"}};
  const std::string issue = "halide/Halide #8717";
  const auto exponent = [&](std::string id, std::string text, std::string variant, std::string axis,
                            Params where) {
    return Claim{.id = std::move(id),
                 .text = std::move(text),
                 .quantity = Quantity::exponent,
                 .variant = std::move(variant),
                 .axis = std::move(axis),
                 .where = std::move(where),
                 .range = {0.85, 1.15},
                 .origin = Origin::theirs,
                 .source = issue + ": factors 1 to 3 of the culprit"};
  };
  return {{.id = "apple",
           .text = "the cliff is at least 2x steeper per byte with libc++, Apple's library",
           .variant = "baseline",
           .against = "libcxx",
           .where = one,
           .range = {2},
           .source = "measured before: 39.8 against 11.7 ns per byte"},
          exponent("bytes", "the search's time grows as the bytes", "baseline", "values",
                   {{"markers", "4"}}),
          exponent("markers", "and as the markers", "baseline", "markers", {{"values", "262144"}}),
          {.id = "filter",
           .text = "the filter takes at least a tenth of one marker's search away, and all others'",
           .variant = "regex_filter",
           .where = {{"values", "262144"}, {"markers", "4"}},
           .range = {10},
           .source = "measured before: the filter is 100x cheaper than the search"},
          {.id = "control_same",
           .text = "control takes as long as the baseline",
           .variant = "control",
           .where = one,
           .range = {0.9, 1.1},
           .control = true,
           .source = "control"}};
}

std::vector<Profile> profiles() {
  const std::vector<std::string> every = {"baseline", "control", "regex_filter", "libcxx",
                                          "regex_filter_libcxx"};
  return {
      {"quick",
       "both libraries on one line of 3 MB",
       {{{{"values", {"262144"}}}, {"baseline", "control", "libcxx"}}}},
      {"gate",
       "both ends of the case, for cliffbench gate",
       {{{{"values", {"16384"}}}, {"baseline", "regex_filter"}}}},
      {"verify", "every variant once at the smallest size", {{{{"values", {"16384"}}}, every, 1}}},
      {"full",
       "both libraries, by bytes and by markers",
       {{{{"values", kValues}, {"markers", {"4"}}}, every, 12},
        {{{"values", {"262144"}}, {"markers", kMarkers}}, every, 12}}}};
}

Case declare() {
  return {.name = "marker_search",
          .why =
              "The viewer tries one std::regex per loop marker on every byte of an embedded "
              "buffer's text; Apple's standard library takes several times as long for it.",
          .readme = CASE_README,
          .subject = {"std-regex", LIBRARIES, ""},
          .axes = {{"values", "float32 values in the line", kValues}, {"markers", "", kMarkers}},
          .variants = {{"baseline", Role::baseline, "libstdc++"},
                       {"control", Role::control, "the same again"},
                       {"regex_filter",
                        Role::patch,
                        "libstdc++, long lines are cut first",
                        {"regex_filter"}},
                       {"libcxx", Role::reference, "libc++, which macOS has"},
                       {"regex_filter_libcxx",
                        Role::reference,
                        "libc++, long lines are cut first",
                        {"regex_filter"}}},
          .patches = {patches::halide::kRegexFilter},
          .claims = claims(),
          .profiles = profiles(),
          .limit_s = 60,
          .cost = expected_cost};
}

}  // namespace

int main(int argc, char** argv) {
  // Loaded at once, so that --describe names them among the libraries that a run must find
  // unchanged.
  for (const char* path : {SEARCH_LIBSTDCXX, SEARCH_LIBCXX}) {
    if (*path) (void)dlopen(path, RTLD_NOW | RTLD_LOCAL);
  }
  return case_main({{declare(), measure}}, argc, argv);
}
