"""Plots how the heap of a program grows, by class, over several snapshots.

    python growth.py growth.png 1.heapsnapshot 2.heapsnapshot 3.heapsnapshot
"""

import sys

import matplotlib.pyplot as plt
import polars as pl
from matplotlib.figure import Figure

import heapquarry as hq

# Bytes of each class in each snapshot. Only two columns are decoded.
CLASSES = 8


def sizes(path: str) -> pl.DataFrame:
    nodes = hq.scan(path, "js_heap_nodes")
    objects = nodes.filter(pl.col("type") == "object")
    sums = objects.group_by("name").agg(pl.col("self_size").sum().alias("bytes"))
    return sums.with_columns(snapshot=pl.lit(path)).collect()


def draw(*snapshots: str) -> Figure:
    """A line for each of the classes that grew most."""
    found = pl.concat([sizes(path) for path in snapshots])
    by_class = found.pivot("snapshot", index="name", values="bytes").fill_null(0)
    growth = pl.col(snapshots[-1]) - pl.col(snapshots[0])
    largest = by_class.sort(growth, descending=True).head(CLASSES)
    figure, axes = plt.subplots(figsize=(9, 5))
    for name, *row in largest.iter_rows():
        axes.plot(range(1, len(row) + 1), [size / 1e6 for size in row], marker="o", label=name)
    axes.set(xlabel="snapshot", ylabel="MB", title="What grew")
    axes.set_xticks(range(1, len(snapshots) + 1))
    axes.legend()
    return figure


def main(picture: str, *snapshots: str) -> None:
    draw(*snapshots).savefig(picture)


if __name__ == "__main__":
    main(*sys.argv[1:])
