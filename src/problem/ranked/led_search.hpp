// SPDX-License-Identifier: MIT
#pragma once

#include <exception>
#include <functional>

#include "cisolve/problem/root_finder.hpp"
#include "cisolve/ranks/communicator.hpp"
#include "cisolve/ranks/row_map.hpp"

namespace cisolve {

/// What a process was asked for since the last call; may be empty.
using TakeRequests = std::function<Requests()>;

/// The observer of a search that several ranks make together: rank 0 looks, and decides for all. While it does, the others
/// wait and give it their rows of the columns that it reads.
/// @param ranks, map  of this rank; must outlive the observer, as must `observer` and `take`
/// @param observer    sees whole vectors, and what `take` of all ranks gives; called on rank 0 alone
/// @param[out] failure  what it threw: then the search is stopped
std::function<SolverAction(const SearchState&)> led_observer(
    const Communicator& ranks, const RowMap& map,
    const std::function<SolverAction(const SearchState&)>& observer, const TakeRequests& take,
    std::exception_ptr& failure);

}  // namespace cisolve
