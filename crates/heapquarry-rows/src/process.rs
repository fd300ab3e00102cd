//! Samples of the memory of a process as rows.

use arrow_array::{ArrayRef, Float64Array, Int32Array, Int64Array, RecordBatch};
use heapquarry_process::{
    AllocationCall, Allocations, Isolate, MapTotal, Recording, Sample, Space,
};
use heapquarry_tables::{
    FileId, HEAP_SPACE_SAMPLE, ISOLATE, PROCESS_ALLOCATION, PROCESS_COLLECTION, PROCESS_MAP,
    PROCESS_SAMPLE, PROCESS_WATCH, Table, arrays, heap_space_sample, isolate, process_allocation,
    process_collection, process_map, process_sample, process_watch,
};
use std::{sync::Arc, time::Duration};

/// The rows of a watch.
pub fn watched(
    of: FileId,
    recording: &Recording,
) -> impl Iterator<Item = (&'static Table, RecordBatch)> {
    let watch = (&PROCESS_WATCH, watch(of, recording));
    let collections = (&PROCESS_COLLECTION, collections(of, recording));
    let allocations = (&PROCESS_ALLOCATION, allocations(of, recording));
    [watch].into_iter().chain(sampled(of, &recording.samples)).chain([collections, allocations])
}

/// The rows of samples of a recording, or of the process of a document.
pub fn sampled(of: FileId, samples: &[Sample]) -> [(&'static Table, RecordBatch); 3] {
    [
        (&PROCESS_SAMPLE, self::samples(of, samples)),
        (&PROCESS_MAP, maps(of, samples)),
        (&HEAP_SPACE_SAMPLE, spaces(of, samples)),
    ]
}

/// The row of the isolate that a document is of.
pub fn isolate_of(of: FileId, found: &Isolate) -> (&'static Table, RecordBatch) {
    let columns = isolate::Columns {
        file_id: arrays::constant_i32(Some(of.0), 1),
        isolate_id: arrays::text([Some(&found.id)]),
        title: arrays::text([found.title.as_ref()]),
        url: arrays::text([found.url.as_ref()]),
    };
    (&ISOLATE, columns.into_batch())
}

fn signed(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

fn known(values: impl Iterator<Item = u64>) -> ArrayRef {
    Arc::new(Int64Array::from_iter_values(values.map(signed)))
}

fn perhaps(values: impl Iterator<Item = Option<u64>>) -> ArrayRef {
    Arc::new(Int64Array::from_iter(values.map(|value| value.map(signed))))
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

fn watch(of: FileId, recording: &Recording) -> RecordBatch {
    let noted = |value: fn(&Allocations) -> u64| {
        perhaps([recording.allocations.as_ref().map(value)].into_iter())
    };
    process_watch::Columns {
        file_id: arrays::constant_i32(Some(of.0), 1),
        warm_up_us: known([micros(recording.warm_up)].into_iter()),
        minor_collection_count: perhaps([recording.minor_count].into_iter()),
        major_collection_count: perhaps([recording.major_count].into_iter()),
        allocations_from_us: noted(|allocations| micros(allocations.from)),
        allocations_until_us: noted(|allocations| micros(allocations.until)),
        allocation_interval: noted(|allocations| allocations.interval),
    }
    .into_batch()
}

fn samples(of: FileId, samples: &[Sample]) -> RecordBatch {
    let file_id = arrays::constant_i32(Some(of.0), samples.len());
    let all = || samples.iter();
    let of = |value: fn(&Sample) -> Option<u64>| perhaps(all().map(value));
    let inside = |value: fn(&heapquarry_process::Inside) -> Option<u64>| {
        perhaps(all().map(|sample| value(&sample.inside)))
    };
    process_sample::Columns {
        file_id,
        sample_index: known(0..samples.len() as u64),
        sampled_at: arrays::timestamps(all().map(|sample| Some(sample.time_us))),
        elapsed_us: known(all().map(|sample| micros(sample.at))),
        took_us: known(all().map(|sample| micros(sample.took))),
        live_by: arrays::labels(all().map(|sample| sample.live.map(|live| live.name()))),
        rss: of(|sample| sample.system.status.rss.or(sample.inside.rss)),
        rss_anon: of(|sample| sample.system.status.anon),
        rss_file: of(|sample| sample.system.status.file),
        rss_shmem: of(|sample| sample.system.status.shmem),
        swap: of(|sample| sample.system.status.swap),
        thread_count: of(|sample| sample.system.status.threads),
        heap_total: inside(|inside| inside.heap_total),
        heap_used: inside(|inside| inside.heap_used),
        heap_physical: inside(|inside| inside.heap_physical),
        heap_limit: inside(|inside| inside.heap_limit),
        external_size: inside(|inside| inside.external),
        array_buffers: inside(|inside| inside.array_buffers),
        malloced: inside(|inside| inside.malloced),
        native_context_count: inside(|inside| inside.native_contexts),
        detached_context_count: inside(|inside| inside.detached_contexts),
        loop_delay_mean_ns: inside(|inside| inside.loop_delay_mean.map(nanos)),
        loop_delay_max_ns: inside(|inside| inside.loop_delay_max.map(nanos)),
        loop_utilization: Arc::new(Float64Array::from_iter(
            all().map(|sample| sample.inside.loop_utilization),
        )),
        group_used: of(|sample| sample.system.group?.used),
        group_limit: of(|sample| sample.system.group?.limit),
        group_cache: of(|sample| sample.system.group?.cache),
        group_inactive_file: of(|sample| sample.system.group?.inactive_file),
        group_oom_kill_count: of(|sample| sample.system.group?.oom_kills),
        malloc_used: of(|sample| Some(sample.system.malloc?.used)),
        malloc_free: of(|sample| Some(sample.system.malloc?.free)),
        malloc_unknown: of(|sample| Some(sample.system.malloc?.unknown)),
        transferred: of(|sample| sample.system.transferred),
        group_is_root: Arc::new(Int32Array::from_iter(
            all().map(|sample| sample.system.group.map(|group| i32::from(group.is_root))),
        )),
        worker_count: inside(|inside| inside.worker_count),
    }
    .into_batch()
}

fn maps(file_id: FileId, samples: &[Sample]) -> RecordBatch {
    let rows: Vec<(u64, &MapTotal)> = (0..)
        .zip(samples)
        .flat_map(|(index, sample)| sample.system.maps.iter().map(move |total| (index, total)))
        .collect();
    let all = || rows.iter();
    process_map::Columns {
        file_id: arrays::constant_i32(Some(file_id.0), rows.len()),
        sample_index: known(all().map(|row| row.0)),
        kind: arrays::labels(all().map(|row| row.1.kind.name())),
        map_count: known(all().map(|row| row.1.count)),
        size: known(all().map(|row| row.1.size)),
        rss: perhaps(all().map(|row| row.1.rss)),
        pss: perhaps(all().map(|row| row.1.pss)),
    }
    .into_batch()
}

fn spaces(file_id: FileId, samples: &[Sample]) -> RecordBatch {
    let rows: Vec<(u64, &Space)> = (0..)
        .zip(samples)
        .flat_map(|(index, sample)| sample.inside.spaces.iter().map(move |space| (index, space)))
        .collect();
    let all = || rows.iter();
    heap_space_sample::Columns {
        file_id: arrays::constant_i32(Some(file_id.0), rows.len()),
        sample_index: known(all().map(|row| row.0)),
        space_name: arrays::labels(all().map(|row| row.1.name.as_str())),
        size: known(all().map(|row| row.1.size)),
        used_size: known(all().map(|row| row.1.used)),
        available_size: known(all().map(|row| row.1.available)),
        physical_size: known(all().map(|row| row.1.physical)),
    }
    .into_batch()
}

fn collections(of: FileId, recording: &Recording) -> RecordBatch {
    let rows = recording.collections.as_deref().unwrap_or_default();
    process_collection::Columns {
        file_id: arrays::constant_i32(Some(of.0), rows.len()),
        elapsed_us: known(rows.iter().map(|row| micros(row.at))),
        used_after: known(rows.iter().map(|row| row.used_after)),
    }
    .into_batch()
}

fn allocations(of: FileId, recording: &Recording) -> RecordBatch {
    let calls = recording.allocations.as_ref().map_or(&[][..], |found| &found.calls);
    let all = || calls.iter();
    let known = |value: fn(&AllocationCall) -> u64| known(all().map(value));
    let place = |value: fn(&AllocationCall) -> Option<u32>| -> ArrayRef {
        let place = |call| value(call).and_then(|place| i32::try_from(place).ok());
        Arc::new(Int32Array::from_iter(all().map(place)))
    };
    process_allocation::Columns {
        file_id: arrays::constant_i32(Some(of.0), calls.len()),
        call_index: self::known(0..calls.len() as u64),
        caller_index: perhaps(all().map(|call| call.caller.map(|caller| caller as u64))),
        function_name: arrays::text(all().map(|call| Some(&call.function))),
        url: arrays::text(all().map(|call| Some(&call.url))),
        line_number: place(|call| call.line),
        column_number: place(|call| call.column),
        size: known(|call| call.size),
        early_size: known(|call| call.early_size),
        sample_count: known(|call| call.sample_count),
    }
    .into_batch()
}
