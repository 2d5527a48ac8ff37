# SPDX-License-Identifier: MIT
"""Charts of what was measured, as SVG that is committed.

The same figures give the same bytes with one version of matplotlib: nothing in
a file is a date or drawn at random.  Text stays text.  The background is white,
so that a chart can be read on dark pages, too.
"""

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


def save(figure, path):
    """The kind of file is the end of its name."""
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None, "Creator": None}
                   if str(path).endswith(".svg") else None)


def draw_compare(names, columns, path):
    """Dots for each name in a panel for each of the columns, (title, values,
    their texts, whether more is better); nc3z's are red."""
    pyplot = start()
    if not pyplot:
        return
    figure, panels = pyplot.subplots(1, len(columns), sharey=True,
                                     figsize=(10, 0.5 + 0.3 * len(names)))
    rows = list(range(len(names), 0, -1))
    colours = [OURS if "nc3z" in name else PEER for name in names]
    for axis, (title, values, texts, is_more_better) in zip(panels, columns):
        axis.set_title(title, fontsize=10, loc="left", fontweight="bold")
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
    save(figure, path)


def draw_ratio(points, path):
    """Ratios of files, side by side in the order of the first point's;
    points: a name and the ratios in the same order of files, None for none."""
    pyplot = start()
    if not pyplot:
        return
    figure, axis = pyplot.subplots(figsize=(10, 3.6))
    order = sorted(range(len(points[0][1])), key=lambda k: points[0][1][k])
    looks = [(OURS, "o"), ("#0969da", "x"), ("#1a7f37", "+"), (PEER, "_")]
    for (name, ratios), (colour, mark) in zip(points, looks):
        there = [(i, ratios[k]) for i, k in enumerate(order) if ratios[k]]
        axis.scatter(*zip(*there), c=colour, marker=mark, s=26, label=name)
    axis.set_yscale("log")
    ticks = [t for t in (0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500)
             if axis.get_ylim()[0] <= t <= axis.get_ylim()[1]]
    axis.set_yticks(ticks, [f"{t:g}" for t in ticks])
    axis.minorticks_off()
    axis.grid(axis="y")
    axis.set_xticks([])
    axis.set_xlim(-1, len(order))
    axis.set_xlabel(f"{len(order)} files of 64 KiB and more, in the order of"
                    f" {points[0][0]}'s ratio", color=PEER)
    axis.set_ylabel("times smaller")
    axis.legend(frameon=False, ncol=len(points), loc="upper left")
    save(figure, path)
