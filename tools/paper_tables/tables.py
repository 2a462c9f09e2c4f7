# SPDX-License-Identifier: MIT
"""The tables as text, in the layout of the paper, with its figures to the right of the vertical bar."""

from statistics import fmean

from . import published

MIB = 2**20
# Columns of Table 5: heading, format, what the paper prints.
MEMORY = [
    ("CSR", "csr", published.CSR_MIB),
    ("ELL", "ell", published.ELL_MIB),
    ("Sliced ELLPACK", "sliced-ell", published.SLICED_ELL_MIB),
    ("Pro. Model", "hybrid", published.HYBRID_MIB),
]
# Columns of Tables 9 and 10: name of cisolve-bench, heading.
PRODUCTS = [
    ("cuSPARSE CSR_ALG1", "cuSPARSE CSR1"),
    ("cuSPARSE CSR_ALG2 preprocessed", "cuSPARSE CSR2"),
    ("cuSPARSE SELL", "cuSPARSE SELL"),
    ("CSR5", "CSR5"),
    ("cisolve csr", "csr"),
    ("cisolve ell", "ell"),
    ("cisolve sliced-ell", "sliced-ell"),
    ("cisolve hybrid-paper", "hybrid-paper"),
    ("cisolve hybrid", "hybrid"),
    ("cisolve coded", "coded"),
]


def render(title, headings, rows, bar=None, notes=()):
    """A table: rows of cells, the first of each its name; left of column `bar` there is a vertical bar."""
    cells = [[str(cell) for cell in row] for row in [headings, *rows]]
    widths = [max(len(row[k]) for row in cells) for k in range(len(headings))]

    def line(row):
        text = row[0].ljust(widths[0])
        for k in range(1, len(row)):
            text += ("  | " if k == bar else "  ") + row[k].rjust(widths[k])
        return text.rstrip()

    heading = line(cells[0])
    return (
        "\n".join(
            [
                title,
                "",
                heading,
                "-" * len(heading),
                *(line(row) for row in cells[1:]),
                *(f"  {note}" for note in notes),
            ]
        )
        + "\n"
    )


def average(name, columns, form):
    return [name, *(form.format(fmean(column)) if column else "" for column in columns)]


def table3(figures, matrices, with_published):
    headings = ["", "Ref. Non-Zeros", "Exp. Space Non-Zeros", "Total Non-Zeros", "Longest Row-Row No."]
    rows = []
    for matrix, found in zip(matrices, figures):
        row = [
            matrix.name,
            f"{found['reference_nonzeros']:,}",
            f"{found['expansion_nonzeros']:,}",
            f"{found['nonzeros']:,}",
            f"{found['longest_row']}-{found['longest_row_index']:,}",
        ]
        if with_published:
            k = matrix.number - 1
            row += [
                f"{published.REFERENCE_NONZEROS[k]:,}",
                f"{published.EXPANSION_NONZEROS[k]:,}",
                f"{published.TOTAL_NONZEROS[k]:,}",
                f"{published.LONGEST_ROW[k]}-{published.LONGEST_ROW_NUMBER[k]:,}",
            ]
        rows.append(row)
    if with_published:
        headings += ["paper: Ref.", "Exp. Space", "Total", "Longest"]
    return render(
        "Table 3. Nonzeros; the reference region is the left tenth of the columns.",
        headings,
        rows,
        5 if with_published else None,
    )


def table4(figures, matrices, with_published):
    keys = ["reference_sparsity", "expansion_sparsity", "sparsity"]
    printed = [published.REFERENCE_SPARSITY, published.EXPANSION_SPARSITY, published.SPARSITY]
    headings = ["", "Ref. Region Spar.", "Exp. Space Region Spar.", "Total Spar."]
    headings += ["paper: Ref.", "Exp. Space", "Total"] if with_published else []
    rows = [
        [
            matrix.name,
            *(f"{found[key]:.6f}" for key in keys),
            *(f"{column[matrix.number - 1]:.6f}" for column in printed if with_published),
        ]
        for matrix, found in zip(matrices, figures)
    ]
    return render("Table 4. Share of zeros.", headings, rows, 4 if with_published else None)


def bytes_of(found, name, key):
    for entry in found["formats"]:
        if entry["name"] == name:
            return entry[key]
    return None


