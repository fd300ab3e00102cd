//! Rows of a container's own tables.

use super::{Section, proto::ArkTsConfig};
use arrow_array::{ArrayRef, Int32Array, Int64Array, RecordBatch};
use heapquarry_tables::{FileId, arrays, htrace_plugin, htrace_section, js_config};
use std::{collections::BTreeMap, sync::Arc};

/// Rows of `htrace_section`; `sums` are the checksums of the content after the headers.
pub fn sections(file_id: FileId, sections: &[Section], sums: &[[u8; 32]]) -> RecordBatch {
    let number = |of: &dyn Fn(&Section) -> u64| -> ArrayRef {
        let fit = |section| i64::try_from(of(section)).ok();
        Arc::new(sections.iter().map(fit).collect::<Int64Array>())
    };
    let clock = |of: &dyn Fn(&Section) -> u64| -> ArrayRef {
        let fit = |section| i64::try_from(of(section)).ok().filter(|time| *time != 0);
        Arc::new(sections.iter().map(fit).collect::<Int64Array>())
    };
    let sum = |(section, sum): (&Section, &[u8; 32])| match section.header.sha256 {
        theirs if theirs == [0; 32] => "none",
        theirs if theirs == *sum => "ok",
        _ => "mismatch",
    };
    let sums: Vec<_> = sections.iter().zip(sums).map(sum).collect();
    htrace_section::Columns {
        file_id: file_id.column(sections.len()),
        section_index: Arc::new(Int32Array::from_iter_values(0..sections.len() as i32)),
        byte_offset: number(&|s| s.offset.0),
        byte_size: number(&|s| s.end - s.offset),
        declared_byte_size: number(&|s| s.header.length),
        data_type: number(&|s| s.header.data_type.number().into()),
        version: number(&|s| s.header.version.into()),
        record_count: number(&|s| s.records),
        segments: number(&|s| s.header.segments.into()),
        sha256: arrays::labels(sums),
        boottime_ns: clock(&|s| s.header.clocks.boottime),
        realtime_ns: clock(&|s| s.header.clocks.realtime),
        realtime_coarse_ns: clock(&|s| s.header.clocks.realtime_coarse),
        monotonic_ns: clock(&|s| s.header.clocks.monotonic),
        monotonic_coarse_ns: clock(&|s| s.header.clocks.monotonic_coarse),
        monotonic_raw_ns: clock(&|s| s.header.clocks.monotonic_raw),
        duration_ns: number(&|s| s.header.duration_ns),
        plugin_name: arrays::text(sections.iter().map(|s| Some(&s.header.plugin_name))),
        plugin_version: arrays::text(sections.iter().map(|s| Some(&s.header.plugin_version))),
    }
    .into_batch()
}

/// Rows of `htrace_plugin`.
pub fn plugins(file_id: FileId, plugins: &BTreeMap<String, (u64, u64)>) -> RecordBatch {
    let number = |of: &dyn Fn(&(u64, u64)) -> u64| -> ArrayRef {
        Arc::new(Int64Array::from_iter_values(plugins.values().map(|counts| of(counts) as i64)))
    };
    htrace_plugin::Columns {
        file_id: file_id.column(plugins.len()),
        name: arrays::text(plugins.keys().map(Some)),
        records: number(&|counts| counts.0),
        bytes: number(&|counts| counts.1),
    }
    .into_batch()
}

/// Rows of `js_config`.
pub fn config(file_id: FileId, configs: &[ArkTsConfig]) -> RecordBatch {
    let int32 = |of: &dyn Fn(&ArkTsConfig) -> i32| -> ArrayRef {
        Arc::new(Int32Array::from_iter_values(configs.iter().map(of)))
    };
    let int64 = |of: &dyn Fn(&ArkTsConfig) -> u32| -> ArrayRef {
        Arc::new(Int64Array::from_iter_values(configs.iter().map(|c| i64::from(of(c)))))
    };
    js_config::Columns {
        file_id: file_id.column(configs.len()),
        pid: int32(&|c| c.pid),
        r#type: int32(&|c| c.r#type),
        interval: int64(&|c| c.interval),
        capture_numeric_value: int32(&|c| c.capture_numeric_value.into()),
        track_allocations: int32(&|c| c.track_allocations.into()),
        enable_cpu_profiler: int32(&|c| c.enable_cpu_profiler.into()),
        cpu_profiler_interval: int64(&|c| c.cpu_profiler_interval),
        split_outfile_name: arrays::text(configs.iter().map(|c| Some(&c.split_outfile_name))),
    }
    .into_batch()
}
