"""Draws the calls of a CPU profile as a flame graph, as a page that a browser shows.

    python flame.py flame.html app.cpuprofile

The page loads Vega from the network. `heapquarry.report("app.cpuprofile")` draws one that loads nothing.
"""

import sys

import altair as alt
import polars as pl

import heapquarry as hq


COLUMNS = ["node_index", "parent_index", "depth", "function_name", "self_time_us", "total_time_us"]


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


def chart(bars: pl.DataFrame) -> alt.Chart:
    bars = bars.filter(pl.col("end") > pl.col("start"))
    chart: alt.Chart = (
        alt.Chart(bars)
        .mark_rect(stroke="white")
        .encode(
            x=alt.X("start:Q", title="µs"),
            x2="end:Q",
            y=alt.Y("depth:O", title=None),
            color=alt.Color("function_name:N", legend=None),
            tooltip=["function_name", "self_time_us", "total_time_us"],
        )
        .properties(width=900)
    )
    return chart


def main(page: str, profile: str) -> None:
    chart(frames(profile)).save(page)


if __name__ == "__main__":
    main(*sys.argv[1:])
