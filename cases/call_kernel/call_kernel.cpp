// What calls of zk circuit kernels cost (ECC's call_kernel), as it was and with each patch.

#include "cases/call_kernel/bench.hpp"
#include "cases/call_kernel/inspect.hpp"

int main(int argc, char** argv) {
  std::vector<cliffbench::Bench> benches = zk::repeat_call_benches();
  for (auto* bench : {zk::mul_line_bench, zk::circuit_building_bench, zk::kernel_building_bench,
                      zk::stale_kernel_bench}) {
    benches.push_back(bench());
  }
  return cliffbench::case_main(benches, argc, argv, {{"--inspect", zk::inspect}});
}
