# SPDX-License-Identifier: MIT
"""Random Hamiltonians of several kinds, and the FCIDUMP file that holds one."""
import numpy as np

KINDS = ("dense", "sparse", "diagonal-dominant", "integers", "degenerate", "two copies", "hubbard")
GROUPS = {1: ("C1",), 2: ("Cs", "C2", "Ci"), 4: ("C2v", "C2h", "D2"), 8: ("D2h",)}


class Problem:
    """Integrals over n orbitals in the order of the file; irreps by Molpro's numbers."""

    def __init__(self, random, most_orbitals):
        self.kind = str(random.choice(KINDS))
        sizes = np.arange(1, most_orbitals + 1)
        self.n = int(random.choice(sizes, p=sizes / sizes.sum()))
        if self.kind == "two copies" and self.n % 2:
            self.n = max(2, self.n - 1)
        order = 1 if self.kind in ("hubbard", "degenerate") else int(random.choice((1, 2, 4, 8)))
        self.group = str(random.choice(GROUPS[order])) if random.random() < 0.5 else None
        self.labels = [int(x) for x in random.integers(1, order + 1, self.n)]
        self.core = float(random.choice((0.0, 1.25, random.normal())))
        self.make_integrals(random)
        self.electrons = int(random.integers(1, 2 * self.n + 1))
        most_open = min(self.electrons, 2 * self.n - self.electrons)
        self.ms2 = int(random.choice(np.arange(self.electrons % 2, most_open + 1, 2)))

    def make_integrals(self, random):
        n, kind = self.n, self.kind
        if kind == "hubbard":
            self.hubbard(random)
            return
        if kind == "two copies":
            half = n // 2
            self.labels[half:] = self.labels[:half]
            h, eri = self.random_integrals(random, half)
            self.h, self.eri = np.zeros((n, n)), np.zeros((n, n, n, n))
            for part in (slice(0, half), slice(half, n)):
                self.h[part, part], self.eri[part, part, part, part] = h, eri
            return
        self.h, self.eri = self.random_integrals(random, n)
        if kind == "degenerate":  # the same after a cyclic exchange of some orbitals
            some = random.permutation(n)[:int(random.integers(1, n + 1))]
            exchange = np.arange(n)
            exchange[some] = np.roll(some, 1)
            h, eri = self.h, self.eri
            for _ in range(len(some) - 1):
                h, eri = h[np.ix_(exchange, exchange)], eri[np.ix_(exchange, exchange, exchange, exchange)]
                self.h, self.eri = self.h + h, self.eri + eri

    def random_integrals(self, random, n):
        """Real, with all eight symmetries of the orbitals and zero where the irreps say so."""
        if self.kind == "integers":
            h, eri = random.integers(-2, 3, (n, n)) * 1.0, random.integers(-1, 2, (n, n, n, n)) * 1.0
        else:
            h, eri = random.normal(size=(n, n)), random.normal(size=(n, n, n, n)) * random.choice((0.1, 0.5, 1.0))
        if self.kind == "sparse":
            share = random.uniform(0.02, 0.3)
            h *= random.random((n, n)) < max(share, 0.2)
            eri *= random.random((n, n, n, n)) < share
        if self.kind == "diagonal-dominant":
            h += np.diag(np.sort(random.uniform(-10, 5, n)))
            eri *= 0.2
            eri += np.einsum("pq,rs->pqrs", np.eye(n), np.eye(n)) * random.uniform(0.2, 0.8)
        h = np.triu(h) + np.triu(h, 1).T
        pairs = [(p, q) for p in range(n) for q in range(p + 1)]
        labels = [label - 1 for label in self.labels]
        for i, (p, q) in enumerate(pairs):
            for r, s in pairs[:i + 1]:
                value = eri[p, q, r, s]
                if labels[p] ^ labels[q] ^ labels[r] ^ labels[s]:
                    value = 0.0
                for a, b, c, d in ((p, q, r, s), (r, s, p, q)):
                    eri[a, b, c, d] = eri[b, a, c, d] = eri[a, b, d, c] = eri[b, a, d, c] = value
            if labels[p] != labels[q]:
                h[p, q] = h[q, p] = 0.0
        return h, eri

    def hubbard(self, random):
        """A ring or chain of sites; perhaps with neighbours' repulsion."""
        n = self.n
        self.h, self.eri = np.zeros((n, n)), np.zeros((n, n, n, n))
        hop, repulsion = -float(random.choice((1.0, 0.5))), float(random.choice((0.0, 1.0, 4.0, 10.0)))
        neighbour = float(random.choice((0.0, 0.0, 0.7)))
        is_ring = n > 2 and random.random() < 0.6
        for p in range(n):
            self.eri[p, p, p, p] = repulsion
            if p + 1 < n or is_ring:
                q = (p + 1) % n
                self.h[p, q] = self.h[q, p] = hop
                if p != q:
                    self.eri[p, p, q, q] = self.eri[q, q, p, p] = neighbour

    def reordered(self, core, virtuals):
        """The same with frozen core orbitals first and frozen virtual ones last (orbitals of the file, from 0)."""
        active = [p for p in range(self.n) if p not in core and p not in virtuals]
        order = list(core) + active + list(virtuals)
        return FrozenProblem(self, order, len(core), len(active))

    def fcidump(self, random):
        """Text of the file: any of the equivalent orders of the indices, zeros or not."""
        lines = [f" &FCI NORB={self.n},NELEC={self.electrons},MS2={self.ms2},",
                 "  ORBSYM=" + "".join(f"{label}," for label in self.labels), "  ISYM=1,", " &END"]
        n = self.n
        writes_zeros = random.random() < 0.3
        body = []

        def add(value, *indices):
            if value or writes_zeros or indices[:2] == (self.n, self.n) and indices[2:] == (0, 0):
                body.append(f" {float(value)!r:>25} " + " ".join(f"{i:3d}" for i in indices))

        pairs = [(p, q) for p in range(n) for q in range(p + 1)]
        for i, (p, q) in enumerate(pairs):
            for r, s in pairs[:i + 1]:
                bra, ket = [[p, q], [r, s]] if random.random() < 0.5 else [[r, s], [p, q]]
                for pair in (bra, ket):
                    if random.random() < 0.5:
                        pair.reverse()
                add(self.eri[p, q, r, s], *(x + 1 for x in bra + ket))
        for p, q in pairs:
            add(self.h[p, q], *((p + 1, q + 1) if random.random() < 0.5 else (q + 1, p + 1)), 0, 0)
        if random.random() < 0.5:
            body = [body[i] for i in random.permutation(len(body))]
        body.append(f" {self.core!r:>25}   0   0   0   0")
        return "\n".join(lines + body) + "\n"


class FrozenProblem:
    """Orbitals in the order frozen core, active, frozen virtual."""

    def __init__(self, problem, order, n_core, active):
        self.n, self.n_core, self.active = problem.n, n_core, active
        self.order = order
        self.labels = [problem.labels[p] for p in order]
        self.h = problem.h[np.ix_(order, order)]
        self.eri = problem.eri[np.ix_(order, order, order, order)]
        self.core, self.electrons = problem.core, problem.electrons
