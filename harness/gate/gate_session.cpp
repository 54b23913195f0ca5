#include "harness/gate/gate_session.hpp"

#include "harness/core/record/folder.hpp"
#include "harness/core/text/terminal.hpp"

namespace cliffbench {
namespace {

namespace fs = std::filesystem;

const FolderKind kGate = {"gate", "gate.json", {"scratch", "sides"}};

}  // namespace

void require_usable_folder(const GateRequest& request) {
  (void)has_begun(request.folder, kGate, request.resume);
}

namespace {

/// The folder, which must hold a gate or nothing. The default one is kept out of the user's
/// commits.
const fs::path& usable_folder(const GateRequest& request) {
  require_usable_folder(request);
  const fs::path all = request.folder.parent_path();
  if (request.own_folder) make_folder(all);
  if (request.own_folder && !is_there(all / ".gitignore")) write_file(all / ".gitignore", "*\n");
  return request.folder;
}

}  // namespace

GateSession::GateSession(const GateRequest& asked, const Budget& whole)
    : request(asked), budget(whole), place(usable_folder(asked), kGate, asked.memory_limit_bytes) {
  if (place.cut_a_line()) say("the last row is unfinished; its pair is left out\n");
  place.clear_scratch();
  for (const WantedCounter& counter : request.counters) counters.push_back(counter.name);
}

TrialLimits GateSession::limits() const {
  return {.scratch = place.scratch(),
          .timed_s = request.limit_s,
          .memory_bytes = place.memory_limit_bytes(),
          .budget = budget,
          .arguments = request.arguments,
          .counters = counters,
          .late_end_counts = true,
          .environment = {}};
}

}  // namespace cliffbench
