#!/bin/sh
# All tests: ctest in release mode, then the fuzz targets under AddressSanitizer and UndefinedBehaviorSanitizer.
# The last line is "N passed, N failed"; a unit test counts per test case, everything else as one.
set -eu
cd "$(dirname "$0")/.."
jobs=${JOBS:-2}
fuzz_seconds=${FUZZ_SECONDS:-25}
results=$PWD/build/release/tests.xml
count="python3 -B scripts/count_tests.py $results"
status=0

cmake --log-level=WARNING --preset release -DKNEAD_TESTS=ON -DKNEAD_BENCH=OFF
cmake --build --preset release --parallel "$jobs"
rm -f "$results"
ctest --preset release --parallel "$jobs" --test-output-size-passed 1000000 --output-junit "$results" || status=1

# Fuzzing needs clang. Where set-up can install it, it is there; elsewhere its absence is said and is no failure.
if command -v clang++ >/dev/null; then
  fuzz=passed
  cmake --log-level=WARNING --preset fuzz && cmake --build --preset fuzz --parallel "$jobs" --target fuzz_targets &&
    scripts/fuzz.sh "$fuzz_seconds" || fuzz=failed
  [ $fuzz = passed ] || status=1
  count="$count fuzz:$fuzz"
else
  echo "fuzz: not run, there is no clang++"
fi

$count || status=1
exit $status
