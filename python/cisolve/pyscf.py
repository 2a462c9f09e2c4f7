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
    from pyscf import ao2mo, lib, symm
    from pyscf.fci import cistring, direct_spin1
except ImportError as error:
    raise ImportError("cisolve.pyscf needs PySCF: pip install pyscf") from error

from . import _core, _run
from ._pyscf_integrals import dense, from_casscf, from_chk, from_mf, group_of, num_pairs, numbers_of, packed

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


class _Protocol:
    """What PySCF asks of a solver, over any kind of wavefunction: a class says how those are kept.

    _over(ci, norb, nelec) gives their space and their vector, _kept(space, vector) is the other way round.
    """

    _known_keys = ("solver.max_iterations", "solver.tolerance", "hamiltonian.storage", "run.threads", "run.memory")

    def _set_up(self, multiplicity, device, keys):
        for key in keys:
            if key not in self._known_keys and key.partition(".")[0] + ".*" not in self._known_keys:
                raise _core.InputError(f"{type(self).__name__}: there is no key '{key}'; there are {', '.join(self._known_keys)}")
        if multiplicity is not None and not (isinstance(multiplicity, (int, np.integer)) and multiplicity >= 1):
            raise _core.InputError(f"multiplicity: found {multiplicity!r}; it must be an integer, 1 or more, or None")
        self.multiplicity = multiplicity
        self.device = device
        self.keys = keys
        self.s_squared = None
        self.residual_norms = None
        self.num_products = 0
        self._spaces = {}

    # Solving

    def kernel(self, h1e, eri, norb, nelec, ci0=None, **kwargs):
        """Energies with ecore, and wavefunctions: of one root a float and one, of several an array and a list."""
        return self._solve(h1e, eri, norb, nelec, ci0, **kwargs)

    def approx_kernel(self, h1e, eri, norb, nelec, ci0=None, **kwargs):
        """A few iterations, for wavefunctions that follow a small rotation of the orbitals."""
        # Not self.kernel: averages over states put another of that name into the class they make of this one.
        kwargs["max_cycle"] = min(kwargs.get("max_cycle") or 4, 4)  # as many products as PySCF takes there
        return self._solve(h1e, eri, norb, nelec, ci0, **kwargs)

    def _solve(self, h1e, eri, norb, nelec, ci0=None, tol=None, max_cycle=None, nroots=None, orbsym=None, wfnsym=None,
               ecore=0, **_):
        nroots = self.nroots if nroots is None else nroots
        electrons = self._electrons(nelec)
        irreps, group, irrep = self._symmetry(self.orbsym if orbsym is None else orbsym,
                                              self.wfnsym if wfnsym is None else wfnsym)
        h1e = np.asarray(h1e)
        if h1e.ndim != 2:
            raise _core.InputError(f"{type(self).__name__}: h1e must be one matrix; orbitals of their own for each spin are not "
                                   "for it")
        hamiltonian = _core.Hamiltonian(.5 * (h1e + h1e.T), packed(eri, norb), float(ecore), irreps=irreps, point_group=group)
        space = self._space_for(hamiltonian, electrons, irrep, nroots)
        guess = self._guess(space, ci0)
        roots = _core.solve(self._operator(hamiltonian, space), count=nroots, guess=guess,
                            multiplicity=self._wanted_multiplicity(electrons), tolerance=self._tolerance(tol), probe=guess is None,
                            max_iterations=self.keys.get("solver.max_iterations", max(max_cycle or self.max_cycle, 2)))
        if len(roots) < nroots:
            raise _core.InputError(f"nroots: {nroots} were asked for, but the active space has {len(roots)} such states")
        self.norb, self.nelec = norb, electrons
        self.s_squared, self.residual_norms = roots.s_squared[:nroots], roots.residual_norms[:nroots]
        self.num_products += roots.num_products
        kept = [self._kept(space, vector) for vector in roots.vectors[:nroots]]  # more where a cluster was completed
        if nroots == 1:
            self.converged, self.eci, self.ci = bool(roots.converged[0]), float(roots.energies[0]), kept[0]
        else:
            self.converged, self.eci, self.ci = roots.converged[:nroots], roots.energies[:nroots], kept
        return self.eci, self.ci

    def _operator(self, hamiltonian, space):
        return _core.Operator(hamiltonian, _bare(space), storage=self.keys.get("hamiltonian.storage", "auto"),
                              device=self.device, threads=self._threads(), memory=self.keys.get("run.memory"))

    def _threads(self):
        return self.keys.get("run.threads", getattr(self, "threads", None) or lib.num_threads())

    def _tolerance(self, tol):
        """PySCF's tolerance is of the energy; its error is of the order of the residual's square."""
        tol = self.conv_tol if tol is None else tol
        if not tol >= 0:
            raise _core.InputError(f"conv_tol: found {tol}; it must be 0 or more, hartree")
        return self.keys.get("solver.tolerance", min(max(tol**.5, 1e-9), 1e-4))

    def _electrons(self, nelec):
        return tuple(int(n) for n in direct_spin1._unpack_nelec(nelec, self.spin))

    def _wanted_multiplicity(self, electrons):
        """That of this solver, or of fix_spin_, whose shift of energies is for solvers that keep to no spin; None: any."""
        if not getattr(self, "ss_penalty", None):
            return self.multiplicity
        ms = abs(electrons[0] - electrons[1]) / 2
        s_squared = max(self.ss_value or 0, ms * (ms + 1))  # as PySCF: below what Ms allows it is the lowest spin
        multiplicity = round((1 + 4 * s_squared)**.5)
        if abs(multiplicity**2 - 1 - 4 * s_squared) > 1e-6:
            raise _core.InputError(f"fix_spin_: found ss = {self.ss_value:g}; it must be S(S+1) of a spin S, such as 0, 0.75, 2")
        if self.multiplicity not in (None, multiplicity):
            raise _core.InputError(f"fix_spin_: ss = {s_squared:g} is of multiplicity {multiplicity}; the solver was made with "
                                   f"multiplicity = {self.multiplicity}")
        return multiplicity

    def _symmetry(self, orbsym, wfnsym):
        """Numbers of the orbitals' irreps, the group, and the number of the wanted irrep; None where there are none."""
        group, table = group_of(self.mol)
        if table is None or orbsym is None:
            return None, None, None
        number = None
        if wfnsym is not None:
            number = symm.irrep_name2id(self.mol.groupname, wfnsym) if isinstance(wfnsym, str) else wfnsym
            number = numbers_of([number], table)[0]
        return numbers_of(orbsym, table), group, number

    def _remember(self, key, make):
        """Spaces are made once: CASSCF asks for the same one a hundred times."""
        if key not in self._spaces:
            while len(self._spaces) >= 4:
                self._spaces.pop(next(iter(self._spaces)))
            self._spaces[key] = make()
        return self._spaces[key]

    # Densities

    def make_rdm1s(self, fcivec, norb, nelec, link_index=None):
        """<q+ p> of alpha and of beta electrons."""
        density = self._one_particle(fcivec, norb, nelec)
        return density[0], density[1]

    def make_rdm1(self, fcivec, norb, nelec, link_index=None):
        """<q+ p> of both spins."""
        return self._one_particle(fcivec, norb, nelec).sum(axis=0)

    def make_rdm12(self, fcivec, norb, nelec, link_index=None, reorder=True):
        """One- and two-particle density matrices of both spins, [p,q,r,s] = <p+ r+ s q>."""
        one = self._one_particle(fcivec, norb, nelec).sum(axis=0)
        return one, _unordered(one, self._two_particle(fcivec, norb, nelec, by_spin=False), reorder)

    def make_rdm12s(self, fcivec, norb, nelec, link_index=None, reorder=True):
        """Likewise by spin: (alpha, beta), (alpha-alpha, alpha-beta, beta-beta)."""
        alpha, beta = self._one_particle(fcivec, norb, nelec)
        aa, ab, bb = self._two_particle(fcivec, norb, nelec, by_spin=True)
        return (alpha, beta), (_unordered(alpha, aa, reorder), ab, _unordered(beta, bb, reorder))

    def make_rdm2(self, fcivec, norb, nelec, link_index=None, reorder=True):
        """The two-particle density matrix of both spins."""
        one = None if reorder else self._one_particle(fcivec, norb, nelec).sum(axis=0)
        return _unordered(one, self._two_particle(fcivec, norb, nelec, by_spin=False), reorder)

    def _one_particle(self, fcivec, norb, nelec):
        space, vector = self._over(_one(fcivec), norb, nelec)
        return _core.one_particle(space, vector, threads=self._threads()).transpose(0, 2, 1)

    def _two_particle(self, fcivec, norb, nelec, by_spin):
        space, vector = self._over(_one(fcivec), norb, nelec)
        return _core.two_particle(space, vector, by_spin=by_spin, threads=self._threads())

    def trans_rdm1s(self, cibra, ciket, norb, nelec, link_index=None):
        """<bra|q+ p|ket> of alpha and of beta electrons."""
        bra, ket = (self._over(_one(c), norb, nelec) for c in (cibra, ciket))
        density = _core.transition(*bra, *ket, threads=self._threads()).transpose(0, 2, 1)
        return density[0], density[1]

    def trans_rdm1(self, cibra, ciket, norb, nelec, link_index=None):
        """<bra|q+ p|ket> of both spins."""
        density = _Protocol.trans_rdm1s(self, cibra, ciket, norb, nelec)
        return density[0] + density[1]

    def dump_flags(self, verbose=None):
        """Prints how the solver is set."""
        log = lib.logger.new_logger(self, verbose)
        log.info("******** %s ********", self.__class__)
        log.info("cisolve %s, device = %s, threads = %d", _core.version, self.device, self._threads())
        log.info("multiplicity = %s, spin = %s, nroots = %d", self.multiplicity, self.spin, self.nroots)
        log.info("conv_tol = %g, max. cycles = %d", self.conv_tol, self.max_cycle)
        for key, value in self.keys.items():
            log.info("%s = %s", key, value)
        return self


