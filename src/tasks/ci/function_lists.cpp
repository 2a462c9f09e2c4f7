// SPDX-License-Identifier: MIT
#include "tasks/ci/function_lists.hpp"

#include <fmt/format.h>

#include "cisolve/core/error.hpp"

namespace cisolve {
namespace {

/// Determinants up to which "auto" lists them one by one: 160 MB before compression.
constexpr std::int64_t most_listed = 10'000'000;

void list_from_blocks(CiResult::Space& space, const std::string& file) {
  if (space.blocks.run_alpha.empty()) return;
  const StringBlocks& blocks = space.blocks;
  const std::size_t words = space.words;
  const auto require = [&](bool condition) {
    if (!condition)
      throw InputError(fmt::format("{}: /space/blocks is damaged: its runs do not make up the space", file));
  };
  const auto add = [&](const std::vector<std::uint64_t>& strings, std::int32_t number,
                       std::vector<std::uint64_t>& out) {
    const std::size_t first = static_cast<std::size_t>(number) * words;
    require(number >= 0 && first + words <= strings.size());
    for (std::size_t w = 0; w < words; ++w) out.push_back(strings[first + w]);
  };
  require(blocks.run_alpha.size() == blocks.run_list.size() &&
          blocks.run_alpha.size() == blocks.run_first_row.size());
  // The whole is checked before it is made: a few runs of long lists are many rows.
  std::int64_t rows = 0;
  for (std::size_t run = 0; run < blocks.run_alpha.size(); ++run) {
    require(blocks.run_first_row[run] == rows);
    const std::int64_t list = blocks.run_list[run];
    require(list >= 0 && list + 1 < std::ssize(blocks.list_offsets));
    const std::int64_t first = blocks.list_offsets[list];
    const std::int64_t last = blocks.list_offsets[list + 1];
    require(first >= 0 && first <= last && last <= std::ssize(blocks.list_members));
    rows += last - first;
    require(rows <= space.dimension);
  }
  require(rows == space.dimension);
  space.alpha.reserve(static_cast<std::size_t>(rows) * words);
  space.beta.reserve(static_cast<std::size_t>(rows) * words);
  for (std::size_t run = 0; run < blocks.run_alpha.size(); ++run) {
    const std::int64_t first = blocks.list_offsets[blocks.run_list[run]];
    const std::int64_t last = blocks.list_offsets[blocks.run_list[run] + 1];
    for (std::int64_t at = first; at < last; ++at) {
      add(blocks.alpha, blocks.run_alpha[run], space.alpha);
      add(blocks.beta, blocks.list_members[at], space.beta);
    }
  }
}

}  // namespace

void list_functions(const Basis& basis, DeterminantOutput choice, CiResult::Space& out) {
  const bool as_blocks = choice == DeterminantOutput::blocks ||
                         (choice == DeterminantOutput::automatic && basis.size() > most_listed);
  static_cast<FunctionList&>(out) = basis.list(as_blocks);
}

FunctionView functions_of(const CiResult::Space& space) {
  return {space.basis == "csf" ? FunctionKind::csf : FunctionKind::determinant, space.dimension, space.alpha,
          space.beta, space.steps};
}

void list_from_blocks(CiResult& result, const std::string& file) {
  for (CiResult::Sector& sector : result.sectors) list_from_blocks(sector.space, file);
}

}  // namespace cisolve
