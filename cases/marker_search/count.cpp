// count LIBRARY VALUES MARKERS FILTER     one search, to be run under callgrind; prints the lines.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "cases/marker_search/made_listing.hpp"
#include "cases/marker_search/search.h"

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 2;
  }
  auto* search = reinterpret_cast<SearchMarkers*>(dlsym(library, "search_markers"));
  const int count = std::atoi(argv[3]);
  const MadeListing made = made_listing(std::strtoul(argv[2], nullptr, 10), count);
  std::vector<const char*> markers;
  for (const std::string& marker : made.markers) markers.push_back(marker.c_str());
  std::vector<int> lines(made.markers.size());
  search(made.text.data(), made.text.size(), markers.data(), count, std::atoi(argv[4]),
         lines.data());
  std::printf("%zu", made.text.size());
  for (const int line : lines) std::printf(" %d", line);
  std::printf("\n");
  return lines == made.lines ? 0 : 1;
}
