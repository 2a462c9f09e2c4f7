# SPDX-License-Identifier: MIT
"""QCSchema in and out, key for key as QCElemental's models have it (data/: made and validated by QCElemental 0.51.4)."""
import copy
import json
from pathlib import Path

import numpy as np
import pytest

import cisolve
from cisolve import qcschema

DATA = Path(__file__).parent / "data"


def read(name):
    return json.loads((DATA / name).read_text())


def has_libint():
    try:
        cisolve.check({"molecule": {"geometry": "He 0 0 0", "basis": "6-31G"}})
    except cisolve.Error:
        return False
    return True


pytestmark = pytest.mark.skipif(not has_libint(), reason="built without Libint2")


@pytest.fixture(scope="module")
def result():
    return qcschema.run(read("qcschema_input.json"))


def close(found, expected, path=""):
    if isinstance(expected, dict):
        assert isinstance(found, dict) and set(expected) <= set(found), path
        for key in expected:
            close(found[key], expected[key], f"{path}.{key}")
    elif isinstance(expected, list):
        assert len(found) == len(expected), path
        for k, item in enumerate(expected):
            close(found[k], item, f"{path}[{k}]")
    elif "residual" in path:
        assert 0 <= found < 1e-6, path
    elif isinstance(expected, (int, float)) and not isinstance(expected, bool):
        assert found == pytest.approx(expected, abs=2e-7), path
    else:
        assert found == expected, path


def test_result_is_that_of_the_reference(result):
    expected = read("qcschema_result.json")
    assert set(result) == set(expected)
    stdout, expected["stdout"] = result["stdout"], result["stdout"]
    expected["provenance"]["version"] = cisolve.__version__
    expected["extras"]["cisolve"]["davidson_q"] = result["extras"]["cisolve"]["davidson_q"]
    expected["properties"]["scf_iterations"] = result["properties"]["scf_iterations"]
    close(result, expected)
    assert result["extras"]["cisolve"]["davidson_q"][0] == pytest.approx(-0.00921707, abs=1e-6)
    assert "Roots" in stdout
    json.dumps(result, allow_nan=False)


def test_qcelemental_takes_it(result):
    qcelemental = pytest.importorskip("qcelemental")
    models = getattr(qcelemental.models, "v1", qcelemental.models)
    assert models.AtomicResult(**result).return_result == result["return_result"]
    again = qcschema.run(models.AtomicInput(**read("qcschema_input.json")))
    assert again["return_result"] == pytest.approx(result["return_result"], abs=1e-9)
    failed = qcschema.run({**read("qcschema_input.json"), "driver": "gradient"})
    assert models.FailedOperation(**failed).error.error_type == "input_error"


@pytest.mark.parametrize("method, keywords", [
    ("cis", {}), ("casci", {"space.reference": {"electrons": 4, "orbitals": 4}}),
    ("casscf", {"space.reference": {"electrons": 4, "orbitals": 4}})])
def test_methods(method, keywords):
    job = read("qcschema_input.json")
    job["model"] = {"method": method.upper(), "basis": "sto-3g"}
    job["keywords"] = keywords
    job["driver"] = "properties"
    result = qcschema.run(job)
    assert result["success"], result
    assert result["return_result"]["energy"] <= result["properties"]["scf_total_energy"] + 1e-8
    # The dipole in the axes given: along the bisector, which is z, towards the hydrogens.
    dipole = np.array(result["return_result"]["dipole"])
    assert np.allclose(dipole[:2], 0, atol=1e-6) and dipole[2] > 0.3


@pytest.mark.parametrize("change, words", [
    ({"driver": "gradient"}, "driver: found 'gradient'"),
    ({"model": {"method": "ccsd", "basis": "sto-3g"}}, "model.method: found 'ccsd'"),
    ({"model": {"method": "fci"}}, "model.basis"),
    ({"model": {"method": "casscf", "basis": "sto-3g"}}, "casscf needs space.reference"),
    ({"keywords": {"states.cuont": 1}}, "states.count"),
    ({"molecule": {"symbols": ["H"], "geometry": [0.0, 0.0]}}, "molecule|cannot reshape"),
    ({"molecule": None}, "symbols and geometry are needed"),
    ({"molecule": {"symbols": ["H"], "geometry": "0 0 0"}}, "molecule.geometry: it must be numbers"),
    ({"molecule": {"symbols": ["H"], "geometry": [0, 0, 0], "molecular_charge": 0.5}}, "molecular_charge: found 0.5; it must be a whole"),
    ({"molecule": {"symbols": ["H"], "geometry": [0, 0, 0], "molecular_multiplicity": 2.5}}, "molecular_multiplicity: found 2.5"),
    ({"molecule": {"symbols": ["H"], "geometry": [0, 0, 0], "molecular_multiplicity": 0}}, "multiplicity must be an integer >= 1"),
    ({"molecule": {"symbols": ["H"], "geometry": [0, 0, 0], "real": [True, True]}}, "molecule.real: found 2 for 1 atoms"),
    ({"model": "fci"}, "model: found 'fci'; it must be a dict"), ({"keywords": [1]}, r"keywords: found \[1\]; it must be a dict"),
    ({"keywords": {"scan.values": [1, 2]}}, "keywords: an AtomicInput is of one geometry"),
])
def test_what_is_wrong_is_an_input_error(change, words):
    job = copy.deepcopy(read("qcschema_input.json"))
    job.update(change)
    result = qcschema.run(job)
    assert result["success"] is False and result["error"]["error_type"] == "input_error"
    import re
    assert re.search(words, result["error"]["error_message"])
    assert result["input_data"]["driver"] == job["driver"]


def test_what_is_no_atomic_input():
    for job in (None, "job.json", [1]):
        with pytest.raises(TypeError, match="job: found .*; it must be an AtomicInput"):
            qcschema.run(job)


def test_a_charge_may_be_a_float():
    job = copy.deepcopy(read("qcschema_input.json"))
    job["molecule"].update(molecular_charge=1.0, molecular_multiplicity=2.0)
    result = qcschema.run(job)
    assert result["success"] and result["properties"]["calcinfo_nalpha"] == result["properties"]["calcinfo_nbeta"] + 1
