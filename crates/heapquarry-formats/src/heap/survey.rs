//! The contents of a snapshot, without decoding it.

use super::{
    header::Header,
    members::{Member, peek},
    reader::{EXPECTED_HEADER, LONGEST_HEADER, members},
    records::RecordCursor,
    sections::{self, Content, field_lists, trace_tree},
    source::{End, Source, skip_value},
    strings::StringCursor,
    walk::HEADER,
};
use crate::{Buffer, ByteOffset, Error, Input, Log, Result, WINDOW, input};

/// Records counted at a time.
const COUNTED_RECORDS: usize = 128 << 10;

/// The contents of a snapshot.
#[derive(Debug)]
pub struct Survey {
    /// The top-level members, in file order.
    pub sections: Vec<Section>,
    /// The program that wrote it, as far as the header tells.
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
    /// Whether the document has its closing brace.
    pub complete: bool,
    /// Where another document follows this one.
    pub next: Option<ByteOffset>,
}

impl Survey {
    /// What is missing of a document that has its end, in words.
    pub fn missing(&self) -> Vec<String> {
        let of = |name: &str| self.sections.iter().find(|section| section.name == name);
        let mut missing = Vec::new();
        for (name, declared) in [("nodes", self.declared_nodes), ("edges", self.declared_edges)] {
            // Records before the header are not counted.
            let Some(found) = of(name).map_or(Some(0), |section| section.records) else { continue };
            if let Some(declared) = declared.filter(|&declared| declared > found && self.complete) {
                missing.push(format!("{} of {declared} {name}", declared - found));
            }
        }
        missing
    }

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
    pub offset: ByteOffset,
    /// Length of its value in bytes; up to the end of the document if the value is not closed.
    pub bytes: u64,
    /// Number of its records, if it is a section of records.
    pub records: Option<u64>,
}

/// Walks a snapshot once, at the speed of reading.
///
/// # Errors
/// If it cannot be read, or has no header.
pub fn survey(input: &dyn Input, window: usize) -> Result<Survey> {
    let mut members = members(input, window, &mut Log::default())?;
    let (mut header, mut sections, mut complete) = (None, Vec::new(), false);
    let mut next = None;
    loop {
        let (name, at) = match members.next(input)? {
            Member::Value { name, at, .. } => (name, at),
            Member::End { at } => {
                complete = true;
                if let Some((b'{' | b'[', at)) = peek(input, at, window)? {
                    next = Some(at);
                }
                break;
            }
            Member::Cut | Member::Malformed { .. } => break,
        };
        let array = matches!(peek(input, at, 1)?, Some((b'[', _)));
        let counted = match (sections::Section::by_name(&name), &header) {
            (Some(section), Some(header)) if array => {
                Some(count(input, section, header, at, window)?)
            }
            _ => None,
        };
        let end = match counted {
            Some((_, End::Closed(end))) => Some(end),
            Some((_, End::Cut | End::Malformed(_))) => None,
            None => skip_value(input, at, window)?,
        };
        if let (None, HEADER, Some(end)) = (&header, name.as_str(), end) {
            let json = input::bytes_at(input, at, (end - at).min(LONGEST_HEADER) as usize)?;
            header = Some(Header::parse(json, at, field_lists(), &mut Log::default())?);
        }
        let bytes = end.unwrap_or(input.end()) - at;
        let records = counted.map(|(records, _)| records);
        sections.push(Section { name, offset: at, bytes, records });
        match end {
            Some(end) => members.at = end,
            None => break,
        }
    }
    let Some(header) = header else {
        return Err(Error::malformed(members.at, EXPECTED_HEADER, "the end of the document"));
    };
    let fields = &header.node_fields;
    Ok(Survey {
        sections,
        producer: header.producer.name(),
        node_fields: fields.names().map(String::from).collect(),
        node_types: header.node_types.names,
        edge_types: header.edge_types.names,
        declared_nodes: header.node_count,
        declared_edges: header.edge_count,
        complete,
        next,
    })
}

/// Nodes and edges that the header declares, if it is the first member; 0 for what it does not declare. They are hints,
/// limited by the size of the document.
///
/// # Errors
///
/// If the input cannot be read. An invalid header declares nothing.
pub fn declared(input: &dyn Input) -> Result<(u64, u64)> {
    /// An edge in a document of V8 has more bytes than this, a node more than this and one more field.
    const SHORTEST_EDGE: u64 = 6;
    let mut members = members(input, WINDOW, &mut Log::default())?;
    let at = match members.next(input)? {
        Member::Value { name, at, .. } if name == HEADER => at,
        _ => return Ok((0, 0)),
    };
    let Some(end) = skip_value(input, at, WINDOW)? else { return Ok((0, 0)) };
    let json = input::bytes_at(input, at, (end - at).min(LONGEST_HEADER) as usize)?;
    let Ok(header) = Header::parse(json, at, field_lists(), &mut Log::default()) else {
        return Ok((0, 0));
    };
    let room = input.end().saturating_sub(end) / SHORTEST_EDGE;
    let count = |declared: Option<u64>| declared.unwrap_or(0).min(room);
    Ok((count(header.node_count), count(header.edge_count)))
}

/// Counts the records of a section by claiming them.
fn count(
    input: &dyn Input,
    section: &sections::Section,
    header: &Header,
    open: ByteOffset,
    window: usize,
) -> Result<(u64, End)> {
    let (mut buf, mut log) = (Buffer::default(), Log::default());
    let source = &mut Source::new(input, &mut buf, window, &mut log);
    let (count, end) = match &section.content {
        Content::Records(decoder) => {
            let width = header.fields(decoder.fields).width();
            let mut cursor = RecordCursor::new(section.name, open, width);
            while cursor.claim(source, COUNTED_RECORDS)?.is_some() {}
            (cursor.rows, cursor.end())
        }
        Content::TraceTree(fields) => {
            let mut cursor = trace_tree::Cursor::new(open, header.fields(fields));
            while cursor.claim(source, COUNTED_RECORDS)?.is_some() {}
            (cursor.rows, cursor.end())
        }
        Content::Strings => {
            let mut cursor = StringCursor::new(open);
            while cursor.claim(source, COUNTED_RECORDS)?.is_some() {}
            (cursor.count(), cursor.end())
        }
    };
    Ok((count, end.unwrap_or(End::Cut)))
}
