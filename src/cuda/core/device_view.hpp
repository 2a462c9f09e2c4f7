// SPDX-License-Identifier: MIT
#pragma once

#include "cisolve/core/block_view.hpp"

namespace cisolve::cuda {

using DeviceView = BlockView<double, Memory::cuda>;
using ConstDeviceView = BlockView<const double, Memory::cuda>;

}  // namespace cisolve::cuda
