// SPDX-License-Identifier: MIT
#include "python/hamiltonian.hpp"

#include <fmt/format.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/integrals/fcidump.hpp"
#include "python/arguments.hpp"
#include "python/arrays.hpp"

namespace cisolve::python {
namespace {

/// Differences of integrals that symmetry makes equal, hartree: what rounding makes of large sums, and no more.
constexpr double tolerance = 1e-7;

[[noreturn]] void refuse_shape(const char* name, const GivenArray<double>& array, const std::string& right) {
  throw InputError(fmt::format("{}: found shape {}; it must be {}", name, array.shape_text(), right));
}

void require_finite(const char* name, std::span<const double> values) {
  if (std::ranges::all_of(values, [](double x) { return std::isfinite(x); })) return;
  throw InputError(fmt::format("{}: an element is not finite", name));
}

/// The lower triangle of h.
std::vector<double> one_electron(const char* name, const GivenArray<double>& h, std::size_t n) {
  if (h.ndim() != 2 || h.shape(0) != n || h.shape(1) != n)
    refuse_shape(name, h, n == 0 ? "(orbitals, orbitals)" : fmt::format("({0}, {0})", n));
  const auto values = h.values();
  require_finite(name, values);
  std::vector<double> packed(num_pairs(n));
  for (std::size_t p = 0; p < n; ++p) {
    for (std::size_t q = 0; q <= p; ++q) {
      const double upper = values[q * n + p], lower = values[p * n + q];
      if (std::abs(upper - lower) > tolerance) {
        throw InputError(
            fmt::format("{0}: [{1}, {2}] is {3:.10g} and [{2}, {1}] is {4:.10g}; it must be symmetric", name,
                        p, q, lower, upper));
      }
      packed[pair_index(p, q)] = 0.5 * (upper + lower);
    }
  }
  return packed;
}

/// A matrix over pairs from (pq|rs) in any of the shapes that programs have them.
/// @param symmetric  (pq|rs) and (rs|pq) are the same, so that two equal triangles are asked for
std::vector<double> over_pairs(const char* name, const GivenArray<double>& eri, std::size_t n,
                               bool symmetric) {
  const std::size_t pairs = num_pairs(n);
  const auto values = eri.values();
  require_finite(name, values);
  std::vector<double> matrix(pairs * pairs);
  if (eri.ndim() == 1 && symmetric && eri.shape(0) == num_pairs(pairs)) {
    for (std::size_t pq = 0; pq < pairs; ++pq) {
      for (std::size_t rs = 0; rs < pairs; ++rs) matrix[pq * pairs + rs] = values[pair_index(pq, rs)];
    }
    return matrix;
  }
  if (eri.ndim() == 2 && eri.shape(0) == pairs && eri.shape(1) == pairs) {
    std::ranges::copy(values, matrix.begin());
    return matrix;
  }
  const bool is_full =
      eri.ndim() == 4 && eri.shape(0) == n && eri.shape(1) == n && eri.shape(2) == n && eri.shape(3) == n;
  if (!is_full) {
    refuse_shape(name, eri,
                 fmt::format("({0}, {0}, {0}, {0}), ({1}, {1}){2}, the lower triangles of pairs", n, pairs,
                             symmetric ? fmt::format(" or ({},)", num_pairs(pairs)) : ""));
  }
  const auto at = [&](std::size_t p, std::size_t q, std::size_t r, std::size_t s) {
    return values[((p * n + q) * n + r) * n + s];
  };
  for (std::size_t p = 0; p < n; ++p) {
    for (std::size_t q = 0; q <= p; ++q) {
      for (std::size_t r = 0; r < n; ++r) {
        for (std::size_t s = 0; s <= r; ++s) {
          const double value = at(p, q, r, s);
          for (const double other : {at(q, p, r, s), at(p, q, s, r), at(q, p, s, r)}) {
            if (std::abs(other - value) <= tolerance) continue;
            throw InputError(fmt::format(
                "{}: ({}{}|{}{}) is {:.10g}, and with orbitals of a pair exchanged it is {:.10g}; "
                "integrals in chemists' order over real orbitals have these equal",
                name, p, q, r, s, value, other));
          }
          matrix[pair_index(p, q) * pairs + pair_index(r, s)] = value;
        }
      }
    }
  }
  return matrix;
}

std::vector<double> two_electron(const char* name, const GivenArray<double>& eri, std::size_t n) {
  const std::size_t pairs = num_pairs(n);
  const std::vector<double> matrix = over_pairs(name, eri, n, true);
  std::vector<double> packed(num_pairs(pairs));
  for (std::size_t pq = 0; pq < pairs; ++pq) {
    for (std::size_t rs = 0; rs <= pq; ++rs) {
      const double lower = matrix[pq * pairs + rs], upper = matrix[rs * pairs + pq];
      if (std::abs(lower - upper) > tolerance) {
        throw InputError(
            fmt::format("{}: pairs {} and {} have {:.10g}, and in the other order {:.10g}; (pq|rs) and "
                        "(rs|pq) must be equal",
                        name, pq, rs, lower, upper));
      }
      packed[pq * (pq + 1) / 2 + rs] = 0.5 * (lower + upper);
    }
  }
  return packed;
}

/// Several arrays in a tuple or list, such as those of each spin.
std::vector<nb::object> parts(nb::handle given, std::size_t count) {
  std::vector<nb::object> found;
  if (!nb::isinstance<nb::tuple>(given) && !nb::isinstance<nb::list>(given)) return found;
  for (const nb::handle part : given) {
    if (nb::hasattr(part, "shape")) found.push_back(nb::borrow(part));
  }
  if (found.size() != count) found.clear();
  return found;
}

void use_irreps(Integrals& integrals, const std::vector<int>& irreps, const PointGroup& group) {
  if (std::ssize(irreps) != integrals.num_orbitals) {
    throw InputError(
        fmt::format("irreps: found {} numbers for {} orbitals", irreps.size(), integrals.num_orbitals));
  }
  for (std::size_t p = 0; p < irreps.size(); ++p) {
    if (irreps[p] < 1 || irreps[p] > group.num_irreps()) {
      throw InputError(
          fmt::format("irreps: orbital {} has {}; numbers of irreps are 1 to {}, in Molpro's order", p,
                      irreps[p], group.num_irreps()));
    }
    integrals.irreps[p] = irreps[p] - 1;
  }
}

/// @throws InputError  an integral is there that the irreps forbid
void require_symmetry(const Integrals& integrals) {
  const auto n = static_cast<std::size_t>(integrals.num_orbitals);
  const auto irrep = [&](std::size_t p, std::size_t q) { return integrals.irreps[p] ^ integrals.irreps[q]; };
  for (std::size_t p = 0; p < n; ++p) {
    for (std::size_t q = 0; q <= p; ++q) {
      const std::size_t pq = pair_index(p, q);
      if (irrep(p, q) != 0 && std::abs(integrals.one[pq]) > 1e-6)
        throw InputError(fmt::format("irreps: h[{}, {}] is {:.3g}, but the orbitals are of different irreps",
                                     p, q, integrals.one[pq]));
      for (std::size_t r = 0; r <= p; ++r) {
        for (std::size_t s = 0; s <= r; ++s) {
          const std::size_t rs = pair_index(r, s);
          if (rs > pq || (irrep(p, q) ^ irrep(r, s)) == 0) continue;
          const double value = integrals.two[pq * (pq + 1) / 2 + rs];
          if (std::abs(value) > 1e-6)
            throw InputError(
                fmt::format("irreps: eri ({} {}|{} {}) is {:.3g}, but the irreps of the orbitals forbid it",
                            p, q, r, s, value));
        }
      }
    }
  }
}

void make(Hamiltonian* self, const ArrayLike& h, const ArrayLike& eri, double core_energy,
          const std::optional<std::vector<int>>& irreps, const std::optional<std::string>& point_group) {
  const std::vector<nb::object> h_of_spin = parts(h, 2), eri_of_spins = parts(eri, 3);
  if (h_of_spin.empty() != eri_of_spins.empty()) {
    throw InputError(
        "h, eri: of orbitals of their own for each spin h must be (alpha, beta) and eri (alpha-alpha, "
        "alpha-beta, beta-beta); found one of both");
  }
  const bool unrestricted = !h_of_spin.empty();
  const GivenArray<double> first(unrestricted ? nb::handle(h_of_spin[0]) : nb::handle(h), "h");
  const std::size_t n = first.ndim() == 2 ? first.shape(0) : 0;
  if (first.ndim() == 2 && n == 0)
    throw InputError("h: found shape (0, 0); there must be one orbital at least");
  auto integrals = std::make_shared<Integrals>(static_cast<int>(n));
  integrals->one = one_electron("h", first, n);
  integrals->two = two_electron(
      "eri", GivenArray<double>(unrestricted ? nb::handle(eri_of_spins[0]) : nb::handle(eri), "eri"), n);
  if (unrestricted) {
    integrals->beta.emplace();
    integrals->beta->one = one_electron("h[1]", GivenArray<double>(h_of_spin[1], "h[1]"), n);
    integrals->beta->mixed = over_pairs("eri[1]", GivenArray<double>(eri_of_spins[1], "eri[1]"), n, false);
    integrals->beta->two = two_electron("eri[2]", GivenArray<double>(eri_of_spins[2], "eri[2]"), n);
  }
  if (!std::isfinite(core_energy)) throw InputError("core_energy: it is not finite");
  integrals->core_energy = core_energy;
  PointGroup group = point_group ? PointGroup::parse(*point_group) : PointGroup();
  if (irreps) {
    use_irreps(*integrals, *irreps, group);
    require_symmetry(*integrals);
  }
  new (self) Hamiltonian{std::move(integrals), std::move(group)};
}

Hamiltonian from_fcidump(const std::filesystem::path& path, const std::optional<std::string>& point_group) {
  FcidumpOptions options;
  if (point_group) options.point_group = PointGroup::parse(*point_group);
  FcidumpFile file;
  {
    const nb::gil_scoped_release release;
    file = read_fcidump(path, options);
  }
  if (file.complex) {
    throw InputError(fmt::format(
        "{}: the integrals are complex, and a Hamiltonian is of real ones; cisolve.run takes the file",
        path.string()));
  }
  for (const std::string& warning : file.warnings) {
    if (PyErr_WarnEx(PyExc_UserWarning, warning.c_str(), 2) != 0) throw nb::python_error();
  }
  return {std::make_shared<const Integrals>(std::move(file.integrals)), options.point_group,
          file.num_electrons, file.ms2};
}

nb::any one_electron_array(const Hamiltonian& self) {
  const Integrals& integrals = *self.integrals;
  const auto of_spin = [&](Spin spin) {
    Matrix h(integrals.num_orbitals, integrals.num_orbitals);
    for (int q = 0; q < h.columns(); ++q) {
      for (int p = 0; p < h.rows(); ++p) h(p, q) = integrals.h(spin, p, q);
    }
    return to_numpy(h);
  };
  if (!integrals.is_unrestricted()) return any_of(nb::cast(of_spin(Spin::alpha)));
  return any_of(nb::make_tuple(of_spin(Spin::alpha), of_spin(Spin::beta)));
}

template <class Element>
NumpyArray<double> two_electron_array(int n, const Element& element) {
  const auto size = static_cast<std::size_t>(n);
  std::vector<double> values;
  values.reserve(size * size * size * size);
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q < n; ++q) {
      for (int r = 0; r < n; ++r) {
        for (int s = 0; s < n; ++s) values.push_back(element(p, q, r, s));
      }
    }
  }
  return to_numpy(std::move(values), {size, size, size, size});
}

