"""Heap snapshots, profiles and traces as tables of Spark 4.

>>> from heapquarry.spark import HeapquarryDataSource
>>> spark.dataSource.register(HeapquarryDataSource)
>>> spark.read.format("heapquarry").option("table", "js_heap_nodes").load("heaps/*.heapsnapshot")

A file is a partition, which an executor decodes, or each document of a container. The executors need nothing but this
package.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any

from ._missing import need
from .inputs import files

try:
    from pyspark.sql.datasource import (
        DataSource,
        DataSourceReader,
        DataSourceStreamReader,
        InputPartition,
    )
except ImportError as error:
    message = "heapquarry.spark needs the package pyspark: pip install 'heapquarry[spark]'"
    raise ImportError(message, name="pyspark") from error

from ._spark_convert import convert

__all__ = ["HeapquarryDataSource", "convert"]

SOURCE = "source"
"""Column of the data source with the path of the input. `file_id` counts documents within it."""


class HeapquarryDataSource(DataSource):
    """The data source `heapquarry`.

    Options: `table`, which is required; `columns`, some of its columns, with commas between them: others are not decoded;
    `names`, `text` or `id`; `ignoreCorruptFiles`, `true` to leave out files that cannot be read. `load` takes a file, a
    folder, a path with `*`, an address of these (`s3a://bucket/prefix/`), or a list of these.

    `documents`, `true` to have a partition for each document of a container (ZIP, `.htrace`, a file of messages), as
    `PATH#0`, `PATH#1` and so on: that is then the source, and `file_id` counts within it. The driver opens each file.

    `spark.readStream` takes up new files, each once (Spark 4.2 and later): `maxFilesPerTrigger`, 1,000 by default, at a
    time.
    """

    @classmethod
    def name(cls) -> str:
        return "heapquarry"

    def _columns(self) -> list[str]:
        columns = self.options.get("columns", "")
        return [name.strip() for name in columns.split(",") if name.strip()]

    def _table(self) -> str:
        table = self.options.get("table")
        if not table:
            raise ValueError("the data source heapquarry needs the option `table`, such as js_heap_nodes")
        return table

    def schema(self) -> Any:
        from pyspark.sql.pandas.types import from_arrow_schema

        return from_arrow_schema(_schema(self._table(), self._columns()))

    def reader(self, schema: Any) -> DataSourceReader:
        inputs, decoder = _inputs(self.options), self._decoder(schema)
        if _is_set(self.options, "documents"):
            inputs = [document for path in inputs for document in decoder.documents(path)]
        return _Reader(inputs, decoder)

    def streamReader(self, schema: Any) -> DataSourceStreamReader:  # noqa: N802
        most = int(self.options.get("maxFilesPerTrigger", "1000"))
        if most < 1:
            raise ValueError("maxFilesPerTrigger is 1 or more")
        return _StreamReader(_paths(self.options), most, self._decoder(schema))

    def _decoder(self, schema: Any) -> _Decoder:
        ignore = _is_set(self.options, "ignoreCorruptFiles")
        return _Decoder(self._table(), schema.names, self.options.get("names", "text"), ignore)


def _is_set(options: Any, name: str) -> bool:
    return bool(options.get(name, "false").lower() == "true")


class _File(InputPartition):
    """One input."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path


class _Decoder:
    """Reads the rows of a file, on an executor."""

    def __init__(self, table: str, order: list[str], names: str, ignore: bool) -> None:
        self._table = table
        # A schema of the caller's selects columns.
        self._columns = [name for name in order if name != SOURCE]
        self._order = order
        self._names = names
        self._ignore = ignore

    def documents(self, path: str) -> list[str]:
        """The documents of a container; another file as it is."""
        import heapquarry

        try:
            count = heapquarry.open(path, cache=False, progress=False).document_count
        except heapquarry.InputError:
            # If it is not to be left out, the partition fails.
            return [path]
        return [path] if count < 2 else [f"{path}#{number}" for number in range(count)]

    def rows(self, partition: InputPartition) -> Iterator[Any]:
        import heapquarry

        chosen: Any = partition
        try:
            yield from self._rows(chosen.path)
        except heapquarry.InputError:
            if not self._ignore:
                raise

    def _rows(self, path: str) -> Iterator[Any]:
        import heapquarry

        arrow = need("pyarrow", "heapquarry.spark", "spark")
        file = heapquarry.open(path, names=self._names, cache=False, threads=1, progress=False)
        if self._table not in file.tables:
            return
        # Rows are counted by some column, if only the source is wanted.
        columns = self._columns or ["file_id"]
        schema = _schema(self._table, columns)
        schema = arrow.schema([schema.field(name) for name in self._order])
        for batch in file.table(self._table, columns).batches():
            rows = arrow.record_batch(batch)
            arrays = [
                arrow.repeat(path, rows.num_rows) if name == SOURCE else rows.column(name).cast(schema.field(name).type)
                for name in self._order
            ]
            yield arrow.record_batch(arrays, schema=schema)


