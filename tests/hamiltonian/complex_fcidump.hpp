// SPDX-License-Identifier: MIT
#pragma once

#include <zlib.h>

#include <array>
#include <sstream>
#include <stdexcept>
#include <string>

#include "cisolve/integrals/complex_integrals.hpp"

namespace cisolve::test {

/// Integrals over spinors of a file of tests/data/complex whose lines are: real part, imaginary part, p, q, r, s. Just enough
/// for those files; each integral stands there once.
inline ComplexIntegrals read_spinors(const std::string& file) {
  std::stringstream in;
  const gzFile packed = gzopen((std::string(CISOLVE_TEST_DATA) + "/complex/" + file).c_str(), "rb");
  if (packed == nullptr) throw std::runtime_error("cannot open " + file);
  std::array<char, 4096> bytes{};
  for (int count = 0; (count = gzread(packed, bytes.data(), bytes.size())) > 0;)
    in.write(bytes.data(), count);
  gzclose(packed);
  std::string word;
  int num_spinors = 0;
  while (in >> word && word != "&END") {
    if (word == "NORB=") {
      in >> num_spinors;
      in.ignore(1);
    }
  }
  ComplexIntegrals v(num_spinors, true);
  double real = 0.0, imaginary = 0.0;
  int p = 0, q = 0, r = 0, s = 0;
  while (in >> real >> imaginary >> p >> q >> r >> s) {
    const Complex value(real, imaginary);
    if (p == 0) {
      v.core_energy = real;
    } else if (r == 0) {
      v.h(p - 1, q - 1) = value;
      v.h(q - 1, p - 1) = std::conj(value);
    } else {
      v.eri(p - 1, q - 1, r - 1, s - 1) = value;
      v.eri(q - 1, p - 1, s - 1, r - 1) = std::conj(value);
    }
  }
  if (num_spinors == 0) throw std::runtime_error("cannot read " + file);
  return v;
}

}  // namespace cisolve::test
