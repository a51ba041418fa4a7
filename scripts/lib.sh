# Shared by scripts/try and scripts/test: says what it does, installs what is missing, names the remedy when it can't.
# shellcheck shell=bash

set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$root/target}"

# What building needs: MLIR 22 with its headers and the libraries that its static archives refer to.
build_packages=(g++ libmlir-22-dev llvm-22-dev libpolly-22-dev libclang1-22 libclang-common-22-dev libzstd-dev zlib1g-dev)
# What the tests need besides: mlir-opt and mlir-runner, FileCheck, a compiler to compare with, Python for lit and isl.
test_packages=(mlir-22-tools llvm-22-tools clang-22 python3-venv)

say() { printf '\033[1m==> %s\033[0m\n' "$*"; }

# fail MESSAGE REMEDY..: ends the script.
fail() {
  printf '\nStopped: %s\n' "$1" >&2
  shift
  printf '  -> %s\n' "$@" >&2
  exit 1
}

# The words that run a command as root: none, sudo, or failure.
as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
    sudo "$@"
  else
    return 127
  fi
}

# install_packages NAME..: those that dpkg doesn't know as installed.
install_packages() {
  local package missing=()
  if ! command -v dpkg-query >/dev/null; then
    [ -e /usr/lib/llvm-22/lib/libMLIR.so ] || [ -n "${MLIR_SYS_220_PREFIX:-}" ] || fail \
      "this isn't a Debian system, so packages can't be installed from here" \
      "install LLVM and MLIR 22 with development files (on Debian: ${build_packages[*]})" \
      "if they aren't in /usr/lib/llvm-22, set MLIR_SYS_220_PREFIX and TABLEGEN_220_PREFIX to their prefix, then run this again"
    return 0
  fi
  for package in "$@"; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
  done
  if [ ${#missing[@]} = 0 ]; then
    say "system packages: all there"
    return 0
  fi
  say "system packages: installing ${missing[*]}"
  local by_hand="apt-get update && apt-get install -y --no-install-recommends ${missing[*]}"
  local log status=0
  log=$(mktemp)
  as_root env DEBIAN_FRONTEND=noninteractive apt-get update >"$log" 2>&1 || status=$?
  if [ $status = 127 ]; then
    rm -f "$log"
    fail "packages are missing, and installing them needs root" "run as root:  $by_hand" "then run this again"
  fi
  if [ $status != 0 ]; then
    tail -n 5 "$log" >&2
    rm -f "$log"
    fail "apt-get update failed" "is the network there? behind a proxy, set http_proxy and https_proxy" \
      "otherwise mend /etc/apt/sources.list, then run this again"
  fi
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}" >"$log" 2>&1 || {
    tail -n 15 "$log" >&2
    rm -f "$log"
    fail "apt-get install failed" "is the network there? behind a proxy, set http_proxy and https_proxy" "the packages come with Debian 12 and its security suite: are both in /etc/apt/sources.list?" \
      "on another release, take LLVM and MLIR 22 from https://apt.llvm.org" "by hand:  $by_hand"
  }
  rm -f "$log"
}

# The Rust compiler that Cargo.toml asks for.
check_rust() {
  local wanted found
  wanted=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
  local install="curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh -s -- -y --default-toolchain $wanted"
  if ! command -v cargo >/dev/null && [ -x "$HOME/.cargo/bin/cargo" ]; then
    PATH="$HOME/.cargo/bin:$PATH"
  fi
  command -v cargo >/dev/null || fail "there is no cargo on the path" "install Rust $wanted:  $install" "open a new shell, then run this again"
  found=$(rustc --version 2>/dev/null | awk '{ print $2 }') || true
  if [ -z "$found" ]; then
    fail "rustc doesn't run" "choose a toolchain:  rustup default $wanted" "or install one:  $install"
  fi
  if [ "$(printf '%s\n%s\n' "$wanted" "$found" | sort -V | head -n 1)" != "$wanted" ]; then
    fail "Rust $wanted or newer is needed, here is $found" "with rustup:  rustup toolchain install $wanted && rustup default $wanted" "without:  $install"
  fi
  say "Rust: $found"
}

# check_space GIGABYTES: room for the build.
check_space() {
  local free
  mkdir -p "$CARGO_TARGET_DIR"
  free=$(df -Pk "$CARGO_TARGET_DIR" | awk 'NR == 2 { print int($4 / 1048576) }')
  [ "$free" -ge "$1" ] || fail "$1 GB are needed in $CARGO_TARGET_DIR, there are $free" \
    "free some space, or set CARGO_TARGET_DIR to a folder on a larger disk"
}

# The sources of all dependencies, so that a missing network is told apart from a failing build.
fetch_crates() {
  say "Rust crates: fetching what is missing"
  cargo fetch --locked --quiet || fail "the crates can't be fetched" "is https://index.crates.io reachable? behind a proxy, set https_proxy" \
    "does Cargo.lock stand as it was committed?  git checkout Cargo.lock"
}

# The release binary.
build_tilia() {
  say "building tilia (the first time takes some minutes)"
  cargo build --release --locked --bin tilia || fail "the build failed" "the errors above say why" \
    "after an update of system packages:  cargo clean, then run this again"
  tilia="$CARGO_TARGET_DIR/release/tilia"
}
