#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""CASSCF by PySCF with its own solver of the CI and with cisolve's, in turns in one process; and what a call takes.

  tools/bench/solver_in_pyscf.py [--cases 'N2(6,6);N2(10,8);...'] [--repeats 3] [--threads 1] [--device cpu] [--json FILE]

Needs PySCF and the module (PYTHONPATH=build/python, or pip install .). Energies of both are compared; they must agree to
1e-7 hartree, or the exit status is 1.
"""
import argparse
import json
import statistics
import sys
import time

import numpy as np
from pyscf import gto, lib, mcscf, scf

import cisolve
from casscf_beside_pyscf import polyene
from cisolve.pyscf import CISolver

BENZENE = """C 0 1.396792 0; C 0 -1.396792 0; C 1.209657 0.698396 0; C -1.209657 -0.698396 0; C -1.209657 0.698396 0
C 1.209657 -0.698396 0; H 0 2.484212 0; H 2.151390 1.242106 0; H -2.151390 -1.242106 0; H -2.151390 1.242106 0
H 2.151390 -1.242106 0; H 0 -2.484212 0"""
#: name: geometry (angstrom), basis, active orbitals, electrons, atomic orbitals that they are chosen by
CASES = {
    "N2(6,6)": ("N 0 0 0; N 0 0 1.1", "cc-pvdz", 6, 6, None),
    "N2(10,8)": ("N 0 0 0; N 0 0 1.1", "cc-pvdz", 8, 10, None),
    "benzene(6,6)": (BENZENE, "cc-pvdz", 6, 6, ["C 2pz"]),
    "H12(12,12)": ("; ".join(f"H 0 0 {k}" for k in range(12)), "6-31g", 12, 12, None),
    **{f"C{n}H{n + 2}({n},{n})": (polyene(n, "6-31g")["geometry"], "6-31g", n, n, ["C 2pz"]) for n in (8, 10, 12, 14)},
}
USUAL = ("N2(6,6)", "N2(10,8)", "benzene(6,6)", "C8H10(8,8)", "C10H12(10,10)", "H12(12,12)", "C12H14(12,12)")


def active_space(mf, orbitals, electrons, chosen_by):
    if chosen_by is None:
        return mcscf.CASSCF(mf, orbitals, electrons), mf.mo_coeff
    from pyscf.mcscf import avas
    found, of, start = avas.avas(mf, chosen_by, threshold=0.2)
    if (found, of) != (orbitals, electrons):
        sys.exit(f"the atomic orbitals {chosen_by} give ({of}, {found})")
    return mcscf.CASSCF(mf, orbitals, electrons), start


def casscf(name, repeats, device):
    geometry, basis, orbitals, electrons, chosen_by = CASES[name]
    mf = scf.RHF(gto.M(atom=geometry, basis=basis, verbose=0)).run(conv_tol=1e-11)
    seconds, energies, products = {"pyscf": [], "cisolve": []}, {}, 0
    for _ in range(repeats):
        for who, times in seconds.items():
            mc, start = active_space(mf, orbitals, electrons, chosen_by)
            if who == "cisolve":
                mc.fcisolver = CISolver(mf.mol, device=device)
                mc.fcisolver.conv_tol, mc.fcisolver.max_cycle = 1e-8, 50  # as CASSCF sets its own
            began = time.perf_counter()
            energies[who] = mc.kernel(start)[0]
            times.append(time.perf_counter() - began)
            if who == "cisolve":
                products = mc.fcisolver.num_products
    return {"case": name, "seconds": seconds, "energies": energies, "products": products,
            "ratio": statistics.median(seconds["pyscf"]) / statistics.median(seconds["cisolve"])}


def overhead(device):
    """Milliseconds of a call on two electrons in two orbitals: all of it overhead."""
    h, eri = np.diag([-1.0, 0.5]), np.zeros((2,) * 4)
    solver = CISolver(device=device)
    times = []
    for _ in range(200):
        began = time.perf_counter()
        solver.kernel(h, eri, 2, (1, 1))
        times.append(1e3 * (time.perf_counter() - began))
    return statistics.median(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", help="names, separated by ';'", default=";".join(USUAL))
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--json")
    options = parser.parse_args()
    lib.num_threads(options.threads)
    print(f"cisolve {cisolve.__version__}, {options.threads} thread(s), {options.device}; a call takes {overhead(options.device):.2f} ms")
    results = []
    for name in options.cases.split(";"):
        result = casscf(name, options.repeats, options.device)
        results.append(result)
        spread = {who: f"{statistics.median(t):.3f} s ({min(t):.3f} to {max(t):.3f})" for who, t in result["seconds"].items()}
        difference = result["energies"]["cisolve"] - result["energies"]["pyscf"]
        print(f"{name:14s} PySCF {spread['pyscf']}, cisolve {spread['cisolve']}: {result['ratio']:.2f} times; E {result['energies']['cisolve']:.9f}, "
              f"differs by {difference:.1e}; {result['products']} products", flush=True)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"version": cisolve.__version__, "threads": options.threads, "device": options.device, "results": results}, file, indent=1)
    return any(abs(r["energies"]["cisolve"] - r["energies"]["pyscf"]) > 1e-7 for r in results)


if __name__ == "__main__":
    sys.exit(main())
