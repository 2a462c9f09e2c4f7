#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tools/flapw-from-fleur-dump: its radial functions, and what it makes of a small dump. Skipped (status 77) without h5py.

  test_flapw_from_fleur_dump.py
"""
import importlib.machinery
import importlib.util
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
TOOL = REPOSITORY / "tools" / "flapw-from-fleur-dump"
SKIPPED = 77

try:
    import h5py
    import numpy as np
except ImportError:
    sys.exit(SKIPPED)

sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("flapw_from_fleur_dump", str(TOOL))
tool = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
loader.exec_module(tool)

RADIUS, STEP, POINTS, LMAX = 2.0, 0.02, 601, 2
SIZE = (LMAX + 1)**2


class RadialFunctions(unittest.TestCase):
    def test_scalar_relativistic_coulomb(self):
        """Against collocation of order 10: the file says to 1e-12; a mesh of steps of 0.02 leaves 1e-10."""
        cases = [case for case in json.loads((REPOSITORY / "tests/data/flapw/radial.json").read_text(encoding="utf-8"))
                 if case["relativistic"]]
        self.assertTrue(cases)
        for case in cases:
            charge = float(case["potential"].replace("/r", ""))
            sphere = tool.Sphere(case["radius"], STEP, np.full(POINTS, charge))
            (p, q, pd, qd), norm = sphere.solve(case["l"], case["energy"])
            m = sphere.mass(case["radius"], charge, case["energy"])
            found = (p / case["radius"], m * q / case["radius"]**2, pd / case["radius"],
                     (m * qd + tool.SMALL_MASS * case["radius"] * q) / case["radius"]**2, norm)
            np.testing.assert_allclose(found, case["value"], rtol=1e-9)


def make_dump(path, t):
    """One atom at the origin of a cubic cell, r V = -1, T as given."""
    with h5py.File(path, "w") as file:
        file["real_basis"], file["rec_basis"] = 6 * np.eye(3), 2 * np.pi / 6 * np.eye(3)
        file["atoms"] = np.array([(1, np.zeros(3), np.eye(3))],
                                 dtype=[("type", "i4"), ("position", "f8", 3), ("rotation", "i4", (3, 3))])
        file["mesh"] = np.array([(POINTS, STEP, RADIUS)], dtype=[("num_points", "i4"), ("dx", "f8"), ("rmt", "f8")])
        g = np.array([[0, 0, 0], [1, 0, 0], [0, -1, 2], [9, 9, 9]])  # of which three count
        file["k_meshes"] = np.array([(3, [0.1, 0.2, 0.3], g)],
                                    dtype=[("num_gpts", "i4"), ("k_point", "f8", 3), ("g_mesh", "i4", g.shape)])
        file["lmax"], file["lmax_nonspherical"] = [LMAX], [1]
        file["energy_params"], file["potential"] = [[0.1, 0.2, 0.3, 9.0]], np.full((1, POINTS), -1.0)
        by_columns = t.swapaxes(1, 2)
        file["tmat/1"] = np.stack([by_columns.real, by_columns.imag], axis=-1)


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dump, self.out = (Path(folder.name) / name for name in ("dump.h5", "out.h5"))
        random = np.random.default_rng(1)
        self.t = random.normal(size=(4, SIZE, SIZE)) + 1j * random.normal(size=(4, SIZE, SIZE))
        make_dump(self.dump, self.t)

    def run_tool(self, *options):
        return subprocess.run([sys.executable, TOOL, self.dump, self.out, *options], check=False, capture_output=True,
                              text=True)

    def test_radial(self):
        self.assertEqual(self.run_tool().returncode, 0)
        with h5py.File(self.out) as out:
            kind = out["types/1"]
            self.assertEqual((out.attrs["kind"], kind.attrs["lmax_nonspherical"], kind.attrs["radius"]), ("radial", 1, RADIUS))
            ab = kind["nonspherical_ab"][:]
            self.assertEqual(ab.shape, (4, 4))
            self.assertEqual((ab[2, 1], ab[1, 2]), (self.t[2, 2, 1], self.t[3, 2, 1].conj()))
            self.assertEqual(kind["nonspherical_bb"][1, 3], self.t[1, 3, 1].conj())
            u, u_r, udot, udot_r = (kind[name][:] for name in ("u", "u_r", "udot", "udot_r"))
            np.testing.assert_allclose(RADIUS**2 * (udot * u_r - u * udot_r), 2, rtol=2e-4)  # scalar-relativistic
            self.assertEqual(out["k_points/g/1"].shape, (3, 3))

    def test_coefficients(self):
        self.assertEqual(self.run_tool("--coefficients").returncode, 0)
        with h5py.File(self.out) as out:
            a, b, waves = out["k/1/a"][:], out["k/1/b"][:], (out["k/1/g"][:] + [0.1, 0.2, 0.3]) * 2 * np.pi / 6
            t_bb, norm = out["types/1/t_bb"][:], out["types/1/udot_norm"][:]
        self.assertAlmostEqual(t_bb[8, 8], 0.3 * norm[2], 15)  # beyond lmax_nonspherical: spherical
        self.assertEqual(t_bb[8, 1], 0)
        self.assertAlmostEqual(t_bb[2, 2], self.t[1, 2, 2].real + 0.2 * norm[1], 15)
        # At the sphere, A u + B udot is the plane wave's: 4 pi / sqrt(Omega) j_1 conj Y_1m.
        radial = tool.radial_functions(RADIUS, STEP, np.full(POINTS, -1.0), [0.1, 0.2, 0.3])
        kappa = np.linalg.norm(waves, axis=1)
        x = kappa * RADIUS
        common = 4 * np.pi / np.sqrt(216) * (np.sin(x) / x**2 - np.cos(x) / x) / kappa
        y10, y11 = np.sqrt(3 / 4 / np.pi) * waves[:, 2], -np.sqrt(3 / 8 / np.pi) * (waves[:, 0] + 1j * waves[:, 1])
        found = a * radial["u"][1] + b * radial["udot"][1]
        np.testing.assert_allclose(found[:, 2], common * y10, rtol=1e-12)
        np.testing.assert_allclose(found[:, 3], common * y11.conj(), rtol=1e-12)

    def test_no_dump(self):
        self.dump.write_text("no HDF5 file", encoding="utf-8")
        result = self.run_tool()
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("no dump that can be read", result.stderr)
        self.assertFalse(self.out.exists())


if __name__ == "__main__":
    unittest.main()
