//! `_log.jsonl`: a line for each input, whether it is done or failed.

use super::{BatchInput, Failed, folder::Done};
use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeMap, HashMap},
    time::{SystemTime, UNIX_EPOCH},
};

/// A line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Row {
    /// As `source.path`.
    input: String,
    /// `done` or `failed`.
    status: String,
    /// When the file was last written, as `2026-11-20T06:07:08.123Z`.
    captured_at: Option<String>,
    documents: u64,
    bytes: u64,
    defects: u64,
    error: Option<String>,
}

/// The log of all inputs, by path. `before` is the log so far: of an input that is done and not listed any more it knows
/// when it was written.
pub(super) fn lines(
    before: &str,
    inputs: &[BatchInput],
    done: &HashMap<String, Done>,
    failed: &[Failed],
) -> String {
    let earlier = before.lines().filter_map(|line| serde_json::from_str::<Row>(line).ok());
    let mut times: HashMap<String, Option<String>> =
        earlier.map(|row| (row.input, row.captured_at)).collect();
    for input in inputs {
        let time = input.captured_at.and_then(rfc3339);
        times.insert(input.path.to_string_lossy().into_owned(), time);
    }
    let mut rows = BTreeMap::new();
    for (input, done) in done {
        let Done { documents, bytes, defects } = *done;
        let captured_at = times.get(input).cloned().flatten();
        let (input, status) = (input.clone(), "done".into());
        let row = Row { input, status, captured_at, documents, bytes, defects, error: None };
        rows.insert(row.input.clone(), row);
    }
    for Failed { input, error } in failed {
        let input = input.to_string_lossy().into_owned();
        let row = Row {
            captured_at: times.get(&input).cloned().flatten(),
            input,
            status: "failed".into(),
            documents: 0,
            bytes: 0,
            defects: 0,
            error: Some(error.to_string()),
        };
        rows.insert(row.input.clone(), row);
    }
    rows.values().map(|row| serde_json::to_string(row).expect("plain values") + "\n").collect()
}

/// A time in UTC, to the millisecond; `None` before 1970.
fn rfc3339(time: SystemTime) -> Option<String> {
    let since = time.duration_since(UNIX_EPOCH).ok()?;
    let (seconds, millis) = (i64::try_from(since.as_secs()).ok()?, since.subsec_millis());
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms": years begin in March, eras have 400 years.
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    Some(format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Error, ErrorKind};
    use std::time::Duration;

    #[test]
    fn times_are_those_of_the_calendar() {
        for (seconds, expected) in [
            (0, "1970-01-01T00:00:00.007Z"),
            (951_782_399, "2000-02-28T23:59:59.007Z"),
            (951_782_400, "2000-02-29T00:00:00.007Z"),
            (951_868_800, "2000-03-01T00:00:00.007Z"),
            (1_763_618_828, "2025-11-20T06:07:08.007Z"),
            (4_107_542_400, "2100-03-01T00:00:00.007Z"),
        ] {
            let time = UNIX_EPOCH + Duration::from_secs(seconds) + Duration::from_millis(7);
            assert_eq!(rfc3339(time).unwrap(), expected);
        }
        assert_eq!(rfc3339(UNIX_EPOCH - Duration::from_secs(1)), None);
    }

    #[test]
    fn an_input_keeps_its_time_when_it_is_gone() {
        let one = Done { documents: 1, bytes: 10, defects: 0 };
        let mut input = BatchInput::new("a");
        input.captured_at = Some(UNIX_EPOCH);
        let done = HashMap::from([("a".to_string(), one)]);
        let first = lines("", &[input], &done, &[]);
        assert_eq!(
            first,
            "{\"input\":\"a\",\"status\":\"done\",\"captured_at\":\"1970-01-01T00:00:00.000Z\",\
             \"documents\":1,\"bytes\":10,\"defects\":0,\"error\":null}\n"
        );
        let error = Error::new(ErrorKind::NotConverted("b\n".into()));
        let failed = [Failed { input: "b\n".into(), error }];
        let second = lines(&(first.clone() + "{\"input\":\"torn"), &[], &done, &failed);
        assert!(second.starts_with(&first) && second.lines().count() == 2, "{second}");
        assert!(second.contains(r#""input":"b\n","status":"failed","captured_at":null"#));
        // The input that failed is done by the next run.
        let done = HashMap::from([("a".to_string(), one), ("b\n".to_string(), one)]);
        assert!(!lines(&second, &[], &done, &[]).contains("failed"));
    }
}
