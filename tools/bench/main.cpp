// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <omp.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <memory>

#include "build_benchmark.hpp"
#include "cisolve/core/error.hpp"
#include "cisolve/sparse/coded_sample.hpp"
#include "cisolve/sparse/csr_matrix.hpp"
#include "cisolve/tasks/input/input.hpp"
#include "core/instruction_set.hpp"
#include "density_benchmark.hpp"
#include "direct_benchmark.hpp"
#include "externals_benchmark.hpp"
#include "formats_report.hpp"
#include "job.hpp"
#include "lapw_benchmark.hpp"
#include "matrix_options.hpp"
#include "matrix_text.hpp"
#include "molecule_benchmark.hpp"
#include "quaternion_benchmark.hpp"
#include "ranks_benchmark.hpp"
#include "report.hpp"
#include "sampling_benchmark.hpp"
#include "solve_benchmark.hpp"
#include "spinor_problem.hpp"
#include "spmv_benchmark.hpp"
#include "write_benchmark.hpp"
#ifdef CISOLVE_HAVE_CUDA
#include "cuda/core/device_info.hpp"
#endif

namespace cisolve::bench {
namespace {

struct SpmvCommand {
  MatrixOptions matrix;
  std::string device = "auto";
  std::int32_t ell_width = -1;  // automatic
  int threads = 0;
  std::string json_file;
  SpmvOptions options;
};

struct DirectCommand {
  JobOptions job;
  DirectBenchmarkOptions options;
  std::string json_file;
};

CLI::App* add_direct(CLI::App& app, DirectCommand& command) {
  CLI::App* sub = app.add_subcommand("direct", "time y = H x from strings on a device, of any size");
  add_job_options(*sub, command.job, true);
  sub->add_option("--parity", command.options.parity, "spin parity")
      ->transform(CLI::CheckedTransformer(std::map<std::string, SpinParity>{
          {"none", SpinParity::none}, {"even", SpinParity::even}, {"odd", SpinParity::odd}}));
  sub->add_flag("--compare", command.options.compare, "compare one product with the host's");
  sub->add_flag("--dgemm", command.options.dgemm,
                "time also the DGEMMs alone of a product with intermediates of all pairs of orbitals");
  sub->add_option("--blocks", command.options.blocks_per_multiprocessor,
                  "blocks of threads per multiprocessor, 1 or 2; 0: chosen")
      ->check(CLI::Range(0, 2));
  sub->add_option("--tiled", command.options.least_long_columns,
                  "rows of so many columns take a tile of them at a time; -1: chosen")
      ->check(CLI::Range(-1, 1 << 30));
  sub->add_option("--same-spin", command.options.same_spin, "how large same-spin parts are done")
      ->check(CLI::IsMember({"chosen", "dense", "projected"}))
      ->capture_default_str();
  sub->add_option("--repeats", command.options.repeats, "timed products")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  sub->add_option("--json", command.json_file, "write everything to this file");
  return sub;
}

struct SamplingCommand {
  SamplingOptions options;
  std::string device = "cpu", json_file;
};

CLI::App* add_sampling(CLI::App& app, SamplingCommand& command) {
  CLI::App* sub = app.add_subcommand("sampling", "time Markov chains of variational Monte Carlo, t-J model");
  SamplingOptions& options = command.options;
  sub->add_option("--sizes", options.sizes, "L of clusters of L^2 + 1 sites")
      ->delimiter(',')
      ->capture_default_str();
  sub->add_option("--chains", options.chains, "Markov chains")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  sub->add_option("--sweeps", options.sweeps, "timed sweeps of each")
      ->check(CLI::Range(1, 10000000))
      ->capture_default_str();
  sub->add_option("--energy-interval", options.energy_interval, "sweeps between energies")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  sub->add_option("--doping", options.doping, "share of empty sites")
      ->check(CLI::Range(0.0, 0.9))
      ->capture_default_str();
  sub->add_option("--delta", options.delta, "gap")->capture_default_str();
  sub->add_option("--repeats", options.repeats, "timed runs")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  sub->add_flag("!--no-baseline", options.with_baseline, "without the walker of the inverse alone");
  sub->add_option("--device", command.device, "host alone, or also a device")
      ->check(CLI::IsMember({"cpu", "cuda"}))
      ->capture_default_str();
  sub->add_option("--gpus", options.gpus, "their numbers")->delimiter(',')->capture_default_str();
  sub->add_option("--json", command.json_file, "write everything to this file");
  return sub;
}

struct JobCommand {
  JobOptions job;
  int repeats = 3;
  std::string json_file;
};

CLI::App* add_job_command(CLI::App& app, const char* name, const char* description, JobCommand& command) {
  CLI::App* sub = app.add_subcommand(name, description);
  add_job_options(*sub, command.job, true);
  sub->add_option("--repeats", command.repeats, "timed runs")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  sub->add_option("--json", command.json_file, "write everything to this file");
  return sub;
}

CLI::App* add_spmv(CLI::App& app, SpmvCommand& command) {
  CLI::App* spmv = app.add_subcommand("spmv", "time y = A x in every format, beside cuSPARSE");
  add_matrix_options(*spmv, command.matrix);
  spmv->add_option("--device", command.device, "where to run")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}))
      ->capture_default_str();
  spmv->add_option("--formats", command.options.formats, "storage formats, direct, or all")
      ->delimiter(',')
      ->capture_default_str();
  spmv->add_option("--vectors,--columns", command.options.columns, "vectors per product, each timed")
      ->delimiter(',')
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  spmv->add_option("--ell-width", command.ell_width, "of the hybrid format; default: automatic")
      ->check(CLI::NonNegativeNumber);
  spmv->add_option("--row-order", command.options.format_options.row_order, "of the coded format")
      ->transform(CLI::CheckedTransformer(std::map<std::string, RowOrder>{
          {"auto", RowOrder::automatic}, {"local", RowOrder::local}, {"given", RowOrder::given}}));
  spmv->add_option("--repeats", command.options.repeats, "timed runs of each product")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  spmv->add_flag("--variants", command.options.all_variants, "every shape of the device kernels");
  spmv->add_option("--threads", command.threads, "host threads; 0: all")->capture_default_str();
  spmv->add_option("--json", command.json_file, "write everything to this file");
  return spmv;
}

