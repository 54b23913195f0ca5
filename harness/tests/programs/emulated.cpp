// Preloaded on x86-64, it makes the machine look as it does under qemu's user emulation of arm64:
// the system says that architecture, /proc/cpuinfo shows the host's processor.
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstring>

extern "C" int uname(utsname* name) noexcept {
  const long result = syscall(SYS_uname, name);
  std::strcpy(name->machine, "aarch64");
  return static_cast<int>(result);
}
