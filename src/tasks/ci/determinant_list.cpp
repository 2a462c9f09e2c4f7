// SPDX-License-Identifier: MIT
#include "tasks/ci/determinant_list.hpp"

#include <fmt/format.h>

#include <map>

#include "cisolve/core/error.hpp"

namespace cisolve {
namespace {

/// Determinants up to which "auto" lists them one by one: 160 MB before compression.
constexpr std::int64_t most_listed = 10'000'000;

void append(const String& string, std::vector<std::uint64_t>& out) {
  out.insert(out.end(), string.words.begin(), string.words.end());
}

void describe_blocks(const ProductSpace<string_words>& space, CiResult::StringBlocks& out) {
  for (std::int32_t a = 0; a < space.alpha().size(); ++a) append(space.alpha()[a], out.alpha);
  for (std::int32_t b = 0; b < space.beta().size(); ++b) append(space.beta()[b], out.beta);
  out.list_offsets.push_back(0);
  std::map<const std::int32_t*, std::int32_t> list_numbers;
  for (int level = 0; level < space.num_levels(); ++level) {
    for (std::int32_t a = 0; a < space.alpha().size(); ++a) {
      const auto betas = space.run_betas(level, a);
      if (betas.empty()) continue;
      const auto [at, is_new] =
          list_numbers.try_emplace(betas.data(), static_cast<std::int32_t>(list_numbers.size()));
      if (is_new) {
        out.list_members.insert(out.list_members.end(), betas.begin(), betas.end());
        out.list_offsets.push_back(std::ssize(out.list_members));
      }
      out.run_first_row.push_back(space.run_offset(level, a));
      out.run_alpha.push_back(a);
      out.run_list.push_back(at->second);
    }
  }
}

void list_from_blocks(CiResult::Space& space, const std::string& file) {
  if (space.blocks.run_alpha.empty()) return;
  const CiResult::StringBlocks& blocks = space.blocks;
  const auto words = static_cast<std::size_t>(space.words);
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
  space.alpha.reserve(static_cast<std::size_t>(space.dimension) * words);
  space.beta.reserve(static_cast<std::size_t>(space.dimension) * words);
  for (std::size_t run = 0; run < blocks.run_alpha.size(); ++run) {
    require(static_cast<std::size_t>(blocks.run_first_row[run]) * words == space.alpha.size());
    const std::int32_t list = blocks.run_list[run];
    require(list >= 0 && list + 1 < std::ssize(blocks.list_offsets));
    const std::int64_t first = blocks.list_offsets[static_cast<std::size_t>(list)];
    const std::int64_t last = blocks.list_offsets[static_cast<std::size_t>(list) + 1];
    require(first >= 0 && last <= std::ssize(blocks.list_members));
    for (std::int64_t at = first; at < last; ++at) {
      add(blocks.alpha, blocks.run_alpha[run], space.alpha);
      add(blocks.beta, blocks.list_members[static_cast<std::size_t>(at)], space.beta);
    }
  }
  require(space.alpha.size() == static_cast<std::size_t>(space.dimension) * words);
}

}  // namespace

bool writes_blocks(const Space<string_words>& space, DeterminantOutput choice) {
  if (dynamic_cast<const ProductSpace<string_words>*>(&space) == nullptr) return false;
  return choice == DeterminantOutput::blocks ||
         (choice == DeterminantOutput::automatic && space.size() > most_listed);
}

void describe_determinants(const Space<string_words>& space, DeterminantOutput choice, CiResult::Space& out) {
  if (writes_blocks(space, choice)) {
    describe_blocks(dynamic_cast<const ProductSpace<string_words>&>(space), out.blocks);
    return;
  }
  std::vector<Determinant<string_words>> determinants(static_cast<std::size_t>(space.size()));
  space.enumerate(0, determinants);
  out.alpha.reserve(determinants.size());
  out.beta.reserve(determinants.size());
  for (const auto& d : determinants) {
    append(d.alpha, out.alpha);
    append(d.beta, out.beta);
  }
}

void list_from_blocks(CiResult& result, const std::string& file) {
  for (CiResult::Sector& sector : result.sectors) list_from_blocks(sector.space, file);
}

}  // namespace cisolve
