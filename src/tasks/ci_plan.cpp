// SPDX-License-Identifier: MIT
#include "tasks/ci_plan.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <numeric>

#include "cisolve/core/error.hpp"
#include "cisolve/core/parallel.hpp"
#include "cisolve/hamiltonian/string_classes.hpp"
#include "cisolve/solver/davidson.hpp"
#include "cisolve/tasks/report.hpp"
#include "tasks/csf_job.hpp"
#include "tasks/storage_choice.hpp"
#ifdef CISOLVE_HAVE_CUDA
#include "cuda/core/device_info.hpp"
#include "cuda/vectors/cuda_backend.hpp"
#endif

namespace cisolve {
namespace {

/// The device that a run would use, if there is one.
std::optional<CudaCandidate> find_cuda() {
#ifdef CISOLVE_HAVE_CUDA
  const auto devices = cuda::visible_devices();
  if (!devices.empty()) return CudaCandidate{devices[0].name, cuda::device_memory(devices[0].ordinal).free};
#endif
  return std::nullopt;
}

/// The format asked for; "auto": the one that suits the device.
const StorageFormat* choose_format(const CiConfig& config, bool on_cuda) {
  // A warp per row gains from aligned, fixed-width rows; a core does not, and CSR is smaller.
  const std::string_view name = config.storage != "auto" ? std::string_view(config.storage)
                                : on_cuda                ? "hybrid"
                                                         : "csr";
  const StorageFormat* format = find_storage_format(name);
  if (format == nullptr)
    throw InputError(fmt::format("hamiltonian.storage: there is no format \"{}\"", name));
  return format;
}

const char* function_names(const CiJob& job) { return job.csf ? "CSFs" : "determinants"; }

void require_host_memory(const CiJob& job, const CiPlan& plan, std::int64_t memory) {
  if (plan.host_bytes <= memory) return;
  const double room = static_cast<double>(memory) -
                      static_cast<double>(plan.host_bytes - plan.matrix_bytes - plan.vector_bytes);
  const auto rows = static_cast<std::int64_t>(plan.row_lengths.size());
  throw ResourceError(
      fmt::format("run.memory: {} {} and {} nonzeros need {} ({} of it for the matrix in format {}), but {} "
                  "may be used; {}",
                  format_count(rows), function_names(job), format_count(plan.sizes.nonzeros),
                  format_bytes(plan.host_bytes), format_bytes(plan.matrix_bytes), plan.format->name,
                  format_bytes(memory), what_would_fit(job, plan, rows, room)));
}

/// Can the space be worked on string by string? RAS limits and several references make lists.
bool is_made_of_blocks(const Space<string_words>& space) {
  const auto* product = dynamic_cast<const ProductSpace<string_words>*>(&space);
  if (product == nullptr) return false;
  try {
    static_cast<void>(BlockStructure(*product));
  } catch (const DimensionError&) {
    return false;
  }
  return true;
}

/// Lengths of rows in pieces spread over the matrix, of all rows of a small one.
std::vector<std::int64_t> sample_lengths(const RowSource& rows) {
  constexpr std::int64_t pieces = 256;
  constexpr std::int64_t piece = 16;
  const std::int64_t n = rows.num_rows();
  if (n < 4 * pieces * piece) return count_rows(rows);
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(pieces * piece));
  parallel_for(pieces, 1, [&](std::int64_t k) {
    const std::int64_t first = n / pieces * k;
    rows.count({first, first + piece},
               std::span(lengths).subspan(static_cast<std::size_t>(k * piece), piece));
  });
  return lengths;
}

/// Of all rows, how many a sample has.
double share_of(const std::vector<std::int64_t>& sample, const RowSource& rows) {
  return static_cast<double>(sample.size()) / static_cast<double>(rows.num_rows());
}

}  // namespace

std::string cpu_name() {
  return fmt::format("cpu, {} thread{}", omp_get_max_threads(), omp_get_max_threads() == 1 ? "" : "s");
}

