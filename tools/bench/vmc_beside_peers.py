#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Variational Monte Carlo beside mVMC's and NetKet's, on one core in turn: steps a second, with an energy every sweep.

  vmc_beside_peers.py CISOLVE [--mvmc [LABEL=]VMC.OUT ...] [--netket PYTHON] [--sizes 5 9 15] [--seconds S] [--repeat R]
                      [--core C] [--json FILE]

The state: t-J on tilted squares of N = L^2 + 1 sites, J = 0.3, doping 0.1; projected d-wave pairs, delta 1.5, mu 0,
and 100 for the pair without a gap. mVMC samples the same state: antiparallel pairs f_ij = phi(i, j), and a Gutzwiller
factor e^-300 for each doubly occupied site, its way to leave them out. It optimises nothing (NVMCCalMode 1); half its
attempts are hops, of which most meet a site of the other spin and are rejected, half are exchanges. Energies must
agree within 5 joint standard errors, mVMC's being that of the means of 20 bins for each run, else the status is 1.

A step is one attempt to move, accepted or not; a sweep is N. Of cisolve: `steps_per_second` of `/timing`, of all
steps; the first 2% of the sweeps are without energies. Of mVMC: NVMCInterval * Nsite attempts are a sample, here N;
it samples first, and then makes one energy of each sample, by its timers VMCMakeSample [3] and VMCMainCal [4], so
that the rate is 1/(T3/attempts + T4/(N samples)). Starting, reading and writing are in neither. "accepted" is the
share of attempts that moved something, "t(1e-4)" the seconds for a standard error of 1e-4 t per site, from the run's
error and time.

NetKet evaluates psi anew at each step: it has no walker for such states that updates anything. What it runs is
Heisenberg's model (half filled, J = 1, S.S) on the same cluster, exchanges of neighbours, in a process of the
interpreter PYTHON: "pairs", the pairs without holes as a determinant, beside which cisolve runs the same state (t-J
with V = J/4), energies compared; "jastrow", a Jastrow factor, another state, for the rate of its engine alone.
Compilation is not in the time.

