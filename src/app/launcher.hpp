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

}  // namespace cisolve::app
