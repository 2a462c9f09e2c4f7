# SPDX-License-Identifier: MIT
"""The paper's Figures 3 to 7, as PNG and SVG. Needs matplotlib; without it there are tables alone."""

from . import published
from .tables import MEMORY, MIB, bytes_of, products_found, times


def load_pyplot():
    """matplotlib.pyplot, or None."""
    try:
        import matplotlib
    except ImportError:
        return None
    matplotlib.use("Agg")  # no display is needed
    matplotlib.rcParams["svg.hashsalt"] = "cisolve"  # the same figures give the same file
    from matplotlib import pyplot

    return pyplot


def bars(pyplot, file, title, label, names, series, zoom=False):
    """Groups of bars: `series` are (name, values), a value may be None; `zoom` leaves out what all have in
    common."""
    figure, axes = pyplot.subplots(figsize=(10, 4.5), constrained_layout=True)
    width = 0.8 / len(series)
    colours = {}
    for k, (name, values) in enumerate(series):
        at = [i + (k - (len(series) - 1) / 2) * width for i in range(len(names))]
        base = name.removesuffix(", paper")
        of_paper = name == "paper" or name != base
        colours.setdefault(base, f"C{len(colours)}")
        style = {"color": colours[base], "label": name, "alpha": 0.5 if of_paper else 1}
        axes.bar(at, [value or 0 for value in values], width, hatch="//" if of_paper else None, **style)
    axes.set_xticks(range(len(names)), names, rotation=30, ha="right")
    axes.set_ylabel(label)
    axes.set_title(title)
    if zoom:
        known = [value for _, values in series for value in values if value]
        low, high = min(known), max(known)
        axes.set_ylabel(f"{label} (not from 0)")
        axes.set_ylim(low - 0.2 * (high - low or low), high + 0.1 * (high - low or high))
    if len(series) > 1:
        axes.legend(fontsize=8, loc="upper left", bbox_to_anchor=(1.01, 1))  # beside the axes
    for ending in ("png", "svg"):
        figure.savefig(
            file.with_suffix(f".{ending}"), dpi=120, metadata={"Date": None} if ending == "svg" else None
        )
    pyplot.close(figure)


def memory_series(figures, matrices, with_published):
    series = [
        (heading, [bytes_of(found, name, "paper_bytes") / MIB for found in figures])
        for heading, name, _ in MEMORY
    ]
    if with_published:
        series += [
            (f"{heading}, paper", [column[m.number - 1] for m in matrices]) for heading, _, column in MEMORY
        ]
    return series


def draw_set(pyplot, folder, prefix, what, matrices, figures, measured, with_published):
    """Figures 3 to 6 of ten matrices."""
    names = [matrix.name for matrix in matrices]

    def with_paper(name, ours, column):
        return [(name, ours)] + (
            [("paper", [column[m.number - 1] for m in matrices])] if with_published else []
        )

    bars(
        pyplot,
        folder / f"{prefix}-figure3",
        f"Figure 3. Total nonzeros, {what}",
        "nonzeros",
        names,
        with_paper("this run", [found["nonzeros"] for found in figures], published.TOTAL_NONZEROS),
        zoom=True,
    )
    bars(
        pyplot,
        folder / f"{prefix}-figure4",
        f"Figure 4. Share of zeros, {what}",
        "share of zeros",
        names,
        with_paper("this run", [found["sparsity"] for found in figures], published.SPARSITY),
        zoom=True,
    )
    bars(
        pyplot,
        folder / f"{prefix}-figure5",
        f"Figure 5. Memory by the paper's formulae, {what}",
        "MiB",
        names,
        memory_series(figures, matrices, with_published),
        zoom=with_published,
    )
    draw_times(pyplot, folder / f"{prefix}-figure6", f"Figure 6. Time of a product, {what}", names, measured)


def draw_times(pyplot, file, title, names, measured):
    """Figure 6 or 7. The paper's times, of a card of 2012, would hide those of this machine: not drawn."""
    series = [(heading, times(measured, name)) for name, heading in products_found(measured)]
    if series:
        bars(pyplot, file, title, "ms", names, series)
