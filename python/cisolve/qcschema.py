# SPDX-License-Identifier: MIT
"""Calculations as QCSchema describes them: AtomicInput in, AtomicResult or FailedOperation out."""
from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from . import _core, _run

#: What a method sets of the input, unless the keywords say otherwise.
_METHODS = {
    "fci": {"space.excitation_level": "full"},
    "cis": {"space.excitation_level": 1},
    "cisd": {"space.excitation_level": 2},
    "cisdt": {"space.excitation_level": 3},
    "cisdtq": {"space.excitation_level": 4},
    "casci": {"space.excitation_level": 0},
    "casscf": {"space.excitation_level": 0, "orbitals.optimise": "casscf"},
    "mrci": {"space.excitation_level": 2},
}
#: Methods whose references the keywords must say.
_OF_ACTIVE_SPACES = ("casci", "casscf", "mrci")


def run(job: Any) -> dict:
    """Does the calculation of an AtomicInput and returns an AtomicResult, or a FailedOperation where it failed: dicts.

    job: a dict, or QCElemental's model. model.method is fci, cis, cisd, cisdt, cisdtq, casci, casscf or mrci; keywords are
    cisolve's keys: {"states.count": 4}. All roots are in extras["cisolve"]; the result is the energy of the first.
    """
    given = _plain(job)
    try:
        return _result(given, *_calculate(given))
    except _core.InputError as error:
        return _failure(given, "input_error", error)
    except (_core.Error, MemoryError, OSError) as error:
        return _failure(given, "unknown_error", error)


def _plain(job) -> dict:
    """A dict of numbers, texts, lists and dicts."""
    if not isinstance(job, Mapping):
        if not hasattr(job, "json"):
            raise TypeError(f"job: found {job!r}; it must be an AtomicInput, as a dict or as QCElemental's model")
        import json
        job = json.loads(job.json())
    return {key: _listed(value) for key, value in job.items()}


