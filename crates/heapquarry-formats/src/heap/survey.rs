//! What is in a snapshot, without decoding it.

use super::{
    LONGEST_HEADER, Section as Kind, claim,
    claim::End,
    header::Header,
    members::{self, Member, ValueEnd, Walk},
    strings, trace_tree,
};
use crate::{Buffer, Error, Input, Log, Result, input};

/// Records counted at a time.
const ROWS: usize = 128 << 10;

/// What is in a snapshot.
#[derive(Debug)]
pub struct Survey {
    /// The top-level members, in file order.
    pub sections: Vec<Section>,
    /// Who wrote it, as far as the header tells.
    pub producer: Option<&'static str>,
    /// Names of a node's fields.
    pub node_fields: Vec<String>,
    /// Node types by number.
    pub node_types: Vec<String>,
    /// Edge types by number.
    pub edge_types: Vec<String>,
    /// Nodes according to the header.
    pub declared_nodes: Option<u64>,
    /// Edges according to the header.
    pub declared_edges: Option<u64>,
    /// Whether the document comes to its closing brace.
    pub complete: bool,
}

impl Survey {
    /// Whether it is a timeline: a snapshot with samples.
    pub fn is_timeline(&self) -> bool {
        self.sections.iter().any(|s| s.name == "samples" && s.records > Some(0))
    }
}

/// A top-level member.
#[derive(Debug, PartialEq, Eq)]
pub struct Section {
    /// Its name.
    pub name: String,
    /// Offset of its value in bytes.
    pub offset: u64,
    /// Length of its value in bytes, to the end of the document if it has no end.
    pub bytes: u64,
    /// Its records, if it is a section of records.
    pub records: Option<u64>,
}

/// Walks a snapshot once, at the speed of reading.
///
/// # Errors
/// If it cannot be read, or has no header.
pub fn survey(input: &dyn Input, window: usize) -> Result<Survey> {
    let marked = input::bytes_at(input, 0, 3)? == b"\xEF\xBB\xBF";
    let mut walk = Walk::new(if marked { 3 } else { 0 }, window);
    let (mut header, mut sections, mut complete) = (None, Vec::new(), false);
    loop {
        let (name, at) = match walk.next(input)? {
            Member::Value { name, at, .. } => (name, at),
            Member::End { .. } => {
                complete = true;
                break;
            }
            Member::Cut | Member::Malformed { .. } => break,
        };
        let array = matches!(members::peek(input, at, 1)?, Some((b'[', _)));
        let counted = match (Kind::by_name(&name), &header) {
            (Some(kind), Some(header)) if array => Some(count(input, kind, header, at, window)?),
            _ => None,
        };
        let end = match counted {
            Some((_, End::Closed(end))) => ValueEnd::At(end),
            Some((_, End::Cut | End::Malformed(_))) => ValueEnd::Cut,
            None => members::skip_value(input, at, window)?,
        };
        if let (None, "snapshot", ValueEnd::At(end)) = (&header, name.as_str(), end) {
            let json = input::bytes_at(input, at, (end - at).min(LONGEST_HEADER) as usize)?;
            header = Some(Header::parse(json, at, &mut Log::default())?);
        }
        let stop = if let ValueEnd::At(end) = end { end } else { input.size() };
        let records = counted.map(|(records, _)| records);
        sections.push(Section { name, offset: at, bytes: stop - at, records });
        match end {
            ValueEnd::At(end) => walk.at = end,
            ValueEnd::Cut => break,
        }
    }
    let Some(header) = header else {
        let found = "the end of the document";
        return Err(Error::malformed(
            walk.at,
            "a header (\"snapshot\") with the fields of nodes and edges",
            found,
        ));
    };
    let fields = &header.node_fields;
    Ok(Survey {
        sections,
        producer: header.producer.name(),
        node_fields: (0..fields.width()).map(|i| fields.name(i).to_string()).collect(),
        node_types: header.node_types.names,
        edge_types: header.edge_types.names,
        declared_nodes: header.node_count,
        declared_edges: header.edge_count,
        complete,
    })
}

/// Counts the records of a section by claiming them.
fn count(
    input: &dyn Input,
    kind: Kind,
    header: &Header,
    open: u64,
    window: usize,
) -> Result<(u64, End)> {
    let (mut buf, mut log) = (Buffer::default(), Log::default());
    let width = match kind {
        Kind::Nodes => header.node_fields.width(),
        Kind::Edges => header.edge_fields.width(),
        Kind::TraceFunctionInfos => header.trace_function_info_fields.width(),
        Kind::Samples => header.sample_fields.width(),
        Kind::Locations => header.location_fields.width(),
        Kind::Strings => {
            let mut cursor = strings::Cursor::new(open);
            while cursor.claim(input, &mut buf, ROWS, window, &mut log)?.is_some() {}
            return Ok((cursor.count(), cursor.end().unwrap_or(End::Cut)));
        }
        Kind::TraceTree => {
            let fields = &header.trace_node_fields;
            let names = (0..fields.width()).map(|i| fields.name(i));
            let mut cursor = trace_tree::Cursor::new(open, names);
            while cursor.claim(input, &mut buf, ROWS, window, &mut log)?.is_some() {}
            return Ok((cursor.rows, cursor.end().unwrap_or(End::Cut)));
        }
    };
    let mut cursor = claim::Cursor::new(kind.name(), open, width);
    while cursor.claim(input, &mut buf, ROWS, window, &mut log)?.is_some() {}
    Ok((cursor.rows, cursor.end().unwrap_or(End::Cut)))
}