bool use_device(const std::string& wanted) {
#ifdef CISOLVE_HAVE_CUDA
  const bool present = !cuda::visible_devices().empty();
#else
  const bool present = false;
#endif
  if (wanted == "cuda" && !present) {
    throw InputError("--device cuda: there is no CUDA device, or no CUDA in this build");
  }
  return present && wanted != "cpu";
}

std::vector<SpmvMeasurement> run_products(const SpmvMatrix& matrix, const SpmvOptions& options,
                                          bool on_device) {
#ifdef CISOLVE_HAVE_CUDA
  if (on_device) return run_device_spmv(matrix, options);
#endif
  static_cast<void>(on_device);
  return run_host_spmv(matrix, options);
}

struct FormatsCommand {
  MatrixOptions matrix;
  FormatsOptions options;
  std::int32_t ell_width = -1;  // automatic
  std::string json_file;
  std::string market_file;
};

CLI::App* add_formats(CLI::App& app, FormatsCommand& command) {
  CLI::App* sub = app.add_subcommand(
      "formats", "bytes of a matrix in every format, as allocated and by the paper's formulae");
  add_matrix_options(*sub, command.matrix);
  sub->add_option("--ell-width", command.ell_width, "of the hybrid format; default: automatic")
      ->check(CLI::NonNegativeNumber);
  sub->add_option("--slice-rows", command.options.slice_rows, "rows of a slice in the paper's Sliced ELL")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  sub->add_option("--market", command.market_file, "write the matrix to this file, MatrixMarket general");
  sub->add_flag("--allocate", command.options.allocate, "build every format and count what it holds");
  sub->add_option("--json", command.json_file, "write everything to this file");
  return sub;
}

