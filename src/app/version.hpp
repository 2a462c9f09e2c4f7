// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace cisolve::app {

/// What `cisolve --version` prints: version, build options, libraries, visible devices.
std::string version_text();

}  // namespace cisolve::app
