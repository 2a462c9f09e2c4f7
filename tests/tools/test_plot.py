#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws every picture of tools/plot from small calculations: test_plot.py CISOLVE. Skipped without matplotlib."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOLS = Path(__file__).parents[2] / "tools"
DATA = Path(__file__).parents[1] / "data"
SKIPPED = 77
PROGRAM = ""

JOB = f"""title = "Two files"
[integrals]
file = "{DATA}/h2_sto3g.fcidump"
[run]
device = "cpu"
"""
WATER = """title = "All irreps in one sector"
[molecule]
geometry = "O 0 0 0; H 0 0.757 0.587; H 0 -0.757 0.587"
basis = "sto-3g"
[states]
irrep = "all"
count = 4
[run]
device = "cpu"
"""
BOND = """title = "Degenerate curves"
[molecule]
geometry = "Be 0 0 0; H 0 0 1.3"
unit = "UNIT"
basis = "sto-3g"
[space]
reference = { electrons = 3, orbitals = 5 }
excitation_level = 0
[states]
irrep = ["A1", "B1", "B2"]
[scan]
coordinate = "COORDINATE"
values = [VALUES]
[run]
device = "cpu"
"""
SCAN = f"""title = "A scan of files"
[integrals]
[scan]
files = ["{DATA}/h2_sto3g.fcidump", "{DATA}/h2_sto3g.fcidump"]
values = [0.7, 0.8]
[states]
count = 2
[run]
device = "cpu"
"""
EMPTY_LATTICE = """title = "Plane waves"
[flapw]
roots = 3
[crystal]
lattice = [[4, 0, 0], [0, 4, 0], [0, 0, 4]]
k_max = 2
types = [{ name = "X", radius = 1.5, lmax = 4 }]
atoms = [{ type = "X", position = [0, 0, 0] }]
[k_points]
POINTS
[run]
device = "cpu"
"""
RING = """title = "A ring"
[lattice]
kind = "chain"
size = 6
model = "Hubbard"
U = 4
electrons = 6
[run]
device = "cpu"
"""
SQUARE = """title = "A square"
[lattice]
kind = "square"
size = [4, 2]
boundary = "antiperiodic"
model = "Hubbard"
U = 4
electrons = 4
[run]
device = "cpu"
"""
SAMPLED = """title = "Sampled"
[lattice]
kind = "tilted"
size = 3
model = "t-J"
J = 0.3
electrons = 8
[vmc]
chains = 4
sweeps = 60
equilibration = 30
measure_interval = 2
OPTIMISE
[run]
device = "cpu"
"""
OPTIMISE = """optimise = ["delta", "mu"]
[optimisation]
iterations = 3
sweeps = 20
"""


def bond_scan(unit, coordinate, values):
    return BOND.replace("UNIT", unit).replace("COORDINATE", coordinate).replace("VALUES", values)


def load_plot():
    """tools/plot as a module."""
    sys.dont_write_bytecode = True
    loader = SourceFileLoader("plot", str(TOOLS / "plot"))
    plot = module_from_spec(spec_from_loader("plot", loader))
    loader.exec_module(plot)
    return plot


def makes_integrals():
    """Whether the program takes molecules: one without Libint2 does not."""
    return "Libint2 no," not in subprocess.run([PROGRAM, "--version"], capture_output=True, text=True).stdout


