//! Cuts an answer in JSON to a size. What is cut is said: lists keep their totals, arrays within a row have a count of
//! what was left out, and a name that was cut ends with `…`. Rows go first, then names. Numbers are never cut, and what
//! is unknown is left out.

use crate::{printable, printable::cut};
use serde_json::{Map, Value};

/// Bytes of an answer, unless another size is asked for: 2,000 tokens of 3 bytes. Ids and digits take more tokens than
/// words.
pub const BYTES: usize = 6000;
/// The most rows of a list in such an answer.
pub const ROWS: usize = 20;

/// An answer of which a part is kept.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Brief {
    /// Its members.
    pub members: Map<String, Value>,
    /// Lists among them that go on.
    pub more: Vec<More>,
}

/// A list that goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct More {
    /// Name of the member that has it.
    pub list: String,
    /// Number of all rows.
    pub total: u64,
    /// Number of rows after these.
    pub left: u64,
}

impl More {
    /// Number of rows before those that are left.
    pub fn offset(&self) -> u64 {
        self.total - self.left
    }
}

/// How much of an answer is kept.
#[derive(Clone, Copy)]
struct Size {
    /// Rows of a list.
    rows: usize,
    /// Elements of an array within a row.
    elements: usize,
    /// Columns of a text.
    width: usize,
}

/// From the largest to the smallest: the first of these is taken with which some rows fit.
const STEPS: [(usize, usize); 4] = [(20, 100), (12, 100), (8, 60), (3, 30)];

/// The most of an answer that fits, with at most so many rows of each list. If nothing fits, it is how much there is,
/// without a row.
pub fn brief(members: &Map<String, Value>, rows: usize, fits: impl Fn(&Brief) -> bool) -> Brief {
    let shrunk = |size: Size| shrink(members, size);
    for (elements, width) in STEPS {
        let size = |rows| Size { rows, elements, width };
        if !fits(&shrunk(size(1))) {
            continue;
        }
        // The most rows that fit.
        let (mut least, mut most) = (1, rows.max(1));
        while least < most {
            let middle = (least + most).div_ceil(2);
            match fits(&shrunk(size(middle))) {
                true => least = middle,
                false => most = middle - 1,
            }
        }
        return shrunk(size(least));
    }
    let [.., (elements, width)] = STEPS;
    shrunk(Size { rows: 0, elements, width })
}

/// The rows of a list, or of an array that stands where a list could.
pub fn rows(member: &Value) -> Option<&Vec<Value>> {
    match member {
        Value::Array(rows) if rows.iter().any(|row| row.is_object() || row.is_array()) => {
            Some(rows)
        }
        Value::Object(list) if list.contains_key("total") => list.get("rows")?.as_array(),
        _ => None,
    }
}

fn shrink(all: &Map<String, Value>, size: Size) -> Brief {
    let mut brief = Brief::default();
    for (name, member) in all {
        let Some(all) = rows(member) else {
            insert(&mut brief.members, name, member, size);
            continue;
        };
        let shown = all.len().min(size.rows);
        let number = |key| member.get(key).and_then(Value::as_u64);
        let offset = number("offset").unwrap_or(0);
        let total = number("total").unwrap_or(all.len() as u64);
        // An empty list is left out; a page behind the end is not.
        if total == 0 {
            continue;
        }
        let left = total.saturating_sub(offset).saturating_sub(shown as u64);
        if left > 0 {
            brief.more.push(More { list: name.clone(), total, left });
        }
        let cut: Value = all[..shown].iter().map(|row| inner(row, size)).collect();
        brief.members.insert(name.clone(), in_place(member, cut));
    }
    brief
}

/// A list, or an array, with these rows.
fn in_place(member: &Value, rows: Value) -> Value {
    match member {
        Value::Object(list) => {
            let mut list = list.clone();
            list.insert("rows".into(), rows);
            Value::Object(list)
        }
        _ => rows,
    }
}

/// A value of a row. What is unknown is left out.
fn shortened(value: &Value, size: Size) -> Value {
    match value {
        Value::String(text) => cut(&printable(text), size.width).into(),
        Value::Array(all) => all.iter().take(size.elements).map(|v| inner(v, size)).collect(),
        Value::Object(members) => {
            let mut kept = Map::new();
            for (name, member) in members {
                insert(&mut kept, name, member, size);
            }
            Value::Object(kept)
        }
        other => other.clone(),
    }
}

/// A value of an array. There is no member beside it that could tell what was left out, so its last element does.
fn inner(value: &Value, size: Size) -> Value {
    let omitted = value.as_array().map_or(0, |all| all.len().saturating_sub(size.elements));
    let mut value = shortened(value, size);
    if let Some(all) = value.as_array_mut().filter(|_| omitted > 0) {
        all.push(format!("… {omitted} more").into());
    }
    value
}

fn insert(members: &mut Map<String, Value>, name: &str, member: &Value, size: Size) {
    if member.is_null() {
        return;
    }
    let omitted = member.as_array().map_or(0, |all| all.len().saturating_sub(size.elements));
    members.insert(cut(&printable(name), size.width).into_owned(), shortened(member, size));
    if omitted > 0 {
        members.insert(format!("{name}_omitted"), omitted.into());
    }
}
