// SPDX-License-Identifier: MIT
#include "cisolve/tasks/input/input.hpp"

#include "fuzz/jobs.hpp"

namespace cisolve::fuzz {

void input(std::string_view data) {
  expect_read_or_refused([&] { read_job(parse_input(std::string(data), input_path())); });
}

void scan(std::string_view data) {
  const std::string molecule =
      "[molecule]\ngeometry = \"O 0 0 0; H 0 0.7 0.6; H 0 -0.7 0.6; Li 1 1 2\"\nbasis = \"sto-3g\"\n[scan]\n";
  expect_read_or_refused([&] { read_job(parse_input(molecule + std::string(data), input_path())); });
}

}  // namespace cisolve::fuzz
