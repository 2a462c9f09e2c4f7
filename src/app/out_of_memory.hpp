// SPDX-License-Identifier: MIT
#pragma once

namespace cisolve::app {

/// Says on stderr, in one sentence and without taking memory, that the system refused some.
void say_out_of_memory() noexcept;

/// From now on the sentence names this process, unless it is the first of several.
void speak_as_rank(int rank) noexcept;

/// Makes refused memory end the program with that sentence and a status also where no exception can be caught: in a
/// region of OpenMP, a destructor, a thread that ends; where a library ends the program (libgomp, HDF5), or uses what it did
/// not get. Locks and temporary files are removed.
/// @param status  of the exit
void end_where_memory_is_refused(int status) noexcept;

/// From here on the program may exit: it is done.
void allow_exit() noexcept;

}  // namespace cisolve::app
