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
use arrow_array::{ArrayRef, Int64Array};
use heapquarry_scan::unescape;
use heapquarry_tables::{
    MEMORY_ALLOCATOR, MEMORY_ATTRIBUTE, MEMORY_DUMP, MEMORY_EDGE, MEMORY_REGION, MEMORY_TABLES,
    Table, arrays,
};
use std::{collections::VecDeque, ops::Range, sync::Arc};

/// Maximum bytes of events that are read together, unless a single one is larger.
const MAX_CLAIM: usize = 8 << 20;

/// Dumps in a worker's buffer.
#[derive(Debug)]
pub struct Dumps {
    file_id: i32,
    events: Vec<(Deferred, Range<usize>)>,
}

/// Claims the next dumps.
pub(super) fn claim(
    deferred: &mut VecDeque<Deferred>,
    input: &dyn Input,
    file_id: i32,
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

/// Columns of each kind being built: a row is one push for each column.
#[derive(Default)]
struct Columns {
    events: Vec<i64>,
    ints: Vec<Ints>,
    texts: Vec<Keys>,
}

impl Columns {
    fn add<const I: usize, const T: usize>(
        &mut self,
        event: u64,
        ints: [Option<i64>; I],
        texts: [Option<u32>; T],
    ) {
        self.events.push(event as i64);
        self.ints.resize_with(I, || Ints::new(0));
        self.texts.resize_with(T, || Keys::new(0));
        self.ints.iter_mut().zip(ints).for_each(|(column, value)| column.push(value));
        self.texts.iter_mut().zip(texts).for_each(|(column, value)| column.push(value));
    }

    /// The columns, with texts and integers in the order of `order`: `t` and `i`.
    fn finish(self, file_id: i32, order: &str, values: &ArrayRef) -> Vec<ArrayRef> {
        let rows = self.events.len();
        let mut ints = self.ints.into_iter();
        let mut texts = self.texts.into_iter();
        let mut columns: Vec<ArrayRef> = vec![
            arrays::constant_i32(Some(file_id), rows),
            Arc::new(Int64Array::from(self.events)),
        ];
        columns.extend(order.chars().map(|kind| match kind {
            't' => texts.next().unwrap_or_else(|| Keys::new(0)).finish(values),
            _ => ints.next().unwrap_or_else(|| Ints::new(0)).finish(),
        }));
        columns
    }
}

/// Rows of all tables being built.
#[derive(Default)]
struct Rows {
    dumps: Columns,
    allocators: Columns,
    attributes: Columns,
    edges: Columns,
    regions: Columns,
    depths: Vec<i32>,
    texts: Dictionary,
    /// Buffer for unescaped text.
    text: Vec<u8>,
}

impl Rows {
    fn add(&mut self, dump: &Deferred, event: &[u8]) {
        let of = dump.event;
        let name = member(event, b"name").and_then(|name| self.text(name));
        let mut text =
            |text: &Option<String>| text.as_ref().map(|text| self.texts.number(text.as_bytes()));
        let (dump_id, pid_text) = (text(&dump.id), text(&dump.pid_text));
        let ph = if dump.role == Role::GlobalDump { b"V" } else { b"v" };
        let ph = Some(self.texts.number(ph));
        let (mut level, mut totals, mut counts) = (None, [None; 3], [0; 3]);
        let parts = member(event, b"args")
            .and_then(|args| member(args.raw, b"dumps"))
            .filter(|parts| parts.kind == Kind::Object);
        for part in parts.iter().flat_map(|parts| Members::new(parts.raw)) {
            let value = part.value;
            match (part.key, value.kind) {
                (b"level_of_detail", _) => level = self.text(value),
                (b"process_totals", Kind::Object) => self.totals(of, value.raw, &mut totals),
                (b"allocators", Kind::Object) => {
                    for node in Members::new(value.raw) {
                        let path = crate::json::text(node.key, node.escaped).0;
                        self.node(of, counts[0], &path, node.value);
                        counts[0] += 1;
                    }
                }
                (b"allocators_graph", Kind::Array) => {
                    for edge in elements(value.raw) {
                        self.edge(of, counts[1], edge);
                        counts[1] += 1;
                    }
                }
                (b"process_mmaps", Kind::Object) => {
                    let regions = member(value.raw, b"vm_regions");
                    let regions = regions.filter(|regions| regions.kind == Kind::Array);
                    for region in regions.iter().flat_map(|regions| elements(regions.raw)) {
                        self.region(of, counts[2], region);
                        counts[2] += 1;
                    }
                }
                _ => {}
            }
        }
        let [resident, peak, private] = totals;
        let [nodes, edges, regions] = counts.map(Some);
        self.dumps.add(
            of,
            [dump.ts, dump.pid, resident, peak, private, nodes, edges, regions],
            [dump_id, ph, pid_text.filter(|_| dump.pid.is_none()), name, level],
        );
    }

    fn totals(&mut self, of: u64, totals: &[u8], columns: &mut [Option<i64>; 3]) {
        for total in Members::new(totals) {
            let number = hexadecimal(total.value);
            match total.key {
                b"resident_set_bytes" => columns[0] = number,
                b"peak_resident_set_bytes" => columns[1] = number,
                b"private_footprint_bytes" => columns[2] = number,
                _ => {}
            }
            let text = if number.is_none() { self.text(total.value) } else { None };
            let name = crate::json::text(total.key, total.escaped).0;
            let name = Some(self.texts.number(name.as_bytes()));
            self.attributes.add(of, [None, number], [name, None, None, text]);
        }
    }

    fn node(&mut self, of: u64, number: i64, path: &str, node: Value<'_>) {
        let (mut guid, mut flags, mut size, mut count) = (None, None, None, None);
        let is_object = node.kind == Kind::Object;
        for part in is_object.then(|| Members::new(node.raw)).into_iter().flatten() {
            match (part.key, part.value.kind) {
                (b"guid", _) => guid = self.text(part.value),
                (b"flags", _) => flags = hexadecimal(part.value),
                (b"attrs", Kind::Object) => {
                    for attribute in Members::new(part.value.raw) {
                        let value = self.attribute(of, number, attribute.key, attribute.value);
                        match attribute.key {
                            b"size" => size = value,
                            b"object_count" => count = value,
                            _ => {}
                        }
                    }
                }
                _ => {}
            }
        }
        let name = path.rsplit('/').next().unwrap_or(path);
        let text = |text: &str, texts: &mut Dictionary| Some(texts.number(text.as_bytes()));
        let texts = [text(path, &mut self.texts), text(name, &mut self.texts), guid];
        self.allocators.add(of, [Some(number), flags, size, count], texts);
        self.depths.push(path.matches('/').count() as i32);
    }

    /// Adds an attribute. Returns its value if it is a number.
    fn attribute(&mut self, of: u64, node: i64, name: &[u8], attribute: Value<'_>) -> Option<i64> {
        let name = crate::json::text(name, true).0;
        let name = Some(self.texts.number(name.as_bytes()));
        let (mut ty, mut units, mut value) = (None, None, None);
        let mut is_string = false;
        if attribute.kind == Kind::Object {
            for part in Members::new(attribute.raw) {
                match part.key {
                    b"type" => {
                        is_string = part.value.raw == b"\"string\"";
                        ty = self.text(part.value);
                    }
                    b"units" => units = self.text(part.value),
                    b"value" => value = Some(part.value),
                    _ => {}
                }
            }
        }
        let number = value.filter(|_| !is_string).and_then(hexadecimal);
        let text = value.filter(|_| number.is_none()).and_then(|value| self.text(value));
        self.attributes.add(of, [Some(node), number], [name, ty, units, text]);
        number
    }

    fn edge(&mut self, of: u64, number: i64, edge: Value<'_>) {
        let (mut texts, mut importance) = ([None; 3], None);
        let is_object = edge.kind == Kind::Object;
        for part in is_object.then(|| Members::new(edge.raw)).into_iter().flatten() {
            match part.key {
                b"source" => texts[0] = self.text(part.value),
                b"target" => texts[1] = self.text(part.value),
                b"type" => texts[2] = self.text(part.value),
                b"importance" => importance = decimal(part.value),
                _ => {}
            }
        }
        self.edges.add(of, [Some(number), importance], texts);
    }

    fn region(&mut self, of: u64, number: i64, region: Value<'_>) {
        let (mut ints, mut texts) = ([None; 10], [None; 4]);
        ints[0] = Some(number);
        let is_object = region.kind == Kind::Object;
        for part in is_object.then(|| Members::new(region.raw)).into_iter().flatten() {
            let value = part.value;
            match part.key {
                b"sa" => ints[1] = bits(value).map(|address| address as i64),
                b"sz" => ints[2] = hexadecimal(value),
                b"pf" => ints[3] = decimal(value),
                b"mf" => texts[0] = self.text(value),
                b"id" => texts[1] = self.text(value),
                b"ts" => texts[2] = self.text(value),
                b"df" => texts[3] = self.text(value),
                b"bs" if value.kind == Kind::Object => {
                    for size in Members::new(value.raw) {
                        let at = [&b"pc"[..], b"pd", b"sc", b"sd", b"pss", b"sw"]
                            .iter()
                            .position(|&name| name == size.key);
                        if let Some(at) = at {
                            ints[4 + at] = hexadecimal(size.value);
                        }
                    }
                }
                _ => {}
            }
        }
        self.regions.add(of, ints, texts);
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

    fn finish(self, file_id: i32, rows: &mut document::Rows<'_>) {
        let depths: ArrayRef = Arc::new(arrow_array::Int32Array::from(self.depths));
        let texts = self.texts.into_array();
        for (table, columns, order) in [
            (&MEMORY_DUMP, self.dumps, "ittitttiiiiii"),
            (&MEMORY_ALLOCATOR, self.allocators, "itttiii"),
            (&MEMORY_ATTRIBUTE, self.attributes, "itttit"),
            (&MEMORY_EDGE, self.edges, "ittti"),
            (&MEMORY_REGION, self.regions, "iiiittttiiiiii"),
        ] {
            if !rows.wants(table) {
                continue;
            }
            let mut columns = columns.finish(file_id, order, &texts);
            if *table == MEMORY_ALLOCATOR {
                columns.insert(5, depths.clone());
            }
            rows.add(table, table.batch(columns));
        }
    }
}

/// The member with that name.
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
