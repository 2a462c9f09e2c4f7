# SPDX-License-Identifier: MIT
"""Which states of a Fock space an input asks for: docs/input.md, by electrons and orbitals of the states themselves.

Orbitals stand in the order frozen core, active, frozen virtual. Active orbitals count from 0 here.
"""
from itertools import combinations

import numpy as np


def occupations(states, n):
    """Electrons per orbital of each state, [states, n]."""
    bits = np.arange(n)
    return (states[:, None] >> bits & 1) + (states[:, None] >> n + bits & 1)


def irreps_of(states, n, labels):
    """Molpro number of each state: products are exclusive ors of the numbers from 0."""
    odd = occupations(states, n) == 1
    result = np.zeros(len(states), dtype=int)
    for p in range(n):
        result ^= np.where(odd[:, p], labels[p] - 1, 0)
    return result + 1


def bits_of(text):
    """(alpha, beta) of a string of 2, 0, u, d."""
    return (sum(1 << p for p, c in enumerate(text) if c in "2u"), sum(1 << p for p, c in enumerate(text) if c in "2d"))


def arrangements(text, ms2):
    """Determinants of an occupation with that Ms: each 1 is one electron of either spin."""
    open_shells = [p for p, c in enumerate(text) if c == "1"]
    alpha, beta = bits_of(text)
    more = ms2 - (text.count("u") - text.count("d")) + len(open_shells)
    if more % 2 or not 0 <= more // 2 <= len(open_shells):
        return []
    found = []
    for ups in combinations(open_shells, more // 2):
        a = alpha | sum(1 << p for p in ups)
        b = beta | sum(1 << p for p in open_shells if p not in ups)
        found.append((a, b))
    return found


def cas_determinants(orbitals, doubly, electrons, ms2):
    """Of a CAS, with that Ms; none if its electrons cannot have it."""
    if (electrons + ms2) % 2 or abs(ms2) > min(electrons, 2 * len(orbitals) - electrons):
        return []
    closed = sum(1 << p for p in doubly)

    def strings(count):
        return [closed | sum(1 << p for p in chosen) for chosen in combinations(orbitals, count)]

    return [(a, b) for a in strings((electrons + ms2) // 2) for b in strings((electrons - ms2) // 2)]


def electrons_in(occupation, orbitals):
    return occupation[:, orbitals].sum(axis=1)


class Selection:
    """The states of one sector that cisolve is asked to expand in.

    problem: n, core (frozen orbitals), labels (irreps, in this order of orbitals), active (how many)
    """

    def __init__(self, problem, space, references, irrep, ms2, csf):
        self.problem, self.options, self.irrep, self.csf = problem, space, irrep, csf
        self.references = [r for r in references if self.keeps_limits(r)]
        self.removed = len(references) - len(self.references)
        self.ms2 = ms2

    def keeps_limits(self, reference):
        occupation = occupations(np.array([self.full_state(reference)]), self.problem.n)
        return bool(self.within_limits(occupation)[0])

    def full_state(self, reference):
        core, n = self.problem.n_core, self.problem.n
        closed = (1 << core) - 1
        return (reference[0] << core | closed) | (reference[1] << core | closed) << n

    def within_limits(self, occupation):
        keep = np.ones(len(occupation), dtype=bool)
        for key, count in (("max_holes", lambda o, where: 2 * len(where) - electrons_in(o, where)),
                           ("max_particles", electrons_in)):
            limit = self.options.get(key)
            if limit:
                where = [self.problem.n_core + p - 1 for p in limit["orbitals"]]
                keep &= count(occupation, where) <= limit["count"]
        return keep

    def reached(self, states, occupation):
        """Within the excitation level of any reference: electrons moved, of configurations over CSFs."""
        level = self.options["excitation_level"]
        if level == "full":
            return np.full(len(states), bool(self.references))
        n = self.problem.n
        found = np.zeros(len(states), dtype=bool)
        for state in map(self.full_state, self.references):
            if self.csf:
                moved = np.maximum(occupations(np.array([state]), n) - occupation, 0).sum(axis=1)
            else:
                left = np.array([state]) & ~states
                moved = (left[:, None] >> np.arange(2 * n) & 1).sum(axis=1)
            found |= moved <= level
        return found

    def rows(self, states):
        """Places of the selected among the states of a sector."""
        problem, n = self.problem, self.problem.n
        occupation = occupations(states, n)
        allowed = (occupation[:, :problem.n_core] == 2).all(axis=1)
        allowed &= (occupation[:, problem.n_core + problem.active:] == 0).all(axis=1)
        allowed &= self.within_limits(occupation)
        if self.irrep:
            allowed &= irreps_of(states, n, problem.labels) == self.irrep
        keep = allowed & self.reached(states, occupation)
        if self.options.get("spin_complete", True) and not self.csf:
            # All determinants of the configurations reached; a configuration with one has all of them in the irrep.
            kept = {row.tobytes() for row in occupation[keep]}
            keep = allowed & np.array([row.tobytes() in kept for row in occupation], dtype=bool)
        return np.nonzero(keep)[0]
