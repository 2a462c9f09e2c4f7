#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""libtrexio reads what `cisolve export` writes, with PySCF's integrals over the functions that it finds. Skipped
(status 77) without numpy, trexio and pyscf.

  test_trexio.py CISOLVE
"""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

try:
    import numpy as np
    import trexio
    from pyscf import gto
except ImportError as missing:
    print("skipped:", missing)
    sys.exit(77)

WATER = "O 0 0 0; H 0 0.757 0.587; H 0 -0.757 0.587"
ROUNDING = 1e-10


def dense(file, name):
    """All elements of a sparse array over four orbitals."""
    n = trexio.read_mo_num(file)
    size = getattr(trexio, f"read_{name}_size")(file)
    indices, values, *_ = getattr(trexio, f"read_{name}")(file, 0, size)
    found = np.zeros((n,) * 4)
    found[tuple(np.array(indices).reshape(-1, 4).T)] = values
    return found


def molecule_of(file):
    """The molecule in PySCF, and the number of each function of the file there."""
    molecule = gto.Mole(unit="bohr", cart=bool(trexio.read_ao_cartesian(file)), verbose=0)
    labels, positions = trexio.read_nucleus_label(file), trexio.read_nucleus_coord(file)
    molecule.atom = [(f"{label}{k}", position) for k, (label, position) in enumerate(zip(labels, positions))]
    atoms, momenta = trexio.read_basis_nucleus_index(file), trexio.read_basis_shell_ang_mom(file)
    shells = trexio.read_basis_shell_index(file)
    exponents, coefficients = trexio.read_basis_exponent(file), trexio.read_basis_coefficient(file)
    molecule.basis = {
        name: [[int(momenta[s])] + [[exponents[p], coefficients[p]] for p in np.flatnonzero(shells == s)]
               for s in np.flatnonzero(atoms == k)]
        for k, (name, _) in enumerate(molecule.atom)
    }
    molecule.build()
    order = [0] * len(trexio.read_ao_shell(file))
    first = 0  # of a shell in PySCF, which sorts those of an atom by angular momentum
    for s in sorted(range(len(momenta)), key=lambda s: (atoms[s], momenta[s])):
        l = int(momenta[s])
        if molecule.cart:
            numbers = range(first, first + (l + 1) * (l + 2) // 2)
        elif l == 1:  # PySCF: x, y, z
            numbers = [first + 2, first, first + 1]
        else:
            numbers = [first + l] + [first + l + m * sign for m in range(1, l + 1) for sign in (1, -1)]
        for ao, number in zip(np.flatnonzero(trexio.read_ao_shell(file) == s), numbers):
            order[ao] = number
        first += len(numbers)
    return molecule, order


def as_ours(molecule):
    """Factors that make xx of a Cartesian shell a function of norm 1, and so xy one of 1/3."""
    if not molecule.cart:
        return np.ones(molecule.nao)
    diagonal, factors = np.diag(molecule.intor("int1e_ovlp")), []
    for shell in range(molecule.nbas):
        count = molecule.bas_len_cart(shell) * molecule.bas_nctr(shell)
        factors += [1.0 / np.sqrt(diagonal[len(factors)])] * count
    return np.array(factors)


class Trexio(unittest.TestCase):
    program = None

    def files(self, basis, options, rest=""):
        with tempfile.TemporaryDirectory() as folder:
            job = Path(folder) / "job.inp"
            job.write_text(
                f'[molecule]\ngeometry = "{WATER}"\nbasis = "{basis}"\n[run]\ndevice = "cpu"\n'
                f'[space]\nfrozen_core = 1\nexcitation_level = 2\n[solver]\ntolerance = 1e-9\n{rest}')
            subprocess.run([self.program, str(job), "-q"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
            subprocess.run([self.program, "export", "job.h5", "job.trexio", "--integrals", *options], cwd=folder,
                           check=True, stdout=subprocess.DEVNULL)
            for name in sorted(Path(folder).glob("*.trexio")):
                with trexio.File(str(name), "r", trexio.TREXIO_HDF5) as file:
                    yield file

    def expect_orbitals_and_integrals(self, file):
        molecule, order = molecule_of(file)
        c = np.zeros((molecule.nao, trexio.read_mo_num(file)))
        c[order] = (trexio.read_mo_coefficient(file) * trexio.read_ao_normalization(file)).T
        c *= as_ours(molecule)[:, None]
        overlap = molecule.intor("int1e_ovlp")
        self.assertLess(abs(c.T @ overlap @ c - np.eye(len(c.T))).max(), ROUNDING)
        h = molecule.intor("int1e_kin") + molecule.intor("int1e_nuc")
        self.assertLess(abs(c.T @ h @ c - trexio.read_mo_1e_int_core_hamiltonian(file)).max(), ROUNDING * 10)
        v = molecule.intor("int2e")
        for _ in range(4):
            v = np.tensordot(v, c, axes=(0, 0))
        self.assertLess(abs(v.transpose(0, 2, 1, 3) - dense(file, "mo_2e_int_eri")).max(), ROUNDING)

    def expect_energy(self, file):
        one = np.sum(trexio.read_rdm_1e(file).T * trexio.read_mo_1e_int_core_hamiltonian(file))
        two = 0.5 * np.einsum("ijkl,klij", dense(file, "rdm_2e"), dense(file, "mo_2e_int_eri"))
        self.assertAlmostEqual(trexio.read_nucleus_repulsion(file) + one + two, trexio.read_state_energy(file), 9)

    def test_spherical_functions(self):
        count = 0
        for file in self.files("cc-pvdz", [], "[states]\ncount = 2\n"):
            self.expect_orbitals_and_integrals(file)
            self.expect_energy(file)
            self.assertEqual(trexio.read_state_id(file), {"root 1": 0, "root 2": 1}[trexio.read_state_current_label(file)])
            self.assertEqual(trexio.read_state_file_name(file), ["job.trexio", "job.2.trexio"])
            number = trexio.read_determinant_num(file)
            coefficients, *_ = trexio.read_determinant_coefficient(file, 0, number)
            determinants, *_ = trexio.read_determinant_list(file, 0, number)
            self.assertAlmostEqual(np.linalg.norm(coefficients), 1.0, 10)
            up, down = trexio.to_orbital_list_up_dn(1, determinants[0])
            self.assertEqual(len(up), trexio.read_electron_up_num(file))
            self.assertEqual(len(down), trexio.read_electron_dn_num(file))
            count += 1
        self.assertEqual(count, 2)

    def test_cartesian_functions(self):
        for file in self.files("6-31g*", ["--natural"]):
            self.expect_orbitals_and_integrals(file)
            self.expect_energy(file)
            self.assertFalse(trexio.has_determinant_num(file))

    def test_others_may_add_to_a_file(self):
        for file in self.files("sto-3g", []):
            name = file.filename
            file.close()
            with trexio.File(name, "u", trexio.TREXIO_HDF5) as again:
                trexio.write_metadata_description(again, "more")
            with trexio.File(name, "r", trexio.TREXIO_HDF5) as again:
                self.assertEqual(trexio.read_metadata_description(again), "more")
                self.assertEqual(trexio.read_mo_num(again), 7)


if __name__ == "__main__":
    Trexio.program = sys.argv.pop(1)
    unittest.main()
