// SPDX-License-Identifier: MIT
#pragma once

#include <complex>

#include "cisolve/core/block_view.hpp"

namespace cisolve::cuda {

using DeviceView = BlockView<double, Memory::cuda>;
using ConstDeviceView = BlockView<const double, Memory::cuda>;
using ComplexDeviceView = BlockView<std::complex<double>, Memory::cuda>;
using ConstComplexDeviceView = BlockView<const std::complex<double>, Memory::cuda>;

}  // namespace cisolve::cuda
