# SPDX-License-Identifier: MIT
"""Spaces, products with H, its roots and their densities."""
import itertools
import signal
import threading

import numpy as np
import pytest
from scipy.sparse.linalg import LinearOperator, aslinearoperator, eigsh

import cisolve


def element(h, eri, core, bra, ket):
    """<bra|H|ket> by strings of operators, each of which acts on creators in order: spin orbitals 0 .. 2n - 1, alpha first."""
    n = len(h)

    def act(state, annihilate, create):
        sign, occupied = 1, list(state)
        for a in annihilate:
            if a not in occupied:
                return 0, ()
            sign *= (-1) ** occupied.index(a)
            occupied.remove(a)
        for c in create:
            if c in occupied:
                return 0, ()
            occupied.insert(0, c)
        order = sorted(occupied)
        swaps = sum(x > y for i, x in enumerate(occupied) for y in occupied[i + 1:])
        return sign * (-1) ** swaps, tuple(order)

    total = core if bra == ket else 0.0
    for p, q in itertools.product(range(n), repeat=2):
        for spin in (0, n):
            sign, new = act(ket, [q + spin], [p + spin])
            if sign and new == bra:
                total += sign * h[p, q]
    for p, q, r, s in itertools.product(range(n), repeat=4):
        for one, two in itertools.product((0, n), repeat=2):
            # a+_p a+_r a_s a_q: what stands to the right acts first
            sign, new = act(ket, [q + one, s + two], [r + two, p + one])
            if sign and new == bra:
                total += .5 * sign * eri[p, q, r, s]
    return total


def occupied(alpha, beta, n):
    return tuple(p for p in range(n) if alpha >> p & 1) + tuple(n + p for p in range(n) if beta >> p & 1)


def random_hamiltonian(n, seed=7):
    from test_hamiltonian import random_integrals
    return cisolve.Hamiltonian(*random_integrals(n, seed), 0.25)


def test_matrix_is_that_of_the_definition():
    n = 3
    ham = random_hamiltonian(n)
    space = cisolve.Space.full(n, (2, 1))
    h, eri = ham.h, ham.eri
    states = [occupied(int(a), int(b), n) for a, b in zip(space.alpha, space.beta)]
    expected = np.array([[element(h, eri, ham.core_energy, bra, ket) for ket in states] for bra in states])
    op = cisolve.Operator(ham, space)
    assert np.allclose(op.dense(), expected, atol=1e-12)
    assert np.allclose(op.diagonal(), np.diag(expected), atol=1e-12)


@pytest.mark.parametrize("storage", ["auto", "direct", "csr", "hybrid", "coded"])
def test_products_in_every_storage(small_water, storage):
    space = cisolve.Space.full(small_water, (5, 5))
    op = cisolve.Operator(small_water, space, storage=storage, threads=2)
    dense = op.dense()
    assert op.shape == dense.shape == (441, 441) and op.dtype == np.float64
    x = np.random.default_rng(1).standard_normal((3, 441))
    assert np.allclose(op.matvec(x[0]), dense @ x[0], atol=1e-11)
    assert np.allclose(op.matvec(x), x @ dense, atol=1e-11)
    assert np.allclose(op.matmat(x.T), dense @ x.T, atol=1e-11)
    assert np.allclose(op @ x[1], dense @ x[1], atol=1e-11)
    assert np.allclose(op @ x.T, dense @ x.T, atol=1e-11)
    assert np.allclose(op.matvec(np.asfortranarray(x)), x @ dense, atol=1e-11)
    assert np.allclose(op.dense([3, 5]), dense[np.ix_([3, 5], [3, 5])])
    assert np.count_nonzero(np.abs(dense) > 1e-12) <= op.nonzeros <= dense.size
    if storage != "auto":
        assert op.storage == storage


