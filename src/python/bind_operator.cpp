// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cisolve/analysis/spin.hpp"
#include "cisolve/core/error.hpp"
#include "cisolve/sparse/formats.hpp"
#include "python/arguments.hpp"
#include "python/arrays.hpp"
#include "python/call.hpp"
#include "python/operator.hpp"

namespace cisolve::python {
namespace {

/// Functions from which on work is done aside, so that Ctrl-C is heard at once.
constexpr std::int64_t long_work = 200'000;

void perform(Call& call, std::int64_t size, const std::function<void()>& work) {
  if (size >= long_work) {
    call.run_aside(work);
  } else {
    call.run(work);
  }
}

void require_storage(const std::string& name) {
  if (name == "auto" || name == "direct" || find_storage_format(name) != nullptr) return;
  std::string names = "\"auto\", \"direct\"";
  for (const StorageFormat& format : storage_formats()) names += fmt::format(", \"{}\"", format.name);
  throw InputError(fmt::format("storage: found '{}'; it must be one of {}", name, names));
}

void make(Operator* self, const Hamiltonian& hamiltonian, const Space& space, const std::string& storage,
          const std::string& device, int threads, std::optional<std::int64_t> memory, double threshold) {
  if (memory && *memory <= 0)
    throw InputError(fmt::format("memory: found {}; it must be bytes above 0, or None", *memory));
  require_not_negative(threshold, "threshold");
  require_storage(storage);
  const OperatorSettings settings{.storage = storage,
                                  .device = device_of(device),
                                  .threads = checked_threads(threads),
                                  .memory = memory.value_or(0),
                                  .threshold = threshold};
  Call call;
  perform(call, space.size(), [&] { new (self) Operator(hamiltonian, space, settings, call.stop_token()); });
}

/// A vector, or several as rows.
NumpyArray<double> rows_times(const Operator& self, nb::handle x) {
  const GivenVectors given(x, "x", self.space().size());
  Array<double> y(given.values().size());
  Call call;
  call.run([&] { self.apply(given.values(), y); });
  const auto size = static_cast<std::size_t>(self.space().size());
  if (given.is_one()) return to_numpy(std::move(y), {size});
  return to_numpy(std::move(y), {static_cast<std::size_t>(given.count()), size});
}

using DeviceVector = nb::ndarray<const double, nb::c_contig, nb::device::cuda>;
using DeviceOutput = nb::ndarray<double, nb::c_contig, nb::device::cuda>;

bool is_on_device(nb::handle x) {
  constexpr int of_cpu = 1;
  if (!nb::hasattr(x, "__dlpack_device__")) return false;
  return nb::cast<int>(nb::object(nb::object(x.attr("__dlpack_device__")())[0])) != of_cpu;
}

/// H times what CuPy or PyTorch has on the device, as an array of the same kind: their own allocator makes it.
nb::object times_on_device(const Operator& self, nb::handle x) {
  if (!self.finder().device())
    throw InputError(
        "x: it is on a device, and the Operator works on the CPU; make it with device = \"cuda\"");
  const auto module_name = nb::cast<std::string>(x.type().attr("__module__"));
  const nb::object y =
      nb::module_::import_(module_name.substr(0, module_name.find('.')).c_str()).attr("empty_like")(x);
  DeviceVector in;
  DeviceOutput out;
  if (!nb::try_cast(x, in, false) || !nb::try_cast(y, out, false))
    throw InputError("x: on a device it must be a contiguous array of float64");
  const auto size = static_cast<std::size_t>(self.space().size());
  const bool fits = (in.ndim() == 1 && in.shape(0) == size) || (in.ndim() == 2 && in.shape(1) == size);
  if (!fits || in.device_id() != *self.finder().device())
    throw InputError(fmt::format("x: on device {} it must be of shape ({},) or (count, {})",
                                 *self.finder().device(), size, size));
  Call call;
  call.run(
      [&] { self.apply_there(in.data(), in.ndim() == 1 ? 1 : static_cast<int>(in.shape(0)), out.data()); });
  return y;
}

nb::any matvec(const Operator& self, const ArrayLike& x) {
  if (is_on_device(x)) return any_of(times_on_device(self, x));
  // scipy hands over columns, too.
  const GivenArray<double> given(x, "x");
  const auto size = static_cast<std::size_t>(self.space().size());
  if (given.ndim() == 2 && given.shape(0) == size && given.shape(1) == 1) {
    const nb::object flat = nb::object(x.attr("reshape")(-1));
    return any_of(nb::cast(rows_times(self, flat)).attr("reshape")(-1, 1));
  }
  return any_of(nb::cast(rows_times(self, x)));
}

/// Columns, as scipy has several vectors.
nb::any matmat(const Operator& self, const ArrayLike& x) {
  if (is_on_device(x))
    throw InputError("x: of several vectors on a device use op.matvec with rows, shape (count, size)");
  const nb::object transposed = nb::object(x.attr("T"));
  return any_of(nb::cast(rows_times(self, transposed)).attr("T"));
}

nb::any times(const Operator& self, const ArrayLike& x) {
  if (!nb::hasattr(x, "ndim")) throw nb::type_error("x: it must be an array");
  return nb::cast<int>(x.attr("ndim")) == 2 ? matmat(self, x) : matvec(self, x);
}

NumpyArray<double> dense(const Operator& self, std::optional<std::vector<std::int64_t>> rows) {
  const std::int64_t size = self.space().size();
  constexpr std::int64_t most = 46'340;
  if (!rows) {
    if (size > most)
      throw InputError(
          fmt::format("rows: a dense matrix of order {} has no room; give the rows wanted", size));
    rows.emplace(static_cast<std::size_t>(size));
    std::iota(rows->begin(), rows->end(), std::int64_t{0});
  }
  for (const std::int64_t row : *rows) {
    if (row < 0 || row >= size)
      throw InputError(fmt::format("rows: there is no row {}; they are 0 to {}", row, size - 1));
  }
  Matrix block;
  Call call;
  call.run([&] { block = self.problem().basis->dense_block(*rows); });
  return to_numpy(block);
}

/// What a solver has found: cisolve.Roots.
struct FoundRoots {
  std::string status;
  std::vector<double> energies, residual_norms, s_squared;
  std::vector<bool> converged;
  std::vector<std::int64_t> irreps;
  Array<double> vectors;  ///< [roots, size]
  std::size_t size = 0;
  std::int64_t num_products = 0;
  std::vector<IterationRecord> history;
};

template <class T>
void append_kept(const std::vector<T>& from, const std::vector<std::size_t>& kept, std::vector<T>& to) {
  for (const std::size_t k : kept) to.push_back(from[k]);
}

FoundRoots roots_of(FoundStates states, std::size_t size) {
  LabelledRoots& found = states.found;
  FoundRoots roots;
  roots.status = status_name(found.roots.status);
  roots.size = size;
  roots.num_products = found.roots.num_applications;
  roots.history = std::move(found.roots.history);
  append_kept(found.roots.energies, states.kept, roots.energies);
  append_kept(found.roots.residual_norms, states.kept, roots.residual_norms);
  append_kept(found.roots.converged, states.kept, roots.converged);
  for (const std::size_t k : states.kept) {
    roots.s_squared.push_back(found.labels[k].s_squared);
    roots.irreps.push_back(found.labels[k].irrep == mixed_irrep ? 0 : found.labels[k].irrep + 1);
  }
  if (found.roots.vectors)
    roots.vectors = columns_of(*found.roots.vectors, states.kept);  // none when interrupted
  return roots;
}

/// What Python is told after an iteration.
nb::dict event_of(const SearchState& state) {
  nb::dict event;
  event["stage"] = "solve";
  event["iteration"] = state.record.iteration;
  event["energies"] = to_numpy(state.record.energies);
  event["residual_norms"] = to_numpy(state.record.residual_norms);
  event["seconds"] = state.record.seconds;
  return event;
}

FoundRoots solve(Operator& op, int count, const std::optional<ArrayLike>& guess,
                 std::optional<int> multiplicity, double tolerance, int max_iterations, bool follow,
                 bool probe, const std::optional<nb::callable>& progress) {
  if (count < 1) throw InputError(fmt::format("count: found {}; it must be 1 or more", count));
  if (!(tolerance > 0.0))
    throw InputError(fmt::format("tolerance: found {}; it must be above 0 hartree", tolerance));
  if (max_iterations < 1)
    throw InputError(fmt::format("max_iterations: found {}; it must be 1 or more", max_iterations));
  if (follow && !guess)
    throw InputError("follow: the roots of largest overlap with a guess are wanted, and there is none");
  std::optional<GivenVectors> start;
  StateSearchOptions options;
  if (guess && !guess->is_none()) {
    start.emplace(*guess, "guess", op.space().size());
    require_finite(start->values(), "guess");
    options.first.start = seen_vectors(start->values(), op.space().size());
    if (follow) count = start->count();
  }
  options.first.num_roots = static_cast<int>(std::min<std::int64_t>(count, op.space().size()));
  options.first.tolerance = tolerance;
  options.first.max_iterations = max_iterations;
  options.looks_for_missed = probe;
  Call call;
  options.first.observer = [&](const SearchState& state) {
    std::function<bool()> question;
    if (progress) {
      question = [&] {
        const nb::module_ events = nb::module_::import_("cisolve._events");
        const nb::object event = nb::object(events.attr("Event")(**event_of(state)));
        return nb::cast<bool>(events.attr("goes_on")((*progress)(event)));
      };
    }
    return call.ask(question) ? SolverAction::proceed : SolverAction::stop;
  };
  FoundStates states;
  perform(call, op.space().size(), [&] {
    states = op.find({.count = count, .multiplicity = multiplicity, .follow = follow}, std::move(options),
                     call.stop_token());
  });
  return roots_of(std::move(states), static_cast<std::size_t>(op.space().size()));
}

void bind_roots(nb::module_& module) {
  nb::class_<FoundRoots>(module, "Roots", "The lowest eigenstates that solve found, ascending.")
      .def_ro("status", &FoundRoots::status,
              "\"converged\", \"not converged\", \"stagnated\" or \"interrupted\".")
      .def_prop_ro(
          "energies", [](const FoundRoots& self) { return to_numpy(self.energies); }, nb::rv_policy::move,
          "Hartree, [count].")
      .def_prop_ro(
          "vectors",
          [](FoundRoots& self) {
            const nb::object owner = nb::find(self);
            return NumpyArray<double>(self.vectors.data(), {self.energies.size(), self.size}, owner);
          },
          nb::rv_policy::move,
          "Eigenvectors as rows, [count, size], orthonormal; seen where they are, not copied.")
      .def_prop_ro(
          "residual_norms", [](const FoundRoots& self) { return to_numpy(self.residual_norms); },
          nb::rv_policy::move, "|H c - E c|, hartree.")
      .def_prop_ro(
          "converged",
          [](const FoundRoots& self) {
            Array<bool> values(self.converged.size());
            std::copy(self.converged.begin(), self.converged.end(), values.data());
            return to_numpy(std::move(values), {self.converged.size()});
          },
          nb::rv_policy::move, "Whether each is, bool [count].")
      .def_prop_ro(
          "s_squared", [](const FoundRoots& self) { return to_numpy(self.s_squared); }, nb::rv_policy::move,
          "<S^2>, hbar^2.")
      .def_prop_ro(
          "multiplicities",
          [](const FoundRoots& self) {
            std::vector<double> values;
            for (const double s_squared : self.s_squared) values.push_back(multiplicity_of(s_squared));
            return to_numpy(std::move(values));
          },
          nb::rv_policy::move, "2S + 1 that <S^2> says.")
      .def_prop_ro(
          "irreps", [](const FoundRoots& self) { return to_numpy(self.irreps); }, nb::rv_policy::move,
          "Numbers of the irreps from 1; 0: several.")
      .def_ro("num_products", &FoundRoots::num_products, "Products of H with a vector.")
      .def_prop_ro(
          "iterations", [](const FoundRoots& self) { return self.history.size(); }, "Of the solver.")
      .def("__len__", [](const FoundRoots& self) { return self.energies.size(); })
      .def("__repr__", [](const FoundRoots& self) {
        return fmt::format("<cisolve.Roots: {}, {}>", self.energies.size(), self.status);
      });
}

}  // namespace

void bind_operator(nb::module_& module) {
  bind_roots(module);
  nb::class_<Operator>(module, "Operator",
                       "H over a space: a scipy.sparse.linalg.LinearOperator in all but name.\n\n"
                       "The core energy is on the diagonal. Vectors are float64; those of CuPy and PyTorch "
                       "on the device that it\n"
                       "works on go in and come out without a copy.")
      .def("__init__", &make, nb::arg("hamiltonian"), nb::arg("space"), nb::arg("storage") = "auto",
           nb::arg("device") = "auto", nb::arg("threads") = 0, nb::arg("memory") = nb::none(),
           nb::arg("threshold") = 0.0,
           "storage: as the key hamiltonian.storage: \"auto\", \"direct\" (not stored), \"csr\", \"hybrid\", "
           "\"coded\", ...\n"
           "device: \"auto\", \"cpu\" or \"cuda\". threads: 0 for all. memory: bytes that may be taken; "
           "None: 80% of what is free.\n"
           "threshold: hartree; elements of at most this magnitude are left out.\n\n"
           "Raises InputError, ResourceError.")
      .def_prop_ro(
          "shape",
          [](const Operator& self) { return nb::make_tuple(self.space().size(), self.space().size()); },
          "(size, size).")
      .def_prop_ro(
          "dtype", [](const Operator&) { return nb::module_::import_("numpy").attr("dtype")("float64"); },
          "float64.")
      .def_prop_ro(
          "space", [](const Operator& self) { return self.space(); }, "That it is over.")
      .def("matvec", &matvec, nb::arg("x"), "H x of a vector [size], or of several as rows [count, size].")
      .def("rmatvec", &matvec, nb::arg("x"), "The same: H is symmetric.")
      .def("matmat", &matmat, nb::arg("x"),
           "H x of several vectors as columns [size, count], as scipy has them.")
      .def("rmatmat", &matmat, nb::arg("x"), "The same: H is symmetric.")
      .def("__matmul__", &times, nb::arg("x"))
      .def(
          "diagonal",
          [](const Operator& self) {
            std::vector<double> diagonal;
            Call call;
            call.run([&] { diagonal = self.problem().basis->diagonal(); });
            return to_numpy(std::move(diagonal));
          },
          "The diagonal of H, hartree.")
      .def("dense", &dense, nb::arg("rows") = nb::none(), "H over some rows, or all, [rows, rows], hartree.")
      .def_prop_ro(
          "nonzeros", [](const Operator& self) { return self.finder().hamiltonian().nonzeros; },
          "Of both triangles, stored or not.")
      .def_prop_ro(
          "bytes", [](const Operator& self) { return self.finder().hamiltonian().bytes; }, "That it takes.")
      .def_prop_ro(
          "storage", [](const Operator& self) { return self.finder().hamiltonian().storage; },
          "How it is kept.")
      .def_prop_ro(
          "device", [](const Operator& self) { return self.finder().hamiltonian().device; },
          "What it works on, by name.")
      .def("__repr__", [](const Operator& self) {
        const HamiltonianSummary& h = self.finder().hamiltonian();
        return fmt::format("<cisolve.Operator of order {}, {}, {}>", self.space().size(), h.storage,
                           h.device);
      });
  module.def("solve", &solve, nb::arg("operator"), nb::arg("count") = 1, nb::arg("guess") = nb::none(),
             nb::arg("multiplicity") = nb::none(), nb::arg("tolerance") = 1e-6,
             nb::arg("max_iterations") = 100, nb::arg("follow") = false, nb::arg("probe") = true,
             nb::arg("progress") = nb::none(),
             "Finds the lowest eigenstates by the block Davidson method.\n\n"
             "count: more are given where the last would be cut out of a degenerate cluster.\n"
             "guess: vectors to start from, [size] or [k, size]. follow: those of largest overlap with it "
             "instead of the lowest.\n"
             "probe: looks, by a few more products, for states that the search missed.\n"
             "multiplicity: 2S + 1 of the states wanted; None: any. tolerance: of |H c - E c|, hartree.\n"
             "progress: called with an Event after each iteration; where it returns False the search ends as "
             "it stands.");
}

}  // namespace cisolve::python
