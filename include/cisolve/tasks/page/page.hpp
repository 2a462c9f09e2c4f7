// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "cisolve/tasks/ci/ci_result.hpp"
#include "cisolve/tasks/scan/scan.hpp"

namespace cisolve {

// A result as one page of HTML: tables, and pictures in SVG, for browsers and supporting information. It needs no
// network, no script and no other file, follows the light or dark mode of the reader, and is well-formed XML too. All that
// comes from the file is escaped.

/// The page of a result.
/// @param file_name  of the result, as the page calls it
std::string page_of(const CiResult& result, std::string_view file_name);

/// The page of a scan.
/// @param first      what was found at the first point that has roots; null: none has
/// @param file_name  of the result, as the page calls it
std::string page_of(const ScanResult& scan, const CiResult* first, std::string_view file_name);

/// The page of the result file of a calculation.
/// @throws InputError  as read_result
std::string ci_page(const std::filesystem::path& file);

/// The page of the result file of a scan.
/// @throws InputError  as read_scan
std::string scan_page(const std::filesystem::path& file);

}  // namespace cisolve
