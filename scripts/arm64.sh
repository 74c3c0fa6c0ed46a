#!/bin/sh
# Builds knead for arm64 on another Debian machine, and runs the tests of the numeric rooms in an emulator.
#   scripts/arm64.sh [FOLDER]     keeps the arm64 libraries in FOLDER (default: build/arm64-root), builds in build/arm64
# Installs nothing: apt works in FOLDER with lists of its own. Needs g++-aarch64-linux-gnu; unpacks qemu-user-static by itself.
# TESTS="a b" names the test programs to build and run; JOBS how many compilers at once.
set -eu
cd "$(dirname "$0")/.."
folder=$(mkdir -p "${1:-build/arm64-root}" && cd "${1:-build/arm64-root}" && pwd)
jobs=${JOBS:-2}
tests=${TESTS:-test_math test_materials test_spatial test_mpm}
command -v aarch64-linux-gnu-g++ >/dev/null || { echo "arm64: needs the package g++-aarch64-linux-gnu" >&2; exit 1; }

root=$folder/root
if [ ! -e "$folder/complete" ]; then
  mkdir -p "$folder/state/lists/partial" "$folder/cache/archives/partial" "$folder/debs" "$root"
  : > "$folder/state/status"
  cat > "$folder/apt.conf" <<EOF
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
APT::Install-Recommends "0";
APT::Sandbox::User "root";
Dir::State "$folder/state";
Dir::State::status "$folder/state/status";
Dir::Cache "$folder/cache";
EOF
  export APT_CONFIG="$folder/apt.conf"
  apt-get -qq update
  # The libraries of set-up, by the names it has for them, and all that they need.
  libraries=$(scripts/setup.sh --list | awk '/^(lib.*|nlohmann-json3)-dev /{print $1}')
  names=$(apt-get install -s $libraries doctest-dev libc6-dev libstdc++-12-dev | awk '/^Inst/{print $2}')
  (cd "$folder/debs" && apt-get -qq download $names)
  unset APT_CONFIG
  (cd "$folder/debs" && apt-get -qq download qemu-user-static)
  for package in "$folder"/debs/*_arm64.deb "$folder"/debs/*_all.deb; do
    dpkg-deb --fsys-tarfile "$package" | tar x -C "$root" --exclude=./usr/share/doc --exclude=./usr/share/man
  done
  dpkg-deb -x "$folder"/debs/qemu-user-static_*.deb "$folder/qemu"
  touch "$folder/complete"
fi

PKG_CONFIG_SYSROOT_DIR=$root
PKG_CONFIG_LIBDIR=$root/usr/lib/aarch64-linux-gnu/pkgconfig:$root/usr/share/pkgconfig
export PKG_CONFIG_SYSROOT_DIR PKG_CONFIG_LIBDIR
cmake --log-level=WARNING -S . -B build/arm64 -G Ninja -DCMAKE_TOOLCHAIN_FILE=cmake/arm64.cmake -DKNEAD_ARM64_ROOT="$root" \
  -DCMAKE_BUILD_TYPE=Release -DKNEAD_VIEWER=OFF -DKNEAD_BENCH=OFF -DKNEAD_TESTS=ON
# shellcheck disable=SC2086  # one word per target
cmake --build build/arm64 --parallel "$jobs" --target knead_cli $tests
emulated="$folder/qemu/usr/bin/qemu-aarch64-static -L $root"
$emulated build/arm64/knead --version
for test in $tests; do
  echo "$test"
  $emulated build/arm64/tests/"$test" --minimal
done
