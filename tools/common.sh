# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034
# Sourced by the scripts of this folder: where the project is, how they speak, what they pass on.

repository="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
program="${0##*/}"

say() { printf '%s: %s\n' "$program" "$*"; }
fail() { printf '%s: %s\n' "$program" "$*" >&2; exit 1; }

# All cores, whatever number of threads is set for the tests: nproc heeds that.
jobs() { env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc 2>/dev/null || echo 2; }

# A toolkit in NVIDIA's usual place counts as found, on the PATH or not.
if [[ -z ${CUDACXX:-} ]] && ! command -v nvcc >/dev/null && [[ -x /usr/local/cuda/bin/nvcc ]]; then
  export CUDACXX=/usr/local/cuda/bin/nvcc
fi

has_gpu() { command -v nvidia-smi >/dev/null && nvidia-smi -L 2>/dev/null | grep -q '^GPU 0'; }

# The first clang++ that makes programs with these flags, or nothing: FLAG ...  CXX=clang++-15 is tried first.
find_clang() {
  local compiler probe
  probe="$(mktemp -d)"
  printf 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }\n' >"$probe/probe.cpp"
  [[ " $* " == *fuzzer* ]] || printf 'int main() { return 0; }\n' >>"$probe/probe.cpp"
  for compiler in ${CXX:-} clang++ clang++-{20..14}; do
    command -v "$compiler" >/dev/null || continue
    if "$compiler" "$@" "$probe/probe.cpp" -o "$probe/probe" 2>/dev/null; then
      echo "$compiler"
      break
    fi
  done
  rm -rf "$probe"
}
