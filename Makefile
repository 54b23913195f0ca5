# Each target is one line that calls a script, a preset or a program; `make help` lists them.
PROFILE ?= quick
RUN ?= results/local/latest
FORM ?= quick
SECONDS ?= 60
PRESET ?= asan

.PHONY: bench tool gate validate publish check test test-all test-arm cross-macos packages release halide-patched launcher-matrix fuzz sanitize tidy build readme report verify doctor format help clean

bench: build     ## measure (PROFILE=quick|full|demo), judge, and write the report
	@scripts/bench $(PROFILE)
tool:            ## only build/tool/cliffbench: the gate for any Google Benchmark program
	@scripts/setup/bootstrap tool && scripts/setup/build tool
gate:            ## is anything slower than at BASE (a commit; default: where this branch left main)?
	@scripts/setup/bootstrap bench && scripts/gate $(BASE)
validate: build  ## how often the gate is wrong, next to the usual methods (FORM=quick|full|busy)
	@scripts/setup/bootstrap validate && scripts/release/validate $(FORM)
check:           ## after an edit: build what changed, check the formatting, run the linters and the quick tests
	@scripts/setup/test --quick
test:            ## build and run the tests (not the long ones)
	@scripts/setup/test
test-all:        ## all tests: every Halide, LLVM 19, a browser, daemons
	@scripts/setup/test --all
test-arm:        ## cross-build the harness and call_kernel for arm64 and test them under qemu (Debian)
	@scripts/setup/test-arm
cross-macos:     ## cross-compile everything for Apple silicon and check the result, without running it (Debian)
	@scripts/setup/cross-macos all
packages:        ## write wheels, archives and checksums for Linux and macOS to dist/ (Debian; six minutes on 2 cores)
	@scripts/setup/bootstrap packages && scripts/setup/python scripts/release/packages $(ONLY)
release:         ## test, tag and package VERSION; upload nothing
	@scripts/release/release $(VERSION)
halide-patched:  ## build/halide-patched for every installed Halide (Linux; a minute)
	@patches/halide_patched/build-launcher
launcher-matrix: build  ## compare plain and patched runs: all outputs by all targets (over three hours; COMPARE="--at-most 200": fewer, drawn at random; COMPARE="commands": yours)
	@scripts/setup/build all long_tests && scripts/setup/python patches/halide_patched/tests/matrix.py $(COMPARE)
fuzz:            ## fuzz every reader for SECONDS=60 each
	@scripts/setup/bootstrap fuzz && scripts/setup/fuzz $(SECONDS)
sanitize:        ## run every test with PRESET=asan (and ubsan) or tsan
	@scripts/setup/bootstrap test && scripts/setup/sanitize $(PRESET)
tidy:            ## run clang-tidy and clang's static analyser (an hour on 2 cores; Debian)
	@scripts/setup/bootstrap tidy && scripts/setup/build all long_tests && scripts/setup/tidy
build:           ## install what is missing and build all programs
	@scripts/setup/bootstrap $(if $(filter full,$(PROFILE)),full,bench) && scripts/setup/build programs
readme:          ## run README's blocks as pasted (an hour; ON="bookworm trixie": on a minimal Debian each, as root)
	@python3 scripts/release/readme.py $(ON:%=--on %)
report:          ## regenerate the report of RUN, without measuring
	@scripts/setup/bootstrap bench && scripts/setup/python scripts/report.py $(RUN)
publish: build   ## check RUN and copy it to results/published/<date>-<machine>/ (commits nothing)
	@scripts/setup/python scripts/release/publish.py $(RUN)
verify: build    ## check every variant's output once, at the smallest size
	@scripts/bench verify
doctor: build    ## what this machine can measure, what it cannot, and why
	@build/cliffbench doctor
format:          ## format the C++ code, and sort the imports of the Python code
	@scripts/setup/bootstrap format && scripts/setup/format
help:            ## show this list
	@sed -n 's/^\([a-z-]*\):[^#]*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 24
clean:           ## remove what was built (keeps .deps and results)
	@rm -rf build
