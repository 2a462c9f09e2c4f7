// SPDX-License-Identifier: MIT
#include "app/out_of_memory.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>

namespace cisolve::app {
namespace {

// The handlers that the language calls have no arguments.
std::atomic<bool> was_refused = false;
std::atomic<int> status_then = EXIT_FAILURE;

[[noreturn]] void on_refusal() {
  was_refused = true;
  throw std::bad_alloc();
}

/// Whether what ends the program is memory that was refused: an exception that says so, or none at all after one was
/// refused somewhere.
bool is_out_of_memory() noexcept {
  const std::exception_ptr thrown = std::current_exception();
  if (!thrown) return was_refused;
  try {
    std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    return true;
  } catch (...) {
    return false;
  }
}

[[noreturn]] void on_termination() {
  if (!is_out_of_memory()) std::abort();  // a mistake of ours
  say_out_of_memory();
  std::_Exit(status_then);
}

}  // namespace

void say_out_of_memory() noexcept {
  constexpr std::string_view sentence =
      "cisolve: error: the system refused memory that the run needs; cisolve FILE --check prints how much\n";
  static_cast<void>(::write(STDERR_FILENO, sentence.data(), sentence.size()) == 0);
}

void end_where_memory_is_refused(int status) noexcept {
  status_then = status;
  std::set_new_handler(on_refusal);
  std::set_terminate(on_termination);
}

}  // namespace cisolve::app
