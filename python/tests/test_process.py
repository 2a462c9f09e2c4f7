# SPDX-License-Identifier: MIT
"""What the module does to the process it is in: memory, threads, signals, its end."""
import os
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

import cisolve


def python(code, **options):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=120,
                          env=environment, **options)


def resident_bytes():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_a_thousand_solves_take_no_memory(small_water):
    space = cisolve.Space.full(small_water, (5, 5), irrep=1)

    def once():
        op = cisolve.Operator(small_water, space, threads=1)
        roots = cisolve.solve(op, count=2, progress=lambda event: None)
        cisolve.two_particle(space, roots.vectors[0], threads=1)
        return roots.vectors, op.dense([0, 1])

    for _ in range(100):
        once()
    before = resident_bytes()
    for _ in range(1000):
        once()
    assert resident_bytes() - before < 8 * 2**20


def test_results_take_no_files(data):
    job = {"integrals": {"file": str(data / "h2o_sto3g.fcidump")}}
    cisolve.run(job)  # what a device's driver opens stays
    open_files = len(os.listdir("/proc/self/fd"))
    for _ in range(20):
        cisolve.run(job).energies
    assert len(os.listdir("/proc/self/fd")) <= open_files


def test_importing_changes_nothing():
    done = python("""
        import locale, os, signal, threading
        before = [signal.getsignal(s) for s in (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1, signal.SIGPIPE)]
        names, environment, numbers = locale.setlocale(locale.LC_ALL), dict(os.environ), len(os.listdir("/proc/self/task"))
        import numpy
        numbers = len(os.listdir("/proc/self/task"))
        import cisolve
        assert [signal.getsignal(s) for s in (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1, signal.SIGPIPE)] == before
        assert locale.setlocale(locale.LC_ALL) == names and dict(os.environ) == environment
        assert threading.active_count() == 1
        print("as it was")
        """)
    assert done.stdout.strip() == "as it was", done.stderr


def test_a_forked_process_works():
    """Threads that OpenMP keeps are not there in a child: nothing may wait for them."""
    done = python("""
        import os, sys, threading, time, numpy as np, cisolve
        ham = cisolve.Hamiltonian(np.diag(np.arange(6.0)), np.zeros((6,) * 4))
        space = cisolve.Space.full(6, (3, 3))
        c = np.ones(len(space))
        op = cisolve.Operator(ham, space, threads=2)

        def work():
            larger = cisolve.Space.full(6, (3, 2))
            return (cisolve.one_particle(space, c, threads=2), op.matvec(c), op.diagonal(),
                    cisolve.solve(cisolve.Operator(ham, larger, threads=2)).energies)

        expected = work()
        # Another thread is in C++ when the process is forked.
        many = cisolve.Space.full(14, (7, 7))
        busy = threading.Thread(target=lambda: cisolve.two_particle(many, np.ones(len(many)), threads=1), daemon=True)
        busy.start()
        time.sleep(0.2)
        child = os.fork()
        if child == 0:
            sys.exit(0 if all(np.allclose(a, b) for a, b in zip(expected, work())) else 1)  # the module is told of the end
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        """)
    assert done.stdout.strip() == "0", done.stderr


def test_number_of_threads_is_restored(small_water):
    ctypes = pytest.importorskip("ctypes")
    gomp = ctypes.CDLL("libgomp.so.1")
    before = gomp.omp_get_max_threads()
    cisolve.solve(cisolve.Operator(small_water, cisolve.Space.full(small_water, (5, 5)), threads=1))
    cisolve.one_particle(cisolve.Space.full(small_water, (1, 0)), np.eye(7)[0], threads=1)
    assert gomp.omp_get_max_threads() == before


LONG = """
    import threading, time, cisolve
    water = cisolve.Hamiltonian.from_fcidump({file!r})
    op = cisolve.Operator(water, cisolve.Space.full(water, (5, 5)), storage="direct", threads=1)
    begun = threading.Event()
    def work():
        cisolve.solve(op, count=8, tolerance=1e-12, max_iterations=100000, progress=lambda event: begun.set())
"""


def test_the_interpreter_ends_during_a_solve(data):
    """A thread that is in C++ then neither crashes the process nor keeps it for long."""
    began = time.monotonic()
    done = python(LONG.format(file=str(data / "h2o_631g.fcidump.gz")) + """
    threading.Thread(target=work, daemon=True).start()
    begun.wait()
    print("ends now", flush=True)
    """)
    assert done.returncode == 0 and done.stdout.strip() == "ends now", done.stderr
    assert time.monotonic() - began < 60


def test_ctrl_c_from_outside(data):
    """SIGINT while the main thread is in C++, without any callback."""
    code = textwrap.dedent(LONG.format(file=str(data / "h2o_631g.fcidump.gz"))) + textwrap.dedent("""
        print("begins", flush=True)
        try:
            cisolve.solve(op, count=8, tolerance=1e-12, max_iterations=100000)
        except KeyboardInterrupt:
            print("interrupted", flush=True)
        """)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout.readline().strip() == "begins"
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
    assert out.strip() == "interrupted" and process.returncode == 0


def test_two_runs_at_once(data):
    """Calculations with files of their own, side by side in one process."""
    import threading
    job = {"integrals": {"file": str(data / "h2o_sto3g.fcidump")}, "states": {"count": 2}}
    expected, found = cisolve.run(job).energies, []
    threads = [threading.Thread(target=lambda: found.append(cisolve.run(job, threads=1).energies)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4 and all(np.allclose(energies, expected, atol=1e-9) for energies in found)