def test_scipy_takes_it(small_water):
    op = cisolve.Operator(small_water, cisolve.Space.full(small_water, (5, 5), irrep="1"), storage="direct")
    linear = aslinearoperator(op)
    assert isinstance(linear, LinearOperator)
    lowest = np.sort(eigsh(op, k=3, which="SA", tol=1e-10)[0])
    assert np.allclose(lowest, cisolve.solve(op, count=3, tolerance=1e-8).energies[:3], atol=1e-9)


def test_vectors_that_do_not_fit_get_a_sentence(small_water):
    op = cisolve.Operator(small_water, cisolve.Space.full(small_water, (5, 5)))
    with pytest.raises(ValueError, match=r"x: found shape \(5,\); over this space it must be \(441,\) or \(count, 441\)"):
        op.matvec(np.zeros(5))
    with pytest.raises(TypeError, match="x: found an array of complex128"):
        op.matvec(np.zeros(441, complex))
    with pytest.raises(cisolve.InputError, match="there is no row 441"):
        op.dense([441])
    with pytest.raises(cisolve.InputError, match="is over 7 orbitals, the Hamiltonian over 3|over 7 orbitals"):
        cisolve.Operator(random_hamiltonian(3), cisolve.Space.full(7, (2, 2)))
    with pytest.raises(cisolve.InputError, match="storage"):
        cisolve.Operator(small_water, cisolve.Space.full(small_water, (5, 5)), storage="cssr")
    with pytest.raises(cisolve.InputError, match="device: found 'gpu'"):
        cisolve.Operator(small_water, cisolve.Space.full(small_water, (5, 5)), device="gpu")


def test_roots_are_those_of_the_dense_matrix(small_water):
    space = cisolve.Space.full(small_water, (5, 5))
    op = cisolve.Operator(small_water, space)
    energies, vectors = np.linalg.eigh(op.dense())
    roots = cisolve.solve(op, count=4, tolerance=1e-8)
    assert roots.status == "converged" and roots.converged.all() and len(roots) == 4
    assert np.allclose(roots.energies, energies[:4], atol=1e-10)
    assert roots.vectors.shape == (4, 441)
    assert np.allclose(np.abs(roots.vectors @ vectors[:, :4]), np.eye(4), atol=1e-6)
    assert np.allclose(np.linalg.norm(op.matvec(roots.vectors) - roots.energies[:, None] * roots.vectors, axis=1),
                       roots.residual_norms, atol=1e-10)
    assert np.allclose(roots.multiplicities, np.sqrt(1 + 4 * roots.s_squared))
    # From what is known already, nothing is left to do.
    again = cisolve.solve(op, count=4, guess=roots.vectors, tolerance=1e-6)
    assert again.iterations < roots.iterations


@pytest.mark.parametrize("storage", ["direct", "csr"])
def test_spins(small_water, storage):
    op = cisolve.Operator(small_water, cisolve.Space.full(small_water, (5, 5)), storage=storage)
    every = cisolve.solve(op, count=12, tolerance=1e-8)
    for multiplicity, s_squared in ((1, 0.0), (3, 2.0)):
        found = cisolve.solve(op, count=2, multiplicity=multiplicity, tolerance=1e-8)
        expected = every.energies[np.abs(every.s_squared - s_squared) < 0.1]
        assert np.allclose(found.energies[:2], expected[:2], atol=1e-9)
        assert np.allclose(found.s_squared, s_squared, atol=1e-6)
        assert np.allclose([cisolve.spin_square(op.space, 3 * c) for c in found.vectors], s_squared, atol=1e-6)
    with pytest.raises(cisolve.InputError, match="multiplicity"):
        cisolve.solve(op, multiplicity=31)


def test_irreps_of_roots(small_water):
    space = cisolve.Space.full(small_water, (5, 5))
    roots = cisolve.solve(cisolve.Operator(small_water, space), count=3)
    for irrep in sorted(set(roots.irreps)):
        own = cisolve.Space.full(small_water, (5, 5), irrep=int(irrep))
        assert len(own) < len(space)
        lowest = cisolve.solve(cisolve.Operator(small_water, own)).energies[0]
        assert abs(lowest - roots.energies[list(roots.irreps).index(irrep)]) < 1e-8


