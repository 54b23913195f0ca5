# Each target is one line that calls a script, a preset or a program; `make help` lists them.
PROFILE ?= quick
RUN ?= results/local/latest
FORM ?= quick
SECONDS ?= 60
PRESET ?= asan

.PHONY: bench tool gate gate-demo validate publish check test test-all test-arm cross-macos packages attack halide-patched launcher-matrix fuzz sanitize tidy build readme report verify doctor format help clean

bench: build     ## measure (PROFILE=quick|full|demo), judge, and write the report
	@scripts/bench $(PROFILE)
tool:            ## the program build/tool/cliffbench alone: the gate for any Google Benchmark program
	@scripts/bootstrap tool && scripts/build tool
gate:            ## has performance been lost since BASE (a commit; default: where this branch left main)?
	@scripts/bootstrap bench && scripts/gate $(BASE)
gate-demo:       ## the gate on a change of comments, and on 10 % more work in one case
	@scripts/bootstrap bench && scripts/gate_demo
validate: build  ## the gate judged by its own standards and beside the usual ways (FORM=quick|full|busy)
	@scripts/bootstrap validate && scripts/validate $(FORM)
check:           ## after an edit: build what changed, run the quick tests (a minute); `make test` is the whole truth
	@scripts/test --quick
test:            ## build and run every test that needs no large extra package
	@scripts/test
test-all:        ## the same, with the large extras (a browser) installed
	@scripts/test --all
test-arm:        ## cross-build the harness and call_kernel for arm64, run their tests under qemu (Debian)
	@scripts/test-arm
cross-macos:     ## compile and link everything for Apple silicon, here, and check it; nothing is run (Debian)
	@scripts/cross-macos all
packages:        ## dist/: wheels and archives for Linux and macOS, with checksums (Debian; fifteen minutes)
	@scripts/bootstrap packages && scripts/python scripts/packages $(ONLY)
halide-patched:  ## build/halide-patched alone, for every Halide at hand (Linux; a minute)
	@scripts/halide-patched
launcher-matrix: build  ## plain beside halide-patched: all outputs by all targets (an hour; COMPARE="commands" adds yours)
	@scripts/build all && scripts/python patches/halide/preload/matrix.py $(COMPARE)
fuzz:            ## look for inputs that break a reader, SECONDS=60 each
	@scripts/bootstrap fuzz && scripts/fuzz $(SECONDS)
attack:          ## damaged records, wrong words, hostile programs, bad disks: at least 1,500 attempts (15 minutes)
	@scripts/bootstrap test && scripts/build programs && scripts/python scripts/attack
sanitize:        ## build and run every test with PRESET=asan (and undefined) or tsan
	@scripts/bootstrap test && scripts/sanitize $(PRESET)
tidy:            ## clang-tidy and clang's static analyser over all sources (an hour on 2 cores; Debian)
	@scripts/bootstrap tidy && scripts/build all && scripts/tidy
build:           ## install what is missing and build the programs
	@scripts/bootstrap $(if $(filter full,$(PROFILE)),full,bench) && scripts/build programs
readme:          ## run the commands of README and docs/, before a release (an hour; writes to results/)
	@scripts/bootstrap test && scripts/build all && scripts/python scripts/readme.py
report:          ## write the report of RUN again (never measures)
	@scripts/bootstrap bench && scripts/python scripts/report.py $(RUN)
publish: build   ## check RUN and copy it to results/published/<date>-<machine>/ (never measures, commits nothing)
	@scripts/python scripts/publish.py $(RUN)
verify: build    ## every variant once at the smallest size: outputs only, no timing
	@scripts/bench verify
doctor: build    ## what this machine can and cannot measure, and why
	@build/cliffbench doctor
format:          ## format the C++ sources
	@scripts/bootstrap format && git ls-files '*.cpp' '*.hpp' | xargs clang-format -i
help:            ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 20
clean:           ## remove what was built (keeps .deps and results)
	@rm -rf build
