//! Samples of the memory of a process, and what was seen of a watched one, from their tables. A column that may be
//! NULL need not be there: an older version did not write it.

use super::Columns;
use arrow_array::{Array, RecordBatch, cast::AsArray};
use heapquarry_process::{
    AllocationCall, Allocations, Collection, Group, Inside, Isolate, LiveBy, Malloc, MapKind,
    MapTotal, Recording, Sample, Status, System,
};
use heapquarry_tables::{
    isolate, process_allocation, process_collection, process_map, process_sample, process_watch,
};
use std::time::Duration;

/// The values of a column of whole numbers by row, none of which is negative; `None` for NULL, and without the column.
fn numbers<'b>(batch: &'b RecordBatch, name: &str) -> impl Fn(usize) -> Option<u64> + use<'b> {
    let column = batch.column_by_name(name);
    let values = column.map(|_| Columns(batch).ints(name));
    move |row| values.as_ref()?(row).and_then(|value| u64::try_from(value).ok())
}

/// The values of a column of text by row; `None` for NULL, and without the column.
fn texts<'b>(batch: &'b RecordBatch, name: &str) -> impl Fn(usize) -> Option<&'b str> + use<'b> {
    let values = batch.column_by_name(name).map(|_| Columns(batch).texts(name));
    move |row| values?.get(row)
}

/// The values of an INT32 column by row; `None` for NULL, and without the column.
fn int32s<'b>(batch: &'b RecordBatch, name: &str) -> impl Fn(usize) -> Option<i32> + use<'b> {
    let values = batch.column_by_name(name).map(|_| Columns(batch).int32s(name));
    move |row| values.filter(|values| values.is_valid(row)).map(|values| values.value(row))
}

/// The columns of [`samples`].
pub const SAMPLE: [&str; 29] = {
    use process_sample::NAMES;
    [
        NAMES.sampled_at,
        NAMES.elapsed_us,
        NAMES.took_us,
        NAMES.live_by,
        NAMES.rss,
        NAMES.rss_anon,
        NAMES.rss_file,
        NAMES.rss_shmem,
        NAMES.swap,
        NAMES.thread_count,
        NAMES.heap_total,
        NAMES.heap_used,
        NAMES.heap_physical,
        NAMES.heap_limit,
        NAMES.external_size,
        NAMES.array_buffers,
        NAMES.loop_delay_max_ns,
        NAMES.loop_utilization,
        NAMES.group_used,
        NAMES.group_limit,
        NAMES.group_cache,
        NAMES.group_inactive_file,
        NAMES.group_oom_kill_count,
        NAMES.malloc_used,
        NAMES.malloc_free,
        NAMES.malloc_unknown,
        NAMES.transferred,
        NAMES.group_is_root,
        NAMES.worker_count,
    ]
};

/// Samples from rows of `process_sample`.
pub fn samples(batch: &RecordBatch) -> Vec<Sample> {
    use process_sample::NAMES;
    let of = |name| numbers(batch, name);
    let [elapsed, took] = [NAMES.elapsed_us, NAMES.took_us].map(of);
    let [rss, anon, file, shmem, swap, threads] = [
        NAMES.rss,
        NAMES.rss_anon,
        NAMES.rss_file,
        NAMES.rss_shmem,
        NAMES.swap,
        NAMES.thread_count,
    ]
    .map(of);
    let [heap_total, heap_used, heap_physical, heap_limit, external, array_buffers, delay] = [
        NAMES.heap_total,
        NAMES.heap_used,
        NAMES.heap_physical,
        NAMES.heap_limit,
        NAMES.external_size,
        NAMES.array_buffers,
        NAMES.loop_delay_max_ns,
    ]
    .map(of);
    let [used, limit, cache, inactive_file, oom_kills] = [
        NAMES.group_used,
        NAMES.group_limit,
        NAMES.group_cache,
        NAMES.group_inactive_file,
        NAMES.group_oom_kill_count,
    ]
    .map(of);
    let [malloc_used, malloc_free, malloc_unknown, transferred] =
        [NAMES.malloc_used, NAMES.malloc_free, NAMES.malloc_unknown, NAMES.transferred].map(of);
    let workers = of(NAMES.worker_count);
    let times = Columns(batch).array(NAMES.sampled_at);
    let times = times.as_primitive::<arrow_array::types::TimestampMicrosecondType>();
    let live = texts(batch, NAMES.live_by);
    let is_root = int32s(batch, NAMES.group_is_root);
    let utilization = batch.column_by_name(NAMES.loop_utilization);
    let utilization =
        utilization.map(|column| column.as_primitive::<arrow_array::types::Float64Type>());
    let sample = |row: usize| {
        let group = Group {
            used: used(row),
            limit: limit(row),
            cache: cache(row),
            inactive_file: inactive_file(row),
            oom_kills: oom_kills(row),
            is_root: is_root(row) == Some(1),
        };
        let malloc = malloc_used(row).zip(malloc_free(row));
        Sample {
            at: Duration::from_micros(elapsed(row).unwrap_or(0)),
            time_us: times.value(row),
            took: Duration::from_micros(took(row).unwrap_or(0)),
            live: live(row).and_then(LiveBy::by_name),
            inside: Inside {
                rss: rss(row),
                heap_total: heap_total(row),
                heap_used: heap_used(row),
                heap_physical: heap_physical(row),
                heap_limit: heap_limit(row),
                external: external(row),
                array_buffers: array_buffers(row),
                loop_delay_max: delay(row).map(Duration::from_nanos),
                loop_utilization: utilization
                    .filter(|shares| shares.is_valid(row))
                    .map(|shares| shares.value(row)),
                worker_count: workers(row),
                ..Inside::default()
            },
            system: System {
                status: Status {
                    rss: rss(row),
                    anon: anon(row),
                    file: file(row),
                    shmem: shmem(row),
                    swap: swap(row),
                    threads: threads(row),
                },
                group: (group.used.is_some() || group.cache.is_some()).then_some(group),
                malloc: malloc.map(|(used, free)| Malloc {
                    used,
                    free,
                    unknown: malloc_unknown(row).unwrap_or(0),
                }),
                transferred: transferred(row),
                ..System::default()
            },
        }
    };
    (0..batch.num_rows()).map(sample).collect()
}

