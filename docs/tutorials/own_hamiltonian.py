# SPDX-License-Identifier: MIT
"""A Hamiltonian of your own. docs/tutorials/own_hamiltonian.md goes through it."""
import numpy as np
from scipy.integrate import quad
from scipy.linalg import expm
from scipy.optimize import fsolve
from scipy.sparse.linalg import eigsh
from scipy.special import j0, j1

import cisolve


# Integrals
def hubbard(sites, u):
    h = np.zeros((sites, sites))
    for p in range(sites if sites > 2 else 1):
        q = (p + 1) % sites
        h[p, q] = h[q, p] = -1.0
    eri = np.zeros((sites,) * 4)
    p = np.arange(sites)
    eri[p, p, p, p] = u
    return cisolve.Hamiltonian(h, eri)


def lowest(hamiltonian, alpha, beta, multiplicity=None):
    space = cisolve.Space.full(hamiltonian, (alpha, beta))
    operator = cisolve.Operator(hamiltonian, space)
    return cisolve.solve(operator, multiplicity=multiplicity, tolerance=1e-8)


for u in (1.0, 4.0, 16.0):
    energy = lowest(hubbard(2, u), 1, 1).energies[0]
    print(f"U = {u:4.1f}  {energy:.8f}  by formula {(u - np.sqrt(u**2 + 16)) / 2:.8f}")


# Ten sites
SITES, U = 10, 4.0


def lieb_wu(sites, u):
    """Half filling, sites = 4 m + 2."""
    charges = np.arange(sites) - (sites - 1) / 2
    spins = np.arange(sites // 2) - (sites // 2 - 1) / 2

    def equations(x):
        k, rapidity = x[:sites], x[sites:]
        between = 2 * np.arctan(4 * (np.sin(k)[:, None] - rapidity) / u)
        among = 2 * np.arctan(2 * (rapidity[:, None] - rapidity) / u)
        return np.concatenate([
            sites * k - 2 * np.pi * charges + between.sum(axis=1),
            between.sum(axis=0) + 2 * np.pi * spins + among.sum(axis=1),
        ])

    start = np.concatenate([np.pi * charges / sites, np.linspace(-1, 1, sites // 2)])
    return -2 * np.cos(fsolve(equations, start, xtol=1e-13)[:sites]).sum()


ring = hubbard(SITES, U)
singlet = lowest(ring, 5, 5, multiplicity=1)
print(f"cisolve  {singlet.energies[0]:.8f}\nLieb-Wu  {lieb_wu(SITES, U):.8f}")


# Two gaps
for sites in (6, 10):
    chain, half = hubbard(sites, U), sites // 2
    ground = lowest(chain, half, half).energies[0]
    spin = lowest(chain, half, half, multiplicity=3).energies[0] - ground
    more = lowest(chain, half + 1, half).energies[0]
    less = lowest(chain, half, half - 1).energies[0]
    print(f"{sites:2} sites  spin gap {spin:.4f}  charge gap {more + less - 2 * ground:.4f}")

integral = quad(lambda x: j1(x) / (x * (1 + np.exp(U * x / 2))), 0, 50)[0]
print(f"infinite  spin gap 0.0000  charge gap {U - 4 + 8 * integral:.4f}")


# What the spins do
space = cisolve.Space.full(ring, (5, 5))
aa, ab, bb = cisolve.two_particle(space, singlet.vectors[0])
print(f"doubly occupied {ab[0, 0, 0, 0]:.4f}, of free electrons 0.2500")
for r in range(1, 6):
    z_z = (aa[0, 0, r, r] + bb[0, 0, r, r] - ab[0, 0, r, r] - ab[r, r, 0, 0]) / 4
    print(f"distance {r}  <S.S> {3 * z_z:+.4f}")


# With other tools
operator = cisolve.Operator(ring, space)
print(f"{operator.shape[0]} determinants, eigsh {eigsh(operator, k=1, which='SA')[0][0]:.8f}")


def step(operator, c, time, size=14):
    """exp(-i H time) c in a Krylov space."""
    basis, diagonal, beside = [c], [], []
    for k in range(size):
        real, imaginary = operator.matvec(np.array([basis[k].real, basis[k].imag]))
        new = real + 1j * imaginary
        diagonal.append(np.vdot(basis[k], new).real)
        for b in basis:
            new -= np.vdot(b, new) * b
        beside.append(np.linalg.norm(new))
        basis.append(new / beside[k])
    small = np.diag(diagonal) + np.diag(beside[:-1], 1) + np.diag(beside[:-1], -1)
    return np.array(basis[:-1]).T @ expm(-1j * time * small)[:, 0]


start = np.zeros(len(space), dtype=complex)
start[space.find([0b0101010101], [0b1010101010])] = 1.0
bits = np.arange(SITES, dtype=np.uint64)
up = (space.alpha[:, None] >> bits) & np.uint64(1)
down = (space.beta[:, None] >> bits) & np.uint64(1)
order = (up.astype(float) - down) @ (-1.0) ** np.arange(SITES) / SITES

print("time   U = 0   exact   U = 4   U = 16")
operators = [cisolve.Operator(hubbard(SITES, u), space) for u in (0.0, 4.0, 16.0)]
states = [start] * 3
for time in np.arange(0, 1.6, 0.25):
    free, medium, strong = (np.abs(c) ** 2 @ order for c in states)
    print(f"{time:4.2f} {free:7.4f} {j0(4 * time):7.4f} {medium:7.4f} {strong:7.4f}")
    states = [step(op, c, 0.25) for op, c in zip(operators, states)]