class _Reader(DataSourceReader):
    def __init__(self, inputs: list[str], decoder: _Decoder) -> None:
        self._inputs = inputs
        self._decoder = decoder

    def partitions(self) -> list[InputPartition]:
        return [_File(path) for path in self._inputs]

    def read(self, partition: InputPartition) -> Iterator[Any]:
        return self._decoder.rows(partition)


_AGE = 7 * 24 * 3600 * 1000
"""Milliseconds by which a new file may be older than the newest one that was read."""


class _StreamReader(DataSourceStreamReader):
    """Takes up new files in the order of their times.

    An offset has the files that were read, with their times, except those that are much older than the newest: `since`
    says which. So the files of a batch follow from its two offsets, also after a restart.
    """

    def __init__(self, paths: list[str], most: int, decoder: _Decoder) -> None:
        for path in paths:
            if "://" in path.removeprefix("file://"):
                raise ValueError(f"a stream reads files, not addresses: {path}")
        self._paths = paths
        self._most = most
        self._decoder = decoder
        self._available: set[str] | None = None

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802
        return {"since": -1, "files": {}}

    def getDefaultReadLimit(self) -> Any:  # noqa: N802
        from pyspark.sql.streaming.datasource import ReadMaxFiles

        return ReadMaxFiles(self._most)

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        self._available = set(self._listed())

    def _listed(self) -> dict[str, int]:
        found = {}
        for path in {file for path in self._paths for file in files(path)}:
            try:
                found[path] = os.stat(path).st_mtime_ns // 1_000_000
            except FileNotFoundError:
                continue
        return found

    def latestOffset(self, start: dict[str, Any], limit: Any) -> dict[str, Any]:  # noqa: N802
        since, known = start["since"], start["files"]
        new = sorted(
            (time, path)
            for path, time in self._listed().items()
            if path not in known and time > since and (self._available is None or path in self._available)
        )
        new = new[: getattr(limit, "max_files", None)]
        if not new:
            return start
        since = max([since, *(time - _AGE for time in known.values())])
        kept = {path: time for path, time in known.items() if time > since}
        return {"since": since, "files": {**kept, **{path: time for time, path in new}}}

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> list[InputPartition]:
        return [_File(path) for path in sorted(end["files"].keys() - start["files"].keys())]

    def read(self, partition: InputPartition) -> Iterator[Any]:
        return self._decoder.rows(partition)

    def commit(self, end: dict[str, Any]) -> None:
        pass


try:
    from pyspark.sql.streaming.datasource import SupportsTriggerAvailableNow

    SupportsTriggerAvailableNow.register(_StreamReader)
except ImportError:
    # Spark 4.0 and 4.1 have streams without limits.
    pass


def _schema(table: str, columns: list[str]) -> Any:
    """The columns as Spark takes them: text instead of dictionaries, and all may be NULL; with the source."""
    from . import _native

    arrow = need("pyarrow", "heapquarry.spark", "spark")

    class Declared:
        def __arrow_c_schema__(self) -> object:
            return _native.schema(table, columns)

    fields = []
    for field in arrow.schema(Declared()):
        is_label = arrow.types.is_dictionary(field.type)
        fields.append(arrow.field(field.name, field.type.value_type if is_label else field.type))
    return arrow.schema([*fields, arrow.field(SOURCE, arrow.string())])


def _paths(options: Any) -> list[str]:
    """What `load` was given."""
    given: list[str] = json.loads(options["paths"]) if "paths" in options else [options.get("path")]
    if not given or not all(given):
        raise ValueError("the data source heapquarry needs a path: load(path)")
    return given


def _inputs(options: Any) -> list[str]:
    """The inputs that it stands for."""
    return sorted({file for path in _paths(options) for file in files(path)})
