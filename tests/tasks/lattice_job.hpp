// SPDX-License-Identifier: MIT
// Calculations on lattices for tests: inputs, runs, and inputs of the clusters of tests/data/lattice/ed.json.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "cisolve/tasks/files/result_file.hpp"
#include "cisolve/tasks/input/input.hpp"
#include "cisolve/tasks/run/task.hpp"
#include "io/json.hpp"
#include "io/temporary_folder.hpp"

namespace cisolve::test {

/// A calculation in a folder of its own, on one thread of the host.
class LatticeJob {
public:
  /// @param assignments  as --set
  explicit LatticeJob(std::string text, const std::vector<std::string>& assignments = {})
      : text_(std::move(text)) {
    for (const std::string& one : assignments) overrides_.push_back(parse_override(one));
  }

  Input input() const {
    std::vector<InputOverride> all = {parse_override("run.device=cpu"), parse_override("run.threads=1")};
    all.insert(all.end(), overrides_.begin(), overrides_.end());
    all.push_back(
        {.key = "output.file", .value = file().string(), .where = "the test", .is_literal_text = true});
    all.push_back({.key = "output.checkpoint",
                   .value = (folder_ / "job.chk.h5").string(),
                   .where = "the test",
                   .is_literal_text = true});
    return parse_input(text_, "job.inp", all);
  }

  RunOutcome run(const RunOptions& options = {}, const RunControl& control = {}) {
    report_.str("");
    const Input given = input();
    return task_of(given).run(given, options, control, report_);
  }

  std::filesystem::path file() const { return folder_ / "job.h5"; }
  const TemporaryFolder& folder() const { return folder_; }
  std::string report() const { return report_.str(); }
  CiResult result() const { return read_result(file(), true); }

private:
  TemporaryFolder folder_;
  std::string text_;
  std::vector<InputOverride> overrides_;
  std::ostringstream report_;
};

inline CiResult run_lattice(const std::string& text, const std::vector<std::string>& assignments = {}) {
  LatticeJob job(text, assignments);
  EXPECT_EQ(job.run(), RunOutcome::converged) << job.report();
  return job.result();
}

/// [lattice] of one of the clusters of ed.json, with the numbers of electrons of each spin.
inline std::string input_of(const nlohmann::json& reference) {
  const nlohmann::json &lattice = reference["lattice"], &model = reference["model"];
  const std::string kind = lattice["kind"];
  std::string text =
      fmt::format("[lattice]\nkind = \"{}\"\nmodel = \"{}\"\n", kind, model["kind"].get<std::string>());
  for (const auto& [name, value] : model.items()) {
    if (name != "kind") text += fmt::format("{} = {}\n", name, value.dump());
  }
  if (kind == "bonds") {
    text += fmt::format("sites = {}\nbonds = [\n", lattice["sites"].dump());
    for (const auto& b : reference["bonds"]) {
      text +=
          fmt::format("  {{ sites = [{}, {}], t = {}, V = {}{} }},\n", b["i"].dump(), b["j"].dump(),
                      b["t"].dump(), b["V"].dump(), model["kind"] == "t-J" ? ", J = " + b["J"].dump() : "");
    }
    text += "]\n";
  } else {
    for (const char* key : {"size", "vectors", "boundary"}) {
      if (lattice.contains(key)) text += fmt::format("{} = {}\n", key, lattice[key].dump());
    }
  }
  const int up = reference["n_up"], down = reference["n_down"];
  return text + fmt::format("electrons = {}\n[states]\nms2 = {}\n", up + down, up - down);
}

}  // namespace cisolve::test
