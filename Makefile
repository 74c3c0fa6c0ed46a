# Entry points. `make run` and `make test` are all that a fresh clone needs; `make help` lists the rest.
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
FUZZ_SECONDS ?= 25
PREFIX ?= /usr/local
SCENE ?= scenes/default.json
OUTPUT ?= runs/default
SOURCES = $(shell find engine apps tests bench -name '*.h' -o -name '*.cpp')

CONFIGURE = cmake --log-level=WARNING --preset
BUILD = cmake --build --parallel $(JOBS) --preset

.DEFAULT_GOAL := help
.PHONY: help run build test bench gallery format lint asan tsan fuzz install clean

help:  ## this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 18

run: build  ## build, simulate the default scene and make a movie of it (SCENE=..., OUTPUT=...)
	build/release/knead run $(SCENE) -o $(OUTPUT) --overwrite
	build/release/knead render $(OUTPUT) --size 960x540
	@echo "Watch $(OUTPUT)/preview.mp4; the pictures are in $(OUTPUT)/preview/."
	@echo "The result is in $(OUTPUT): frames/ for ParaView, Houdini or Blender, stats.csv, probes/ and run.json."

build:  ## set up and build the program, in release mode
	@scripts/setup.sh
	$(CONFIGURE) release -DKNEAD_TESTS=OFF -DKNEAD_BENCH=OFF
	$(BUILD) release

test:  ## all tests, and a minute of fuzzing under sanitizers
	@scripts/setup.sh --test
	JOBS=$(JOBS) FUZZ_SECONDS=$(FUZZ_SECONDS) scripts/test.sh

bench:  ## the benchmarks, with speeds per core
	@scripts/setup.sh --bench
	$(CONFIGURE) release -DKNEAD_TESTS=OFF -DKNEAD_BENCH=ON
	$(BUILD) release
	cmake --build build/release --target run_bench

gallery: build  ## run the shipped scenes at preview size, and write docs/gallery.md with their pictures
	scripts/gallery.py

format:  ## put all sources in the project's format
	@scripts/setup.sh --dev
	clang-format-14 -i $(SOURCES)

lint:  ## format, clang-tidy and layers, without changing anything (FILES=... for some files only)
	@scripts/setup.sh --dev
	$(CONFIGURE) release -DKNEAD_TESTS=ON -DKNEAD_BENCH=OFF
	clang-format-14 --dry-run --Werror $(SOURCES)
	python3 -B tests/layers/check_layers.py
	run-clang-tidy-14 -quiet -j $(JOBS) -p build/release $(or $(FILES),'^$(CURDIR)/(engine|apps)/')

asan:  ## all tests under AddressSanitizer and UndefinedBehaviorSanitizer
tsan:  ## all tests under ThreadSanitizer
asan tsan:
	@scripts/setup.sh --test
	$(CONFIGURE) $@
	$(BUILD) $@
	ctest --preset $@

fuzz:  ## the fuzz targets, FUZZ_SECONDS=25 each
	@scripts/setup.sh --test
	$(CONFIGURE) fuzz
	$(BUILD) fuzz --target fuzz_targets
	scripts/fuzz.sh $(FUZZ_SECONDS)

install: build  ## program, libraries and headers into PREFIX=/usr/local
	cmake --install build/release --prefix $(PREFIX)

clean:  ## remove what was built (results in runs/ stay)
	cmake -E rm -rf build
