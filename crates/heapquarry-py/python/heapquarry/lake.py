"""Tables of a batch as tables of Delta Lake and Iceberg. No file is written anew: the lake's own metadata name them."""

from __future__ import annotations

import datetime
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from ._missing import need

__all__ = ["register"]


def register(
    folder: str | os.PathLike[str],
    *,
    table_format: str = "delta",
    tables: Sequence[str] = (),
    catalog: Any = None,
    namespace: str = "heapquarry",
) -> dict[str, int]:
    """Adds the files of `folder` to tables of a lake, one for each table of heapquarry. Returns how many each got.

    `folder` is what `heapquarry convert --batch` or `convert(..., layout="hive")` wrote, no address. Only files that
    are complete are added, and each only once: call it again after each run. Labels and `source` are columns of the
    tables, from the paths of the files.

    `delta` puts the log of each table into its folder, `folder/TABLE/_delta_log`. `iceberg` makes the tables
    `namespace.TABLE` of a pyiceberg catalog. `tables` names the tables to add; by default all.
    """
    if table_format not in ("delta", "iceberg"):
        raise ValueError(f"table_format is 'delta' or 'iceberg', not {table_format!r}")
    if table_format == "iceberg" and catalog is None:
        raise ValueError("iceberg needs a catalog of pyiceberg")
    if "://" in os.fspath(folder):
        what = "register a local folder; a table of Delta Lake may be copied there with its _delta_log"
        raise ValueError(f"cannot register tables ({os.fspath(folder)}): it is an address; {what}")
    root = Path(folder).absolute()
    added = {}
    for name, files in sorted(_files(root).items()):
        if tables and name not in tables:
            continue
        if table_format == "delta":
            added[name] = _delta(root / name, files)
        else:
            added[name] = _iceberg(root, catalog, f"{namespace}.{name}", files)
    return added


def _files(root: Path) -> dict[str, list[str]]:
    """The complete files of each table, as paths below its folder."""
    manifests = sorted((root / "_done").rglob("*.json")) or [root / "_manifest.json"]
    files: dict[str, list[str]] = {}
    for manifest in manifests:
        try:
            tables = json.loads(manifest.read_text(encoding="utf-8"))["tables"]
        except FileNotFoundError:
            raise ValueError(f"{root} has no manifest: heapquarry did not write it") from None
        for table in tables:
            name, _, file = table["file"].partition("/")
            if not file:
                raise ValueError(f"{root} is not in the hive layout: convert with layout='hive', or as a batch")
            files.setdefault(name, []).append(file)
    return files


def _partition(file: str) -> dict[str, str]:
    """Labels and source, which are in the path of a file."""
    pairs = (folder.partition("=") for folder in file.split("/")[:-1])
    return {key: unquote(value) for key, _, value in pairs}


def _schema(folder: Path, files: list[str]) -> Any:
    """The columns of all files, with labels and source. Older files may have fewer, so all can be NULL."""
    arrow = need("pyarrow", "register()", "pyarrow")
    parquet = need("pyarrow.parquet", "register()", "pyarrow")
    columns: dict[str, Any] = {}
    for file in files:
        for field in parquet.read_schema(folder / file):
            # Lakes have no dictionaries.
            is_label = arrow.types.is_dictionary(field.type)
            columns.setdefault(field.name, field.type.value_type if is_label else field.type)
    columns.update(dict.fromkeys(_partition(files[0]), arrow.string()))
    return arrow.schema(list(columns.items()))


def _statistics(file: Any) -> dict[str, Any]:
    """Numbers of rows and of nulls, and bounds of numbers, from the footer of a file. Bounds of text may be cut there."""
    metadata = file.metadata
    found: dict[str, Any] = {"numRecords": metadata.num_rows, "minValues": {}, "maxValues": {}, "nullCount": {}}
    for at in range(metadata.num_columns):
        groups = [metadata.row_group(group).column(at) for group in range(metadata.num_row_groups)]
        statistics = [group.statistics for group in groups]
        name = file.schema.column(at).name
        if all(each is not None and each.has_null_count for each in statistics):
            found["nullCount"][name] = sum(each.null_count for each in statistics)
        bounds = [each for each in statistics if each is not None and each.has_min_max]
        is_number = file.schema.column(at).physical_type in ("INT32", "INT64", "DOUBLE")
        # A row group of nulls alone has no bounds.
        without = [each for each in statistics if each not in bounds]
        if is_number and bounds and all(each is not None and not each.num_values for each in without):
            found["minValues"][name] = min(each.min for each in bounds)
            found["maxValues"][name] = max(each.max for each in bounds)
    return found


