// SPDX-License-Identifier: MIT
#include "python/run.hpp"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <ostream>
#include <span>
#include <sstream>
#include <streambuf>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/io/hdf5_file.hpp"
#include "cisolve/tasks/export/export_result.hpp"
#include "cisolve/tasks/input/input.hpp"
#include "cisolve/tasks/input/keys.hpp"
#include "cisolve/tasks/input/places.hpp"
#include "cisolve/tasks/run/devices.hpp"
#include "cisolve/tasks/run/task.hpp"
#include "python/arrays.hpp"
#include "python/call.hpp"

namespace cisolve::python {
namespace {

/// Hands lines over to a function of Python's.
class PythonStream final : public std::streambuf {
public:
  PythonStream(Call& call, const nb::callable& write) : call_(call), write_(write) {}

protected:
  int_type overflow(int_type c) override {
    if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
    text_.push_back(traits_type::to_char_type(c));
    if (text_.back() == '\n') sync();
    return c;
  }
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    text_.append(text, static_cast<std::size_t>(size));
    if (text_.find('\n') != std::string::npos) sync();
    return size;
  }
  int sync() override {
    if (text_.empty()) return 0;
    call_.tell([this] { write_(std::exchange(text_, {})); });
    return 0;
  }

private:
  Call& call_;
  const nb::callable& write_;
  std::string text_;
};

/// HDF5 that is not built for threads is used by one at a time.
std::unique_lock<std::mutex> lock_of_hdf5() {
  static std::mutex mutex;
  std::unique_lock<std::mutex> lock(mutex, std::defer_lock);
  if (!hdf5_is_thread_safe()) lock.lock();
  return lock;
}

const char* name_of(RunOutcome outcome) {
  switch (outcome) {
    case RunOutcome::converged:
      return "converged";
    case RunOutcome::not_converged:
      return "not converged";
    case RunOutcome::not_certified:
      return "not certified";
    case RunOutcome::interrupted:
      return "interrupted";
  }
  return "unknown";
}

int level_of(LogLevel level) {
  constexpr int of_debug = 10, of_info = 20, of_warning = 30;  // of Python's logging
  return level == LogLevel::debug ? of_debug : level == LogLevel::info ? of_info : of_warning;
}

std::vector<InputOverride> overrides_of(const std::vector<std::pair<std::string, std::string>>& settings) {
  std::vector<InputOverride> overrides;
  for (const auto& [key, value] : settings)
    overrides.push_back({.key = key, .value = value, .where = "set " + key});
  return overrides;
}

std::string run_task(const std::string& text, const std::string& source_name,
                     const std::vector<std::pair<std::string, std::string>>& settings, bool restart,
                     bool extend, const nb::callable& on_event, const nb::callable& on_log,
                     const nb::callable& write) {
  const Input input = parse_input(text, source_name, overrides_of(settings));
  Call call;
  RunControl control;
  control.stop = call.stop_token();
  control.quiet = true;  // progress comes as events
  control.log = [&](LogLevel level, std::string_view line) {
    call.tell([&] { on_log(level_of(level), std::string(line)); });
  };
  control.observe = [&](const RunEvent& event) {
    call.ask([&] {
      const auto array = [](std::span<const double> values) {
        return to_numpy(std::vector<double>(values.begin(), values.end()));
      };
      const nb::object answer = on_event(std::string(event.stage), event.iteration, array(event.energies),
                                         array(event.residual_norms));
      return !answer.is(nb::bool_(false));
    });
  };
  PythonStream buffer(call, write);
  std::ostream report(&buffer);
  RunOutcome outcome = RunOutcome::converged;
  call.run_aside([&] {
    const auto lock = lock_of_hdf5();
    const RunOptions options{.restart = restart, .extend = extend};
    outcome = with_places(input, [&] { return task_of(input).run(input, options, control, report); });
    report.flush();
  });
  return name_of(outcome);
}

/// Keys that an input gives, with the values of those that are texts.
std::vector<std::pair<std::string, std::string>> given_keys(
    const std::string& text, const std::string& source_name,
    const std::vector<std::pair<std::string, std::string>>& settings) {
  const Input input = parse_input(text, source_name, overrides_of(settings));
  std::vector<std::pair<std::string, std::string>> given;
  for (const auto& [key, entry] : input.entries) {
    const auto* value = std::get_if<std::string>(&entry.value);
    given.emplace_back(key, value != nullptr ? *value : std::string());
  }
  return given;
}

/// @return what was written
std::string export_of(const std::filesystem::path& result, const std::filesystem::path& file,
                      std::optional<int> root, bool average, bool integrals, bool natural, double threshold,
                      std::optional<int> point) {
  const ExportOptions options{.root = root,
                              .average = average,
                              .integrals = integrals,
                              .natural = natural,
                              .threshold = threshold,
                              .point = point};
  std::ostringstream report;
  Call call;
  call.run([&] {
    const auto lock = lock_of_hdf5();
    export_result(result, file, options, report);
  });
  return report.str();
}

std::string check_task(const std::string& text, const std::string& source_name,
                       const std::vector<std::pair<std::string, std::string>>& settings, bool verbose) {
  const Input input = parse_input(text, source_name, overrides_of(settings));
  std::ostringstream report;
  Call call;
  call.run_aside([&] {
    const auto lock = lock_of_hdf5();
    with_places(input, [&] {
      RunControl control;
      control.verbose = verbose;
      task_of(input).check(input, report, {}, control);
      return 0;
    });
  });
  return report.str();
}

std::string show(const std::filesystem::path& file, bool verbose) {
  std::ostringstream report;
  Call call;
  call.run([&] {
    const auto lock = lock_of_hdf5();
    show_result(file, report, verbose);
  });
  return report.str();
}

std::string page_of(const std::filesystem::path& file, const std::filesystem::path& page) {
  std::ostringstream report;
  Call call;
  call.run([&] {
    const auto lock = lock_of_hdf5();
    write_page(file, page, report);
  });
  return report.str();
}

std::pair<bool, std::string> verify(const std::filesystem::path& file, bool thorough) {
  std::ostringstream report;
  bool holds = false;
  Call call;
  call.run_aside([&] {
    const auto lock = lock_of_hdf5();
    holds = verify_result(file, report, thorough);
  });
  return {holds, report.str()};
}

/// Names of all keys, or one with what `cisolve explain` says of it.
std::vector<std::string> key_names() {
  std::vector<std::string> names;
  for (const InputKey& key : input_keys()) names.emplace_back(key.path);
  return names;
}

}  // namespace

