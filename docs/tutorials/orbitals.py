# SPDX-License-Identifier: MIT
"""Orbitals to look at. docs/tutorials/orbitals.md goes through it."""
import h5py
import numpy as np
from pyscf import mcscf, scf
from pyscf.tools import molden

import cisolve

HARTREE = 27.211386245988  # eV
ETHYLENE = """
C  0.0     0.0      0.6695
C  0.0     0.0     -0.6695
H  0.0     0.9289   1.2321
H  0.0    -0.9289   1.2321
H  0.0     0.9289  -1.2321
H  0.0    -0.9289  -1.2321
"""


# Which orbitals matter
flat = cisolve.run({"molecule": {"geometry": ETHYLENE, "basis": "cc-pVDZ"},
                    "space": {"frozen_core": "auto"}})
occupations = flat["states/natural_occupations"][0]
print("full ", *(f"{n:.3f}" for n in occupations[:6]))
print("empty", *(f"{n:.3f}" for n in occupations[6:12]))


# Turn one end
angles = [0, 30, 60, 75, 90]
scan = cisolve.run({
    "molecule": {"geometry": ETHYLENE, "basis": "cc-pVDZ"},
    "scan": {"coordinate": "dihedral 3 1 2 5 moving 5 6", "values": angles},
    "space": {"reference": {"electrons": 2, "orbitals": 2}, "excitation_level": 0},
    "orbitals": {"optimise": "casscf"},
    "states": {"multiplicity": 1},
})
print("angle   RHF/eV  CASSCF/eV   occupations   unpaired")
for k, angle in enumerate(angles):
    rhf = scan["scan/scf_energies"][k] - scan["scan/scf_energies"][0]
    casscf = scan.energies[k, 0] - scan.energies[0, 0]
    pi, pi_star = scan.point(k)["states/natural_occupations"][0]
    unpaired = scan.point(k)["states/unpaired_electrons"][0]
    print(f"{angle:5} {rhf * HARTREE:8.2f} {casscf * HARTREE:9.2f}  {pi:8.3f} {pi_star:6.3f}",
          f"{unpaired:9.2f}")


# Write files
scan.to_molden("flat.molden", point=0, natural=True)
scan.to_molden("turned.molden", point=4, natural=True)
scan.to_trexio("turned.trexio", point=4, integrals=True)


# Read them back
mol, _, orbitals, occupations, _, _ = molden.load("turned.molden")
overlap = orbitals.T @ mol.intor("int1e_ovlp") @ orbitals
print("orthonormal to 1e-10:", np.allclose(overlap, np.eye(len(overlap)), atol=1e-10))
print("electrons", f"{occupations.sum():.6f}")

mol.verbose = 0
cas = mcscf.CASCI(scf.RHF(mol), 2, 2)
cas.fix_spin_(ss=0)
theirs = cas.kernel(orbitals)[0]
print(f"cisolve {scan.energies[4, 0]:.7f} hartree\nPySCF   {theirs:.7f} hartree")

with h5py.File("turned.trexio") as file:
    n = file["mo"].attrs["mo_num"]

    def dense(name):
        full = np.zeros((n,) * 4)
        full[tuple(file[f"{name}_indices"][:].reshape(-1, 4).T)] = file[f"{name}_values"][:]
        return full

    one = np.sum(file["mo_1e_int/mo_1e_int_core_hamiltonian"][:] * file["rdm/rdm_1e"][:].T)
    two = np.einsum("klij,ijkl", dense("mo_2e_int/mo_2e_int_eri"), dense("rdm/rdm_2e")) / 2
    print(f"TREXIO  {file['nucleus'].attrs['nucleus_repulsion'] + one + two:.7f} hartree")
    print("orbitals 7 to 10:", *file["mo/mo_class"].asstr()[6:10])
