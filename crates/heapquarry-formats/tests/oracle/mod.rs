//! What every table must hold for a document that is whole, in the most obvious way: the document is one
//! `serde_json::Value`, a table is a list of rows. Written from the description of the format and of the tables.

use crate::common::{Cell, FILE_ID, NAME, Row, Tables, int, no_rows, text};
use heapquarry_formats::Names;
use serde::Deserialize as _;
use serde_json::Value;
use std::thread;

/// The rows of all tables.
pub(crate) fn tables(document: &[u8], names: Names) -> Tables {
    // The trace tree is as deep as call stacks are, and this follows it by recursion.
    thread::scope(|scope| {
        let work = || Snapshot::parse(document).tables(names);
        let builder = thread::Builder::new().stack_size(1 << 30);
        builder
            .spawn_scoped(scope, work)
            .expect("a thread")
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

struct Snapshot {
    value: Value,
    strings: Vec<String>,
}

/// A section of numbers.
struct Records<'a> {
    fields: Vec<&'a str>,
    values: &'a [Value],
}

impl Records<'_> {
    fn len(&self) -> usize {
        self.values.len() / self.fields.len()
    }

    /// A field of a record, if there is such a field and it is an integer of 64 bits with sign.
    fn get(&self, record: usize, field: &str) -> Option<i64> {
        let position = self.fields.iter().position(|name| *name == field)?;
        integer(&self.values[record * self.fields.len() + position])
    }
}

/// The value, if it is an integer that fits, in whatever form it is written.
fn integer(value: &Value) -> Option<i64> {
    let number = value.as_number()?;
    if number.is_i64() {
        return number.as_i64();
    }
    let float = number.as_f64().filter(|_| number.is_f64())?;
    (float.fract() == 0.0 && float.abs() < 2f64.powi(53)).then_some(float as i64)
}

/// A number in a column of 32 bits.
fn int32(value: Option<i64>) -> Cell {
    int(value.filter(|value| i32::try_from(*value).is_ok()))
}

/// A line or column: V8 writes negative ones as unsigned numbers.
fn place(value: Option<i64>) -> Cell {
    let is_wrapped = |value: &i64| (u32::MAX as i64 - (1 << 24)..=u32::MAX.into()).contains(value);
    match value.filter(is_wrapped) {
        Some(value) => Cell::Int(value - u32::MAX as i64 - 1),
        None => int32(value),
    }
}

/// A type by its number.
fn label(value: Option<i64>, types: &[&str]) -> Cell {
    let Some(number) = value else { return Cell::Null };
    let known = usize::try_from(number).ok().and_then(|number| types.get(number));
    Cell::Text(known.map_or_else(|| number.to_string(), |name| (*name).to_string()))
}

impl Snapshot {
    fn parse(document: &[u8]) -> Self {
        let json = strict(&String::from_utf8_lossy(document));
        let mut parser = serde_json::Deserializer::from_str(&json);
        parser.disable_recursion_limit();
        let value =
            Value::deserialize(&mut parser).expect("the oracle is asked for whole documents");
        let strings = array(&value["strings"]).iter().map(|string| match string {
            Value::String(string) => string.clone(),
            other => other.to_string(),
        });
        Snapshot { strings: strings.collect(), value }
    }

    fn meta(&self, key: &str) -> &Value {
        &self.value["snapshot"]["meta"][key]
    }

    fn records(&self, section: &str, fields: &str, usual: &[&'static str]) -> Records<'_> {
        let fields: Vec<&str> = array(self.meta(fields)).iter().filter_map(Value::as_str).collect();
        let fields = if fields.is_empty() { usual.to_vec() } else { fields };
        Records { fields, values: array(&self.value[section]) }
    }

    fn nodes(&self) -> Records<'_> {
        self.records("nodes", "node_fields", &[])
    }

    fn edges(&self) -> Records<'_> {
        self.records("edges", "edge_fields", &[])
    }

    /// The names of the types, which stand at the place of the field `type`, and the other entries.
    fn types(&self, types: &str, fields: &str) -> (Vec<&str>, Vec<&str>) {
        let names = |list: &'_ Value| -> Vec<usize> {
            array(list).iter().enumerate().filter(|(_, v)| v.is_array()).map(|(i, _)| i).collect()
        };
        let list = self.meta(types);
        let lists = names(list);
        let of_type = array(self.meta(fields)).iter().position(|name| name == "type");
        let place = of_type.filter(|place| lists.contains(place)).or(lists.first().copied());
        let enumeration = place.map_or(&[][..], |place| array(&list[place]));
        let others = array(list).iter().enumerate().filter(|(i, _)| Some(*i) != place);
        (
            enumeration.iter().filter_map(Value::as_str).collect(),
            others.filter_map(|(_, other)| other.as_str()).collect(),
        )
    }

    fn node_types(&self) -> Vec<&str> {
        self.types("node_types", "node_fields").0
    }

    fn edge_types(&self) -> Vec<&str> {
        self.types("edge_types", "edge_fields").0
    }

    /// The edge types that carry a number, not a name.
    fn numbered(&self) -> &'static [&'static str] {
        let native = self.nodes().fields.contains(&"native_size");
        let ark = native || self.node_types().contains(&"slicedstring");
        match (ark, native) {
            (false, _) => &["element", "hidden"],
            (true, true) => &["element"],
            (true, false) => &[],
        }
    }

    fn string(&self, number: Option<i64>, names: Names) -> Cell {
        let index = number.filter(|_| names == Names::Text).and_then(|n| usize::try_from(n).ok());
        text(index.and_then(|index| self.strings.get(index)))
    }

    /// The node that a raw reference means.
    fn node(&self, reference: Option<i64>) -> Option<usize> {
        let (nodes, reference) = (self.nodes(), usize::try_from(reference?).ok()?);
        let node = reference / nodes.fields.len();
        (reference % nodes.fields.len() == 0 && node < nodes.len()).then_some(node)
    }

    fn node_id(&self, node: Option<usize>) -> Cell {
        int(node.and_then(|node| self.nodes().get(node, "id")))
    }

    /// For each edge the node that owns it.
    fn owners(&self) -> Vec<Option<usize>> {
        let (nodes, edges) = (self.nodes(), self.edges().len());
        let mut owners = Vec::new();
        for node in 0..nodes.len() {
            let count = nodes.get(node, "edge_count").unwrap_or(0);
            for _ in 0..count {
                if owners.len() < edges {
                    owners.push(Some(node));
                } else {
                    break;
                }
            }
        }
        owners.resize(edges, None);
        owners
    }

    fn tables(&self, names: Names) -> Tables {
        let mut tables = no_rows();
        for (table, rows) in [
            ("js_heap_files", self.file_rows()),
            ("js_heap_info", self.info_rows()),
            ("js_heap_nodes", self.node_rows(names)),
            ("js_heap_edges", self.edge_rows(names)),
            ("js_heap_string", self.string_rows()),
            ("js_heap_location", self.location_rows()),
            ("js_heap_sample", self.sample_rows()),
            ("js_heap_trace_function_info", self.function_rows(names)),
            ("js_heap_trace_node", self.trace_rows()),
            ("js_heap_scope", self.scope_rows()),
            ("js_heap_scope_context_var", self.scope_var_rows(names)),
            ("js_heap_scope_use", self.scope_use_rows()),
        ] {
            let with_file_id = |row: Row| [vec![Cell::Int(FILE_ID.into())], row].concat();
            tables.insert(table, rows.into_iter().map(with_file_id).collect());
        }
        tables
    }

    fn file_rows(&self) -> Vec<Row> {
        let nodes = self.nodes();
        let sizes = (0..nodes.len()).filter_map(|node| nodes.get(node, "self_size"));
        let size: i128 = sizes.map(i128::from).sum();
        let declared = |key: &str| int(self.value["snapshot"][key].as_i64());
        let count = |n: usize| Cell::Int(n as i64);
        let root = self.value["snapshot"]["root_index"].as_u64().unwrap_or(0) as usize;
        vec![vec![
            Cell::Text(NAME.into()),
            Cell::Null,
            Cell::Null,
            Cell::Int(size.clamp(i64::MIN.into(), i64::MAX.into()) as i64),
            count(nodes.len()),
            count(self.edges().len()),
            count(self.strings.len()),
            declared("node_count"),
            declared("edge_count"),
            declared("extra_native_bytes"),
            count(nodes.fields.len()),
            count(root / nodes.fields.len().max(1)),
        ]]
    }

    fn info_rows(&self) -> Vec<Row> {
        let mut rows = Vec::new();
        let key = |key: &str| Cell::Text(key.into());
        for (types, fields) in [("node_types", "node_fields"), ("edge_types", "edge_fields")] {
            let (names, others) = self.types(types, fields);
            for (kind, list) in [(0, names), (1, others)] {
                for (ordinal, name) in list.into_iter().enumerate() {
                    let (kind, ordinal) = (Cell::Int(kind), Cell::Int(ordinal as i64));
                    rows.push(vec![key(types), kind, Cell::Int(-1), text(Some(name)), ordinal]);
                }
            }
        }
        for count in ["node_count", "edge_count", "trace_function_count"] {
            let value = int(self.value["snapshot"][count].as_i64());
            rows.push(vec![key(count), Cell::Int(0), value, text(Some("")), Cell::Int(0)]);
        }
        rows
    }

    fn node_rows(&self, names: Names) -> Vec<Row> {
        let (nodes, types) = (self.nodes(), self.node_types());
        let row = |node| {
            let get = |field| nodes.get(node, field);
            vec![
                Cell::Int(node as i64),
                label(get("type"), &types),
                self.string(get("name"), names),
                int32(get("name")),
                int(get("id")),
                int(get("self_size")),
                int32(get("edge_count")),
                int32(get("trace_node_id")),
                int32(get("detachedness")),
                int(get("native_size")),
            ]
        };
        (0..nodes.len()).map(row).collect()
    }

    fn edge_rows(&self, names: Names) -> Vec<Row> {
        let (edges, types, numbered) = (self.edges(), self.edge_types(), self.numbered());
        let row = |(edge, owner)| {
            let get = |field| edges.get(edge, field);
            let kind = label(get("type"), &types);
            let has_number = numbered.iter().any(|name| kind == Cell::Text((*name).into()));
            let name_or_index = get("name_or_index");
            let name = if has_number { Cell::Null } else { self.string(name_or_index, names) };
            vec![
                Cell::Int(edge as i64),
                kind,
                name,
                int(name_or_index),
                self.node_id(owner),
                self.node_id(self.node(get("to_node"))),
            ]
        };
        self.owners().into_iter().enumerate().map(row).collect()
    }

    fn string_rows(&self) -> Vec<Row> {
        let row = |(i, string): (usize, &String)| vec![Cell::Int(i as i64), text(Some(string))];
        self.strings.iter().enumerate().map(row).collect()
    }

    fn location_rows(&self) -> Vec<Row> {
        let usual = ["object_index", "script_id", "line", "column"];
        let locations = self.records("locations", "location_fields", &usual);
        let row = |location| {
            let get = |field| locations.get(location, field);
            let index = |node: Option<usize>| int(node.map(|node| node as i64));
            let object = self.node(get("object_index"));
            vec![
                index(object),
                self.node_id(object),
                int32(get("script_id")),
                place(get("line")),
                place(get("column")),
                index(self.node(get("script_object_index"))),
                Cell::Null,
                Cell::Null,
                Cell::Null,
                Cell::Null,
                Cell::Null,
            ]
        };
        (0..locations.len()).map(row).collect()
    }

    fn sample_rows(&self) -> Vec<Row> {
        let fields = ["timestamp_us", "last_assigned_id"];
        let samples = self.records("samples", "sample_fields", &fields);
        let row = |sample| fields.map(|field| int(samples.get(sample, field))).to_vec();
        (0..samples.len()).map(row).collect()
    }

    fn function_rows(&self, names: Names) -> Vec<Row> {
        let usual = ["function_id", "name", "script_name", "script_id", "line", "column"];
        let functions = self.records("trace_function_infos", "trace_function_info_fields", &usual);
        let row = |function| {
            let get = |field| functions.get(function, field);
            vec![
                Cell::Int(function as i64),
                int(get("function_id")),
                self.string(get("name"), names),
                self.string(get("script_name"), names),
                int32(get("script_id")),
                place(get("line")),
                place(get("column")),
                int32(get("name")),
                int32(get("script_name")),
                Cell::Null,
                Cell::Null,
                Cell::Null,
                Cell::Null,
            ]
        };
        (0..functions.len()).map(row).collect()
    }

    fn trace_rows(&self) -> Vec<Row> {
        let usual = ["id", "function_info_index", "count", "size", "children"];
        let tree = self.records("trace_tree", "trace_node_fields", &usual);
        let mut rows = Vec::new();
        frames(&tree, Cell::Int(-1), 0, &mut rows);
        rows
    }

    fn scopes(&self) -> Records<'_> {
        let usual = [
            "script_node_index",
            "scope_id",
            "depth",
            "scope_context_vars_count",
            "scope_uses_count",
        ];
        self.records("scopes", "scope_fields", &usual)
    }

    fn scope_rows(&self) -> Vec<Row> {
        let scopes = self.scopes();
        let row = |scope| {
            let get = |field| scopes.get(scope, field);
            let script = self.node(get("script_node_index"));
            vec![
                Cell::Int(scope as i64),
                int(script.map(|script| script as i64)),
                int32(get("scope_id")),
                int32(get("depth")),
                int32(get("scope_context_vars_count")),
                int32(get("scope_uses_count")),
            ]
        };
        (0..scopes.len()).map(row).collect()
    }

    /// The scope of each record, and how many of that scope come before it, by the scopes' counts.
    fn scope_owners(&self, count: &str, records: usize) -> Vec<[Cell; 2]> {
        let scopes = self.scopes();
        let mut owners = Vec::new();
        for scope in 0..scopes.len() {
            for nth in 0..scopes.get(scope, count).unwrap_or(0) {
                if owners.len() == records {
                    break;
                }
                owners.push([Cell::Int(scope as i64), Cell::Int(nth)]);
            }
        }
        owners.resize(records, [Cell::Null, Cell::Null]);
        owners
    }

    fn scope_var_rows(&self, names: Names) -> Vec<Row> {
        let vars = self.records("scope_context_vars", "scope_context_var_fields", &["name"]);
        let owners = self.scope_owners("scope_context_vars_count", vars.len());
        let row = |(var, [scope, slot]): (usize, [Cell; 2])| {
            let name = vars.get(var, "name");
            vec![Cell::Int(var as i64), scope, slot, self.string(name, names), int32(name)]
        };
        owners.into_iter().enumerate().map(row).collect()
    }

    fn scope_use_rows(&self) -> Vec<Row> {
        let fields = ["declaring_scope_id", "slot_index"];
        let uses = self.records("scope_uses", "scope_use_fields", &fields);
        let owners = self.scope_owners("scope_uses_count", uses.len());
        let row = |(n, [scope, _]): (usize, [Cell; 2])| {
            let [declaring, slot] = fields.map(|field| int32(uses.get(n, field)));
            vec![Cell::Int(n as i64), scope, declaring, slot]
        };
        owners.into_iter().enumerate().map(row).collect()
    }
}

