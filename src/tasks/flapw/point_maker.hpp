// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cisolve/lapw/engine.hpp"
#include "cisolve/tasks/flapw/flapw_result.hpp"
#include "cisolve/tasks/run/run_control.hpp"
#include "tasks/flapw/system.hpp"

namespace cisolve {

/// What is made at a k-point.
struct MadePoint {
  FlapwPoint found = {};
  std::vector<std::string> warnings = {};  ///< that are of the k-point name it
  std::optional<lapw::HermitianPair> matrices = {};
  bool interrupted = false;  ///< and nothing else counts
};

/// Makes H and S of k-points in one place, looks at them and finds their lowest states.
class PointMaker {
public:
  /// @param system   of `config`; all must outlive this object
  /// @param engine   the place
  PointMaker(const FlapwConfig& config, const FlapwSystem& system, const RunControl& control,
             std::unique_ptr<lapw::Engine> engine);

  const lapw::Engine& engine() const { return *engine_; }

  const FlapwSystem& system() const { return system_; }

  /// @param k  from 0
  /// @throws as Engine and the solvers do
  MadePoint make(int k);

private:
  void generate(MadePoint& made, int k, const lapw::MatrixProblem& problem,
                const lapw::GenerationOptions& options);
  bool solve(MadePoint& made, int k);

  const FlapwConfig& config_;
  const FlapwSystem& system_;
  const RunControl& control_;
  std::unique_ptr<lapw::Engine> engine_;
  double rate_;  ///< of ZGEMM, flop/s
};

}  // namespace cisolve