int run_formats_command(FormatsCommand& command) {
  if (command.ell_width >= 0) command.options.ell_width = command.ell_width;
  if (command.ell_width < 0 && command.matrix.paper_matrix != 0) command.options.ell_width = paper_boundary;
  const LoadedMatrix matrix = load_matrix(command.matrix);
  nlohmann::json report = describe_run("formats");
  report["matrix"] = describe_formats(matrix.rows(), command.options);
  report["matrix"]["name"] = matrix.name;
  print_formats(report["matrix"]);
  if (!command.market_file.empty()) write_market(matrix.rows(), command.market_file);
  if (!command.json_file.empty()) write_json(report, command.json_file);
  return 0;
}

struct DensityCommand {
  JobCommand job;
  bool on_device = false;
  std::int64_t sums_mib = 256;
};

CLI::App* add_density(CLI::App& app, DensityCommand& command) {
  CLI::App* sub = add_job_command(app, "density",
                                  "time density matrices beside the product of the same space", command.job);
  sub->add_flag("--device", command.on_device,
                "time one-particle matrices alone, on a device beside the host");
  sub->add_option("--sums", command.sums_mib, "MiB that sums under way may take")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  return sub;
}

int run_density_command(const DensityCommand& command) {
  if (command.on_device) use_device("cuda");  // refuses where there is none
  const BenchJob job = load_job(command.job.job);
  nlohmann::json report = describe_run("density");
  report["job"] = job.name;
#ifdef CISOLVE_HAVE_CUDA
  if (command.on_device) report["results"] = run_device_density(job, command.job.repeats);
#endif
  if (!command.on_device)
    report["results"] = run_density(job, {.repeats = command.job.repeats, .sums_mib = command.sums_mib});
  if (!command.job.json_file.empty()) write_json(report, command.job.json_file);
  return 0;
}

struct LapwCommand {
  LapwOptions options;
  std::string json_file;
};

CLI::App* add_lapw(CLI::App& app, LapwCommand& command) {
  CLI::App* sub = app.add_subcommand("lapw", "time H and S of FLAPW and their lowest states, of any size");
  LapwOptions& options = command.options;
  sub->add_option("--atoms", options.atoms, "atoms")->check(CLI::Range(1, 100000))->capture_default_str();
  sub->add_option("--lmax", options.lmax, "largest l")
      ->check(CLI::Range(0, lapw::most_lmax))
      ->capture_default_str();
  sub->add_option("--waves", options.waves, "plane waves")
      ->check(CLI::Range(1, 60000))
      ->capture_default_str();
  sub->add_option("--types", options.types, "types of atoms")->check(CLI::Range(1, 2))->capture_default_str();
  sub->add_flag("--crystal", options.crystal,
                "atoms on a grid, for split too; else pseudo-random coefficients");
  sub->add_option("--algorithms", options.algorithms, "which: hsdla, merged, split")->delimiter(',');
  sub->add_flag("--3m", options.three_multiplications, "complex products by three real ones");
  sub->add_flag("--stored", options.stored, "A and B as a whole");
  sub->add_option("--block-rows", options.block_rows, "rows of [A; B] in a block; 0: chosen");
  sub->add_option("--roots", options.roots, "lowest states to find by Davidson's method")
      ->capture_default_str();
  sub->add_flag("--direct", options.direct, "find them by the direct solver, too");
  sub->add_flag("--xt", options.with_xt, "beside cuBLAS-XT from host memory, as published");
  sub->add_option("--repeats", options.repeats, "timed runs")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  sub->add_option("--device", options.device, "cpu or cuda")->capture_default_str();
  sub->add_option("--gpus", options.gpus, "with cuda: their ordinals, which may repeat")
      ->delimiter(',')
      ->capture_default_str();
  sub->add_option("--json", command.json_file, "write everything to this file");
  return sub;
}

