// SPDX-License-Identifier: MIT
#include "cisolve/molecule/molden.hpp"
#include "fuzz/memory_file.hpp"
#include "fuzz/targets.hpp"

namespace cisolve::fuzz {

void molden(std::string_view data) {
  static MemoryFile file("molden");
  const auto path = file.with(data);
  expect_read_or_refused([&] { molden_text(read_molden(path)); });
}

}  // namespace cisolve::fuzz
