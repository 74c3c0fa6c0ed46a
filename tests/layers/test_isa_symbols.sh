#!/bin/sh
# The check finds a template instance that a kernel shares with baseline code, and lets pass one that is the kernel's own.
# Usage: test_isa_symbols.sh COMPILER
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

cat >"$folder/good.cpp" <<'END'
inline namespace avx2 { template <class T> [[gnu::noinline]] T twice(T x) { return x + x; } }
float kernel_avx2(float x) { return twice(x); }
END
cat >"$folder/bad.cpp" <<'END'
template <class T> [[gnu::noinline]] T twice(T x) { return x + x; }
float kernel_avx2(float x) { return twice(x); }
END
for name in good bad; do
  "$1" -O0 -c "$folder/$name.cpp" -o "$folder/$name.o"
done

"$here/check_isa_symbols.sh" "$folder/good.o" || { echo "a symbol of the kernel's own was refused"; exit 1; }
if "$here/check_isa_symbols.sh" "$folder/good.o" "$folder/bad.o" >"$folder/output"; then
  echo "a shared weak symbol was not found"
  exit 1
fi
grep -q 'twice' "$folder/output"
