#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Times of CASSCF beside PySCF's, on the same cores in turn: cisolve's whole run against PySCF's SCF and mc1step in a process
that has been started. Energies that differ by more than 1e-7 hartree are said: those are other solutions.

  casscf_beside_pyscf.py CISOLVE [CASE ...] [--threads N] [--repeat N] [--polyene N ...] [--basis NAME]

CASE: a name of tests/data/casscf.json; none, and no polyene: all of them. --polyene N: the all-trans
polyene of N carbon atoms in --basis (default 6-31g), CAS(N, N) of its pi orbitals. Writes JSON to the standard output."""
import argparse
import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

DATA = Path(__file__).resolve().parents[2] / "tests/data/casscf.json"


def polyene(carbons, basis):
    """All-trans, planar, in xy about its centre of inversion: 1.35 and 1.45 angstrom, angles of 124 and 120 degrees."""
    atoms, x, y = [], 0.0, 0.0
    half = math.radians(124) / 2
    for k in range(carbons):
        atoms.append(("C", x, y))
        bond = 1.35 if k % 2 == 0 else 1.45
        x, y = x + bond * math.sin(half), y + (1 if k % 2 == 0 else -1) * bond * math.cos(half)
    for k in range(carbons):
        _, x, y = atoms[k]
        side = -1 if k % 2 == 0 else 1  # away from both neighbours
        atoms.append(("H", x, y + side * 1.09))
    for end, inward in ((0, 1), (carbons - 1, -1)):
        _, x, y = atoms[end]
        up = 1 if end == 0 else -1
        atoms.append(("H", x - inward * 1.09 * math.sin(half), y + up * 1.09 * math.cos(half)))
    centre = [(atoms[0][c] + atoms[carbons - 1][c]) / 2 for c in (1, 2)]
    geometry = "; ".join(f"{s} {x - centre[0]:.8f} {y - centre[1]:.8f} 0" for s, x, y in atoms)
    sigma = (6 * carbons + carbons + 2 - carbons) // 2
    return {"name": f"polyene_{carbons}", "geometry": geometry, "basis": basis, "scf_multiplicity": 1,
            "active_electrons": carbons, "active_per_irrep": {"Au": carbons // 2, "Bg": carbons // 2},
            "roots": 1, "irreps": ["Ag"], "multiplicities": [1], "weights": [1.0],
            "core_per_irrep": {"Ag": (sigma + 1) // 2, "Bu": sigma // 2}}


def input_of(case):
    active = ", ".join(f"{irrep} = {count}" for irrep, count in case["active_per_irrep"].items())
    return f"""[molecule]
