//! Random snapshots, in every layout that writers use and some that none does.

use proptest::{collection::vec, option, prelude::*, sample::select, strategy::Union};

/// What stands where a number should: JSON, but not always a plain number.
type Token = String;

const NODE: [(&str, u64); 10] = [
    ("type", 6),
    ("name", 24),
    ("id", 300),
    ("self_size", 1000),
    ("edge_count", 4),
    ("trace_node_id", 10),
    ("detachedness", 3),
    ("native_size", 5000),
    ("colour", 9),
    ("strings", 9),
];
const EDGE: [(&str, u64); 4] =
    [("type", 8), ("name_or_index", 24), ("to_node", 60), ("weight", 1000)];
const FUNCTION: [(&str, u64); 7] = [
    ("function_id", 99),
    ("name", 24),
    ("script_name", 24),
    ("script_id", 50),
    ("line", 2000),
    ("column", 200),
    ("extra", 7),
];
const FRAME: [(&str, u64); 5] =
    [("id", 50), ("function_info_index", 9), ("count", 99), ("size", 5000), ("extra", 7)];
const SAMPLE: [(&str, u64); 3] =
    [("timestamp_us", 90_000), ("last_assigned_id", 300), ("extra", 7)];
const LOCATION: [(&str, u64); 6] = [
    ("object_index", 60),
    ("script_id", 50),
    ("line", 2000),
    ("column", 200),
    ("script_object_index", 60),
    ("extra", 7),
];
const SCOPE: [(&str, u64); 6] = [
    ("script_node_index", 60),
    ("scope_id", 900),
    ("depth", 9),
    ("scope_context_vars_count", 4),
    ("scope_uses_count", 4),
    ("extra", 7),
];
const SCOPE_VAR: [(&str, u64); 2] = [("name", 24), ("extra", 7)];
const SCOPE_USE: [(&str, u64); 3] = [("declaring_scope_id", 900), ("slot_index", 4), ("extra", 7)];
/// Fields that point at a node: written as its position times the number of a node's fields.
const REFERENCES: [&str; 4] =
    ["to_node", "object_index", "script_object_index", "script_node_index"];

const SECTIONS: [&str; 11] = [
    "snapshot",
    "nodes",
    "edges",
    "trace_function_infos",
    "trace_tree",
    "samples",
    "locations",
    "scopes",
    "scope_context_vars",
    "scope_uses",
    "strings",
];

/// Numbers at the limits, numbers in other forms, and what is no number.
const ODD: [&str; 26] = [
    "-1",
    "-0",
    "-300",
    "5.0",
    "1e3",
    "12.5E1",
    "-20e-1",
    "1.5",
    "-7.25",
    "2147483647",
    "2147483648",
    "-2147483648",
    "-2147483649",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775807",
    "18446744073709551615",
    "18446744073709551616",
    "99999999999999999999999999999999999999999999999999999999999999999999999999999999",
    "null",
    "true",
    "\"12\"",
    "\"a,\\\"]\"",
    "[1,[2,\"],\"],{}]",
    "{\"a\":[1,2]}",
];

/// Some JSON for a section that nobody knows.
const UNKNOWN: [&str; 5] = [
    "[]",
    "-1.5e3",
    "{\"strings\":[\"not these\"],\"nodes\":[1,2,3],\"deep\":[[[{\"edges\":[\"]\"]}]]]}",
    "\"\\\"strings\\\":[\\\"no\\\"]}\"",
    "[{\"a\":\"\\\\\"},null,\"}\"]",
];

fn token(range: u64) -> impl Strategy<Value = Token> {
    prop_oneof![
        40 => (0..range).prop_map(|n| n.to_string()),
        4 => any::<u32>().prop_map(|n| n.to_string()),
        1 => any::<u64>().prop_map(|n| n.to_string()),
        1 => select(&ODD[..]).prop_map(String::from),
    ]
}

/// A record with a value for every field that there could be.
fn record(fields: &'static [(&'static str, u64)]) -> impl Strategy<Value = Vec<Token>> {
    fields.iter().map(|(_, range)| token(*range).boxed()).collect::<Vec<_>>()
}

/// Which fields a file has, in its order: as positions in the table above.
fn fields(of: &'static [(&'static str, u64)], usual: usize) -> impl Strategy<Value = Vec<usize>> {
    let any_order = Just((0..of.len()).collect::<Vec<_>>()).prop_shuffle();
    let some = (any_order, 1..=of.len()).prop_map(|(mut order, len)| {
        order.truncate(len);
        order
    });
    prop_oneof![2 => Just((0..usual).collect::<Vec<_>>()), 1 => some]
}

