# cmake -DSOURCE=... -DOUTPUT=... -DCOMPILER=... -DFLAGS=... -P build_info.cmake
# Which commit is being built; the file is touched only when it changes.
execute_process(COMMAND git -C "${SOURCE}" rev-parse --short=12 HEAD OUTPUT_VARIABLE COMMIT
                OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
execute_process(COMMAND git -C "${SOURCE}" status --porcelain OUTPUT_VARIABLE changes ERROR_QUIET)
if(NOT COMMIT)
  set(COMMIT "unknown")
endif()
set(DIRTY false)
if(changes)
  set(DIRTY true)
endif()
configure_file("${SOURCE}/harness/host/build_info.hpp.in" "${OUTPUT}" @ONLY)