int run_lapw_command(const LapwCommand& command) {
  nlohmann::json report = describe_run("lapw");
  report["results"] = run_lapw(command.options);
  if (!command.json_file.empty()) write_json(report, command.json_file);
  return 0;
}

struct ExternalsCommand {
  JobCommand job;
  ExternalsOptions options;
  std::string device = "auto";
};

CLI::App* add_externals(CLI::App& app, ExternalsCommand& command) {
  CLI::App* sub =
      add_job_command(app, "externals",
                      "time perturbation theory over a list that is grown from the job's space", command.job);
  sub->add_option("--epsilon", command.options.epsilon,
                  "hartree; the list is grown by heat bath down to this")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  sub->add_option("--device", command.device, "where to run besides the host")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}))
      ->capture_default_str();
  sub->add_flag("!--no-host", command.options.on_host, "leave out the sums of the host");
  return sub;
}

int run_externals_command(ExternalsCommand& command) {
  command.options.repeats = command.job.repeats;
  command.options.on_device = use_device(command.device);
  const BenchJob job = load_job(command.job.job);
  nlohmann::json report = describe_run("externals");
  report["job"] = job.name;
  report["results"] = run_externals(job, command.options);
  if (!command.job.json_file.empty()) write_json(report, command.job.json_file);
  return 0;
}

struct WriteCommand {
  WriteOptions options;
  std::string json_file;
};

CLI::App* add_write(CLI::App& app, WriteCommand& command) {
  CLI::App* sub = app.add_subcommand("write", "time files with seals beside the HDF5 library alone");
  sub->add_option("--folder", command.options.folder, "where to write")
      ->check(CLI::ExistingDirectory)
      ->capture_default_str();
  sub->add_option("--mebibytes", command.options.mebibytes, "size of the file")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  sub->add_option("--repeats", command.options.repeats, "timed runs")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  sub->add_option("--json", command.json_file, "write everything to this file");
  return sub;
}

int run_write_command(const WriteCommand& command) {
  nlohmann::json report = describe_run("write");
  report["results"] = run_write(command.options);
  if (!command.json_file.empty()) write_json(report, command.json_file);
  return 0;
}

struct QuaternionCommand {
  SpinorOptions problem;
  QuaternionOptions options;
  std::vector<int> random = {16, 7};  // spinors, electrons
  std::string device = "auto";
  std::string json_file;
};

CLI::App* add_quaternion(CLI::App& app, QuaternionCommand& command) {
  CLI::App* sub = app.add_subcommand(
      "quaternion", "time products of spinors' H as complex and as quaternion or real matrices");
  sub->add_option("file", command.problem.file, "integrals over spinors, FCIDUMP; none: random ones");
  sub->add_option("--random", command.random, "random integrals of Kramers pairs: spinors, electrons")
      ->expected(2)
      ->check(CLI::Range(0, 64))
      ->capture_default_str();
  sub->add_option("--seed", command.problem.seed, "of the random integrals")->capture_default_str();
  sub->add_option("--threshold", command.options.threshold, "hartree; elements of at most this are left out")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  sub->add_option("--kramers-limit", command.options.kramers_limit,
                  "hartree; integrals further from those of Kramers pairs are refused")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  sub->add_option("--roots", command.options.roots, "lowest roots that the formats must agree in; 0: none")
      ->check(CLI::Range(0, 100))
      ->capture_default_str();
  sub->add_option("--device", command.device, "where to run besides the host")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}))
      ->capture_default_str();
  sub->add_option("--vectors,--columns", command.options.columns, "vectors per product, each timed")
      ->delimiter(',')
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  sub->add_option("--repeats", command.options.repeats, "timed runs of each product")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  sub->add_option("--json", command.json_file, "write everything to this file");
  return sub;
}

