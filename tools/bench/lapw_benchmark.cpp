// SPDX-License-Identifier: MIT
#include "lapw_benchmark.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <utility>

#include "cisolve/core/error.hpp"
#include "cisolve/lapw/eigenstates.hpp"
#include "core/stopwatch.hpp"
#ifdef CISOLVE_HAVE_CUDA
#include "cuda/lapw/engine.hpp"
#endif

namespace cisolve::bench {
namespace {

using namespace lapw;

struct Contender {
  std::string name;
  std::shared_ptr<const std::vector<SignedFactors>>
      factors;  ///< of T, which a calculation makes once for all k-points
  std::function<std::vector<LineRecord>()> generate;
  std::vector<std::vector<LineRecord>> runs = {};
  std::vector<double> seconds = {};
};

std::unique_ptr<Engine> engine_of(const LapwOptions& options) {
#ifdef CISOLVE_HAVE_CUDA
  if (options.device == "cuda") return cuda::lapw::make_engine(options.gpus);
#endif
  if (options.device != "cpu") throw InputError("this build has no device '" + options.device + "'");
  return make_host_engine();
}

Algorithm algorithm_of(const std::string& name) {
  for (const Algorithm algorithm : {Algorithm::hsdla, Algorithm::merged, Algorithm::split}) {
    if (name == name_of(algorithm)) return algorithm;
  }
  throw InputError("there is no algorithm '" + name + "'");
}

/// @throws Error  an element of the lower triangles is not that of the definition
void check_elements(const MatrixProblem& problem, const HermitianPair& pair, const std::string& name) {
  constexpr double tolerance = 1e-11;
  const std::int64_t n = pair.n;
  for (const std::int64_t i : {std::int64_t{0}, n / 3, n - 1}) {
    for (const std::int64_t j : {std::int64_t{0}, i / 2, i}) {
      const auto at = static_cast<std::size_t>(j * n + i);
      const auto [h, s] = defining_element(problem, i, j);
      if (!(std::abs(pair.h[at] - h) < tolerance && std::abs(pair.s[at] - s) < tolerance))
        throw Error(fmt::format("{}: element [{}, {}] differs from its definition by {:.1e} and {:.1e}", name,
                                i, j, std::abs(pair.h[at] - h), std::abs(pair.s[at] - s)));
    }
  }
}

/// Of the run that took the median time.
nlohmann::json report(Contender& contender, double rate) {
  std::vector<std::size_t> order(contender.seconds.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::ranges::sort(order, {}, [&](std::size_t k) { return contender.seconds[k]; });
  const std::vector<LineRecord>& lines = contender.runs[order[order.size() / 2]];
  double flops = 0.0;
  nlohmann::json json = {{"algorithm", contender.name}};
  fmt::print("\n{}\n", contender.name);
  for (const LineRecord& line : lines) {
    flops += line.flops;
    const double of_line = line.flops > 0.0 ? line.flops / line.seconds : 0.0;
    fmt::print("  {:26} {:10.4f} s {:10.1f} GFlop/s {:6.2f} of ZGEMM\n", line.name, line.seconds,
               of_line * 1e-9, of_line / rate);
    json["lines"].push_back({{"name", line.name}, {"seconds", line.seconds}, {"flops", line.flops}});
  }
  const double median = contender.seconds[order[order.size() / 2]];
  fmt::print("  {:26} {:10.4f} s {:10.1f} GFlop/s {:6.2f} of ZGEMM, from {:.4f} to {:.4f} s\n",
             "H and S in all", median, flops / median * 1e-9, flops / median / rate,
             contender.seconds[order.front()], contender.seconds[order.back()]);
  json["median_s"] = median;
  json["least_s"] = contender.seconds[order.front()];
  json["most_s"] = contender.seconds[order.back()];
  json["flops"] = flops;
  json["of_zgemm"] = flops / median / rate;
  return json;
}

nlohmann::json time_states(Engine& engine, const LapwOptions& options) {
  nlohmann::json json;
  const EigenOptions wanted{.roots = options.roots};
  const auto time = [&](const char* name, const auto& solve) {
    const Stopwatch watch;
    const Eigenstates states = solve(engine, wanted);
    const double seconds = watch.seconds();
    const double largest = std::ranges::max(states.residual_norms);
    fmt::print(
        "  {:26} {:10.4f} s, {} lowest states, {} iterations, residuals up to {:.1e}, lowest {:.10f}\n", name,
        seconds, states.count(), states.iterations, largest, states.energies.front());
    for (const LineRecord& line : states.lines) fmt::print("    {:26} {:8.4f} s\n", line.name, line.seconds);
    json.push_back({{"solver", states.solver},
                    {"seconds", seconds},
                    {"iterations", states.iterations},
                    {"residual", largest},
                    {"lowest", states.energies.front()}});
  };
  time("Davidson", solve_by_davidson);
  if (options.direct) time("direct", solve_directly);
  return json;
}

}  // namespace

nlohmann::json run_lapw(const LapwOptions& options) {
  const auto made = make_lapw_problem(options);
  const MatrixProblem& problem = made->problem();
  const auto engine = engine_of(options);
  const double rate = engine->gemm_rate(options.waves);
  fmt::print("{} atoms, {} rows of A, {} plane waves; {}, {}; ZGEMM {:.1f} GFlop/s\n", options.atoms,
             problem.rows(), options.waves, engine->device(), engine->blas(), rate * 1e-9);
  std::vector<Contender> contenders;
  for (const std::string& name : options.algorithms) {
    const GenerationOptions generation{.algorithm = algorithm_of(name),
                                       .stored = options.stored,
                                       .block_rows = options.block_rows,
                                       .three_multiplications = options.three_multiplications};
    auto factors = std::make_shared<std::vector<SignedFactors>>();
    if (generation.algorithm != Algorithm::hsdla)
      *factors = signed_factors(tins_for(problem, generation.algorithm));
    MatrixProblem with_factors = problem;
    with_factors.factors = *factors;
    contenders.push_back({name, std::move(factors), [&engine, with_factors, generation] {
                            return engine->generate(with_factors, generation, {});
                          }});
    contenders.back().generate();  // warm-up
    check_elements(problem, engine->to_host(), name);
  }
  HermitianPair by_xt;
#ifdef CISOLVE_HAVE_CUDA
  if (options.with_xt) {
    by_xt = HermitianPair(options.waves);
    contenders.push_back({"hsdla by cuBLAS-XT", nullptr, [&] { return generate_by_xt(problem, by_xt); }});
    contenders.back().generate();
    check_elements(problem, by_xt, contenders.back().name);
  }
#endif
  for (int repeat = 0; repeat < options.repeats; ++repeat) {
    for (Contender& contender : contenders) {
      const Stopwatch watch;
      contender.runs.push_back(contender.generate());
      contender.seconds.push_back(watch.seconds());
    }
  }
  nlohmann::json results = {{"atoms", options.atoms},  {"rows", problem.rows()},
                            {"waves", options.waves},  {"device", engine->device()},
                            {"blas", engine->blas()},  {"threads", omp_get_max_threads()},
                            {"zgemm_flop_per_s", rate}};
  for (Contender& contender : contenders) results["algorithms"].push_back(report(contender, rate));
  if (options.roots > 0) results["states"] = time_states(*engine, options);
  return results;
}

}  // namespace cisolve::bench