std::jthread start_device([[maybe_unused]] const CiConfig& config) {
#ifdef CISOLVE_HAVE_CUDA
  if (config.device != DeviceChoice::cpu && !cuda::visible_devices().empty()) {
    return std::jthread([] {
      try {
        // Context, BLAS and the kernels of both: loaded when first used.
        constexpr std::int64_t rows = 64;
        const cuda::CudaBackend backend;
        auto block = backend.allocate(rows, 2);
        backend.fill(block.view(), 1.0);
        static_cast<void>(backend.gram(block.view(), block.view()));
      } catch (const Error&) {
        // The run itself meets the same, and says so.
      }
    });
  }
#endif
  return {};
}

std::optional<CudaCandidate> cuda_candidate(const CiConfig& config) {
  if (config.device == DeviceChoice::cpu) return std::nullopt;
  auto cuda = find_cuda();
  if (cuda || config.device != DeviceChoice::cuda) return cuda;
#ifdef CISOLVE_HAVE_CUDA
  throw InputError(
      "run.device: \"cuda\" was asked for, but no CUDA device is visible; use \"cpu\" or \"auto\"");
#else
  throw InputError(
      "run.device: \"cuda\" was asked for, but this program was built without CUDA; use \"cpu\" or "
      "\"auto\"");
#endif
}

std::string what_would_fit(const CiJob& job, const CiPlan& plan, std::int64_t dimension, double room) {
  const double bytes_per_row =
      static_cast<double>(plan.matrix_bytes + plan.vector_bytes) / static_cast<double>(dimension);
  if (job.csf) {
    const auto smaller = largest_level_within(*job.csf, room / bytes_per_row);
    return smaller ? fmt::format("excitation_level = {} (up to {} CSFs) would fit", smaller->level,
                                 format_count(smaller->csfs))
                   : "a smaller space or more memory is needed";
  }
  SpaceSelection<string_words> smaller = job.selection;
  while (smaller.excitation_level > 0 && is_product(smaller)) {
    --smaller.excitation_level;
    const auto counts = count_determinants(smaller);
    const double rows = std::accumulate(counts.begin(), counts.end(), 0.0);
    if (rows * bytes_per_row < room) {
      return fmt::format("excitation_level = {} ({} determinants) would fit", smaller.excitation_level,
                         format_count(static_cast<std::int64_t>(rows)));
    }
  }
  return "a smaller space or more memory is needed";
}

std::string expected_device([[maybe_unused]] const CiConfig& config) {
#ifdef CISOLVE_HAVE_CUDA
  if (config.device != DeviceChoice::cpu) {
    if (const auto devices = cuda::visible_devices(); !devices.empty()) return devices[0].name;
  }
#endif
  return cpu_name();
}

DavidsonConfig davidson_config(const CiConfig& config, std::int64_t dimension) {
  DavidsonConfig result;
  result.num_roots = static_cast<int>(std::min<std::int64_t>(config.count, dimension));
  result.tolerance = config.tolerance;
  result.max_iterations = config.max_iterations;
  result.max_subspace = config.max_subspace;
  result.follow_start = config.follow;
  return result;
}

bool takes_direct(const CiConfig& config, const Basis& basis) {
  const Space<string_words>* space = basis.determinants();
  if (config.storage == direct_storage) {
    const auto refuse = [](std::string_view why) {
      throw InputError(
          fmt::format("hamiltonian.storage: \"direct\" {}; \"auto\" takes the format that suits", why));
    };
    if (space == nullptr) refuse("works on determinants, but space.basis is \"csf\"");
    if (!is_made_of_blocks(*space)) {
      refuse("needs all determinants up to a level around one reference, this space is a list");
    }
    if (config.threshold > 0.0) refuse("leaves no element out, but hamiltonian.threshold is not 0");
    return true;
  }
  return config.storage == "auto" && config.threshold == 0.0 && space != nullptr && is_made_of_blocks(*space);
}

double estimate_nonzeros(const RowSource& rows) {
  const std::vector<std::int64_t> sample = sample_lengths(rows);
  return static_cast<double>(std::reduce(sample.begin(), sample.end())) / share_of(sample, rows);
}

std::int64_t bytes_in_format(const StorageFormat& format, const CiJob& job, const CiPlan& plan) {
  const std::int64_t bytes = format.bytes_for(plan.row_lengths, plan.format_options);
  // The estimate of this format is that of determinants. Over CSFs, integrals times coupling coefficients are
  // too many values for a dictionary: most stand beside it, and the whole is hardly smaller than CSR.
  return job.csf && format.name == "coded" ? std::max(bytes, plan.sizes.csr_bytes) : bytes;
}

