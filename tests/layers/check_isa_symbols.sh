#!/bin/sh
# Objects compiled for AVX2 or AVX-512 must not define weak symbols (inline functions, template instances) under a name that
# baseline code uses too: the linker keeps one copy, and a machine without AVX would stop at it.
# Usage: check_isa_symbols.sh OBJECT...    Every weak symbol defined there has avx2 or avx512 in its demangled name.
set -eu
[ $# -gt 0 ] || { echo "usage: $0 OBJECT..." >&2; exit 2; }

status=0
for object in "$@"; do
  symbols=$(nm -C --defined-only "$object")
  # W, V: weak function, weak data; u: unique. DW.ref.* is a pointer that exception tables use, no code.
  bad=$(echo "$symbols" | grep -E '^[0-9a-f]* ?[WVu] ' | grep -v -e avx2 -e avx512 -e ' DW\.ref\.' || true)
  if [ -n "$bad" ]; then
    echo "$object defines weak symbols that baseline code could pick up:"
    echo "$bad"
    status=1
  fi
done
[ $status != 0 ] || echo "instruction sets: $# objects, no shared weak symbols"
exit $status
