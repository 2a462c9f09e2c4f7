// SPDX-License-Identifier: MIT
#include "tasks/ci/plan.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <numeric>

#include "cisolve/core/error.hpp"
#include "cisolve/solver/davidson.hpp"
#include "cisolve/tasks/report/report.hpp"
#include "tasks/ci/csf_fit.hpp"
#include "tasks/ci/storage_choice.hpp"
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

std::string what_would_fit(const CiConfig& config, const CiJob& job, const CiPlan& plan, double room,
                           std::int64_t memory) {
  return job.csf ? smaller_csf_space(config, job, memory)
                 : what_would_fit(job, plan, std::ssize(plan.row_lengths), room);
}

[[noreturn]] void refuse_host_memory(const CiConfig& config, const CiJob& job, const CiPlan& plan,
                                     std::int64_t memory) {
  const double room = static_cast<double>(memory) -
                      static_cast<double>(plan.host_bytes - plan.matrix_bytes - plan.vector_bytes);
  throw ResourceError(fmt::format(
      "run.memory: {} {} and {}{} nonzeros need {} ({} of it for the matrix in format {}), but {} "
      "may be used; {}",
      format_count(std::ssize(plan.row_lengths)), function_names(job), plan.is_estimate ? "about " : "",
      format_count(plan.sizes.nonzeros), format_bytes(plan.host_bytes), format_bytes(plan.matrix_bytes),
      plan.format->name, format_bytes(memory), what_would_fit(config, job, plan, room, memory)));
}

[[noreturn]] void refuse_device_memory(const CiConfig& config, const CiJob& job, const CiPlan& plan,
                                       const CudaCandidate& cuda, std::int64_t memory) {
  throw ResourceError(fmt::format(
      "run.device: {} of matrix and vectors ({} {}, {}{} nonzeros, format {}) exceed the {} free on {}; use "
      "\"auto\" or \"cpu\", or {}",
      format_bytes(plan.device_bytes), format_count(std::ssize(plan.row_lengths)), function_names(job),
      plan.is_estimate ? "about " : "", format_count(plan.sizes.nonzeros), plan.format->name,
      format_bytes(cuda.free_bytes), cuda.name,
      what_would_fit(config, job, plan, static_cast<double>(cuda.free_bytes), memory)));
}

/// Sizes of the matrix and the vectors, before it is known where they go.
void find_sizes(const CiConfig& config, CiPlan& plan) {
  const std::int64_t rows = std::ssize(plan.row_lengths);
  plan.sizes =
      storage_sizes(plan.row_lengths, config.ell_width > 0 ? std::optional(config.ell_width) : std::nullopt);
  plan.format_options.ell_width = plan.sizes.ell_width;
  plan.vector_bytes = 8 * rows * davidson_columns(davidson_config(config, rows), rows);
}

/// Puts the matrix on the device if there is room, else into the memory of the host. False: it does not fit.
bool place(const CiConfig& config, const CiJob& job, const AuxiliaryBytes& auxiliary,
           const std::optional<CudaCandidate>& cuda, std::int64_t memory, CiPlan& plan) {
  const std::int64_t rows = std::ssize(plan.row_lengths);
  // Vectors (found, and as written), strings, diagonal, lengths.
  const std::int64_t result_bytes =
      8 * rows * (2 * std::int64_t{davidson_config(config, rows).num_roots} + 4);
  const auto fits_host = [&](std::int64_t vectors) {
    plan.host_bytes = plan.matrix_bytes + vectors + auxiliary.spin + auxiliary.tables + result_bytes;
    plan.host_bytes = std::max(plan.host_bytes, auxiliary.outside_solver);
    return plan.host_bytes <= memory;
  };
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
      return fits_host(0);
    }
    if (config.device == DeviceChoice::cuda) return false;
    plan.why_not_cuda = what_is_free(plan.device_bytes, *cuda);
  }
  plan.format = choose_format(config, false);
  plan.device = cpu_name();
  plan.matrix_bytes = bytes_in_format(*plan.format, job, plan);
  plan.device_bytes = 0;
  return fits_host(plan.vector_bytes);
}

/// Can the space be worked on string by string?
bool is_made_of_blocks(const Space<string_words>& space) {
  return dynamic_cast<const ProductSpace<string_words>*>(&space) != nullptr;
}

}  // namespace

std::string what_is_free(std::int64_t needed, const CudaCandidate& cuda) {
  return fmt::format("{} are needed, but {} are free on {}", format_bytes(needed),
                     format_bytes(cuda.free_bytes), cuda.name);
}

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
      refuse(
          "needs all determinants up to a level around one reference, RAS limits kept, or others that are "
          "made "
          "of large blocks of alpha and beta strings; this space is a list");
    }
    if (config.threshold > 0.0) refuse("leaves no element out, but hamiltonian.threshold is not 0");
    return true;
  }
  return config.storage == "auto" && config.threshold == 0.0 && space != nullptr && is_made_of_blocks(*space);
}

std::int64_t bytes_in_format(const StorageFormat& format, const CiJob& job, const CiPlan& plan) {
  const std::int64_t bytes = format.bytes_for(plan.row_lengths, plan.format_options);
  // The estimate of this format is that of determinants. Over CSFs, integrals times coupling coefficients are
  // too many values for a dictionary: most stand beside it, and the whole is hardly smaller than CSR.
  return job.csf && format.name == "coded" ? std::max(bytes, plan.sizes.csr_bytes) : bytes;
}

void refuse_hopeless(const CiConfig& config, const CiJob& job, const RowSample& sample, std::int64_t memory) {
  constexpr double margin = 1.5;  // far beyond the sampling error of a few percent
  if (sample.is_whole()) return;  // counted in no time, and refused with exact numbers
  const StorageFormat& format = *choose_format(config, false);
  const double bytes = static_cast<double>(format.bytes_for(sample.lengths(), {})) / sample.share();
  if (bytes < margin * static_cast<double>(memory)) return;
  throw ResourceError(
      fmt::format("run.memory: {} {} have about {:.2g} nonzeros, {} in format {}, but {} may be used; {}",
                  format_count(sample.num_rows()), function_names(job), sample.nonzeros(),
                  format_bytes(static_cast<std::int64_t>(bytes)), format.name, format_bytes(memory),
                  job.csf ? smaller_csf_space(config, job, memory)
                          : "lower space.excitation_level, freeze orbitals or restrict the irrep"));
}

CiPlan make_plan(const CiConfig& config, const CiJob& job, CiPlan plan, const AuxiliaryBytes& auxiliary,
                 std::int64_t memory) {
  const auto cuda = cuda_candidate(config);
  find_sizes(config, plan);
  if (place(config, job, auxiliary, cuda, memory, plan)) return plan;
  if (config.device == DeviceChoice::cuda && !plan.on_cuda)
    refuse_device_memory(config, job, plan, *cuda, memory);
  refuse_host_memory(config, job, plan, memory);
}

bool would_fit(const CiConfig& config, const CiJob& job, CiPlan plan, const AuxiliaryBytes& auxiliary,
               std::int64_t memory) {
  find_sizes(config, plan);
  return place(config, job, auxiliary, cuda_candidate(config), memory, plan);
}

}  // namespace cisolve
