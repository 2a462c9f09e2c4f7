#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What tools/site_support makes of documents, of the sources of a Python package and of a site's links."""
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "site_support"))
import check_links  # noqa: E402
import hooks  # noqa: E402
import python_reference  # noqa: E402


def rewritten(text, page="input.md"):
    return hooks.rewrite_links(text, page, hooks.home_of(page))


class Links(unittest.TestCase):
    def test_within_docs_they_stay(self):
        self.assertEqual(rewritten("[a](output.md#the-seal), [b](#units)"), "[a](output.md#the-seal), [b](#units)")

    def test_inputs_go_to_the_page_of_examples(self):
        self.assertEqual(rewritten("[a](../inputs/h2o.inp)"), "[a](inputs/index.md#h2oinp)")
        self.assertEqual(rewritten("[a](../inputs/ch2.xyz)"), "[a](inputs/ch2.xyz)")

    def test_the_front_page_is_at_home_in_the_root(self):
        self.assertEqual(rewritten("[a](docs/input.md#selection), ![b](docs/images/b.svg), [c](LICENSE)", "README.md"),
                         "[a](input.md#selection), ![b](images/b.svg), [c](LICENSE.txt)")
        self.assertEqual(rewritten("[a](../README.md)"), "[a](README.md)")

    def test_pages_in_folders(self):
        self.assertEqual(hooks.rewrite_links("[a](../input.md) [b](../../inputs/h2o.inp)", "tutorials/one.md", "docs/tutorials"),
                         "[a](../input.md) [b](../inputs/index.md#h2oinp)")

    def test_not_in_code_nor_elsewhere(self):
        for text in ("`[a](../inputs/h2o.inp)`", "```\n[a](../inputs/h2o.inp)\n```\n", "    [a](../README.md)\n",
                     "[a](https://doi.org/10.3390/x)"):
            self.assertEqual(rewritten(text), text)

    def test_code_in_the_text_of_a_link(self):
        self.assertEqual(rewritten("[`h2o`](../README.md)"), "[`h2o`](README.md)")


class Markdown(unittest.TestCase):
    def becomes(self, text, expected):
        self.assertEqual(hooks.to_python_markdown(text), expected)

    def test_angles_are_text(self):
        self.becomes("a mean <S^2> of <https://a.b>", "a mean &lt;S^2> of <https://a.b>")
        self.becomes("`<S^2>` and\n\n    <S^2>\n", "`<S^2>` and\n\n    <S^2>\n")

    def test_lists_are_separated_from_what_is_before(self):
        self.becomes("for all:\n- one\n  more\n- two\nlazy\n", "for all:\n\n- one\n  more\n- two\nlazy\n")
        self.becomes("a year\n1970. It\n", "a year\n1970. It\n")
        self.becomes("so:\n1. one\n2. two\n", "so:\n\n1. one\n2. two\n")

    def test_stars(self):
        self.becomes("n->pi* and pi->pi* are *not* **the same**", "n->pi\\* and pi->pi\\* are *not* **the same**")
        self.becomes("* one\n* *two*\n", "* one\n* *two*\n")
        self.becomes("*a `b*` c*", "*a `b*` c*")
        self.becomes("| a* | b* |", "| a\\* | b\\* |")

    def test_bars_of_tables(self):
        self.becomes("| `a\\|b` | (pp\\|qq) |\n", "| `a|b` | (pp\\|qq) |\n")

    def test_escapes_and_comments(self):
        self.becomes('"1a\\""', '"1a""')
        self.becomes("<!-- sets -->\n| a |\n", "\n| a |\n")

    def test_examples(self):
        page = hooks.examples_page()
        self.assertIn("## h2o.inp\n", page)
        self.assertIn("- [ch2.xyz](ch2.xyz)", page)
        self.assertEqual(hooks.anchor("inputs/h2o.inp"), "h2oinp")


class Reference(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        package = Path(self.folder.name) / "sample"
        package.mkdir()
        for name, text in {
            "__init__.py": '''
                """Solves."""
                from ._core import Space
                __all__ = ["Space", "run"]
                raise SystemExit("imported")

                def run(input, *, set=None, threads: int = 1) -> "Result":
                    """Runs an input.

                    A path, or a dictionary."""

                def helper(): pass
            ''',
            "_core.pyi": '''
                from typing import overload
                class Space:
                    """Determinants in their order."""
                    size: int
                    def __init__(self, n: int) -> None: ...
                    def __len__(self) -> int: ...
                    @property
                    def alpha(self) -> list[int]:
                        """Strings of alpha."""
                    @overload
                    def find(self, alpha: int) -> int:
                        """One row."""
                    @overload
                    def find(self, alpha: list[int]) -> list[int]:
                        """Rows."""
                    @staticmethod
                    def full(n: int) -> Space: ...
                    def _hidden(self): ...
                class Hidden: ...
            ''',
            "pyscf.py": '"""For PySCF."""\nimport nowhere\nclass CISolver(nowhere.Base):\n    def kernel(self, h1e): "Solves."\n',
        }.items():
            (package / name).write_text(textwrap.dedent(text), encoding="utf-8")
        self.page = python_reference.write(package)

    def tearDown(self):
        self.folder.cleanup()

    def test_what_is_shown(self):
        for text in ("## `sample` { #sample }", "run(input, *, set=None, threads: int=1) -> 'Result'", "A path, or a dictionary.",
                     "### `Space` { #sample.Space }", "__init__(n: int)", "alpha: list[int]", "One row.", "Rows.",
                     "find(alpha: int) -> int\nfind(alpha: list[int]) -> list[int]", "@staticmethod\nfull(n: int) -> Space",
                     "- `size: int`", "class CISolver(nowhere.Base)", "kernel(h1e)"):
            self.assertIn(text, self.page)

    def test_what_is_not(self):
        for text in ("_hidden", "Hidden", "helper", "_core", "__len__", "@overload"):
            self.assertNotIn(text, self.page)

    def test_without_a_package(self):
        self.assertEqual(python_reference.write(Path(self.folder.name) / "none"), "")


class Checked(unittest.TestCase):
    def found(self, **pages):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in pages.items():
                (Path(folder) / f"{name}.html").write_text(text, encoding="utf-8")
            return check_links.check(Path(folder))[0]

    def test_clean(self):
        self.assertEqual(self.found(a='<a href="b.html#x">b</a> <a href="https://a.b/">c</a>', b='<p id="x">x</p>'), [])

    def test_broken(self):
        self.assertEqual(self.found(a='<a href="b.html#y">b</a><a href="c.html">c</a><img src="../d.png">', b=""),
                         ["a.html: b.html#y has no such anchor", "a.html: c.html does not exist",
                          "a.html: ../d.png leaves the site"])

    def test_text_taken_for_elements_and_what_is_fetched(self):
        self.assertEqual(self.found(a='<S^2><script src="https://a.b/c.js"></script>'),
                         ["a.html: <s^2> is no element of HTML", "a.html: fetches https://a.b/c.js"])


if __name__ == "__main__":
    unittest.main()
