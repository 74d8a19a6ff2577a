# Thin: Meson builds. These are the short names.
#   make run      set up, build what a first run needs (build/first), measure this machine
#   make check    set up, build, run every test
#   make check-all    the same with all modelled machines and GPUs: for a quarter of an hour or more
#   make lab      real kernels on machines of any topology, in QEMU: a quarter of an hour
#   make mutants [MUTANTS="--count 20 --rooms stats"]    change the sources one thing at a time: what does no test notice?
#   make fuzz [FUZZ=SECONDS]    look for inputs that break it;   make faults    let the system fail it
#   make          build;   make install [PREFIX=/usr] [DESTDIR=...] [LINKS=1]   make uninstall   make benchmark   make clean
# LINKS=1 also makes links by the names of the tools that fathom speaks as, in PREFIX/libexec/fathom.
#   make static   one file for any Linux, build/static/fathom;   make dist   a tarball with the page built
#   make windows    fathom.exe for Windows, build-windows/fathom.exe, made and tested with mingw-w64 and wine
#   make docs     the README's pictures and the pages of docs/examples
#   make release-check   whether version, changes and packages agree
# MESON_OPTIONS=-Dname=value sets options of a new build folder.
# run, check, check-all, fuzz, lab and windows install packages; the others name what is missing and stop. With FATHOM_NO_INSTALL=1 all do.

PREFIX ?= /usr/local
configure = [ -e build/build.ninja ] || meson setup $(MESON_OPTIONS) build

build:
	@FATHOM_NO_INSTALL=1 scripts/setup
	@$(configure)
	@meson compile -C build

# Status 4 says "done, but a headline value cannot be trusted", and the report has said why.
# A first run compares no fleets, speaks no other tool's language and has time to be compiled quickly; the timed loops have
# flags of their own. Where a whole build is, it is used.
run:
	@scripts/setup
	@if [ -e build/build.ninja ]; then meson compile -C build fathom:executable; else \
	    { [ -e build/first/build.ninja ] || meson setup -Dtests=disabled -Dfleet=disabled -Dtongues=disabled -Dlibrary=disabled \
	        -Dmpi=disabled -Dmanual=disabled -Doptimization=1 $(MESON_OPTIONS) build/first; } && \
	    meson compile -C build/first fathom:executable && cp build/first/fathom build/fathom; fi
	@build/fathom run || { status=$$?; [ $$status -eq 4 ] || exit $$status; }

# Windows' own tools don't build it: its libraries are made by scripts/cross.
windows:
	@scripts/setup windows
	@scripts/cross windows
	@[ -e build-windows/build.ninja ] || meson setup --cross-file build-cross/windows/cross.ini -Dtests=enabled -Dhardening=false \
	    -Db_pie=false -Dlibrary=disabled -Dmpi=disabled -Dmanual=disabled $(MESON_OPTIONS) build-windows
	@meson compile -C build-windows fathom:executable unit-tests
	@tests/windows/run build-windows/fathom.exe

# What takes long is left to .ci/run.
NOT_QUICK = $(addprefix --no-suite ,cookbook clusters lab one-file browser gpu-models)
# Configured anew each time: a library that was missing when `build` was made may be here now.
check:
	@scripts/setup check
	@$(configure)
	@meson setup --reconfigure $(MESON_OPTIONS) build
	@meson compile -C build
	@status=0; TMPDIR=$$(tests/folder) meson test -C build --no-rebuild $(NOT_QUICK) --print-errorlogs || status=$$?; \
	echo 'CPU time, user and system, of this shell and then of the tests:'; times; \
	tests/count build/meson-logs/testlog.json && exit $$status

# The tests of which `make check` runs a sample, in full, in a build folder of their own, and where mingw-w64 is, Windows'.
check-all:
	@scripts/setup check
	@[ -e build-all/build.ninja ] || meson setup -Dmodel_machines=300 -Dmodel_runs=10 -Dgpu_models=100 $(MESON_OPTIONS) build-all
	@meson compile -C build-all
	@status=0; TMPDIR=$$(tests/folder) meson test -C build-all --no-rebuild --print-errorlogs || status=$$?; \
	tests/count build-all/meson-logs/testlog.json || status=1; \
	! command -v x86_64-w64-mingw32-gcc >/dev/null || $(MAKE) windows || status=1; exit $$status

