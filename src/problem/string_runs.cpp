// SPDX-License-Identifier: MIT
#include "problem/string_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <unordered_map>
#include <utility>

#include "cisolve/core/error.hpp"
#include "cisolve/core/parallel.hpp"

namespace cisolve {
namespace {

void require(bool condition, std::string_view what) {
  if (!condition) throw InputError(fmt::format("its determinants are damaged: {}", what));
}

constexpr std::size_t at_once = std::size_t{1} << 16;

/// visit(span) for parts of some strings, by all threads.
template <class String, class Visit>
void for_pieces(std::span<String> strings, const Visit& visit) {
  parallel_for(static_cast<std::int64_t>((strings.size() + at_once - 1) / at_once), 1,
               [&](std::int64_t piece) {
                 const std::size_t first = static_cast<std::size_t>(piece) * at_once;
                 visit(strings.subspan(first, std::min(at_once, strings.size() - first)));
               });
}

/// Strings of a file, whose words may be fewer or more than those needed here.
template <int Words>
std::vector<BitString<Words>> strings_of(std::span<const std::uint64_t> words, int width) {
  constexpr const char* whole = "a string is cut";
  require(width >= 1 && words.size() % static_cast<std::size_t>(width) == 0, whole);
  std::vector<BitString<Words>> strings(words.size() / static_cast<std::size_t>(width));
  for_pieces(std::span(strings), [&](std::span<BitString<Words>> piece) {
    std::size_t i = static_cast<std::size_t>(piece.data() - strings.data());
    for (BitString<Words>& string : piece) {
      const auto of_string =
          words.subspan(i++ * static_cast<std::size_t>(width), static_cast<std::size_t>(width));
      for (std::size_t w = 0; w < of_string.size(); ++w) {
        if (w < string.words.size()) {
          string.words[w] = of_string[w];
        } else {
          require(of_string[w] == 0, "a string occupies orbitals that are not there");
        }
      }
    }
  });
  return strings;
}

/// Each once, ascending. There are few among many: most are gone before the last sort.
template <int Words>
std::vector<BitString<Words>> distinct(std::vector<BitString<Words>> strings) {
  const auto sort_once = [](std::span<BitString<Words>> piece) {
    std::ranges::sort(piece);
    return piece.first(static_cast<std::size_t>(std::unique(piece.begin(), piece.end()) - piece.begin()));
  };
  std::vector<std::span<BitString<Words>>> parts((strings.size() + at_once - 1) / at_once);
  for_pieces(std::span(strings), [&](std::span<BitString<Words>> piece) {
    parts[static_cast<std::size_t>(piece.data() - strings.data()) / at_once] = sort_once(piece);
  });
  auto end = strings.begin();
  for (const auto part : parts) {
    const auto size = std::ssize(part);
    end = part.data() == std::to_address(end) ? end + size : std::ranges::copy(part, end).out;
  }
  strings.erase(end, strings.end());
  strings.resize(sort_once(strings).size());
  return strings;
}

}  // namespace

template <int Words>
StringRuns<Words>::StringRuns(const BasisSummary& summary, const FunctionList& functions, int num_orbitals)
    : size_(summary.dimension) {
  const StringBlocks& blocks = functions.blocks;
  const bool in_blocks = !blocks.run_alpha.empty();
  alpha_ = strings_of<Words>(in_blocks ? blocks.alpha : functions.alpha, summary.words);
  beta_ = strings_of<Words>(in_blocks ? blocks.beta : functions.beta, summary.words);
  require(!alpha_.empty() && !beta_.empty(), "there is none");
  require_strings(alpha_, num_orbitals);
  require_strings(beta_, num_orbitals);
  if (in_blocks) {
    take_blocks(summary, blocks);
  } else {
    require(std::ssize(alpha_) == size_ && std::ssize(beta_) == size_, "there are not as many as rows");
    take_list();
  }
  std::unordered_map<const std::int32_t*, bool> ascending;  // of lists, which many runs share
  for (Run& run : runs_) {
    const auto [list, is_new] = ascending.try_emplace(run.betas.data());
    if (is_new)
      list->second = std::ranges::adjacent_find(run.betas, std::ranges::greater_equal{}) == run.betas.end();
    run.ascending = list->second;
  }
  index_runs();
  require_different();
}

template <int Words>
void StringRuns<Words>::require_strings(const std::vector<BitString<Words>>& strings,
                                        int num_orbitals) const {
  const BitString<Words> outside = ~BitString<Words>::lowest(num_orbitals);
  const int electrons = strings.front().count();
  for_pieces(std::span(strings), [&](std::span<const BitString<Words>> piece) {
    for (const BitString<Words>& s : piece) {
      require((s & outside).count() == 0, "a string occupies orbitals that are not there");
      require(s.count() == electrons, "they differ in their electrons");
    }
  });
}

template <int Words>
void StringRuns<Words>::take_list() {
  const std::vector<BitString<Words>> alpha_of_row = std::move(alpha_), beta_of_row = std::move(beta_);
  require(size_ < std::numeric_limits<std::int32_t>::max(), "a list has fewer than 2^31");
  std::vector<std::int64_t> first;  // row of each run
  for (std::int64_t row = 0; row < size_; ++row) {
    if (row == 0 || !(alpha_of_row[row] == alpha_of_row[row - 1])) first.push_back(row);
  }
  alpha_.clear();
  for (const std::int64_t row : first) alpha_.push_back(alpha_of_row[row]);
  alpha_ = distinct(std::move(alpha_));
  beta_ = distinct(beta_of_row);
  alpha_index_ = KeyIndex<BitString<Words>>(alpha_);
  beta_index_ = KeyIndex<BitString<Words>>(beta_);
  members_.resize(static_cast<std::size_t>(size_));
#pragma omp parallel for schedule(static)
  for (std::size_t row = 0; row < members_.size(); ++row) {
    members_[row] = static_cast<std::int32_t>(beta_index_.find(beta_, beta_of_row[row]));
  }
  first.push_back(size_);
  for (std::size_t r = 0; r + 1 < first.size(); ++r) {
    const auto alpha = static_cast<std::int32_t>(alpha_index_.find(alpha_, alpha_of_row[first[r]]));
    runs_.push_back(
        {first[r], alpha, false,
         std::span<const std::int32_t>(members_).subspan(static_cast<std::size_t>(first[r]),
                                                         static_cast<std::size_t>(first[r + 1] - first[r]))});
  }
}

template <int Words>
void StringRuns<Words>::take_blocks(const BasisSummary& summary, const StringBlocks& blocks) {
  constexpr const char* runs = "its runs do not make up the space";
  require(distinct(alpha_).size() == alpha_.size() && distinct(beta_).size() == beta_.size(),
          "a string is there twice");
  alpha_index_ = KeyIndex<BitString<Words>>(alpha_);
  beta_index_ = KeyIndex<BitString<Words>>(beta_);
  require(blocks.run_alpha.size() == blocks.run_list.size() &&
              blocks.run_alpha.size() == blocks.run_first_row.size(),
          runs);
  members_ = blocks.list_members;
  for (const std::int32_t member : members_) require(member >= 0 && member < std::ssize(beta_), runs);
  std::int64_t row = 0;
  for (std::size_t r = 0; r < blocks.run_alpha.size(); ++r) {
    const std::int32_t alpha = blocks.run_alpha[r], list = blocks.run_list[r];
    require(alpha >= 0 && alpha < std::ssize(alpha_) && blocks.run_first_row[r] == row, runs);
    require(list >= 0 && list + 1 < std::ssize(blocks.list_offsets), runs);
    const std::int64_t first = blocks.list_offsets[list], last = blocks.list_offsets[list + 1];
    require(first >= 0 && first < last && last <= std::ssize(members_), runs);
    runs_.push_back({row, alpha, false,
                     std::span<const std::int32_t>(members_).subspan(
                         static_cast<std::size_t>(first), static_cast<std::size_t>(last - first))});
    row += last - first;
  }
  require(row == summary.dimension, runs);
}

template <int Words>
void StringRuns<Words>::index_runs() {
  first_run_.assign(alpha_.size() + 1, 0);
  for (const Run& run : runs_) ++first_run_[static_cast<std::size_t>(run.alpha) + 1];
  for (std::size_t a = 0; a < alpha_.size(); ++a) first_run_[a + 1] += first_run_[a];
  runs_of_alpha_.resize(runs_.size());
  std::vector<std::size_t> next(first_run_.begin(), first_run_.end() - 1);
  for (std::size_t r = 0; r < runs_.size(); ++r) {
    runs_of_alpha_[next[runs_[r].alpha]++] = static_cast<std::int32_t>(r);
  }
}

/// No beta string twice with an alpha string.
template <int Words>
void StringRuns<Words>::require_different() const {
  const auto strings = static_cast<std::int32_t>(alpha_.size());
  bool different = true;
#pragma omp parallel reduction(&& : different)
  {
    std::vector<std::int32_t> last_alpha(beta_.size(), -1);  // with which a beta string was met
#pragma omp for schedule(static)
    for (std::int32_t a = 0; a < strings; ++a) {
      const auto runs = runs_of(a);
      if (runs.size() == 1 && runs_[runs[0]].ascending) continue;
      for (const std::int32_t r : runs) {
        for (const std::int32_t beta : runs_[r].betas)
          different = std::exchange(last_alpha[beta], a) != a && different;
      }
    }
  }
  require(different, "one is there twice");
}

template <int Words>
const typename StringRuns<Words>::Run& StringRuns<Words>::run_of(std::int64_t row) const {
  return *(std::ranges::upper_bound(runs_, row, {}, &Run::first_row) - 1);
}

template <int Words>
std::int64_t StringRuns<Words>::place_in(const Run& run, std::int32_t beta) {
  const auto& betas = run.betas;
  const auto at = run.ascending ? std::ranges::lower_bound(betas, beta) : std::ranges::find(betas, beta);
  return at != betas.end() && *at == beta ? at - betas.begin() : -1;
}

template <int Words>
std::int64_t StringRuns<Words>::find(const Determinant<Words>& determinant) const {
  const std::int64_t alpha = alpha_index_.find(alpha_, determinant.alpha);
  const std::int64_t beta = beta_index_.find(beta_, determinant.beta);
  if (alpha < 0 || beta < 0) return -1;
  for (const std::int32_t r : runs_of(static_cast<std::int32_t>(alpha))) {
    const std::int64_t place = place_in(runs_[r], static_cast<std::int32_t>(beta));
    if (place >= 0) return runs_[r].first_row + place;
  }
  return -1;
}

#define INSTANTIATE(W) template class StringRuns<W>;
CISOLVE_FOR_ALL_WORDS(INSTANTIATE)
#undef INSTANTIATE

}  // namespace cisolve