/// A section of records.
#[derive(Clone, Debug)]
struct Records {
    of: &'static [(&'static str, u64)],
    fields: Vec<usize>,
    records: Vec<Vec<Token>>,
    /// Values of a record that is not whole, at the end.
    partial: usize,
}

fn records(
    of: &'static [(&'static str, u64)],
    usual: usize,
    most: usize,
) -> impl Strategy<Value = Records> {
    let partial = prop_oneof![9 => Just(0), 1 => 0..of.len()];
    (fields(of, usual), vec(record(of), 0..=most), partial)
        .prop_map(move |(fields, records, partial)| Records { of, fields, records, partial })
}

impl Records {
    fn names(&self) -> Vec<String> {
        self.fields.iter().map(|&field| quoted(self.of[field].0)).collect()
    }

    /// The values of each record as they stand in the file.
    fn values(&self, node_width: usize) -> Vec<Vec<Token>> {
        let value = |record: &Vec<Token>, &field: &usize| match record[field].parse::<u64>() {
            Ok(node) if REFERENCES.contains(&self.of[field].0) && node < 1000 => {
                (node * node_width as u64).to_string()
            }
            _ => record[field].clone(),
        };
        let mut values: Vec<Vec<Token>> = self
            .records
            .iter()
            .map(|record| self.fields.iter().map(|field| value(record, field)).collect())
            .collect();
        let partial = self.partial % self.fields.len();
        if partial > 0 {
            values.push(vec!["7".into(); partial]);
        }
        values
    }
}

/// A character, or half of a surrogate pair.
#[derive(Clone, Debug)]
enum Piece {
    Char(char),
    Unit(u16),
}

fn piece() -> impl Strategy<Value = Piece> {
    let special = "\"\\/\u{0}\u{1}\u{8}\t\n\u{c}\r\u{1f}\u{7f}\u{80}é\u{2028}漢\u{d7ff}\u{e000}\u{fffd}\u{ffff}😀\u{10ffff}[]{},:ud8";
    prop_oneof![
        20 => (b'a'..=b'z').prop_map(|b| Piece::Char(b.into())),
        10 => select(special.chars().collect::<Vec<_>>()).prop_map(Piece::Char),
        2 => any::<char>().prop_map(Piece::Char),
        1 => (0xD800..=0xDFFFu16).prop_map(Piece::Unit),
    ]
}

#[derive(Clone, Debug)]
struct Frame {
    values: Vec<Token>,
    children: Vec<Frame>,
}

fn frames() -> impl Strategy<Value = Vec<Frame>> {
    // Brackets stand for children here, whatever they were meant for.
    let values = || {
        record(&FRAME).prop_map(|values| {
            values.into_iter().map(|v| if v.starts_with('[') { "null".into() } else { v }).collect()
        })
    };
    let leaf = values().prop_map(|values| Frame { values, children: Vec::new() });
    let frame = leaf.prop_recursive(8, 60, 4, move |inner| {
        (values(), vec(inner, 0..4)).prop_map(|(values, children)| Frame { values, children })
    });
    vec(frame, 0..4)
}

/// Where blanks and line breaks stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    /// A line for each record and each string.
    V8Old,
    /// A line for each section.
    V8New,
    /// Nothing but what JSON needs.
    Dense,
    /// A line begins with each record; blanks behind commas.
    Julia,
    /// Blanks of all kinds anywhere.
    Blanks,
}

/// How strings are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Escapes {
    /// Non-ASCII as `\uXXXX`.
    V8,
    /// Non-ASCII as `\uXXXX` in lower case, and `/` as `\/`.
    Hermes,
    /// UTF-8.
    Bun,
    /// Control characters as they are.
    Raw,
    /// Every character as `\uXXXX`.
    All,
}

/// A snapshot, not yet written down.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    nodes: Records,
    edges: Records,
    functions: Records,
    samples: Records,
    locations: Records,
    scopes: Records,
    scope_vars: Records,
    scope_uses: Records,
    frame_fields: Vec<usize>,
    tree: Vec<Frame>,
    strings: Vec<Vec<Piece>>,
    header: Header,
    order: Vec<&'static str>,
    unknown: Vec<(usize, &'static str)>,
    layout: Layout,
    escapes: Escapes,
    /// Seed of the blanks.
    seed: u64,
    mark: bool,
}

