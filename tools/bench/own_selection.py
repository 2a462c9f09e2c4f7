#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A selected CI written in Python over the parts of the module, beside the same over those of PyCI, in turns in one process.

  tools/bench/own_selection.py FCIDUMP [--epsilons 1e-3,5e-4,1.8e-4] [--passes 2] [--repeats 3] [--threads 1] [--json FILE]

Heat-bath CI from the closed-shell determinant: `--passes` passes at each epsilon, then E2 of the last list. Needs the module
(PYTHONPATH=build/python, or pip install .) and PyCI (pip install qc-PyCI). Both must find as many determinants, but for a
thousandth on the border, and agree to 1e-6 hartree, or the exit status is 1.
"""
import argparse
import json
import statistics
import sys
import time

import numpy as np
import pyci

import cisolve


def with_cisolve(fcidump, epsilons, passes, threads):
    ham = cisolve.Hamiltonian.from_fcidump(fcidump)
    reference = "2" * (ham.electrons // 2) + "0" * (ham.n_orbitals - ham.electrons // 2)
    began = time.perf_counter()
    space, vectors = cisolve.Space.excitations(ham, [reference], 0), np.ones((1, 1))
    for epsilon in np.repeat(epsilons, passes):
        alpha, beta = space.connected(ham, vectors, epsilon, threads=threads)
        space = space.extended(alpha, beta)
        operator = cisolve.Operator(ham, space, device="cpu", threads=threads)
        roots = cisolve.solve(operator, tolerance=1e-5, guess=np.pad(vectors, ((0, 0), (0, len(alpha)))))
        vectors = roots.vectors
    selected = time.perf_counter()
    second = space.second_order(ham, vectors, roots.energies, threads=threads)["energy"][0]
    return len(space), roots.energies[0], second, selected - began, time.perf_counter() - selected


def with_pyci(fcidump, epsilons, passes, threads):
    pyci.set_num_threads(threads)
    ham = pyci.hamiltonian(fcidump)
    pairs = cisolve.Hamiltonian.from_fcidump(fcidump).electrons // 2
    began = time.perf_counter()
    space, vector = pyci.fullci_wfn(ham.nbasis, pairs, pairs), np.ones(1)
    space.add_hartreefock_det()
    operator = pyci.sparse_op(ham, space)
    for epsilon in np.repeat(epsilons, passes):
        pyci.add_hci(ham, space, vector, eps=epsilon)
        operator.update(ham, space)
        energies, vectors = operator.solve(n=1, tol=1e-8, c0=np.pad(vector, (0, len(space) - len(vector))))
        vector = vectors[0]
    selected = time.perf_counter()
    second = pyci.compute_enpt2(ham, space, vector, energies[0], 1e-8) - energies[0]
    return len(space), energies[0], second, selected - began, time.perf_counter() - selected


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("fcidump")
    parser.add_argument("--epsilons", default="1e-3,5e-4,1.8e-4", help="hartree, separated by ','")
    parser.add_argument("--passes", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--json")
    options = parser.parse_args()
    epsilons = [float(text) for text in options.epsilons.split(",")]
    programs = {"cisolve": with_cisolve, "PyCI": with_pyci}
    runs = {name: [] for name in programs}
    for _ in range(options.repeats):
        for name, program in programs.items():
            runs[name].append(program(options.fcidump, epsilons, options.passes, options.threads))
    for name, results in runs.items():
        size, energy, second = results[-1][:3]
        spread = [f"{statistics.median(t):.2f} s ({min(t):.2f} to {max(t):.2f})" for t in list(zip(*results))[3:]]
        print(f"{name:8s} {size} determinants, E {energy:.8f}, E2 {second:.7f}: list {spread[0]}, E2 {spread[1]}")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"version": cisolve.__version__, "threads": options.threads, "epsilons": epsilons,
                       "passes": options.passes, "runs": runs}, file, indent=1)
    one, other = runs["cisolve"][-1], runs["PyCI"][-1]
    return int(abs(one[0] - other[0]) > 1e-3 * other[0] or abs(one[1] - other[1]) > 1e-6)


if __name__ == "__main__":
    sys.exit(main())