def table5(figures, matrices, with_published):
    ours = [[bytes_of(found, name, "paper_bytes") / MIB for found in figures] for _, name, _ in MEMORY]
    printed = [[column[m.number - 1] for m in matrices] for _, _, column in MEMORY if with_published]
    columns = ours + printed
    headings = ["", *(h for h, _, _ in MEMORY), *(f"paper: {h}" for h, _, _ in MEMORY if with_published)]
    rows = [[matrix.name, *(f"{column[k]:.2f}" for column in columns)] for k, matrix in enumerate(matrices)]
    rows.append(average("Average", columns, "{:.2f}"))
    slice_rows = figures[0]["slice_rows"]
    notes = [f"Sliced ELLPACK: slices of {slice_rows:,} rows (the paper does not say how many it takes)."]
    if with_published:
        notes += [
            "The paper's CSR and ELL columns do not follow from its Table 3 by its own formulae;",
            "its hybrid column does, to the last digit.",
        ]
    return render(
        "Table 5. Memory by the paper's formulae, MiB.", headings, rows, 5 if with_published else None, notes
    )


def table5_allocated(figures, matrices, measured):
    names = [entry["name"] for entry in figures[0]["formats"]]

    def size(found, products, name):
        # What a timed product really held; else what the format plans, which is a bound for coded.
        held = products.get(f"cisolve {name}", {}).get("bytes")
        return (held or bytes_of(found, name, "bytes")) / MIB

    columns = [[size(found, products, name) for found, products in zip(figures, measured)] for name in names]
    rows = [
        [matrix.name, *(f"{column[k]:.2f}" for column in columns), figures[k]["ell_width"]]
        for k, matrix in enumerate(matrices)
    ]
    rows.append([*average("Average", columns, "{:.2f}"), ""])
    per_nonzero = [
        [size(found, products, name) * MIB / found["nonzeros"] for found, products in zip(figures, measured)]
        for name in names
    ]
    rows.append([*average("Bytes per nonzero", per_nonzero, "{:.2f}"), ""])
    return render(
        "Table 5, as cisolve allocates it, MiB: 64-bit offsets, aligned rows, slices of 32 rows.",
        ["", *names, "ELL width"],
        rows,
    )


def tables_6_to_8(runs):
    """@param runs  products of Matrix 1 with all variants, from processes of their own"""
    text = []
    for table, size in zip((6, 7, 8), (16, 32, 64)):
        name = f"cisolve hybrid-paper block {size}"
        found = [run[name] for run in runs if name in run]
        title = f"Table {table}. The proposed kernel on Matrix 1 with a block size of {size}, ms."
        printed = published.BLOCK_SIZE_MS[size]
        if not found:
            text.append(
                f"{title}\n\n  Not measured: cisolve-bench has no such kernel.\n"
                f"  Published: {fmean(printed):.4f} ms, mean of five runs.\n"
            )
            continue
        rows = [
            [size, *(f"{run[key]:.4f}" for key in ("minimum", "maximum", "median")), f"{value:.4f}"]
            for run, value in zip(found, printed)
        ]
        rows.append(
            ["Average", "", "", f"{fmean(run['median'] for run in found):.4f}", f"{fmean(printed):.4f}"]
        )
        text.append(render(title, ["Block Size", "Min", "Max", "Median", "paper: Avg"], rows, 4))
    return "\n".join(text)


def products_found(measured):
    """The columns there are times for."""
    return [(name, heading) for name, heading in PRODUCTS if any(name in products for products in measured)]


def times(measured, name, scale=1.0):
    return [products[name]["median"] * scale if name in products else None for products in measured]


def table_of_times(title, matrices, measured, printed, scale, form, notes=()):
    """Table 9 or 10. `printed`: (heading, column) of the paper, or empty."""
    found = products_found(measured)
    columns = [times(measured, name, scale) for name, _ in found]
    columns += [[column[m.number - 1] for m in matrices] for _, column in printed]
    headings = ["", *(heading for _, heading in found), *(f"paper: {heading}" for heading, _ in printed)]

    def cell(value):
        return "-" if value is None else form.format(value)

    rows = [[matrix.name, *(cell(column[k]) for column in columns)] for k, matrix in enumerate(matrices)]
    rows.append(average("Average", [[v for v in column if v is not None] for column in columns], form))
    return render(title, headings, rows, 1 + len(found) if printed else None, notes)
