// SPDX-License-Identifier: MIT
#include "cisolve/molecule/basis_set.hpp"
#include "fuzz/memory_file.hpp"
#include "fuzz/targets.hpp"

namespace cisolve::fuzz {

void basis(std::string_view data) {
  static MemoryFile file("basis");
  const std::string path = file.with(data).string();
  expect_read_or_refused([&] {
    const BasisSet set = read_basis_set(path, "/nowhere");
    for (const auto& [charge, shells] : set.elements) {
      const Geometry atom{{Atom{charge, "X", {0.0, 0.0, 1.0}}}};
      expect_read_or_refused([&] {
        function_parities(make_basis(atom, set, set.functions.value_or(FunctionType::spherical), "basis"));
      });
    }
  });
}

}  // namespace cisolve::fuzz
