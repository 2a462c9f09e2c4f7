// SPDX-License-Identifier: MIT
#include "cisolve/tasks/files/result_file.hpp"

#include <H5Cpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <regex>

#include "cisolve/core/error.hpp"
#include "cisolve/io/hdf5_file.hpp"
#include "cisolve/tasks/files/checkpoint.hpp"
#include "io/temporary_folder.hpp"
#include "tasks/sample_result.hpp"

namespace cisolve {
namespace {

using test::sample_result;
using test::TemporaryFolder;
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
}

bool same_or_nan(const std::vector<double>& a, const std::vector<double>& b) {
  return std::ranges::equal(a, b,
                            [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

void expect_same_states(const CiResult::States& a, const CiResult::States& b) {
  EXPECT_EQ(a.sector, b.sector);
  EXPECT_EQ(a.reference_weight, b.reference_weight);
  EXPECT_TRUE(same_or_nan(a.davidson_q, b.davidson_q));
  EXPECT_TRUE(same_or_nan(a.renormalised_q, b.renormalised_q));
  EXPECT_TRUE(same_or_nan(a.pople_q, b.pople_q));
  EXPECT_EQ(a.energy, b.energy);
  EXPECT_EQ(a.residual_norm, b.residual_norm);
  EXPECT_EQ(a.s_squared, b.s_squared);
  EXPECT_EQ(a.converged, b.converged);
  EXPECT_EQ(a.irrep, b.irrep);
  EXPECT_EQ(a.irrep_name, b.irrep_name);
  ASSERT_EQ(a.leading.size(), b.leading.size());
  for (std::size_t root = 0; root < a.leading.size(); ++root) {
    ASSERT_EQ(a.leading[root].size(), b.leading[root].size());
    for (std::size_t k = 0; k < a.leading[root].size(); ++k) {
      EXPECT_EQ(a.leading[root][k].occupation, b.leading[root][k].occupation);
      EXPECT_EQ(a.leading[root][k].coefficient, b.leading[root][k].coefficient);
      EXPECT_EQ(a.leading[root][k].weight, b.leading[root][k].weight);
    }
  }
  EXPECT_TRUE(std::ranges::equal(a.vectors, b.vectors));
}

void expect_same_solver(const CiResult::Solver& a, const CiResult::Solver& b) {
  EXPECT_EQ(a.status, b.status);
  EXPECT_EQ(a.num_applications, b.num_applications);
  ASSERT_EQ(a.history.size(), b.history.size());
  for (std::size_t k = 0; k < a.history.size(); ++k) {
    EXPECT_EQ(a.history[k].iteration, b.history[k].iteration);
    EXPECT_EQ(a.history[k].subspace_size, b.history[k].subspace_size);
    EXPECT_EQ(a.history[k].num_applications, b.history[k].num_applications);
    EXPECT_EQ(a.history[k].seconds, b.history[k].seconds);
    EXPECT_EQ(a.history[k].energies, b.history[k].energies);
    EXPECT_EQ(a.history[k].residual_norms, b.history[k].residual_norms);
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
  expect_same_space(a.space, b.space);
  expect_same_hamiltonian(a.hamiltonian, b.hamiltonian);
  expect_same_states(a.states, b.states);
  expect_same_solver(a.solver, b.solver);
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
  EXPECT_EQ(read.states.vectors.size(), 0u);

  result.states.vectors = Array<double>();
  result.space.alpha.clear();
  result.space.beta.clear();
  expect_same(read, result);
  write_result(folder / "out.h5", result);
  expect_same(read_result(folder / "out.h5", true), result);
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
  bad.states.s_squared.pop_back();
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
    assert int(f["space/beta"][69, 0]) == 0xf0 << 56
    assert f["states/leading/occupation"].asstr()[0, 1] == "20200000"
    assert f["states/converged"].dtype == "u1" and f["system/orbital_irreps"].dtype == "i4"
    assert int(f["system"].attrs["integrals_hash"]) == 0xfedcba9876543210
)";
  const std::string run = command + " " + (folder / "check.py").string() + " " + (folder / "out.h5").string();
  EXPECT_EQ(std::system(run.c_str()), 0);
}

TEST(UtcTimestamp, IsIso8601) {
  const std::regex form(R"(20\d\d-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:[0-6]\dZ)");
  EXPECT_TRUE(std::regex_match(utc_timestamp(), form)) << utc_timestamp();
}

}  // namespace
}  // namespace cisolve
