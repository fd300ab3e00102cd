//! What is in an input, without converting it.

use crate::{
    Error, ErrorKind, Result,
    input::{self, Opened},
    sniff,
};
use heapquarry_formats::{Input, heap};
use serde_json::{Value, json};
use std::{fmt, path::PathBuf};

/// What is in an input.
#[derive(Debug)]
pub struct Info {
    /// The input as given.
    pub path: PathBuf,
    /// `heapsnapshot` or `heaptimeline`.
    pub format: &'static str,
    /// Who wrote it, as far as its content tells.
    pub producer: Option<&'static str>,
    /// Size in bytes, unpacked.
    pub bytes: u64,
    /// Whether it comes to its end.
    pub complete: bool,
    /// Fields of a node.
    pub node_fields: Vec<String>,
    /// Nodes according to the header.
    pub declared_nodes: Option<u64>,
    /// Edges according to the header.
    pub declared_edges: Option<u64>,
    /// Its sections, in file order.
    pub sections: Vec<SectionInfo>,
}

/// A section of an input.
#[derive(Debug)]
pub struct SectionInfo {
    /// Its name.
    pub name: String,
    /// Offset of its value in bytes.
    pub offset: u64,
    /// Length of its value in bytes.
    pub bytes: u64,
    /// Its records, if it is a section of records.
    pub records: Option<u64>,
}

/// Looks at an input: one pass at the speed of reading, nothing is written.
///
/// # Errors
/// As [`crate::convert`].
pub fn info(path: impl AsRef<std::path::Path>) -> Result<Info> {
    let opened = input::open(path.as_ref(), &std::env::temp_dir())?;
    let sniff::Format::Heap = sniff::sniff(&opened)?;
    let Opened { path, input, .. } = opened;
    let survey = heap::survey(&input, 1 << 20);
    let fail = |source| Error::new(ErrorKind::Format { path: path.clone(), source });
    let survey = survey.map_err(fail)?;
    let samples = survey.sections.iter().any(|s| s.name == "samples" && s.records > Some(0));
    let section = |s: heap::SurveySection| SectionInfo {
        name: s.name,
        offset: s.offset,
        bytes: s.bytes,
        records: s.records,
    };
    Ok(Info {
        format: if samples { "heaptimeline" } else { "heapsnapshot" },
        producer: survey.producer,
        bytes: input.size(),
        complete: survey.complete,
        node_fields: survey.node_fields,
        declared_nodes: survey.declared_nodes,
        declared_edges: survey.declared_edges,
        sections: survey.sections.into_iter().map(section).collect(),
        path,
    })
}

impl Info {
    /// As JSON; members are added, never removed or renamed.
    pub fn json(&self) -> Value {
        let sections: Vec<_> = self
            .sections
            .iter()
            .map(|s| json!({"name": s.name, "offset": s.offset, "bytes": s.bytes, "records": s.records}))
            .collect();
        json!({
            "path": self.path.to_string_lossy(),
            "format": self.format,
            "producer": self.producer,
            "bytes": self.bytes,
            "complete": self.complete,
            "node_fields": self.node_fields,
            "declared_nodes": self.declared_nodes,
            "declared_edges": self.declared_edges,
            "sections": sections,
        })
    }
}

impl fmt::Display for Info {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = if self.complete { "complete" } else { "truncated" };
        let producer = self.producer.unwrap_or("unknown producer");
        writeln!(f, "{}", self.path.display())?;
        writeln!(f, "  {}, {producer}, {} bytes, {state}", self.format, grouped(self.bytes))?;
        writeln!(f, "  node fields: {}", self.node_fields.join(", "))?;
        let declared = |count: Option<u64>| count.map_or("nothing".into(), grouped);
        let (nodes, edges) = (declared(self.declared_nodes), declared(self.declared_edges));
        writeln!(f, "  declared: {nodes} nodes, {edges} edges")?;
        writeln!(f, "  {:24} {:>16} {:>16} {:>16}", "section", "offset", "bytes", "records")?;
        for s in &self.sections {
            let records = s.records.map(grouped).unwrap_or_default();
            let (offset, bytes) = (grouped(s.offset), grouped(s.bytes));
            writeln!(f, "  {:24} {offset:>16} {bytes:>16} {records:>16}", s.name)?;
        }
        Ok(())
    }
}

/// With a comma after each three digits.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn digits_are_grouped() {
        for (number, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (12_345_678, "12,345,678")]
        {
            assert_eq!(super::grouped(number), text);
        }
    }
}
