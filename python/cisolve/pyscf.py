# SPDX-License-Identifier: MIT
"""cisolve as PySCF's solver of the CI in an active space, and PySCF's integrals for cisolve.

    mc = pyscf.mcscf.CASSCF(mf, 6, 6)
    mc.fcisolver = cisolve.pyscf.CISolver(mol)
    mc.kernel()

Both programs put all alpha creators before all beta ones and number strings alike. PySCF's creators descend where cisolve's
ascend: one sign for all determinants of a space.
"""
from __future__ import annotations

import os
import tempfile

import numpy as np

try:
    from pyscf import lib
    from pyscf.fci import cistring, direct_spin1
except ImportError as error:
    raise ImportError("cisolve.pyscf needs PySCF: pip install pyscf") from error

from . import _core, _run
from ._pyscf_integrals import dense, from_casscf, from_chk, from_mf, num_pairs, packed
from ._pyscf_protocol import Protocol, one_of

__all__ = ["CIHandle", "CISolver", "LargeCISolver", "from_casscf", "from_chk", "from_mf"]


class _FullSpace:
    """All determinants of an active space, and where each stands in PySCF's [alpha strings, beta strings]."""

    def __init__(self, hamiltonian, nelec, irrep):
        norb = hamiltonian.n_orbitals
        self.space = _core.Space.full(hamiltonian, nelec, irrep=irrep)
        self.shape = cistring.num_strings(norb, nelec[0]), cistring.num_strings(norb, nelec[1])
        self._at = self.space.places()

    def rows(self, fcivec):
        """What PySCF has, as a vector over the space."""
        fcivec = np.asarray(fcivec)
        if fcivec.size != self.shape[0] * self.shape[1] or fcivec.dtype.kind not in "fiu":
            raise _core.InputError(f"fcivec: found shape {fcivec.shape} of {fcivec.dtype}; over this space it must be "
                                   f"{self.shape} of real numbers")
        return fcivec.astype(np.float64, copy=False).reshape(-1)[self._at]

    def tensor(self, vector):
        """A vector over the space as PySCF has it."""
        full = np.zeros(self.shape[0] * self.shape[1])
        full[self._at] = vector
        return full.reshape(self.shape).view(direct_spin1.FCIvector)


def _nothing(norb):
    """The Hamiltonian that is zero."""
    return _core.Hamiltonian(np.zeros((norb, norb)), np.zeros(num_pairs(num_pairs(norb))))


class CIHandle:
    """A wavefunction over a space of cisolve, for what has no place in PySCF's [alpha strings, beta strings]."""

    def __init__(self, space, vector):
        self.space, self.vector = space, vector

    @property
    def size(self):
        """Determinants or CSFs."""
        return len(self.vector)

    def leading(self, most=10, minimum_weight=0.01):
        """The heaviest functions: (occupation, coefficient)."""
        return self.space.leading(self.vector, most, minimum_weight)

    def __repr__(self):
        return f"<cisolve.pyscf.CIHandle over {self.space!r}>"


