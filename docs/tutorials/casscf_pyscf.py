# SPDX-License-Identifier: MIT
"""CASSCF with PySCF. docs/tutorials/casscf_pyscf.md goes through it."""
import numpy as np
from pyscf import fci, gto, mcscf, mrpt, scf
from pyscf.mcscf import avas

from cisolve.pyscf import CISolver

HARTREE = 27.211386245988  # eV


# Choose the active space
mol = gto.M(atom="C 0 0 -0.5296; O 0 0 0.6733; H 0 0.9358 -1.1219; H 0 -0.9358 -1.1219",
            basis="cc-pVDZ", verbose=0)
mf = scf.RHF(mol).run()
ncas, nelecas, start = avas.avas(mf, ["C 2px", "C 2pz", "O 2p"], canonicalize=False)
print(f"{nelecas} electrons in {ncas} orbitals")


# The ground state
def occupations(mc, ci):
    density = mc.fcisolver.make_rdm1(ci, mc.ncas, mc.nelecas)
    return " ".join(f"{n:.3f}" for n in np.linalg.eigvalsh(density)[::-1])


ground = mcscf.CASSCF(mf, ncas, nelecas)
ground.fcisolver = CISolver(mol, multiplicity=1)
ground.max_cycle_macro, ground.conv_tol = 300, 1e-9
ground.kernel(start)
assert ground.converged
print(f"RHF     {mf.e_tot:.6f} hartree")
print(f"CASSCF  {ground.e_tot:.6f} hartree")
print("natural occupations", occupations(ground, ground.ci))


# Excited states
singlets, triplet = CISolver(mol, multiplicity=1), CISolver(mol, multiplicity=3)
singlets.nroots = 2

average = mcscf.CASSCF(mf, ncas, nelecas)
mcscf.state_average_mix_(average, [singlets, triplet], [1 / 3, 1 / 3, 1 / 3])
average.conv_tol = 1e-9
average.kernel(start)
print("states of the average", *(f"{energy:.5f}" for energy in average.e_states))


# What each state is
def casci(solver, nroots):
    mc = mcscf.CASCI(mf, ncas, nelecas)
    mc.fcisolver = solver
    mc.fcisolver.nroots = nroots
    mc.kernel(average.mo_coeff)
    return mc


one = casci(CISolver(mol, multiplicity=1), 2)
three = casci(CISolver(mol, multiplicity=3), 1)
states = {"S0": (one, 0), "T1": (three, 0), "S1": (one, 1)}

theirs = casci(fci.direct_spin1.FCI(mol), 3).e_tot
ours = [np.atleast_1d(mc.e_tot)[k] for mc, k in states.values()]
print("the same as PySCF's to 1e-7 hartree:", np.allclose(ours, theirs, rtol=0, atol=1e-7))


def vector(mc, k):
    return mc.ci[k] if mc.fcisolver.nroots > 1 else mc.ci


for name, (mc, k) in states.items():
    dipole = mf.dip_moment(mol, mc.make_rdm1(ci=vector(mc, k)), verbose=0)
    print(f"{name}  dipole {np.linalg.norm(dipole):.2f} debye,", "occupations",
          occupations(mc, vector(mc, k)))


# NEVPT2
print("     CASSCF/eV  NEVPT2/eV  E2/hartree")
first = None
for name, (mc, k) in states.items():
    casscf = np.atleast_1d(mc.e_tot)[k]
    second_order = mrpt.NEVPT(mc, root=k).kernel()
    energies = np.array([casscf, casscf + second_order])
    first = energies if first is None else first
    excitation = (energies - first) * HARTREE
    print(f"{name}   {excitation[0]:9.2f} {excitation[1]:10.2f} {second_order:11.4f}")