nb::any two_electron_arrays(const Hamiltonian& self) {
  const Integrals& integrals = *self.integrals;
  const auto of_spin = [&](Spin spin) {
    return two_electron_array(integrals.num_orbitals,
                              [&](int p, int q, int r, int s) { return integrals.eri(spin, p, q, r, s); });
  };
  if (!integrals.is_unrestricted()) return any_of(nb::cast(of_spin(Spin::alpha)));
  const auto mixed = two_electron_array(integrals.num_orbitals, [&](int p, int q, int r, int s) {
    return integrals.mixed(Spin::alpha, p, q, r, s);
  });
  return any_of(nb::make_tuple(of_spin(Spin::alpha), mixed, of_spin(Spin::beta)));
}

}  // namespace

void bind_hamiltonian(nb::module_& module) {
  nb::class_<Hamiltonian>(module, "Hamiltonian",
                          "Real integrals over spatial orbitals, in hartree.\n\n"
                          "Chemists' order: eri[p, q, r, s] = (pq|rs). Orbitals count from 0.")
      .def("__init__", &make, nb::arg("h"), nb::arg("eri"), nb::arg("core_energy") = 0.0,
           nb::arg("irreps") = nb::none(), nb::arg("point_group") = nb::none(),
           "h: [n, n]. eri: [n, n, n, n], [np, np] or [np (np + 1) / 2] with np = n (n + 1) / 2 pairs p >= "
           "q.\n"
           "Of orbitals of their own for each spin: h = (alpha, beta), eri = (alpha-alpha, alpha-beta, "
           "beta-beta).\n"
           "core_energy: nuclear repulsion and the energy of frozen orbitals.\n"
           "irreps: number of each orbital's irrep from 1, in Molpro's order. point_group: \"D2h\" or a "
           "subgroup.\n\n"
           "Raises InputError: shapes or symmetries that do not fit.")
      .def_static("from_fcidump", &from_fcidump, nb::arg("path"), nb::arg("point_group") = nb::none(),
                  "Reads an FCIDUMP file of any layout of real integrals, plain or gzip-compressed.")
      .def(
          "write_fcidump",
          [](const Hamiltonian& self, const std::filesystem::path& path, int electrons, int ms2, int isym) {
            const int n = self.num_orbitals();
            if (electrons < 0 || electrons > 2 * n)
              throw InputError(
                  fmt::format("electrons: found {}; in {} orbitals it must be 0 to {}", electrons, n, 2 * n));
            if (std::abs(ms2) > std::min(electrons, 2 * n - electrons) || (electrons + ms2) % 2 != 0)
              throw InputError(fmt::format("ms2: found {}, which {} electrons in {} orbitals do not have",
                                           ms2, electrons, n));
            if (isym < 1 || isym > 8)
              throw InputError(fmt::format("isym: found {}; it must be 1 to 8", isym));
            const nb::gil_scoped_release release;
            write_fcidump(path, *self.integrals, electrons, ms2, isym);
          },
          nb::arg("path"), nb::arg("electrons"), nb::arg("ms2") = 0, nb::arg("isym") = 1,
          "Writes an FCIDUMP file with 17 digits, gzip-compressed where the name ends in .gz.")
      .def_prop_ro("n_orbitals", &Hamiltonian::num_orbitals, "Spatial orbitals.")
      .def_prop_ro(
          "core_energy", [](const Hamiltonian& self) { return self.integrals->core_energy; }, "Hartree.")
      .def_prop_ro(
          "irreps",
          [](const Hamiltonian& self) {
            std::vector<std::int64_t> numbers;
            for (const int irrep : self.integrals->irreps) numbers.push_back(irrep + 1);
            return to_numpy(std::move(numbers));
          },
          nb::rv_policy::move, "Numbers of the orbitals' irreps, from 1, in Molpro's order.")
      .def_prop_ro(
          "point_group", [](const Hamiltonian& self) { return self.point_group.name(); },
          "Name of the point group, or \"unknown\".")
      .def_prop_ro(
          "unrestricted", [](const Hamiltonian& self) { return self.integrals->is_unrestricted(); },
          "Whether each spin has orbitals of its own.")
      .def_ro("electrons", &Hamiltonian::electrons, "Electrons that the FCIDUMP file said, or None.")
      .def_ro("ms2", &Hamiltonian::ms2, "Alpha less beta electrons that the FCIDUMP file said, or None.")
      .def_prop_ro("h", &one_electron_array, "One-electron integrals, [n, n]; of unrestricted ones a pair.")
      .def_prop_ro("eri", &two_electron_arrays,
                   "(pq|rs), [n, n, n, n]; of unrestricted ones alpha-alpha, alpha-beta, beta-beta.")
      .def("__repr__", [](const Hamiltonian& self) {
        return fmt::format("<cisolve.Hamiltonian of {} orbitals, {}>", self.num_orbitals(),
                           self.point_group.name());
      });
}

}  // namespace cisolve::python