def _listed(value):
    if isinstance(value, Mapping):
        return {key: _listed(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return value.ravel().tolist()
    return [_listed(item) for item in value] if isinstance(value, (list, tuple)) else value


def _calculate(given):
    driver = given.get("driver")
    if driver not in ("energy", "properties"):
        raise _core.InputError(f"driver: found {driver!r}; cisolve does \"energy\" and \"properties\"")
    molecule, model, keywords = given.get("molecule"), given.get("model") or {}, given.get("keywords") or {}
    if not isinstance(molecule, dict) or "symbols" not in molecule or "geometry" not in molecule:
        raise _core.InputError("molecule: symbols and geometry are needed")
    for name, found in (("model", model), ("keywords", keywords)):
        if not isinstance(found, dict):
            raise _core.InputError(f"{name}: found {found!r}; it must be a dict")
    method = str(model.get("method", "")).lower()
    if method not in _METHODS:
        raise _core.InputError(f"model.method: found {model.get('method')!r}; there are {', '.join(_METHODS)}")
    if not isinstance(model.get("basis"), str):
        raise _core.InputError("model.basis: the name of a basis set is needed")
    if any(str(key).partition(".")[0] == "scan" for key in keywords):
        raise _core.InputError("keywords: an AtomicInput is of one geometry, and scan is of several; cisolve.run does scans")
    if method in _OF_ACTIVE_SPACES and not any(key.startswith("space.reference") for key in keywords):
        raise _core.InputError(f"keywords: {method} needs space.reference, such as {{\"electrons\": 6, \"orbitals\": 6}}")
    return _run.run({"molecule": _molecule(molecule, model["basis"])}, set={**_METHODS[method], **keywords}), keywords


def _molecule(molecule, basis):
    """[molecule] of QCSchema's molecule; atoms that are not real are ghosts."""
    symbols = molecule["symbols"]
    try:
        geometry = np.asarray(molecule["geometry"], dtype=float).ravel()
    except (TypeError, ValueError):
        raise _core.InputError("molecule.geometry: it must be numbers, in bohr, three for each atom") from None
    if len(geometry) != 3 * len(symbols):
        raise _core.InputError(f"molecule.geometry: found {len(geometry)} numbers for {len(symbols)} atoms")
    geometry = geometry.reshape(-1, 3)
    real = molecule.get("real") or [True] * len(symbols)
    if len(real) != len(symbols):
        raise _core.InputError(f"molecule.real: found {len(real)} for {len(symbols)} atoms")
    atoms = [f"{symbol if is_real else f'Gh({symbol})'} " + " ".join(repr(float(x)) for x in position)
             for symbol, is_real, position in zip(symbols, real, geometry)]
    return {"geometry": "; ".join(atoms), "unit": "bohr", "basis": basis,
            "charge": _integer(molecule, "molecular_charge", 0), "multiplicity": _integer(molecule, "molecular_multiplicity", 1)}


def _integer(molecule, name, default):
    """A whole number, which QCSchema may have as a float."""
    found = molecule.get(name)
    if found is None:
        return default
    if isinstance(found, bool) or not isinstance(found, (int, float)) or found != round(found):
        raise _core.InputError(f"molecule.{name}: found {found!r}; it must be a whole number")
    return int(found)


def _result(given, result, keywords):
    energies = result.energies
    found = {"energies": energies, "s_squared": result.s_squared, "irreps": result.irreps, "converged": result.converged,
             "residual_norms": result.residual_norms, "davidson_q": result["states/davidson_q"],
             "dimension": _dimension(result)}
    electrons, ms2 = int(np.sum(result["molecule/charges"])) - result["molecule/charge"], result["molecule/multiplicity"] - 1
    properties = {
        "calcinfo_nbasis": result["molecule/n_functions"], "calcinfo_nmo": len(result["molecule/orbital_energies"]),
        "calcinfo_nalpha": (electrons + ms2) // 2, "calcinfo_nbeta": (electrons - ms2) // 2,
        "calcinfo_natom": len(result["molecule/charges"]),
        "nuclear_repulsion_energy": result["molecule/nuclear_repulsion"], "return_energy": energies[0],
        "scf_total_energy": result["system/scf_energy"], "scf_iterations": len(result["molecule/scf_energies"])}
    if "states/dipole" in result:
        axes = result["molecule/axes"]
        found["dipoles"] = result["states/dipole"] @ axes  # in the axes given
    value = energies[0] if given["driver"] == "energy" else {
        "energy": energies[0], **({"dipole": found["dipoles"][0]} if "dipoles" in found else {})}
    return {**_head(given, "qcschema_output"), "properties": _json(properties), "return_result": _json(value),
            "wavefunction": None, "stdout": result.report if _wants_stdout(given) else None, "stderr": None,
            "native_files": {}, "success": True, "error": None,
            "extras": {**(given.get("extras") or {}), "cisolve": _json(found)}}


def _dimension(result):
    if "space/dimension" in result:
        return result["space/dimension"]
    return [result[f"sector/{k + 1}/space/dimension"] for k in range(len(set(result.sectors)))]


def _wants_stdout(given):
    return (given.get("protocols") or {}).get("stdout", True)


def _head(given, schema):
    kept = {key: given[key] for key in ("id", "schema_version", "molecule", "driver", "model", "keywords", "protocols") if key in given}
    return {**kept, "schema_name": schema,
            "provenance": {"creator": "cisolve", "version": _core.version, "routine": "cisolve.qcschema.run"}}


def _failure(given, kind, error):
    return {"id": given.get("id"), "input_data": given, "success": False,
            "error": {"error_type": kind, "error_message": re.sub(r"^input(:\d+)?: ", "", str(error)), "extras": None},
            "extras": given.get("extras")}


def _json(value):
    """What JSON holds: NaN becomes null."""
    if isinstance(value, dict):
        return {key: _json(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return _json(value.tolist())
    if isinstance(value, (list, tuple)):
        return [_json(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not np.isfinite(value) else value
