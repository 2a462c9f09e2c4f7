// SPDX-License-Identifier: MIT
#include "cisolve/integrals/fcidump.hpp"

#include "fuzz/memory_file.hpp"
#include "fuzz/targets.hpp"

namespace cisolve::fuzz {

void fcidump(std::string_view data) {
  static MemoryFile file("fcidump");
  static const PointGroup groups[] = {PointGroup(), PointGroup::parse("C2v"), PointGroup::parse("D2h")};
  const std::filesystem::path path = file.with(data);
  FcidumpOptions options;
  options.point_group = groups[data.size() % std::size(groups)];
  options.irrep_required = data.size() % 2 == 0;
  options.max_bytes = std::int64_t{1} << 20;
  expect_read_or_refused([&] { read_fcidump(path, options); });
}

}  // namespace cisolve::fuzz
