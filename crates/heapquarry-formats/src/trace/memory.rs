//! Memory dumps: events `V` and `v` to rows of `memory_dump` and related tables.
//!
//! The first pass records where these events are. A second pass reads them again, several in a task. Their numbers are
//! hexadecimal text. `heaps` and `heaps_v2` stay unchanged in `trace_event.args`. Format:
//! <https://chromium.googlesource.com/chromium/src/+/main/docs/memory-infra/>, reference importer:
//! `createMemoryDumps_`.

use super::{
    columns::{Dictionary, Ints, Keys},
    json::Scalar,
    members::{Kind, Members, Value, elements},
    number,
    second_pass::{Deferred, Role},
};
use crate::{Buffer, Input, Result, document, input};
use arrow_array::{ArrayRef, Int32Array, Int64Array};
use heapquarry_scan::unescape;
use heapquarry_tables::{
    FileId, MEMORY_ALLOCATOR, MEMORY_ATTRIBUTE, MEMORY_DUMP, MEMORY_EDGE, MEMORY_REGION,
    MEMORY_TABLES, Table, memory_allocator, memory_attribute, memory_dump, memory_edge,
    memory_region,
};
use std::{collections::VecDeque, ops::Range, sync::Arc};

/// Maximum bytes of events that are read together, unless a single one is larger.
const MAX_CLAIM: usize = 8 << 20;

/// Dumps in a worker's buffer.
#[derive(Debug)]
pub struct Dumps {
    file_id: FileId,
    events: Vec<(Deferred, Range<usize>)>,
}

/// Claims the next dumps.
pub(super) fn claim(
    deferred: &mut VecDeque<Deferred>,
    input: &dyn Input,
    file_id: FileId,
    buf: &mut Buffer,
    window: usize,
) -> Result<Option<Dumps>> {
    buf.clear();
    let mut events = Vec::new();
    while let Some(dump) = deferred.front() {
        let start = buf.len();
        if start > 0 && start + dump.length > MAX_CLAIM {
            break;
        }
        let end = start + dump.length;
        while buf.len() < end {
            let at = dump.offset + (buf.len() - start) as u64;
            if input::append(input, buf, at, window.clamp(1, end - buf.len()))? == 0 {
                break;
            }
        }
        events.extend(deferred.pop_front().map(|dump| (dump, start..buf.len())));
    }
    Ok((!events.is_empty()).then_some(Dumps { file_id, events }))
}

impl Dumps {
    pub(super) fn tables() -> Vec<&'static Table> {
        MEMORY_TABLES.to_vec()
    }

    pub(super) fn decode(self, bytes: &[u8], rows: &mut document::Rows<'_>) {
        let mut made = Rows::default();
        for (dump, range) in &self.events {
            let event = String::from_utf8_lossy(&bytes[range.clone()]);
            made.add(dump, event.as_bytes());
        }
        made.finish(self.file_id, rows);
    }
}

/// Rows of all tables being built. Texts are numbers of `texts`.
#[derive(Default)]
struct Rows {
    dumps: Vec<Dump>,
    allocators: Vec<Allocator>,
    attributes: Vec<Attribute>,
    edges: Vec<Edge>,
    regions: Vec<Region>,
    texts: Dictionary,
    /// Buffer for unescaped text.
    text: Vec<u8>,
}

/// A row of `memory_dump`.
struct Dump {
    event: u64,
    ts: Option<i64>,
    dump_id: Option<u32>,
    ph: u32,
    pid: Option<i64>,
    pid_text: Option<u32>,
    name: Option<u32>,
    level_of_detail: Option<u32>,
    totals: Totals,
    counts: Counts,
}

/// Totals of a process in an event of a dump, in bytes.
#[derive(Clone, Copy, Default)]
struct Totals {
    resident: Option<i64>,
    peak_resident: Option<i64>,
    private_footprint: Option<i64>,
}

