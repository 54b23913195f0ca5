// The innermost loop of the cliff of conceptual_stmt: std::regex_search of every marker over one
// giant line, with each of the two standard libraries.
#include <dlfcn.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "case_toml.hpp"
#include "cases/conceptual_stmt/listing.hpp"
#include "cases/marker_search/made_listing.hpp"
#include "cases/marker_search/search.h"
#include "patches/halide/regex_filter.hpp"

namespace {

using namespace cliffbench;

/// Each is empty where no compiler with that library was found.
SearchMarkers* search_of(const std::string& variant) {
  const bool apple = variant.ends_with("libcxx");
  const std::string path = apple ? SEARCH_LIBCXX : SEARCH_LIBSTDCXX;
  if (path.empty()) {
    throw Skipped(apple ? "this build has no clang with libc++ (Debian: clang-19 libc++-19-dev "
                          "libc++abi-19-dev)"
                        : "this build's compiler has libc++, not libstdc++");
  }
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* search = library ? dlsym(library, "search_markers") : nullptr;
  if (!search) throw std::runtime_error(dlerror());
  return reinterpret_cast<SearchMarkers*>(search);
}

void measure(benchmark::State& state, Trial& trial) {
  SearchMarkers* search = search_of(trial.variant);
  const int filter = trial.has_patch(patches::halide::kRegexFilter);
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

  if (trial.spoiled()) ++lines.back();
  std::string found;
  for (const int line : lines) found += std::to_string(line) + " ";
  trial.digest(digest_of(found));
  if (lines != made.lines) trial.wrong("markers were found on the lines " + found);
}

}  // namespace

int main(int argc, char** argv) {
  // Loaded at once, so that --describe names them among the libraries that a run must find
  // unchanged.
  for (const char* path : {SEARCH_LIBSTDCXX, SEARCH_LIBCXX}) {
    if (*path) (void)dlopen(path, RTLD_NOW | RTLD_LOCAL);
  }
  return case_main(this_case({patches::halide::kRegexFilter}),
                   {{"marker_search", measure, {"libcxx", "regex_filter_libcxx"}}}, argc, argv);
}
