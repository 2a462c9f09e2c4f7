// SPDX-License-Identifier: MIT
#pragma once

#include "cisolve/lapw/crystal.hpp"
#include "cisolve/lapw/potential.hpp"

namespace cisolve::lapw::test {

/// Two spheres with rotated frames, that of the second turned by a rotation with reflection if `reflected`, in a cubic cell.
inline Crystal cosine_crystal(bool reflected = false) {
  AtomType x;
  x.name = "X";
  x.radius = 1.4;
  x.lmax = 8;
  x.lmax_nonspherical = 6;
  x.energy.assign(9, 0.2);
  AtomType y = x;
  y.name = "Y";
  y.radius = 1.2;
  const Matrix3 of_x = {{{-0.23813772081825824, -0.95532958323138206, -0.17503089249169579},
                         {0.89798926029555348, -0.14791815932940133, -0.41440982919622743},
                         {0.37000772196986603, -0.25586247388696176, 0.89310059911474371}}};
  Matrix3 of_y = {{{-0.076530396935220235, -0.57834949985668649, 0.81219145178982199},
                   {0.98832650400233646, -0.151625835805481, -0.014843429617472117},
                   {0.13173389780712164, 0.80157436456751174, 0.58320212468468646}}};
  if (reflected) {
    for (double& element : of_y[0]) element = -element;
  }
  Crystal crystal;
  crystal.lattice.a = {{{6, 0, 0}, {0, 6, 0}, {0, 0, 6}}};
  crystal.types = {x, y};
  crystal.atoms = {{0, {0.1, 0.2, 0.05}, of_x}, {1, {0.6, 0.55, 0.62}, of_y}};
  return crystal;
}

/// -0.2 sum of cos(2 pi x_i / 6).
inline FourierPotential cosine_potential() {
  return {{{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}},
          std::vector<Complex>(6, -0.1),
          false};
}

}  // namespace cisolve::lapw::test