/// Number of rows of an event of a dump so far.
#[derive(Clone, Copy, Default)]
struct Counts {
    allocators: i64,
    edges: i64,
    regions: i64,
}

/// A row of `memory_allocator`.
struct Allocator {
    event: u64,
    index: i64,
    path: u32,
    name: u32,
    depth: i32,
    guid: Option<u32>,
    flags: Option<i64>,
    size: Option<i64>,
    object_count: Option<i64>,
}

/// A row of `memory_attribute`.
struct Attribute {
    event: u64,
    node: Option<i64>,
    name: u32,
    kind: Option<u32>,
    units: Option<u32>,
    number: Option<i64>,
    text: Option<u32>,
}

/// A row of `memory_edge`.
#[derive(Default)]
struct Edge {
    event: u64,
    index: i64,
    source: Option<u32>,
    target: Option<u32>,
    kind: Option<u32>,
    importance: Option<i64>,
}

/// A row of `memory_region`.
#[derive(Default)]
struct Region {
    event: u64,
    index: i64,
    start_address: Option<i64>,
    size: Option<i64>,
    protection_flags: Option<i64>,
    mapped_file: Option<u32>,
    module_id: Option<u32>,
    module_timestamp: Option<u32>,
    debug_file: Option<u32>,
    private_clean: Option<i64>,
    private_dirty: Option<i64>,
    shared_clean: Option<i64>,
    shared_dirty: Option<i64>,
    proportional: Option<i64>,
    swapped: Option<i64>,
}

impl Rows {
    fn add(&mut self, dump: &Deferred, event: &[u8]) {
        let of = dump.event;
        let name = member(event, b"name").and_then(|name| self.text(name));
        let mut text =
            |text: &Option<String>| text.as_ref().map(|text| self.texts.number(text.as_bytes()));
        let (dump_id, pid_text) = (text(&dump.id), text(&dump.pid_text));
        let ph = if dump.role == Role::GlobalDump { b"V" } else { b"v" };
        let ph = self.texts.number(ph);
        let (mut level_of_detail, mut totals) = (None, Totals::default());
        let mut counts = Counts::default();
        let parts = member(event, b"args")
            .and_then(|args| member(args.raw, b"dumps"))
            .filter(|parts| parts.kind == Kind::Object);
        for part in parts.iter().flat_map(|parts| Members::new(parts.raw)) {
            let value = part.value;
            match (part.key, value.kind) {
                (b"level_of_detail", _) => level_of_detail = self.text(value),
                (b"process_totals", Kind::Object) => self.totals(of, value.raw, &mut totals),
                (b"allocators", Kind::Object) => {
                    for node in Members::new(value.raw) {
                        let path = crate::json::text(node.key, node.escaped).0;
                        self.node(of, counts.allocators, &path, node.value);
                        counts.allocators += 1;
                    }
                }
                (b"allocators_graph", Kind::Array) => {
                    for edge in elements(value.raw) {
                        self.edge(of, counts.edges, edge);
                        counts.edges += 1;
                    }
                }
                (b"process_mmaps", Kind::Object) => {
                    let regions = member(value.raw, b"vm_regions");
                    let regions = regions.filter(|regions| regions.kind == Kind::Array);
                    for region in regions.iter().flat_map(|regions| elements(regions.raw)) {
                        self.region(of, counts.regions, region);
                        counts.regions += 1;
                    }
                }
                _ => {}
            }
        }
        self.dumps.push(Dump {
            event: of,
            ts: dump.ts,
            dump_id,
            ph,
            pid: dump.pid,
            pid_text: pid_text.filter(|_| dump.pid.is_none()),
            name,
            level_of_detail,
            totals,
            counts,
        });
    }

