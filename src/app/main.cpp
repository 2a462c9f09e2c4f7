// SPDX-License-Identifier: MIT
// The program: command line, exit codes, signals.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_color_sinks.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "app/command_line.hpp"
#include "app/launcher.hpp"
#include "app/out_of_memory.hpp"
#include "app/signals.hpp"
#include "app/version.hpp"
#include "cisolve/core/error.hpp"
#include "cisolve/core/thread_scope.hpp"
#include "cisolve/tasks/input/input.hpp"
#include "cisolve/tasks/input/keys.hpp"
#include "cisolve/tasks/input/places.hpp"
#include "cisolve/tasks/lint/lint.hpp"
#include "cisolve/tasks/run/task.hpp"

namespace cisolve::app {

namespace {

namespace exit_status {
constexpr int success = 0, input_error = 1, not_converged = 2, does_not_fit = 3, system_error = 4;
constexpr int not_certified = not_converged;
constexpr int signal_base = 128;  // the shell's convention: 130 for SIGINT, 143 for SIGTERM, 129 for SIGHUP

/// Of a process that has left its work where it failed.
constexpr bool is_failure(int status) {
  return status == input_error || status == does_not_fit || status == system_error;
}

/// That of a refusal.
constexpr bool is_refusal(int status) { return status == input_error || status == does_not_fit; }
}  // namespace exit_status

/// A logger on stderr, one line per message, coloured on a terminal only.
std::shared_ptr<spdlog::logger> make_logger() {
  auto logger =
      std::make_shared<spdlog::logger>("cisolve", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
  logger->set_pattern("cisolve: %^%l%$: %v");
  logger->flush_on(spdlog::level::trace);
  return logger;
}

RunControl make_control(SignalWatcher& signals, spdlog::logger& logger, int verbosity,
                        const ServedRanks* served) {
  RunControl control;
  control.served = served;
  control.hear = [&signals](const Requests& requests) { signals.hear(requests); };
  control.stop = signals.stop_token();
  control.take_checkpoint_request = [&signals] { return signals.take_checkpoint_request(); };
  control.log = [&logger](LogLevel level, std::string_view line) {
    const auto severity = level == LogLevel::debug  ? spdlog::level::debug
                          : level == LogLevel::info ? spdlog::level::info
                                                    : spdlog::level::warn;
    logger.log(severity, line);
  };
  control.quiet = verbosity < 0;
  control.verbose = verbosity > 0;
  control.progress_bar = isatty(STDERR_FILENO) == 1;
  return control;
}

int interrupted_status(const SignalWatcher& signals) {
  const int signal = signals.stop_signal();
  return exit_status::signal_base + (signal == 0 ? SIGINT : signal);
}

int exit_status_of(RunOutcome outcome, const SignalWatcher& signals) {
  if (outcome == RunOutcome::interrupted) return interrupted_status(signals);
  return outcome == RunOutcome::converged ? exit_status::success : exit_status::not_converged;
}

int run(const CommandLine& line, spdlog::logger& logger, const ServedRanks* served) {
  SignalWatcher signals;  // before any other thread
  const RunControl control = make_control(signals, logger, line.verbosity, served);
  if (line.written != nullptr) line.written->require_name(line.export_file);
  const Input input = read_input(line.file, line.overrides);
  try {
    return with_places(input, [&] {
      if (line.written != nullptr) {
        line.written->write(input, line.export_file, control, std::cout);
        return exit_status::success;
      }
      const RunOptions options{.restart = line.restart, .extend = line.extend, .checkpoint = line.checkpoint};
      return exit_status_of(task_of(input).run(input, options, control, std::cout), signals);
    });
  } catch (const Interrupted& interruption) {
    logger.warn(std::string_view(interruption.what()));
  }
  return interrupted_status(signals);
}

/// @param served  the other processes; null: there are none
int perform(const CommandLine& line, spdlog::logger& logger, const ServedRanks* served) {
  switch (line.action) {
    case Action::run:
    case Action::write_export:
      return run(line, logger, served);
    case Action::check: {
      const Input input = read_input(line.file, line.overrides);
      RunControl control;
      control.served = served;
      control.verbose = line.verbosity > 0;
      with_places(input, [&] {
        task_of(input).check(input, std::cout, {.device_memory = line.device_memory}, control);
      });
      break;
    }
    case Action::write_template:
      std::cout << input_template();
      break;
    case Action::explain:
      std::cout << (line.markdown      ? input_keys_markdown()
                    : line.key.empty() ? list_input_keys()
                                       : explain_input(line.key));
      break;
    case Action::show:
      show_result(line.file, std::cout, line.verbosity > 0);
      break;
    case Action::report:
      write_page(line.file, line.page, std::cout);
      break;
    case Action::verify:
      if (!verify_result(line.file, std::cout, line.thorough)) return exit_status::not_certified;
      break;
    case Action::lint:
      if (!lint_fcidump(line.file, std::cout)) return exit_status::input_error;
      break;
    case Action::export_result:
      export_result(line.file, line.export_file, line.export_options, std::cout);
      break;
    case Action::print_version:
      std::cout << version_text();
      break;
    case Action::print_help:
      std::cout << line.help;
      break;
  }
  return exit_status::success;
}

/// A reader that has gone away (`cisolve template | head`) is no failure; a full disk is.
void check_stdout() {
  std::cout.flush();
  struct stat status = {};
  const bool is_pipe =
      fstat(STDOUT_FILENO, &status) == 0 && (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode));
  if (!std::cout && !is_pipe) throw SystemError("standard output cannot be written");
}

/// A standard stream that the caller closed would lend its number to the next file that is opened,
/// and the report would be written into that.
void open_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) != -1) continue;
    if (open("/dev/null", O_RDWR) != stream) return;  // the lowest free number is this one
  }
}

