// SPDX-License-Identifier: MIT
#include "cisolve/tasks/files/checkpoint.hpp"

#include <H5Cpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>

#include <cmath>
#include <fstream>
#include <iterator>

#include "cisolve/core/error.hpp"
#include "cisolve/io/hdf5_file.hpp"
#include "io/temporary_folder.hpp"
#include "tasks/column_values.hpp"
#include "tasks/result_vectors.hpp"

namespace cisolve {
namespace test_checkpoint {

using test::TemporaryFolder;
using testing::AllOf;
using testing::HasSubstr;

CheckpointHeader sample_header(std::int64_t dimension, int num_vectors) {
  return {.version = "1.2.3",
          .created = "2024-05-17T09:30:00Z",
          .resolved_input = "[solver]\ntolerance = 1e-6\n",
          .integrals_hash = 0xfedcba9876543210U,
          .threshold = 1e-12,
          .basis = "csf",
          .sectors = "irrep A1; irrep B1, multiplicity 3",
          .sector = 1,
          .space_hash = 0x0123456789abcdefU,
          .dimension = dimension,
          .num_vectors = num_vectors,
          .history = {{1, SearchPhase::roots, 3, 3, 0.25, {-76.0}, {0.1}},
                      {2, SearchPhase::next_root, 6, 6, 0.5, {-76.1, -75.8}, {1e-3, 2e-3}}},
          .orbitals = nullptr,
          .selection = nullptr};
}

std::vector<double> sample_vectors(const CheckpointHeader& header, double shift = 0.0) {
  std::vector<double> values(header.dimension * header.num_vectors);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sin(static_cast<double>(i) + shift);
  return values;
}

std::string read_bytes(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_bytes(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}

std::string refusal(const std::filesystem::path& file) {
  try {
    read_checkpoint(file);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

// Nothing, less than a piece, and more than one piece with a remainder.
class CheckpointShapes : public testing::TestWithParam<std::pair<std::int64_t, int>> {};

TEST_P(CheckpointShapes, RoundTrip) {
  const TemporaryFolder folder;
  const CheckpointHeader header = sample_header(GetParam().first, GetParam().second);
  const std::vector<double> vectors = sample_vectors(header);
  write_checkpoint(folder / "x.chk.h5", header, vectors);
  const Checkpoint read = read_checkpoint(folder / "x.chk.h5");
  EXPECT_EQ(read.header.version, header.version);
  EXPECT_EQ(read.header.created, header.created);
  EXPECT_EQ(read.header.resolved_input, header.resolved_input);
  EXPECT_EQ(read.header.integrals_hash, header.integrals_hash);
  EXPECT_EQ(read.header.space_hash, header.space_hash);
  EXPECT_EQ(read.header.dimension, header.dimension);
  EXPECT_EQ(read.header.num_vectors, header.num_vectors);
  ASSERT_EQ(read.header.history.size(), 2u);
  EXPECT_EQ(read.header.history[1].iteration, 2);
  EXPECT_EQ(read.header.history[1].phase, SearchPhase::next_root);
  EXPECT_EQ(read.header.history[1].num_applications, 6);
  EXPECT_EQ(read.header.history[0].energies, header.history[0].energies);
  EXPECT_EQ(read.header.history[1].residual_norms, header.history[1].residual_norms);
  EXPECT_TRUE(std::ranges::equal(all_columns(*read.vectors), vectors));
}

INSTANTIATE_TEST_SUITE_P(Sizes, CheckpointShapes,
                         testing::Values(std::pair{0L, 0}, std::pair{1L, 1}, std::pair{1000L, 3},
                                         std::pair{600001L, 2}));

TEST(Checkpoint, StreamedColumnsAreAskedForInOrder) {
  const TemporaryFolder folder;
  const CheckpointHeader header = sample_header(600001, 2);
  const std::vector<double> vectors = sample_vectors(header);
  std::size_t next = 0;
  write_checkpoint(folder / "x.chk.h5", header, [&](int column, std::int64_t first, std::span<double> rows) {
    const std::size_t at = column * header.dimension + first;
    EXPECT_EQ(at, next);
    next = at + rows.size();
    std::copy_n(vectors.begin() + static_cast<std::ptrdiff_t>(at), rows.size(), rows.begin());
  });
  EXPECT_EQ(next, vectors.size());
  EXPECT_TRUE(std::ranges::equal(all_columns(*read_checkpoint(folder / "x.chk.h5").vectors), vectors));
}

TEST(Checkpoint, AFailingSourceLeavesTheOldCheckpoint) {
  const TemporaryFolder folder;
  const CheckpointHeader header = sample_header(100, 2);
  write_checkpoint(folder / "x.chk.h5", header, sample_vectors(header));
  const auto broken = [](int, std::int64_t, std::span<double>) { throw SystemError("device lost"); };
  EXPECT_THROW(write_checkpoint(folder / "x.chk.h5", header, broken), SystemError);
  EXPECT_THROW(write_checkpoint(folder / "x.chk.h5", header, std::vector<double>(199)), DimensionError);
  EXPECT_TRUE(
      std::ranges::equal(all_columns(*read_checkpoint(folder / "x.chk.h5").vectors), sample_vectors(header)));
  EXPECT_EQ(folder.size(), 1u);
}

TEST(Checkpoint, RefusesATruncatedFile) {
  const TemporaryFolder folder;
  const CheckpointHeader header = sample_header(500, 2);
  write_checkpoint(folder / "x.chk.h5", header, sample_vectors(header));
  const std::string bytes = read_bytes(folder / "x.chk.h5");
  for (std::size_t length = 0; length < bytes.size(); length += 97) {
    write_bytes(folder / "cut.h5", bytes.substr(0, length));
    EXPECT_THAT(refusal(folder / "cut.h5"), HasSubstr("cut.h5")) << length << " of " << bytes.size();
  }
}

/// Flips a bit here and there in a copy of `good`. True if each copy was refused.
bool notices_flipped_bits(const std::string& good, const std::filesystem::path& copy) {
  int accepted = 0;
  for (std::size_t at = 0; at < good.size(); at += 61) {
    std::string bytes = good;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
    write_bytes(copy, bytes);
    if (refusal(copy) == "accepted") ++accepted;
  }
  return accepted == 0;
}

TEST(Checkpoint, NoticesFlippedBits) {
  const TemporaryFolder folder;
  const CheckpointHeader header = sample_header(500, 2);
  write_checkpoint(folder / "x.chk.h5", header, sample_vectors(header));
  const std::string good = read_bytes(folder / "x.chk.h5");
  // In a child, since the library leaks memory when it meets damaged structures.
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) ::_exit(notices_flipped_bits(good, folder / "flipped.h5") ? 0 : 1);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(Checkpoint, NamesADamagedVector) {
  const TemporaryFolder folder;
  const CheckpointHeader header = sample_header(5000, 2);
  const std::vector<double> vectors = sample_vectors(header);
  write_checkpoint(folder / "x.chk.h5", header, vectors);
  std::string bytes = read_bytes(folder / "x.chk.h5");
  const std::string_view needle(reinterpret_cast<const char*>(&vectors[7777]), sizeof(double));
  const std::size_t at = bytes.find(needle);
  ASSERT_NE(at, std::string::npos);
  bytes[at] = static_cast<char>(bytes[at] ^ 1);
  write_bytes(folder / "x.chk.h5", bytes);
  EXPECT_THAT(refusal(folder / "x.chk.h5"), AllOf(HasSubstr("'/vectors' of '"), HasSubstr("x.chk.h5"),
                                                  HasSubstr("are not those that cisolve wrote")));
}

/// As other programs write them, however good they look.
TEST(Checkpoint, RefusesOneThatLostItsSeal) {
  const TemporaryFolder folder;
  const CheckpointHeader header = sample_header(500, 2);
  write_checkpoint(folder / "x.chk.h5", header, sample_vectors(header));
  {
    const H5::H5File hdf5((folder / "x.chk.h5").string(), H5F_ACC_RDWR);  // ends where the content does
    hdf5.openGroup("/").removeAttr("seal");
  }
  EXPECT_THAT(refusal(folder / "x.chk.h5"), HasSubstr("it has no seal"));
}

TEST(Checkpoint, RefusesVectorsWithoutTheirIterations) {
  const TemporaryFolder folder;
  CheckpointHeader header = sample_header(500, 2);
  header.history.clear();
  write_checkpoint(folder / "x.chk.h5", header, sample_vectors(header));
  EXPECT_THAT(refusal(folder / "x.chk.h5"), HasSubstr("not the iterations"));
}

TEST(Checkpoint, RefusesOtherFormatsAndVersions) {
  const TemporaryFolder folder;
  for (const auto& [format, version] : {std::pair{"cisolve-result", 1}, std::pair{"cisolve-checkpoint", 7}}) {
    Hdf5File file = Hdf5File::create(folder / "x.h5");
    file.root().write_attribute("format", format);
    file.root().write_attribute("format_version", version);
    file.close();
    EXPECT_THAT(refusal(folder / "x.h5"), HasSubstr(version == 7 ? "version 7" : "cisolve-result"));
  }
  EXPECT_THAT(refusal(folder / "absent.h5"), AllOf(HasSubstr("absent.h5"), HasSubstr("No such file")));
}

TEST(Checkpoint, ValidateSaysWhatDiffers) {
  const CheckpointHeader header = sample_header(500, 2);
  const auto message = [&](std::uint64_t integrals, std::uint64_t space, std::int64_t dimension,
                           double threshold = 1e-12,
                           const std::vector<std::string>& sectors = {"irrep A1", "irrep B1, multiplicity 3"},
                           const std::string& basis = "csf") {
    try {
      CheckpointHeader expected;
      expected.integrals_hash = integrals;
      expected.threshold = threshold;
      expected.basis = basis;
      validate_job(header, expected, "x.chk.h5");
      match_sectors(header, sectors, "x.chk.h5");
      validate_space(header.space_hash, header.dimension, space, dimension, "x.chk.h5");
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  const auto integrals = header.integrals_hash, space = header.space_hash;
  EXPECT_EQ(message(integrals, space, 500), "accepted");
  EXPECT_THAT(message(1, space, 500), AllOf(HasSubstr("x.chk.h5"), HasSubstr("other integrals"),
                                            HasSubstr("fedcba9876543210"), HasSubstr("0000000000000001")));
  EXPECT_THAT(message(integrals, 2, 500), AllOf(HasSubstr("another space"), HasSubstr("0123456789abcdef"),
                                                HasSubstr("0000000000000002")));
  EXPECT_THAT(message(integrals, space, 501),
              AllOf(HasSubstr("another space"), HasSubstr("500"), HasSubstr("501")));
  EXPECT_THAT(
      message(integrals, space, 500, 0.0),
      AllOf(HasSubstr("another matrix"), HasSubstr("hamiltonian.threshold is 1e-12"), HasSubstr("is 0")));
  EXPECT_THAT(
      message(integrals, space, 500, 1e-12, {"irrep B2"}),
      AllOf(HasSubstr("other states"), HasSubstr("irrep B1, multiplicity 3"), HasSubstr("are irrep B2")));
  EXPECT_THAT(message(integrals, space, 500, 1e-12, {"irrep A1"}), HasSubstr("other states"));
  EXPECT_THAT(message(integrals, space, 500, 1e-12, {"irrep A1", "irrep B1, multiplicity 3"}, "determinant"),
              AllOf(HasSubstr("another basis"), HasSubstr("\"csf\""), HasSubstr("\"determinant\"")));
}

TEST(Checkpoint, SectorsAreMatchedByName) {
  const CheckpointHeader header = sample_header(500, 2);
  const std::vector<std::string> other_order = {"irrep B1, multiplicity 3", "irrep A1"};
  EXPECT_EQ(match_sectors(header, other_order, "x.chk.h5"), (std::vector<std::size_t>{1, 0}));
}

/// A finished sector of two roots in three rows.
CiResult::Sector finished_sector(int shift) {
  CiResult::Sector sector;
  sector.irrep = 1;
  sector.multiplicity = 3;
  sector.ms2 = 2;
  sector.space.dimension = 3;
  sector.space.hash = 77;
  sector.space.level_counts = {1, 2};
  sector.solver.status = "converged";
  sector.solver.history = {{1, SearchPhase::roots, 3, 3, 0.25, {-76.0}, {0.1}}};
  sector.roots.resize(2);
  for (std::size_t k = 0; k < 2; ++k) {
    test::fill(sector.roots[k], root_columns(), static_cast<int>(k) * 10 + shift, 0);
    sector.roots[k].irrep = static_cast<int>(k) + 1;  // checked
  }
  sector.roots[0].leading = {{"uu0", 1.0, 1.0}};
  Array<double> vectors(6);
  for (std::size_t i = 0; i < 6; ++i) vectors[i] = static_cast<double>(i) + shift;
  sector.vectors = std::make_shared<HeldVectors>(std::move(vectors), 3, 2);
  return sector;
}

TEST(Checkpoint, HoldsTheFinishedSectors) {
  const TemporaryFolder folder;
  CheckpointHeader header = sample_header(0, 0);
  header.sector = 3;
  header.history.clear();
  std::vector<CiResult::Sector> finished;
  for (const int shift : {0, 4}) finished.push_back(finished_sector(shift));
  write_checkpoint(folder / "x.chk.h5", header, std::span<const double>(), finished);
  const Checkpoint read = read_checkpoint(folder / "x.chk.h5");
  EXPECT_EQ(read.header.sector, 3);
  EXPECT_EQ(read.header.threshold, header.threshold);
  EXPECT_EQ(read.header.sectors, header.sectors);
  EXPECT_EQ(read.header.basis, "csf");
  ASSERT_EQ(read.finished.size(), 2U);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_EQ(read.finished[k].multiplicity, 3);
    EXPECT_EQ(read.finished[k].ms2, 2);
    EXPECT_EQ(read.finished[k].space.hash, 77U);
    ASSERT_EQ(read.finished[k].roots.size(), 2U);
    for (std::size_t i = 0; i < 2; ++i) {
      test::expect_same(read.finished[k].roots[i], finished[k].roots[i], root_columns());
    }
    EXPECT_EQ(read.finished[k].roots[0].leading[0].occupation, "uu0");
    EXPECT_EQ(read.finished[k].solver.history.size(), 1U);
    EXPECT_EQ(test::vectors_of(read.finished[k]), test::vectors_of(finished[k]));
  }
  // One that lacks a sector is no checkpoint to go on from.
  write_checkpoint(folder / "x.chk.h5", header, std::span<const double>(), std::span(finished).first(1));
  EXPECT_THAT(refusal(folder / "x.chk.h5"), HasSubstr("before number 3"));
}

TEST(Checkpoint, HoldsOptimisedOrbitalsAndTheirVectors) {
  const TemporaryFolder folder;
  CheckpointHeader header = sample_header(0, 0);
  header.history.clear();
  CheckpointOrbitals orbitals;
  orbitals.reached.n_active = 2;
  orbitals.reached.num_functions = 3;
  orbitals.reached.gradient = 0.25;
  orbitals.reached.start_integrals_hash = 0x8000000000000001U;
  orbitals.reached.coefficients = {1, 2, 3, 4, 5, 6};
  orbitals.reached.energies = {-0.5, 0.5};
  orbitals.reached.occupations = {1.5, 0.5};
  orbitals.reached.natural_occupations = {1.75, 0.25};
  orbitals.reached.irreps = {1, 1};
  orbitals.reached.weights = {0.5, 0.5};
  orbitals.reached.history_energy = {-1.0, -2.0};
  orbitals.reached.history_gradient = orbitals.reached.history_step =
      orbitals.reached.history_radius = {1, 2};
  orbitals.reached.history_ci_products = orbitals.reached.history_hessian_products = {3, 4};
  orbitals.reached.history_refused = {0, 1};
  orbitals.vectors = std::make_shared<const std::vector<SectorVectors>>(
      std::vector<SectorVectors>{{77, 3, {1, 2, 3, 4, 5, 6}}, {78, 2, {7, 8}}});
  header.orbitals = std::make_shared<const CheckpointOrbitals>(orbitals);
  write_checkpoint(folder / "x.chk.h5", header, std::span<const double>());
  const Checkpoint read = read_checkpoint(folder / "x.chk.h5");
  ASSERT_TRUE(read.header.orbitals && read.header.orbitals->vectors);
  const CiResult::Orbitals& reached = read.header.orbitals->reached;
  EXPECT_EQ(reached.coefficients, orbitals.reached.coefficients);
  EXPECT_EQ(reached.start_integrals_hash, orbitals.reached.start_integrals_hash);
  EXPECT_EQ(reached.weights, orbitals.reached.weights);
  EXPECT_EQ(reached.history_refused, orbitals.reached.history_refused);
  const std::vector<SectorVectors>& vectors = *read.header.orbitals->vectors;
  ASSERT_EQ(vectors.size(), 2U);
  EXPECT_EQ(vectors[0].space_hash, 77U);
  EXPECT_EQ(vectors[0].dimension, 3);
  EXPECT_EQ(vectors[0].values, (std::vector<double>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(vectors[1].values, (std::vector<double>{7, 8}));
}

TEST(Checkpoint, KilledWriterLeavesAValidFile) {
  const TemporaryFolder folder;
  const CheckpointHeader header = sample_header(20000, 3);
  int found = 0;
  constexpr int last = 11;
  for (int attempt = 0; attempt <= last; ++attempt) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      for (int round = 0;; ++round) {
        write_checkpoint(folder / "x.chk.h5", header, sample_vectors(header, round));
      }
    }
    ::usleep(static_cast<useconds_t>(1500 + 5700 * attempt));
    // However slow the machine, the last one is killed among writes.
    for (int wait = 0; attempt == last && wait < 60'000 && !std::filesystem::exists(folder / "x.chk.h5");
         ++wait)
      ::usleep(1000);
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    if (!std::filesystem::exists(folder / "x.chk.h5")) continue;
    ++found;
    const Checkpoint read = read_checkpoint(folder / "x.chk.h5");  // throws if damaged
    EXPECT_EQ(all_columns(*read.vectors).size(), 60000u);
  }
  EXPECT_GT(found, 0);
  // At most the checkpoint and the temporary file of the last one killed.
  EXPECT_LE(folder.size(), 2u);
  write_checkpoint(folder / "x.chk.h5", header, sample_vectors(header));
  EXPECT_EQ(folder.size(), 1u);
}

}  // namespace test_checkpoint
}  // namespace cisolve
