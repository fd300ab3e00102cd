//! `inputs.jsonl`: a line for each input, whether it is done or failed.

use super::{Failed, folder::Done};
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};

/// A line.
#[derive(Serialize)]
struct Row<'a> {
    /// Path of the input, spelled like `source.path`.
    input: &'a str,
    /// `done` or `failed`.
    status: &'a str,
    documents: u64,
    bytes: u64,
    defects: u64,
    error: Option<String>,
}

/// The log of all inputs, by path.
pub(super) fn lines(done: &HashMap<String, Done>, failed: &[Failed]) -> String {
    let mut rows = BTreeMap::new();
    for (input, done) in done {
        let Done { documents, bytes, defects } = *done;
        let row = Row { input, status: "done", documents, bytes, defects, error: None };
        rows.insert(input.clone(), line(&row));
    }
    for Failed { input, error } in failed {
        let (input, error) = (input.to_string_lossy(), Some(error.to_string()));
        let row =
            Row { input: &input, status: "failed", documents: 0, bytes: 0, defects: 0, error };
        rows.insert(input.clone().into_owned(), line(&row));
    }
    rows.into_values().collect()
}

fn line(row: &Row<'_>) -> String {
    serde_json::to_string(row).expect("plain values") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use heapquarry::{Error, ErrorKind};

    #[test]
    fn each_input_has_a_line() {
        let done = Done { documents: 1, bytes: 10, defects: 0 };
        let done = HashMap::from([("b".to_string(), done)]);
        let error = Error::new(ErrorKind::NotConverted("a\n".into()));
        let failed = [Failed { input: "a\n".into(), error }];
        let lines = lines(&done, &failed);
        let (first, second) = lines.split_once('\n').unwrap();
        assert!(first.starts_with(r#"{"input":"a\n","status":"failed","documents":0,"#), "{first}");
        assert_eq!(
            second,
            "{\"input\":\"b\",\"status\":\"done\",\"documents\":1,\"bytes\":10,\"defects\":0,\"error\":null}\n"
        );
    }
}
