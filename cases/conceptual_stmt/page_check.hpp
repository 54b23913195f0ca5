#pragma once

#include <string>

#include "cases/conceptual_stmt/listing.hpp"
#include "harness/suite/kit/kit.hpp"

/// The oracle of every trial that wrote a page of this pipeline: its digest is that of the
/// canonical form, and on its own the page must show each of `stages`.
inline void check_page(cliffbench::Trial& trial, ViewerPage page, const std::string& pipeline,
                       int stages) {
  if (trial.spoiled(1)) page.jumps.front() = 1;
  if (trial.spoiled(2)) page.assembly.assign(page.assembly.size(), "");
  trial.digest(digest_of(canonical(page, pipeline)));
  if (own_code(page, pipeline).size() < 10 * static_cast<size_t>(stages)) {
    trial.wrong("the assembly pane has no code of the pipeline's own functions");
  }
  if (const std::string fault = fault_of(page, stages); !fault.empty()) trial.wrong(fault);
}

/// The same of a statement as text.
inline void check_text(cliffbench::Trial& trial, std::string text, const std::string& pipeline,
                       int stages) {
  if (trial.spoiled()) text.clear();
  trial.digest(digest_of(uncounted(text, pipeline)));
  if (text.find("stage_" + std::to_string(stages)) == std::string::npos) {
    trial.wrong("the last stage is missing");
  }
}
