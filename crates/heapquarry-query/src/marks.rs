//! Marks: views of the page of `open` that somebody marked, with notes, as a part of a report.

use crate::{parts::file_name, sections::table};
use heapquarry::Source;
use heapquarry_html::Block;
use heapquarry_report::{Cell, Column};
use serde::Deserialize;

/// The version of the form of a file.
const VERSION: u32 = 1;
/// Most marks, as the page has them.
const MOST: usize = 1000;

/// Marks, as the page of `open` saves them.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Marks {
    #[serde(rename = "heapquarry_marks")]
    version: u32,
    /// The inputs that they were set of.
    inputs: Vec<String>,
    marks: Vec<Mark>,
}

/// A view with a note.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
struct Mark {
    /// The address of the view, from `#` on.
    view: String,
    title: String,
    note: String,
}

impl Marks {
    /// The marks of a file.
    ///
    /// # Errors
    /// What is wrong with it, for people.
    pub fn read(file: &[u8]) -> Result<Self, String> {
        let marks: Marks = serde_json::from_slice(file).map_err(|error| {
            format!("no file of marks, which the page of `open` saves: {error}")
        })?;
        match marks.version {
            VERSION if marks.marks.len() > MOST => {
                Err(format!("more than {MOST} marks, which the page of `open` does not save"))
            }
            VERSION => Ok(marks),
            other => Err(format!("marks of another version ({other}, not {VERSION})")),
        }
    }

    /// A part of a page about these inputs.
    pub fn block(&self, sources: &[Source]) -> Block {
        let rows = self.marks.iter().map(|mark| {
            [&mark.title, &mark.note, &mark.view].map(|text| Cell::name(text.as_str())).into()
        });
        let columns = vec![Column::new("View"), Column::new("Note"), Column::new("Address")];
        let rows: Vec<Vec<Cell>> = rows.collect();
        let top = rows.len();
        let section = table("marks", "Marks", columns, rows, top, "nothing was marked");
        let names = |all: &[String]| all.iter().map(|name| file_name(name)).collect::<Vec<_>>();
        let (of, here) = (names(&self.inputs), sources.iter().map(ToString::to_string));
        // Of several inputs the page shows the last one.
        let is_same = !of.is_empty() && names(&here.collect::<Vec<_>>()).ends_with(&of);
        let note = match is_same {
            true => {
                "What was marked on the page of `heapquarry open`, where the addresses lead to it."
                    .into()
            }
            false => format!(
                "What was marked on the page of `heapquarry open` of other inputs: {}. Ids of one snapshot can mean \
                 other objects in another.",
                of.join(", ")
            ),
        };
        Block::Section { section, sql: None, note: Some(note) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(marks: &str) -> String {
        format!(r##"{{"heapquarry_marks":1,"inputs":["/tmp/a.heapsnapshot"],"marks":[{marks}]}}"##)
    }

    #[test]
    fn only_files_of_marks_are_read() {
        let mark = r##"{"view":"#/object/7","title":"Map @7","note":"<b>"}"##;
        for (text, is_read) in [
            (file(""), true),
            (file(mark), true),
            (file(&format!("{mark},{mark}")), true),
            (file(mark).replace(r#"marks":1"#, r#"marks":2"#), false),
            (file(mark).replace(r#""note""#, r#""text""#), false),
            (file(mark).replace("[{", "{"), false),
            (file(&vec![mark; MOST].join(",")), true),
            (file(&vec![mark; MOST + 1].join(",")), false),
            ("[]".into(), false),
            (String::new(), false),
        ] {
            assert_eq!(Marks::read(text.as_bytes()).is_ok(), is_read, "{text}");
        }
    }

    #[test]
    fn marks_of_other_inputs_say_so() {
        let marks = Marks::read(file("").as_bytes()).unwrap();
        for (inputs, is_other) in [
            (&["/else/a.heapsnapshot"][..], false),
            (&["/tmp/b.heapsnapshot"], true),
            (&["/tmp/a.heapsnapshot"], false),
            // A series, whose last one is on the page.
            (&["/tmp/0.heapsnapshot", "/tmp/a.heapsnapshot"], false),
            (&["/tmp/a.heapsnapshot", "/tmp/0.heapsnapshot"], true),
        ] {
            let sources: Vec<_> = inputs.iter().map(Source::path).collect();
            let Block::Section { note: Some(note), .. } = marks.block(&sources) else {
                panic!("no section")
            };
            assert_eq!(note.contains("other inputs"), is_other, "{inputs:?}: {note}");
        }
    }
}
