#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Count the matrix-vector products that PySCF's Davidson solver needs for a given matrix.

    davidson_applications.py MATRIX [--roots 1 3 4] [--tolerance 1e-6]

MATRIX is a .npz or HDF5 file with the CSR arrays `indptr`, `indices`, `data` of the full symmetric
matrix (hartree), and optionally `diagonal` [n] and `start` [columns, n] (the start vectors; default:
unit vectors of the lowest diagonal elements, as many as roots).

Two counts per number of roots: "residual" converges the residual norms alone, like cisolve;
"energy" also asks for energies that change by less than 1e-12 hartree, PySCF's default.
Needs PySCF (pyscf.lib.davidson1), SciPy, and h5py for HDF5.
"""
import argparse

import numpy as np
import scipy.sparse
from pyscf import lib


def load(path):
    """Returns the CSR matrix, its diagonal, and the start vectors or None."""
    if str(path).endswith('.npz'):
        arrays = dict(np.load(path))
    else:
        import h5py
        with h5py.File(path, 'r') as file:
            arrays = {name: file[name][()] for name in file}
    matrix = scipy.sparse.csr_matrix((arrays['data'], arrays['indices'], arrays['indptr']))
    diagonal = np.asarray(arrays['diagonal'] if 'diagonal' in arrays else matrix.diagonal()).ravel()
    start = arrays.get('start')
    return matrix, diagonal, None if start is None else np.atleast_2d(start)


def unit_vectors(diagonal, count):
    start = np.zeros((count, len(diagonal)))
    start[np.arange(count), np.argsort(diagonal, kind='stable')[:count]] = 1.0
    return start


def count_applications(matrix, diagonal, start, num_roots, tolerance, energy_change):
    applications = 0

    def apply(vectors):
        nonlocal applications
        applications += len(vectors)
        return [matrix @ v for v in vectors]

    converged, energies, _ = lib.davidson1(apply, [v.copy() for v in start], diagonal, tol=energy_change,
                                           tol_residual=tolerance, max_cycle=1000, nroots=num_roots,
                                           verbose=0)
    return applications, bool(np.all(converged)), energies


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', 1)[0])
    parser.add_argument('matrix')
    parser.add_argument('--roots', type=int, nargs='+', default=[1, 3, 4])
    parser.add_argument('--tolerance', type=float, default=1e-6, help='residual norm, hartree')
    options = parser.parse_args()
    matrix, diagonal, start = load(options.matrix)
    print(f'{options.matrix}: {matrix.shape[0]} rows, {matrix.nnz} nonzeros')
    for num_roots in options.roots:
        vectors = unit_vectors(diagonal, num_roots) if start is None else start
        for label, energy_change in (('residual', np.inf), ('energy', 1e-12)):
            count, converged, energies = count_applications(matrix, diagonal, vectors, num_roots,
                                                            options.tolerance, energy_change)
            state = 'converged' if converged else 'NOT converged'
            print(f'{num_roots:3d} roots, {label:8s}: {count:5d} applications, {state},',
                  ' '.join(f'{e:.9f}' for e in energies))


if __name__ == '__main__':
    main()
