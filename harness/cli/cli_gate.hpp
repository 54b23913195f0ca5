#pragma once

/// The command line of `gate` and `compare`.

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/gate/request.hpp"

namespace cliffbench {

class GateVerbs {
 public:
  explicit GateVerbs(CLI::App& app);
  /// Takes out what belongs to the programs that `gate` measures: all after "--".
  void take_arguments(int& argc, char** argv);
  /// Whether one of the verbs was called; then `exit` is its code. `command`: as it was called.
  bool run(const std::string& command, int& exit);

 private:
  CLI::App* gate_ = nullptr;
  CLI::App* compare_ = nullptr;
  GateRequest gate_request_;
  CompareRequest compare_request_;
  std::string out_, resume_;
  std::vector<std::filesystem::path> from_;
  std::vector<std::string> arguments_;
};

}  // namespace cliffbench
