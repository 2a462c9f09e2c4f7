// SPDX-License-Identifier: MIT
// One Hamiltonian (H2O, STO-3G) in many layouts: each gives the same full-CI energies.
#include <gtest/gtest.h>

#include "cisolve/core/error.hpp"
#include "io/json.hpp"
#include "io/temporary_folder.hpp"
#include "tasks/reference_records.hpp"

namespace cisolve {
namespace test_dialects {

nlohmann::json expected() { return read_json("dialects/expected.json"); }

std::vector<std::string> files() {
  std::vector<std::string> names;
  const nlohmann::json all = expected();
  for (const auto& [name, entry] : all["files"].items()) names.push_back(name);
  return names;
}

CiConfig config_of(const std::string& name, const std::string& irrep) {
  CiConfig c;
  c.integrals_file = std::filesystem::path(CISOLVE_TEST_DATA) / "dialects" / name;
  c.excitation_level = full_excitation;
  c.irreps = {irrep};
  c.count = 3;
  c.device = DeviceChoice::cpu;
  const auto folder = test::process_folder() / ("cisolve-dialect-" + name + irrep);
  c.output_file = folder.string() + ".h5";
  c.checkpoint_file = folder.string() + ".chk.h5";
  return c;
}

class Dialects : public testing::TestWithParam<std::string> {};

TEST_P(Dialects, GiveTheEnergiesOfTheHamiltonian) {
  const nlohmann::json all = expected();
  const auto& entry = all["files"][GetParam()];
  const double shift = entry.contains("core_energy")
                           ? entry["core_energy"].get<double>() - all["nuclear_repulsion"].get<double>()
                           : 0.0;
  const auto compare = [&](const std::string& irrep, const nlohmann::json& energies) {
    const CiConfig config = config_of(GetParam(), irrep);
    const CiResult result = run_and_read(config);
    for (std::size_t k = 0; k < energies.size(); ++k) {
      EXPECT_NEAR(result.root(k).energy, energies[k].get<double>() + shift, 1e-8)
          << "irrep " << irrep << " root " << k + 1;
    }
    std::filesystem::remove(config.output_file);
  };
  compare("all", all["fci_any_irrep"]);
  if (entry["orbsym"] != "none") compare("1", all["fci_A1"]);
}

const auto stem_of = [](const auto& file) { return file.param.substr(0, file.param.find('.')); };
INSTANTIATE_TEST_SUITE_P(Files, Dialects, testing::ValuesIn(files()), stem_of);

}  // namespace test_dialects
}  // namespace cisolve
