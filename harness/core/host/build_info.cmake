# cmake -DSOURCE=... -DOUTPUT=... -DCOMPILER=... -DFLAGS=... -P build_info.cmake
# Writes the version and commit that is being built; the file is touched only when they change.
execute_process(COMMAND "${SOURCE}/scripts/version" OUTPUT_VARIABLE VERSION OUTPUT_STRIP_TRAILING_WHITESPACE)
execute_process(COMMAND "${SOURCE}/scripts/version" commit OUTPUT_VARIABLE COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE)
set(DIRTY false)
if(VERSION MATCHES "dirty$")
  set(DIRTY true)
endif()
configure_file("${SOURCE}/harness/core/host/build_info.cpp.in" "${OUTPUT}" @ONLY)
