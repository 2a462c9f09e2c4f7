#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What can be known of packages without making them (tools/package does): their files can be read, say the version of
CMakeLists.txt, and build for any processor; the manual page has what the program has.

  tests/tools/test_packaging.py CISOLVE
"""
import ast
import re
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = sys.argv.pop(1) if len(sys.argv) > 1 else None
PACKAGING = ("packaging/Containerfile", "packaging/conda-recipe.yaml", "packaging/spack/packages/cisolve/package.py")


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


VERSION = re.search(r"^project\(cisolve VERSION ([0-9.]+)", read("CMakeLists.txt"), re.MULTILINE)[1]


class Files(unittest.TestCase):
    def test_yaml(self):
        try:
            import yaml
        except ImportError:
            self.skipTest("needs python3-yaml")
        files = [ROOT / "CITATION.cff", ROOT / "mkdocs.yml"]
        files += [file for folder in (".github", "packaging") for suffix in ("*.yml", "*.yaml")
                  for file in (ROOT / folder).rglob(suffix)]
        self.assertGreaterEqual(len(files), 8)
        read_files = {file.name: yaml.safe_load(file.read_text(encoding="utf-8")) for file in files}
        for name, content in read_files.items():
            self.assertIsInstance(content, dict, name)
        for key in ("cff-version", "message", "title", "authors", "version", "license"):
            self.assertIn(key, read_files["CITATION.cff"])
        for job in read_files["ci.yml"]["jobs"].values():
            for command in (step["run"] for step in job["steps"] if "run" in step):
                for tool in re.findall(r"\btools/[\w-]+", command):
                    self.assertTrue((ROOT / tool).is_file(), tool)
        for form in ("problem.yml", "wish.yml"):
            names = [item["id"] for item in read_files[form]["body"] if "id" in item]
            self.assertEqual(len(names), len(set(names)), form)

    def test_python(self):
        ast.parse(read("packaging/spack/packages/cisolve/package.py"))


class Versions(unittest.TestCase):
    def test_all_are_that_of_cmake(self):
        for name, pattern in {"CITATION.cff": r"^version: (\S+)", "packaging/conda-recipe.yaml": r'^  version: "(.+)"',
                              "packaging/spack/packages/cisolve/package.py": r'version\("(\d.*)"\)'}.items():
            found = re.findall(pattern, read(name), re.MULTILINE)
            self.assertEqual(found, [VERSION], name)


class Options(unittest.TestCase):
    def test_all_build_for_any_processor(self):
        for name in PACKAGING:
            self.assertRegex(read(name), r"CISOLVE_NATIVE(=OFF|\", False)", name)
        self.assertIn("-DCISOLVE_NATIVE=OFF", read("tools/package"))
        self.assertRegex(read("tools/cmake/CisolvePackage.cmake"), r"if\(CISOLVE_NATIVE [^)]*\)\n  return\(\)")
        if (ROOT / "pyproject.toml").exists():
            self.assertRegex(read("pyproject.toml"), r"CISOLVE_NATIVE\s*=\s*(\{.*default = )?\"?(OFF|false)")

    def test_options_exist(self):
        known = set(re.findall(r"\bCISOLVE_[A-Z_]+", read("CMakeLists.txt")))
        for name in PACKAGING + ("tools/package",):
            for option in re.findall(r"(?:-D|define\w*\(\")(CISOLVE_[A-Z_]+)", read(name)):
                self.assertIn(option, known, name)


@unittest.skipUnless(PROGRAM, "needs the program")
class Manual(unittest.TestCase):
    def test_the_manual_page_has_what_the_program_has(self):
        shown = subprocess.run([PROGRAM, "--help"], text=True, capture_output=True, check=True).stdout
        manual = read("docs/man/cisolve.1").replace("\\-", "-")
        options = set(re.findall(r"--[a-z-]+", shown))
        commands = re.findall(r"^  ([a-z]+) ", shown.partition("Subcommands:")[2], re.MULTILINE)
        self.assertGreater(len(options), 10)
        self.assertGreater(len(commands), 4)
        for name in options:
            self.assertRegex(manual, re.escape(name) + r"(?![\w-])")
        for name in commands:
            self.assertRegex(manual, rf"(?m)^\.BI? {name}\b")


if __name__ == "__main__":
    unittest.main()
