# SPDX-License-Identifier: MIT
"""What PySCF asks of a solver of the CI, but for how wavefunctions are kept."""
from __future__ import annotations

import numpy as np
from pyscf import lib, symm
from pyscf.fci import direct_spin1

from . import _core
from ._pyscf_integrals import group_of, numbers_of, packed


class Protocol:
    """What PySCF asks of a solver, over any kind of wavefunction: a class says how those are kept.

    _over(ci, norb, nelec) gives their space and their vector, _kept(space, vector) is the other way round; _space_for gives a
    space, of which _bare(space) is cisolve's, and _guess(space, ci0) start vectors.
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
        return _core.Operator(hamiltonian, self._bare(space), storage=self.keys.get("hamiltonian.storage", "auto"),
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
        return one, unordered(one, self._two_particle(fcivec, norb, nelec, by_spin=False), reorder)

    def make_rdm12s(self, fcivec, norb, nelec, link_index=None, reorder=True):
        """Likewise by spin: (alpha, beta), (alpha-alpha, alpha-beta, beta-beta)."""
        alpha, beta = self._one_particle(fcivec, norb, nelec)
        aa, ab, bb = self._two_particle(fcivec, norb, nelec, by_spin=True)
        return (alpha, beta), (unordered(alpha, aa, reorder), ab, unordered(beta, bb, reorder))

    def make_rdm2(self, fcivec, norb, nelec, link_index=None, reorder=True):
        """The two-particle density matrix of both spins."""
        one = None if reorder else self._one_particle(fcivec, norb, nelec).sum(axis=0)
        return unordered(one, self._two_particle(fcivec, norb, nelec, by_spin=False), reorder)

    def _one_particle(self, fcivec, norb, nelec):
        space, vector = self._over(one_of(fcivec), norb, nelec)
        return _core.one_particle(space, vector, threads=self._threads()).transpose(0, 2, 1)

    def _two_particle(self, fcivec, norb, nelec, by_spin):
        space, vector = self._over(one_of(fcivec), norb, nelec)
        return _core.two_particle(space, vector, by_spin=by_spin, threads=self._threads())

    def trans_rdm1s(self, cibra, ciket, norb, nelec, link_index=None):
        """<bra|q+ p|ket> of alpha and of beta electrons."""
        bra, ket = (self._over(one_of(c), norb, nelec) for c in (cibra, ciket))
        density = _core.transition(*bra, *ket, threads=self._threads()).transpose(0, 2, 1)
        return density[0], density[1]

    def trans_rdm1(self, cibra, ciket, norb, nelec, link_index=None):
        """<bra|q+ p|ket> of both spins."""
        density = Protocol.trans_rdm1s(self, cibra, ciket, norb, nelec)
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


def one_of(fcivec):
    """A wavefunction; Newton CASSCF hands over a list of one."""
    return fcivec[0] if isinstance(fcivec, (list, tuple)) else fcivec


def unordered(one, two, reorder):
    """<p+ q r+ s> where operators are not to be reordered."""
    if reorder:
        return two
    two = two.copy()
    for q in range(len(one)):
        two[:, q, q, :] += one.T
    return two
