# SPDX-License-Identifier: MIT
"""PySCF's integrals and irreps as cisolve has them."""
from __future__ import annotations

import numpy as np
from pyscf import ao2mo, symm
from pyscf.tools import fcidump as _fcidump

from . import _core

#: Abelian groups that irreps of linear molecules are told in.
_SUBGROUPS = {"Dooh": "D2h", "Coov": "C2v", "SO3": "D2h"}


def group_of(mol):
    """Name of the point group and PySCF's table from its ids to numbers of irreps, or (None, None) without symmetry."""
    if mol is None or not getattr(mol, "symmetry", False):
        return None, None
    group = _SUBGROUPS.get(mol.groupname, mol.groupname)
    return group, _fcidump.ORBSYM_MAP[group]


def numbers_of(ids, table):
    """Molpro's numbers of PySCF's ids of irreps; those of linear molecules beyond the subgroup repeat modulo 10."""
    return [int(table[int(i) % 10]) for i in ids]


def num_pairs(n):
    return n * (n + 1) // 2


def packed(eri, norb):
    """(pq|rs) of every symmetry that PySCF keeps, one of each eight."""
    return ao2mo.restore(8, _real(eri), norb)


def dense(eri, norb):
    """(pq|rs) of every symmetry that PySCF keeps, [n, n, n, n]."""
    return ao2mo.restore(1, _real(eri), norb)


def _real(eri):
    if np.iscomplexobj(eri):
        raise _core.InputError("eri: the integrals are complex; they must be over real orbitals")
    return np.asarray(eri, dtype=np.float64)


def from_mf(mf, ncas=None, nelecas=None, ncore=None):
    """The Hamiltonian over the orbitals of an SCF, or of an active space of them: (Hamiltonian, (n_alpha, n_beta)).

    mf: RHF, ROHF or UHF, converged, of any kind that mcscf takes (density fitting, X2C, ECPs, QM/MM). ncas orbitals with
    nelecas electrons, above ncore doubly occupied ones; all orbitals and electrons where they are not given.
    """
    from pyscf import mcscf, scf
    if not isinstance(mf, scf.hf.SCF):
        raise TypeError(f"mf: found {mf!r}; it must be an SCF of PySCF")
    if isinstance(mf, scf.ghf.GHF):
        raise _core.InputError("mf: the orbitals of a GHF mix the spins; take RHF, ROHF or UHF")
    if mf.mo_coeff is None:
        raise _core.InputError("mf: it has no orbitals yet; call mf.run() before")
    unrestricted = isinstance(mf, scf.uhf.UHF)
    orbitals = np.shape(mf.mo_coeff)[-1]
    electrons = mf.nelec if unrestricted else mf.mol.nelec
    if (ncas is None) != (nelecas is None):
        raise _core.InputError("ncas, nelecas: an active space needs both")
    if ncas is None:
        ncas, nelecas = orbitals, electrons
    active = nelecas if isinstance(nelecas, (int, np.integer)) else sum(nelecas)
    if ncore is None and (sum(electrons) - active) % 2:
        raise _core.InputError(f"nelecas: found {active}; of {sum(electrons)} electrons that leaves an odd number for the core")
    core = (sum(electrons) - active) // 2 if ncore is None else ncore
    for name, found, least, most in (("ncas", ncas, 1, orbitals), ("nelecas", active, 0, min(sum(electrons), 2 * ncas)),
                                     ("ncore", core, 0, orbitals - ncas)):
        if np.min(found) < least or np.max(found) > most:
            raise _core.InputError(f"{name}: found {found}; of {sum(electrons)} electrons in {orbitals} orbitals it must be "
                                   f"{least} to {most}")
    return from_casscf((mcscf.UCASCI if unrestricted else mcscf.CASCI)(mf, ncas, nelecas, ncore))


def from_casscf(mc):
    """The Hamiltonian over the active orbitals of a CASCI or CASSCF: (Hamiltonian, (n_alpha, n_beta))."""
    h, core_energy = mc.get_h1eff()
    eri = mc.get_h2eff()
    electrons = tuple(int(n) for n in mc.nelecas)
    if isinstance(h, (tuple, list)) or np.ndim(h) == 3:
        pairs = num_pairs(mc.ncas)
        aa, ab, bb = (np.asarray(x) for x in eri)
        of_spins = tuple(ao2mo.restore(4, x, mc.ncas).reshape(pairs, pairs) for x in (aa, ab, bb))
        return _core.Hamiltonian(tuple(h), of_spins, float(core_energy)), electrons
    group, table = group_of(mc.mol)
    irreps = None
    if table is not None:
        active = mc.mo_coeff[:, mc.ncore:mc.ncore + mc.ncas]
        labels = getattr(mc.mo_coeff, "orbsym", None)
        ids = (labels[mc.ncore:mc.ncore + mc.ncas] if labels is not None
               else symm.label_orb_symm(mc.mol, mc.mol.irrep_id, mc.mol.symm_orb, active))
        irreps = numbers_of(ids, table)
    hamiltonian = _core.Hamiltonian(.5 * (h + h.T), packed(eri, mc.ncas), float(core_energy), irreps=irreps, point_group=group)
    return hamiltonian, electrons


def from_chk(path, kind="scf", ncas=None, nelecas=None, ncore=None):
    """Likewise from a checkpoint file of PySCF: of an SCF as from_mf has it, or of "mcscf" over its active orbitals."""
    from pyscf import mcscf, scf
    from pyscf.lib import chkfile
    mol = chkfile.load_mol(str(path))
    stored = chkfile.load(str(path), kind)
    if stored is None:
        raise _core.InputError(f"{path}: it holds no '{kind}'; kind is \"scf\" or \"mcscf\"")
    unrestricted = np.ndim(stored["mo_coeff"]) == 3
    mf = scf.UHF(mol) if unrestricted else scf.ROHF(mol) if mol.spin else scf.RHF(mol)
    mf.mo_coeff = stored["mo_coeff"]
    mf.mo_occ = stored.get("mo_occ")
    if kind == "scf":
        return from_mf(mf, ncas, nelecas, ncore)
    if mf.mo_occ is None:
        mf.mo_occ = np.zeros(mf.mo_coeff.shape[-1])
    ncore, ncas = int(stored["ncore"]), int(stored["ncas"])
    nelecas = tuple(int(n) for n in stored["nelecas"]) if "nelecas" in stored else tuple(n - ncore for n in mol.nelec)
    return from_casscf((mcscf.UCASCI if unrestricted else mcscf.CASCI)(mf, ncas, nelecas, ncore))