def test_fewest_electrons_and_orbitals():
    ham = random_hamiltonian(1)
    for electrons in ((1, 0), (0, 1), (1, 1), (0, 0)):
        op = cisolve.Operator(ham, cisolve.Space.full(1, electrons))
        roots = cisolve.solve(op)
        expected = ham.core_energy + sum(electrons) * ham.h[0, 0] + (ham.eri[0, 0, 0, 0] if electrons == (1, 1) else 0)
        assert np.allclose(roots.energies, expected)
    for electrons in ((1, 0), (2, 0), (0, 2), (1, 3)):
        op = cisolve.Operator(random_hamiltonian(3), cisolve.Space.full(3, electrons))
        assert np.allclose(cisolve.solve(op).energies[0], np.linalg.eigvalsh(op.dense())[0])


@pytest.mark.parametrize("make, words", [
    (lambda: cisolve.Space.full(0, (0, 0)), "orbitals: found 0"),
    (lambda: cisolve.Space.full(3, (4, 0)), r"electrons: found \(4, 0\) in 3 orbitals"),
    (lambda: cisolve.Space.full(3, (1, -1)), r"electrons: found \(1, -1\)"),
    (lambda: cisolve.Space.excitations(3, ["22"], 2), "'22' has 2 characters for 3 orbitals"),
    (lambda: cisolve.Space.excitations(3, ["2x0"], 2), "'2x0' has 'x'"),
    (lambda: cisolve.Space.excitations(3, [], 2), "references: there must be one"),
    (lambda: cisolve.Space.excitations(3, ["200", "uu0"], 2), "differ in their electrons"),
    (lambda: cisolve.Space.excitations(3, ["200"], "all"), "level: found 'all'"),
    (lambda: cisolve.Space.excitations(3, ["200"], 1, max_holes=([3], 1)), "max_holes: there is no orbital 3"),
    (lambda: cisolve.Space.determinants(3, np.array([9], np.uint64), np.array([1], np.uint64)), "beyond the 3"),
    (lambda: cisolve.Space.determinants(3, [1, 3], [1, 1]), r"determinant 1 has \(2, 1\) electrons"),
    (lambda: cisolve.Space.determinants(3, [1], [1, 1]), "found 1 and 2 strings"),
    (lambda: cisolve.Space.determinants(3, [], []), "there must be one determinant|array of float64"),
    (lambda: cisolve.Space.csfs(3, ["200"], 1, 2), "multiplicity: 2 does not go with 2 electrons"),
])
def test_wrong_spaces_get_a_sentence(make, words):
    with pytest.raises((cisolve.InputError, TypeError), match=words):
        make()


def test_listed_determinants(small_water):
    full = cisolve.Space.full(small_water, (5, 5))
    alpha, beta = full.strings
    order = np.random.default_rng(3).permutation(len(full))[:100]
    space = cisolve.Space.determinants(small_water, alpha[order], beta[order])
    assert np.array_equal(space.alpha, alpha[order]) and np.array_equal(space.beta, beta[order])
    assert np.array_equal(full.find(space.alpha, space.beta), order)
    assert list(space.find(alpha[order[:2]], beta[order[:2]])) == [0, 1]
    assert space.find(alpha, beta).tolist().count(-1) == len(full) - 100
    dense = cisolve.Operator(small_water, full).dense()
    assert np.allclose(cisolve.Operator(small_water, space).dense(), dense[np.ix_(order, order)], atol=1e-12)
    with pytest.raises(cisolve.Error, match="twice"):
        cisolve.Space.determinants(small_water, alpha[[0, 0]], beta[[0, 0]])


