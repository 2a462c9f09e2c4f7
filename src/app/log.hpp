// SPDX-License-Identifier: MIT
#pragma once

#include <spdlog/logger.h>

#include <memory>

namespace cisolve::app {

/// A logger on stderr, one line per message, coloured on a terminal only.
std::shared_ptr<spdlog::logger> make_logger();

/// -1: errors alone; 0: what a user wants to know; 1: everything.
void set_verbosity(spdlog::logger& logger, int verbosity);

}  // namespace cisolve::app