#[derive(Clone, Debug)]
struct Header {
    node_types: Vec<&'static str>,
    edge_types: Vec<&'static str>,
    /// Whether the names of types stand first even if the field `type` does not.
    types_first: bool,
    counts: [Option<Count>; 3],
    extra_native_bytes: Option<u32>,
    unknown: Option<&'static str>,
    meta_last: bool,
}

#[derive(Clone, Copy, Debug)]
enum Count {
    Exact,
    Wrong(u32),
}

fn header() -> impl Strategy<Value = Header> {
    let node_types: [&[&str]; 5] = [
        &["hidden", "array", "string", "object", "code", "closure"],
        &["hidden", "array", "slicedstring", "object"],
        &["synthetic", "jl_task_t", "String"],
        &["object \"quoted\" 漢"],
        &[],
    ];
    let edge_types: [&[&str]; 4] = [
        &["context", "element", "property", "internal", "hidden", "shortcut", "weak"],
        &["element", "property"],
        &["hidden"],
        &[],
    ];
    let list = |lists: Vec<&'static [&'static str]>| {
        let usual = lists[0].to_vec();
        prop_oneof![2 => Just(usual), 1 => select(lists).prop_map(<[_]>::to_vec)]
    };
    let count = || {
        let count = prop_oneof![3 => Just(Count::Exact), 1 => any::<u32>().prop_map(Count::Wrong)];
        option::weighted(0.9, count)
    };
    (
        list(node_types.to_vec()),
        list(edge_types.to_vec()),
        any::<bool>(),
        [count(), count(), count()],
        option::of(any::<u32>()),
        option::of(select(&UNKNOWN[..])),
        any::<bool>(),
    )
        .prop_map(
            |(
                node_types,
                edge_types,
                types_first,
                counts,
                extra_native_bytes,
                unknown,
                meta_last,
            )| {
                Header {
                    node_types,
                    edge_types,
                    types_first,
                    counts,
                    extra_native_bytes,
                    unknown,
                    meta_last,
                }
            },
        )
}

/// The order of sections, without those that the file does not have.
fn order() -> impl Strategy<Value = Vec<&'static str>> {
    let v8 = Just(SECTIONS.to_vec());
    let julia =
        Just(vec!["snapshot", "trace_tree", "locations", "samples", "nodes", "edges", "strings"]);
    let some = (Just(SECTIONS.to_vec()).prop_shuffle(), vec(any::<bool>(), 7)).prop_map(
        |(order, drop)| {
            let drops = |section: &&str| {
                let droppable = [
                    "edges",
                    "trace_tree",
                    "samples",
                    "strings",
                    "scopes",
                    "scope_context_vars",
                    "scope_uses",
                ];
                let place = droppable.iter().position(|name| name == section);
                place.is_some_and(|place| drop[place] && drop[(place + 1) % droppable.len()])
            };
            order.into_iter().filter(|section| !drops(section)).collect::<Vec<_>>()
        },
    );
    prop_oneof![2 => v8, 1 => julia, 4 => some]
}

/// Snapshots of all kinds.
pub(crate) fn snapshots() -> impl Strategy<Value = Model> {
    let layouts = [Layout::V8Old, Layout::V8New, Layout::Dense, Layout::Julia, Layout::Blanks];
    let escapes = [Escapes::V8, Escapes::Hermes, Escapes::Bun, Escapes::Raw, Escapes::All];
    let sections = (
        records(&NODE, 7, 60),
        records(&EDGE, 3, 100),
        records(&FUNCTION, 6, 10),
        records(&SAMPLE, 2, 10),
        records(&LOCATION, 4, 10),
        (records(&SCOPE, 5, 12), records(&SCOPE_VAR, 1, 20), records(&SCOPE_USE, 2, 20)),
        (fields(&FRAME, 4), frames()),
        vec(vec(piece(), 0..12), 0..24),
    );
    let form = (
        header(),
        order(),
        vec((0..9usize, select(&UNKNOWN[..])), 0..3),
        select(layouts.to_vec()),
        select(escapes.to_vec()),
        any::<u64>(),
        Union::new_weighted(vec![(9, Just(false)), (1, Just(true))]),
        any::<bool>(),
    );
    (sections, form).prop_map(|(sections, form)| {
        let (nodes, edges, functions, samples, locations, scopes, (frame_fields, tree), strings) =
            sections;
        let (scopes, scope_vars, scope_uses) = scopes;
        let (header, order, unknown, layout, escapes, seed, mark, consistent) = form;
        let mut model = Model {
            nodes,
            edges,
            functions,
            samples,
            locations,
            scopes,
            scope_vars,
            scope_uses,
            frame_fields,
            tree,
            strings,
            header,
            order,
            unknown,
            layout,
            escapes,
            seed,
            mark,
        };
        if consistent {
            model.own_all_edges();
        }
        model
    })
}

