// SPDX-License-Identifier: MIT
// All of a CAS as a space, beside a list of its determinants.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "cisolve/problem/basis.hpp"
#include "cisolve/tasks/ci/ci.hpp"
#include "cisolve/tasks/ci/job/ci_job.hpp"
#include "io/temporary_folder.hpp"
#include "tasks/ci/job/degeneracy.hpp"
#include "tasks/ci/sector_problem.hpp"
#include "tasks/reference_records.hpp"

namespace cisolve {
namespace test_whole_cas {

using Det = Determinant<most_string_words>;
using Irreps = CasReference::Irreps;

constexpr std::int64_t memory = std::int64_t{8} << 30;

/// Water with five occupied orbitals of thirteen.
struct WaterCase {
  CasReference cas;
  std::optional<std::string> irrep = {};
  std::optional<int> multiplicity = {}, ms2 = {};
  std::optional<OccupationLimit> holes = {}, particles = {};

  CiConfig config() const {
    CiConfig config;
    config.integrals_file = CISOLVE_TEST_DATA "/h2o_631g.fcidump.gz";
    config.point_group = "C2v";
    config.reference = cas;
    config.excitation_level = 0;
    if (irrep) config.irreps = {*irrep};
    if (multiplicity) config.multiplicities = {*multiplicity};
    config.ms2 = ms2;
    config.max_holes = holes;
    config.max_particles = particles;
    config.count = 2;
    config.device = DeviceChoice::cpu;
    const auto folder = test::process_folder();
    config.output_file = folder / "cisolve-whole-cas.h5";
    config.checkpoint_file = folder / "cisolve-whole-cas.chk.h5";
    return config;
  }
};

std::vector<WaterCase> water_cases() {
  const CasReference six{.electrons = 6, .num_orbitals = 6, .orbitals = {}};
  const CasReference own{.electrons = 6, .num_orbitals = 6, .orbitals = {}, .irreps = Irreps::sector};
  const CasReference eight{.electrons = 8, .num_orbitals = 8, .orbitals = {}};
  const CasReference picked{.electrons = 4, .num_orbitals = 5, .orbitals = {2, 4, 6, 7, 10}};
  return {
      {.cas = six},
      {.cas = six, .irrep = "B1", .multiplicity = 1},
      {.cas = six, .irrep = "all"},
      {.cas = own, .irrep = "A2", .multiplicity = 3},
      {.cas = own, .irrep = "B2", .multiplicity = 3, .ms2 = 0},
      {.cas = own, .ms2 = -2},
      {.cas = six, .irrep = "A1", .ms2 = 4},
      {.cas = eight, .irrep = "B1", .multiplicity = 3},
      {.cas = eight, .irrep = "all", .ms2 = 0, .particles = OccupationLimit{{7, 8}, 2}},
      {.cas = eight,
       .irrep = "A1",
       .holes = OccupationLimit{{2, 3}, 1},
       .particles = OccupationLimit{{9}, 1}},
      {.cas = picked, .irrep = "A1"},
      {.cas = picked, .irrep = "B2", .multiplicity = 3},
      {.cas = six, .irrep = "A1", .holes = OccupationLimit{{3, 4, 5}, 2}},
      {.cas = six, .irrep = "B1", .particles = OccupationLimit{{6, 7, 8}, 3}},
      {.cas = own, .irrep = "all", .holes = OccupationLimit{{1, 3}, 1}, .particles = OccupationLimit{{8}, 1}},
      {.cas = {.electrons = 2, .num_orbitals = 2, .orbitals = {}}},            // small: a list
      {.cas = {.electrons = 2, .num_orbitals = 1, .orbitals = {}}},            // one determinant
      {.cas = {.electrons = 2, .num_orbitals = 4, .orbitals = {}}, .ms2 = 2},  // no beta electron
      {.cas = {.electrons = 10, .num_orbitals = 7, .orbitals = {}}, .irrep = "A1"}};
}

/// All determinants of a job's CAS and Ms as occupations, by alpha, then beta string.
ListedReferences list_of(const CiJob& job, const CasReference& cas) {
  const int ms2 = job.ms2, n = job.num_orbitals();
  std::vector<int> doubly;
  for (int p = 0; std::ssize(doubly) < (job.num_electrons - cas.electrons) / 2; ++p) {
    if (std::ranges::find(job.cas_orbitals, p) == job.cas_orbitals.end()) doubly.push_back(p);
  }
  const auto strings = [&](int electrons) {
    std::vector<WideString> found;
    for (std::uint64_t bits = 0; bits < std::uint64_t{1} << job.cas_orbitals.size(); ++bits) {
      WideString s;
      for (std::size_t k = 0; k < job.cas_orbitals.size(); ++k) {
        if ((bits >> k & 1U) != 0) s.set(job.cas_orbitals[k]);
      }
      if (s.count() != electrons) continue;
      for (const int p : doubly) s.set(p);
      found.push_back(s);
    }
    std::ranges::sort(found);
    return found;
  };
  ListedReferences list;
  for (const WideString& alpha : strings((cas.electrons + ms2) / 2)) {
    for (const WideString& beta : strings((cas.electrons - ms2) / 2)) {
      const auto& irreps = job.selection.irreps;
      const int irrep = irrep_of(alpha, irreps) ^ irrep_of(beta, irreps);
      const bool is_own = job.selection.irrep == any_irrep || irrep == job.selection.irrep;
      if (cas.irreps == Irreps::sector && !is_own) continue;
      std::string& text = list.occupations.emplace_back();
      for (int p = 0; p < n; ++p)
        text += alpha.test(p) ? (beta.test(p) ? '2' : 'u') : (beta.test(p) ? 'd' : '0');
    }
  }
  return list;
}

TEST(WholeCas, IsTheListOfItsDeterminants) {
  int products = 0;
  const auto cases = water_cases();
  for (std::size_t k = 0; k < cases.size(); ++k) {
    SCOPED_TRACE(k);
    CiConfig config = cases[k].config();
    const CiJob whole = prepare_job(config);
    EXPECT_EQ(whole.selection.references.size(), 1U) << "no list";
    config.reference = list_of(whole, cases[k].cas);
    const CiJob listed = prepare_job(config);
    EXPECT_EQ(whole.warnings, listed.warnings);
    EXPECT_EQ(whole.reference_energy, listed.reference_energy);
    EXPECT_EQ(whole.selection.references.front(), listed.selection.references.front());
    const auto basis = make_basis(definition_of(whole), memory);
    const auto expected = make_basis(definition_of(listed), memory);
    const BasisSummary found = basis->summary(), of_list = expected->summary();
    EXPECT_EQ(found.dimension, of_list.dimension);
    EXPECT_EQ(found.reference_dimension, of_list.reference_dimension);
    EXPECT_EQ(found.hash, of_list.hash);
    EXPECT_EQ(found.excitation_level, of_list.excitation_level);
    EXPECT_EQ(found.irrep, of_list.irrep);
    EXPECT_EQ(found.spin_complete, of_list.spin_complete);
    EXPECT_EQ(found.level_counts, of_list.level_counts);
    EXPECT_EQ(found.reference, of_list.reference);
    EXPECT_EQ(basis->as_product() == nullptr, expected->as_product() == nullptr);
    if (basis->as_product() != nullptr) ++products;
  }
  EXPECT_GE(products, 5) << "larger blocks are among them";
}

TEST(WholeCas, HasTheRootsOfItsList) {
  const auto cases = water_cases();
  for (const std::size_t k : std::vector<std::size_t>{1, 4, 7, 9, 12, 15}) {
    SCOPED_TRACE(k);
    CiConfig config = cases[k].config();
    const CiResult whole = run_and_read(config);
    config.reference = list_of(prepare_job(config), cases[k].cas);
    const CiResult listed = run_and_read(config);
    ASSERT_EQ(whole.roots.size(), listed.roots.size());
    // The same rows in the same order: to the last bit.
    EXPECT_EQ(whole.column(&Root::energy), listed.column(&Root::energy));
    EXPECT_EQ(whole.column(&Root::reference_weight), listed.column(&Root::reference_weight));
  }
}

TEST(WholeCas, LimitsThatNoDeterminantKeepsAreRefusedWithTheirNumber) {
  WaterCase c{.cas = {.electrons = 6, .num_orbitals = 6, .orbitals = {}}, .irrep = "all"};
  c.holes = OccupationLimit{{1, 12, 13}, 3};  // four are there whatever is chosen
  try {
    prepare_job(c.config());
    ADD_FAILURE() << "accepted";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "space.max_holes: none of the 400 reference determinants keeps this limit");
  }
}

TEST(WholeCas, OfSixteenOrbitalsIsPlannedWithoutAList) {
  const test::TemporaryFolder folder;
  CiConfig config;
  config.integrals_file = folder.path() / "sixteen.fcidump";
  {
    std::ofstream dump(config.integrals_file);
    dump << "&FCI NORB=16, NELEC=16, MS2=0, ORBSYM=1,2,3,4,5,6,7,8,1,2,3,4,5,6,7,8, ISYM=1, &END\n";
    for (int p = 1; p <= 16; ++p) {
      for (int q = 1; q <= p; ++q) {
        const std::string pair = fmt::format("{} {}", p, q);
        dump << fmt::format("{} {} {} {} {}\n", 1.0 / (1 + p - q), p, p, q, q);
        if (p != q) dump << fmt::format("0.01 {0} {0}\n", pair);
      }
    }
    for (int p = 1; p <= 16; ++p) dump << -20 + p << " " << p << " " << p << " 0 0\n";
  }
  config.point_group = "D2h";
  config.reference = CasReference{.electrons = 16, .num_orbitals = 16, .orbitals = {}};
  config.excitation_level = 0;
  config.irreps = {"Ag", "B1g"};
  config.memory = std::int64_t{64} << 30;
  config.device = DeviceChoice::cpu;
  config.output_file = folder.path() / "sixteen.h5";
  std::ostringstream report;
  check_ci(config, report);
  EXPECT_THAT(report.str(), testing::HasSubstr("dimension               20,708,900"));
  EXPECT_THAT(report.str(), testing::HasSubstr("reference dimension     20,704,000"));
}

using Config = Configuration<most_string_words>;

/// Configurations of a CAS that have determinants of its Ms, irrep and bounds, each once.
std::vector<Config> configurations_of(const SpaceSelection<most_string_words>& s) {
  std::set<Config> all;
  const auto& first = s.references.front();
  const std::uint64_t end = std::uint64_t{1} << s.num_orbitals;
  for (std::uint64_t a = 0; a < end; ++a) {
    for (std::uint64_t b = 0; b < end; ++b) {
      const Det d{{{a}}, {{b}}};
      if (d.alpha.count() != first.alpha.count() || d.beta.count() != first.beta.count()) continue;
      const bool is_in = ((d.alpha | d.beta) & ~(s.cas->active | s.cas->doubly)).count() == 0 &&
                         (s.cas->doubly & ~(d.alpha & d.beta)).count() == 0;
      const int irrep = irrep_of(d.alpha, s.irreps) ^ irrep_of(d.beta, s.irreps);
      if (is_in && (s.cas->irrep == any_irrep || irrep == s.cas->irrep) && keeps_bounds(s, d))
        all.insert(configuration_of(d));
    }
  }
  return {all.begin(), all.end()};
}

TEST(WholeCas, IsClosedUnderRotationsAsItsConfigurationsAre) {
  std::mt19937 random(3);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  constexpr int n = 7;
  int closed = 0, images = 0;
  for (int trial = 0; trial < 400; ++trial) {
    SCOPED_TRACE(trial);
    // Pairs and a set of three, of which some are whole, and an orbital of its own.
    const std::vector<std::vector<int>> shells = trial % 2 == 0
                                                     ? std::vector<std::vector<int>>{{0, 1}, {3, 4}}
                                                     : std::vector<std::vector<int>>{{2, 3, 4}};
    const bool is_cut = below(4) == 0;
    SpaceSelection<most_string_words> s{
        .num_orbitals = n, .irreps = {}, .references = {Det{}}, .cas = ActiveSpace<most_string_words>()};
    std::vector<int> roles(n), bounds(n);
    for (int p = 0; p < n; ++p) {
      s.irreps.push_back(below(4));
      roles[p] = below(4);
      bounds[p] = below(4);
    }
    for (const auto& shell : shells) {
      for (const int p : shell) {
        if (!is_cut) roles[p] = roles[shell.front()];
        if (below(3) > 0) bounds[p] = bounds[shell.front()];
        s.irreps[p] = trial % 2 == 0 ? (p == shell.front() ? 1 : 2) : p % 3 + (p % 3 == 2 ? 2 : 1);
      }
    }
    s.max_holes = {{}, below(3)};
    s.max_particles = {{}, below(4)};
    for (int p = 0; p < n; ++p) {
      if (roles[p] == 0) s.cas->doubly.set(p);
      if (roles[p] > 1) s.cas->active.set(p);
      if (bounds[p] == 0) s.max_holes->orbitals.set(p);
      if (bounds[p] == 1) s.max_particles->orbitals.set(p);
    }
    const bool has_bounds = below(2) == 0;
    if (!has_bounds) s.max_holes = s.max_particles = std::nullopt;
    const int two_s = 2 * below(2), active = s.cas->active.count();
    int alpha = below(active + 1), beta = alpha - two_s;
    if (beta < 0) continue;
    auto& first = s.references.front();
    first = {s.cas->doubly, s.cas->doubly};
    s.cas->active.for_each([&](int p) {
      if (alpha-- > 0) first.alpha.set(p);
      if (beta-- > 0) first.beta.set(p);
    });
    auto other = s;
    if (below(2) == 0) {
      s.cas->irrep = below(8);
      other.cas->irrep = below(8);
    }
    const auto listed = configurations_of(s), others = configurations_of(other);
    if (listed.empty() || others.empty()) continue;
    const bool is_closed = are_closed(shells, s, two_s);
    EXPECT_EQ(is_closed, are_closed(shells, listed, two_s));
    closed += is_closed ? 1 : 0;
    const bool image = are_images(shells, s, other);
    const bool of_list = are_images(shells, s.irreps, listed, others);
    images += image ? 1 : 0;
    // Where orbitals that trade places play different parts, a few configurations may still agree.
    if (image || (!is_cut && !has_bounds)) {
      EXPECT_EQ(image, of_list);
    }
  }
  EXPECT_GT(closed, 20);
  EXPECT_GT(images, 20);
}

}  // namespace test_whole_cas
}  // namespace cisolve