def test_places_in_the_product_of_strings(small_water):
    """Rank of the alpha string times the number of beta strings and the rank of the beta string."""
    for space in (cisolve.Space.full(7, (5, 3)), cisolve.Space.full(small_water, (5, 5), irrep=1), cisolve.Space.full(4, (0, 4)),
                  cisolve.Space.excitations(7, ["2222200"], 1)):
        n = space.n_orbitals
        alpha, beta = space.strings
        electrons = [bin(int(strings[0])).count("1") for strings in (alpha, beta)]
        orders = [{s: i for i, s in enumerate(sorted(sum(1 << p for p in set_) for set_ in itertools.combinations(range(n), k)))}
                  for k in electrons]
        expected = [orders[0][int(a)] * len(orders[1]) + orders[1][int(b)] for a, b in zip(alpha, beta)]
        assert space.places().tolist() == expected
    with pytest.raises(cisolve.InputError, match="CSFs"):
        cisolve.Space.csfs(7, ["2222200"], 1, 1).places()


def test_more_than_64_orbitals():
    n = 70
    strings = np.array([[1, 0], [0, 1 << 5]], dtype=np.uint64)  # orbital 0, orbital 69
    space = cisolve.Space.determinants(n, strings, strings)
    assert np.array_equal(space.alpha, strings) and space.text(1) == "0" * 69 + "2"
    h = np.diag(np.arange(n, dtype=float))
    eri = np.zeros(n * (n + 1) // 2 * (n * (n + 1) // 2 + 1) // 2)
    assert np.allclose(cisolve.Operator(cisolve.Hamiltonian(h, eri), space).diagonal(), [0.0, 138.0])


def test_no_more_determinants_of_many_orbitals():
    ham = cisolve.Hamiltonian(np.diag(np.arange(70.0)), np.zeros((70,) * 4))
    space = cisolve.Space.excitations(ham, ["2" + 69 * "0"], 0)
    alpha, beta = space.connected(ham, np.ones(1), 0.0)
    assert len(alpha) == 0 and len(space.extended(alpha, beta)) == 1


def test_truncated_spaces_and_csfs(small_water):
    determinants = cisolve.Space.excitations(small_water, ["2222200"], 2)
    csfs = cisolve.Space.csfs(small_water, ["2222200"], 2, 1)
    assert (determinants.kind, csfs.kind) == ("determinant", "csf") and len(csfs) < len(determinants)
    one = cisolve.solve(cisolve.Operator(small_water, determinants), multiplicity=1, tolerance=1e-8)
    two = cisolve.solve(cisolve.Operator(small_water, csfs), tolerance=1e-8)
    assert abs(one.energies[0] - two.energies[0]) < 1e-10
    assert np.allclose(cisolve.one_particle(determinants, one.vectors[0]).sum(0), cisolve.one_particle(csfs, two.vectors[0]).sum(0),
                       atol=1e-6)
    assert csfs.steps.shape == (len(csfs), 7)
    with pytest.raises(cisolve.InputError, match="steps has them"):
        csfs.alpha
    assert determinants.leading(one.vectors[0])[0][0] == "2222200"
    limited = cisolve.Space.excitations(small_water, ["2222200"], 2, max_holes=([0], 0))
    assert all(a & 1 and b & 1 for a, b in zip(limited.alpha, limited.beta))


def test_densities_are_those_of_the_definition():
    n, ham = 3, random_hamiltonian(3)
    space = cisolve.Space.full(n, (2, 1))
    states = [occupied(int(a), int(b), n) for a, b in zip(space.alpha, space.beta)]
    rng = np.random.default_rng(5)
    c, d = rng.standard_normal((2, len(space)))
    c, d = c / np.linalg.norm(c), d / np.linalg.norm(d)
    zero = np.zeros((n,) * 4)

    def expectation(bra, h, eri, ket):
        return sum(bra[i] * ket[j] * element(h, eri, 0.0, a, b) for i, a in enumerate(states) for j, b in enumerate(states))

    density = cisolve.one_particle(space, c)
    transition = cisolve.transition(space, c, space, d)
    for p, q in itertools.product(range(n), repeat=2):
        unit = np.zeros((n, n))
        unit[p, q] = 1.0
        assert np.isclose(density.sum(0)[p, q], expectation(c, unit, zero, c), atol=1e-12)
        assert np.isclose(transition.sum(0)[p, q], expectation(c, unit, zero, d), atol=1e-12)
    aa, ab, bb = cisolve.two_particle(space, c)
    total = cisolve.two_particle(space, c, by_spin=False)
    assert np.allclose(total, aa + bb + ab + ab.transpose(2, 3, 0, 1), atol=1e-12)
    for p, q, r, s in itertools.product(range(n), repeat=4):
        unit = zero.copy()
        unit[p, q, r, s] = 2.0
        assert np.isclose(total[p, q, r, s], expectation(c, np.zeros((n, n)), unit, c), atol=1e-12)
    energy = ham.core_energy + np.sum(ham.h * density.sum(0)) + .5 * np.sum(ham.eri * total)
    assert np.isclose(energy, c @ cisolve.Operator(ham, space).matvec(c), atol=1e-11)
    both = cisolve.one_particle(space, np.array([c, d]))
    assert both.shape == (2, 2, n, n) and np.allclose(both[0], density, atol=1e-14)


def test_arrays_own_their_memory(small_water):
    vectors = cisolve.solve(cisolve.Operator(small_water, cisolve.Space.full(small_water, (5, 5)))).vectors
    strings = cisolve.Space.full(small_water, (5, 5)).alpha
    copy = vectors.copy()
    junk = [cisolve.Space.full(small_water, (5, 4)).alpha for _ in range(20)]
    assert np.array_equal(vectors, copy) and len(strings) == 441 and junk


def test_progress_and_stopping(water):
    op = cisolve.Operator(water, cisolve.Space.excitations(water, ["2222200000000"], 2))
    seen = []
    roots = cisolve.solve(op, count=2, progress=seen.append)
    assert [event.iteration for event in seen] == list(range(1, roots.iterations + 1))
    assert seen[0].stage == "solve" and len(seen[-1].energies) >= 2
    assert seen[-1].seconds >= seen[0].seconds >= 0.0
    stopped = cisolve.solve(op, progress=lambda event: event.iteration < 3)
    assert stopped.status == "interrupted" and stopped.iterations == 3

    def fail(event):
        raise RuntimeError("from the callback")

    with pytest.raises(RuntimeError, match="from the callback"):
        cisolve.solve(op, progress=fail)
    assert cisolve.solve(op).status == "converged"  # it is as it was


def test_ctrl_c_is_heard(water):
    """A signal during a search is an exception of Python's soon after, and the operator stays usable."""
    space = cisolve.Space.excitations(water, ["2222200000000"], 2)
    op = cisolve.Operator(water, space)

    def strike(event):
        if event.iteration == 2:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        cisolve.solve(op, progress=strike)
    assert cisolve.solve(op).status == "converged"


def test_threads_work_side_by_side(water):
    space = cisolve.Space.excitations(water, ["2222200000000"], 2)
    expected = cisolve.solve(cisolve.Operator(water, space), count=2).energies
    found, shared = [], cisolve.Operator(water, space, threads=1)

    def work(own):
        op = cisolve.Operator(water, space, threads=1) if own else shared
        for _ in range(3):
            found.append(cisolve.solve(op, count=2).energies)

    threads = [threading.Thread(target=work, args=(k % 2 == 0,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 12 and all(np.allclose(energies, expected, atol=1e-9) for energies in found)


def test_other_threads_of_python_run_meanwhile(water):
    op = cisolve.Operator(water, cisolve.Space.full(water, (5, 5), irrep=1), threads=1)
    counter, stop = [0], threading.Event()

    def count():
        while not stop.wait(1e-4):
            counter[0] += 1

    thread = threading.Thread(target=count)
    thread.start()
    x = np.random.default_rng(0).standard_normal(len(op.space))
    for _ in range(20):
        op.matvec(x)
    stop.set()
    thread.join()
    assert counter[0] > 20


def test_selected_ci(small_water):
    start = cisolve.Space.excitations(small_water, ["2222200"], 0)
    ci = cisolve.SelectedCI(small_water, start)
    energies, corrections = [], []
    while len(ci) < 300:
        found = ci.solve()
        second = ci.second_order()
        if second["energy"][0] > -1e-6:
            break
        energies.append(found["energies"][0])
        corrections.append(second["energy"][0])
        if ci.grow(most=2 * len(ci))["added"] == 0:
            break
    exact = np.linalg.eigvalsh(cisolve.Operator(small_water, cisolve.Space.full(small_water, (5, 5))).dense())[0]
    assert np.all(np.diff(energies) < 0) and energies[-1] > exact - 1e-10
    limit, error = cisolve.extrapolate(energies, corrections, [0.0] * len(energies))
    assert abs(limit - exact) < max(error, 1e-4)
    ci.solve()
    alpha, beta = ci.strings
    rows = cisolve.Space.full(small_water, (5, 5)).find(alpha, beta)
    dense = cisolve.Operator(small_water, cisolve.Space.full(small_water, (5, 5))).dense()[np.ix_(rows, rows)]
    assert abs(np.linalg.eigvalsh(dense)[0] - ci.energies[0]) < 1e-9
    # E2 by its definition.
    c = np.zeros(441)
    c[rows] = ci.vectors[0]
    full = cisolve.Operator(small_water, cisolve.Space.full(small_water, (5, 5)))
    outside = np.setdiff1d(np.arange(441), rows)
    coupling = full.matvec(c)[outside]
    expected = np.sum(coupling**2 / (ci.energies[0] - full.diagonal()[outside]))
    assert abs(ci.second_order()["energy"][0] - expected) < 1e-10
    with pytest.raises(cisolve.InputError, match="criterion"):
        ci.grow(criterion="best")


def test_determinants_outside_of_a_space(small_water):
    full = cisolve.Space.full(small_water, (5, 5))
    whole = cisolve.Operator(small_water, full)
    h = whole.dense()
    space = cisolve.Space.excitations(small_water, ["2222200"], 1)
    rows = full.find(*space.strings)
    outside = np.setdiff1d(np.arange(len(full)), rows)
    energies, vectors = np.linalg.eigh(h[np.ix_(rows, rows)])
    c, energy = vectors[:, :2].T, energies[:2]
    # Heat bath by its definition: any product of an element and a coefficient.
    for epsilon in (1e-8, 1e-3, 2e-2):
        products = np.abs(h[np.ix_(outside, rows)])[None] * np.abs(c)[:, None, :]
        expected = outside[(products > epsilon).any(axis=(0, 2))]
        found = full.find(*space.connected(small_water, c, epsilon))
        assert set(found) == set(expected) and len(found) == len(expected)
        assert np.all(np.diff(found) != 0)
    # Epstein-Nesbet by its definition; the best ones first.
    coupling = h[np.ix_(outside, rows)] @ c.T
    gap = energy - np.diag(h)[outside][:, None]
    second = space.second_order(small_water, c, energy, most=7)
    assert np.allclose(second["energy"], np.sum(coupling**2 / gap, axis=0), atol=1e-11, rtol=0)
    assert np.allclose(second["variance"], np.sum(coupling**2, axis=0), atol=1e-11, rtol=0)
    assert not second["error"].any()
    measures = np.sort(np.max(coupling**2 / np.abs(gap), axis=1))[::-1]
    assert len(second["measures"]) == 7 and np.allclose(second["measures"], measures[:7], atol=1e-11, rtol=0)
    chosen = full.find(second["alpha"], second["beta"])
    assert np.isin(chosen, outside).all()
    above = space.second_order(small_water, c, energy, threshold=0.01, measure="amplitude")
    assert len(above["measures"]) == np.sum(np.max(np.abs(coupling / gap), axis=1) > 0.01)
    assert "alpha" not in space.second_order(small_water, c, energy)
    sampled = space.second_order(small_water, c, energy, error=1e-4)
    assert np.all(np.abs(sampled["energy"] - second["energy"]) <= 5 * np.maximum(sampled["error"], 1e-12))
    # A larger list has the old rows first.
    larger = space.extended(second["alpha"], second["beta"])
    assert np.array_equal(full.find(*larger.strings), np.concatenate([rows, chosen]))
    assert np.allclose(cisolve.Operator(small_water, larger).dense()[: len(rows), : len(rows)], h[np.ix_(rows, rows)])
    with pytest.raises(cisolve.InputError, match="listed twice"):
        larger.extended(second["alpha"], second["beta"])
    for keywords, words in (
        ({"most": -1}, "most: found -1"),
        ({"threshold": float("nan")}, "threshold: found nan"),
        ({"measure": "best", "most": 1}, "measure: found 'best'"),
        ({"error": 0.0}, "error: found 0"),
        ({"error": 1e-3, "most": 1}, "not from a sample"),
    ):
        with pytest.raises(cisolve.InputError, match=words):
            space.second_order(small_water, c, energy, **keywords)
    with pytest.raises(cisolve.InputError, match="energies: found 1 for 2 vectors"):
        space.second_order(small_water, c, energy[:1])
    with pytest.raises(cisolve.InputError, match="vectors: .* not finite"):
        space.connected(small_water, np.nan * c, 0.1)
    with pytest.raises(cisolve.InputError, match="energies: .* not finite"):
        space.second_order(small_water, c, np.nan * energy)
    with pytest.raises(cisolve.InputError, match="epsilon: found -1"):
        space.connected(small_water, c, -1.0)
    with pytest.raises(cisolve.InputError, match="over 7 orbitals, the Hamiltonian over"):
        space.connected(cisolve.Hamiltonian(np.eye(8), np.zeros((8,) * 4)), c, 0.1)
    csfs = cisolve.Space.csfs(small_water, ["2222200"], 1, 1)
    with pytest.raises(cisolve.InputError, match="CSF"):
        csfs.connected(small_water, np.ones(len(csfs)), 0.1)


def test_wrong_arguments_get_a_sentence(small_water, tmp_path):
    space = cisolve.Space.full(small_water, (5, 5))
    c = np.ones(len(space))
    ci = cisolve.SelectedCI(small_water, cisolve.Space.excitations(small_water, ["2222200"], 1))
    for call, words in (
        (lambda: cisolve.Operator(small_water, space, threads=10**6), "threads: found 1000000; it must be 0 .all. to 4096"),
        (lambda: cisolve.one_particle(space, c, threads=-5), "threads: found -5"),
        (lambda: cisolve.Operator(small_water, space, memory=-1), "memory: found -1"),
        (lambda: cisolve.Operator(small_water, space, threshold=float("nan")), "threshold: found nan"),
        (lambda: cisolve.Operator(small_water, space, storage="dense"), "storage: found 'dense'; .*\"csr\""),
        (lambda: cisolve.SelectedCI(small_water, space, tolerance=float("nan")), "tolerance: found nan"),
        (lambda: cisolve.Hamiltonian(np.zeros((0, 0)), np.zeros((0,) * 4)), "h: found shape .0, 0."),
        (lambda: ci.grow(most=50), "call solve"),
        (lambda: ci.second_order(), "call solve"),
        (lambda: ci.second_order(error=-1.0), "error: found -1"),
        (lambda: ci.grow(epsilon=float("nan")), "epsilon: found nan"),
        (lambda: cisolve.solve(cisolve.Operator(small_water, space), guess=np.nan * c), "guess: .* not finite"),
        (lambda: cisolve.one_particle(space, c[:5]), "vectors: found shape"),
        (lambda: cisolve.transition(space, c, cisolve.Space.full(small_water, (5, 4)), np.ones(735)), "ket_space: .* electrons"),
        (lambda: small_water.write_fcidump(tmp_path / "x", 15), "electrons: found 15; in 7 orbitals"),
        (lambda: small_water.write_fcidump(tmp_path / "x", 10, 1), "ms2: found 1"),
        (lambda: small_water.write_fcidump(tmp_path / "x", 10, 0, 9), "isym: found 9"),
    ):
        with pytest.raises(cisolve.InputError, match=words):
            call()
    assert not list(tmp_path.iterdir())
    for row in (-1, len(space)):
        with pytest.raises(IndexError, match=f"row: found {row}; they are 0 to 440"):
            space.text(row)


def test_numpys_false_stops_a_search(water):
    op = cisolve.Operator(water, cisolve.Space.full(water, (5, 5), irrep=1))
    events = []
    roots = cisolve.solve(op, tolerance=1e-12, progress=lambda event: events.append(event) or np.bool_(False))
    assert roots.status == "interrupted" and len(events) == 1
    for answer in (0, "", None):  # what a callback happens to return is no answer
        assert cisolve.solve(op, progress=lambda event: answer).status == "converged"


def test_own_selection(small_water):
    """The loop of docs/python.md: heat bath to the end is full CI."""
    space, vectors = cisolve.Space.excitations(small_water, ["2222200"], 0), np.ones((1, 1))
    sizes = []
    for epsilon in (1e-2, 1e-3, 1e-12, 1e-12, 1e-12):
        alpha, beta = space.connected(small_water, vectors, epsilon)
        space = space.extended(alpha, beta)
        guess = np.pad(vectors, ((0, 0), (0, len(alpha))))
        roots = cisolve.solve(cisolve.Operator(small_water, space), guess=guess, tolerance=1e-9)
        vectors = roots.vectors
        sizes.append(len(space))
    exact = cisolve.solve(cisolve.Operator(small_water, cisolve.Space.full(small_water, (5, 5))), tolerance=1e-9)
    assert sizes == sorted(sizes) and sizes[0] < sizes[1] < sizes[2]
    assert abs(roots.energies[0] - exact.energies[0]) < 1e-9
    assert abs(space.second_order(small_water, vectors, roots.energies)["energy"][0]) < 1e-12


@pytest.mark.gpu
def test_vectors_stay_on_the_device(water):
    cupy = pytest.importorskip("cupy")
    space = cisolve.Space.full(water, (5, 5), irrep=1)
    x = np.random.default_rng(2).standard_normal((3, len(space)))
    for storage in ("direct", "csr"):
        host = cisolve.Operator(water, space, storage=storage, device="cpu")
        op = cisolve.Operator(water, space, storage=storage, device="cuda")
        expected = host.matvec(x)
        assert np.allclose(op.matvec(x), expected, atol=1e-10)
        there = cupy.asarray(x)
        found = op.matvec(there)
        assert isinstance(found, cupy.ndarray) and found.shape == x.shape
        assert np.allclose(cupy.asnumpy(found), expected, atol=1e-10)
        assert np.allclose(cupy.asnumpy(op.matvec(there[1])), expected[1], atol=1e-10)
        with pytest.raises(cisolve.InputError, match="contiguous"):
            op.matvec(there.astype(cupy.float32))
        with pytest.raises(cisolve.InputError, match="on the CPU"):
            host.matvec(there)
        roots = cisolve.solve(op, count=2, tolerance=1e-8)
        assert np.allclose(roots.energies, cisolve.solve(host, count=2, tolerance=1e-8).energies, atol=1e-9)
