// SPDX-License-Identifier: MIT
#pragma once

#include <stdexcept>

namespace cisolve {

/// Base class of every exception that cisolve throws.
class Error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// The caller passed arguments whose shapes do not agree: a bug, not a user's mistake.
class DimensionError : public Error {
public:
  using Error::Error;
};

/// The user's input is wrong. The message is one sentence that names the file, the line or the
/// key, what was found, and what would be right. Exit status 1.
class InputError : public Error {
public:
  using Error::Error;
};

/// The job does not fit the memory or the device. Thrown before allocating, with the numbers and
/// what would fit. Exit status 3.
class ResourceError : public Error {
public:
  using Error::Error;
};

/// The system failed: permission, disk full, I/O, device lost. Exit status 4.
class SystemError : public Error {
public:
  using Error::Error;
};

/// A stop was requested (std::stop_token) before there was anything to keep.
class Interrupted : public Error {
public:
  using Error::Error;
};

}  // namespace cisolve
