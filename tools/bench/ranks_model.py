#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Seconds of a product on many GPUs, from exact plans and assumed rates.

  cisolve-bench ranks JOB.inp --plan-only --ranks 64,256,1024 --json plans.json
  tools/bench/ranks_model.py plans.json [more.json ...] [--nvlink 330e9] [--port 46e9]

Counted, in the plans: multiplications and how evenly they are shared out, bytes that move, rows that a rank or a node reaches.
Assumed: the rates, and that transfers hide behind sums as long as these take. Three forms of the product:

  whole    x is gathered on every GPU before the opposite-spin sums
  strips   x is gathered some columns at a time, the next while one is worked on
  rows     as strips, of x only the rows that a rank's strings reach, which come once to every node; not written yet
"""
import argparse
import json
import sys

# N2 cc-pVDZ, 540,924,024 determinants, on one H200: 608 ms a product, 62 + 26 of it same-spin sums (docs/performance.md), over
# the multiplications that a plan counts.
N2_OPPOSITE, N2_SAME_SPIN = 0.520, 0.088
N2_COST, N2_SAME_SPIN_COST = 9.917541416448e12, 3.55870368672e11


class Rates:
    """Bytes and multiplications per second."""

    def __init__(self, nvlink=330e9, port=46e9, memory=4e12, opposite=N2_COST / N2_OPPOSITE,
                 same_spin=N2_SAME_SPIN_COST / N2_SAME_SPIN):
        self.nvlink, self.port, self.memory = nvlink, port, memory
        self.opposite, self.same_spin = opposite, same_spin


def seconds_of_one(plan, rates):
    """On one GPU that had room: sums of both kinds."""
    return plan["cost"] / rates.opposite + plan["same_spin"] / rates.same_spin


def gather_seconds(report, plan, rates, only_reached):
    """Until all that a rank needs of x is there, if nothing else goes on."""
    ranks = plan["ranks"]
    together = min(ranks, report["gpus_per_node"])
    nodes = -(-ranks // together)
    x = 8.0 * report["rows"]
    to_rank = plan["reach_of_rank"]["most"] if only_reached else 1.0
    to_node = plan["reach_of_node"]["most"] if only_reached else 1.0
    inside = max(to_rank - 1.0 / ranks, 0.0) * x / rates.nvlink
    between = max(to_node - 1.0 / nodes, 0.0) * x / (together * rates.port)
    return max(inside, between)


def turn_seconds(report, plan, rates):
    """Until what was computed by beta strings is with the owners of the alpha strings."""
    ranks = plan["ranks"]
    together = min(ranks, report["gpus_per_node"])
    received = max(rank["columns_received_bytes"] for rank in plan["some_ranks"])
    if ranks == 1:
        return 0.0
    inside = (together - 1) / (ranks - 1)
    return received * max(inside / rates.nvlink, (1.0 - inside) / rates.port)


def product_seconds(report, plan, rates, form, strips):
    """A product of one vector, in the form "whole", "strips" or "rows"."""
    ranks = plan["ranks"]
    sums = plan["imbalance"] * seconds_of_one(plan, rates) / ranks
    if ranks == 1:
        return sums
    own = 0.5 * plan["same_spin"] / rates.same_spin / ranks
    gather, turn = gather_seconds(report, plan, rates, form == "rows"), turn_seconds(report, plan, rates)
    if form == "whole":
        return sums + max(0.0, gather - own) + max(0.0, turn - 0.5 * sums)
    sums += strips * 2 * 8.0 * report["rows"] / ranks / rates.memory  # rows of y are read and written for every strip
    return (sums + max(0.0, gather / strips - own) + max(0.0, gather * (1 - 1 / strips) - sums) +
            max(0.0, 2 * turn - 0.5 * sums))


def row(report, plan, rates, strips):
    ranks, one = plan["ranks"], seconds_of_one(plan, rates)
    cells = [report["job"].split(",")[0], str(ranks), f"{-(-report['strings'][0] // ranks):,}",
             f"{plan['reach_of_rank']['most']:.3f}, {plan['reach_of_node']['most']:.3f}", f"{plan['imbalance']:.3f}",
             f"{gather_seconds(report, plan, rates, False):.3g}, {gather_seconds(report, plan, rates, True):.3g} s"]
    for form in ("whole", "strips", "rows"):
        seconds = product_seconds(report, plan, rates, form, strips)
        cells.append(f"{seconds:.3g} s, {100 * one / ranks / seconds:.0f}%")
    return "| " + " | ".join(cells) + " |"


def table(reports, rates, strip_bytes):
    lines = ["| job | GPUs | strings of a rank | of x for a rank, a node | most work / mean | gathering all, rows | whole | strips | rows |",
             "|---|---|---|---|---|---|---|---|---|"]
    for report in sorted(reports, key=lambda report: report["rows"]):
        strips = max(2, -(-8 * report["rows"] // strip_bytes))
        lines += [row(report, plan, rates, strips) for plan in report["plans"]]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("plans", nargs="+", help="JSON of cisolve-bench ranks --plan-only")
    parser.add_argument("--nvlink", type=float, default=330e9, help="bytes/s that a GPU receives inside a node (%(default)g)")
    parser.add_argument("--port", type=float, default=46e9, help="bytes/s of a GPU's network port (%(default)g)")
    parser.add_argument("--memory", type=float, default=4e12, help="bytes/s of device memory (%(default)g)")
    parser.add_argument("--strip-bytes", type=int, default=4 << 30, help="of a strip (%(default)d)")
    options = parser.parse_args()
    reports = []
    for file in options.plans:
        with open(file, encoding="utf-8") as text:
            reports.append(json.load(text))
    if any("plans" not in report for report in reports):
        sys.exit("ranks_model: a file is none of cisolve-bench ranks --plan-only")
    print(table(reports, Rates(options.nvlink, options.port, options.memory), options.strip_bytes))


if __name__ == "__main__":
    main()
