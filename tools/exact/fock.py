# SPDX-License-Identifier: MIT
"""Second-quantised operators by the Jordan-Wigner transformation, as they act on the states of one (N, Ms).

Spin orbital p is alpha electron of orbital p, spin orbital n + p its beta electron. A state of the Fock space is a number
whose bit P says whether spin orbital P is occupied. The annihilator of P is Z x ... x Z x a x 1 x ... x 1, with Z on all
spin orbitals below P: it takes bit P away, with a sign for every electron below. Nothing here knows the Slater-Condon
rules: the Hamiltonian is the sum over products of such operators, with all intermediate states.
"""
import numpy as np


class FockSpace:
    """Ladder operators of n orbitals."""

    def __init__(self, n):
        self.n = n
        self.states = np.arange(1 << 2 * n)
        # Of spin orbital P: Z = diag(1, -1) on those below, 1 on the others; the Kronecker product by bits.
        self.signs = []
        for spin_orbital in range(2 * n):
            sign = np.ones(1)
            for factor in range(2 * n):
                sign = np.kron([1.0, -1.0] if factor < spin_orbital else [1.0, 1.0], sign)
            self.signs.append(sign)

    def annihilate(self, spin_orbital, states, amplitudes):
        there = (states >> spin_orbital & 1) == 1
        amplitudes = np.where(there, amplitudes * self.signs[spin_orbital][states], 0.0)
        return np.where(there, states ^ (1 << spin_orbital), states), amplitudes

    def create(self, spin_orbital, states, amplitudes):
        free = (states >> spin_orbital & 1) == 0
        amplitudes = np.where(free, amplitudes * self.signs[spin_orbital][states], 0.0)
        return np.where(free, states | 1 << spin_orbital, states), amplitudes

    def sector(self, electrons, ms2):
        """The states with that many electrons and n_alpha - n_beta = ms2, ascending."""
        ones = np.array([state.bit_count() if hasattr(int, "bit_count") else bin(state).count("1")
                         for state in range(1 << self.n)])
        alpha, beta = ones[self.states & ((1 << self.n) - 1)], ones[self.states >> self.n]
        return self.states[(alpha + beta == electrons) & (alpha - beta == ms2)]


class Sector:
    """H and S^2 between the states of one (N, Ms)."""

    def __init__(self, space, electrons, ms2):
        self.space, self.ms2 = space, ms2
        self.states = space.sector(electrons, ms2)
        self.place = np.full(len(space.states), -1)
        self.place[self.states] = np.arange(len(self.states))
        self.raised = space.sector(electrons, ms2 + 2)
        self.place_raised = np.full(len(space.states), -1)
        self.place_raised[self.raised] = np.arange(len(self.raised))

    def move(self, to, origin, place):
        """a+_to a_origin: rows, columns and values of its nonzeros."""
        states, amplitudes = self.space.annihilate(origin, self.states, np.ones(len(self.states)))
        states, amplitudes = self.space.create(to, states, amplitudes)
        columns = np.nonzero(amplitudes)[0]
        return place[states[columns]], columns, amplitudes[columns]

    def hamiltonian(self, h, eri, core):
        """sum h_pq E_pq + 1/2 sum (pq|rs) (E_pq E_rs - delta_qr E_ps) + core, with E_pq summed over spins."""
        n, size = self.space.n, len(self.states)
        replacements = [[[self.move(p + spin, q + spin, self.place) for spin in (0, n)] for q in range(n)]
                        for p in range(n)]
        one_body = h - 0.5 * np.einsum("pqqs->ps", eri)

        def combine(coefficients):
            rows, columns, values = [], [], []
            for p in range(n):
                for q in range(n):
                    if coefficients[p, q] == 0.0:
                        continue
                    for row, column, value in replacements[p][q]:
                        rows.append(row)
                        columns.append(column)
                        values.append(coefficients[p, q] * value)
            matrix = np.zeros((size, size))
            if rows:
                np.add.at(matrix, (np.concatenate(rows), np.concatenate(columns)), np.concatenate(values))
            return matrix

        matrix = combine(one_body) + core * np.eye(size)
        for p in range(n):
            for q in range(n):
                if not eri[p, q].any():
                    continue
                half = 0.5 * combine(eri[p, q])
                for row, column, value in replacements[p][q]:
                    matrix[row] += value[:, None] * half[column]
        return matrix

    def spin_squared(self):
        """S^2 = S- S+ + Sz (Sz + 1), with S+ = sum a+_(p alpha) a_(p beta)."""
        n, size = self.space.n, len(self.states)
        raising = np.zeros((len(self.raised), size))
        for p in range(n):
            rows, columns, values = self.move(p, n + p, self.place_raised)
            raising[rows, columns] += values
        ms = 0.5 * self.ms2
        return raising.T @ raising + ms * (ms + 1) * np.eye(size)
