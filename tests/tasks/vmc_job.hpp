// SPDX-License-Identifier: MIT
// Variational Monte Carlo for tests: inputs of the trial states of tests/data/lattice, and short runs of them.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "cisolve/io/hdf5_file.hpp"
#include "cisolve/tasks/vmc/vmc.hpp"
#include "tasks/lattice_job.hpp"

namespace cisolve::test {

/// Those of vmc.json, and those of jastrow.json.
inline nlohmann::json vmc_cases() {
  nlohmann::json cases = read_json("lattice/vmc.json")["cases"];
  const nlohmann::json with_jastrow = read_json("lattice/jastrow.json")["cases"];
  cases.insert(cases.end(), with_jastrow.begin(), with_jastrow.end());
  return cases;
}

inline nlohmann::json vmc_case(const std::string& name) {
  for (const auto& one : vmc_cases()) {
    if (one["name"] == name) return one;
  }
  throw std::runtime_error("no case " + name);
}

/// The input of a trial state.
inline std::string vmc_input_of(const nlohmann::json& reference) {
  const auto& wave = reference["wavefunction"];
  std::string text =
      input_of(reference) + fmt::format("[vmc]\nwavefunction = \"{}\"\n", wave["kind"].get<std::string>());
  for (const char* key : {"delta", "mu", "t2", "t3", "pairing", "jastrow", "spin_jastrow"}) {
    if (wave.contains(key)) text += fmt::format("{} = {}\n", key, wave[key].dump());
  }
  if (wave.contains("gutzwiller") && reference["model"]["kind"] == "Hubbard")
    text += fmt::format("gutzwiller = {}\n", wave["gutzwiller"].dump());
  if (wave.contains("singular")) text += fmt::format("pair_cutoff = {}\n", wave["singular"].dump());
  return text;
}

/// Settings of a run of some hundredths of a second.
inline std::vector<std::string> short_run(std::vector<std::string> more = {}) {
  std::vector<std::string> all = {"vmc.chains=16", "vmc.sweeps=200", "vmc.equilibration=60", "vmc.block=20"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

inline VmcResult run_to_end(LatticeJob& job, const RunOptions& options = {}) {
  EXPECT_EQ(job.run(options), RunOutcome::converged) << job.report();
  return read_vmc(job.file());
}

/// The same to the last bit, but for what times and machines are.
inline void expect_same_bits(const VmcResult& a, const VmcResult& b) {
  EXPECT_EQ(a.series, b.series);
  EXPECT_EQ(a.equilibration_series, b.equilibration_series);
  EXPECT_EQ(a.chain_mean, b.chain_mean);
  EXPECT_EQ(a.chain_drift, b.chain_drift);
  EXPECT_EQ(a.chain_accepted, b.chain_accepted);
  EXPECT_EQ(a.counts, b.counts);
  EXPECT_EQ(a.sweeps, b.sweeps);
  EXPECT_EQ(a.steps, b.steps);
  const auto expect_same = [](const Estimate& x, const Estimate& y) {
    EXPECT_EQ(x.value, y.value);
    EXPECT_EQ(x.error, y.error);
  };
  expect_same(a.energy, b.energy);
  expect_same(a.kinetic, b.kinetic);
  expect_same(a.exchange, b.exchange);
  expect_same(a.interaction, b.interaction);
  expect_same(a.repulsion, b.repulsion);
  expect_same(a.variance, b.variance);
  EXPECT_EQ(a.s_s.values, b.s_s.values);
  EXPECT_EQ(a.s_s.errors, b.s_s.errors);
  EXPECT_EQ(a.momentum_distribution.values, b.momentum_distribution.values);
  EXPECT_EQ(a.optimisation.parameters, b.optimisation.parameters);
  EXPECT_EQ(a.optimisation.energy, b.optimisation.energy);
  EXPECT_EQ(a.optimisation.forces, b.optimisation.forces);
  EXPECT_EQ(a.optimisation.overlap, b.optimisation.overlap);
  EXPECT_EQ(a.optimisation.result, b.optimisation.result);
  EXPECT_EQ(a.warnings, b.warnings);
}

/// What a calculation is refused with: one sentence. Empty: it was not refused.
template <class Refusal = InputError>
std::string refusal_of(LatticeJob& job, const RunOptions& options = {}) {
  try {
    job.run(options);
  } catch (const Refusal& error) {
    const std::string message = error.what();
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    return message;
  }
  return {};
}

/// Changes something in an HDF5 file, whose seal is right again afterwards.
template <class Change>
void change_file(const std::filesystem::path& path, const Change& change) {
  Hdf5File file = Hdf5File::modify(path);
  change(file.root());
  file.close();
}

/// Writes over the first number of a dataset.
inline void change_number(const std::filesystem::path& path, const std::string& dataset, double value) {
  change_file(path, [&](const Hdf5Group& root) {
    Hdf5Dataset<double> values = root.open_group("vmc").open_dataset<double>(dataset);
    values.write(std::span(&value, 1), Hdf5Shape(values.shape().size(), 0),
                 Hdf5Shape(values.shape().size(), 1));
  });
}

}  // namespace cisolve::test
