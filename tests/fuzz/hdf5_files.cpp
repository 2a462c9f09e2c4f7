// SPDX-License-Identifier: MIT
#include <H5Cpp.h>

#include <cstdlib>
#include <ostream>

#include "cisolve/tasks/files/checkpoint.hpp"
#include "cisolve/tasks/files/result_file.hpp"
#include "cisolve/tasks/page/page.hpp"
#include "cisolve/tasks/report/report.hpp"
#include "cisolve/tasks/scan/scan.hpp"
#include "fuzz/hdf5_values.hpp"
#include "fuzz/memory_file.hpp"
#include "fuzz/targets.hpp"
#include "tasks/ci/function_lists.hpp"
#include "tasks/files/read_trexio.hpp"

namespace cisolve::fuzz {

namespace {

/// Files without a seal are read in a process of their own, which takes a hundred times as long: libFuzzer, whose
/// mutations lose some seals, reads one of many. The first is always read.
bool is_left_out(std::string_view data) {
  static int count = 0;
  return !ends_in_seal(data) && count++ % CISOLVE_FUZZ_UNSEALED_EVERY != 0;
}

/// The path of a file with these bytes. The library keeps what it frees: a megabyte for each file that it opens would go
/// back to the system and be fetched again.
std::filesystem::path file_with(std::string_view data) {
  static const bool keeps = H5set_free_list_limits(-1, -1, -1, -1, -1, -1) >= 0;
  if (!keeps) std::abort();
  static MemoryFile file("hdf5");
  return file.with(data);
}

}  // namespace

void result(std::string_view data) {
  if (is_left_out(data)) return;
  const std::filesystem::path path = file_with(data);
  static std::ostream nowhere(nullptr);
  const bool verbose = data.size() % 2 == 0;
  expect_read_or_refused([&] {
    const bool is_scan = holds_scan(path);
    CiResult result = is_scan ? read_scan_point(path, 1, true) : read_result(path, true);
    if (is_scan) print_scan_report(nowhere, path, verbose);
    if (!is_scan) print_report(nowhere, result, verbose);
    if (is_scan ? scan_page(path).empty() : page_of(result, "file").empty()) std::abort();
    list_from_blocks(result, path.string());
  });
}

void checkpoint(std::string_view data) {
  if (is_left_out(data)) return;
  const std::filesystem::path path = file_with(data);
  expect_read_or_refused([&] { read_checkpoint(path); });
}

void trexio(std::string_view data) {
  if (is_left_out(data)) return;
  const std::filesystem::path path = file_with(data);
  FcidumpOptions options;
  options.max_bytes = std::int64_t{1} << 26;
  expect_read_or_refused([&] { read_trexio_orbitals(path); });
  expect_read_or_refused([&] { read_trexio_integrals(path, options); });
  expect_read_or_refused([&] { read_trexio_determinants(path); });
}

}  // namespace cisolve::fuzz