/// The columns of [`maps`].
pub const MAP: [&str; 6] = {
    use process_map::NAMES;
    [NAMES.sample_index, NAMES.kind, NAMES.map_count, NAMES.size, NAMES.rss, NAMES.pss]
};

/// Maps from rows of `process_map`, with the positions of their samples.
pub fn maps(batch: &RecordBatch) -> Vec<(usize, MapTotal)> {
    use process_map::NAMES;
    let kinds = Columns(batch).texts(NAMES.kind);
    let [samples, counts, sizes, rss, pss] =
        [NAMES.sample_index, NAMES.map_count, NAMES.size, NAMES.rss, NAMES.pss]
            .map(|name| numbers(batch, name));
    let total = |row| {
        let total = MapTotal {
            kind: MapKind::by_name(kinds.get(row)?)?,
            count: counts(row)?,
            size: sizes(row)?,
            rss: rss(row),
            pss: pss(row),
        };
        Some((usize::try_from(samples(row)?).ok()?, total))
    };
    (0..batch.num_rows()).filter_map(total).collect()
}

/// The columns of [`isolate`](fn@isolate).
pub const ISOLATE: [&str; 3] = {
    use isolate::NAMES;
    [NAMES.isolate_id, NAMES.title, NAMES.url]
};

/// The isolate of the first row of `isolate`; the batch must have one.
pub fn isolate(batch: &RecordBatch) -> Option<Isolate> {
    let [id, title, url] = ISOLATE.map(|name| texts(batch, name)(0).map(str::to_owned));
    Some(Isolate { id: id?, title, url })
}

/// The columns of [`watch`].
pub const WATCH: [&str; 6] = {
    use process_watch::NAMES;
    [
        NAMES.warm_up_us,
        NAMES.minor_collection_count,
        NAMES.major_collection_count,
        NAMES.allocations_from_us,
        NAMES.allocations_until_us,
        NAMES.allocation_interval,
    ]
};

/// Puts what a row of `process_watch` says into a recording; the batch must have one.
pub fn watch(batch: &RecordBatch, recording: &mut Recording) {
    let [warm_up, minor, major, from, until, interval] = WATCH.map(|name| numbers(batch, name));
    recording.warm_up = Duration::from_micros(warm_up(0).unwrap_or(0));
    recording.minor_count = minor(0);
    recording.major_count = major(0);
    recording.allocations = from(0).zip(until(0)).map(|(from, until)| Allocations {
        from: Duration::from_micros(from),
        until: Duration::from_micros(until),
        interval: interval(0).unwrap_or(0),
        calls: Vec::new(),
    });
}

/// The columns of [`collections`].
pub const COLLECTION: [&str; 2] = {
    use process_collection::NAMES;
    [NAMES.elapsed_us, NAMES.used_after]
};

/// Collections from rows of `process_collection`.
pub fn collections(batch: &RecordBatch) -> Vec<Collection> {
    let [at, used] = COLLECTION.map(|name| numbers(batch, name));
    let collection =
        |row| Some(Collection { at: Duration::from_micros(at(row)?), used_after: used(row)? });
    (0..batch.num_rows()).filter_map(collection).collect()
}

/// The columns of [`calls`].
pub const ALLOCATION: [&str; 8] = {
    use process_allocation::NAMES;
    [
        NAMES.caller_index,
        NAMES.function_name,
        NAMES.url,
        NAMES.line_number,
        NAMES.column_number,
        NAMES.size,
        NAMES.early_size,
        NAMES.sample_count,
    ]
};

/// Calls from rows of `process_allocation`.
pub fn calls(batch: &RecordBatch) -> Vec<AllocationCall> {
    use process_allocation::NAMES;
    let columns = Columns(batch);
    let [functions, urls] = [NAMES.function_name, NAMES.url].map(|name| columns.texts(name));
    let [callers, sizes, early, counts] =
        [NAMES.caller_index, NAMES.size, NAMES.early_size, NAMES.sample_count]
            .map(|name| numbers(batch, name));
    let [line, column] = [NAMES.line_number, NAMES.column_number].map(|name| {
        let numbers = int32s(batch, name);
        move |row| u32::try_from(numbers(row)?).ok()
    });
    let call = |row| AllocationCall {
        caller: callers(row).and_then(|caller| usize::try_from(caller).ok()),
        function: functions.owned(row).unwrap_or_default(),
        url: urls.owned(row).unwrap_or_default(),
        line: line(row),
        column: column(row),
        size: sizes(row).unwrap_or(0),
        early_size: early(row).unwrap_or(0),
        sample_count: counts(row).unwrap_or(0),
    };
    (0..batch.num_rows()).map(call).collect()
}
