// SPDX-License-Identifier: MIT
#pragma once

#include "cisolve/ranks/mpi_session.hpp"

namespace cisolve::test {

/// The processes that this test program was started as.
const MpiSession& mpi_session();

}  // namespace cisolve::test
