// SPDX-License-Identifier: MIT
// To be preloaded: makes chosen system calls and allocations of a program fail, or ends it at one of them.
//
//   CISOLVE_FAULT=KIND:FIRST:TIMES:ACTION   TIMES: how many calls from number FIRST (from 1) on; 0: all of them
//   CISOLVE_FAULT_COUNTS=FILE               at its end the program writes there how often each kind was called
//
// cudaMalloc fails for want of device memory, whatever the error number; cudaLaunchKernel loses the device: all that is asked
// of it from then on fails as after a trap in a kernel.
//
// KIND is a name of `kinds` below. ACTION is the name of an error number (ENOSPC), "short" (half of what a write was to
// write), or a signal that the process sends itself at that call (SIGKILL). What the C library calls within itself, as for
// standard output, is not seen. Calls count from the first signal() on, with which cisolve's main begins: what is before it
// belongs to the libraries that are loaded.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
}

namespace {

enum Kind {
  memory,
  open_file,
  read_file,
  write_file,
  sync_file,
  rename_file,
  reserve,
  truncate_file,
  map,
  close_file,
  lock_file,
  remove_file,
  device_memory,
  device_launch,
  num_kinds
};
constexpr const char* kinds[num_kinds] = {
    "malloc",    "open", "read",  "write", "fsync",  "rename",     "fallocate",
    "ftruncate", "mmap", "close", "flock", "unlink", "cudaMalloc", "cudaLaunchKernel"};

struct Name {
  const char* name;
  int number;
};
constexpr Name errors[] = {{"ENOSPC", ENOSPC}, {"EDQUOT", EDQUOT}, {"EROFS", EROFS},
                           {"EACCES", EACCES}, {"EIO", EIO},       {"EINTR", EINTR},
                           {"ENOMEM", ENOMEM}, {"ENOLCK", ENOLCK}, {"EMFILE", EMFILE},
                           {"ENOENT", ENOENT}, {"EPERM", EPERM},   {"EOPNOTSUPP", EOPNOTSUPP}};
constexpr Name signals[] = {
    {"SIGKILL", SIGKILL}, {"SIGTERM", SIGTERM}, {"SIGINT", SIGINT}, {"SIGHUP", SIGHUP}};

// Read once, before the program's own code runs; no memory is allocated here.
struct Fault {
  int kind = -1;
  long first = 0, times = 0;
  int error = 0, signal = 0;
  bool is_short = false;
};
Fault fault;
std::atomic<long> calls[num_kinds];
std::atomic<bool> is_ready = false;

constexpr int memory_allocation = 2,
              launch_failure = 719;  // cudaErrorMemoryAllocation, cudaErrorLaunchFailure
std::atomic<bool> device_is_lost = false;

struct Dim3 {
  unsigned x, y, z;
};

int number_of(const char* name, const Name* names, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k) {
    if (std::strcmp(names[k].name, name) == 0) return names[k].number;
  }
  return 0;
}

__attribute__((constructor)) void read_fault() {
  if (const char* text = std::getenv("CISOLVE_FAULT")) {
    char kind[32] = "", action[32] = "";
    if (std::sscanf(text, "%31[^:]:%ld:%ld:%31s", kind, &fault.first, &fault.times, action) != 4)
      std::_Exit(99);
    for (int k = 0; k < num_kinds; ++k) {
      if (std::strcmp(kinds[k], kind) == 0) fault.kind = k;
    }
    fault.error = number_of(action, errors, sizeof errors / sizeof *errors);
    fault.signal = number_of(action, signals, sizeof signals / sizeof *signals);
    fault.is_short = std::strcmp(action, "short") == 0;
    if (fault.kind < 0 || (fault.error == 0 && fault.signal == 0 && !fault.is_short)) std::_Exit(99);
  }
}

__attribute__((destructor)) void write_counts() {
  is_ready = false;
  const char* file = std::getenv("CISOLVE_FAULT_COUNTS");
  if (file == nullptr) return;
  if (FILE* out = std::fopen(file, "w")) {
    for (int k = 0; k < num_kinds; ++k) std::fprintf(out, "%s %ld\n", kinds[k], calls[k].load());
    std::fclose(out);
  }
}

