#pragma once

#include <stdexcept>

namespace zk {

/// A call that upstream answers by a panic: wrong shapes, a missing input, a wrong state.
struct Panic : std::logic_error {
  using std::logic_error::logic_error;
};
/// An evaluation that fails for a reason in the kernel's or caller's hands.
struct UserError : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// An evaluation that a well-formed circuit never asks for.
struct InternalError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace zk