class CISolver(Protocol, direct_spin1.FCISolver):
    """Full CI of the active space by cisolve: for mc.fcisolver of CASCI and CASSCF.

    mol: as PySCF's solvers have it; with mol.symmetry orbital irreps and wfnsym are used.
    multiplicity: 2S + 1 of the states wanted; None: any with S >= |Ms|. No energy is shifted, and S may differ from Ms, which
        `spin` (2 Ms) sets as in PySCF. mc.fix_spin_(ss=2) asks for the same as multiplicity=3.
    device: "auto", "cpu" or "cuda".
    keys: of cisolve's input: "solver.max_iterations", "solver.tolerance", "hamiltonian.storage", "run.threads", "run.memory"
        (here in bytes). Threads are PySCF's, lib.num_threads(), unless they are given.

    Vectors are PySCF's FCIvector, [alpha strings, beta strings], so that all of PySCF works with them: Newton CASSCF, NEVPT2,
    gradients, couplings. Two-particle transition densities and three-particle ones are PySCF's own.
    """

    _keys = {"multiplicity", "device", "keys", "s_squared", "residual_norms", "num_products"}

    def __init__(self, mol=None, multiplicity=None, device="auto", **keys):
        super().__init__(mol)
        self._set_up(multiplicity, device, keys)
        self.davidson_only = True  # what PySCF's own routines ask: start vectors are used
        self._products = None

    def __getstate__(self):
        state = getattr(super(), "__getstate__", lambda: self.__dict__)()
        return {**state, "_spaces": {}, "_products": None}  # made again where they are needed

    def _space_for(self, hamiltonian, electrons, irrep, nroots):
        if irrep is None and np.all(hamiltonian.irreps == 1):
            return self._plain(hamiltonian.n_orbitals, electrons)
        key = hamiltonian.n_orbitals, electrons, tuple(hamiltonian.irreps), irrep
        return self._remember(key, lambda: _FullSpace(hamiltonian, electrons, irrep))

    def _over(self, fcivec, norb, nelec):
        space = self._plain(norb, nelec)
        return space.space, space.rows(fcivec)

    def _plain(self, norb, nelec):
        """All determinants, without irreps."""
        electrons = self._electrons(nelec)
        return self._remember((norb, electrons), lambda: _FullSpace(_nothing(norb), electrons, None))

    @staticmethod
    def _bare(space):
        return space.space

    @staticmethod
    def _kept(space, vector):
        return space.tensor(vector)

    @staticmethod
    def _guess(space, ci0):
        """Start vectors of all that PySCF passes: an array, flat or not, a list of them, None, or True and False."""
        if ci0 is None or isinstance(ci0, (bool, np.bool_)):
            return None
        size = space.shape[0] * space.shape[1]
        given = [ci0] if isinstance(ci0, np.ndarray) and ci0.size == size else ci0
        vectors = [space.rows(c) for c in given if c is not None and np.size(c) == size]
        vectors = [c for c in vectors if np.linalg.norm(c) > 1e-8]  # of another irrep nothing is left
        return np.array(vectors) if vectors else None

    def contract_2e(self, eri, fcivec, norb, nelec, link_index=None, **kwargs):
        """sum_pqrs g_pqrs E_pq E_rs |c>, g as absorb_h1e makes it; the shape of c."""
        space = self._plain(norb, nelec)
        full = dense(eri, norb)
        if self._products is None or self._products[0] is not space or not np.array_equal(self._products[1], full):
            # E_pq E_rs = e_pq,rs + delta_qr E_ps
            hamiltonian = _core.Hamiltonian(np.einsum("pqqs->ps", full), packed(2 * full, norb))
            self._products = space, full, self._operator(hamiltonian, space)
        fcivec = np.asarray(fcivec)
        return space.tensor(self._products[2].matvec(space.rows(fcivec))).reshape(fcivec.shape)


