#pragma once

#include <Halide.h>

#include <string>

namespace patches::halide {

/// The first name of a loop or a stage in which the viewer, that puts these names into a regular
/// expression, reads a letter as an operator; "" when there is none. A '|' finds lines without a
/// marker, other letters make the search end with an error: such a page is the viewer's alone.
inline std::string name_with_operator(const Halide::Module& module) {
  struct Names : Halide::Internal::IRGraphVisitor {
    using Halide::Internal::IRGraphVisitor::visit;
    void look(const std::string& name) {
      if (found.empty() && name.find_first_of("|()[]{}*+?^\\") != std::string::npos) found = name;
    }
    void visit(const Halide::Internal::For* loop) override {
      look(loop->name);
      IRGraphVisitor::visit(loop);
    }
    void visit(const Halide::Internal::ProducerConsumer* stage) override {
      look(stage->name);
      IRGraphVisitor::visit(stage);
    }
    std::string found;
  } names;
  for (const Halide::Internal::LoweredFunc& function : module.functions())
    function.body.accept(&names);
  if (module.get_conceptual_stmt().defined()) module.get_conceptual_stmt().accept(&names);
  return names.found;
}

}  // namespace patches::halide
