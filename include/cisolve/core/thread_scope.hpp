// SPDX-License-Identifier: MIT
#pragma once

namespace cisolve {

/// Parallel regions that the calling thread begins take so many threads while it lives, and then as many as before.
class ThreadScope {
public:
  /// @param threads  0: as many as without it
  /// @throws ResourceError  address space is limited (ulimit -v), and the work memory of so many threads does not fit
  explicit ThreadScope(int threads);
  ~ThreadScope();
  ThreadScope(const ThreadScope&) = delete;
  ThreadScope& operator=(const ThreadScope&) = delete;

private:
  int before_;
};

}  // namespace cisolve