void refuse_hopeless(const CiConfig& config, const RowSource& rows, const std::string& function_name,
                     std::int64_t memory) {
  constexpr double margin = 1.5;  // far beyond the sampling error of a few percent
  const std::int64_t n = rows.num_rows();
  const std::vector<std::int64_t> lengths = sample_lengths(rows);
  if (std::ssize(lengths) == n) return;  // counted in no time, and refused with exact numbers
  const double share = share_of(lengths, rows);
  const StorageFormat& format = *choose_format(config, false);
  const double bytes = static_cast<double>(format.bytes_for(lengths, {})) / share;
  if (bytes < margin * static_cast<double>(memory)) return;
  const double nonzeros = static_cast<double>(std::reduce(lengths.begin(), lengths.end())) / share;
  throw ResourceError(
      fmt::format("run.memory: {} {}s have about {:.2g} nonzeros, {} in format {}, but {} may be used; lower "
                  "space.excitation_level, freeze orbitals or restrict the irrep",
                  format_count(n), function_name, nonzeros, format_bytes(static_cast<std::int64_t>(bytes)),
                  format.name, format_bytes(memory)));
}

CiPlan make_plan(const CiConfig& config, const CiJob& job, std::vector<std::int64_t> row_lengths,
                 const AuxiliaryBytes& auxiliary, std::int64_t memory, FormatOptions options) {
  CiPlan plan;
  plan.row_lengths = std::move(row_lengths);
  const auto rows = static_cast<std::int64_t>(plan.row_lengths.size());
  const std::optional<std::int32_t> width =
      config.ell_width > 0 ? std::optional(config.ell_width) : std::nullopt;
  plan.sizes = storage_sizes(plan.row_lengths, width);
  plan.format_options = std::move(options);
  plan.format_options.ell_width = plan.sizes.ell_width;

  const auto cuda = cuda_candidate(config);
  const DavidsonConfig solver = davidson_config(config, rows);
  plan.vector_bytes = 8 * rows * davidson_columns(solver, rows);
  // Vectors (found, and as written), strings, diagonal, lengths.
  const std::int64_t result_bytes = 8 * rows * (2 * std::int64_t{solver.num_roots} + 4);

  if (cuda) {
    plan.format = choose_format(config, true);
    const std::int64_t besides = plan.vector_bytes + auxiliary.spin + 16 * rows;
    if (config.storage == "auto") {
      plan.format = &best_on_cuda(bytes_in_format(*find_storage_format("hybrid"), job, plan),
                                  bytes_in_format(*find_storage_format("coded"), job, plan),
                                  plan.format_options.coded.num_values, cuda->free_bytes - besides);
    }
    plan.matrix_bytes = bytes_in_format(*plan.format, job, plan);
    plan.device_bytes = plan.matrix_bytes + besides;
    if (plan.device_bytes <= cuda->free_bytes) {
      plan.on_cuda = true;
      plan.device = cuda->name;
      plan.host_bytes = plan.matrix_bytes + auxiliary.spin + auxiliary.tables + result_bytes;
      require_host_memory(job, plan, memory);
      return plan;
    }
    if (config.device == DeviceChoice::cuda) {
      throw ResourceError(
          fmt::format("run.device: {} of matrix and vectors ({} {}, {} nonzeros, format {}) exceed "
                      "the {} free on {}; use "
                      "\"auto\" or \"cpu\", or {}",
                      format_bytes(plan.device_bytes), format_count(rows), function_names(job),
                      format_count(plan.sizes.nonzeros), plan.format->name, format_bytes(cuda->free_bytes),
                      cuda->name, what_would_fit(job, plan, rows, static_cast<double>(cuda->free_bytes))));
    }
  }
  plan.format = choose_format(config, false);
  plan.device = cpu_name();
  plan.matrix_bytes = bytes_in_format(*plan.format, job, plan);
  plan.device_bytes = 0;
  plan.host_bytes = plan.matrix_bytes + plan.vector_bytes + auxiliary.spin + auxiliary.tables + result_bytes;
  require_host_memory(job, plan, memory);
  return plan;
}

}  // namespace cisolve
