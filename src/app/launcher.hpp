// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "cisolve/ranks/mpi_session.hpp"

namespace cisolve::app {

/// What the environment says of a launcher.
std::optional<Launcher> launcher_of_environment();

/// A sentence where mpirun binds this process to fewer cores than its share of the node, as it does by itself; else empty.
std::string binding_warning(const std::optional<Launcher>& launcher, const MpiSession& session);

/// Threads that this process takes by itself where it shares cores with others of its node; 0: as many as it is given, by
/// OMP_NUM_THREADS or by cores that are its own.
int threads_beside_others(const MpiSession& session);

}  // namespace cisolve::app
