// SPDX-License-Identifier: MIT
#include "cisolve/io/seal.hpp"
#include "cisolve/tasks/files/checkpoint.hpp"
#include "cisolve/tasks/files/result_file.hpp"
#include "fuzz/memory_file.hpp"
#include "fuzz/targets.hpp"

namespace cisolve::fuzz {

namespace {

/// Files without a seal are read in a process of their own, which takes a hundred times as long: libFuzzer, whose
/// mutations lose most seals, reads one of many. The first is always read.
bool is_left_out(const MemoryFile& file, const std::filesystem::path& path) {
  static int count = 0;
  try {
    if (read_seal(file.number(), path)) return false;
  } catch (const InputError&) {
    return false;
  }
  return count++ % CISOLVE_FUZZ_UNSEALED_EVERY != 0;
}

}  // namespace

void result(std::string_view data) {
  static MemoryFile file("result");
  const std::filesystem::path path = file.with(data);
  if (is_left_out(file, path)) return;
  expect_read_or_refused([&] { read_result(path, data.size() % 2 == 0); });
}

void checkpoint(std::string_view data) {
  static MemoryFile file("checkpoint");
  const std::filesystem::path path = file.with(data);
  if (is_left_out(file, path)) return;
  expect_read_or_refused([&] { read_checkpoint(path); });
}

}  // namespace cisolve::fuzz
