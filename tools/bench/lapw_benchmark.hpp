// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cisolve/lapw/engine.hpp"

namespace cisolve::bench {

struct LapwOptions {
  std::int64_t atoms = 64, waves = 1159;
  int lmax = 6, types = 2;
  bool crystal =
      false;  ///< atoms on a grid with radial functions, so that `split` can be timed; else pseudo-random A, B and T
  std::vector<std::string> algorithms = {"hsdla", "merged"};
  bool three_multiplications = false;
  bool stored = false;
  std::int64_t block_rows = 0;
  std::int64_t roots = 0;  ///< lowest states that are found too, by Davidson's method and directly
  bool direct = false;     ///< likewise directly
  bool with_xt = false;    ///< beside hsdla by cuBLAS-XT from host memory, as the paper; builds with CUDA
  int repeats = 3;
  std::string device = "cpu";
  std::vector<int> gpus = {0};  ///< their ordinals, where the device is "cuda"
};

/// A problem of the sizes asked for, with all that it refers to.
class LapwProblem {
public:
  virtual ~LapwProblem() = default;
  virtual const lapw::MatrixProblem& problem() const = 0;
};
std::unique_ptr<LapwProblem> make_lapw_problem(const LapwOptions& options);

/// Times the generation of H and S by each algorithm, in turns, beside the rate of ZGEMM, after checking elements against
/// their definition; prints a table for each.
/// @throws Error  an element is wrong
nlohmann::json run_lapw(const LapwOptions& options);

/// Algorithm 1 of arXiv:1611.00606 as published: A, B and H, S in host memory, large products by cuBLAS-XT on one device,
/// loops over atoms on the host. In builds with CUDA.
/// @param out  H and S
std::vector<lapw::LineRecord> generate_by_xt(const lapw::MatrixProblem& problem, lapw::HermitianPair& out);

}  // namespace cisolve::bench
