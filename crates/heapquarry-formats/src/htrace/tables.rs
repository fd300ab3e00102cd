//! Rows of a container's own tables.

use super::{Section, proto::ArkTsConfig};
use arrow_array::{ArrayRef, Int32Array, Int64Array, RecordBatch};
use heapquarry_tables::{HTRACE_PLUGIN, HTRACE_SECTION, JS_CONFIG, arrays};
use std::{collections::BTreeMap, sync::Arc};

/// Rows of `htrace_section`; `sums` are the checksums of the content after the headers.
pub fn sections(file_id: i32, sections: &[Section], sums: &[[u8; 32]]) -> RecordBatch {
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
    HTRACE_SECTION.batch(vec![
        arrays::constant_i32(Some(file_id), sections.len()),
        Arc::new(Int32Array::from_iter_values(0..sections.len() as i32)),
        number(&|s| s.offset),
        number(&|s| s.end - s.offset),
        number(&|s| s.header.length),
        number(&|s| s.header.data_type.number().into()),
        number(&|s| s.header.version.into()),
        number(&|s| s.records),
        number(&|s| s.header.segments.into()),
        arrays::labels(sums),
        clock(&|s| s.header.clocks.boottime),
        clock(&|s| s.header.clocks.realtime),
        clock(&|s| s.header.clocks.realtime_coarse),
        clock(&|s| s.header.clocks.monotonic),
        clock(&|s| s.header.clocks.monotonic_coarse),
        clock(&|s| s.header.clocks.monotonic_raw),
        number(&|s| s.header.duration_ns),
        arrays::text(sections.iter().map(|s| Some(&s.header.plugin_name))),
        arrays::text(sections.iter().map(|s| Some(&s.header.plugin_version))),
    ])
}

/// Rows of `htrace_plugin`.
pub fn plugins(file_id: i32, plugins: &BTreeMap<String, (u64, u64)>) -> RecordBatch {
    let number = |of: &dyn Fn(&(u64, u64)) -> u64| -> ArrayRef {
        Arc::new(Int64Array::from_iter_values(plugins.values().map(|counts| of(counts) as i64)))
    };
    HTRACE_PLUGIN.batch(vec![
        arrays::constant_i32(Some(file_id), plugins.len()),
        arrays::text(plugins.keys().map(Some)),
        number(&|counts| counts.0),
        number(&|counts| counts.1),
    ])
}

/// Rows of `js_config`.
pub fn config(file_id: i32, configs: &[ArkTsConfig]) -> RecordBatch {
    let int32 = |of: &dyn Fn(&ArkTsConfig) -> i32| -> ArrayRef {
        Arc::new(Int32Array::from_iter_values(configs.iter().map(of)))
    };
    let int64 = |of: &dyn Fn(&ArkTsConfig) -> u32| -> ArrayRef {
        Arc::new(Int64Array::from_iter_values(configs.iter().map(|c| i64::from(of(c)))))
    };
    JS_CONFIG.batch(vec![
        arrays::constant_i32(Some(file_id), configs.len()),
        int32(&|c| c.pid),
        int32(&|c| c.r#type),
        int64(&|c| c.interval),
        int32(&|c| c.capture_numeric_value.into()),
        int32(&|c| c.track_allocations.into()),
        int32(&|c| c.enable_cpu_profiler.into()),
        int64(&|c| c.cpu_profiler_interval),
        arrays::text(configs.iter().map(|c| Some(&c.split_outfile_name))),
    ])
}
