#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Selected CI beside other programs, each a process of its own, in turn: seconds of wall and of processor, largest memory,
determinants, energy, and energy with second-order perturbation theory, over the integrals of an FCIDUMP file.

  selection_beside_others.py CISOLVE FCIDUMP --epsilon 1e-3 5e-4 2e-4 [--threads N] [--repeat N] [--pyci] [--pyci-last EPS]
                             [--dice PROGRAM] [--epsilon2 EPS] [--equal N [--growth FACTOR]]
  selection_beside_others.py CISOLVE FCIDUMP --determinants N [--threads N] [--repeat N] [--macis PYTHON]

The file's first orbitals are the reference. --pyci takes PyCI from the Python that runs this, with sums of the perturbation cut
at --epsilon2 (default 1e-7; exact sums are cisolve's alone), and ends at --pyci-last. Dice's perturbation is semistochastic.
Energies over lists of the same thresholds that differ by more than 1e-4 hartree end it. --equal also lets cisolve's usual
criterion, contributions, pick N determinants, by --growth from round to round, whose energy must be no higher than those by thresholds.
"rounds": of cisolve and Dice, seconds until each round's energy is known, from the beginning of the first. --determinants compares
lists of one length: cisolve's by contributions and by amplitudes, and MACIS's (ASCI, no second-order energy) by a Python that has
qdk-chemistry. Writes JSON to the standard output. Needs h5py."""
import argparse
import functools
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import h5py

PYCI = """
import json, sys
import numpy as np
import pyci
file, threads, epsilon2, *thresholds = sys.argv[1:]
threads, epsilon2 = int(threads), float(epsilon2)
header = open(file).read(4000)
import re
electrons = int(re.search(r"NELEC *= *(\\d+)", header)[1])
pyci.set_num_threads(threads)
ham = pyci.hamiltonian(file)
wfn = pyci.fullci_wfn(ham.nbasis, electrons // 2, electrons // 2)
wfn.add_hartreefock_det()
op = pyci.sparse_op(ham, wfn)
energies, vectors = op.solve(n=1, tol=1e-9)
for threshold in map(float, thresholds):
    while True:
        before = len(wfn)
        pyci.add_hci(ham, wfn, vectors[0], eps=threshold)
        if len(wfn) - before <= (0.01 * before if threshold != float(thresholds[-1]) else 0):
            break
        op.update(ham, wfn)
        energies, vectors = op.solve(n=1, tol=1e-9)
op.update(ham, wfn)
energies, vectors = op.solve(n=1, tol=1e-9)
total = pyci.compute_enpt2(ham, wfn, vectors[0], energies[0], epsilon2)
print(json.dumps({"determinants": len(wfn), "energy": float(energies[0]), "with_second_order": float(total)}))
"""


MACIS = """
import json, re, sys
import numpy as np
import qdk_chemistry.algorithms as algorithms
import qdk_chemistry.data as data
file, determinants = sys.argv[1], int(sys.argv[2])
header, body = re.split(r"&END|/", open(file).read(), maxsplit=1)
n, electrons = (int(re.search(key + r" *= *(\\d+)", header)[1]) for key in ("NORB", "NELEC"))
values = np.array(body.replace("D", "E").split(), dtype=float).reshape(-1, 5)
numbers = values[:, 1:].astype(int) - 1
one, two, core = np.zeros((n, n)), np.zeros((n, n, n, n)), 0.0
for value, (i, j, k, l) in zip(values[:, 0], numbers):
    if k >= 0:
        for p, q in ((i, j), (j, i)):
            for r, s in ((k, l), (l, k)):
                two[p, q, r, s] = two[r, s, p, q] = value
    elif j >= 0:
        one[i, j] = one[j, i] = value
    elif i < 0:
        core = value
container = data.CanonicalFourCenterHamiltonianContainer(one, two.ravel(), data.ModelOrbitals(n, True), core, np.zeros((0, 0)))
calculator = algorithms.create("multi_configuration_calculator", "macis_asci")
for key, value in {"ntdets_max": determinants, "ntdets_min": 100, "core_selection_strategy": "fixed", "ncdets_max": CORE,
                   "ci_residual_tolerance": 1e-6}.items():
    calculator.settings().set(key, value)
energy, wavefunction = calculator.run(data.Hamiltonian(container), electrons // 2, electrons // 2)
print(json.dumps({"determinants": wavefunction.size(), "energy": energy}))
"""


def measured(command, folder, environment):
    """Runs a program: its output, and what it took."""
    begin = time.perf_counter()
    with open(Path(folder, "output"), "w", encoding="utf-8") as out:
        process = subprocess.Popen(command, cwd=folder, stdout=out, stderr=subprocess.STDOUT, env=environment)
        _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begin
    text = Path(folder, "output").read_text(encoding="utf-8")
    if status != 0:
        raise RuntimeError(f"{command[0]} ended with status {status}:\n{text[-2000:]}")
    return text, {"seconds": seconds, "processor_seconds": usage.ru_utime + usage.ru_stime,
                  "memory_gb": usage.ru_maxrss * 1024 / 1e9}


def by_thresholds(arguments):
    thresholds = ", ".join(map(str, arguments.epsilon))
    return f'criterion = "heat-bath"\nepsilon = [{thresholds}]\ndeterminants = 100000000'


def by_number(criterion, key="determinants"):
    return lambda arguments: (f'criterion = "{criterion}"\ndeterminants = {getattr(arguments, key)}\n'
                              f'growth = {arguments.growth}')


def run_cisolve(arguments, folder, environment, selection=by_thresholds):
    Path(folder, "job.inp").write_text(f"""[integrals]
file = "{arguments.fcidump}"
[selection]
{selection(arguments)}
[solver]
tolerance = 1e-6
[run]
device = "cpu"
threads = {arguments.threads}
[output]
vectors = false
properties = false
""", encoding="utf-8")
    text, took = measured([arguments.cisolve, "job.inp"], folder, environment)
    root = re.search(r"^With second-order.*\n.*\n +1 +(\S+) +\S+ +(\S+)", text, re.MULTILINE)
    with h5py.File(Path(folder, "job.h5")) as result:
        took["rounds"] = result["selection/seconds"][:].tolist()
    return {"determinants": int(re.search(r"^  dimension +([\d,]+)", text, re.MULTILINE)[1].replace(",", "")),
            "energy": float(root[2]) - float(root[1]), "with_second_order": float(root[2])} | took


def run_pyci(arguments, folder, environment):
    Path(folder, "job.py").write_text(PYCI, encoding="utf-8")
    thresholds = [e for e in arguments.epsilon if arguments.pyci_last is None or e >= arguments.pyci_last]
    text, took = measured([sys.executable, "job.py", arguments.plain, str(arguments.threads), str(arguments.epsilon2),
                           *map(str, thresholds)], folder, environment)
    return json.loads(text.splitlines()[-1]) | took


def run_dice(arguments, folder, environment):
    electrons = int(re.search(r"NELEC *= *(\d+)", Path(arguments.plain).read_text(encoding="utf-8")[:4000])[1])
    os.symlink(arguments.plain, Path(folder, "FCIDUMP"))
    schedule = "\n".join(f"{3 * k} {epsilon}" for k, epsilon in enumerate(arguments.epsilon))
    Path(folder, "input.dat").write_text(f"""nocc {electrons}
{" ".join(map(str, range(electrons)))}
end
orbitals FCIDUMP
nroots 1
schedule
{schedule}
end
davidsonTol 1e-6
dE 1e-12
maxiter {3 * len(arguments.epsilon) + 1}
nPTiter 500
epsilon2 {arguments.epsilon2}
epsilon2Large 1e-5
sampleN 200
targetError 5e-5
noio
""", encoding="utf-8")
    text, took = measured([arguments.dice, "input.dat"], folder, environment)
    rounds = re.findall(r"^ +\d+ +0 +\S+ +(\d+) +-\d+\.\d+ +\d+ +(\S+)$", text, re.MULTILINE)
    took["rounds"] = [float(seconds) for _, seconds in rounds]
    energy = re.search(r"^Root +Energy.*\n +0 +(\S+)", text, re.MULTILINE)[1]
    # Where it ends by the number of iterations, the last of them is what it has.
    ended = re.search(r"^PTEnergy: +(\S+) \+/- (\S+)", text, re.MULTILINE)
    total, error = ended.groups() if ended else re.findall(r"^ +\d+ +-\S+ +0 +(-\S+) +(\S+) +\S+$", text, re.MULTILINE)[-1]
    return {"determinants": int(rounds[-1][0]), "energy": float(energy), "with_second_order": float(total),
            "error": float(error)} | took


def run_macis(arguments, folder, environment):
    core = max(100, arguments.determinants // 10)
    Path(folder, "job.py").write_text(MACIS.replace("CORE", str(core)), encoding="utf-8")
    text, took = measured([arguments.macis, "job.py", arguments.plain, str(arguments.determinants)], folder, environment)
    return json.loads(text.splitlines()[-1]) | took


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cisolve")
    parser.add_argument("fcidump")
    lists = parser.add_mutually_exclusive_group(required=True)
    lists.add_argument("--epsilon", type=float, nargs="+")
    lists.add_argument("--determinants", type=int)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--pyci", action="store_true")
    parser.add_argument("--pyci-last", type=float)
    parser.add_argument("--dice")
    parser.add_argument("--macis")
    parser.add_argument("--epsilon2", type=float, default=1e-7)
    parser.add_argument("--equal", type=int)
    parser.add_argument("--growth", type=float, default=2.0)
    arguments = parser.parse_args()
    arguments.cisolve = str(Path(arguments.cisolve).resolve())
    arguments.fcidump = str(Path(arguments.fcidump).resolve())
    programs = {"cisolve": run_cisolve}
    if arguments.determinants:
        programs = {f"cisolve, {criterion}": functools.partial(run_cisolve, selection=by_number(criterion))
                    for criterion in ("perturbation", "amplitude")}
    if arguments.equal and not arguments.epsilon:
        parser.error("--equal goes with --epsilon")
    if arguments.equal:
        programs["cisolve, perturbation"] = functools.partial(run_cisolve, selection=by_number("perturbation", "equal"))
    if arguments.macis:
        programs["macis"] = run_macis
    if arguments.pyci:
        programs["pyci"] = run_pyci
    if arguments.dice:
        arguments.dice = str(Path(arguments.dice).resolve())
        programs["dice"] = run_dice
    environment = os.environ | {"OMP_NUM_THREADS": str(arguments.threads), "OPENBLAS_NUM_THREADS": "1"}
    runs = {name: [] for name in programs}
    with tempfile.TemporaryDirectory() as scratch:
        arguments.plain = arguments.fcidump
        if arguments.fcidump.endswith(".gz"):
            arguments.plain = str(Path(scratch, "plain.fcidump"))
            with open(arguments.plain, "wb") as plain:
                subprocess.run(["gzip", "-dc", arguments.fcidump], stdout=plain, check=True)
        for _ in range(arguments.repeat):
            for name, run in programs.items():
                with tempfile.TemporaryDirectory(dir=scratch) as folder:
                    runs[name].append(run(arguments, folder, environment))
    result = {"fcidump": Path(arguments.fcidump).name, "epsilon": arguments.epsilon,
              "determinants": arguments.determinants, "threads": arguments.threads}
    for name, all_runs in runs.items():
        summary = dict(all_runs[-1])
        for key in ("seconds", "processor_seconds"):
            values = [run[key] for run in all_runs]
            summary[key] = {"median": statistics.median(values), "least": min(values), "most": max(values)}
        summary["memory_gb"] = max(run["memory_gb"] for run in all_runs)
        result[name] = summary
    same_list = arguments.pyci and arguments.pyci_last is None
    if same_list and abs(result["pyci"]["energy"] - result["cisolve"]["energy"]) > 1e-4:
        sys.exit(f"the energies differ: {result['pyci']['energy']} and {result['cisolve']['energy']}")
    if arguments.equal:
        lowest = min(result[name]["energy"] for name in programs if name != "cisolve, perturbation")
        if result["cisolve, perturbation"]["energy"] > lowest:
            sys.exit(f"{arguments.equal} determinants are too few: {result['cisolve, perturbation']['energy']} is above {lowest}")
    json.dump(result, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
