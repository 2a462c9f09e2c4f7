# SPDX-License-Identifier: MIT
"""Results as objects: points of scans, what is refused with a sentence, copies and other processes."""
import copy
import gc
import logging
import multiprocessing
import os
import pickle
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import cisolve


@pytest.fixture(scope="module")
def job(data):
    return {"integrals": {"file": str(data / "h2o_sto3g.fcidump")}, "space": {"excitation_level": "full"},
            "states": {"count": 3, "irrep": "all"}}


@pytest.fixture(scope="module")
def single(job):
    return cisolve.run(job)


MOLECULE = {"geometry": "H 0 0 0; F 0 0 0.9", "basis": "STO-3G"}


@pytest.fixture(scope="module")
def curve_job():
    try:
        cisolve.check({"molecule": MOLECULE})
    except cisolve.InputError as error:
        if "Libint" not in str(error):
            raise
        pytest.skip("built without Libint2")
    return {"molecule": MOLECULE, "scan": {"coordinate": "bond 1 2", "values": [0.9, 1.5]}}


@pytest.fixture(scope="module")
def scan(curve_job):
    return cisolve.run(curve_job)


# Points


def test_a_point_is_saved_as_a_single_calculation(scan, tmp_path):
    point = scan.point(1)
    point.save(tmp_path / "point.h5")
    kept = cisolve.read(tmp_path / "point.h5")
    assert not kept.is_scan and kept.status == "converged"
    assert np.array_equal(kept.energies, scan.energies[1]) and np.array_equal(kept.vectors(), point.vectors())
    assert kept.report == point.report and "Point 1 of 2" not in point.report
    holds, text = point.verify()
    assert holds and "Point" not in text
    scan.save(tmp_path / "scan.h5")
    assert cisolve.read(tmp_path / "scan.h5").is_scan


def test_files_of_a_point(scan, tmp_path):
    point = scan.point(1)
    point.to_molden(tmp_path / "point.molden", natural=True)
    scan.to_molden(tmp_path / "scan.molden", natural=True, point=1)
    text = (tmp_path / "point.molden").read_text()
    assert text == (tmp_path / "scan.molden").read_text()
    scan.to_molden(tmp_path / "other.molden", natural=True, point=-2)
    assert text != (tmp_path / "other.molden").read_text()
    point.to_html(tmp_path / "point.html")
    first, second = (str(energy)[:11] for energy in scan.energies[:, 0])
    page = (tmp_path / "point.html").read_text()
    assert second in page and first not in page and "bond 1 2 = 1.5 angstrom" in page
    scan.to_html(tmp_path / "scan.html")
    page = (tmp_path / "scan.html").read_text()
    assert first in page and second in page


def test_a_scan_says_where_its_points_have_something(scan):
    for name in ("irreps", "converged", "residual_norms", "s_squared", "multiplicities", "sectors", "hamiltonian", "orbitals"):
        with pytest.raises(cisolve.InputError, match=rf"^{name}: .* of a scan.*point\(k\)\.{name}, k from 0 to 1$"):
            getattr(scan, name)
    for name in ("vectors", "space", "vector", "density", "two_particle", "natural_orbitals"):
        with pytest.raises(cisolve.InputError, match=rf"^{name}: .* of a scan.*point\(k\)\.{name}, k from 0 to 1$"):
            getattr(scan, name)()
    with pytest.raises(KeyError, match=r'states/energy: .* of a scan.*point\(k\)\["states/energy"\], k from 0 to 1'):
        scan["states/energy"]
    assert "states/energy" not in scan and "states/energy" in scan.point(0)


def test_points_are_told_by_numbers(scan, single):
    assert np.array_equal(scan.point(np.int64(1)).energies, scan.point(-1).energies)
    for number in (2, -3):
        with pytest.raises(IndexError, match=f"point {number}: the scan has the points 0 to 1"):
            scan.point(number)
    with pytest.raises(TypeError, match="point: found 'a'; it must be an integer"):
        scan.point("a")
    with pytest.raises(cisolve.InputError, match="this is point 1 of a scan already"):
        scan.point(1).point(0)
    with pytest.raises(cisolve.InputError, match="of a single calculation"):
        single.point(0)
    with pytest.raises(cisolve.InputError, match="of a single calculation"):
        single.export("never.txt", point=0)


