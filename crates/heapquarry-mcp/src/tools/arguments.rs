//! The arguments of a slice, as rows.

use heapquarry_query::answer::List;
use serde::Serialize;
use serde_json::Value;
use std::fmt::Write as _;

/// An argument of a slice, or a part of one.
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct Argument {
    /// Where it is: `data.frames[2].url`.
    name: String,
    /// A text, a number, a Boolean or `null`; `{}` and `[]` for what is empty.
    value: Value,
}

/// A step to a part of an argument.
#[derive(Clone, Copy)]
enum Step<'a> {
    Member(&'a str),
    Element(usize),
}

/// Some of the arguments, and how many there are in all. They are JSON, or else they are one text, as written.
pub(super) fn rows(text: &str, offset: usize, most: usize) -> List<Argument> {
    let Ok(all) = serde_json::from_str::<Value>(text) else {
        let whole = Argument { name: String::new(), value: text.into() };
        let rows = [whole].into_iter().skip(offset).take(most).collect();
        return List { total: 1, offset: offset as u64, rows };
    };
    let (mut total, mut rows) = (0, Vec::new());
    let mut path = Vec::new();
    // With the number of steps before; in their order, as the last that is put here is taken first.
    let mut open = vec![(0, None, &all)];
    while let Some((depth, step, value)) = open.pop() {
        path.truncate(depth);
        path.extend(step);
        let depth = path.len();
        match value {
            Value::Object(members) if !members.is_empty() => {
                let inner = members.iter().rev();
                open.extend(inner.map(|(key, value)| (depth, Some(Step::Member(key)), value)));
            }
            Value::Array(elements) if !elements.is_empty() => {
                let inner = elements.iter().enumerate().rev();
                open.extend(inner.map(|(at, value)| (depth, Some(Step::Element(at)), value)));
            }
            value => {
                if (offset..offset.saturating_add(most)).contains(&total) {
                    rows.push(Argument { name: name(&path), value: told(value) });
                }
                total += 1;
            }
        }
    }
    List { total: total as u64, offset: offset as u64, rows }
}

fn name(path: &[Step<'_>]) -> String {
    let mut name = String::new();
    for step in path {
        // Writing into memory does not fail.
        let _ = match step {
            Step::Member(key) if name.is_empty() => write!(name, "{key}"),
            Step::Member(key) => write!(name, ".{key}"),
            Step::Element(at) => write!(name, "[{at}]"),
        };
    }
    name
}

/// What is unknown is left out of answers, and what is empty, too: these are said in words.
fn told(value: &Value) -> Value {
    match value {
        Value::Null => "null".into(),
        Value::Object(_) => "{}".into(),
        Value::Array(_) => "[]".into(),
        plain => plain.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn arguments_are_rows_by_their_place() {
        let text = r#"{"data":{"frames":[{"url":"a"},7],"none":null,"of":[]},"b":true,"":1.5}"#;
        let all = rows(text, 0, 10);
        let told: Vec<_> = all.rows.iter().map(|row| (row.name.as_str(), &row.value)).collect();
        let expected = [
            ("", json!(1.5)),
            ("b", json!(true)),
            ("data.frames[0].url", json!("a")),
            ("data.frames[1]", json!(7)),
            ("data.none", json!("null")),
            ("data.of", json!("[]")),
        ];
        assert_eq!(told, expected.iter().map(|(name, value)| (*name, value)).collect::<Vec<_>>());
        for (offset, most) in [(0, 0), (2, 2), (5, 10), (9, 1)] {
            let page = rows(text, offset, most);
            assert_eq!((page.total, page.offset), (6, offset as u64));
            let from = offset.min(6);
            assert_eq!(page.rows, all.rows[from..(from + most).min(6)], "{offset} {most}");
        }
    }

    #[test]
    fn what_is_no_json_is_one_text() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        for text in ["{\"a\":", "NaN", deep.as_str()] {
            let all = rows(text, 0, 5);
            assert_eq!((all.total, all.rows[0].value.as_str()), (1, Some(text)));
            assert_eq!(rows(text, 1, 5).rows, []);
        }
        assert_eq!(rows("{}", 0, 5).rows, [Argument { name: String::new(), value: "{}".into() }]);
    }
}
