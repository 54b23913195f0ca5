#pragma once

#include <Halide.h>

#include <functional>

namespace patches::halide {

/// The same module for another target, with other buffers; never to be run.
inline Halide::Module module_copy(
    const Halide::Module& module, const Halide::Target& target,
    const std::function<Halide::Buffer<>(const Halide::Buffer<>&)>& buffer_for) {
  Halide::Module copy(module.name(), target, module.get_metadata_name_map());
  copy.set_any_strict_float(module.any_strict_float());
  for (const Halide::Module& submodule : module.submodules()) copy.append(submodule);
  for (const Halide::Buffer<>& buffer : module.buffers()) copy.append(buffer_for(buffer));
  for (const Halide::Internal::LoweredFunc& function : module.functions()) copy.append(function);
  return copy;
}

}  // namespace patches::halide