def _delta(folder: Path, files: list[str]) -> int:
    lake = need("deltalake", "register()", "delta")
    actions_of = need("deltalake.transaction", "register()", "delta")
    arrow = need("pyarrow", "register()", "pyarrow")
    parquet = need("pyarrow.parquet", "register()", "pyarrow")
    is_there = lake.DeltaTable.is_deltatable(str(folder))
    table = lake.DeltaTable(str(folder)) if is_there else None
    known: set[str] = set()
    if table is not None:
        # Delta's log has paths as URIs.
        known = {unquote(path) for path in arrow.table(table.get_add_actions(flatten=True))["path"].to_pylist()}
    new = [file for file in files if file not in known]
    if not new:
        return 0
    actions = []
    for file in new:
        path = folder / file
        with parquet.ParquetFile(path) as opened:
            statistics = json.dumps(_statistics(opened))
        stat = path.stat()
        actions.append(
            actions_of.AddAction(
                file, stat.st_size, dict(_partition(file)), int(stat.st_mtime * 1000), True, statistics
            )
        )
    keys = list(_partition(new[0]))
    fields = _schema(folder, new)
    schema = lake.Schema.from_arrow(fields)
    if table is None:
        actions_of.create_table_with_add_actions(str(folder), schema, actions, "error", keys)
        return len(new)
    known_columns = {field.name for field in table.schema().fields}
    if more := [field for field in schema.fields if field.name not in known_columns]:
        table.alter.add_columns(more)
    table.create_write_transaction(actions, "append", table.schema(), keys)
    return len(new)


def _iceberg(root: Path, catalog: Any, name: str, files: list[str]) -> int:
    files_of = need("pyiceberg.io.pyarrow", "register()", "iceberg")
    manifest = need("pyiceberg.manifest", "register()", "iceberg")
    record = need("pyiceberg.typedef", "register()", "iceberg").Record
    parquet = need("pyarrow.parquet", "register()", "pyarrow")
    folder = root / name.rpartition(".")[2]
    schema = _schema(folder, files)
    catalog.create_namespace_if_not_exists(name.rpartition(".")[0])
    if catalog.table_exists(name):
        table = catalog.load_table(name)
    else:
        table = catalog.create_table(name, schema)
        with table.update_spec() as spec:
            for key in _partition(files[0]):
                spec.add_identity(key)
    known = set(table.inspect.files()["file_path"].to_pylist())
    # Not as URIs: those of Python escape what file systems of Arrow take as it is.
    new = [file for file in files if str(folder / file) not in known]
    if not new:
        return 0
    with table.transaction() as transaction:
        with transaction.update_schema() as update:
            update.union_by_name(schema)
        metadata = transaction.table_metadata
        names = metadata.schema().name_mapping.model_dump_json()
        transaction.set_properties(**{"schema.name-mapping.default": names})
        with transaction.update_snapshot().fast_append() as append:
            for file in new:
                append.append_data_file(_data_file(files_of, manifest, record, parquet, metadata, folder, file))
    return len(new)


def _data_file(
    files_of: Any, manifest: Any, record: Any, parquet: Any, metadata: Any, folder: Path, file: str
) -> Any:
    """A file with its statistics, and the partition that its path names. The file itself lacks these columns."""
    path, schema = folder / file, metadata.schema()
    footer = parquet.read_metadata(path)
    there = {footer.schema.column(at).path for at in range(footer.num_columns)}
    ids = {name: at for name, at in files_of.parquet_path_to_id_mapping(schema).items() if name in there}
    statistics = files_of.data_file_statistics_from_parquet_metadata(
        parquet_metadata=footer,
        stats_columns=files_of.compute_statistics_plan(schema, metadata.properties),
        parquet_column_mapping=ids,
    )
    return manifest.DataFile.from_args(
        content=manifest.DataFileContent.DATA,
        file_path=str(path),
        file_format=manifest.FileFormat.PARQUET,
        partition=record(*_partition(file).values()),
        file_size_in_bytes=path.stat().st_size,
        sort_order_id=None,
        spec_id=metadata.default_spec_id,
        equality_ids=None,
        key_metadata=None,
        **statistics.to_serialized_dict(),
    )
