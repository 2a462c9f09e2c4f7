// SPDX-License-Identifier: MIT
#include "cisolve/tasks/files/result_file.hpp"

#include <H5Cpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>

#include "cisolve/core/error.hpp"
#include "cisolve/io/hdf5_file.hpp"
#include "cisolve/tasks/files/checkpoint.hpp"
#include "io/temporary_folder.hpp"
#include "tasks/column_values.hpp"
#include "tasks/result_vectors.hpp"
#include "tasks/sample_result.hpp"

namespace cisolve {
namespace test_result_file {

using test::expect_same;
using test::sample_result;
using test::TemporaryFolder;
using test::vectors_of;
using testing::AllOf;
using testing::HasSubstr;

std::string refusal(const std::filesystem::path& file) {
  try {
    read_result(file, true);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

void expect_same_system(const CiResult::System& a, const CiResult::System& b) {
  EXPECT_EQ(a.integrals_file, b.integrals_file);
  EXPECT_EQ(a.n_orbitals, b.n_orbitals);
  EXPECT_EQ(a.n_electrons, b.n_electrons);
  EXPECT_EQ(a.ms2, b.ms2);
  EXPECT_EQ(a.n_frozen_core, b.n_frozen_core);
  EXPECT_EQ(a.n_frozen_virtual, b.n_frozen_virtual);
  EXPECT_EQ(a.core_energy, b.core_energy);
  EXPECT_EQ(a.reference_energy, b.reference_energy);
  EXPECT_EQ(a.scf_energy, b.scf_energy);
  EXPECT_EQ(a.point_group, b.point_group);
  EXPECT_EQ(a.integrals_hash, b.integrals_hash);
  EXPECT_EQ(a.orbital_irreps, b.orbital_irreps);
  EXPECT_EQ(a.active_orbitals, b.active_orbitals);
  EXPECT_EQ(a.core_orbitals, b.core_orbitals);
  EXPECT_EQ(a.left_out_orbitals, b.left_out_orbitals);
  EXPECT_EQ(a.cas_orbitals, b.cas_orbitals);
  EXPECT_EQ(a.max_holes_orbitals, b.max_holes_orbitals);
  EXPECT_EQ(a.max_particles_orbitals, b.max_particles_orbitals);
}

void expect_same_space(const CiResult::Space& a, const CiResult::Space& b) {
  EXPECT_EQ(a.basis, b.basis);
  EXPECT_EQ(a.dimension, b.dimension);
  EXPECT_EQ(a.reference_dimension, b.reference_dimension);
  EXPECT_EQ(a.excitation_level, b.excitation_level);
  EXPECT_EQ(a.irrep, b.irrep);
  EXPECT_EQ(a.spin_complete, b.spin_complete);
  EXPECT_EQ(a.hash, b.hash);
  EXPECT_EQ(a.level_counts, b.level_counts);
  EXPECT_EQ(a.words, b.words);
  EXPECT_EQ(a.alpha, b.alpha);
  EXPECT_EQ(a.beta, b.beta);
  EXPECT_EQ(a.reference, b.reference);
}

void expect_same_hamiltonian(const CiResult::Hamiltonian& a, const CiResult::Hamiltonian& b) {
  EXPECT_EQ(a.storage, b.storage);
  EXPECT_EQ(a.rows, b.rows);
  EXPECT_EQ(a.nonzeros, b.nonzeros);
  EXPECT_EQ(a.bytes, b.bytes);
  EXPECT_EQ(a.ell_width, b.ell_width);
  EXPECT_EQ(a.tail_nonzeros, b.tail_nonzeros);
  EXPECT_EQ(a.csr_bytes, b.csr_bytes);
  EXPECT_EQ(a.ell_bytes, b.ell_bytes);
  EXPECT_EQ(a.reference_sparsity, b.reference_sparsity);
  EXPECT_EQ(a.expansion_sparsity, b.expansion_sparsity);
  EXPECT_EQ(a.sparsity, b.sparsity);
  EXPECT_EQ(a.build_seconds, b.build_seconds);
  EXPECT_EQ(a.device, b.device);
  EXPECT_EQ(a.ranks, b.ranks);
}

void expect_same_roots(const CiResult& a, const CiResult& b) {
  ASSERT_EQ(a.roots.size(), b.roots.size());
  for (std::size_t k = 0; k < a.roots.size(); ++k) {
    EXPECT_EQ(a.roots[k].sector, b.roots[k].sector);
    expect_same(a.root(k), b.root(k), root_columns());
    expect_same(a.root(k), b.root(k), occupation_columns());
    expect_same(a.root(k), b.root(k), property_columns());
    ASSERT_EQ(a.root(k).certificate.has_value(), b.root(k).certificate.has_value());
    if (a.root(k).certificate)
      expect_same(*a.root(k).certificate, *b.root(k).certificate, certificate_columns());
    const auto &found = a.root(k).leading, &expected = b.root(k).leading;
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) expect_same(found[i], expected[i], leading_columns());
  }
}

void expect_same_solver(const CiResult::Solver& a, const CiResult::Solver& b) {
  EXPECT_EQ(a.status, b.status);
  EXPECT_EQ(a.num_applications, b.num_applications);
  ASSERT_EQ(a.history.size(), b.history.size());
  for (std::size_t k = 0; k < a.history.size(); ++k) {
    EXPECT_EQ(a.history[k].iteration, b.history[k].iteration);
    EXPECT_EQ(a.history[k].phase, b.history[k].phase);
    EXPECT_EQ(a.history[k].subspace_size, b.history[k].subspace_size);
    EXPECT_EQ(a.history[k].num_applications, b.history[k].num_applications);
    EXPECT_EQ(a.history[k].seconds, b.history[k].seconds);
    EXPECT_EQ(a.history[k].energies, b.history[k].energies);
    EXPECT_EQ(a.history[k].residual_norms, b.history[k].residual_norms);
  }
}

void expect_same_densities(const CiResult& a, const CiResult& b) {
  ASSERT_EQ(a.density.has_value(), b.density.has_value());
  if (a.density) {
    EXPECT_EQ(a.density->n_orbitals, b.density->n_orbitals);
    EXPECT_EQ(a.density->one, b.density->one);
    EXPECT_EQ(a.density->transition, b.density->transition);
    EXPECT_EQ(a.density->spin_flip, b.density->spin_flip);
    EXPECT_EQ(a.density->kind, b.density->kind);
    EXPECT_EQ(a.density->energy_error, b.density->energy_error);
    ASSERT_EQ(a.density->two.size(), b.density->two.size());
    for (std::size_t k = 0; k < a.density->two.size(); ++k) {
      EXPECT_EQ(a.density->two[k].aa, b.density->two[k].aa);
      EXPECT_EQ(a.density->two[k].ab, b.density->two[k].ab);
      EXPECT_EQ(a.density->two[k].bb, b.density->two[k].bb);
    }
  }
  ASSERT_EQ(a.natural_orbitals.size(), b.natural_orbitals.size());
  for (std::size_t k = 0; k < a.natural_orbitals.size(); ++k) {
    EXPECT_EQ(a.natural_orbitals[k].name, b.natural_orbitals[k].name);
    EXPECT_EQ(a.natural_orbitals[k].coefficients, b.natural_orbitals[k].coefficients);
    EXPECT_EQ(a.natural_orbitals[k].occupations, b.natural_orbitals[k].occupations);
    EXPECT_EQ(a.natural_orbitals[k].irreps, b.natural_orbitals[k].irreps);
  }
}

void expect_same(const CiResult& a, const CiResult& b) {
  EXPECT_EQ(a.version, b.version);
  EXPECT_EQ(a.created, b.created);
  EXPECT_EQ(a.title, b.title);
  EXPECT_EQ(a.input_text, b.input_text);
  EXPECT_EQ(a.resolved_text, b.resolved_text);
  EXPECT_EQ(a.warnings, b.warnings);
  expect_same_system(a.system, b.system);
  expect_same_roots(a, b);
  expect_same_densities(a, b);
  ASSERT_EQ(a.sectors.size(), b.sectors.size());
  for (std::size_t k = 0; k < a.sectors.size(); ++k) {
    EXPECT_EQ(a.sectors[k].irrep, b.sectors[k].irrep);
    expect_same_space(a.sectors[k].space, b.sectors[k].space);
    expect_same_hamiltonian(a.sectors[k].hamiltonian, b.sectors[k].hamiltonian);
    expect_same_solver(a.sectors[k].solver, b.sectors[k].solver);
    EXPECT_EQ(vectors_of(a.sectors[k]), vectors_of(b.sectors[k]));
  }
  for (auto part : {&CiResult::Timing::integrals, &CiResult::Timing::space, &CiResult::Timing::hamiltonian,
                    &CiResult::Timing::transfer, &CiResult::Timing::solve, &CiResult::Timing::analysis,
                    &CiResult::Timing::total}) {
    EXPECT_EQ(a.timing.*part, b.timing.*part);
  }
}

TEST(ResultFile, EverythingComesBack) {
  const TemporaryFolder folder;
  const CiResult result = sample_result();
  write_result(folder / "out.h5", result);
  expect_same(read_result(folder / "out.h5", true), result);
  EXPECT_EQ(folder.size(), 1u);
}

TEST(ResultFile, WithoutVectorsTheRestComesBack) {
  const TemporaryFolder folder;
  CiResult result = sample_result();
  write_result(folder / "out.h5", result);
  const CiResult read = read_result(folder / "out.h5", false);
  EXPECT_EQ(read.sectors[0].vectors, nullptr);

  result.sectors[0].vectors = nullptr;
  result.sectors[0].space.alpha.clear();
  result.sectors[0].space.beta.clear();
  expect_same(read, result);
  write_result(folder / "out.h5", result);
  expect_same(read_result(folder / "out.h5", true), result);
}

/// Whatever the tables of columns hold, of roots in turn of one sector and of the other.
TEST(ResultFile, EveryColumnOfSeveralSectorsComesBack) {
  const TemporaryFolder folder;
  CiResult result = sample_result();
  result.sectors.assign(2, {});
  for (std::size_t s = 0; s < 2; ++s) {
    CiResult::Sector& sector = result.sectors[s];
    sector.irrep = static_cast<int>(s) + 1;
    sector.multiplicity = 3;
    sector.space.dimension = 5;
    const std::size_t count = s + 2;
    for (std::size_t k = 0; k < count; ++k) {
      Root& root = sector.roots.emplace_back();
      test::fill(root, root_columns(), static_cast<int>(100 * s + 7 * k), 0);
      root.irrep = static_cast<int>(s + k) + 1;  // checked
      test::fill(root, occupation_columns(), static_cast<int>(10 * s + k), 4);
      for (const Column<Root>& column : property_columns()) {
        constexpr std::size_t all = 5;  // roots of both sectors
        test::fill(root, std::span(&column, 1), static_cast<int>(10 * s + k),
                   column.per_pair ? (column.shape == "nroots" ? all : 3 * all)
                                   : (column.name == "quadrupole" ? 6 : 3));
      }
      test::fill(root.certificate.emplace(), certificate_columns(), static_cast<int>(10 * s + k), 0);
      root.energy = static_cast<double>(k) + 0.5 * static_cast<double>(s);
      root.leading.resize(s + k);
      for (LeadingConfiguration& found : root.leading)
        test::fill(found, leading_columns(), static_cast<int>(k), 0);
    }
    Array<double> vectors(5 * count);
    for (std::size_t i = 0; i < vectors.size(); ++i) vectors[i] = static_cast<double>(i + s);
    sector.vectors = std::make_shared<HeldVectors>(std::move(vectors), 5, static_cast<int>(count));
  }
  result.order_roots();
  write_result(folder / "out.h5", result);
  expect_same(read_result(folder / "out.h5", true), result);
}

std::vector<double> numbers(std::size_t count, double first) {
  std::vector<double> values(count);
  for (std::size_t k = 0; k < count; ++k) values[k] = first + 0.125 * static_cast<double>(k % 1000);
  return values;
}

/// Two-particle matrices unpacked, and packed again.
TEST(ResultFile, DensityMatricesAndNaturalOrbitalsComeBack) {
  const TemporaryFolder folder;
  CiResult result = sample_result();
  const std::size_t n = 8, roots = 3;
  result.density = CiResult::Density{};
  CiResult::Density& density = *result.density;
  density.n_orbitals = static_cast<int>(n);
  density.one = numbers(2 * roots * n * n, 0.5);
  density.transition = numbers(2 * roots * roots * n * n, 1.5);
  density.spin_flip = numbers(roots * roots * n * n, 2.5);
  density.kind = {1, 2, 0, 3, 1, 4, 0, 4, 1};
  result.natural_orbitals.push_back(
      {"2", numbers(n * 11, 0.25), numbers(n, 0.0), std::vector<std::int32_t>(n, 3)});
  result.natural_orbitals.push_back(
      {"average", numbers(n * 11, 0.75), numbers(n, 1.0), std::vector<std::int32_t>(n, 1)});
  write_result(folder / "one.h5", result);
  expect_same(read_result(folder / "one.h5", true), result);

  density.energy_error = {1e-12, 2e-12, 3e-12};
  for (std::size_t k = 0; k < roots; ++k) {
    TwoParticleDensity& two = density.two.emplace_back(static_cast<int>(n));
    two.aa = numbers(two.aa.size(), 10.0 + static_cast<double>(k));
    two.ab = numbers(two.ab.size(), 20.0 + static_cast<double>(k));
    two.bb = numbers(two.bb.size(), 30.0 + static_cast<double>(k));
  }
  write_result(folder / "two.h5", result);
  expect_same(read_result(folder / "two.h5", true), result);
  EXPECT_FALSE(read_result(folder / "two.h5", false).density);
}

/// Columns that are nowhere in memory as an array of all.
class CountedVectors : public VectorSource {
public:
  std::int64_t rows() const override { return 70; }
  int columns() const override { return 3; }
  void read(int column, std::int64_t first_row, std::span<double> out) const override {
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = 1000.0 * column + static_cast<double>(first_row) + static_cast<double>(i);
    }
  }
};

TEST(ResultFile, VectorsAreAskedForByColumn) {
  const TemporaryFolder folder;
  CiResult result = sample_result();
  result.sectors[0].vectors = std::make_shared<CountedVectors>();
  write_result(folder / "out.h5", result);
  const std::vector<double> read = vectors_of(read_result(folder / "out.h5", true).sectors[0]);
  EXPECT_EQ(read, vectors_of(result.sectors[0]));
  EXPECT_EQ(read[70 + 69], 1069.0);
}

TEST(ResultFile, AnEmptyResultComesBack) {
  const TemporaryFolder folder;
  write_result(folder / "out.h5", CiResult());
  expect_same(read_result(folder / "out.h5", true), CiResult());
}

TEST(ResultFile, HasTheDocumentedTree) {
  const TemporaryFolder folder;
  write_result(folder / "out.h5", sample_result());
  const Hdf5File file = Hdf5File::open(folder / "out.h5");
  const Hdf5Group root = file.root();
  EXPECT_EQ(root.read_attribute<std::string>("format"), "cisolve-result");
  EXPECT_EQ(root.read_attribute<std::int32_t>("format_version"), 1);
  EXPECT_EQ(root.open_group("states").read<double>("vector").shape, (Hdf5Shape{3, 70}));
  EXPECT_EQ(root.open_group("space").read<std::uint64_t>("alpha").shape, (Hdf5Shape{70, 1}));
  const auto history = root.open_group("solver").open_group("history").read<double>("energies");
  EXPECT_EQ(history.shape, (Hdf5Shape{2, 3}));
  EXPECT_TRUE(std::isnan(history.values[2]));
  EXPECT_EQ(history.values[5], -75.7);
}

/// Counts datasets, and those without a unit or a description.
void count_datasets(const H5::Group& group, int& all, int& unlabelled) {
  for (hsize_t k = 0; k < group.getNumObjs(); ++k) {
    const std::string name = group.getObjnameByIdx(k);
    if (group.childObjType(name) == H5O_TYPE_GROUP) {
      count_datasets(group.openGroup(name), all, unlabelled);
      continue;
    }
    const H5::DataSet dataset = group.openDataSet(name);
    ++all;
    if (!dataset.attrExists("unit") && !dataset.attrExists("description")) ++unlabelled;
  }
}

TEST(ResultFile, EveryDatasetSaysWhatItIs) {
  const TemporaryFolder folder;
  write_result(folder / "out.h5", sample_result());
  H5::H5File file((folder / "out.h5").string(), H5F_ACC_RDONLY);
  int all = 0, unlabelled = 0;
  count_datasets(file.openGroup("/"), all, unlabelled);
  EXPECT_GE(all, 20);
  EXPECT_EQ(unlabelled, 0);
}

TEST(ResultFile, RefusesOtherFiles) {
  const TemporaryFolder folder;
  CheckpointHeader header;
  header.version = "1";
  header.created = "now";
  write_checkpoint(folder / "chk.h5", header, std::span<const double>());
  EXPECT_THAT(refusal(folder / "chk.h5"), AllOf(HasSubstr("chk.h5"), HasSubstr("cisolve-checkpoint")));
  Hdf5File::create(folder / "plain.h5").close();
  EXPECT_THAT(refusal(folder / "plain.h5"), HasSubstr("unknown"));
  EXPECT_THAT(refusal(folder / "absent.h5"), HasSubstr("No such file"));
  Hdf5File file = Hdf5File::create(folder / "later.h5");
  file.root().write_attribute("format", "cisolve-result");
  file.root().write_attribute("format_version", 2);
  file.close();
  EXPECT_THAT(refusal(folder / "later.h5"), AllOf(HasSubstr("version 2"), HasSubstr("reads version 1")));
}

TEST(ResultFile, RefusesATruncatedFile) {
  const TemporaryFolder folder;
  write_result(folder / "out.h5", sample_result());
  const auto size = std::filesystem::file_size(folder / "out.h5");
  for (const std::uintmax_t length : {size - 1, size / 2, size / 5, size / 50, size / 2000}) {
    std::filesystem::resize_file(folder / "out.h5", length);
    EXPECT_THAT(refusal(folder / "out.h5"), HasSubstr("out.h5")) << length << " of " << size << " bytes";
  }
}

TEST(ResultFile, AFailedWriteLeavesTheOldFile) {
  const TemporaryFolder folder;
  const CiResult good = sample_result();
  write_result(folder / "out.h5", good);
  CiResult bad = sample_result();
  bad.sectors[0].roots.pop_back();  // has a vector
  bad.order_roots();
  EXPECT_THROW(write_result(folder / "out.h5", bad), DimensionError);
  expect_same(read_result(folder / "out.h5", true), good);
  EXPECT_EQ(folder.size(), 1u);
}

TEST(ResultFile, PythonReadsIt) {
  const char* python = std::getenv("CISOLVE_TEST_PYTHON");
  const std::string command = python != nullptr ? python : "python3";
  if (std::system((command + " -c 'import h5py' 2>/dev/null").c_str()) != 0) {
    GTEST_SKIP() << "no Python with h5py; CISOLVE_TEST_PYTHON names one";
  }
  const TemporaryFolder folder;
  write_result(folder / "out.h5", sample_result());
  std::ofstream(folder / "check.py") << R"(import sys, h5py
with h5py.File(sys.argv[1]) as f:
    assert f.attrs["format"] == "cisolve-result" and f.attrs["format_version"] == 1
    assert f.attrs["title"].startswith("Wasser") and "für" in f.attrs["title"]
    assert f["input/text"].asstr()[()].startswith("[integrals]")
    assert f["states/energy"].dtype == "f8" and abs(f["states/energy"][0] + 76.123456789012) < 1e-14
    assert f["states/energy"].attrs["unit"] == "hartree"
    assert f["space/alpha"].dtype == "u8" and f["space/alpha"].shape == (70, 1)
    assert int(f["space/alpha"][69, 0]) == 0b110 and int(f["space/beta"][69, 0]) == 0b101000
    assert f["states/leading/occupation"].asstr()[0, 1] == "20200000"
    assert f["states/converged"].dtype == "u1" and f["system/orbital_irreps"].dtype == "i4"
    assert int(f["system"].attrs["integrals_hash"]) == 0xfedcba9876543210
)";
  const std::string run = command + " " + (folder / "check.py").string() + " " + (folder / "out.h5").string();
  EXPECT_EQ(std::system(run.c_str()), 0);
}

}  // namespace test_result_file
}  // namespace cisolve
