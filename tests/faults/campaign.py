# SPDX-License-Identifier: MIT
"""Files that are made bad at random, a way to read them each: the loop, the count and the files that did harm."""
import argparse
import random
import signal
import tempfile
import time
from collections import Counter
from pathlib import Path

from jobs import Broken


def until_interrupted(numbers):
    """A first SIGINT ends the campaign with what was done so far."""
    interrupted = []
    signal.signal(signal.SIGINT, lambda *_: interrupted.append(True))
    for number in numbers:
        if interrupted:
            return
        yield number


def run_campaign(description, count, readers, spoil, judge):
    """Reads the command line and gives `count` bad files to the readers in turn.

    readers(folder, program)  ways to read, with `name` and `job`
    spoil(way, rng)           bytes and in words what was done to them; None in place of bytes: nothing, by chance
    judge(way, data)          reads them; what came of it, in words
    Returns the exit status: 1 if a reader raised Broken.
    """
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path)
    parser.add_argument("--count", type=int, default=count)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="folder for the files that did harm")
    arguments = parser.parse_args()
    tally, broken, start = Counter(), 0, time.monotonic()
    with tempfile.TemporaryDirectory(prefix="cisolve-campaign-") as name:
        ways = list(readers(Path(name), arguments.program.resolve()))
        for k in until_interrupted(range(arguments.count)):
            way = ways[k % len(ways)]
            data, what = spoil(way, random.Random(f"{arguments.seed} {k}"))
            if data is None:
                tally[way.name, "the same bytes"] += 1
                continue
            try:
                tally[way.name, judge(way, data)] += 1
            except Broken as harm:
                broken += 1
                tally[way.name, "BROKEN"] += 1
                print(f"BROKEN {way.name} of {way.job.name}, {what}, number {k}: {harm}", flush=True)
                if arguments.keep:
                    arguments.keep.mkdir(parents=True, exist_ok=True)
                    (arguments.keep / f"{way.name.strip('.')}_{way.job.name}_{k}.h5").write_bytes(data)
    for (way, what), number in sorted(tally.items()):
        print(f"{way:10} {what:15} {number:6}")
    print(f"{sum(tally.values())} files in {time.monotonic() - start:.0f} s, {broken} broken")
    return 1 if broken else 0
