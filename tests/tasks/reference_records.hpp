// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "cisolve/tasks/ci/ci.hpp"
#include "cisolve/tasks/ci/ci_result.hpp"
#include "cisolve/tasks/files/result_file.hpp"
#include "io/json.hpp"

namespace cisolve {

/// A record of tests/data/energies.json.
struct ReferenceRecord {
  nlohmann::json json;

  std::int64_t dimension() const { return json["n_det"]; }
  int num_roots() const { return static_cast<int>(json["roots"].size()); }
  bool is_empty() const { return json["roots"].empty(); }

  /// Orbitals of their own for each spin, between which the record knows no overlap: there is no <S^2> in it.
  bool is_unrestricted() const { return json["name"] == "beh_631g_uhf"; }

  bool is_multireference() const { return json["space"]["type"] == "mrci"; }

  std::string name() const {
    const auto& space = json["space"];
    std::string text = json["name"].get<std::string>();
    text += space["type"] == "fci" ? "_full" : "_level" + std::to_string(space["level"].get<int>());
    if (is_multireference()) text += "_references" + std::to_string(space["references"].size());
    text += json["irrep"].is_null() ? "_all" : "_irrep" + std::to_string(json["irrep"]["number"].get<int>());
    return text + "_ms" + std::to_string(json["ms2"].get<int>());
  }

  CiConfig config(const std::filesystem::path& folder) const {
    CiConfig c;
    c.integrals_file = std::filesystem::path(CISOLVE_TEST_DATA) / json["fcidump"].get<std::string>();
    if (!std::filesystem::exists(c.integrals_file)) c.integrals_file += ".gz";
    const auto& space = json["space"];
    c.excitation_level = space["type"] == "fci" ? full_excitation : space["level"].get<int>();
    c.reference = FirstOrbitalsReference{};
    if (is_multireference()) c.reference = references();
    c.spin_complete = false;
    c.irreps = {json["irrep"].is_null() ? "all" : std::to_string(json["irrep"]["number"].get<int>())};
    c.ms2 = json["ms2"].get<int>();
    c.count = num_roots();
    c.output_file = folder / (name() + ".h5");
    c.checkpoint_file = folder / (name() + ".chk.h5");
    c.device = DeviceChoice::cpu;
    return c;
  }

private:
  /// Occupation strings of the listed determinants.
  ListedReferences references() const {
    ListedReferences listed;
    for (const auto& determinant : json["space"]["references"]) {
      if (determinant.is_string()) {
        listed.occupations.push_back(determinant);
        continue;
      }
      std::string text(json["norb"].get<std::size_t>(), '0');
      for (const std::size_t p : determinant["alpha"]) text[p - 1] = 'u';
      for (const std::size_t p : determinant["beta"]) text[p - 1] = text[p - 1] == 'u' ? '2' : 'd';
      listed.occupations.push_back(text);
    }
    return listed;
  }
};

/// What test names show of a record.
inline void PrintTo(const ReferenceRecord& record, std::ostream* out) { *out << record.name(); }

inline std::vector<ReferenceRecord> reference_records(std::int64_t least, std::int64_t most) {
  std::vector<ReferenceRecord> records;
  const nlohmann::json all = read_json("energies.json");
  for (const auto& record : all["cases"]) {
    const std::int64_t size = record["n_det"];
    if (size >= least && size <= most) records.emplace_back().json = record;
  }
  return records;
}

/// Runs a calculation and reads its result file back; every root must have its certificate.
inline CiResult run_and_read(const CiConfig& config) {
  std::ostringstream report;
  run_ci(config, {}, {}, report);
  CiResult result = read_result(config.output_file, true);
  for (const std::string& failure : result.failed_certificates()) ADD_FAILURE() << failure;
  for (std::size_t k = 0; k < result.roots.size(); ++k) EXPECT_TRUE(result.root(k).certificate.has_value());
  return result;
}

}  // namespace cisolve
