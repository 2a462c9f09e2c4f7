#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Rebuilds the CSFs of a result file from /space/steps and checks its energies.

  expand_csfs.py RESULT.h5 INTEGRALS.fcidump[.gz]

Every CSF is expanded in Slater determinants, every root with it; its norm, <S^2> and energy over these
determinants are computed from the integrals alone and printed beside the file's. Frozen orbitals and several
irreps or multiplicities are fine. Meant to be read: it compares all pairs of determinants, so a few thousand
are as many as it can take. Needs h5py and numpy.
"""

import gzip
import itertools
import math
import re
import sys

import h5py
import numpy as np

TOLERANCE = 1e-9  # hartree; what is left of a residual of 1e-6


def clebsch_gordan(s, sigma, total, m):
    """<s m-sigma 1/2 sigma | total m>, all arguments doubled; Condon-Shortley phases."""
    if abs(m) > total or abs(m - sigma) > s:
        return 0.0
    same = math.sqrt((s + 1 + m) / (2 * s + 2))
    other = math.sqrt((s + 1 - m) / (2 * s + 2))
    if total > s:
        return same if sigma > 0 else other
    return -other if sigma > 0 else same


def expand(steps):
    """A CSF of Ms = S as {(alpha, beta): coefficient}, strings as integers.

    The open shells are coupled one after the other, lowest orbital first: step 1 to S + 1/2, 2 to S - 1/2.
    """
    doubly = sum(1 << p for p, step in enumerate(steps) if step == 3)
    shells = [p for p, step in enumerate(steps) if step in (1, 2)]
    path = [1 if steps[p] == 1 else -1 for p in shells]
    ups = (len(shells) + sum(path)) // 2
    expansion = {}
    for chosen in itertools.combinations(range(len(shells)), ups):
        spin = m = 0
        coefficient = 1.0
        for k, step in enumerate(path):
            sigma = 1 if k in chosen else -1
            m += sigma
            coefficient *= clebsch_gordan(spin, sigma, spin + step, m)
            spin += step
        if coefficient == 0.0:
            continue
        alpha = doubly | sum(1 << shells[k] for k in chosen)
        beta = doubly | sum(1 << shells[k] for k in range(len(shells)) if k not in chosen)
        # Creators stand in the order 1 alpha, 1 beta, 2 alpha, ...; in a determinant all alpha come first.
        passed = sum((beta & ((1 << p) - 1)).bit_count() for p in range(len(steps)) if alpha >> p & 1)
        expansion[alpha, beta] = -coefficient if passed % 2 else coefficient
    return expansion


def read_integrals(name):
    """norb, h[p, q], (pq|rs) as arrays, core energy."""
    with gzip.open(name, "rt") if name.endswith(".gz") else open(name) as file:
        text = file.read()
    header, body = re.split(r"&END|/\s*\n", text, maxsplit=1, flags=re.IGNORECASE)
    norb = int(re.search(r"NORB\s*=\s*(\d+)", header, re.IGNORECASE).group(1))
    one = np.zeros((norb, norb))
    two = np.zeros((norb,) * 4)
    core = 0.0
    for line in body.split("\n"):
        if not line.strip():
            continue
        words = line.split()
        value, (p, q, r, s) = float(words[0].replace("D", "E")), (int(word) - 1 for word in words[1:5])
        if r >= 0:
            for a, b in ((p, q), (q, p)):
                for c, d in ((r, s), (s, r)):
                    two[a, b, c, d] = two[c, d, a, b] = value
        elif q >= 0:
            one[p, q] = one[q, p] = value
        elif p < 0:
            core = value
    return norb, one, two, core


def freeze(one, two, energy, core, active):
    """The integrals over the active orbitals, the field and energy of the frozen core in them."""
    field = one + sum(2 * two[:, :, i, i] - two[:, i, i, :] for i in core)
    energy += sum(one[i, i] + field[i, i] for i in core)
    return field[np.ix_(active, active)], two[np.ix_(active, active, active, active)], energy


def orbitals(string):
    return [p for p in range(string.bit_length()) if string >> p & 1]


def excitation(bra, ket):
    """Holes, particles and phase from one string to another."""
    holes, particles = orbitals(ket & ~bra), orbitals(bra & ~ket)
    sign = 1
    for h, p in zip(holes, particles):
        low, high = min(h, p), max(h, p)
        sign *= (-1) ** (ket & ((1 << high) - (1 << (low + 1)))).bit_count()
        ket ^= 1 << h | 1 << p
    return holes, particles, sign


def element(one, two, bra, ket):
    """<bra|H|ket> without the core energy, by the Slater-Condon rules."""
    (ha, pa, sa), (hb, pb, sb) = excitation(bra[0], ket[0]), excitation(bra[1], ket[1])
    if len(ha) + len(hb) > 2:
        return 0.0
    if len(ha) + len(hb) == 0:
        a, b = orbitals(ket[0]), orbitals(ket[1])
        energy = sum(one[p, p] for p in a + b)
        energy += sum(two[p, p, q, q] for p in a for q in b)
        for s in (a, b):
            energy += sum(two[p, p, q, q] - two[p, q, q, p] for p in s for q in s if q < p)
        return energy
    if len(ha) + len(hb) == 1:
        h, p, sign, same, other = (ha, pa, sa, ket[0], ket[1]) if ha else (hb, pb, sb, ket[1], ket[0])
        h, p = h[0], p[0]
        value = one[p, h] + sum(two[p, h, r, r] - two[p, r, r, h] for r in orbitals(same))
        return sign * (value + sum(two[p, h, r, r] for r in orbitals(other)))
    if len(ha) == 1:
        return sa * sb * two[pa[0], ha[0], pb[0], hb[0]]
    h, p, sign = (ha, pa, sa) if ha else (hb, pb, sb)
    return sign * (two[p[0], h[0], p[1], h[1]] - two[p[0], h[1], p[1], h[0]])


def s_squared(vector):
    """<S^2> of {determinant: coefficient}: S^2 = S_- S_+ + S_z (S_z + 1), by the norm of S_+ applied."""
    raised = {}
    for (alpha, beta), c in vector.items():
        for p in orbitals(beta & ~alpha):
            passed = (alpha >> (p + 1)).bit_count() + (beta & ((1 << p) - 1)).bit_count()
            key = alpha | 1 << p, beta & ~(1 << p)
            raised[key] = raised.get(key, 0.0) + (-c if passed % 2 else c)
    alpha, beta = next(iter(vector))
    m = 0.5 * (alpha.bit_count() - beta.bit_count())
    return sum(c * c for c in raised.values()) + m * (m + 1)


def read_sectors(f):
    """For each sector that has roots: steps of its CSFs, vectors, numbers of the roots in /states."""
    if "sector" in f:
        sectors = f["states/sector"][:]
        found = [(f[f"sector/{k}/space"], f[f"sector/{k}"], np.flatnonzero(sectors == k)) for k in np.unique(sectors)]
    else:
        found = [(f["space"], f["states"], range(len(f["states/energy"])))]
    for space, states, roots in found:
        if "steps" not in space:
            sys.exit(f"{f.filename} holds no CSFs")
        if "vector" not in states:
            sys.exit(f"{f.filename} holds no vectors")
        yield space["steps"][:], states["vector"][:], roots


def check(steps, vectors, roots, energies, recorded_s2, one, two, core):
    expansions = [expand(row) for row in steps]
    for c, root in zip(vectors, roots):
        energy, recorded = energies[root], recorded_s2[root]
        vector = {}
        for weight, expansion in zip(c, expansions):
            for determinant, coefficient in expansion.items():
                vector[determinant] = vector.get(determinant, 0.0) + weight * coefficient
        norm = sum(x * x for x in vector.values())
        spin = s_squared(vector)
        found = core * norm
        for bra, x in vector.items():
            found += x * sum(y * element(one, two, bra, ket) for ket, y in vector.items())
        print(
            f"root {root + 1}: {len(c)} CSFs, {len(vector)} determinants, norm {norm:.12f}, <S^2> {spin:.10f}, "
            f"energy {found:.10f}, in the file {energy:.10f}"
        )
        if abs(found - energy) > TOLERANCE or abs(norm - 1) > TOLERANCE or abs(spin - recorded) > TOLERANCE:
            sys.exit("they differ")


def main():
    result, fcidump = sys.argv[1:]
    norb, one, two, core_energy = read_integrals(fcidump)
    with h5py.File(result) as f:
        core, active = (f[f"system/{name}_orbitals"][:] - 1 for name in ("core", "active"))
        if max(active) >= norb:
            sys.exit(f"{fcidump} has {norb} orbitals, {result} comes from more")
        one, two, core_energy = freeze(one, two, core_energy, core, active)
        energies, recorded_s2 = f["states/energy"][:], f["states/s_squared"][:]
        for steps, vectors, roots in read_sectors(f):
            check(steps, vectors, roots, energies, recorded_s2, one, two, core_energy)


if __name__ == "__main__":
    main()