class LargeCISolver(Protocol, lib.StreamObject):
    """CI in the active space over functions that PySCF has no array for: for mc.fcisolver of CASCI and CASSCF.

    Full CI of one irrep whose [alpha strings, beta strings] would not fit the memory, truncated spaces, CSFs, and selected CI:

        LargeCISolver(mol)                                          # all determinants, of wfnsym alone
        LargeCISolver(mol, **{"space.excitation_level": 4})         # out of the first orbitals, or "space.reference": ["2220"]
        LargeCISolver(mol, basis="csf", multiplicity=1)
        LargeCISolver(mol, **{"selection.determinants": 100_000})   # any key of [selection]

    Arguments otherwise as CISolver's. Wavefunctions are CIHandles; PySCF takes its way for solvers that it knows nothing of.
    Except in full CI, energies change as active orbitals turn into each other: set mc.internal_rotation = True.

    A selected list is made when the solver is first called, and kept, so that CASSCF minimises one function; `reselect()`
    has the next call make it anew, in the orbitals there are then. `result` is the cisolve.Result of the selection, with its
    perturbation theory.
    """

    _keys = {"multiplicity", "device", "keys", "s_squared", "residual_norms", "num_products", "basis", "result",
             "mol", "nroots", "spin", "orbsym", "wfnsym", "converged", "norb", "nelec", "eci", "ci", "conv_tol", "max_cycle",
             "threads", "max_memory", "pspace_size"}
    _known_keys = Protocol._known_keys + ("space.excitation_level", "space.reference", "selection.*")

    conv_tol = 1e-10
    max_cycle = 100

    def __init__(self, mol=None, multiplicity=None, basis="determinant", device="auto", **keys):
        if basis not in ("determinant", "csf"):
            raise _core.InputError(f"basis: found '{basis}'; it must be \"determinant\" or \"csf\"")
        if basis == "csf" and multiplicity is None:
            raise _core.InputError("multiplicity: CSFs are of one, which must be given")
        if basis == "csf" and any(key.startswith("selection.") for key in keys):
            raise _core.InputError("basis: a list grows by determinants; take basis = \"csf\" out")
        self._set_up(multiplicity, device, keys)
        self.basis = basis
        self.mol = mol
        self.stdout = lib.StreamObject.stdout if mol is None else mol.stdout
        self.verbose = 3 if mol is None else mol.verbose
        self.max_memory = lib.param.MAX_MEMORY if mol is None else mol.max_memory
        self.nroots = 1
        self.spin = self.orbsym = self.wfnsym = self.threads = None
        self.converged = False
        self.norb = self.nelec = self.eci = self.ci = self.result = None

    @property
    def e_tot(self):
        """Energies found last, hartree."""
        return self.eci

    def reselect(self):
        """The list of a selected CI is made anew when the solver is next called."""
        self._spaces.clear()
        return self

    def _space_for(self, hamiltonian, electrons, irrep, nroots):
        key = hamiltonian.n_orbitals, electrons, tuple(hamiltonian.irreps), irrep, self._wanted_multiplicity(electrons)
        return self._remember(key, lambda: self._make_space(hamiltonian, electrons, irrep, nroots))

    def _make_space(self, hamiltonian, electrons, irrep, nroots):
        if any(key.startswith("selection.") for key in self.keys):
            return self._select(hamiltonian, electrons, irrep, nroots)
        level = self.keys.get("space.excitation_level", "full")
        if self.basis == "determinant" and level == "full":
            return _core.Space.full(hamiltonian, electrons, irrep=irrep)
        references = self.keys.get("space.reference", [_aufbau(hamiltonian.n_orbitals, electrons)])
        references = [references] if isinstance(references, str) else references
        if self.basis == "csf":
            return _core.Space.csfs(hamiltonian, references, level, self.multiplicity, irrep=irrep)
        return _core.Space.excitations(hamiltonian, references, level, irrep=irrep)

    def _select(self, hamiltonian, electrons, irrep, nroots):
        """A list of determinants as the program makes it."""
        with tempfile.TemporaryDirectory(prefix="cisolve-") as folder:
            file = os.path.join(folder, "active.fcidump")
            hamiltonian.write_fcidump(file, sum(electrons), electrons[0] - electrons[1])
            job = {"integrals": {"file": file},
                   "states": {"count": nroots, "ms2": electrons[0] - electrons[1], "irrep": "all" if irrep is None else irrep},
                   "output": {"determinants": "list"}, "run": {"device": self.device}}
            multiplicity = self._wanted_multiplicity(electrons)
            if multiplicity is not None:
                job["states"]["multiplicity"] = multiplicity
            keys = {key: value for key, value in self.keys.items() if key.partition(".")[0] in ("selection", "space", "solver")}
            self.result = _run.run(job, set=keys, threads=self._threads())
        alpha, beta = self.result["space/alpha"], self.result["space/beta"]
        return _core.Space.determinants(hamiltonian, alpha, beta)

    @staticmethod
    def _bare(space):
        return space

    @staticmethod
    def _kept(space, vector):
        return CIHandle(space, vector.copy())

    def _over(self, ci, norb, nelec):
        if not isinstance(ci, CIHandle):
            raise _core.InputError(f"LargeCISolver: a wavefunction is a CIHandle, not {type(ci).__name__}")
        return ci.space, ci.vector

    def _guess(self, space, ci0):
        """Start vectors; True: those found last, as the orbitals have hardly turned."""
        given = ci0 if isinstance(ci0, (list, tuple)) else [ci0]
        if any(c is True or (isinstance(c, np.bool_) and c) for c in given):
            given = self.ci if isinstance(self.ci, list) else [self.ci]
        vectors = [c.vector for c in given if isinstance(c, CIHandle) and c.size == len(space)]
        return np.array(vectors) if vectors else None

    def spin_square(self, ci, norb, nelec):
        """<S^2> and 2S + 1."""
        space, vector = self._over(one_of(ci), norb, nelec)
        s_squared = _core.spin_square(space, vector, threads=self._threads())
        return s_squared, float(np.sqrt(1 + 4 * s_squared))

    def large_ci(self, ci, norb, nelec, tol=.1, return_strs=True):
        """Determinants of coefficients above tol: (coefficient, alpha, beta), as strings of bits or lists of orbitals."""
        space, vector = self._over(one_of(ci), norb, nelec)
        found = []
        for row in np.flatnonzero(np.abs(vector) > tol)[np.argsort(-np.abs(vector[np.abs(vector) > tol]))]:
            text = space.text(int(row))
            alpha = [p for p, c in enumerate(text) if c in "2u"]
            beta = [p for p, c in enumerate(text) if c in "2d"]
            if return_strs:
                alpha, beta = (bin(sum(1 << p for p in orbitals)) for orbitals in (alpha, beta))
            found.append((float(vector[row]), alpha, beta))
        return found


def _aufbau(norb, electrons):
    """The first orbitals, as an occupation."""
    alpha, beta = electrons
    return "".join("2" if p < min(alpha, beta) else "0" if p >= max(alpha, beta) else "u" if alpha > beta else "d"
                   for p in range(norb))
