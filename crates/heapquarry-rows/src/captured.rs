//! When a document was captured, as far as it says so itself.

use arrow_array::{Array, RecordBatch, cast::AsArray, types::Int64Type};
use chrono::DateTime;
use heapquarry_tables::{
    PPROF_FILES, TRACE_METADATA, Table, Type, arrays, pprof_files, trace_metadata,
};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The path of the member in which DevTools writes when a recording began.
const DEVTOOLS: &str = "metadata.startTime";

/// The time that the small tables of a document have: of a pprof profile, or of a recording of DevTools. Other formats
/// count from the start of a process, or of the device.
pub fn captured_at(tables: &[(&'static Table, RecordBatch)]) -> Option<SystemTime> {
    tables.iter().find_map(|(table, batch)| {
        if **table == PPROF_FILES {
            let times = batch.column(pprof_files::POSITIONS.time_ns);
            let times = arrays::expand(times, Type::Int64).ok()?;
            let times = times.as_primitive::<Int64Type>();
            let nanos = (!times.is_empty() && times.is_valid(0)).then(|| times.value(0))?;
            return at(Duration::from_nanos(u64::try_from(nanos).ok().filter(|&nanos| nanos > 0)?));
        }
        if **table != TRACE_METADATA {
            return None;
        }
        let [names, values] = [trace_metadata::POSITIONS.name, trace_metadata::POSITIONS.str_value]
            .map(|at| batch.column(at).as_string_opt::<i32>());
        let (names, values) = (names?, values?);
        let row = (0..names.len()).find(|&row| names.value(row) == DEVTOOLS)?;
        values.is_valid(row).then(|| rfc3339(values.value(row)))?
    })
}

fn at(since: Duration) -> Option<SystemTime> {
    UNIX_EPOCH.checked_add(since)
}

/// A time such as `2026-11-20T06:07:08.123Z`, as JavaScript writes it.
fn rfc3339(text: &str) -> Option<SystemTime> {
    let time = DateTime::parse_from_rfc3339(text).ok()?;
    at(Duration::from_nanos(u64::try_from(time.timestamp_nanos_opt()?).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_the_calendar() {
        for (text, micros) in [
            ("1970-01-01T00:00:00.007Z", 7_000),
            ("2000-02-28T23:59:59.5Z", 951_782_399_500_000),
            ("2000-02-29T00:00:00Z", 951_782_400_000_000),
            ("2000-03-01T00:00:00.123456Z", 951_868_800_123_456),
            ("2025-11-20T08:07:08.000+02:00", 1_763_618_828_000_000),
            ("2100-03-01T00:00:00Z", 4_107_542_400_000_000),
        ] {
            assert_eq!(rfc3339(text), at(Duration::from_micros(micros)), "{text}");
        }
    }

    #[test]
    fn other_texts_are_no_times() {
        for text in [
            "",
            "Z",
            "T",
            "2025-11-20",
            "2025-11-20T06:07Z",
            "2025-11-20T06:07:08",
            "x-1-1T1:1:1Z",
            "1969-01-01T00:00:00Z",
            "2025-13-01T00:00:00Z",
            "2025-01-32T00:00:00Z",
            "2025-01-01T24:00:00Z",
            "2025-01-01T00:00:00.Z",
            "+2025-01-01T00:00:00Z",
            "2025-01-01T00:00:00.€Z",
            "9999-01-01T00:00:00Z",
        ] {
            assert_eq!(rfc3339(text), None, "{text}");
        }
    }
}
