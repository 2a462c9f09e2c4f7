// SPDX-License-Identifier: MIT
#include "io/quarantine.hpp"

#include <H5Cpp.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <new>
#include <string_view>
#include <system_error>
#include <utility>

#include "cisolve/core/error.hpp"
#include "core/stopwatch.hpp"
#include "io/foreign_copy.hpp"
#include "io/hdf5_state.hpp"

namespace cisolve {
namespace {

// What the process of a quarantine may take.
constexpr std::uint64_t free_memory = 512 << 20;    // bytes
constexpr double free_seconds = 0.6;                // of processor time
constexpr double structure_bytes_per_second = 2e6;  // of a file of nothing but small objects,
constexpr double most_structure_seconds = 60.0;
constexpr double array_bytes_per_second = 5e7;  // and of one of large arrays
constexpr double waiting = 20;  // times as long, by the clock: of slow disks, and of machines with other work
constexpr std::uint64_t in_memory_up_to = 256 << 20;  // bytes

// The first character of what it says at its end; a sentence follows, or nothing.
constexpr char copied = 'c', refused = 'r', no_room = 'n';

double seconds_for(std::uint64_t bytes) {
  const auto size = static_cast<double>(bytes);
  return free_seconds + std::min(size / structure_bytes_per_second, most_structure_seconds) +
         size / array_bytes_per_second;
}

[[noreturn]] void cannot_read(const std::string& name, int error) {
  throw SystemError("cannot read '" + name + "': " + std::generic_category().message(error));
}

/// A file without a name.
FileDescriptor make_nameless(std::uint64_t bytes, const std::string& name) {
  FileDescriptor file;
  if (bytes > in_memory_up_to) {
    std::error_code error;
    const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
    if (!error) file.reset(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  }
  if (file.get() < 0) file.reset(::memfd_create("cisolve-quarantine", MFD_CLOEXEC));
  if (file.get() < 0) cannot_read(name, errno);
  return file;
}

// --- in the process of its own

void limit_process(std::uint64_t file_bytes, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGPROF}) ::signal(signal, SIG_DFL);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGPIPE}) ::signal(signal, SIG_IGN);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  std::uint64_t pages = 0;
  if (std::ifstream("/proc/self/statm") >> pages) {
    const rlim_t most = pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) + free_memory;
    rlimit memory{};
    ::getrlimit(RLIMIT_AS, &memory);
    memory.rlim_cur = std::min(most, memory.rlim_max);
    ::setrlimit(RLIMIT_AS, &memory);
  }
  const double seconds = seconds_for(file_bytes);
  itimerval timer{};
  timer.it_value.tv_sec = static_cast<time_t>(seconds);
  timer.it_value.tv_usec =
      static_cast<suseconds_t>(1e6 * (seconds - static_cast<double>(timer.it_value.tv_sec)));
  ::setitimer(ITIMER_PROF, &timer, nullptr);
  // A crash is told in a sentence of ours.
  const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  ::dup2(nowhere, STDOUT_FILENO);
  ::dup2(nowhere, STDERR_FILENO);
}

std::string copy_file(const FileDescriptor& file, std::uint64_t bytes, FileDescriptor copy,
                      const std::string& name) {
  const std::string path = "/proc/self/fd/" + std::to_string(file.get());
  H5PLset_loading_state(0);
  if (H5Fis_hdf5(path.c_str()) <= 0) return refused + ("'" + name + "' is not an HDF5 file");
  try {
    hdf5::capture_errors();
    const H5::H5File from(path, H5F_ACC_RDONLY);
    Hdf5FileState to(SealedBytes::of_file(std::move(copy), name, SealedBytes::Use::create), name,
                     H5F_ACC_TRUNC);
    try {
      const H5::Group root = from.openGroup("/");
      H5::Group root_of_copy = to.file->openGroup("/");
      hdf5::copy_foreign(root, root_of_copy, bytes, name);
      root_of_copy.close();
      to.close();
    } catch (const SystemError& error) {
      if (to.bytes.has_failed()) throw;
      // There was room: the library does not write what it misread.
      return refused + ("'" + name + "' is damaged, or no file of cisolve: " + error.what());
    }
    return {copied};
  } catch (const InputError& error) {
    return refused + std::string(error.what());
  } catch (const SystemError& error) {
    return no_room + std::string(error.what());
  } catch (const H5::Exception& error) {
    const std::string& reason = hdf5::last_error();
    return refused + ("'" + name + "' is damaged, or no file of cisolve: ") +
           (reason.empty() ? error.getDetailMsg() : reason);
  } catch (const std::bad_alloc&) {
    return refused + ("'" + name + "' is damaged: it claims more than a file of its size can hold");
  }
}

[[noreturn]] void be_the_copier(const FileDescriptor& file, std::uint64_t bytes, FileDescriptor copy,
                                const std::string& name, const FileDescriptor& to_parent) noexcept {
  const std::string result = copy_file(file, bytes, std::move(copy), name);
  const ssize_t written = ::write(to_parent.get(), result.data(), result.size());
  ::_exit(written == std::ssize(result) ? 0 : 1);
}

// --- outside

/// All that comes through a pipe within so many seconds.
std::string read_all(const FileDescriptor& pipe, double seconds) {
  std::string text;
  std::array<char, 4096> buffer{};
  const Stopwatch clock;
  for (;;) {
    pollfd waited{pipe.get(), POLLIN, 0};
    const double left = seconds - clock.seconds();
    if (left <= 0) return "";
    const int ready = ::poll(&waited, 1, static_cast<int>(1e3 * std::min(left, 1e6)) + 1);
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    const ssize_t got = ::read(pipe.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

/// Why a process ended that said nothing.
std::string last_words(int status) {
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF) return "reading it does not come to an end";
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
    return "reading it took too long, or too much memory";
  return "the HDF5 library crashes when it reads it";
}

}  // namespace

FileDescriptor copy_in_quarantine(const FileDescriptor& file, const std::string& name) {
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) cannot_read(name, errno);
  const auto bytes = static_cast<std::uint64_t>(info.st_size);
  FileDescriptor copy = make_nameless(bytes, name);
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) cannot_read(name, errno);
  const FileDescriptor from_child(ends[0]);
  FileDescriptor to_parent(ends[1]);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) cannot_read(name, errno);
  if (child == 0) {
    limit_process(bytes, parent);
    be_the_copier(file, bytes, std::move(copy), name, to_parent);
  }
  to_parent.reset();
  const std::string result = read_all(from_child, waiting * seconds_for(bytes));
  if (result.empty()) ::kill(child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (result.empty()) throw InputError("'" + name + "' is damaged: " + last_words(status));
  if (result.front() == no_room) throw SystemError(result.substr(1));
  if (result.front() != copied) throw InputError(result.substr(1));
  return copy;
}

}  // namespace cisolve
