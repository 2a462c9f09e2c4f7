// SPDX-License-Identifier: MIT
#pragma once

namespace cisolve::app {

/// Says on stderr, in one sentence and without taking memory, that the system refused some.
void say_out_of_memory() noexcept;

/// Makes refused memory end the program with that sentence and a status, also where the exception cannot be caught: in
/// a region of OpenMP, a destructor, a thread that ends. What such an end leaves of a file that was being written is
/// removed by the next run.
/// @param status  of the exit
void end_where_memory_is_refused(int status) noexcept;

}  // namespace cisolve::app
