# SPDX-License-Identifier: MIT
"""A job through the program and through dense diagonalisation."""
import os
import subprocess

import h5py
import numpy as np

from .fock import FockSpace, Sector
from .job import Job
from .problem import Problem
from .selection import Selection, arrangements, bits_of, cas_determinants, irreps_of

ENERGY = 1e-9  # hartree, relative to max(1, |E|)
TOLERANCE = 1e-8  # hartree, of residuals: what they leave of an energy is its square over a gap
CLUSTER = 1e-7  # hartree: roots closer than that are one group to cisolve
GAP = 1e-4  # hartree: a group this far from all other states has a meaning of its own

# Of inputs that may ask for what there is not: the program says so, and there is nothing to compare.
REFUSALS = {"keeps this limit": "limits", "of the occupied orbitals, but its irreps take": "CAS",
            "more orbitals of irrep": "CAS", "unrestricted (UHF) integrals": "taken for UHF"}
NOT_DIRECT = 'hamiltonian.storage: "direct" needs'


class Disagreement(Exception):
    pass


class Case:
    """One seed: a problem, a job, what the program makes of it, and what is true."""

    def __init__(self, seed, most_orbitals, device):
        random = np.random.default_rng(seed)
        self.problem = Problem(random, most_orbitals)
        self.job = Job(random, self.problem)
        self.fcidump = self.problem.fcidump(random)
        self.device = device
        self.fock = FockSpace(self.problem.n)
        self.sectors = {}

    def run(self, program, folder):
        """What was compared: "compared", or why there was nothing to compare. @raises Disagreement"""
        (folder / "case.fcidump").write_text(self.fcidump)
        (folder / "case.inp").write_text(self.job.text(self.device, TOLERANCE))
        environment = dict(os.environ, OMP_NUM_THREADS="1", OMP_WAIT_POLICY="passive")
        try:
            done = subprocess.run([str(program), "case.inp", "-q"], cwd=folder, capture_output=True, text=True,
                                  timeout=300, check=False, env=environment)
        except subprocess.TimeoutExpired as error:
            raise Disagreement("it hangs") from error
        (folder / "report.txt").write_text(done.stdout + done.stderr)
        if done.returncode == 1 and NOT_DIRECT in done.stderr and self.job.may_be_listed:
            self.job.hamiltonian["storage"] = "auto"
            return self.run(program, folder)
        if done.returncode == 1:
            return self.judge_refusal(done.stderr)
        if done.returncode != 0:
            raise Disagreement(f"exit status {done.returncode}: {done.stderr.strip()}")
        with h5py.File(folder / "case.h5") as file:
            self.compare(file)
        return "compared"

    # --- the independent calculation

    def sector(self, ms2):
        """States, H and S^2 of an Ms."""
        if ms2 not in self.sectors:
            frozen = self.job.frozen
            states = Sector(self.fock, frozen.electrons, ms2)
            self.sectors[ms2] = (states.states, states.hamiltonian(frozen.h, frozen.eri, frozen.core),
                                 states.spin_squared())
        return self.sectors[ms2]

    def references(self, ms2, irrep, shown, cas_orbitals):
        """Active (alpha, beta) of what the space is expanded out of.

        shown: occupation of the first reference in the result file, which tells those that cisolve searched for;
        None: the sector is not there
        """
        job = self.job
        alpha, beta = (job.electrons + ms2) // 2, (job.electrons - ms2) // 2
        if job.reference == "list":
            texts = [t.replace("u", "1").replace("d", "1") for t in job.occupations] if job.csf else job.occupations
            if job.csf:
                return [bits_of(t.replace("1", "u")) for t in texts]
            return [d for t in texts for d in arrangements(t, ms2)]
        if job.reference == "cas":
            return self.cas_references(ms2, irrep, shown, cas_orbitals)
        if job.reference == "first-orbitals" or shown is None:
            return [((1 << alpha) - 1, (1 << beta) - 1)]
        if job.csf:
            return [bits_of(shown.replace("1", "u"))]
        return arrangements(shown.replace("u", "1").replace("d", "1"), ms2)

    def cas_references(self, ms2, irrep, shown, cas_orbitals):
        job, cas = self.job, self.job.cas
        pairs = (job.electrons - cas["electrons"]) // 2
        if isinstance(cas["orbitals"], dict):
            if shown == "":
                return []  # a spin that its electrons cannot have
            orbitals = cas_orbitals
            doubly = [p for p, c in enumerate(shown or "") if c == "2" and p not in orbitals]
            if shown is not None and len(doubly) != pairs:
                raise Disagreement(f"{shown} has not {pairs} pairs outside the CAS")
        else:
            orbitals = [p - 1 for p in cas["orbitals"]] if isinstance(cas["orbitals"], list) else \
                list(range(pairs, pairs + cas["orbitals"]))
            doubly = [p for p in range(job.active) if p not in orbitals][:pairs]
        found = cas_determinants(orbitals, doubly, cas["electrons"], ms2)
        if not found and job.csf:
            found = cas_determinants(orbitals, doubly, cas["electrons"], cas["electrons"] % 2)
        if cas.get("irreps") == "sector" and irrep:
            n, core = self.problem.n, job.frozen.n_core
            states = np.array([a << core | b << core + n for a, b in found], dtype=int)
            of_irrep = irreps_of(states, n, job.frozen.labels) == irrep if len(states) else []
            found = [d for d, good in zip(found, of_irrep) if good]
        return found

    def solve(self, ms2, irrep, multiplicity, shown, cas_orbitals):
        """Rows, H and S^2 within, basis of the spin asked for, energies and <S^2> of its states."""
        states, hamiltonian, spin = self.sector(ms2)
        references = self.references(ms2, irrep, shown, cas_orbitals)
        selection = Selection(self.job.frozen, self.job.space, references, irrep, ms2, self.job.csf)
        rows = selection.rows(states)
        h, s = hamiltonian[np.ix_(rows, rows)], spin[np.ix_(rows, rows)]
        basis = np.eye(len(rows))
        if multiplicity and len(rows):
            two_s = multiplicity - 1
            values, vectors = np.linalg.eigh(s)
            if abs(values - np.round(values * 4) / 4).max() > 1e-8:
                raise Disagreement("the model space is not spin-complete")
            basis = vectors[:, abs(values - 0.25 * two_s * (two_s + 2)) < 1e-6]
        projected = basis.T @ h @ basis
        energies, vectors = np.linalg.eigh(projected) if projected.size else (np.zeros(0), np.zeros((0, 0)))
        return {"states": states[rows], "h": h, "s": s, "energies": energies, "vectors": basis @ vectors,
                "dimension": basis.shape[1] if self.job.csf else len(rows), "removed": not selection.references}

    def wanted_sectors(self):
        irreps = self.job.irreps if self.job.irreps is not None else [None]
        return [(irrep, m) for m in self.job.multiplicities or [self.spin_of(0)] for irrep in irreps]

    # --- the comparison

    def judge_refusal(self, message):
        for part, reason in REFUSALS.items():
            if part in message and (reason != "limits" or "max_holes" in self.job.space or
                                    "max_particles" in self.job.space):
                return f"refused: {reason}"
        known = self.job.irreps is not None and self.job.reference in ("list", "cas", "first-orbitals")
        if known and not (self.job.reference == "cas" and isinstance(self.job.cas["orbitals"], dict)):
            for irrep, multiplicity in self.wanted_sectors():
                exact = self.solve(self.job.sector_ms2(multiplicity), irrep, self.spin_of(multiplicity), None, [])
                if len(exact["energies"]) > 0:
                    raise Disagreement(f"refused, but the space has states: {message.strip()}")
        elif not any(word in message for word in ("no determinant", "no state", "no CSF", "no configuration",
                                                  "cannot have ms2")):
            raise Disagreement(f"refused: {message.strip()}")
        return "refused: empty"

    def spin_of(self, multiplicity):
        return multiplicity or (self.problem.ms2 + 1 if self.job.csf else 0)

    def compare(self, file):
        energy, s_squared = file["states/energy"][:], file["states/s_squared"][:]
        if np.any(np.diff(energy) < 0):
            raise Disagreement("energies are not ascending")
        active_numbers = [int(p) for p in file["system/active_orbitals"][:]]
        if [self.job.frozen.order[self.job.frozen.n_core + k] + 1 for k in range(self.job.active)] != active_numbers:
            raise Disagreement("other active orbitals")
        cas = [active_numbers.index(int(p)) for p in file["system/cas_orbitals"][:]]
        if "sector" not in file:
            groups = [(file, file["space"].attrs["irrep"], self.wanted_sectors()[0][1],
                       file["system"].attrs["ms2"], np.arange(len(energy)))]
        else:
            number = file["states/sector"][:]
            groups = [(group, group.attrs["irrep"], group.attrs["multiplicity"], group.attrs["ms2"],
                       np.nonzero(number == int(name))[0]) for name, group in file["sector"].items()]
        done = set()
        for group, irrep, multiplicity, ms2, places in groups:
            if self.job.irreps is not None:
                done.add((int(irrep), int(multiplicity)))
            self.compare_sector(group, int(irrep), int(multiplicity), int(ms2), energy[places], s_squared[places],
                                cas, file)
        self.check_absent(done, cas)

    def check_absent(self, done, cas):
        if self.job.irreps is None:
            return
        for irrep, multiplicity in self.wanted_sectors():
            if (irrep, multiplicity) in done or (len(self.wanted_sectors()) == 1 and done):
                continue
            if self.job.reference == "cas" and isinstance(self.job.cas["orbitals"], dict):
                continue  # which orbitals are doubly occupied, only the sector says
            exact = self.solve(self.job.sector_ms2(multiplicity), irrep, self.spin_of(multiplicity), None, cas)
            if len(exact["energies"]):
                raise Disagreement(f"irrep {irrep}, multiplicity {multiplicity} is missing, but has states")

    def compare_sector(self, group, irrep, multiplicity, ms2, energy, s_squared, cas, file):
        name = f"irrep {irrep}, multiplicity {multiplicity}, ms2 {ms2}"
        if ms2 != self.job.sector_ms2(multiplicity) and not self.job.csf:
            raise Disagreement(f"{name}: another Ms than asked for")
        shown = group["space"].attrs["reference"]
        shown = shown if isinstance(shown, str) else shown.decode()
        exact = self.solve(ms2, irrep, self.spin_of(multiplicity), shown, cas)
        if group["space"].attrs["dimension"] != exact["dimension"]:
            raise Disagreement(f"{name}: {group['space'].attrs['dimension']} functions, not {exact['dimension']}")
        true = exact["energies"]
        if not min(self.job.count, len(true)) <= len(energy) <= len(true):
            raise Disagreement(f"{name}: {len(energy)} roots of {len(true)} states, asked for {self.job.count}")
        wrong = abs(energy - true[:len(energy)]) > ENERGY * np.maximum(1.0, abs(true[:len(energy)]))
        if wrong.any():
            k = int(np.argmax(wrong))
            raise Disagreement(f"{name}: root {k + 1} at {energy[k]:.12f}, not {true[k]:.12f}; states "
                               f"{', '.join(f'{e:.10f}' for e in true[:len(energy) + 2])}")
        self.compare_spins(name, exact, energy, s_squared)
        if not self.job.csf and "alpha" in group["space"]:
            self.compare_vectors(name, exact, group, energy, file)

    @staticmethod
    def compare_spins(name, exact, energy, s_squared):
        """<S^2> of states, or of groups of degenerate ones, that stand apart from all others."""
        true, s = exact["energies"], exact["s"]
        first = 0
        while first < len(energy):
            last = first + 1
            while last < len(true) and true[last] - true[last - 1] < GAP:
                last += 1
            together = true[last - 1] - true[first] < CLUSTER
            if last > len(energy):
                return
            if together:
                vectors = exact["vectors"][:, first:last]
                expected = np.linalg.eigvalsh(vectors.T @ s @ vectors)
                if abs(np.sort(s_squared[first:last]) - expected).max() > 1e-5 + 50 * TOLERANCE / GAP:
                    raise Disagreement(f"{name}: <S^2> of roots {first + 1} to {last} {s_squared[first:last]}, "
                                       f"not {expected}")
            first = last

    def compare_vectors(self, name, exact, group, energy, file):
        n, core = self.problem.n, self.job.frozen.n_core
        closed = (1 << core) - 1
        alpha, beta = (group["space"][spin][:, 0].astype(np.int64) << core | closed for spin in ("alpha", "beta"))
        states = alpha | beta << n
        if not np.array_equal(np.sort(states), exact["states"]):
            raise Disagreement(f"{name}: other determinants")
        order = np.argsort(states)
        vectors = (group["vector"] if "vector" in group else file["states/vector"])[:][:, order]
        for k, vector in enumerate(vectors):
            residual = np.linalg.norm(exact["h"] @ vector - energy[k] * vector)
            if abs(np.linalg.norm(vector) - 1) > 1e-9 or residual > 10 * TOLERANCE + 1e-11 * abs(energy[k]):
                raise Disagreement(f"{name}: vector {k + 1} has a residual of {residual:.1e} hartree")