/// A string that needs no escapes, in quotes.
fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("a string")
}

fn joined(texts: impl IntoIterator<Item = String>) -> String {
    texts.into_iter().collect::<Vec<_>>().join(",")
}

impl Model {
    /// Makes as many edges as the nodes say, if they say it in plain numbers.
    fn own_all_edges(&mut self) {
        let counts = self.nodes.records.iter().filter_map(|node| node[4].parse::<usize>().ok());
        let count: usize = counts.filter(|count| *count < 10).sum();
        let edges: Vec<_> = self.edges.records.iter().cycle().take(count).cloned().collect();
        self.edges.records = edges;
    }

    /// The document, and where each section begins.
    pub(crate) fn document(&self) -> Vec<u8> {
        let mut out = Out { text: String::new(), layout: self.layout, state: self.seed };
        if self.mark {
            out.text.push('\u{feff}');
        }
        out.blank();
        out.text.push('{');
        let mut members: Vec<(String, &str)> =
            self.order.iter().map(|section| (quoted(section), *section)).collect();
        for (i, (at, value)) in self.unknown.iter().enumerate() {
            members.insert(at % (members.len() + 1), (quoted(&format!("unknown \"{i}")), value));
        }
        for (i, (key, section)) in members.iter().enumerate() {
            if i > 0 {
                out.text.push(',');
                out.line(&[Layout::V8Old, Layout::V8New, Layout::Julia]);
            }
            out.blank();
            out.text.push_str(key);
            out.blank();
            out.text.push(':');
            out.blank();
            self.section(section, &mut out);
            out.blank();
        }
        out.line(&[Layout::Julia]);
        out.text.push('}');
        out.blank();
        out.text.into_bytes()
    }

    fn section(&self, section: &str, out: &mut Out) {
        let width = self.nodes.fields.len();
        match section {
            "snapshot" => out.text.push_str(&self.header()),
            "nodes" => out.records(&self.nodes.values(width)),
            "edges" => out.records(&self.edges.values(width)),
            "trace_function_infos" => out.records(&self.functions.values(width)),
            "samples" => out.records(&self.samples.values(width)),
            "locations" => out.records(&self.locations.values(width)),
            "scopes" => out.records(&self.scopes.values(width)),
            "scope_context_vars" => out.records(&self.scope_vars.values(width)),
            "scope_uses" => out.records(&self.scope_uses.values(width)),
            "trace_tree" => self.frames(&self.tree, out),
            "strings" => {
                let strings: Vec<_> = self.strings.iter().map(|s| vec![self.string(s)]).collect();
                out.records(&strings);
            }
            unknown => out.text.push_str(unknown),
        }
    }

