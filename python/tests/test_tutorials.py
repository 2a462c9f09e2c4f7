# SPDX-License-Identifier: MIT
"""The tutorials of docs/tutorials print what their pages say.

A page is the source: its blocks of ```python are the script beside it, in order, and its blocks of ```text are what the script
prints. Each script is run by itself, in an empty folder. Where a page has changed,

    python python/tests/test_tutorials.py

writes the scripts anew from the pages, runs them, and shows what they print beside what the pages say.
"""
import difflib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import cisolve

PAGES = sorted((Path(__file__).parents[2] / "docs" / "tutorials").glob("*.md"))
NUMBER = re.compile(r"(?<![\w.])[-+]?\d+\.\d+")
SECONDS = 300


def parts(page):
    """Title, blocks of code as (heading, where one is the first below it, or None; text), and the lines that are printed."""
    text = page.read_text(encoding="utf-8")
    title, heading, code, printed = None, None, [], []
    for match in re.finditer(r"^```(\w*)\n(.*?)^```$|^#+ ([^\n]*)$", text, re.MULTILINE | re.DOTALL):
        language, block, name = match.groups()
        if name:
            title, heading = title or name, name if title else None
        elif language == "python":
            code.append((heading, block.rstrip("\n")))
            heading = None
        elif language == "text":
            printed += block.splitlines()
    return title, code, printed


def script_of(page):
    """The script that a page goes through."""
    title, code, _ = parts(page)
    script = f'# SPDX-License-Identifier: MIT\n"""{title}. docs/tutorials/{page.name} goes through it."""\n'
    after_def = False
    for heading, text in code:
        has_def = re.search("^def ", text, re.MULTILINE) is not None
        if script.count("\n") > 2:
            script += "\n\n" if heading or has_def or after_def else "\n"
        script += (f"# {heading}\n" if heading else "") + text + "\n"
        after_def = has_def
    return script


def run(script, folder):
    """What a script prints, run as a user would, and what it says in place of that if it fails."""
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(Path(cisolve.__file__).parents[1])}
    done = subprocess.run([sys.executable, str(script)], cwd=folder, env=environment, capture_output=True, text=True,
                          timeout=SECONDS)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def same(shown, printed):
    """Whether lines are alike: words are the same, numbers to one unit of the last digit that the page has.

    What is printed is converged to a thousandth of that or better, so that only the rounding may differ.
    """
    if NUMBER.sub("#", shown).split() != NUMBER.sub("#", printed).split():
        return False
    pairs = zip(NUMBER.findall(shown), NUMBER.findall(printed))
    return all(abs(float(a) - float(b)) < 1.01 * 10.0 ** -len(a.partition(".")[2]) for a, b in pairs)


def differences(shown, printed):
    """What a page says (-) and a script prints (+), where they are not the same."""
    if len(shown) == len(printed) and all(same(*lines) for lines in zip(shown, printed)):
        return ""
    lines = [b if same(a, b) else a for a, b in zip(shown, printed)] + shown[len(printed):]
    return "\n".join(difflib.unified_diff(lines, printed, "page", "script", lineterm=""))


def has_molecules():
    try:
        cisolve.check({"molecule": {"geometry": "H 0 0 0", "basis": "STO-3G"}})
    except cisolve.InputError as error:
        if "Libint" not in str(error):
            raise
        return False
    return True


def test_each_script_has_its_page():
    scripts = sorted(PAGES[0].parent.glob("*.py"))
    assert [page.stem for page in PAGES] == [script.stem for script in scripts]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_script_is_that_of_the_page(page):
    assert page.with_suffix(".py").read_text(encoding="utf-8") == script_of(page), \
        "page and script differ; change the page, then run python/tests/test_tutorials.py"
    assert all(len(line) <= 100 for line in script_of(page).splitlines())


@pytest.mark.large
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_script_prints_what_the_page_says(page, tmp_path):
    if "cisolve.run(" in script_of(page) and not has_molecules():
        pytest.skip("built without Libint2")
    shown = parts(page)[2]
    assert not differences(shown, run(page.with_suffix(".py"), tmp_path))
    left = {file.name for file in tmp_path.iterdir()}
    named = set(re.findall(r"`(\w+\.\w+)`", page.read_text(encoding="utf-8")))
    assert left <= named, "files that the page does not name"


def test_a_wrong_number_is_seen():
    assert same("E = -1.2345 at  3 sites", "E = -1.2346 at 3 sites") and same("12.0 %", "12.0 %")
    for printed in ("E = -1.2347 at 3 sites", "E = 1.2345 at 3 sites", "E = -1.2345 at 4 sites", "E = -1.2345 at 3 sites more"):
        assert not same("E = -1.2345 at 3 sites", printed)
    assert differences(["a 1.0"], ["a 1.0", "b"]) and differences(["a 1.0"], []) and not differences(["a 1.0"], ["a  1.1"])


if __name__ == "__main__":
    import tempfile
    import time
    for file in PAGES:
        file.with_suffix(".py").write_text(script_of(file), encoding="utf-8")
        with tempfile.TemporaryDirectory() as scratch:
            began = time.monotonic()
            output = run(file.with_suffix(".py"), scratch)
        print(f"{file.stem}: {time.monotonic() - began:.1f} s")
        print(differences(parts(file)[2], output) or "as the page says")