class CISolver(_Protocol, direct_spin1.FCISolver):
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


class LargeCISolver(_Protocol, lib.StreamObject):
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
    _known_keys = _Protocol._known_keys + ("space.excitation_level", "space.reference", "selection.*")

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
        space, vector = self._over(_one(ci), norb, nelec)
        s_squared = _core.spin_square(space, vector, threads=self._threads())
        return s_squared, float(np.sqrt(1 + 4 * s_squared))

    def large_ci(self, ci, norb, nelec, tol=.1, return_strs=True):
        """Determinants of coefficients above tol: (coefficient, alpha, beta), as strings of bits or lists of orbitals."""
        space, vector = self._over(_one(ci), norb, nelec)
        found = []
        for row in np.flatnonzero(np.abs(vector) > tol)[np.argsort(-np.abs(vector[np.abs(vector) > tol]))]:
            text = space.text(int(row))
            alpha = [p for p, c in enumerate(text) if c in "2u"]
            beta = [p for p, c in enumerate(text) if c in "2d"]
            if return_strs:
                alpha, beta = (bin(sum(1 << p for p in orbitals)) for orbitals in (alpha, beta))
            found.append((float(vector[row]), alpha, beta))
        return found


def _bare(space):
    return space.space if isinstance(space, _FullSpace) else space


def _aufbau(norb, electrons):
    """The first orbitals, as an occupation."""
    alpha, beta = electrons
    return "".join("2" if p < min(alpha, beta) else "0" if p >= max(alpha, beta) else "u" if alpha > beta else "d"
                   for p in range(norb))


def _one(fcivec):
    """A wavefunction; Newton CASSCF hands over a list of one."""
    return fcivec[0] if isinstance(fcivec, (list, tuple)) else fcivec


def _unordered(one, two, reorder):
    """<p+ q r+ s> where operators are not to be reordered."""
    if reorder:
        return two
    two = two.copy()
    for q in range(len(one)):
        two[:, q, q, :] += one.T
    return two
