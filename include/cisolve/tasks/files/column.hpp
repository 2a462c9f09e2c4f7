// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace cisolve {

/// One value of a record (a root, an iteration, ...). Files, docs/output.md and the tests of both come from tables
/// of these: what is in the table is written, read and documented.
template <class Record>
struct Column {
  /// A list has the same length in all records of a file, or is padded with NaN there.
  using Member = std::variant<bool Record::*, int Record::*, std::int64_t Record::*, std::uint64_t Record::*,
                              double Record::*, std::optional<double> Record::*, std::string Record::*,
                              std::vector<double> Record::*>;

  std::string_view name;  ///< in files
  Member member;
  std::string_view unit = {};         ///< "1" for a pure number; empty: none
  std::string_view description = {};  ///< in files and in docs/output.md
  std::string_view details = {};      ///< in docs/output.md alone
  std::string_view shape = {};        ///< of a list, for docs/output.md: "n_orbitals"
  bool per_pair = false;              ///< a list that goes over all roots
  bool may_be_absent = false;         ///< files of earlier programs lack it
};

}  // namespace cisolve
