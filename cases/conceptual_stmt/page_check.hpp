#pragma once

#include <string>

#include "cases/conceptual_stmt/listing.hpp"
#include "cases/conceptual_stmt/pipeline.hpp"
#include "harness/suite/kit/kit.hpp"

/// The oracle of every trial that wrote a page: its digest is that of the canonical form, and on
/// its own the page must show each of `stages`.
inline void check_page(cliffbench::Trial& trial, const std::string& html, const Pipeline& pipeline,
                       int stages) {
  ViewerPage page = read_page(html);
  if (trial.spoiled(1)) page.jumps.front() = 1;
  if (trial.spoiled(2)) page.assembly.assign(page.assembly.size(), "");
  trial.digest(digest_of(canonical(page, pipeline.output.name())));
  if (own_code(page, pipeline.output.name()).size() < 10 * static_cast<size_t>(stages)) {
    trial.wrong("the assembly pane has no code of the pipeline's own functions");
  }
  if (const std::string fault = fault_of(page, stages); !fault.empty()) trial.wrong(fault);
}