    fn totals(&mut self, event: u64, totals: &[u8], found: &mut Totals) {
        for total in Members::new(totals) {
            let number = hexadecimal(total.value);
            match total.key {
                b"resident_set_bytes" => found.resident = number,
                b"peak_resident_set_bytes" => found.peak_resident = number,
                b"private_footprint_bytes" => found.private_footprint = number,
                _ => {}
            }
            let text = if number.is_none() { self.text(total.value) } else { None };
            let name = crate::json::text(total.key, total.escaped).0;
            let name = self.texts.number(name.as_bytes());
            let (kind, units) = (None, None);
            self.attributes.push(Attribute { event, node: None, name, kind, units, number, text });
        }
    }

    fn node(&mut self, event: u64, index: i64, path: &str, node: Value<'_>) {
        let (mut guid, mut flags, mut size, mut object_count) = (None, None, None, None);
        let is_object = node.kind == Kind::Object;
        for part in is_object.then(|| Members::new(node.raw)).into_iter().flatten() {
            match (part.key, part.value.kind) {
                (b"guid", _) => guid = self.text(part.value),
                (b"flags", _) => flags = hexadecimal(part.value),
                (b"attrs", Kind::Object) => {
                    for attribute in Members::new(part.value.raw) {
                        let value = self.attribute(event, index, attribute.key, attribute.value);
                        match attribute.key {
                            b"size" => size = value,
                            b"object_count" => object_count = value,
                            _ => {}
                        }
                    }
                }
                _ => {}
            }
        }
        let name = path.rsplit('/').next().unwrap_or(path);
        let depth = path.matches('/').count() as i32;
        let [path, name] = [path, name].map(|text| self.texts.number(text.as_bytes()));
        self.allocators.push(Allocator {
            event,
            index,
            path,
            name,
            depth,
            guid,
            flags,
            size,
            object_count,
        });
    }

    /// Adds an attribute; its value if it is a number.
    fn attribute(
        &mut self,
        event: u64,
        node: i64,
        name: &[u8],
        attribute: Value<'_>,
    ) -> Option<i64> {
        let name = crate::json::text(name, true).0;
        let name = self.texts.number(name.as_bytes());
        let (mut kind, mut units, mut value) = (None, None, None);
        let mut is_string = false;
        if attribute.kind == Kind::Object {
            for part in Members::new(attribute.raw) {
                match part.key {
                    b"type" => {
                        is_string = part.value.raw == b"\"string\"";
                        kind = self.text(part.value);
                    }
                    b"units" => units = self.text(part.value),
                    b"value" => value = Some(part.value),
                    _ => {}
                }
            }
        }
        let number = value.filter(|_| !is_string).and_then(hexadecimal);
        let text = value.filter(|_| number.is_none()).and_then(|value| self.text(value));
        let node = Some(node);
        self.attributes.push(Attribute { event, node, name, kind, units, number, text });
        number
    }

    fn edge(&mut self, event: u64, index: i64, edge: Value<'_>) {
        let mut row = Edge { event, index, ..Edge::default() };
        let is_object = edge.kind == Kind::Object;
        for part in is_object.then(|| Members::new(edge.raw)).into_iter().flatten() {
            match part.key {
                b"source" => row.source = self.text(part.value),
                b"target" => row.target = self.text(part.value),
                b"type" => row.kind = self.text(part.value),
                b"importance" => row.importance = decimal(part.value),
                _ => {}
            }
        }
        self.edges.push(row);
    }

