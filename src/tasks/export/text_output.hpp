// SPDX-License-Identifier: MIT
#pragma once

#include <fmt/format.h>

#include <fstream>
#include <string_view>

#include "cisolve/core/error.hpp"
#include "cisolve/io/atomic_file.hpp"

namespace cisolve {

/// A text file that replaces an older one in one step, when it is complete.
class TextOutput {
public:
  /// @throws SystemError as AtomicFile
  explicit TextOutput(const std::filesystem::path& file)
      : target_(file), out_(target_.temporary(), std::ios::binary) {}

  /// @throws SystemError
  void write(std::string_view text) {
    out_.write(text.data(), std::ssize(text));
    require();
  }

  /// @throws SystemError
  void commit() {
    out_.close();
    require();
    target_.commit();
  }

private:
  void require() const {
    if (!out_)
      throw SystemError(fmt::format("{} cannot be written; is the disk full?", target_.target().string()));
  }

  AtomicFile target_;
  std::ofstream out_;
};

}  // namespace cisolve