void bind_run(nb::module_& module) {
  module.def("run_task", &run_task, nb::arg("text"), nb::arg("source_name"), nb::arg("settings"),
             nb::arg("restart"), nb::arg("extend"), nb::arg("on_event"), nb::arg("on_log"), nb::arg("write"),
             "Does a calculation as the program does; returns how it ended.");
  module.def("given_keys", &given_keys, nb::arg("text"), nb::arg("source_name"), nb::arg("settings"),
             "Keys that an input gives, with the values of those that are texts.");
  module.def("export_result", &export_of, nb::arg("result"), nb::arg("file"), nb::arg("root"),
             nb::arg("average"), nb::arg("integrals"), nb::arg("natural"), nb::arg("threshold"),
             nb::arg("point"), "Writes a part of a result file for other programs; roots and points from 1.");
  module.def("check_task", &check_task, nb::arg("text"), nb::arg("source_name"), nb::arg("settings"),
             nb::arg("verbose"), "The plan of a calculation, as --check prints it.");
  module.def("show", &show, nb::arg("file"), nb::arg("verbose") = false, "The report of a result file.");
  module.def("write_page", &page_of, nb::arg("file"), nb::arg("page"),
             "Writes a result file as a page of HTML.");
  module.def("verify", &verify, nb::arg("file"), nb::arg("thorough") = false,
             "Does the certificates of a result file again: (whether all hold, what is said of them).");
  module.def("key_names", &key_names, "All keys of the input.");
  module.def(
      "explain", [](const std::string& key) { return explain_input(key); }, nb::arg("key"),
      "What a key of the input means.");
  module.def("devices", &visible_devices, "What calculations can use, a line each.");
}

}  // namespace cisolve::python
