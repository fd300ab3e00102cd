"""Draws the calls of a CPU profile as a flame graph, in matplotlib.

    python flame.py flame.png app.cpuprofile

Calls that are too narrow to be seen are left out. `heapquarry.report("app.cpuprofile")` makes a page to search and
zoom in.
"""

import sys

import matplotlib.pyplot as plt
import polars as pl
from matplotlib.figure import Figure

import heapquarry as hq

COLUMNS = ["node_index", "parent_index", "depth", "function_name", "self_time_us", "total_time_us"]

# The share of all time from which a call is drawn, and from which it has its name.
SEEN, NAMED = 1 / 2000, 1 / 40


def frames(path: str) -> pl.DataFrame:
    """The nodes of the tree of calls, and where their bars begin and end."""
    nodes = hq.open(path).table("js_cpu_profiler_node", columns=COLUMNS).to_polars()
    # A bar begins where that of its parent begins, or the one before it ends.
    free: dict[int, int] = {-1: 0}
    starts = []
    for node, parent, total in nodes.sort("depth", "node_index").select(
        "node_index", "parent_index", "total_time_us"
    ).iter_rows():
        starts.append((node, free[parent]))
        free[node] = free[parent]
        free[parent] += total
    places = pl.DataFrame(starts, ["node_index", "start"], orient="row")
    return nodes.join(places, on="node_index").with_columns(
        end=pl.col("start") + pl.col("total_time_us")
    )


def draw(bars: pl.DataFrame) -> Figure:
    """A bar for each call, those of its callees below it."""
    whole: int = bars.select(pl.col("total_time_us").max()).item()
    seen = bars.filter(pl.col("total_time_us") > whole * SEEN)
    deepest: int = seen.select(pl.col("depth").max()).item()
    figure, axes = plt.subplots(figsize=(12, 1 + 0.25 * (deepest + 1)))
    colors = plt.get_cmap("Set3", 12)
    for name, depth, start, total in seen.select(
        "function_name", "depth", "start", "total_time_us"
    ).iter_rows():
        # One function has one colour, in each run.
        color = colors(sum(name.encode()) % 12)
        axes.barh(depth, total, 1, start, color=color, edgecolor="white", linewidth=0.5)
        if total > whole * NAMED:
            text = axes.text(start, depth, f" {name or '(anonymous)'}", va="center", fontsize=7)
            text.set(clip_on=True, parse_math=False)
            text.set_clip_path(axes.patches[-1])
    axes.set(xlim=(0, whole), ylim=(deepest + 0.5, -0.5), xlabel="µs", yticks=[])
    return figure


def main(picture: str, profile: str) -> None:
    draw(frames(profile)).savefig(picture, bbox_inches="tight")


if __name__ == "__main__":
    main(*sys.argv[1:])