# Inputs by the million for what reads them: FUZZ=SECONDS for all targets together. Needs clang.
FUZZ ?= 3600
fuzz:
	@scripts/setup ci
	@[ -e build-fuzz/build.ninja ] || CC=clang meson setup -Dfuzz=true -Dbuildtype=debugoptimized $(MESON_OPTIONS) build-fuzz
	@[ -e build-fuzz-fast/build.ninja ] || CC=clang meson setup -Dfuzz=true -Dfuzz_fast=true $(MESON_OPTIONS) build-fuzz-fast
	@for folder in build-fuzz build-fuzz-fast; do \
	    meson compile -C $$folder fuzz-document fuzz-views fuzz-import fuzz-words fuzz-options fuzz-machine || exit; done
	@tests/fuzz/run --seconds $(FUZZ) --fast build-fuzz-fast/tests/fuzz build-fuzz/tests/fuzz

# With libraries of its own in build/mutants: a second each.
MUTANTS ?= --count 100
mutants: build
	@tests/mutants $(MUTANTS)

# Every call of the system fails once, and 1000 signals at random times: half an hour.
faults: build
	@tests/faults/run --all build/fathom build/tests/faults/faults.so

# Kernels and what they need are fetched into build/lab once. Without a cross build aarch64 is skipped.
lab:
	@scripts/setup lab
	@$(configure)
	@meson compile -C build fathom:executable
	@scripts/cross aarch64 >build/lab-aarch64.log 2>&1 && { [ -e build-aarch64/build.ninja ] || \
	    meson setup --cross-file build-cross/aarch64/cross.ini -Dtests=disabled build-aarch64; } >>build/lab-aarch64.log 2>&1 && \
	    meson compile -C build-aarch64 fathom:executable >>build/lab-aarch64.log 2>&1 || echo "no fathom for aarch64: see build/lab-aarch64.log"
	@tests/lab/run build/fathom

benchmark: build
	@benchmarks/run build

# Only what is installed is built.
install:
	@FATHOM_NO_INSTALL=1 scripts/setup
	@$(configure)
	@meson configure build -Dprefix="$(PREFIX)"
	@meson compile -C build $$(meson introspect build --targets | python3 -c 'import json, sys; \
	    print(*(target["name"] + ":" + target["type"].replace(" ", "_") for target in json.load(sys.stdin) if target["installed"]))')
	@DESTDIR="$(DESTDIR)" meson install -C build --no-rebuild
	@[ -z "$(LINKS)" ] || scripts/links build/fathom "$(PREFIX)/bin/fathom" "$(DESTDIR)$(PREFIX)/libexec/fathom"

# What the last `make install` of this build folder installed, and the links that are fathom's.
uninstall:
	@$$(command -v ninja || command -v ninja-build || command -v samu) -C build uninstall
	@folder="$(DESTDIR)$(PREFIX)/libexec/fathom"; [ ! -d "$$folder" ] || { \
	    find "$$folder" -maxdepth 1 -lname "$(PREFIX)/bin/fathom" -delete && rmdir --ignore-fail-on-non-empty "$$folder"; }

static:
	@scripts/static

dist:
	@scripts/dist

# The README's pictures and the examples' pages, by the program, of what was recorded.
docs: build
	@build/fathom report docs/examples/epyc-guest.json -f svg -o docs/pictures/latency.svg
	@build/fathom report docs/examples/i9-13980hx-cas.json -f svg --chart cores -o docs/pictures/cores.svg
	@mkdir -p build/docs/examples
	@for file in docs/examples/*.json; do \
	    build/fathom report -f html "$$file" -o "build/docs/examples/$$(basename "$$file" .json).html" || exit; done

release-check:
	@scripts/release-check

# build-cross and build-static stay: their libraries are other projects' and do not change with this tree.
clean:
	@rm -rf build build-all build-ci build-fuzz build-fuzz-fast build-aarch64

.PHONY: benchmark build check check-all clean dist docs faults fuzz install lab mutants release-check run static uninstall
