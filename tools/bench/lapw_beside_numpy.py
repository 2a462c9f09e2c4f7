#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""H and S of FLAPW by cisolve-bench beside numpy, of the same sizes, in turns on the same cores.

  tools/bench/lapw_beside_numpy.py BENCH [--atoms N] [--lmax N] [--waves N] [--threads N] [--repeats N] [--json FILE]

BENCH is the program cisolve-bench. numpy does what one would write down: S = X^H X with X = [A; U B], and
H = [A; B]^H (T [A; B]), A and B as a whole, which BLAS multiplies without knowing that the results are Hermitian. Its A, B and
T are random numbers; elements are checked against plain sums. Both use the BLAS that they find: the report says which.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bench")
    parser.add_argument("--atoms", type=int, default=64)
    parser.add_argument("--lmax", type=int, default=6)
    parser.add_argument("--waves", type=int, default=2318)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json")
    return parser.parse_args()


arguments = parse()
os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = str(arguments.threads)
import numpy as np  # noqa: E402: threads are counted when it is loaded


def complex_numbers(generator, *shape):
    return generator.uniform(-1, 1, shape) + 1j * generator.uniform(-1, 1, shape)


class Numpy:
    """Matrices of the size asked for, and their H and S."""

    def __init__(self, atoms, lmax, waves):
        self.functions = (lmax + 1) ** 2
        generator = np.random.default_rng(1)
        rows = atoms * self.functions
        self.x = complex_numbers(generator, atoms, 2 * self.functions, waves) / np.sqrt(rows)  # [A_a; B_a]
        t = complex_numbers(generator, 2 * self.functions, 2 * self.functions) / np.sqrt(self.functions)
        self.t = t + t.conj().T
        self.norms = np.concatenate([np.ones(self.functions), np.full(self.functions, 0.3)])

    def generate(self):
        stack = self.x.reshape(-1, self.x.shape[-1])
        h = stack.conj().T @ np.matmul(self.t, self.x).reshape(stack.shape)
        scaled = (self.norms[:, None] * self.x).reshape(stack.shape)
        return h, scaled.conj().T @ scaled

    def check(self, h, s):
        for g, other in ((0, 0), (5, 3), (h.shape[0] - 1, 1)):
            a, b = self.x[:, :, g], self.x[:, :, other]
            expected_h = np.einsum("ai,ij,aj->", a.conj(), self.t, b)
            expected_s = np.einsum("ai,i,ai->", a.conj(), self.norms**2, b)
            if max(abs(h[g, other] - expected_h), abs(s[g, other] - expected_s)) > 1e-11:
                sys.exit(f"lapw_beside_numpy: element [{g}, {other}] of numpy's matrices is wrong")


def cisolve(arguments, crystal):
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "lapw.json")
        command = [arguments.bench, "lapw", "--atoms", str(arguments.atoms), "--lmax", str(arguments.lmax), "--waves",
                   str(arguments.waves), "--repeats", "1", "--json", file, "--algorithms"]
        command += ["split", "--crystal"] if crystal else ["hsdla,merged"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        with open(file, encoding="utf-8") as report:
            return json.load(report)["results"]


numpy_way = Numpy(arguments.atoms, arguments.lmax, arguments.waves)
numpy_way.check(*numpy_way.generate())
seconds = {"numpy": [], "hsdla": [], "merged": [], "split": []}
rates, blas = [], ""
for _ in range(arguments.repeats):
    start = time.perf_counter()
    numpy_way.generate()
    seconds["numpy"].append(time.perf_counter() - start)
    for crystal in (False, True):
        results = cisolve(arguments, crystal)
        blas = results["blas"]
        rates.append(results["zgemm_flop_per_s"])
        for one in results["algorithms"]:
            seconds[one["algorithm"]].append(one["median_s"])
report = {"atoms": arguments.atoms, "lmax": arguments.lmax, "waves": arguments.waves, "threads": arguments.threads,
          "blas": blas, "numpy": np.__version__, "zgemm_flop_per_s": sorted(rates)[len(rates) // 2], "seconds": seconds}
print(f"{arguments.atoms} atoms, lmax {arguments.lmax}, {arguments.waves} plane waves, {arguments.threads} threads; {blas}, "
      f"numpy {np.__version__}; ZGEMM {report['zgemm_flop_per_s'] * 1e-9:.1f} GFlop/s")
for name, times in seconds.items():
    times.sort()
    print(f"  {name:8} {times[len(times) // 2]:8.3f} s, from {times[0]:.3f} to {times[-1]:.3f}")
if arguments.json:
    with open(arguments.json, "w", encoding="utf-8") as file:
        json.dump(report, file, indent=1)
