#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What H and S of FLAPW cost as plane waves and atoms become more: measured by cisolve-bench, beside the model.

  tools/bench/lapw_cost.py measure BENCH OUT.json [--waves 500,1000,2000] [--atoms 16,32,64] [--fixed-atoms 32]
                           [--fixed-waves 1000] [--lmax 6] [--device cpu] [--repeats 3]
  tools/bench/lapw_cost.py draw IN.json OUT.svg

Left: seconds by plane waves, of a fixed number of atoms; right: by atoms, of a fixed number of plane waves. Points are
medians of hsdla and merged (pseudo-random coefficients) and of split (atoms on a grid); lines are useful operations
(hsdla 22, merged 16, split 8 K N^2) over the rate of ZGEMM of the same runs.
"""
import argparse
import json
import subprocess
import tempfile
from pathlib import Path

FLOPS = {"hsdla": 22, "merged": 16, "split": 8}  # times K N^2; hsdla: half of the atoms with T_AA positive definite
COLOURS = {"hsdla": "tab:red", "merged": "tab:blue", "split": "tab:green"}


def numbers(text):
    return [int(part) for part in text.split(",")]


def measure(arguments, atoms, waves):
    """Median seconds by algorithm, and the rate of ZGEMM."""
    seconds, rates = {}, []
    for algorithms in (["hsdla", "merged"], ["split", "--crystal"]):
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder, "lapw.json")
            subprocess.run([arguments.bench, "lapw", "--device", arguments.device, "--atoms", str(atoms), "--waves", str(waves),
                            "--lmax", str(arguments.lmax), "--repeats", str(arguments.repeats), "--json", str(report),
                            "--algorithms", *algorithms], check=True, stdout=subprocess.DEVNULL)
            results = json.loads(report.read_text(encoding="utf-8"))["results"]
        rates.append(results["zgemm_flop_per_s"])
        seconds |= {one["algorithm"]: one["median_s"] for one in results["algorithms"]}
    print(f"{atoms} atoms, {waves} plane waves: " + ", ".join(f"{name} {time:.4f} s" for name, time in seconds.items()),
          flush=True)
    return {"atoms": atoms, "waves": waves, "seconds": seconds, "zgemm_flop_per_s": max(rates)}


def measure_all(arguments):
    curves = {"by_waves": [measure(arguments, arguments.fixed_atoms, waves) for waves in arguments.waves],
              "by_atoms": [measure(arguments, atoms, arguments.fixed_waves) for atoms in arguments.atoms],
              "lmax": arguments.lmax}
    Path(arguments.out).write_text(json.dumps(curves, indent=1), encoding="utf-8")


def draw_curve(axes, points, by, lmax, label):
    places = [point[by] for point in points]
    for name, factor in FLOPS.items():
        model = [factor * point["atoms"] * (lmax + 1) ** 2 * point["waves"] ** 2 / point["zgemm_flop_per_s"] for point in points]
        axes.loglog(places, model, color=COLOURS[name], linewidth=1)
        axes.loglog(places, [point["seconds"][name] for point in points], "o", color=COLOURS[name], label=name)
    axes.set_xlabel(label)
    axes.set_ylabel("H and S, seconds")
    axes.grid(True, which="both", alpha=0.3)
    axes.legend()


def draw(arguments):
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    curves = json.loads(Path(arguments.measured).read_text(encoding="utf-8"))
    by_waves, by_atoms = curves["by_waves"], curves["by_atoms"]
    plt.rcParams["svg.hashsalt"] = "cisolve"
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    draw_curve(left, by_waves, "waves", curves["lmax"], f"plane waves ({by_waves[0]['atoms']} atoms)")
    draw_curve(right, by_atoms, "atoms", curves["lmax"], f"atoms ({by_atoms[0]['waves']} plane waves)")
    figure.savefig(arguments.out, metadata={"Date": None})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True)
    measured = commands.add_parser("measure")
    measured.add_argument("bench")
    measured.add_argument("out")
    measured.add_argument("--waves", type=numbers, default=[500, 1000, 2000])
    measured.add_argument("--atoms", type=numbers, default=[16, 32, 64])
    measured.add_argument("--fixed-atoms", type=int, default=32)
    measured.add_argument("--fixed-waves", type=int, default=1000)
    measured.add_argument("--lmax", type=int, default=6)
    measured.add_argument("--device", default="cpu")
    measured.add_argument("--repeats", type=int, default=3)
    measured.set_defaults(run=measure_all)
    drawn = commands.add_parser("draw")
    drawn.add_argument("measured")
    drawn.add_argument("out")
    drawn.set_defaults(run=draw)
    arguments = parser.parse_args()
    arguments.run(arguments)


if __name__ == "__main__":
    main()
