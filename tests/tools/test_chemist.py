#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""docs/chemist.md, orbitals.md, selection.md, flapw.md and lattice.md say what the program says. Skipped (status 77) if it was built without Libint2.

Each block of a page that begins with "$ cisolve inputs/..." is run; what stands below the command must stand in the
report, in that order ("..." leaves out). Each block of input must be part of the file that the page names before it.
Numbers that are differences of those in reports stand in DERIVED, with what makes them.

  test_chemist.py CISOLVE
"""
import re
import shlex
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
EV = 27.211386245988
KCAL = 627.5094740631
SKIPPED = 77

# Of printed numbers; orbitals of an SCF that is converged to 1e-8 leave 1e-7 hartree where a CAS is chosen of them.
TOLERANCES = {10: 2e-7, 9: 2e-7, 8: 2e-7, 6: 2e-5, 5: 2e-5, 4: 2e-4, 3: 2e-3, 1: 0.15}


def blocks(page, language):
    """Blocks of a page in a language: (text before the block, its lines)."""
    text = page.read_text(encoding="utf-8")
    return [(text[: match.start()], match[1].splitlines())
            for match in re.finditer(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)]


def same(shown, printed):
    """Whether a word of the page is a word of the report: numbers within what their digits stand for."""
    if shown == printed:
        return True
    residual = re.compile(r"-?\d\.\d\d?e[+-]\d\d")  # of a small matrix it may be 0.00e+00
    if residual.fullmatch(shown) and residual.fullmatch(printed):
        return abs(float(printed)) <= 1e-6
    number = re.compile(r"[+-]?\d+\.(\d+)")
    a, b = number.fullmatch(shown), number.fullmatch(printed)
    if not a or not b or len(a[1]) != len(b[1]):
        return False
    x, y = float(shown), float(printed)
    if shown[0] == "+" or (len(a[1]) == 6 and x < 0):  # coefficients: the sign of a vector is free
        x, y = abs(x), abs(y)
    return abs(x - y) <= TOLERANCES[len(a[1])]


def same_line(shown, printed):
    a, b = shown.split(), printed.split()
    return len(a) == len(b) and all(map(same, a, b))


ROOT = re.compile(r"( +\d+ +(-\d+\.\d+) .* )(\w+, \w+)")


def in_order_of(report, lines):
    """The lines, with labels of degenerate neighbours exchanged where the report has them so: rounding orders those."""
    lines = list(lines)
    roots = [match for line in report if (match := ROOT.fullmatch(line))]
    for k in range(len(lines) - 1):
        a, b = ROOT.fullmatch(lines[k]), ROOT.fullmatch(lines[k + 1])
        if a and b and a[2] == b[2] and any(same_line(a[1] + b[3], root[0]) for root in roots):
            lines[k:k + 2] = [a[1] + b[3], b[1] + a[3]]
    return lines


class Report:
    def __init__(self, text):
        self.lines = text.splitlines()

    def column(self, heading, column):
        """The column of the roots below a line that begins with this heading, by number of the root."""
        start = next(i for i, line in enumerate(self.lines) if line.strip().startswith(heading))
        values = {}
        for line in self.lines[start + 1:]:
            words = line.split()
            if not words:
                break
            if re.fullmatch(r" {1,4}\d+", line[:5]) and re.fullmatch(r"-?\d+\.\d+", words[column]):
                values[int(words[0])] = float(words[column])
        return values

    def energies(self):
        return self.column("root    energy/hartree", 1)

    def orbital_energies(self):
        """Of the orbitals that the report lists, by label; hartree."""
        rows = [line.split() for line in self.lines]
        return {row[3]: float(row[2]) for row in rows if len(row) > 4 and re.fullmatch(r"\d+[a-z]\w*", row[3])
                and row[0].isdigit() and row[1] in "012"}

    def with_q(self):
        q = self.column("root    reference weight", 2)
        return {root: energy + q[root] for root, energy in self.energies().items() if root in q}

    def curve(self, heading="roots/hartree", root=0):
        """Energies of a scan by the value of its coordinate."""
        start = next(i for i, line in enumerate(self.lines) if line.startswith("point ") and heading in line)
        values, rows = {}, []
        for line in self.lines[start + 1:]:
            if not line.strip():
                break
            numbers = [float(x) for x in re.findall(r"-?\d+\.\d{10}", line)]
            if line[:5].strip():
                rows.append([])
                values[float(line.split()[1])] = rows[-1]
                numbers = numbers[1 if "SCF" in self.lines[start] else 0:]
            rows[-1] += numbers
        return {value: row[root] for value, row in values.items()}


# Text of the page, and what it is of the reports, by their commands (without "cisolve inputs/" and ".inp").
CATION = "h2o_ions --set molecule.charge=1 --set 'states.irrep=[\"B1\",\"A1\",\"B2\"]'"
ALL_IRREPS = "ch2o_states --set states.irrep=all --set states.count=2"
FIRST = " --set space.reference=first-orbitals"
CAS_SCAN, CISD_SCAN = "hf_bond", "hf_bond --set space.reference=aufbau"
NUMBER_SCAN = "hf_bond --set space.reference.orbitals=2 --set scan.warm_start=false"
O2_SINGLE = "o2_terms --set space.reference=aufbau"
NO_DOUBLET = ("no_pi --set molecule.multiplicity=2 --set molecule.doubly_occupied=[5,1,1] "
              "--set molecule.singly_occupied=[0,1]")
SINGLE_GAP = "ch2_gap --set space.reference=aufbau"
FCI = {0.8: -100.1786976614, 0.9: -100.2010509001, 1.2: -100.1547781100, 1.5: -100.0861031745, 5.0: -99.9972876831}


def above_fci(command, length):
    return lambda reports: 1000 * (reports[command].curve()[length] - FCI[length])


def ionisation(root, column, options=""):
    return lambda reports: EV * (getattr(reports[CATION + options], column)()[root]
                                 - getattr(reports["h2o_ions"], column)()[1])


def with_q_above(command, root):
    return lambda reports: EV * (reports[command].with_q()[root] - reports[command].with_q()[1])


def affinity(column, options=""):
    return lambda reports: EV * (getattr(reports["oh_ions" + options], column)()[1]
                                 - getattr(reports["oh_ions" + options + " --set molecule.charge=-1"], column)()[1])


def gap(command, heading="roots/hartree"):
    """Of methylene, each state at its own geometry; kcal/mol."""
    return lambda reports: KCAL * (reports[command].curve(heading, 1)[2.0] - reports[command].curve(heading, 0)[1.0])


DERIVED = [
    ("| CISD + Davidson | 3.66", with_q_above("ch2o_states", 2)),
    ("| CISD + Davidson | 3.66 | 4.00", with_q_above("ch2o_states", 3)),
    ("| CISD + Davidson | 3.66 | 4.00 | 6.08", with_q_above("ch2o_states", 4)),
    ("the singlet is 4.4 eV too high",
     lambda reports: EV * (reports[ALL_IRREPS].energies()[3] - reports["ch2o_states"].energies()[3])),
    ("parts the components of Delta by 0.43 eV",
     lambda reports: EV * (reports[O2_SINGLE].energies()[3] - reports[O2_SINGLE].energies()[2])),
    ("puts Sigma_g+ at 8.3",
     lambda reports: EV * (reports[O2_SINGLE].energies()[4] - reports[O2_SINGLE].energies()[1])),
    ("+Q (1.11", with_q_above("o2_terms", 2)),
    ("+Q (1.11 and 1.77", with_q_above("o2_terms", 4)),
    ("costs 1.8", lambda reports: 1000 * (reports["no_pi"].energies()[1] - reports[NO_DOUBLET].energies()[1])),
    ("| CAS(2,2) + SD | 7.3", above_fci(CAS_SCAN, 0.8)),
    ("| CAS(2,2) + SD | 7.3 | 8.3", above_fci(CAS_SCAN, 1.2)),
    ("| CAS(2,2) + SD | 7.3 | 8.3 | 8.1", above_fci(CAS_SCAN, 1.5)),
    ("| CAS(2,2) + SD | 7.3 | 8.3 | 8.1 | 7.4", above_fci(CAS_SCAN, 5.0)),
    ("| CAS(2,2) by number + SD | 7.4", above_fci(NUMBER_SCAN, 0.8)),
    ("| CAS(2,2) by number + SD | 7.4 | 10.2", above_fci(NUMBER_SCAN, 1.2)),
    ("| CAS(2,2) by number + SD | 7.4 | 10.2 | 8.1", above_fci(NUMBER_SCAN, 1.5)),
    ("| CAS(2,2) by number + SD | 7.4 | 10.2 | 8.1 | 7.4", above_fci(NUMBER_SCAN, 5.0)),
    ("| CISD | 7.6", above_fci(CISD_SCAN, 0.8)),
    ("| CISD | 7.6 | 11.1", above_fci(CISD_SCAN, 1.2)),
    ("| CISD | 7.6 | 11.1 | 16.1", above_fci(CISD_SCAN, 1.5)),
    ("| CISD | 7.6 | 11.1 | 16.1 | 71.3", above_fci(CISD_SCAN, 5.0)),
    ("a step of 2.1", lambda reports: above_fci(NUMBER_SCAN, 1.2)(reports) - above_fci(NUMBER_SCAN, 1.5)(reports)),
    ("of use for the CAS (1.8", lambda reports: 1000 * (reports[CAS_SCAN].curve("(+Q)")[5.0] - FCI[5.0])),
    ("nonsense for CISD (84.2", lambda reports: 1000 * (FCI[5.0] - reports[CISD_SCAN].curve("(+Q)")[5.0])),
    ("with the Davidson correction T comes to 4.47", with_q_above("c2h4_pi", 2)),
    ("T comes to 4.47 and V to 8.05", with_q_above("c2h4_pi", 3)),
    ("the gap is 12.8", gap("ch2_gap")),
    ("the gap is 12.8 kcal/mol (+Q: 11.3", gap("ch2_gap", "(+Q)")),
    ("one main configuration: 15.1", gap(SINGLE_GAP)),
    ("| CISD | 12.35", ionisation(1, "energies")),
    ("| CISD | 12.35 | 14.65", ionisation(2, "energies")),
    ("| CISD | 12.35 | 14.65 | 18.86", ionisation(3, "energies")),
    ("| CISD + Davidson | 12.47", ionisation(1, "with_q")),
    ("| CISD + Davidson | 12.47 | 14.73", ionisation(2, "with_q")),
    ("| CISD + Davidson | 12.47 | 14.73 | 18.91", ionisation(3, "with_q")),
    ("(Koopmans) | 13.86", lambda reports: -EV * reports["h2o_ions"].orbital_energies()["1b1"]),
    ("(Koopmans) | 13.86 | 15.94", lambda reports: -EV * reports["h2o_ions"].orbital_energies()["3a1"]),
    ("(Koopmans) | 13.86 | 15.94 | 19.56", lambda reports: -EV * reports["h2o_ions"].orbital_energies()["1b2"]),
    ("first-orbitals` | 12.35", ionisation(1, "energies", FIRST)),
    ("first-orbitals` | 12.35 | 16.47", ionisation(2, "energies", FIRST)),
    ("first-orbitals` | 12.35 | 16.47 | 20.56", ionisation(3, "energies", FIRST)),
    ("too high. A small basis set, 6-31G(d), gives 11.89",
     lambda reports: EV * (reports["h2o_ions --set molecule.basis=6-31g(d) --set molecule.charge=1"].energies()[1]
                           - reports["h2o_ions --set molecule.basis=6-31g(d)"].energies()[1])),
    ("The affinity is 1.31", affinity("energies")),
    ("1.31 eV by CISD and 1.50", affinity("with_q")),
    ("cc-pVDZ says -0.75", affinity("energies", " --set molecule.basis=cc-pvdz")),
]


class Page:
    """What is true of each page."""

    commands, inputs = 6, 5  # blocks that a page has at least
    program = None
    path = None
    derived = []

    @classmethod
    def setUpClass(cls):
        cls.reports = {}
        cls.folder = tempfile.TemporaryDirectory()
        for _, lines in blocks(cls.path, "console"):
            for line in lines:
                if line.startswith("$ "):
                    cls.run_once(line)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def run_once(cls, line):
        name = re.sub(r"^\$ cisolve inputs/(\w+)\.inp", r"\1", line)
        if name not in cls.reports:
            _, path, *options = shlex.split(line[2:])
            done = subprocess.run([cls.program, str(REPOSITORY / path), *options, "--device", "cpu", "--threads", "1",
                                   "-o", "page.h5"],
                                  cwd=cls.folder.name, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise RuntimeError(f"{line}: {done.stderr}")
            cls.reports[name] = Report(done.stdout)
        return cls.reports[name]

    def test_reports(self):
        self.assertGreaterEqual(len(blocks(self.path, "console")), self.commands)
        for _, lines in blocks(self.path, "console"):
            self.assertTrue(lines[0].startswith("$ cisolve inputs/"), lines[0])
            rest = []
            printed = [line for command in lines if command.startswith("$ ") for line in self.run_once(command).lines]
            for line in in_order_of(printed, lines):
                if line.startswith("$ "):
                    command, rest = line, list(self.run_once(line).lines)
                elif line.strip() not in ("", "..."):
                    while rest and not same_line(line, rest[0]):
                        rest.pop(0)
                    self.assertTrue(rest, f"{command}: the report has not, or not there:\n{line}")
                    rest.pop(0)

    def test_inputs(self):
        self.assertGreaterEqual(len(blocks(self.path, "toml")), self.inputs)
        for before, lines in blocks(self.path, "toml"):
            name = re.findall(r"\(\.\./(inputs/\w+\.inp)\)", before)[-1]
            strip = lambda text: re.sub(r"\s*#.*", "", text)
            have = [strip(line) for line in (REPOSITORY / name).read_text(encoding="utf-8").splitlines()]
            for line in filter(None, map(strip, lines)):
                self.assertIn(line, have, name)

    def test_every_input_is_run(self):
        named = set(re.findall(r"\(\.\./inputs/(\w+)\.inp\)", self.path.read_text(encoding="utf-8")))
        self.assertEqual(named - {name.split()[0] for name in self.reports}, set())

    def test_differences(self):
        text = " ".join(self.path.read_text(encoding="utf-8").split())
        for shown, value in self.derived:
            with self.subTest(shown):
                self.assertTrue(shown in text, "not in the page")
                number = re.findall(r"-?\d+\.\d+", shown)[-1]
                self.assertLessEqual(abs(value(self.reports) - float(number)), 0.51 * 10 ** -len(number.split(".")[1]))


class Chemist(Page, unittest.TestCase):
    path = REPOSITORY / "docs/chemist.md"
    derived = DERIVED


class Orbitals(Page, unittest.TestCase):
    path = REPOSITORY / "docs/orbitals.md"


class Selection(Page, unittest.TestCase):
    path = REPOSITORY / "docs/selection.md"
    commands, inputs = 4, 3


class Flapw(Page, unittest.TestCase):
    path = REPOSITORY / "docs/flapw.md"
    commands, inputs = 5, 3


class Lattice(Page, unittest.TestCase):
    path = REPOSITORY / "docs/lattice.md"
    commands, inputs = 7, 5


if __name__ == "__main__":
    Page.program = str(Path(sys.argv.pop(1)).resolve())
    version = subprocess.run([Page.program, "--version"], capture_output=True, text=True, check=True).stdout
    if "Libint2 no" in version:
        print("skipped: built without Libint2")
        sys.exit(SKIPPED)
    unittest.main()
