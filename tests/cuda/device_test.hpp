// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

#include "cuda/core/device_info.hpp"

namespace cisolve::test {

/// Base of suites that need a device.
class DeviceTest : public ::testing::Test {
protected:
  void SetUp() override {
    if (cuda::visible_devices().empty()) GTEST_SKIP() << "there is no CUDA device on this machine";
  }
};

template <class Parameter>
class DeviceTestWithParam : public DeviceTest, public ::testing::WithParamInterface<Parameter> {};

}  // namespace cisolve::test
