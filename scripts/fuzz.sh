#!/bin/sh
# Runs the fuzz targets of build/fuzz side by side.
# Usage: scripts/fuzz.sh SECONDS
# Seeds come from tests/fuzz/corpus, which is only read; what is found goes to build/fuzz/found, crashing inputs to build/fuzz/crashes.
set -eu
cd "$(dirname "$0")/.."
seconds=${1:?usage: scripts/fuzz.sh SECONDS}
build=build/fuzz
export ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1 UBSAN_OPTIONS=print_stacktrace=1

start() {
  name=$1
  mkdir -p $build/found/"$name" $build/crashes
  seeds=
  [ ! -d tests/fuzz/corpus/"$name" ] || seeds=tests/fuzz/corpus/$name
  # libFuzzer writes to the first folder only. A single input may take 10 s and 2 GB, far above what any seed needs.
  # shellcheck disable=SC2086  # seeds is one word or none
  $build/fuzz_"$name" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=16384 -print_final_stats=1 \
    -artifact_prefix=$build/crashes/"$name"- $build/found/"$name" $seeds >$build/fuzz_"$name".log 2>&1
}

passed=0 failed=0 jobs=
for binary in "$build"/fuzz_scene "$build"/fuzz_mesh; do
  [ -x "$binary" ] || { echo "fuzz: $binary has not been built" >&2; failed=$((failed + 1)); continue; }
  name=${binary##*fuzz_}
  start "$name" &
  jobs="$jobs $name:$!"
done
for job in $jobs; do
  name=${job%%:*}
  if wait "${job##*:}"; then
    passed=$((passed + 1))
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' $build/fuzz_"$name".log)
    echo "fuzz $name: nothing found in $runs inputs"
  else
    failed=$((failed + 1))
    tail -n 60 $build/fuzz_"$name".log
    echo "fuzz $name: FAILED; replay with $build/fuzz_$name on the file in $build/crashes"
  fi
done
echo "fuzz: $passed passed, $failed failed"
[ $failed = 0 ]
