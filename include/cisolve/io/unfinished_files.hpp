// SPDX-License-Identifier: MIT
#pragma once

namespace cisolve {

/// Removes the locks (FileLock) that this process holds and the temporary files (AtomicFile) that it is writing, where it
/// has to end without its destructors. Takes no memory, and calls nothing that a signal handler may not.
/// In a process that was forked these may be its parent's: not to be called there.
void remove_unfinished_files() noexcept;

}  // namespace cisolve
