// SPDX-License-Identifier: MIT
#include "app/out_of_memory.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>

#include "cisolve/core/error.hpp"
#include "cisolve/tasks/run/task.hpp"

namespace cisolve::app {
namespace {

// The handlers that the language and the system call have no arguments.
std::atomic<bool> was_refused = false, may_exit = false;
std::atomic<int> status_then = EXIT_FAILURE;
std::atomic<pid_t> run_process = 0;
std::atomic<int> rank_of_process = 0;
struct sigaction earlier_action = {};

/// C libraries ask for memory themselves.
bool is_out_of_memory() { return was_refused || errno == ENOMEM; }

/// Not a process that was forked to read a file: the files are its parent's.
bool is_the_run() { return ::getpid() == run_process; }

[[noreturn]] void end_run() {
  abandon_files();
  say_out_of_memory();
  std::_Exit(status_then);
}

[[noreturn]] void on_refusal() {
  was_refused = true;
  throw std::bad_alloc();
}

/// Whether what ends the program is memory that was refused: an exception that says so, or another or none at all
/// after some was refused.
bool is_out_of_memory_now() noexcept {
  const std::exception_ptr thrown = std::current_exception();
  if (!thrown) return is_out_of_memory();
  try {
    std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    return true;
  } catch (const ResourceError&) {
    return true;
  } catch (...) {
    return errno == ENOMEM;
  }
}

[[noreturn]] void on_termination() {
  if (!is_out_of_memory_now() || !is_the_run()) std::abort();  // a mistake of ours
  end_run();
}

/// Some libraries end the program where they have no memory: the hash tables in HDF5, OpenMP's run time.
void on_exit() {
  if (may_exit || !is_the_run()) return;
  if (is_out_of_memory()) end_run();
  abandon_files();
}

/// Others go on with the null that they were given. Anything else is a mistake, which the system then sees.
void on_bad_address(int /*signal*/, siginfo_t* info, void* /*context*/) {
  constexpr std::uintptr_t reach = 1 << 16;  // bytes: of members, and headers before an allocation
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  const bool was_sent = info->si_code <= 0;  // by kill
  const bool is_near_null = !was_sent && address + reach < 2 * reach;
  if (is_near_null && is_out_of_memory() && is_the_run()) end_run();
  ::sigaction(SIGSEGV, &earlier_action, nullptr);
  if (was_sent) ::raise(SIGSEGV);  // a bad address is met again by itself
}

}  // namespace

void say_out_of_memory() noexcept {
  constexpr std::string_view begin = "cisolve: error: ", who = "rank ",
                             sentence =
                                 "the system refused memory that the run needs; cisolve FILE --check "
                                 "prints how much\n";
  std::array<char, begin.size() + who.size() + sentence.size() + 16> line{};
  char* end = std::ranges::copy(begin, line.begin()).out;
  if (const int rank = rank_of_process; rank > 0) {
    end = std::ranges::copy(who, end).out;
    end = std::to_chars(end, line.end(), rank).ptr;
    end = std::ranges::copy(std::string_view(": "), end).out;
  }
  end = std::ranges::copy(sentence, end).out;
  static_cast<void>(::write(STDERR_FILENO, line.data(), static_cast<std::size_t>(end - line.begin())) == 0);
}

void speak_as_rank(int rank) noexcept { rank_of_process = rank; }

void end_where_memory_is_refused(int status) noexcept {
  status_then = status;
  run_process = ::getpid();
  std::set_new_handler(on_refusal);
  std::set_terminate(on_termination);
  static_cast<void>(std::atexit(on_exit));  // refused where memory is: then a library has the last word
  struct sigaction action = {};
  action.sa_sigaction = on_bad_address;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGSEGV, &action, &earlier_action);
}

void allow_exit() noexcept { may_exit = true; }

}  // namespace cisolve::app
