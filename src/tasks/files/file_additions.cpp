// SPDX-License-Identifier: MIT
#include "tasks/files/file_additions.hpp"

#include <system_error>

#include "cisolve/core/error.hpp"

namespace cisolve {

void copy_to_add(const AtomicFile& successor, const std::filesystem::path& file) {
  std::error_code error;
  std::filesystem::copy_file(successor.target(), successor.temporary(),
                             std::filesystem::copy_options::overwrite_existing, error);
  if (error) throw SystemError("cannot copy '" + file.string() + "' to add to it: " + error.message());
}

void put_in_place(Hdf5File& hdf5, AtomicFile& successor) {
  hdf5.close();
  successor.sync();
  successor.verify();
  successor.commit();
}

}  // namespace cisolve
