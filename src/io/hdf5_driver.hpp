// SPDX-License-Identifier: MIT
#pragma once

#include <H5Cpp.h>

#include "io/sealed_bytes.hpp"

namespace cisolve::hdf5 {

/// Lets the HDF5 library read and write through a SealedBytes, instead of a file that it opens itself.
class Driver {
public:
  /// @param bytes  must outlive the file that is opened with it, as this must
  explicit Driver(SealedBytes& bytes);
  ~Driver();
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  /// @param properties  of the file that is opened with them
  /// @throws H5::Exception
  void set(H5::FileAccPropList& properties) const;

private:
  SealedBytes* bytes_;
  hid_t id_;
};

}  // namespace cisolve::hdf5