int run_quaternion_command(QuaternionCommand& command) {
  command.problem.num_spinors = command.random[0];
  command.problem.num_electrons = command.random[1];
  command.options.on_device = use_device(command.device);
  const SpinorProblem problem = load_spinor_problem(command.problem);
  nlohmann::json report = describe_run("quaternion");
  report["problem"] = problem.name;
  report["results"] = run_quaternion(problem, command.options);
  if (!command.json_file.empty()) write_json(report, command.json_file);
  return 0;
}

int run_build_command(const JobCommand& command) {
  const BenchJob job = load_job(command.job);
  nlohmann::json report = describe_run("build");
  report["job"] = job.name;
  report["results"] = run_build(job, command.repeats);
  if (!command.json_file.empty()) write_json(report, command.json_file);
  return 0;
}

/// A benchmark that takes the configuration of a job.
template <class Benchmark>
int run_config_command(const char* name, const JobCommand& command, Benchmark&& run) {
  std::vector<InputOverride> overrides;
  for (const std::string& setting : command.job.settings) overrides.push_back(parse_override(setting));
  nlohmann::json report = describe_run(name);
  report["job"] = command.job.input_file;
  report["settings"] = command.job.settings;
  report["results"] = run(read_ci_config(read_input(command.job.input_file, overrides)), command.repeats);
  if (!command.json_file.empty()) write_json(report, command.json_file);
  return 0;
}

int run_sampling_command(SamplingCommand& command) {
  command.options.on_device = command.device == "cuda";
  if (command.options.on_device && !use_device("cuda")) return 1;
  nlohmann::json report = describe_run("sampling");
  report["results"] = run_sampling(command.options);
  if (!command.json_file.empty()) write_json(report, command.json_file);
  return 0;
}

int run_direct_command(const DirectCommand& command) {
  if (!use_device("cuda")) return 1;
  const BenchJob job = load_job(command.job);
  const auto direct = direct_product_of(job, command.options.parity);
  if (!direct)
    throw InputError("direct: it needs a space made of blocks of strings and hamiltonian.threshold = 0");
  nlohmann::json report = describe_run("direct");
  report["job"] = job.name;
  fmt::print("{}\n", job.name);
#ifdef CISOLVE_HAVE_CUDA
  report["results"] = run_direct(direct->product, command.options);
#endif
  if (!command.json_file.empty()) write_json(report, command.json_file);
  return 0;
}

/// @return exit status: 0 if every product of cisolve was right
int run_spmv(SpmvCommand& command) {
  if (command.threads > 0) omp_set_num_threads(command.threads);
  if (command.ell_width >= 0) command.options.format_options.ell_width = command.ell_width;
  chosen_formats(command.options);  // Refuses unknown names before anything takes time.
  const bool on_device = use_device(command.device);
  const auto start = std::chrono::steady_clock::now();
  const LoadedMatrix loaded = load_matrix(command.matrix);
  SpmvMatrix matrix(loaded.rows());
  if (loaded.job && wants_direct(command.options)) matrix.direct = direct_product_of(*loaded.job);
  if (asks_for_direct(command.options) && !matrix.direct) {
    throw InputError(
        "--formats direct: it needs a job over determinants in blocks of strings and hamiltonian.threshold = "
        "0");
  }
  command.options.format_options.coded = sample_coded(loaded.rows());
  const CsrMatrix& a = matrix.csr;
  const std::string& name = loaded.name;
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  fmt::print("{}: {} nonzeros, {:.3f} GiB as CSR, built in {:.2f} s\n", name, a.num_nonzeros(),
             static_cast<double>(array_bytes(a)) / (1 << 30), seconds.count());

  const auto results = run_products(matrix, command.options, on_device);
  print(results);
  if (!command.json_file.empty()) {
    nlohmann::json report = describe_run("spmv");
    report["matrix"] = describe_matrix(a, name);
    report["matrix"]["build_seconds"] = seconds.count();
    report["repeats"] = command.options.repeats;
    report["results"] = describe(results);
    write_json(report, command.json_file);
  }
  const bool right = std::all_of(results.begin(), results.end(), [](const SpmvMeasurement& result) {
    return result.correct || result.name.starts_with("cuSPARSE");
  });
  return right ? 0 : 4;
}

}  // namespace
}  // namespace cisolve::bench