/// One line, whatever files and arguments put into it: a terminal obeys control characters.
void log_error(spdlog::logger& logger, std::string message) {
  std::ranges::replace_if(
      message, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
  logger.error(std::string_view(message));
}

/// The processes that were started together, if several were.
void join_processes(std::optional<MpiSession>& session, spdlog::logger& logger) {
  const std::optional<Launcher> launcher = launcher_of_environment();
  session.emplace(launcher);
  const std::string warning = binding_warning(launcher, *session);
  if (!warning.empty() && session->world().rank() == 0) logger.warn(std::string_view(warning));
}

/// The first process: does what the command line says.
int lead(int argc, char** argv, spdlog::logger& logger, const MpiSession& session) {
  std::optional<ServedRanks> served;
  std::optional<ThreadScope> threads;
  if (session.world().size() > 1) {
    served.emplace(session.world(), NodePlace{session.node_rank(), session.node_processes()});
    threads.emplace(threads_beside_others(session));
  }
  const CommandLine line = CommandLineParser().parse(argc, argv);
  logger.set_level(line.verbosity < 0   ? spdlog::level::err
                   : line.verbosity > 0 ? spdlog::level::debug
                                        : spdlog::level::info);
  const int status = perform(line, logger, served ? &*served : nullptr);
  if (status < exit_status::signal_base) check_stdout();  // the terminal of a SIGHUP is gone
  return status;
}

/// The others: work for the first, whose status is that of all. A signal that asks to stop waits until it comes to be told of
/// it, however long an iteration takes; where it never does, the launcher ends its processes.
int serve(const MpiSession& session) {
  SignalWatcher signals;
  serve_ranks(session.world(), {.node = {session.node_rank(), session.node_processes()},
                                .take_requests = [&] { return signals.take_requests(); },
                                .do_work = serve_task});
  return exit_status::success;
}

int guarded_main(int argc, char** argv, spdlog::logger& logger, std::optional<MpiSession>& session) {
  std::string who;  // where others speak, too
  try {
    join_processes(session, logger);
    const int rank = session->world().rank();
    if (rank == 0) return lead(argc, argv, logger, *session);
    who = fmt::format("rank {}: ", rank);
    speak_as_rank(rank);
    return serve(*session);
  } catch (const RankFailed&) {
    return exit_status::system_error;  // whose reason the other says
  } catch (const InputError& error) {
    log_error(logger, who + error.what());
    return exit_status::input_error;
  } catch (const ResourceError& error) {
    log_error(logger, who + error.what());
    return exit_status::does_not_fit;
  } catch (const std::bad_alloc&) {
    say_out_of_memory();
    return exit_status::does_not_fit;
  } catch (const std::exception& error) {
    const auto* system = dynamic_cast<const std::system_error*>(&error);
    const bool is_thread = system != nullptr && system->code() == std::errc::resource_unavailable_try_again;
    log_error(logger,
              who + (is_thread ? "the system refuses a thread; ulimit -u and ulimit -v say how many and how "
                                 "much it gives"
                               : error.what()));
    return is_thread ? exit_status::does_not_fit : exit_status::system_error;
  }
}

/// Whether others may wait for this process. What the first refuses before it shares work, it has told them to end for.
bool must_end_others(const MpiSession& session, int status) {
  if (session.world().size() == 1 || !exit_status::is_failure(status)) return false;
  return session.world().rank() != 0 || session.has_failed() || !exit_status::is_refusal(status);
}

}  // namespace

}  // namespace cisolve::app

int main(int argc, char** argv) {
  cisolve::app::open_closed_streams();
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on file sizes is an I/O error, reported as such
  std::signal(SIGPIPE, SIG_IGN);  // a closed stdout must not lose the results
  std::cerr.rdbuf(nullptr);       // HDF5 prints there what we report; the log goes past it
  cisolve::app::end_where_memory_is_refused(cisolve::app::exit_status::does_not_fit);
  const auto logger = cisolve::app::make_logger();
  std::optional<cisolve::MpiSession> session;
  const int status = cisolve::app::guarded_main(argc, argv, *logger, session);
  cisolve::app::allow_exit();
  if (session && cisolve::app::must_end_others(*session, status)) {
    std::cout.flush();
    session->abort(status);
  }
  session.reset();
  if (status == cisolve::app::exit_status::success) return status;
  // After a failure the libraries' own tidying at exit may fail, too: HDF5 tries again what it could not write.
  std::cout.flush();
  std::_Exit(status);
}
