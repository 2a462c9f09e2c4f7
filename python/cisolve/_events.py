# SPDX-License-Identifier: MIT
"""What a callback is told of a calculation under way."""
from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True, eq=False)  # arrays have no one answer to ==
class Event:
    """How far a calculation has come.

    stage: "integrals", "space", "hamiltonian", "solve", "orbitals" or "selection".
    iteration: of that stage, from 1; 0 where it begins.
    energies, residual_norms: of the roots that are tracked, hartree; empty where there are none yet.
    seconds: since the calculation began.
    """

    stage: str
    iteration: int = 0
    energies: np.ndarray = field(default_factory=lambda: np.empty(0))
    residual_norms: np.ndarray = field(default_factory=lambda: np.empty(0))
    seconds: float = 0.0


def goes_on(answer):
    """What a callback's answer means: False, also numpy's, is to stop; anything else, such as None, is not."""
    return not isinstance(answer, (bool, np.bool_)) or bool(answer)
