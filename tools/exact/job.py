# SPDX-License-Identifier: MIT
"""A random input over a problem: space, references, states, storage."""
import json

import numpy as np

STORAGES = ("csr", "ell", "ell-r", "sliced-ell", "sliced-ell-r", "csb", "coded", "hybrid")
IRREPS = {"C1": "A", "Cs": "A' A''", "C2": "A B", "Ci": "Ag Au", "C2v": "A1 B1 B2 A2", "C2h": "Ag Au Bu Bg",
          "D2": "A B3 B2 B1", "D2h": "Ag B3u B2u B1g B1u B2g B3g Au"}


def toml(value):
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {toml(entry)}" for key, entry in value.items()) + " }"
    return json.dumps(value)


def draw(random, low, high):
    return int(random.integers(low, high + 1))


def some(random, count, of):
    """Different numbers from a list, in any order."""
    return [int(x) for x in random.permutation(of)[:count]]


class Job:
    """sections of the input, and the parts that the comparison wants to know."""

    def __init__(self, random, problem):
        self.problem = problem
        self.csf = bool(random.random() < 0.3)
        self.space, self.states = {}, {}
        self.freeze(random)
        self.choose_states(random)
        self.choose_references(random)
        self.space["excitation_level"] = "full" if random.random() < 0.25 else draw(random, 0, 4)
        if self.csf:
            self.space["basis"] = "csf"
        elif not self.multiplicities and random.random() < 0.3:
            self.space["spin_complete"] = False
        for key in ("max_holes", "max_particles"):
            if random.random() < 0.12:
                half = np.arange(self.active // 2, self.active) if key == "max_particles" else \
                    np.arange((self.active + 1) // 2)
                which = half if random.random() < 0.7 else np.arange(self.active)
                orbitals = [p + 1 for p in some(random, draw(random, 1, len(which)), which)]
                self.space[key] = {"orbitals": orbitals, "count": draw(random, 0, 4)}
        self.choose_storage(random)

    @property
    def may_be_listed(self):
        """Whether the space need not be made of blocks: references are several, or their open shells completed."""
        return self.reference != "first-orbitals" or self.space.get("spin_complete", True)

    def freeze(self, random):
        problem = self.problem
        core, virtuals = [], []
        most_core = (problem.electrons - problem.ms2 - 1) // 2  # an electron is left
        if most_core > 0 and random.random() < 0.3:
            count = draw(random, 1, min(2, most_core))
            is_list = random.random() < 0.5
            core = sorted(some(random, count, np.arange(problem.n))) if is_list else list(range(count))
            self.space["frozen_core"] = [p + 1 for p in core] if is_list else count
        left = [p for p in range(problem.n) if p not in core]
        need = (problem.electrons - 2 * len(core) + problem.ms2 + 1) // 2
        if len(left) > max(need, 1) and random.random() < 0.3:
            is_list = random.random() < 0.5 or problem.n - 1 in core
            virtuals = [some(random, 1, left)[0]] if is_list else [problem.n - 1]
            self.space["frozen_virtual"] = [p + 1 for p in virtuals] if is_list else 1
        self.frozen = problem.reordered(core, virtuals)
        self.active = self.frozen.active
        self.electrons = problem.electrons - 2 * len(core)

    def choose_states(self, random):
        """multiplicities: none, or those asked for; ms2: none, or as given."""
        most_open = min(self.electrons, 2 * self.active - self.electrons)
        spins = list(range(most_open % 2, most_open + 1, 2))
        self.multiplicities, self.ms2 = [], None
        if random.random() < (0.7 if self.csf else 0.5):
            chosen = some(random, 1 if random.random() < 0.7 else 2, spins)
            self.multiplicities = [two_s + 1 for two_s in chosen]
            self.states["multiplicity"] = self.multiplicities if len(chosen) > 1 else self.multiplicities[0]
            if not self.csf and random.random() < 0.3:
                lowest = min(chosen)
                self.ms2 = draw(random, 0, lowest) * 2 - lowest
        elif not self.csf and random.random() < 0.5:
            two_s = some(random, 1, spins)[0]
            self.ms2 = two_s if random.random() < 0.7 else -two_s
        if self.ms2 is not None:
            self.states["ms2"] = self.ms2
        order = max(self.problem.labels)
        names = IRREPS[self.problem.group].split() if self.problem.group else None
        if random.random() < 0.8:
            name = (lambda k: names[k - 1]) if names and random.random() < 0.5 else (lambda k: k)
            known = min(order, len(names)) if names else order
            wanted = some(random, 1 if random.random() < 0.6 else 3, np.arange(1, known + 1))
            choice = random.random()
            self.irreps = [0] if choice < 0.25 else wanted
            self.states["irrep"] = "all" if choice < 0.25 else \
                [name(k) for k in wanted] if len(wanted) > 1 or choice < 0.4 else name(wanted[0])
        else:
            self.irreps = None  # the reference's
        self.count = 1 if random.random() < 0.4 else draw(random, 2, 6)
        self.states["count"] = self.count

    def sector_ms2(self, multiplicity):
        if self.ms2 is not None:
            return self.ms2
        return multiplicity - 1 if multiplicity else self.problem.ms2

    def choose_references(self, random):
        choice = random.random()
        if choice < 0.45:
            self.reference = str(random.choice(("aufbau", "lowest", "first-orbitals")))
            self.space["reference"] = self.reference
        elif choice < 0.75:
            self.reference = "list"
            self.list_occupations(random)
        else:
            self.reference = "cas"
            self.choose_cas(random)

    def list_occupations(self, random):
        """Occupations with open shells enough for every spin that is asked for."""
        spins = [abs(self.sector_ms2(m)) for m in self.multiplicities] or [abs(self.sector_ms2(0))]
        fewest = 0 if self.csf else max(spins)
        texts = []
        for _ in range(draw(random, 1, 3)):
            most = min(self.electrons, 2 * self.active - self.electrons)
            low = fewest if (fewest - self.electrons) % 2 == 0 else fewest + 1
            opened = draw(random, 0, max(0, (most - low) // 2)) * 2 + low
            order = random.permutation(self.active)
            text = ["0"] * self.active
            for k, p in enumerate(order):
                text[p] = "1" if k < opened else "2" if k < opened + (self.electrons - opened) // 2 else "0"
            if self.csf or len(set(spins)) > 1 or random.random() < 0.5:
                texts.append("".join(text).rstrip("0") if random.random() < 0.5 else "".join(text))
                continue
            shells = [p for p in range(self.active) if text[p] == "1"]
            ups = some(random, (len(shells) + self.sector_ms2((self.multiplicities or [0])[0])) // 2, shells)
            for p in shells:
                text[p] = "u" if p in ups else "d"
            texts.append("".join(text))
        self.space["reference"] = self.occupations = list(dict.fromkeys(texts))

    def choose_cas(self, random):
        pairs = draw(random, 0, min(self.electrons // 2, self.active - 1))
        electrons = self.electrons - 2 * pairs
        fewest = (electrons + 1) // 2
        size = draw(random, min(max(1, fewest), self.active - pairs), self.active - pairs)
        cas = {"electrons": electrons, "orbitals": size}
        kind = random.random()
        if kind < 0.4:
            cas["orbitals"] = some(random, size, np.arange(1, self.active + 1))
        elif kind < 0.6:
            chosen = some(random, size, np.arange(self.active))
            labels = [self.frozen.labels[self.frozen.n_core + p] for p in chosen]
            names = IRREPS[self.problem.group].split() if self.problem.group else None
            if names and all(label <= len(names) for label in labels) and "'" not in "".join(names):
                cas["orbitals"] = {names[k - 1]: labels.count(k) for k in sorted(set(labels))}
        if random.random() < 0.4:
            cas["irreps"] = str(random.choice(("all", "sector")))
        self.space["reference"] = self.cas = cas

    def choose_storage(self, random):
        self.hamiltonian = {}
        choice = random.random()
        if choice < 0.3 and not self.csf:
            self.hamiltonian["storage"] = "direct"
        elif choice < 0.85:
            self.hamiltonian["storage"] = str(random.choice(STORAGES))
        if self.hamiltonian.get("storage") == "hybrid":
            self.hamiltonian["ell_width"] = [("auto"), ("reference"), draw(random, 1, 20)][draw(random, 0, 2)]
        if self.hamiltonian.get("storage") == "coded":
            self.hamiltonian["row_order"] = str(random.choice(("auto", "local", "given")))
        self.output = {"determinants": str(random.choice(("auto", "list", "blocks")))}
        self.threads = draw(random, 1, 3)

    def text(self, device, tolerance):
        sections = {
            "integrals": {"file": "case.fcidump"} | ({"point_group": self.problem.group} if self.problem.group else {}),
            "space": self.space, "states": self.states, "hamiltonian": self.hamiltonian,
            "solver": {"tolerance": tolerance, "max_iterations": 2000},
            "run": {"device": device, "threads": self.threads, "memory": "1 GiB"}, "output": self.output}
        return "\n".join(f"[{name}]\n" + "".join(f"{key} = {toml(value)}\n" for key, value in keys.items())
                         for name, keys in sections.items())
