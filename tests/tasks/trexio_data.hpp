// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "cisolve/io/hdf5_file.hpp"

namespace cisolve::test {

/// What a TREXIO file holds, by the names of the format.
class TrexioData {
public:
  explicit TrexioData(const std::filesystem::path& path) : file_(Hdf5File::open(path)) {}

  template <class T>
  T scalar(const std::string& group, const std::string& name) const {
    return file_.root().open_group(group).read_attribute<T>(group + "_" + name);
  }
  std::int64_t number(const std::string& group, const std::string& name) const {
    return scalar<std::int64_t>(group, name);
  }
  bool has(const std::string& group, const std::string& name) const {
    return file_.root().open_group(group).contains(group + "_" + name);
  }

  template <class T>
  Hdf5Array<T> array(const std::string& group, const std::string& name) const {
    return file_.root().open_group(group).read<T>(group + "_" + name);
  }
  std::vector<double> reals(const std::string& group, const std::string& name) const {
    return array<double>(group, name).values;
  }
  std::vector<std::string> strings(const std::string& group, const std::string& name) const {
    return file_.root().open_group(group).read_strings(group + "_" + name).values;
  }

  /// All elements with four indices over the orbitals, row-major.
  std::vector<double> dense(const std::string& group, const std::string& name) const {
    const auto n = static_cast<std::size_t>(number("mo", "num"));
    const auto indices = array<std::uint8_t>(group, name + "_indices").values;
    const auto values = reals(group, name + "_values");
    std::vector<double> all(n * n * n * n);
    for (std::size_t k = 0; k < values.size(); ++k) {
      const std::uint8_t* at = indices.data() + 4 * k;
      all[((at[0] * n + at[1]) * n + at[2]) * n + at[3]] += values[k];
    }
    return all;
  }

private:
  Hdf5File file_;
};

}  // namespace cisolve::test
