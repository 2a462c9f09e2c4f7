// SPDX-License-Identifier: MIT
// The module cisolve._core: what the package python/cisolve is made over.
#include <nanobind/nanobind.h>

#include "build_info.hpp"
#include "cisolve/core/error.hpp"
#include "python/call.hpp"
#include "python/densities.hpp"
#include "python/hamiltonian.hpp"
#include "python/operator.hpp"
#include "python/run.hpp"
#include "python/selected.hpp"
#include "python/space.hpp"

namespace nb = nanobind;

namespace {

/// An exception that is a cisolve.Error and one of Python's own.
template <class T>
void bind_exception(nb::module_& module, const char* name, PyObject* kind, const char* meaning) {
  const nb::tuple bases = nb::make_tuple(nb::object(module.attr("Error")), nb::handle(kind));
  nb::exception<T>(module, name, bases).doc() = meaning;
}

/// Exceptions by kind: what is bound last is tried first.
void bind_exceptions(nb::module_& module) {
  using namespace cisolve;
  nb::exception<Error>(module, "Error").doc() =
      "What cisolve throws: one of its kinds, or where none says more this.";
  bind_exception<DimensionError>(module, "DimensionError", PyExc_ValueError, "Arguments do not go together.");
  bind_exception<InputError>(module, "InputError", PyExc_ValueError, "What was asked for or given is wrong.");
  bind_exception<ResourceError>(module, "ResourceError", PyExc_MemoryError,
                                "It does not fit the memory or the device.");
  bind_exception<SystemError>(module, "SystemError", PyExc_OSError, "Files, or the device, failed.");
  nb::exception<Interrupted>(module, "Interrupted", PyExc_KeyboardInterrupt).doc() =
      "Stopped before there was anything to keep.";
}

}  // namespace

NB_MODULE(_core, module) {
  module.doc() = "Configuration interaction: the C++ library.";
  module.attr("version") = cisolve::build_info::version;
  bind_exceptions(module);
  cisolve::python::bind_hamiltonian(module);
  cisolve::python::bind_space(module);
  cisolve::python::bind_operator(module);
  cisolve::python::bind_densities(module);
  cisolve::python::bind_selected(module);
  cisolve::python::bind_run(module);
  // A thread that is in C++ when the interpreter ends could not return to it any more.
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(&cisolve::python::Call::end_all));
}