Runs are repeated in turn; medians are given, of energies weighted means. Everything is on core C with one thread, and
"cpu" is the smallest share of it that a run had: where it is well below 1, others were at work."""
import argparse
import json
import math
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

J, DELTA, CUTOFF = 0.3, 1.5, 100.0
CHAINS = 32
ERRORS = 5.0  # joint standard errors within which energies must agree
GUTZWILLER = -300.0  # e^(2 * 300) is still a number, so that mVMC can leave a start with doubly occupied sites
BINS = 20
# Steps a second, for the length of runs alone: of cisolve, of mVMC, of NetKet's pairs and of its Jastrow factor.
GUESS = {5: (1.4e7, 5e5, 5e4, 4e5), 9: (8e6, 1.6e5, 6e3, 1.8e5), 15: (3e6, 2.5e4, 1.1e3, 5e4)}
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "BLIS_NUM_THREADS": "1",
              "JAX_PLATFORMS": "cpu", "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"}


class Missing(Exception):
    """Something that a user must give, in one sentence."""


def amplitudes(size):
    """phi of the sites 0 and n: site n is the point (n, 0) up to (L, 1) and (-1, L), so that (0, 1) is site -L, and k
    is 2 pi m (1, -L)/N."""
    sites = size * size + 1
    kx = 2 * math.pi * np.arange(sites) / sites
    ky = -size * kx
    band = -2 * (np.cos(kx) + np.cos(ky))
    gap = DELTA / 2 * (np.cos(kx) - np.cos(ky))
    free = np.abs(gap) < 1e-10
    root = np.hypot(band, gap)
    phi = np.where(band > 0, gap / np.where(band > 0, band + root, 1.0), (root - band) / np.where(free, 1.0, gap))
    phi[free] = np.where(band[free] < 0, CUTOFF, 0.0)
    return np.cos(np.outer(np.arange(sites), kx)) @ phi / sites


def bonds_of(size):
    sites = size * size + 1
    return [(n, (n + step) % sites) for n in range(sites) for step in (1, -size)]


def run(command, folder, core):
    """Runs on one core. Returns the standard output, wall and CPU seconds."""
    pinned = ["taskset", "-c", str(core)] if core is not None else []
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run([*pinned, *map(str, command)], cwd=folder, env={**os.environ, **ONE_THREAD},
                          capture_output=True, text=True, check=False)
    wall, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]}: status {done.returncode}: {(done.stderr + done.stdout)[-2000:]}")
    return done.stdout, wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def cisolve(program, size, sweeps, core, heisenberg=False, seed=1):
    """One run. Heisenberg: half filled, J = 1 and V = J/4, that is S.S."""
    model = f"J = 1\nV = 0.25\nelectrons = {size * size + 1}" if heisenberg else f"J = {J}\ndoping = 0.1"
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "job.inp").write_text(f"""[lattice]
kind = "tilted"
size = {size}
model = "t-J"
{model}
[vmc]
wavefunction = "bcs"
pairing = "d"
delta = {DELTA}
mu = 0
pair_cutoff = {CUTOFF}
chains = {CHAINS}
sweeps = {sweeps}
equilibration = {max(sweeps // 50, 20)}
measure_interval = 1
correlation_interval = 0
seed = {seed}
[run]
device = "cpu"
""", encoding="utf-8")
        _, wall, cpu = run([program, "job.inp", "--quiet", "--set", "run.threads=1"], folder, core)
        import h5py
        with h5py.File(Path(folder, "job.h5")) as file:
            vmc, lattice, timing = (dict(file[name].attrs) for name in ("vmc", "lattice", "timing"))
    if lattice["n_sites"] != size * size + 1:
        raise RuntimeError(f"cisolve ran {lattice['n_sites']} sites, not {size * size + 1}")
    steps = int(vmc["steps"])
    return {"rate": float(timing["steps_per_second"]), "steps": steps, "seconds": float(timing["sampling"]),
            "energy": float(vmc["energy_per_site"]), "error": float(vmc["energy_per_site_error"]),
            "electrons": int(lattice["n_electrons"]),
            "accepted": int(vmc["accepted_hops"] + vmc["accepted_exchanges"]) / steps, "cpu": cpu / wall}


def definition(folder, name, count, lines, third="=" * 20):
    """A file of mVMC: five lines of head, of which the second says how many there are of what the file defines."""
    rule = "=" * 20
    Path(folder, name).write_text("\n".join([rule, count, third, rule, rule, *lines]) + "\n", encoding="utf-8")


def write_mvmc(folder, size, electrons, samples, warm_up, seed):
    """J (S_i.S_j - n_i n_j/4) = -J/2 (n_iu n_jd + n_id n_ju) - J/2 (c+_iu c_ju c+_jd c_id + h.c.). The first part is
    -J/2 n_i n_j, mVMC's CoulombInter, and J/2 (n_iu n_ju + n_id n_jd), the negative of its Hund; the second is its
    Exchange."""
    sites, bonds, real = size * size + 1, bonds_of(size), "ComplexType 0"
    hops = [f"{a} {s} {b} {s} 1.0 0.0" for i, j in bonds for a, b in ((i, j), (j, i)) for s in (0, 1)]
    definition(folder, "locspn.def", "NlocalSpin 0", [f"{i} 0" for i in range(sites)])
    definition(folder, "trans.def", f"NTransfer {len(hops)}", hops)
    for name, count in (("coulombinter", "NCoulombInter"), ("hund", "NHund"), ("exchange", "NExchange")):
        definition(folder, f"{name}.def", f"{count} {len(bonds)}", [f"{i} {j} {-J / 2!r}" for i, j in bonds])
    definition(folder, "gutzwilleridx.def", "NGutzwillerIdx 1", [*(f"{i} 0" for i in range(sites)), "0 0"], real)
    definition(folder, "orbitalidx.def", f"NOrbitalIdx {sites}",
               [*(f"{i} {j} {(i - j) % sites}" for i in range(sites) for j in range(sites)),
                *(f"{n} 0" for n in range(sites))], real)
    definition(folder, "qptransidx.def", "NQPTrans 1", ["0 1.0"] + [f"0 {i} {i}" for i in range(sites)])
    definition(folder, "ingutzwiller.def", "NGutzwillerIdx 1", [f"0 {GUTZWILLER} 0.0"])
    definition(folder, "inorbital.def", f"NOrbitalIdx {sites}",
               [f"{n} {float(value):.17e} 0.0" for n, value in enumerate(amplitudes(size))])
    rule = "-" * 20
    values = {"NVMCCalMode": 1, "NLanczosMode": 0, "NDataIdxStart": 1, "NDataQtySmp": BINS, "Nsite": sites,
              "Ncond": electrons, "2Sz": 0, "NSPGaussLeg": 1, "NSPStot": 0, "NMPTrans": 1, "NSROptItrStep": 1,
              "NSROptItrSmp": 1, "NVMCWarmUp": warm_up, "NVMCInterval": 1, "NVMCSample": samples, "NExUpdatePath": 1,
              "RndSeed": seed, "NSplitSize": 1, "NStore": 0}
    Path(folder, "modpara.def").write_text("\n".join(
        [rule, "Model_Parameters 0", rule, "VMC_Cal_Parameters", rule, "CDataFileHead zvo", "CParaFileHead zqp", rule,
         *(f"{key} {value}" for key, value in values.items())]) + "\n", encoding="utf-8")
    Path(folder, "namelist.def").write_text("""ModPara modpara.def
LocSpin locspn.def
Trans trans.def
CoulombInter coulombinter.def
Hund hund.def
Exchange exchange.def
Gutzwiller gutzwilleridx.def
Orbital orbitalidx.def
TransSym qptransidx.def
InGutzwiller ingutzwiller.def
InOrbital inorbital.def
""", encoding="utf-8")


def mvmc(program, size, electrons, sweeps, core, seed, version):
    """One run of BINS bins, each going on from where the one before ended."""
    sites, samples = size * size + 1, max(sweeps // BINS, 10)
    warm_up = max(samples, 100)
    with tempfile.TemporaryDirectory() as folder:
        write_mvmc(folder, size, electrons, samples, warm_up, seed)
        _, wall, cpu = run([program, "-e", "namelist.def"], folder, core)
        energies = [float(Path(folder, f"output/zvo_out_{index:03d}.dat").read_text(encoding="utf-8").split()[0])
                    for index in range(1, BINS + 1)]
        clock = Path(folder, "output/zvo_CalcTimer.dat").read_text(encoding="utf-8")
        counts = Path(folder, "output/zvo_time_001.dat").read_text(encoding="utf-8")
    lines = [line.split() for line in counts.splitlines()[1:]]
    # The counters begin anew with each bin: step, acceptance of hops, exchanges and spin flips, then their numbers.
    hops, exchanges = (sum(float(line[k + 3]) for line in lines) for k in (1, 2))
    moves = sum(float(line[1]) * float(line[4]) + float(line[2]) * float(line[5]) for line in lines)
    attempts = (BINS * (samples + 1) - 1 + warm_up) * sites  # a bin after the first has a sweep more
    if int(hops + exchanges) != attempts:
        raise RuntimeError(f"mVMC made {hops + exchanges:.0f} attempts, not {attempts}: it counts in another way")
    sampling, energy_time = (float(re.search(rf"\[{number}\]\s+([\d.]+)", clock)[1]) for number in (3, 4))
    energies = np.array(energies) / sites
    return {"rate": 1 / (sampling / attempts + energy_time / (BINS * samples * sites)), "steps": attempts,
            "seconds": sampling + energy_time, "sampling_rate": attempts / sampling,
            "energy": float(energies.mean()), "error": float(energies.std(ddof=1) / math.sqrt(BINS)),
            "accepted": moves / attempts, "cpu": cpu / wall, "version": version}


NETKET = """
import json, sys, time
import numpy as np
import jax, jax.numpy as jnp
import flax.linen as nn
import netket as nk
size, kind, sweeps, seed, phi = json.loads(sys.argv[1])
N = size * size + 1
phi = np.asarray(phi)
edges = sorted({tuple(sorted((n, (n + d) % N))) for n in range(N) for d in (1, size)})
graph = nk.graph.Graph(edges=edges)
hilbert = nk.hilbert.Spin(0.5, N, total_sz=0)
class Pairs(nn.Module):
    @nn.compact
    def __call__(self, x):
        self.param("none", nn.initializers.zeros, (1,))
        def one(s):
            up, down = jnp.argsort(-s, stable=True)[:N // 2], jnp.argsort(s, stable=True)[:N // 2]
            sign, log = jnp.linalg.slogdet(jnp.asarray(phi)[(up[:, None] - down[None, :]) % N])
            swaps = jnp.sum(jnp.where(s > 0, jnp.cumsum(s < 0), 0)) % 2  # from up before down to the order of sites
            return log + 1j * jnp.pi * (swaps + (sign < 0))
        return jax.vmap(one)(x.reshape(-1, N)).reshape(x.shape[:-1])
chains = 16
length = max(sweeps // chains, 4)
sampler = nk.sampler.MetropolisExchange(hilbert, graph=graph, n_chains=chains, sweep_size=N)
pairs = kind == "pairs"
chunk = max(1, min(16, 2 ** 26 // (8 * len(edges) * N * N // 4))) if pairs else None
state = nk.vqs.MCState(sampler, Pairs() if pairs else nk.models.Jastrow(param_dtype=float), n_samples=chains * length,
                       n_discard_per_chain=0, seed=seed, sampler_seed=seed + 1, chunk_size=chunk)
# With the rule, psi > 0 stands for a state of Marshall's signs; the determinant has its own.
H = nk.operator.Heisenberg(hilbert, graph, J=0.25, sign_rule=not pairs).to_jax_operator()
state.expect(H)  # compiles, and is the equilibration
state.sample(n_discard_per_chain=10)
begin = time.perf_counter()
state.reset()
found = state.expect(H)
mean = np.asarray(found.mean).item()
seconds = time.perf_counter() - begin
print(json.dumps({"rate": chains * length * N / seconds, "steps": chains * length * N, "seconds": seconds,
                  "energy": float(np.real(mean)) / N, "error": float(found.error_of_mean) / N,
                  "accepted": float(np.asarray(state.sampler_state.acceptance)),
                  "version": "NetKet " + nk.__version__}))
"""


def netket(python, size, kind, sweeps, core, seed):
    asked = json.dumps([size, kind, sweeps, seed, amplitudes(size).tolist()])
    output, wall, cpu = run([python, "-c", NETKET, asked], None, core)
    return {**json.loads(output.splitlines()[-1]), "cpu": cpu / wall}


def median_of(runs):
    """Rates and times of all runs; the energy is the mean of theirs, weighted by their errors."""
    weights = [run["error"] ** -2 for run in runs]
    result = {key: statistics.median(run[key] for run in runs) for key in ("rate", "seconds", "accepted")}
    result["energy"] = sum(w * run["energy"] for w, run in zip(weights, runs)) / sum(weights)
    result["error"] = sum(weights) ** -0.5
    result["steps"] = sum(run["steps"] for run in runs)
    result["rates"] = [run["rate"] for run in runs]
    result["cpu"] = min(run["cpu"] for run in runs)
    result["seconds_to_1e-4"] = statistics.median(run["seconds"] * (run["error"] / 1e-4) ** 2 for run in runs)
    if "sampling_rate" in runs[0]:
        result["sampling_rate"] = statistics.median(run["sampling_rate"] for run in runs)
    result.update({key: runs[0][key] for key in ("electrons", "version") if key in runs[0]})
    return result


def measure(options):
    rows = []
    for size in options.sizes:
        sites, guess = size * size + 1, GUESS[size]
        ours_sweeps, mvmc_sweeps, pair_sweeps, jastrow_sweeps = (int(rate * options.seconds / sites) for rate in guess)
        ours_sweeps = max(ours_sweeps // CHAINS, 40)
        runs = {}
        for turn in range(options.repeat):
            seed = 1 + 100 * turn
            ours = cisolve(options.program, size, ours_sweeps, options.core, seed=seed)
            runs.setdefault(("t-J", "cisolve"), []).append(ours)
            for name, program, version in options.mvmc:
                runs.setdefault(("t-J", name), []).append(
                    mvmc(program, size, ours["electrons"], mvmc_sweeps, options.core, seed, version))
            if options.netket:
                runs.setdefault(("Heisenberg", "cisolve"), []).append(
                    cisolve(options.program, size, ours_sweeps, options.core, heisenberg=True, seed=seed))
                runs.setdefault(("Heisenberg", "NetKet, pairs"), []).append(
                    netket(options.netket, size, "pairs", pair_sweeps, options.core, seed))
                runs.setdefault(("Heisenberg", "NetKet, jastrow"), []).append(
                    netket(options.netket, size, "jastrow", jastrow_sweeps, options.core, seed))
        for (model, program), found in runs.items():
            row = {"size": size, "sites": sites, "model": model, "program": program, **median_of(found)}
            row["same_state"] = program != "NetKet, jastrow"
            own = row if program == "cisolve" else next(
                r for r in rows if (r["size"], r["model"], r["program"]) == (size, model, "cisolve"))
            row["ratio"] = own["rate"] / row["rate"]
            if row is not own and row["same_state"]:
                row["standard_errors"] = (row["energy"] - own["energy"]) / math.hypot(row["error"], own["error"])
            rows.append(row)
            show(row)
    return rows


HEADER = (f"{'sites':>5}  {'model':<11}{'program':<19}{'E per site':>20}{'joint s.e.':>12}{'steps/s':>10}"
          f"{'cisolve/it':>11}{'accepted':>9}{'t(1e-4)':>9}{'cpu':>6}")


def show(row):
    agreement = f"{row['standard_errors']:+.1f}" if "standard_errors" in row else ""
    agreement = agreement if row["same_state"] else "other state"
    energy = f"{row['energy']:.5f} +- {row['error']:.5f}"
    seconds = f"{row['seconds_to_1e-4']:.3g}" if row["same_state"] else ""
    print(f"{row['sites']:>5}  {row['model']:<11}{row['program']:<19}{energy:>20}{agreement:>12}{row['rate']:>10.2e}"
          f"{row['ratio']:>11.1f}{row['accepted']:>9.4f}{seconds:>9}{row['cpu']:>6.2f}", flush=True)


def mvmc_version(program):
    """The release that the program says it is of."""
    done = subprocess.run([program, "-v"], capture_output=True, text=True, check=False)
    found = re.search(r"version\s+([\d.]*\d)", done.stdout + done.stderr, re.IGNORECASE)
    return f"mVMC {found[1]}" if found else "mVMC"


def check(options):
    """What a user must give, and what there is of it."""
    program = shutil.which(options.program)
    if program is None:
        raise Missing(f"{options.program} is no program: the first argument is cisolve's path.")
    options.program = str(Path(program).resolve())
    builds = []
    for given in options.mvmc:
        label, _, path = given.rpartition("=")
        found = shutil.which(path)
        if found is None:
            raise Missing(f"{path} is no program: --mvmc takes the path of mVMC's vmc.out.")
        found = str(Path(found).resolve())
        builds.append((f"mVMC {label}".strip(), found, mvmc_version(found)))
    options.mvmc = builds
    if len({name for name, _, _ in builds}) < len(builds):
        raise Missing("several builds of mVMC need labels of their own: --mvmc LABEL=PATH.")
    if not builds:
        print("mVMC is left out: give the path of its vmc.out with --mvmc.", file=sys.stderr)
    python = options.netket or sys.executable
    found = shutil.which(python)
    usable = found and not subprocess.run([found, "-c", "import netket"], capture_output=True, check=False).returncode
    if not usable:
        if options.netket:
            raise Missing(f"{options.netket} cannot import netket: --netket takes a Python interpreter that can.")
        print("NetKet is left out: give a Python interpreter that can import it with --netket.", file=sys.stderr)
    options.netket = found if usable else None
    if not builds and not usable:
        raise Missing("there is nothing to compare with: give mVMC's vmc.out with --mvmc, or --netket.")
    if options.core is not None and shutil.which("taskset") is None:
        raise Missing("taskset is missing, which puts programs on one core: install util-linux.")
    unknown = [size for size in options.sizes if size not in GUESS]
    if unknown:
        raise Missing(f"--sizes {unknown[0]}: expected some of {', '.join(map(str, GUESS))}.")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="cisolve")
    parser.add_argument("--mvmc", metavar="[LABEL=]PATH", action="append", default=[],
                        help="mVMC's vmc.out; once for each of its builds")
    parser.add_argument("--netket", help="a Python interpreter that can import netket (default: this one, if it can)")
    parser.add_argument("--sizes", type=int, nargs="+", default=[5, 9, 15])
    parser.add_argument("--seconds", type=float, default=10.0, help="rough length of each run (10)")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--core", type=int, default=0, help="CPU that everything runs on (0)")
    parser.add_argument("--json", help="file to write besides the table")
    options = parser.parse_args()
    try:
        check(options)
    except Missing as error:
        print(error, file=sys.stderr)
        return 1
    print(HEADER)
    rows = measure(options)
    if options.json:
        Path(options.json).write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    wrong = [row for row in rows if abs(row.get("standard_errors", 0.0)) > ERRORS]
    for row in wrong:
        print(f"{row['sites']} sites, {row['model']}: the energy of {row['program']} differs from cisolve's by "
              f"{abs(row['standard_errors']):.1f} joint standard errors: not the same state", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
