#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""An FCIDUMP with random integrals of as many orbitals of each irrep as a space is to have, on stdout.

  tools/bench/synthetic_fcidump.py --orbitals 10,5,5,2,10,5,5,2 --electrons 10 > n2_aug.fcidump

For `cisolve-bench ranks JOB.inp --plan-only`: how a product is shared out depends on the orbitals' irreps and on which integrals
vanish, not on their values. Irreps as Molpro numbers them: of D2h Ag, B3u, B2u, B1g, B1u, B2g, B3g, Au.
"""
import argparse
import random
import sys


def integrals(irreps, seed=1):
    """Lines "value p q r s" of all that irreps, zero-based, let be: orbitals ascend in energy, the rest is small and random."""
    draw = random.Random(seed)
    pairs = [(p, q) for p in range(len(irreps)) for q in range(p + 1)]
    for k, (p, q) in enumerate(pairs):
        for r, s in pairs[:k + 1]:
            if irreps[p] ^ irreps[q] == irreps[r] ^ irreps[s]:
                yield f"{draw.uniform(-0.1, 0.1):.10f} {p + 1} {q + 1} {r + 1} {s + 1}"
    for p, q in pairs:
        if irreps[p] == irreps[q]:
            value = p - len(irreps) if p == q else draw.uniform(-0.1, 0.1)
            yield f"{value:.10f} {p + 1} {q + 1} 0 0"
    yield "0.0 0 0 0 0"


def write(orbitals, electrons, to, seed=1):
    """Orbitals of each irrep in turns, one of each at a time, as they are mixed in a molecule."""
    left, irreps = list(orbitals), []
    while any(left):
        for irrep, count in enumerate(left):
            if count > 0:
                irreps.append(irrep)
                left[irrep] -= 1
    to.write(f" &FCI NORB={len(irreps)},NELEC={electrons},MS2=0,\n")
    to.write("  ORBSYM=" + ",".join(str(irrep + 1) for irrep in irreps) + ",\n  ISYM=1,\n &END\n")
    for line in integrals(irreps, seed):
        to.write(line + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--orbitals", required=True, help="of each irrep, up to eight numbers")
    parser.add_argument("--electrons", type=int, required=True)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    orbitals = [int(count) for count in options.orbitals.split(",")]
    if len(orbitals) not in (1, 2, 4, 8) or min(orbitals) < 0:
        parser.error("--orbitals: 1, 2, 4 or 8 numbers")
    write(orbitals, options.electrons, sys.stdout, options.seed)


if __name__ == "__main__":
    main()
