// SPDX-License-Identifier: MIT
#include "cisolve/tasks/files/checkpoint.hpp"
#include "cisolve/tasks/files/result_file.hpp"
#include "fuzz/memory_file.hpp"
#include "fuzz/targets.hpp"

namespace cisolve::fuzz {

void result(std::string_view data) {
  static MemoryFile file("result");
  const std::filesystem::path path = file.with(data);
  expect_read_or_refused([&] { read_result(path, data.size() % 2 == 0); });
}

void checkpoint(std::string_view data) {
  static MemoryFile file("checkpoint");
  const std::filesystem::path path = file.with(data);
  expect_read_or_refused([&] { read_checkpoint(path); });
}

}  // namespace cisolve::fuzz