    fn header(&self) -> String {
        let Header { node_types, edge_types, types_first, unknown, .. } = &self.header;
        let list = |names: Vec<String>| format!("[{}]", joined(names));
        let types = |types: &[&str], fields: &[usize]| {
            let enumeration = list(types.iter().map(|name| quoted(name)).collect());
            let mut entries: Vec<_> =
                fields.iter().map(|field| quoted(&format!("t{field}"))).collect();
            let place = fields.iter().position(|field| *field == 0).filter(|_| !types_first);
            entries[place.unwrap_or(0)] = enumeration;
            list(entries)
        };
        let mut frame_fields: Vec<_> =
            self.frame_fields.iter().map(|&f| quoted(FRAME[f].0)).collect();
        frame_fields.push(quoted("children"));
        let mut meta = vec![
            format!("\"node_fields\":{}", list(self.nodes.names())),
            format!("\"node_types\":{}", types(node_types, &self.nodes.fields)),
            format!("\"edge_fields\":{}", list(self.edges.names())),
            format!("\"edge_types\":{}", types(edge_types, &self.edges.fields)),
            format!("\"trace_function_info_fields\":{}", list(self.functions.names())),
            format!("\"trace_node_fields\":{}", list(frame_fields)),
            format!("\"sample_fields\":{}", list(self.samples.names())),
            format!("\"location_fields\":{}", list(self.locations.names())),
            format!("\"scope_fields\":{}", list(self.scopes.names())),
            format!("\"scope_context_var_fields\":{}", list(self.scope_vars.names())),
            format!("\"scope_use_fields\":{}", list(self.scope_uses.names())),
        ];
        meta.extend(unknown.map(|value| format!("\"other_fields\":{value}")));
        let lens = [&self.nodes, &self.edges, &self.functions].map(|records| records.records.len());
        let names = ["node_count", "edge_count", "trace_function_count"];
        let mut members = vec![format!("\"meta\":{{{}}}", joined(meta))];
        for ((name, count), len) in names.into_iter().zip(self.header.counts).zip(lens) {
            members.extend(count.map(|count| match count {
                Count::Exact => format!("{}:{len}", quoted(name)),
                Count::Wrong(count) => format!("{}:{count}", quoted(name)),
            }));
        }
        members
            .extend(self.header.extra_native_bytes.map(|n| format!("\"extra_native_bytes\":{n}")));
        members.extend(unknown.map(|value| format!("\"custom\":{value}")));
        if self.header.meta_last {
            members.rotate_left(1);
        }
        format!("{{{}}}", joined(members))
    }

    fn frames(&self, frames: &[Frame], out: &mut Out) {
        out.text.push('[');
        for (i, frame) in frames.iter().enumerate() {
            if i > 0 {
                out.text.push(',');
                out.line(&[Layout::V8Old]);
            }
            for &field in &self.frame_fields {
                out.blank();
                out.text.push_str(&frame.values[field]);
                out.blank();
                out.text.push(',');
            }
            out.blank();
            self.frames(&frame.children, out);
        }
        out.blank();
        out.text.push(']');
    }

    fn string(&self, pieces: &[Piece]) -> String {
        let mut text = String::from('"');
        for piece in pieces {
            match *piece {
                Piece::Unit(unit) => text.push_str(&format!("\\u{unit:04x}")),
                Piece::Char(c) => self.character(c, &mut text),
            }
        }
        text + "\""
    }

    fn character(&self, c: char, text: &mut String) {
        let short = match c {
            '"' => Some("\\\""),
            '\\' => Some("\\\\"),
            '/' if self.escapes == Escapes::Hermes => Some("\\/"),
            '\u{8}' => Some("\\b"),
            '\u{c}' => Some("\\f"),
            '\n' => Some("\\n"),
            '\r' => Some("\\r"),
            '\t' => Some("\\t"),
            _ => None,
        };
        let must = matches!(c, '"' | '\\');
        match (self.escapes, short) {
            (Escapes::All, _) => {}
            (Escapes::Raw, _) if !must => return text.push(c),
            (_, Some(short)) => return text.push_str(short),
            (Escapes::Bun, None) if c >= ' ' => return text.push(c),
            _ if c.is_ascii() && c >= ' ' => return text.push(c),
            _ => {}
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            text.push_str(&match self.escapes {
                Escapes::Hermes => format!("\\u{unit:04x}"),
                _ => format!("\\u{unit:04X}"),
            });
        }
    }
}

/// The text so far.
struct Out {
    text: String,
    layout: Layout,
    state: u64,
}

impl Out {
    /// Blanks where JSON allows them.
    fn blank(&mut self) {
        if self.layout == Layout::Blanks {
            self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let blanks = ["", "", " ", "\n", "\t", "\r\n", "  \n\t", "          "];
            self.text.push_str(blanks[(self.state >> 61) as usize]);
        }
    }

    /// A line break in these layouts.
    fn line(&mut self, layouts: &[Layout]) {
        if layouts.contains(&self.layout) {
            self.text.push('\n');
        }
    }

    fn records(&mut self, records: &[Vec<Token>]) {
        self.text.push('[');
        for (i, record) in records.iter().enumerate() {
            if i > 0 {
                self.text.push(',');
            }
            self.line(&[Layout::Julia]);
            for (i, value) in record.iter().enumerate() {
                if i > 0 {
                    self.text.push(',');
                }
                self.blank();
                self.text.push_str(value);
                self.blank();
            }
            self.line(&[Layout::V8Old]);
        }
        self.blank();
        self.text.push(']');
    }
}
