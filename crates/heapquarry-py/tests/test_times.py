"""Times of tables in data frames: with their units, and nothing where there is none."""

import json

import pandas as pd
import polars as pl
import pytest

import heapquarry as hq
from heapquarry import _times
from heapquarry.tables import declared
from conftest import CORPUS

TRACE = json.dumps(
    [
        {"ph": "X", "name": "whole", "pid": 1, "tid": 1, "ts": 5, "dur": 1.5},
        {"ph": "B", "name": "open", "pid": 1, "tid": 1, "ts": 9},
    ]
).encode()


def numbers(table: "hq.Table", name: str) -> list:
    return table.to_pyarrow().column(name).to_pylist()


def test_durations_have_their_unit_and_those_without_an_end_are_none():
    slices = hq.open(TRACE)["slice"]
    assert numbers(slices, "dur") == [1500, -1]
    frame = slices.to_pandas(times=True)
    assert frame.dur[0] == pd.Timedelta(1500, "ns") and frame.dur[1] is pd.NaT
    assert list(frame.ts) == [pd.Timedelta(5, "us"), pd.Timedelta(9, "us")]
    frame = slices.to_polars(times=True)
    assert frame.schema["dur"] == pl.Duration("ns") and frame["dur"].to_physical().to_list() == [1500, None]
    # Without the option they are numbers.
    assert slices.to_pandas().dur.tolist() == slices.to_polars()["dur"].to_list() == [1500, -1]


def test_points_in_time_are_those_of_the_calendar():
    profile = hq.open(CORPUS / "pprof/go-heap.pb")
    name = next(name for name in profile if "time_ns" in [column.name for column in profile[name].columns])
    [nanos] = numbers(profile[name], "time_ns")
    [time] = profile[name].to_pandas(times=True).time_ns
    assert time == pd.Timestamp(nanos, unit="ns", tz="UTC") and time.year > 2020
    assert profile[name].to_polars(times=True).schema["time_ns"] == pl.Datetime("ns", "UTC")


@pytest.mark.parametrize("backend", [None, "numpy_nullable", "pyarrow"])
def test_every_time_of_a_file_is_the_same_in_both_libraries(backend):
    for path in ["profiles/current.cpuprofile", "profiles/chromium.selfprofile.json", "traces/chromium.trace.json.gz"]:
        file = hq.open(CORPUS / path)
        for name in file:
            table = file[name]
            columns = [column.name for column in _times.times(table.columns)]
            if not columns:
                continue
            table = table.select(*columns)
            some = table.to_pandas(times=True, dtype_backend=backend)
            other = table.to_polars(times=True)
            for column in columns:
                left = pd.Series(some[column]).astype("object")
                nanos = [None if pd.isna(value) else value.value for value in map(pd.Timedelta, left)] \
                    if not _times.is_instant(next(c for c in table.columns if c.name == column)) else None
                if nanos is not None:
                    right = other[column].dt.total_nanoseconds().to_list()
                    assert nanos == right, (path, name, column)


def test_what_is_declared_says_which_times_they_are():
    for name, (_, columns) in declared().items():
        for column in _times.times(columns):
            assert _times.is_instant(column) == ("since 1970" in column.meaning), (name, column)
            # An end that is missing is -1 in durations only.
            assert _times.may_be_open(column) == ("-1" in column.meaning), (name, column)
        others = [column for column in columns if column.unit not in _times.NANOS]
        assert not any(column.time for column in others), name
