# SPDX-License-Identifier: MIT
"""Configuration interaction for quantum chemistry."""
from ._core import (
    DimensionError,
    Error,
    Hamiltonian,
    InputError,
    Interrupted,
    Operator,
    ResourceError,
    Roots,
    SelectedCI,
    Space,
    SystemError,
    devices,
    extrapolate,
    one_particle,
    solve,
    spin_square,
    transition,
    two_particle,
)
from ._core import version as __version__
from ._events import Event
from ._result import Result, read
from ._run import check, explain, run

__all__ = [
    "DimensionError", "Error", "Event", "Hamiltonian", "InputError", "Interrupted", "Operator", "ResourceError", "Result", "Roots",
    "SelectedCI", "Space", "SystemError", "__version__", "check", "devices", "explain", "extrapolate", "one_particle", "read", "run",
    "solve", "spin_square", "transition", "two_particle",
]

for _public in (DimensionError, Error, InputError, Interrupted, ResourceError, SystemError):
    _public.__module__ = "cisolve"  # as messages and pickles name them

for _constant in (Hamiltonian, Operator, Space):  # their copies are themselves
    setattr(_constant, "__copy__", lambda self: self)
    setattr(_constant, "__deepcopy__", lambda self, memo: self)