geometry = "{case['geometry']}"
basis = "{case['basis']}"
multiplicity = {case['scf_multiplicity']}
{case.get('scf_occupation', '')}
[space]
reference = {{ electrons = {case['active_electrons']}, orbitals = {{ {active} }} }}
excitation_level = 0
[states]
count = {case['roots']}
irrep = {json.dumps(case['irreps'])}
multiplicity = {json.dumps(case['multiplicities'])}
[orbitals]
optimise = "casscf"
weights = {json.dumps(case['weights'])}
[run]
device = "cpu"
"""


def run_cisolve(program, case, threads):
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "job.inp").write_text(input_of(case), encoding="utf-8")
        begin = time.perf_counter()
        done = subprocess.run([program, "job.inp", "--threads", str(threads)], cwd=folder, capture_output=True, text=True,
                              check=False)
        seconds = time.perf_counter() - begin
        if done.returncode != 0:
            raise RuntimeError(f"{case['name']}: {done.stderr}")
        import h5py
        with h5py.File(Path(folder, "job.h5")) as file:
            history = file["orbitals/history/energy"][()] if "orbitals/history/energy" in file else []
            return seconds, average(file, case), len(history)


def average(file, case):
    energies, sectors = file["states/energy"][()], None
    if "states/sector" in file:
        sectors = file["states/sector"][()]
    groups = [[e for k, e in enumerate(energies) if sectors is None or sectors[k] == s]
              for s in range(max(sectors) + 1 if sectors is not None else 1)]
    values = [e for group in groups for e in group[:case["roots"]]]
    return sum(w * e for w, e in zip(case["weights"], values))


PYSCF = """
import json, sys, time
from pyscf import gto, scf, mcscf, fci, lib
case = json.loads(sys.argv[1])
lib.num_threads(int(sys.argv[2]))
begin = time.perf_counter()
mol = gto.M(atom=case["geometry"], basis=case["basis"], spin=case["scf_multiplicity"] - 1, symmetry=case.get("point_group", True), verbose=0)
mf = scf.RHF(mol) if mol.spin == 0 else scf.ROHF(mol)
mf.conv_tol = 1e-10
mf.kernel()
scf_seconds = time.perf_counter() - begin
n = sum(case["active_per_irrep"].values())
mc = mcscf.CASSCF(mf, n, case["active_electrons"])
mc.conv_tol, mc.conv_tol_grad = 1e-9, 1e-5
solvers = []
weights, given = [], list(case["weights"])
for irrep in case["irreps"]:
    for multiplicity in case["multiplicities"]:
        own, given = given[:case["roots"]], given[case["roots"]:]
        if not any(own): continue
        solver = fci.direct_spin1_symm.FCI(mol)
        solver.wfnsym, solver.spin, solver.nroots = irrep, multiplicity - 1, case["roots"]
        solvers.append(fci.addons.fix_spin_(solver, ss=0) if multiplicity == 1 else solver)
        weights += own
if len(weights) == 1:
    mc.fcisolver.wfnsym = case["irreps"][0]
    mc.fcisolver.spin = case["multiplicities"][0] - 1
    if case["multiplicities"][0] == 1: mc.fix_spin_(ss=0)
else:
    mcscf.state_average_mix_(mc, solvers, weights)
core = case.get("core_per_irrep")
mo = mcscf.sort_mo_by_irrep(mc, mf.mo_coeff, case["active_per_irrep"], core)
energy = mc.kernel(mo)[0]
print(json.dumps({"seconds": time.perf_counter() - begin, "scf": scf_seconds, "energy": energy, "converged": bool(mc.converged)}))
"""


def run_pyscf(case, threads):
    environment = dict(os.environ, OMP_NUM_THREADS=str(threads))
    done = subprocess.run([sys.executable, "-c", PYSCF, json.dumps(case), str(threads)], capture_output=True, text=True,
                          env=environment, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{case['name']}: PySCF: {done.stderr[-2000:]}")
    found = json.loads(done.stdout.splitlines()[-1])
    return found["seconds"], found["energy"], found["scf"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("cases", nargs="*")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--polyene", type=int, action="append", default=[])
    parser.add_argument("--basis", default="6-31g")
    options = parser.parse_args()
    options.program = str(Path(options.program).resolve())
    known = {case["name"]: case for case in json.loads(DATA.read_text(encoding="utf-8"))["cases"]}
    cases = [known[name] for name in options.cases] if options.cases or options.polyene else list(known.values())
    cases += [polyene(n, options.basis) for n in options.polyene]
    for case in cases:
        ours, theirs = [], []
        for _ in range(options.repeat):
            ours.append(run_cisolve(options.program, case, options.threads))
            theirs.append(run_pyscf(case, options.threads))
        line = {"case": case["name"], "threads": options.threads,
                "cisolve": statistics.median(run[0] for run in ours), "macro": ours[0][2],
                "pyscf": statistics.median(run[0] for run in theirs),
                "pyscf_scf": statistics.median(run[2] for run in theirs),
                "difference": ours[0][1] - theirs[0][1]}
        line["ratio"] = line["pyscf"] / line["cisolve"]
        print(json.dumps({k: round(v, 9) if isinstance(v, float) else v for k, v in line.items()}), flush=True)
        if abs(line["difference"]) > 1e-7:
            print(f"{case['name']}: the energies differ by {line['difference']:.2e} hartree: another solution", file=sys.stderr)


if __name__ == "__main__":
    main()