def test_an_interrupted_scan_has_the_points_until_then(curve_job):
    begun = []

    def stop(event):
        begun.extend([1] if event.stage == "solve" and event.iteration == 1 else [])
        return len(begun) < 2

    scan = cisolve.run(curve_job, set={"molecule.basis": "6-31G"}, progress=stop)
    assert scan.status == "interrupted" and scan.energies.shape == (2, 1)
    assert scan.energies[0, 0] == scan.point(0).energies[0] and np.isnan(scan.energies[1, 0])
    with pytest.raises(KeyError, match="point 1: the scan has no result there, it is pending"):
        scan.point(1)


# Sentences


def test_messages_name_arguments(job, curve_job, scan, single, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    wrong = [
        (lambda: scan.export("a.txt"), "^point: .* of a scan; point=0 to point=1"),
        (lambda: single.export("a.txt", natural=True), "^natural: "),
        (lambda: single.export("a.txt", integrals=True), "^integrals: "),
        (lambda: single.export("a.txt", average=True), "^average: "),
        (lambda: single.export("a.txt", threshold=-1), "^threshold: "),
        (lambda: single.export("a.txt", threshold=2.0), "^threshold: all coefficients"),
        (lambda: single.export("a.txt", root=0, average=True), "^average: "),
        (lambda: scan.point(0).export("a.molden", root=0), "^root: .* with natural=True only"),
        (lambda: single.to_molden("a.txt"), "^a.txt: the name must end in .molden"),
        (lambda: single.to_trexio("a.molden"), "^a.molden: the name must end in .trexio"),
        (lambda: cisolve.run(curve_job, files=True, extend=True), "^extend: there is no result file 'input.h5'"),
        (lambda: cisolve.run(curve_job, files=True, restart=True), "^restart: there is neither a result file"),
        (lambda: cisolve.run(job, files=True, extend=True), "extend=True adds points to a scan"),
        (lambda: cisolve.run(curve_job, set={"output.also": ["a.txt"]}), r"^output.also is .* of a scan: result.point\(0\).export"),
    ]
    for call, sentence in wrong:
        with pytest.raises(cisolve.InputError, match=sentence) as error:
            call()
        assert "--" not in str(error.value)
    assert os.listdir() == []


def test_warnings_name_arguments(job, tmp_path, monkeypatch, caplog):
    monkeypatch.chdir(tmp_path)
    result = cisolve.run(job, set={"solver.max_iterations": 2})
    assert any("restart=True with a larger solver.max_iterations" in text for text in result.warnings)
    with caplog.at_level(logging.INFO, logger="cisolve"):
        cisolve.run(job, files=True, set={"output.file": "w.h5"}, progress=lambda event: event.iteration < 2)
    assert caplog.records and not any("--" in record.getMessage() for record in caplog.records)


def test_writing_returns_nothing_and_tells_the_log(single, tmp_path, caplog):
    with caplog.at_level(logging.INFO, logger="cisolve"):
        for name, write in {"r.html": single.to_html, "r.txt": single.export, "r.h5": single.save}.items():
            assert write(tmp_path / name) is None and (tmp_path / name).stat().st_size > 0
    lines = [record.getMessage() for record in caplog.records]
    assert any("r.txt: 441 of 441 determinants" in line for line in lines) and any("r.html" in line for line in lines)
    assert not any(single.file in line or line.endswith("\n") for line in lines)


def test_roots_and_sectors_are_told_by_numbers(single):
    assert np.array_equal(single.vector(-1), single.vector(2))
    assert np.array_equal(single.density(-1), single.density(2))
    for call in (single.vector, single.density, single.two_particle, single.natural_orbitals):
        with pytest.raises(IndexError, match="root 3: the result has the roots 0 to 2"):
            call(3)
        with pytest.raises(TypeError, match="root: found 1.0; it must be an integer"):
            call(1.0)
    with pytest.raises(IndexError, match="root 3: the result has the roots 0 to 2"):
        single.export("never.txt", root=3)
    for call in (single.vectors, single.space):
        with pytest.raises(IndexError, match="sector 5: the result has the sectors 0 to 0"):
            call(5)


def test_roots_from_the_end_in_files(single, tmp_path):
    single.export(tmp_path / "last.txt", root=-1)
    single.export(tmp_path / "third.txt", root=2)
    assert (tmp_path / "last.txt").read_text() == (tmp_path / "third.txt").read_text()


def test_paths(single):
    with pytest.raises(KeyError, match="state/energy: the result has no such value; the nearest is states/energy"):
        single["state/energy"]
    assert "states" in single["/"] and single["/"] == single[""] and "format" in single["/"]
    assert 3 not in single
    with pytest.raises(TypeError, match="3: values of a result have paths"):
        single[3]
    with pytest.raises(TypeError, match="not iterable"):
        list(single)
    assert {"states/energy", "system/core_energy"} <= set(single._ipython_key_completions_())


def test_arguments_of_run(job):
    for wrong, sentence in (
        (dict(job=None), "job: found None; it must be a dict"), (dict(job=b"a=1"), "job: found b'a=1'"),
        (dict(set=3), "set: found 3; it must be a dict"), (dict(progress=3), "progress: found 3; it must be a function"),
        (dict(report="r.txt"), "report: found 'r.txt'; it must be an object with write"),
    ):
        with pytest.raises(TypeError, match=sentence):
            cisolve.run(**{"job": job, **wrong})
    for wrong, sentence in (
        (dict(set={3: 1}), "set: found 3; names of keys are texts"),
        (dict(set={"states.count": 1j}), "states.count: found 1j; a value of an input is"),
        (dict(job={"states": {"irrep": {"A1"}}}), "states.irrep: found {'A1'}; a value of an input is"),
        (dict(threads=-1), "^threads must be an integer from 0"), (dict(job=""), "neither .molecule. .* nor .integrals."),
        (dict(job="[states]"), "neither .molecule. .* nor .integrals."),
    ):
        with pytest.raises(cisolve.InputError, match=sentence):
            cisolve.run(**{"job": job, **wrong})
    assert "System" in cisolve.check({"molecule": None, **job})  # what is None is not given
    assert cisolve.run(job, report=False).status == "converged"


def test_false_of_numpy_stops(job):
    result = cisolve.run(job, progress=lambda event: np.bool_(event.stage != "solve"))
    assert result.status == "interrupted"


def test_events_compare_and_hash():
    event = cisolve.Event("solve", 1, np.zeros(2), np.zeros(2))
    assert event == event and event != copy.copy(event) and {event: 1}[event] == 1


# Files that are not there


def test_values_of_an_earlier_calculation_are_not_taken_for_those_of_an_interrupted_one(job, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    settings = {"output.file": "w.h5"}
    cisolve.run(job, files=True, set=settings)
    result = cisolve.run(job, files=True, set={**settings, "states.count": 1}, progress=lambda event: event.stage != "solve")
    assert result.status == "interrupted" and os.path.exists("w.h5")
    for call in (lambda: result["states/energy"], lambda: result.irreps, lambda: result.save("other.h5"),
                 lambda: result.to_html("other.html")):
        with pytest.raises(KeyError, match="was interrupted: there are no results"):
            call()
    assert "states/energy" not in result
    assert len(cisolve.read("w.h5").energies) == 3


def test_a_file_that_is_gone(single, tmp_path):
    single.save(tmp_path / "r.h5")
    result = cisolve.read(tmp_path / "r.h5")
    os.remove(tmp_path / "r.h5")
    assert "r.h5, which is gone" in repr(result)
    for call in (lambda: result.energies, lambda: result.save(tmp_path / "again.h5"), lambda: result.to_html(tmp_path / "r.html")):
        with pytest.raises(FileNotFoundError, match="r.h5: the result file is gone"):
            call()


def test_a_folder_that_cannot_be_written(single, tmp_path):
    with pytest.raises(cisolve.SystemError, match="x.h5: it cannot be written: No such file"):
        single.save(tmp_path / "none" / "x.h5")
    (tmp_path / "folder").mkdir()
    with pytest.raises(cisolve.SystemError, match="folder: it cannot be written: Is a directory"):
        single.save(tmp_path / "folder")
    assert os.listdir(tmp_path) == ["folder"]


# Copies and processes


def test_copies_outlive_the_original(job):
    result = cisolve.run(job)
    energies, file = result.energies, result.file
    copies = [copy.copy(result), copy.deepcopy(result)]
    del result
    gc.collect()
    assert all(np.array_equal(c.energies, energies) and c.status == "converged" for c in copies)
    del copies
    gc.collect()
    assert not os.path.exists(file)


def test_a_point_outlives_its_scan(curve_job):
    scan = cisolve.run(curve_job)
    point, file = scan.point(0), scan.file
    del scan
    gc.collect()
    assert len(point.energies) == 1 and len(point.report) > 0
    del point
    gc.collect()
    assert not os.path.exists(file)


def test_pickles_hold_the_file(job, scan):
    result = cisolve.run(job)
    energies, report, file = result.energies, result.report, result.file
    pickled = pickle.dumps(result)
    del result
    gc.collect()
    assert not os.path.exists(file)
    again = pickle.loads(pickled)
    assert np.array_equal(again.energies, energies) and again.report == report and np.trace(again.density()[0]) == pytest.approx(5)
    point = pickle.loads(pickle.dumps(scan.point(1)))
    assert not point.is_scan and np.array_equal(point.energies, scan.energies[1])


def test_pickles_of_kept_files_name_them(single, tmp_path):
    single.save(tmp_path / "r.h5")
    result = cisolve.read(tmp_path / "r.h5")
    assert len(pickle.dumps(result)) < 1000 and pickle.loads(pickle.dumps(result)).file == result.file


def _energies_in_a_worker(job):
    return cisolve.run(job, threads=1)


def test_results_come_back_from_workers(job, single):
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        result, = pool.map(_energies_in_a_worker, [job])
    assert np.allclose(result.energies, single.energies, atol=1e-9) and result.irreps == single.irreps


def test_a_fork_leaves_the_file(job):
    """The end of a process that was forked takes no files of its parent."""
    code = f"""
import os, sys, cisolve
result = cisolve.run({job!r}, threads=1)
child = os.fork()
if not child:
    sys.exit(0)
os.waitpid(child, 0)
print(os.path.exists(result.file), len(result.energies))
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, env=environment)
    assert done.stdout.split() == ["True", "3"], done.stderr


# What docs/python.md shows


def test_the_selected_ci_of_the_page_finds_the_ground_state(curve_job, capsys):
    """C2, whose CISD list has a triplet lowest: the example as it stands, of that molecule and of a shorter list."""
    c2 = cisolve.run({"molecule": {"geometry": "C 0 0 0; C 0 0 1.2425", "basis": "6-31G"},
                      "space": {"frozen_core": "auto", "excitation_level": 0}})
    page = (Path(__file__).parents[2] / "docs" / "python.md").read_text()
    block, = re.findall(r"```python\n(start = .*?SelectedCI.*?)```", page, re.DOTALL)
    reference, = re.findall(r'"2+" \+ \d+ \* "0"', block)
    names = {"cisolve": cisolve, "ham": c2.hamiltonian}
    exec(block.replace(reference, '"2222" + 12 * "0"').replace("100_000", "5000"), names)
    ci = names["ci"]
    ci.solve()
    full = -75.6405  # the singlet; the triplet is at -75.6105, both by full CI (`excitation_level = "full"`)
    assert abs(ci.energies[0] + ci.second_order()["energy"][0] - full) < 1e-3  # E2 of 7 millihartree, to a tenth
    space = cisolve.Space.determinants(c2.hamiltonian, *ci.strings)
    assert cisolve.spin_square(space, ci.vectors[0]) == pytest.approx(0, abs=1e-6)
