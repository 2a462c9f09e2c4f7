# SPDX-License-Identifier: MIT
"""Calculations from an input, and their results."""
import io
import logging
import os
import signal

import numpy as np
import pytest

import cisolve

WATER = "O 0 0 0; H 0 0.757 0.587; H 0 -0.757 0.587"
JOB = {"molecule": {"geometry": WATER, "basis": "STO-3G"}, "states": {"count": 2}}


def has_libint():
    try:
        cisolve.check(JOB)
    except cisolve.Error:
        return False
    return True


HAS_LIBINT = has_libint()


@pytest.fixture
def fcidump_job(data):
    return {"integrals": {"file": str(data / "h2o_sto3g.fcidump")}, "space": {"excitation_level": "full"},
            "states": {"count": 3, "irrep": "all"}}


def test_dict_text_and_file_are_one_calculation(fcidump_job, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (f'[integrals]\nfile = "{fcidump_job["integrals"]["file"]}"\n[space]\nexcitation_level = "full"\n'
            '[states]\ncount = 3\nirrep = "all"\n')
    (tmp_path / "w.inp").write_text(text)
    results = [cisolve.run(job) for job in (fcidump_job, text, "w.inp", tmp_path / "w.inp")]
    for result in results:
        assert result.status == "converged"
        assert np.array_equal(result.energies, results[0].energies)
    assert sorted(os.listdir(tmp_path)) == ["w.inp"]  # nothing is left behind


def test_values_of_a_result(fcidump_job, small_water):
    result = cisolve.run(fcidump_job)
    op = cisolve.Operator(small_water, cisolve.Space.full(small_water, (5, 5)))
    expected = cisolve.solve(op, count=3, tolerance=1e-8)
    assert np.allclose(result.energies, expected.energies[:3], atol=1e-9)
    assert np.allclose(result.s_squared, expected.s_squared[:3], atol=1e-6)
    assert result.converged.dtype == bool and result.converged.all() and np.all(result.residual_norms < 1e-6)
    assert len(result.irreps) == 3 and result.warnings == []
    assert result["states/energy"] is not result.energies and np.array_equal(result["states/energy"], result.energies)
    assert result["system/n_electrons"] == 10 and "energy" in result["states"]
    assert "states/nothing" not in result
    with pytest.raises(KeyError, match="states/nothing: the result has no such value"):
        result["states/nothing"]
    assert np.array_equal(result.hamiltonian.eri, small_water.eri)
    own = cisolve.Operator(result.hamiltonian, result.space())
    for k, energy in enumerate(result.energies):
        assert np.allclose(own.matvec(result.vector(k)), energy * result.vector(k), atol=1e-5)
    assert np.isclose(np.trace(result.density(0).sum(0)), 10)
    assert np.isclose(np.trace(result.density(0, 1).sum(0)), 0, atol=1e-8)
    occupations, orbitals = result.natural_orbitals(0)
    assert np.all(np.diff(occupations) <= 1e-12) and np.allclose(orbitals.T @ orbitals, np.eye(7))
    assert np.allclose(occupations, result["states/natural_occupations"][0], atol=1e-6)
    energy = (result.hamiltonian.core_energy + np.sum(result.hamiltonian.h * result.density(0).sum(0))
              + .5 * np.sum(result.hamiltonian.eri * result.two_particle(0, by_spin=False)))
    assert np.isclose(energy, result.energies[0], atol=1e-9)


def test_several_sectors(data):
    job = {"integrals": {"file": str(data / "h2o_sto3g.fcidump"), "point_group": "C2v"},
           "states": {"count": 1, "irrep": ["A1", "B1"], "multiplicity": [1, 3]}}
    result = cisolve.run(job)
    assert sorted(result.sectors) == [0, 1, 2, 3] and np.all(np.diff(result.energies) > 0)
    for k, sector in enumerate(result.sectors):
        op = cisolve.Operator(result.hamiltonian, result.space(int(sector)))
        assert np.isclose(result.vector(k) @ op.matvec(result.vector(k)), result.energies[k], atol=1e-9)
        assert np.isclose(cisolve.spin_square(op.space, result.vector(k)), result.s_squared[k], atol=1e-6)


def test_keys_are_set_from_python(fcidump_job):
    loose = cisolve.run(fcidump_job, set={"solver.tolerance": 1e-2, "states.count": 1}, threads=1)
    assert len(loose.energies) == 1
    assert "tolerance = 0.01" in loose["input/resolved"] and "threads = 1" in loose["input/resolved"]
    with pytest.raises(cisolve.InputError, match="set solver.tolerence.*solver.tolerance"):
        cisolve.run(fcidump_job, set={"solver.tolerence": 1e-2})
    with pytest.raises(cisolve.InputError, match="a value of an input is"):
        cisolve.run(fcidump_job, set={"states.count": object()})


def test_texts_of_any_content_reach_the_input(fcidump_job):
    title = 'quotes " \\ and\tlines\nand ü'
    assert cisolve.run({"title": title, **fcidump_job})["title"] == title


def test_files_as_the_program_writes_them(fcidump_job, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = cisolve.run(fcidump_job, files=True, set={"output.file": "w.h5", "output.also": ["w.txt"]})
    assert result.file == str(tmp_path / "w.h5")
    assert sorted(name for name in os.listdir(tmp_path) if not name.startswith(".")) == ["w.h5", "w.txt"]
    again = cisolve.run(fcidump_job, files=True, restart=True, set={"output.file": "w.h5"})
    assert np.allclose(again.energies, result.energies, atol=1e-9) and "result 'w.h5'" in again["solver/start"] + again.report
    with pytest.raises(cisolve.InputError, match="give files=True"):
        cisolve.run(fcidump_job, restart=True)


def test_save_and_read(fcidump_job, tmp_path):
    result = cisolve.run(fcidump_job)
    result.save(tmp_path / "kept.h5")
    energies = result.energies
    file = result.file
    del result
    assert not os.path.exists(file)
    kept = cisolve.read(tmp_path / "kept.h5")
    assert kept.status == "converged" and np.array_equal(kept.energies, energies)
    assert "Roots" in kept.report
    holds, text = kept.verify()
    assert holds and "root" in text
    kept.to_html(tmp_path / "kept.html")
    assert str(energies[0])[1:10] in (tmp_path / "kept.html").read_text()
    kept.export(tmp_path / "kept.txt", root=1)
    assert (tmp_path / "kept.txt").read_text().startswith("441 7 5 5\n")
    with pytest.raises(cisolve.InputError, match="absent.h5"):
        cisolve.read(tmp_path / "absent.h5")
    (tmp_path / "none.h5").write_text("no result")
    with pytest.raises(cisolve.InputError, match="none.h5"):
        cisolve.read(tmp_path / "none.h5")


def test_report_and_events(fcidump_job):
    out, events = io.StringIO(), []
    result = cisolve.run(fcidump_job, report=out, progress=events.append)
    assert out.getvalue() == result.report and "Davidson iterations" in result.report
    stages = [event.stage for event in events]
    assert stages[:3] == ["integrals", "space", "hamiltonian"] and set(stages[3:]) == {"solve"}
    assert np.allclose(events[-1].energies[:3], result.energies, atol=1e-9)
    seconds = [event.seconds for event in events]
    assert seconds == sorted(seconds)


def test_stopping(fcidump_job):
    result = cisolve.run(fcidump_job, progress=lambda event: event.stage != "solve" or event.iteration < 2)
    assert result.status == "interrupted" and len(result.energies) >= 3
    with pytest.raises(KeyError, match="interrupted"):
        result["states/energy"]

    def fail(event):
        raise ZeroDivisionError("from the callback")

    with pytest.raises(ZeroDivisionError, match="from the callback"):
        cisolve.run(fcidump_job, progress=fail)

    def strike(event):
        if event.stage == "solve":
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        cisolve.run(fcidump_job, progress=strike)


def test_an_interrupted_calculation_goes_on(fcidump_job, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files = {"output.file": "w.h5", "output.checkpoint": "w.chk.h5"}
    stopped = cisolve.run(fcidump_job, files=True, set=files,
                          progress=lambda event: event.stage != "solve" or event.iteration < 4)
    assert stopped.status == "interrupted" and (tmp_path / "w.chk.h5").exists()
    result = cisolve.run(fcidump_job, files=True, set=files, restart=True)
    assert result.status == "converged" and not (tmp_path / "w.chk.h5").exists()
    assert np.allclose(result.energies, cisolve.run(fcidump_job).energies, atol=1e-9)


def test_wrong_inputs_get_the_programs_sentence(data):
    with pytest.raises(cisolve.InputError, match=r"input:2: unknown key \"states.cuont\"; did you mean \"states.count\""):
        cisolve.run("[states]\ncuont = 2\n")
    with pytest.raises(cisolve.InputError, match="there is no such input file"):
        cisolve.run("absent.inp")
    with pytest.raises(cisolve.ResourceError) as error:
        cisolve.run({"integrals": {"file": str(data / "h2o_631g.fcidump.gz")}, "space": {"excitation_level": "full"},
                     "run": {"memory": "1 MiB"}})
    assert isinstance(error.value, MemoryError) and "run.memory" in str(error.value)
    for kind in (cisolve.InputError, cisolve.ResourceError, cisolve.SystemError):
        assert issubclass(kind, cisolve.Error)


def test_lines_of_the_log(fcidump_job, tmp_path, monkeypatch, caplog):
    """Also those that come when a calculation is to stop, as the end of its report does."""
    monkeypatch.chdir(tmp_path)
    with caplog.at_level(logging.INFO, logger="cisolve"):
        stopped = cisolve.run(fcidump_job, files=True, set={"output.file": "w.h5", "output.checkpoint": "w.chk.h5"},
                              progress=lambda event: event.stage != "solve" or event.iteration < 3)
    lines = [record.getMessage() for record in caplog.records if record.name == "cisolve"]
    assert any("w.chk.h5" in line for line in lines)
    assert "Interrupted; go on with: cisolve --restart" in stopped.report


@pytest.mark.skipif(not HAS_LIBINT, reason="built without Libint2")
def test_molecules_and_scans(tmp_path):
    plan = cisolve.check(JOB)
    assert "Molecule" in plan
    result = cisolve.run(JOB)
    assert result["molecule/method"] == "RHF" and result.orbitals.shape == (7, 7)
    assert result.irreps[0] == "A1"
    result.to_molden(tmp_path / "w.molden")
    assert "[MO]" in (tmp_path / "w.molden").read_text()
    scan = cisolve.run({"molecule": {"geometry": "H 0 0 0; H 0 0 0.8", "basis": "6-31G"},
                        "space": {"excitation_level": "full"}, "scan": {"coordinate": "bond 1 2", "values": [0.7, 0.8]}})
    assert scan.is_scan and scan.status == "converged" and scan.energies.shape == (2, 1)
    assert [scan.point(k).energies[0] for k in range(2)] == list(scan.energies[:, 0])
    assert np.trace(scan.point(1).density().sum(0)) == pytest.approx(2)
    with pytest.raises(IndexError, match="point 2: the scan has the points 0 to 1"):
        scan.point(2)
    assert scan.point(-1).energies[0] == scan.energies[1, 0]


def test_keys_are_explained():
    assert "hartree" in cisolve.explain("solver.tolerance")
    with pytest.raises(cisolve.InputError, match="solver.tolerance"):
        cisolve.explain("solver.tolerence")
    assert "solver.tolerance" in cisolve.explain().splitlines()
    with pytest.raises(cisolve.InputError, match=r"\(cisolve.explain\(\) lists them all\)"):
        cisolve.explain("x")