    fn region(&mut self, event: u64, index: i64, region: Value<'_>) {
        let mut row = Region { event, index, ..Region::default() };
        let is_object = region.kind == Kind::Object;
        for part in is_object.then(|| Members::new(region.raw)).into_iter().flatten() {
            let value = part.value;
            match part.key {
                b"sa" => row.start_address = bits(value).map(|address| address as i64),
                b"sz" => row.size = hexadecimal(value),
                b"pf" => row.protection_flags = decimal(value),
                b"mf" => row.mapped_file = self.text(value),
                b"id" => row.module_id = self.text(value),
                b"ts" => row.module_timestamp = self.text(value),
                b"df" => row.debug_file = self.text(value),
                b"bs" if value.kind == Kind::Object => {
                    for size in Members::new(value.raw) {
                        let bytes = match size.key {
                            b"pc" => &mut row.private_clean,
                            b"pd" => &mut row.private_dirty,
                            b"sc" => &mut row.shared_clean,
                            b"sd" => &mut row.shared_dirty,
                            b"pss" => &mut row.proportional,
                            b"sw" => &mut row.swapped,
                            _ => continue,
                        };
                        *bytes = hexadecimal(size.value);
                    }
                }
                _ => {}
            }
        }
        self.regions.push(row);
    }

    /// Text, or the digits of a number.
    fn text(&mut self, value: Value<'_>) -> Option<u32> {
        let Some(raw) = value.inner() else {
            return value.digits().map(|digits| self.texts.number(digits));
        };
        let Kind::Text { escaped: true } = value.kind else { return Some(self.texts.number(raw)) };
        self.text.clear();
        unescape(raw, &mut self.text);
        Some(self.texts.number(&self.text))
    }

    fn finish(self, file_id: FileId, rows: &mut document::Rows<'_>) {
        let texts = self.texts.into_array();
        let file_id = |rows: usize| file_id.column(rows);
        if rows.wants(&MEMORY_DUMP) {
            let made = &self.dumps;
            rows.add(
                &MEMORY_DUMP,
                memory_dump::Columns {
                    file_id: file_id(made.len()),
                    id: events(made, |row| row.event),
                    ts: ints(made, |row| row.ts),
                    dump_id: keys(made, &texts, |row| row.dump_id),
                    ph: keys(made, &texts, |row| Some(row.ph)),
                    pid: ints(made, |row| row.pid),
                    pid_text: keys(made, &texts, |row| row.pid_text),
                    name: keys(made, &texts, |row| row.name),
                    level_of_detail: keys(made, &texts, |row| row.level_of_detail),
                    resident_set_bytes: ints(made, |row| row.totals.resident),
                    peak_resident_set_bytes: ints(made, |row| row.totals.peak_resident),
                    private_footprint_bytes: ints(made, |row| row.totals.private_footprint),
                    allocator_count: ints(made, |row| Some(row.counts.allocators)),
                    edge_count: ints(made, |row| Some(row.counts.edges)),
                    region_count: ints(made, |row| Some(row.counts.regions)),
                }
                .into_batch(),
            );
        }
        if rows.wants(&MEMORY_ALLOCATOR) {
            let made = &self.allocators;
            let depths = made.iter().map(|row| row.depth);
            rows.add(
                &MEMORY_ALLOCATOR,
                memory_allocator::Columns {
                    file_id: file_id(made.len()),
                    event_index: events(made, |row| row.event),
                    node_index: ints(made, |row| Some(row.index)),
                    path: keys(made, &texts, |row| Some(row.path)),
                    name: keys(made, &texts, |row| Some(row.name)),
                    depth: Arc::new(Int32Array::from_iter_values(depths)),
                    guid: keys(made, &texts, |row| row.guid),
                    flags: ints(made, |row| row.flags),
                    size_bytes: ints(made, |row| row.size),
                    object_count: ints(made, |row| row.object_count),
                }
                .into_batch(),
            );
        }
        if rows.wants(&MEMORY_ATTRIBUTE) {
            let made = &self.attributes;
            rows.add(
                &MEMORY_ATTRIBUTE,
                memory_attribute::Columns {
                    file_id: file_id(made.len()),
                    event_index: events(made, |row| row.event),
                    node_index: ints(made, |row| row.node),
                    name: keys(made, &texts, |row| Some(row.name)),
                    r#type: keys(made, &texts, |row| row.kind),
                    units: keys(made, &texts, |row| row.units),
                    int_value: ints(made, |row| row.number),
                    str_value: keys(made, &texts, |row| row.text),
                }
                .into_batch(),
            );
        }
        if rows.wants(&MEMORY_EDGE) {
            let made = &self.edges;
            rows.add(
                &MEMORY_EDGE,
                memory_edge::Columns {
                    file_id: file_id(made.len()),
                    event_index: events(made, |row| row.event),
                    edge_index: ints(made, |row| Some(row.index)),
                    source_guid: keys(made, &texts, |row| row.source),
                    target_guid: keys(made, &texts, |row| row.target),
                    r#type: keys(made, &texts, |row| row.kind),
                    importance: ints(made, |row| row.importance),
                }
                .into_batch(),
            );
        }
        if rows.wants(&MEMORY_REGION) {
            let made = &self.regions;
            rows.add(
                &MEMORY_REGION,
                memory_region::Columns {
                    file_id: file_id(made.len()),
                    event_index: events(made, |row| row.event),
                    region_index: ints(made, |row| Some(row.index)),
                    start_address: ints(made, |row| row.start_address),
                    size_bytes: ints(made, |row| row.size),
                    protection_flags: ints(made, |row| row.protection_flags),
                    mapped_file: keys(made, &texts, |row| row.mapped_file),
                    module_id: keys(made, &texts, |row| row.module_id),
                    module_timestamp: keys(made, &texts, |row| row.module_timestamp),
                    debug_file: keys(made, &texts, |row| row.debug_file),
                    private_clean_bytes: ints(made, |row| row.private_clean),
                    private_dirty_bytes: ints(made, |row| row.private_dirty),
                    shared_clean_bytes: ints(made, |row| row.shared_clean),
                    shared_dirty_bytes: ints(made, |row| row.shared_dirty),
                    proportional_bytes: ints(made, |row| row.proportional),
                    swapped_bytes: ints(made, |row| row.swapped),
                }
                .into_batch(),
            );
        }
    }
}

