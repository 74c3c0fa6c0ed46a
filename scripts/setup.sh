#!/bin/sh
# Installs the Debian packages that knead needs and that are missing. Does nothing when all are there.
#   scripts/setup.sh           what `make run` needs: compiler, build tools, libraries
#   scripts/setup.sh --test    and what `make test` needs
#   scripts/setup.sh --bench   and what `make bench` compares with
#   scripts/setup.sh --dev     all of it, with the tools for style, lint and sanitizers
# Options: --list prints the packages of the set and why, and installs nothing.
set -eu

# name (alternatives separated by |, the first one preferred), then why.
base_packages='
g++                 the C++20 compiler
cmake               build description
ninja-build         build runner
make                entry points such as make run
pkg-config          finds HDF5 and zstd
libtbb-dev          threads
nlohmann-json3-dev  scene files
libhdf5-dev         VTKHDF frames for ParaView
libzstd-dev         checkpoints
libopenvdb-dev      meshes to level sets, particles to surfaces
libembree-dev       ray tracing
libpng-dev          pictures
ffmpeg              movies
libcpp-httplib-dev  the server of the viewer
libimath-dev        half floats, which OpenVDB links
libboost-dev        headers that OpenVDB includes
ccache              quick rebuilds
'
test_packages='
doctest-dev         unit tests
python3             layers check, counting of test results
binutils            nm, for the instruction set check
clang               fuzzing and sanitizer builds
libclang-rt-14-dev|libclang-rt-dev  run-time part of the sanitizers and of libFuzzer
llvm                names and lines in sanitizer reports
lld                 quick linking
chromium            tests of the page of the viewer in a real browser
'
bench_packages='
libeigen3-dev       the matrix decompositions that the benchmarks compare with
'
dev_packages='
clang-format-14     make format; pinned, other versions format differently
clang-tidy-14       make lint; pinned
'

# Those that may have come from elsewhere: by command, installed only when there is no such command.
command_packages=
command -v node >/dev/null || command_packages="${command_packages}nodejs              bundles the page of the viewer
"
command -v npm >/dev/null || command_packages="${command_packages}npm                 installs three.js and esbuild for the page of the viewer
"

packages=$base_packages$command_packages
list_only=no
for option in "$@"; do
  case $option in
    --test) packages="$packages$test_packages" ;;
    --bench) packages="$packages$bench_packages" ;;
    --dev) packages="$packages$test_packages$bench_packages$dev_packages" ;;
    --list) list_only=yes ;;
    *) echo "setup: unknown option $option (known: --test, --bench, --dev, --list)" >&2; exit 2 ;;
  esac
done

if [ $list_only = yes ]; then
  printf '%s' "$packages" | sed '/^$/d'
  exit 0
fi

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "setup: not a Debian system, so nothing is installed here. CMake checks next that the following are there (Debian names):"
  printf '%s' "$packages" | sed '/^$/d; s/^/  /'
  exit 0
fi

installed() { [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null || true)" = installed ]; }
available() { apt-cache policy "$1" 2>/dev/null | grep -q 'Candidate: [^(]'; }

# Names of what is missing, one alternative each; an alternative that apt knows comes before one that it does not.
find_missing() {
  printf '%s' "$packages" | while read -r names _; do
    [ -n "$names" ] || continue
    choice=
    for name in $(echo "$names" | tr '|' ' '); do
      if installed "$name"; then choice=installed; break; fi
      if [ -z "$choice" ] && available "$name"; then choice=$name; fi
    done
    [ "$choice" = installed ] || echo "${choice:-${names%%|*}}"
  done
}

# Instant when all is there: one query for every name.
first_names=$(printf '%s' "$packages" | sed -n 's/^\([^ |]\{1,\}\).*/\1/p')
count=$(echo "$first_names" | sort -u | wc -l)
# shellcheck disable=SC2086  # one word per package
found=$(dpkg-query -W -f='${binary:Package} ${db:Status-Status}\n' $first_names 2>/dev/null | grep -c ' installed$' || true)
[ "$found" -lt "$count" ] || exit 0
missing=$(find_missing | tr '\n' ' ')
[ -n "$missing" ] || exit 0
echo "setup: missing Debian packages, to be installed: $missing"

if [ "$(id -u)" = 0 ]; then
  as_root='env'
elif command -v sudo >/dev/null; then
  as_root='sudo env'
else
  echo "setup: needs root and there is no sudo. As root, please run:" >&2
  echo "  apt-get update && apt-get install --no-install-recommends $missing" >&2
  exit 1
fi

apt() { $as_root DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o Dpkg::Use-Pty=0 "$@"; }
# shellcheck disable=SC2086
install() { apt install --no-install-recommends $missing; }

# The lists of packages are fetched only if apt does not know a name, or knows one that is no longer on the server.
updated=no
update() { apt update; updated=yes; missing=$(find_missing | tr '\n' ' '); }
for name in $missing; do
  available "$name" || { update; break; }
done
if ! install; then
  [ $updated = no ] || exit 1
  update
  install
fi