/// Rows of a list of frames and all below them, parents first.
fn frames(list: &Records<'_>, parent: Cell, depth: i64, rows: &mut Vec<Row>) {
    for record in 0..list.len() {
        let get = |field| list.get(record, field);
        let id = int(get("id"));
        rows.push(vec![
            id.clone(),
            int32(get("function_info_index")),
            int(get("count")),
            int(get("size")),
            parent.clone(),
            Cell::Int(depth),
        ]);
        let children = list.fields.iter().position(|field| *field == "children");
        let children = children.map(|place| &list.values[record * list.fields.len() + place]);
        let values = children.map_or(&[][..], array);
        frames(&Records { fields: list.fields.clone(), values }, id, depth + 1, rows);
    }
}

fn array(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// The document as strict JSON: no byte order mark, no raw control characters in strings, and U+FFFD for each half of
/// a surrogate pair that has no other half.
fn strict(document: &str) -> String {
    let mut json = String::new();
    let mut rest = document.trim_start_matches('\u{feff}');
    let mut in_string = false;
    while let Some(c) = rest.chars().next() {
        let mut taken = c.len_utf8();
        match c {
            '"' => in_string = !in_string,
            '\\' if in_string => taken = escape(rest),
            _ => {}
        }
        let piece = &rest[..taken];
        if in_string && c < ' ' {
            json.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else if taken == 6 && (0xD800..0xE000).contains(&unit(piece).expect("an escape")) {
            json.push_str("\\ufffd");
        } else {
            json.push_str(piece);
        }
        rest = &rest[taken..];
    }
    json
}

/// Bytes of the escape at the front: of both if it is a pair of surrogates.
fn escape(rest: &str) -> usize {
    match (unit(rest), rest.get(6..).and_then(unit)) {
        (Some(0xD800..0xDC00), Some(0xDC00..0xE000)) => 12,
        (Some(_), _) => 6,
        (None, _) => 2,
    }
}

/// The value of the `\uXXXX` at the front.
fn unit(text: &str) -> Option<u32> {
    u32::from_str_radix(text.strip_prefix("\\u")?.get(..4)?, 16).ok()
}