/// A column of event numbers.
fn events<R>(rows: &[R], of: impl Fn(&R) -> u64) -> ArrayRef {
    Arc::new(Int64Array::from_iter_values(rows.iter().map(|row| of(row) as i64)))
}

/// A column of numbers.
fn ints<R>(rows: &[R], of: impl Fn(&R) -> Option<i64>) -> ArrayRef {
    let mut column = Ints::new(rows.len());
    rows.iter().for_each(|row| column.push(of(row)));
    column.finish()
}

/// A column of texts, by their numbers.
fn keys<R>(rows: &[R], texts: &ArrayRef, of: impl Fn(&R) -> Option<u32>) -> ArrayRef {
    let mut column = Keys::new(rows.len());
    rows.iter().for_each(|row| column.push(of(row)));
    column.finish(texts)
}

/// The member of that name.
fn member<'a>(object: &'a [u8], name: &[u8]) -> Option<Value<'a>> {
    Members::new(object).find(|member| member.key == name).map(|member| member.value)
}

/// A number as dumps write it: hexadecimal text, with or without `0x`; other values are decimal.
fn bits(value: Value<'_>) -> Option<u64> {
    match value.kind {
        Kind::Scalar(Scalar::True) => Some(1),
        Kind::Scalar(Scalar::False) => Some(0),
        Kind::Scalar(_) => number::plain(value.raw).and_then(|number| u64::try_from(number).ok()),
        _ => {
            let text = std::str::from_utf8(value.inner()?).ok()?;
            let digits = text.strip_prefix("0x").unwrap_or(text);
            let is_plain = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
            u64::from_str_radix(digits, 16).ok().filter(|_| is_plain)
        }
    }
}

fn hexadecimal(value: Value<'_>) -> Option<i64> {
    bits(value).and_then(|bits| i64::try_from(bits).ok())
}

/// A number that is not a size: decimal, also as text.
fn decimal(value: Value<'_>) -> Option<i64> {
    value.digits().and_then(number::plain)
}