class Plot(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = Path(scratch.name)
        cls.calculate("job", JOB)
        cls.calculate("scan", SCAN)
        cls.run_program("job.inp", "--write-matrix", "h.h5")

    @classmethod
    def calculate(cls, name, text):
        (cls.folder / f"{name}.inp").write_text(text)
        cls.run_program(f"{name}.inp")

    def calculate_molecule(self, name, text):
        if not makes_integrals():
            self.skipTest("this program was built without Libint2")
        self.calculate(name, text)

    @classmethod
    def run_program(cls, *words, status=0):
        run = subprocess.run([PROGRAM, *words], cwd=cls.folder, capture_output=True, text=True)
        if run.returncode != status:
            raise RuntimeError(f"{words}: status {run.returncode}: {run.stderr}")

    def plot(self, *words):
        return subprocess.run([sys.executable, TOOLS / "plot", *words], cwd=self.folder, capture_output=True, text=True)

    def draw(self, *words):
        run = self.plot(*words)
        self.assertEqual(run.returncode, 0, run.stderr)
        return (self.folder / words[-1]).read_bytes()

    def refuse(self, message, *words):
        run = self.plot(*words)
        self.assertEqual(run.returncode, 1)
        self.assertIn(message, run.stderr)
        self.assertNotIn("Traceback", run.stderr)

    def test_curve(self):
        svg = self.draw("curve", "scan.h5", "curve.svg")
        self.assertIn(b"<svg", svg)
        self.assertEqual(svg, self.draw("curve", "scan.h5", "again.svg"))  # no date, no random names
        png = self.draw("curve", "--ev", "--title", "Two", "scan.h5", "scan.h5", "curve.png")
        self.assertTrue(png.startswith(b"\x89PNG"))

    def test_convergence(self):
        self.assertIn(b"<svg", self.draw("convergence", "job.h5", "convergence.svg"))
        self.assertIn(b"<svg", self.draw("convergence", "scan.h5", "--point", "2", "convergence.svg"))

    def test_selection(self):
        selection = "[selection]\ndeterminants = 60\n"
        self.calculate("selected", f'[integrals]\nfile = "{DATA}/h2o_sto3g.fcidump"\n[states]\ncount = 2\n' + selection)
        self.calculate("sectors", f'[integrals]\nfile = "{DATA}/h2o_sto3g.fcidump"\n[states]\nirrep = [1, 2]\n' + selection)
        self.assertIn(b"<svg", self.draw("selection", "selected.h5", "selection.svg"))
        self.assertIn(b"<svg", self.draw("selection", "sectors.h5", "--points", "3", "selection.svg"))
        self.refuse("there is no selection in it", "selection", "job.h5", "selection.svg")

    def test_bands(self):
        path = 'path = { points = [[0, 0, 0], [0.5, 0, 0], [0.5, 0.5, 0]], labels = ["Γ", "X", "M"], segments = 2 }'
        self.calculate("path", EMPTY_LATTICE.replace("POINTS", path))
        self.calculate("list", EMPTY_LATTICE.replace("POINTS", "list = [[0, 0, 0], [0.5, 0.5, 0]]"))
        self.calculate("matrices", EMPTY_LATTICE.replace("POINTS", "list = [[0, 0, 0]]").replace("roots = 3", "roots = 0"))
        svg = self.draw("bands", "path.h5", "--ev", "bands.svg")
        self.assertIn("<!-- Γ -->", svg.decode())
        self.assertIn(b"energy / eV", svg)
        self.assertIn(b"<!-- k-point -->", self.draw("bands", "list.h5", "bands.svg"))
        for kind in ("levels", "spectrum"):
            self.refuse("plot bands draws it", kind, "list.h5", "picture.svg")
        plot = load_plot()
        with h5py.File(self.folder / "path.h5") as result:
            places, energies, corners = plot.bands_of(result)
        edge = np.pi / 4  # of the Brillouin zone
        np.testing.assert_allclose(places, edge * np.arange(5) / 2, atol=1e-12)
        self.assertEqual(list(corners.items()), [(places[0], "Γ"), (places[2], "X"), (places[4], "M")])
        np.testing.assert_allclose(energies[:, 0], edge**2 / 2 * np.array([0, 0.25, 1, 1.25, 2]), atol=1e-3)  # of lmax 4
        shutil.copy(self.folder / "list.h5", self.folder / "begun.h5")
        with h5py.File(self.folder / "begun.h5", "r+") as begun:
            del begun["k/1"]
            places, energies, corners = plot.bands_of(begun)
        self.assertEqual((list(places), corners), ([1, 2], {}))
        self.assertEqual(np.isnan(energies).tolist(), [[True] * 3, [False] * 3])
        self.refuse("no k-point has an eigenvalue", "bands", "matrices.h5", "bands.svg")
        self.refuse("the result of an input with [flapw] is expected", "bands", "job.h5", "bands.svg")

    def test_bands_of_a_file(self):
        shutil.copy(DATA / "flapw/wells.h5", self.folder / "wells.h5")
        with h5py.File(self.folder / "wells.h5", "r+") as wells:
            count = len(wells["k_points/point"])
            wells["k_points/label"] = np.array(["A", *[""] * (count - 2), "B"][:count], dtype=h5py.string_dtype())
        self.calculate("labelled", '[flapw]\nfile = "wells.h5"\n[run]\ndevice = "cpu"\n')
        self.assertIn(b"<!-- A -->", self.draw("bands", "labelled.h5", "bands.svg"))

    def test_vmc(self):
        self.calculate("sampled", SAMPLED.replace("OPTIMISE", ""))
        svg = self.draw("vmc", "sampled.h5", "vmc.svg")
        self.assertIn(b"<!-- equilibration -->", svg)
        self.assertNotIn(b"<!-- iteration -->", svg)
        plot = load_plot()
        with h5py.File(self.folder / "sampled.h5") as result:
            vmc = result["vmc"]
            (before, early), (after, late) = plot.sweeps_of(vmc)
            np.testing.assert_array_equal(before, np.arange(-29, 0, 2))  # an energy after every second sweep
            np.testing.assert_array_equal(after, np.arange(1, 60, 2))
            np.testing.assert_array_equal(early, vmc["equilibration_series"][:])
            np.testing.assert_allclose(late, vmc["series"][:].mean(axis=0), rtol=1e-14)
            sweeps, mean, error = plot.running_mean(vmc)
            self.assertEqual(sweeps[-1], 60)
            self.assertAlmostEqual(mean[-1], vmc.attrs["energy_per_site"], places=12)
            self.assertAlmostEqual(error[-1], vmc.attrs["energy_per_site_error"], places=12)
            self.assertAlmostEqual(error[0], vmc.attrs["energy_per_site_error"] * 30**0.5, places=12)
        few, together = plot.thinned(np.arange(2500.0))
        self.assertEqual((len(few), together, few[0], few[-1]), (833, 3, 1.0, 2497.0))

    def test_vmc_with_an_optimisation(self):
        (self.folder / "optimised.inp").write_text(SAMPLED.replace("OPTIMISE", OPTIMISE))
        self.run_program("optimised.inp", status=2)  # three iterations converge nothing
        svg = self.draw("vmc", "optimised.h5", "vmc.svg")
        for word in ("delta", "mu", "iteration"):
            self.assertIn(f"<!-- {word} -->".encode(), svg)
        (self.folder / "factor.inp").write_text(SAMPLED.replace("OPTIMISE", OPTIMISE.replace(
            '"mu"]', '"jastrow", "spin_jastrow"]\njastrow = [0.1, -0.1]\nspin_jastrow = [0.2]')))
        self.run_program("factor.inp", status=2)
        svg = self.draw("vmc", "factor.h5", "vmc.svg")
        for word in ("delta", "jastrow", "distance of pairs of sites"):
            self.assertIn(f"<!-- {word} -->".encode(), svg)
        self.assertNotIn(b"<!-- jastrow_1 -->", svg)  # all shells together
        self.calculate("full", SAMPLED.replace("OPTIMISE", 'wavefunction = "fermi-sea"').replace("= 8", "= 10")
                       + "[states]\nms2 = 10\n")
        self.refuse("nothing was sampled", "vmc", "full.h5", "vmc.svg")
        self.refuse("no correlations were measured", "structure", "full.h5", "s.svg")
        self.refuse("the result of an input with [vmc] is expected", "vmc", "job.h5", "vmc.svg")

    def test_structure(self):
        self.calculate("ring", RING)
        self.calculate("square", SQUARE)
        self.calculate("tilted", SAMPLED.replace("OPTIMISE", ""))
        self.calculate("open", RING.replace("size", 'boundary = "open"\nsize'))
        self.calculate("bare", RING.replace("electrons", "correlations = false\nelectrons"))
        for name in ("S(q)", "N(q)", "n(k)"):
            self.assertIn(f"<!-- {name} -->".encode(), self.draw("structure", "ring.h5", "--root", "2", "s.svg"))
        self.assertIn(b"<!-- $k_x$", self.draw("structure", "square.h5", "s.svg"))
        self.assertIn(b"errors up to", self.draw("structure", "tilted.h5", "s.svg"))
        self.assertTrue(self.draw("structure", "tilted.h5", "--path", "s.png").startswith(b"\x89PNG"))
        self.refuse("--root 9: expected a root from 1 to", "structure", "ring.h5", "--root", "9", "s.svg")
        self.refuse("--root belongs to exact results", "structure", "tilted.h5", "--root", "1", "s.svg")
        self.refuse("--path belongs to the square lattice", "structure", "ring.h5", "--path", "s.svg")
        self.refuse("fewer than two momenta lie on the path", "structure", "square.h5", "--path", "s.svg")
        self.refuse("has no momenta", "structure", "open.h5", "s.svg")
        self.refuse("it has no correlations", "structure", "bare.h5", "s.svg")
        self.refuse("the result of an input with [lattice] is expected", "structure", "job.h5", "s.svg")
        plot = load_plot()
        with h5py.File(self.folder / "ring.h5") as ring:
            (_, q, spin, error), (_, _, charge, _), (_, k, occupation, _) = plot.structure_of(ring, "ring.h5", None)
        self.assertIsNone(error)
        self.assertAlmostEqual(occupation.sum(), 3, places=9)  # electrons of each spin
        self.assertAlmostEqual(spin[0], 0, places=9)  # a singlet
        self.assertAlmostEqual(charge[0], 0, places=9)
        np.testing.assert_allclose(q[:, 0], np.arange(6) / 3)
        np.testing.assert_allclose(q, k)

    def test_wave_vectors(self):
        plot = load_plot()
        np.testing.assert_allclose(plot.folded(np.array([[0, 1.0], [1.5, 2.0], [-1.0, 0.5]])), [[0, 1], [-0.5, 0], [1, 0.5]])
        axis = np.arange(4) / 2
        grid = np.array([[x, y] for y in axis for x in axis])  # of 4 x 4 sites
        places, corners = plot.along_path(grid)
        self.assertEqual([name for _, name in corners], ["Γ", "X", "M", "Γ"])
        np.testing.assert_allclose([place for place, _ in corners], [0, 1, 2, 2 + 2**0.5])
        on_path = {number for _, number in places}
        self.assertEqual(len(on_path), 16)  # folded, all are on an edge of the triangle
        np.testing.assert_allclose(sorted({round(place, 6) for place, _ in places}),
                                   [0, 0.5, 1, 1.5, 2, 2 + 0.5**0.5, 2 + 2**0.5], atol=1e-6)
        nearest = plot.cells(grid, 8)
        self.assertEqual(nearest[0, 0], 10)  # (-1, -1) is (1, 1)
        self.assertEqual(nearest[4, 4], 0)
        self.assertEqual(np.bincount(nearest.ravel()).tolist(), [4] * 16)

    def test_matrix(self):
        self.assertTrue(self.draw("matrix", "h.h5", "h.png").startswith(b"\x89PNG"))
        self.assertTrue(self.draw("matrix", "h.h5", "--reference", "0.1", "--size", "2", "h.png").startswith(b"\x89PNG"))

    def test_levels(self):
        self.calculate_molecule("water", WATER)
        self.assertIn(b"<svg", self.draw("levels", "water.h5", "job.h5", "levels.svg"))
        self.assertIn(b"<svg", self.draw("levels", "scan.h5", "--point", "2", "levels.svg"))
        with h5py.File(self.folder / "water.h5") as water:
            levels = load_plot().levels_of(water)
            energies = water["states/energy"][:]
        self.assertEqual(sorted(energy for column in levels.values() for energy, _ in column), sorted(energies))
        self.assertEqual(levels[1][0], (energies[0], ["A1"]))
        self.assertEqual(load_plot().apart([0.0, 0.0, 5.0], 1.0), [-0.5, 0.5, 5.0])

    def test_spectrum(self):
        self.calculate_molecule("water", WATER)
        self.assertIn(b"<svg", self.draw("spectrum", "water.h5", "--nm", "--shape", "lorentzian", "spectrum.svg"))
        self.refuse("no oscillator strengths; they are made for a [molecule]", "spectrum", "job.h5", "s.svg")
        self.refuse("--from 9: expected a root from 1 to 4", "spectrum", "water.h5", "--from", "9", "s.svg")
        self.refuse("is known", "spectrum", "water.h5", "--from", "4", "s.svg")

    def test_a_line_has_the_area_of_its_oscillator_strength(self):
        plot = load_plot()
        grid = np.linspace(-200.0, 220.0, 200001)
        for shape, digits in (("gaussian", 6), ("lorentzian", 2)):
            coefficient = plot.absorption(grid, np.array([10.0]), np.array([0.5]), 0.3, shape)
            area = coefficient.sum() * (grid[1] - grid[0]) * plot.CM_PER_EV
            self.assertAlmostEqual(plot.STRENGTH_PER_AREA * area, 0.5, places=digits)
            half = coefficient >= coefficient.max() / 2
            self.assertAlmostEqual(np.ptp(grid[half]), 0.3, places=2)

    def test_scans_share_an_axis(self):
        self.calculate_molecule("angstrom", bond_scan("angstrom", "bond 1 2", "1.2, 1.4"))
        self.calculate_molecule("bohr", bond_scan("bohr", "bond 1 2", "2.3, 2.5"))
        self.calculate_molecule("degree", WATER + '[scan]\ncoordinate = "angle 2 1 3"\nvalues = [100]\n')
        self.draw("curve", "angstrom.h5", "bohr.h5", "curve.svg")
        plot = load_plot()
        with h5py.File(self.folder / "angstrom.h5") as first, h5py.File(self.folder / "bohr.h5") as second:
            label, factors = plot.axis_of([first, second], ["first", "second"])
        self.assertEqual((label, factors), ("bond 1 2 / angstrom", [1.0, plot.ANGSTROM]))
        self.refuse("of the other in degree; draw them one by one", "curve", "angstrom.h5", "degree.h5", "c.svg")

    def test_degenerate_curves_are_drawn_one_inside_the_other(self):
        self.calculate_molecule("bond", bond_scan("angstrom", "bond 1 2", "1.2, 1.4"))
        plot = load_plot()
        with h5py.File(self.folder / "bond.h5") as scan:
            states, _ = plot.curves_of(scan)
        curves = [states[kind] for kind in (("A1", 2, 1), ("B1", 2, 1), ("B2", 2, 1))]
        self.assertEqual(plot.lying_beneath(curves), [0, 1, 0])

    def test_states_are_told_apart(self):
        plot = load_plot()
        with h5py.File(self.folder / "scan.h5") as scan:
            states, scf = plot.curves_of(scan)
            self.assertEqual(scf, [])
            energies = scan["scan/energies"][:]
        for curve in states.values():
            self.assertEqual([value for value, _ in curve], [0.7, 0.8])
        self.assertEqual(sorted(curve[0][1] for curve in states.values()), sorted(energies[0]))

    def test_followed_states_are_curves(self):
        plot = load_plot()
        shutil.copy(self.folder / "scan.h5", self.folder / "followed.h5")
        with h5py.File(self.folder / "followed.h5", "r+") as followed:
            followed["scan/states"] = np.array([[1, 2], [2, 1]], dtype=np.int32)  # they cross
            states, _ = plot.curves_of(followed)
            energies = followed["scan/energies"][:]
            names = followed["point/1/states/irrep_name"].asstr()[:]
        curves = {number: (irrep, [energy for _, energy in curve]) for (irrep, _, number), curve in states.items()}
        self.assertEqual(curves, {1: (names[0], [energies[0, 0], energies[1, 1]]),
                                  2: (names[1], [energies[0, 1], energies[1, 0]])})

    def test_refusals(self):
        self.refuse("the result of a scan is expected", "curve", "job.h5", "curve.svg")
        self.refuse("written by cisolve --write-matrix", "matrix", "job.h5", "curve.svg")
        self.refuse("must end in .png, .svg or .pdf", "convergence", "job.h5", "curve.txt")
        self.refuse("no point 7", "convergence", "scan.h5", "--point", "7", "curve.svg")
        self.refuse("absent.h5: cannot be read", "curve", "absent.h5", "curve.svg")
        self.refuse("--reference two", "matrix", "h.h5", "--reference", "two", "h.png")


if __name__ == "__main__":
    try:
        from importlib.machinery import SourceFileLoader
        from importlib.util import module_from_spec, spec_from_loader

        import h5py
        import matplotlib  # noqa: F401
        import numpy as np
    except ImportError as error:
        python = os.environ.get("CISOLVE_TEST_PYTHON", sys.executable)
        if python != sys.executable:
            os.execv(python, [python, *sys.argv])
        print(f"skipped: the Python package {error.name} is missing")
        sys.exit(SKIPPED)
    PROGRAM = sys.argv.pop(1)
    unittest.main()
