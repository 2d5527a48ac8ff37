# SPDX-License-Identifier: MIT
"""Charts of doc/figures.json, as SVG that is committed; see figures.py.

The same figures give the same bytes with one version of matplotlib: nothing in
a file is a date or drawn at random.  Text stays text.  The background is white,
so that a chart can be read on dark pages, too.
"""

import pathlib
import sys

from ratio import LARGE_NBYTES

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "hygiene"))

from check_figures import shown, stamp  # noqa: E402

CHARTED = "nc3z", "xz -9e", "gzip -9", "nccopy -d9 -s"
OURS, PEER = "#cf222e", "#57606a"
SETTINGS = {"svg.hashsalt": "nc3z", "svg.fonttype": "none",
            "font.family": "sans-serif", "font.size": 10,
            "axes.spines.top": False, "axes.spines.right": False,
            "axes.edgecolor": "#8c959f", "axes.labelcolor": "#1f2328",
            "xtick.color": PEER, "ytick.color": "#1f2328",
            "text.color": "#1f2328", "axes.axisbelow": True,
            "grid.color": "#d8dee4"}


def start():
    """matplotlib's pyplot; None, after saying so, if it is not there."""
    try:
        import matplotlib
        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError:
        print("no chart: python3-matplotlib is not installed")
        return None
    matplotlib.rcParams.update(SETTINGS)
    return pyplot


def save(figure, path, stamp):
    """An SVG that says what it was drawn from."""
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None, "Creator": None,
                                   "Source": stamp})


def draw_compare(table, path):
    """Dots for each row in a panel for some columns; nc3z's are red."""
    pyplot = start()
    if not pyplot:
        return
    names = list(table["rows"])
    headings = "smaller by", "read all", "one map", "one point's series"
    figure, panels = pyplot.subplots(1, len(headings), sharey=True,
                                     figsize=(10, 0.5 + 0.3 * len(names)))
    rows = list(range(len(names), 0, -1))
    colours = [OURS if "nc3z" in name else PEER for name in names]
    for axis, heading in zip(panels, headings):
        values = [row[heading] for row in table["rows"].values()]
        texts = [shown(table, name, heading) for name in names]
        is_more_better = heading == "smaller by"
        axis.set_title(heading, fontsize=10, loc="left", fontweight="bold")
        least = 0 if is_more_better else min(values) / 2
        axis.hlines(rows, least, values, colours, alpha=0.35)
        axis.scatter(values, rows, c=colours, s=28, zorder=3)
        for value, row, text in zip(values, rows, texts):
            axis.annotate(text, (value, row), xytext=(6, -3.5), fontsize=9,
                          textcoords="offset points")
        if is_more_better:
            axis.set_xlim(least, max(values) * 1.3)
        else:
            axis.set_xscale("log")
            axis.set_xlim(least, max(values) * 20)
        axis.set_xticks([])
        axis.minorticks_off()
        axis.spines["bottom"].set_visible(False)
        axis.tick_params(axis="y", length=0)
    panels[0].set_yticks(rows, names)
    panels[0].set_ylim(0.4, len(names) + 0.6)
    save(figure, path, stamp(table))


def draw_ratio(table, path):
    """Ratios of files of 64 KiB and more, in the order of nc3z's."""
    pyplot = start()
    if not pyplot:
        return
    figure, axis = pyplot.subplots(figsize=(10, 3.6))
    files = sorted((row for row in table["rows"].values()
                    if row["original"] >= LARGE_NBYTES),
                   key=lambda row: row["original"] / row[CHARTED[0]])
    looks = [(OURS, "o"), ("#0969da", "x"), ("#1a7f37", "+"), (PEER, "_")]
    for name, (colour, mark) in zip(CHARTED, looks):
        there = [(i, row["original"] / row[name])
                 for i, row in enumerate(files) if row.get(name)]
        axis.scatter(*zip(*there), c=colour, marker=mark, s=26, label=name)
    axis.set_yscale("log")
    ticks = [t for t in (0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500)
             if axis.get_ylim()[0] <= t <= axis.get_ylim()[1]]
    axis.set_yticks(ticks, [f"{t:g}" for t in ticks])
    axis.minorticks_off()
    axis.grid(axis="y")
    axis.set_xticks([])
    axis.set_xlim(-1, len(files))
    axis.set_xlabel(f"{len(files)} files of 64 KiB and more, in the order of"
                    f" {CHARTED[0]}'s ratio", color=PEER)
    axis.set_ylabel("times smaller (below 1: larger)")
    axis.legend(frameon=False, ncol=len(CHARTED), loc="upper left")
    save(figure, path, stamp(table))