int main(int argc, char** argv) {
  using namespace cisolve;
  CLI::App app("Times parts of a cisolve calculation beside baselines; answers are checked first.");
  app.require_subcommand(1);
  InstructionSet most_instructions = InstructionSet::avx512;
  app.add_option("--instructions", most_instructions,
                 "the most that host kernels which choose by the processor may use")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, InstructionSet>{{"baseline", InstructionSet::baseline},
                                                {"avx2", InstructionSet::avx2},
                                                {"avx512", InstructionSet::avx512}}));
  bench::SpmvCommand spmv;
  CLI::App* spmv_app = bench::add_spmv(app, spmv);
  bench::FormatsCommand formats;
  CLI::App* formats_app = bench::add_formats(app, formats);
  bench::DirectCommand direct;
  CLI::App* direct_app = bench::add_direct(app, direct);
  bench::RanksCommand ranks;
  CLI::App* ranks_app = bench::add_ranks(app, ranks);
  bench::JobCommand build;
  bench::JobCommand solve;
  CLI::App* build_app = bench::add_job_command(app, "build", "time the building of a job's matrix", build);
  CLI::App* solve_app = bench::add_job_command(app, "solve", "time a whole job", solve);
  bench::JobCommand molecule;
  CLI::App* molecule_app = bench::add_job_command(
      app, "molecule", "time integrals, SCF and transformation of a molecule", molecule);
  bench::DensityCommand density;
  CLI::App* density_app = bench::add_density(app, density);
  bench::LapwCommand lapw;
  CLI::App* lapw_app = bench::add_lapw(app, lapw);
  bench::ExternalsCommand externals;
  CLI::App* externals_app = bench::add_externals(app, externals);
  bench::QuaternionCommand quaternion;
  CLI::App* quaternion_app = bench::add_quaternion(app, quaternion);
  bench::SamplingCommand sampling;
  CLI::App* sampling_app = bench::add_sampling(app, sampling);
  bench::WriteCommand write;
  CLI::App* write_app = bench::add_write(app, write);
  CLI11_PARSE(app, argc, argv);
  limit_instruction_set(most_instructions);
  try {
    if (*spmv_app) return bench::run_spmv(spmv);
    if (*direct_app) return bench::run_direct_command(direct);
    if (*ranks_app) return bench::run_ranks_command(ranks);
    if (*formats_app) return bench::run_formats_command(formats);
    if (*build_app) return bench::run_build_command(build);
    if (*solve_app) return bench::run_config_command("solve", solve, bench::run_solve);
    if (*externals_app) return bench::run_externals_command(externals);
    if (*quaternion_app) return bench::run_quaternion_command(quaternion);
    if (*sampling_app) return bench::run_sampling_command(sampling);
    if (*write_app) return bench::run_write_command(write);
    if (*density_app) return bench::run_density_command(density);
    if (*lapw_app) return bench::run_lapw_command(lapw);
    if (*molecule_app) return bench::run_config_command("molecule", molecule, bench::run_molecule);
  } catch (const InputError& error) {
    fmt::print(stderr, "cisolve-bench: {}\n", error.what());
    return 1;
  } catch (const ResourceError& error) {
    fmt::print(stderr, "cisolve-bench: {}\n", error.what());
    return 3;
  } catch (const std::exception& error) {
    fmt::print(stderr, "cisolve-bench: {}\n", error.what());
    return 4;
  }
  return 0;
}