/// Whether this call is to fail; errno is set.
bool fails(Kind kind) {
  if (!is_ready) return false;
  const long number = ++calls[kind];
  if (fault.kind != kind || number < fault.first) return false;
  if (fault.times != 0 && number >= fault.first + fault.times) return false;
  if (fault.signal != 0) {
    kill(getpid(), fault.signal);
    return false;
  }
  if (fault.error != 0) errno = fault.error;
  return true;
}

template <class F>
F* next(F*, const char* name) {
  return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}

mode_t mode_of(int flags, va_list arguments) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? static_cast<mode_t>(va_arg(arguments, int)) : 0;
}

/// How much of a write of that many bytes is done; -1: it fails.
ssize_t shortened(size_t bytes) {
  if (!fails(write_file)) return static_cast<ssize_t>(bytes);
  return fault.is_short && bytes > 1 ? static_cast<ssize_t>(bytes / 2) : fault.is_short ? 1 : -1;
}

}  // namespace

#define NEXT(name) static auto* const real = next(&name, #name)

extern "C" {

void* malloc(size_t bytes) { return fails(memory) ? nullptr : __libc_malloc(bytes); }
void* calloc(size_t count, size_t bytes) { return fails(memory) ? nullptr : __libc_calloc(count, bytes); }
void* realloc(void* old, size_t bytes) { return fails(memory) ? nullptr : __libc_realloc(old, bytes); }
void* aligned_alloc(size_t alignment, size_t bytes) {
  return fails(memory) ? nullptr : __libc_memalign(alignment, bytes);
}
void* memalign(size_t alignment, size_t bytes) {
  return fails(memory) ? nullptr : __libc_memalign(alignment, bytes);
}
int posix_memalign(void** result, size_t alignment, size_t bytes) {
  if (fails(memory)) return ENOMEM;
  *result = __libc_memalign(alignment, bytes);
  return *result == nullptr ? ENOMEM : 0;
}

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  NEXT(open);
  return fails(open_file) ? -1 : real(path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  NEXT(open64);
  return fails(open_file) ? -1 : real(path, flags, mode);
}
FILE* fopen(const char* path, const char* mode) {
  NEXT(fopen);
  return fails(open_file) ? nullptr : real(path, mode);
}
FILE* fopen64(const char* path, const char* mode) {
  NEXT(fopen64);
  return fails(open_file) ? nullptr : real(path, mode);
}
ssize_t read(int file, void* data, size_t bytes) {
  NEXT(read);
  return fails(read_file) ? -1 : real(file, data, bytes);
}
ssize_t pread(int file, void* data, size_t bytes, off_t at) {
  NEXT(pread);
  return fails(read_file) ? -1 : real(file, data, bytes, at);
}
ssize_t pread64(int file, void* data, size_t bytes, off64_t at) {
  NEXT(pread64);
  return fails(read_file) ? -1 : real(file, data, bytes, at);
}
ssize_t write(int file, const void* data, size_t bytes) {
  NEXT(write);
  const ssize_t most = shortened(bytes);
  return most < 0 ? -1 : real(file, data, static_cast<size_t>(most));
}
ssize_t pwrite(int file, const void* data, size_t bytes, off_t at) {
  NEXT(pwrite);
  const ssize_t most = shortened(bytes);
  return most < 0 ? -1 : real(file, data, static_cast<size_t>(most), at);
}
ssize_t pwrite64(int file, const void* data, size_t bytes, off64_t at) {
  NEXT(pwrite64);
  const ssize_t most = shortened(bytes);
  return most < 0 ? -1 : real(file, data, static_cast<size_t>(most), at);
}
ssize_t writev(int file, const struct iovec* parts, int count) {
  NEXT(writev);
  return fails(write_file) ? -1 : real(file, parts, count);
}
int fsync(int file) {
  NEXT(fsync);
  return fails(sync_file) ? -1 : real(file);
}
int fdatasync(int file) {
  NEXT(fdatasync);
  return fails(sync_file) ? -1 : real(file);
}
int rename(const char* from, const char* to) {
  NEXT(rename);
  return fails(rename_file) ? -1 : real(from, to);
}
int fallocate(int file, int mode, off_t at, off_t bytes) {
  NEXT(fallocate);
  return fails(reserve) ? -1 : real(file, mode, at, bytes);
}
int fallocate64(int file, int mode, off64_t at, off64_t bytes) {
  NEXT(fallocate64);
  return fails(reserve) ? -1 : real(file, mode, at, bytes);
}
int ftruncate(int file, off_t bytes) {
  NEXT(ftruncate);
  return fails(truncate_file) ? -1 : real(file, bytes);
}
int ftruncate64(int file, off64_t bytes) {
  NEXT(ftruncate64);
  return fails(truncate_file) ? -1 : real(file, bytes);
}
void* mmap(void* at, size_t bytes, int protection, int flags, int file, off_t offset) {
  NEXT(mmap);
  return fails(map) ? MAP_FAILED : real(at, bytes, protection, flags, file, offset);
}
void* mmap64(void* at, size_t bytes, int protection, int flags, int file, off64_t offset) {
  NEXT(mmap64);
  return fails(map) ? MAP_FAILED : real(at, bytes, protection, flags, file, offset);
}
int close(int file) {
  NEXT(close);
  // What says that it failed has closed the file all the same.
  const bool failing = fails(close_file);
  const int error = errno;
  const int result = real(file);
  if (!failing) return result;
  errno = error;
  return -1;
}
int flock(int file, int operation) {
  NEXT(flock);
  return fails(lock_file) ? -1 : real(file, operation);
}
sighandler_t signal(int number, sighandler_t handler) {
  NEXT(signal);
  is_ready = true;
  return real(number, handler);
}
int unlink(const char* path) {
  NEXT(unlink);
  return fails(remove_file) ? -1 : real(path);
}

// The CUDA runtime, where the program has it as a shared library.

int cudaMalloc(void** result, size_t bytes) {
  NEXT(cudaMalloc);
  if (device_is_lost) return launch_failure;
  return fails(device_memory) ? memory_allocation : real(result, bytes);
}
int cudaMallocHost(void** result, size_t bytes) {
  NEXT(cudaMallocHost);
  if (device_is_lost) return launch_failure;
  return fails(device_memory) ? memory_allocation : real(result, bytes);
}
int cudaLaunchKernel(const void* kernel, Dim3 grid, Dim3 block, void** parameters, size_t shared,
                     void* stream) {
  NEXT(cudaLaunchKernel);
  device_is_lost = device_is_lost || fails(device_launch);
  return device_is_lost ? launch_failure : real(kernel, grid, block, parameters, shared, stream);
}
// What CUDA 13 launches with.
int __cudaLaunchKernel(const void* kernel, Dim3 grid, Dim3 block, void** parameters, size_t shared,
                       void* stream) {
  NEXT(__cudaLaunchKernel);
  device_is_lost = device_is_lost || fails(device_launch);
  return device_is_lost ? launch_failure : real(kernel, grid, block, parameters, shared, stream);
}
int cudaGetLastError() {
  NEXT(cudaGetLastError);
  return device_is_lost ? launch_failure : real();
}
int cudaStreamSynchronize(void* stream) {
  NEXT(cudaStreamSynchronize);
  return device_is_lost ? launch_failure : real(stream);
}
int cudaEventSynchronize(void* event) {
  NEXT(cudaEventSynchronize);
  return device_is_lost ? launch_failure : real(event);
}
int cudaEventRecord(void* event, void* stream) {
  NEXT(cudaEventRecord);
  return device_is_lost ? launch_failure : real(event, stream);
}
int cudaMemcpyAsync(void* to, const void* from, size_t bytes, int kind, void* stream) {
  NEXT(cudaMemcpyAsync);
  return device_is_lost ? launch_failure : real(to, from, bytes, kind, stream);
}
int cudaMemsetAsync(void* at, int value, size_t bytes, void* stream) {
  NEXT(cudaMemsetAsync);
  return device_is_lost ? launch_failure : real(at, value, bytes, stream);
}

}  // extern "C"
