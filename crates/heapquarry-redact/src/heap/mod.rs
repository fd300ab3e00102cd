//! Heap snapshots and timelines.
//!
//! A snapshot is read twice. The first pass finds what each string is used for: as the value of a node, as the name of
//! a property, as another name. The second one copies. A string that has several uses is split: further strings are
//! appended to the table, and nodes or edges refer to these. If values of properties are kept, a pass before these
//! finds the strings that name them: the table is at the end. The header, which all of them need, may be at the end as
//! well: it is looked for before.

mod kept;
mod layout;
mod records;
mod strings;
mod uses;

use crate::{
    bytes::Bytes,
    json::{self, Out, Path, Visitor, put, text},
    outcome::{Outcome, Step, Stop, outcome},
    rules::{FIRST_RENUMBERED, Level, Role, Rules},
    workers::in_order,
};
use heapquarry_formats::Input;
use kept::Kept;
use layout::{EdgeUse, Layout, NodeUse, Record};
use records::{Reading, records};
use std::{
    borrow::Cow,
    io::{self, Write},
};
use uses::Uses;

pub(crate) fn redact(
    input: &dyn Input,
    rules: &mut Rules,
    threads: usize,
    out: &mut dyn Write,
) -> io::Result<Outcome> {
    let has_names = rules.policy.level > Level::Values;
    let has_values = !rules.policy.kept_values.is_empty();
    let uses = Uses::new(input.size(), has_names);
    let kept = has_values.then(Kept::default);
    let mut copy = Copy { rules, threads, layout: None, uses, kept, pass: Pass::Header };
    let replaced = copy.rules.replaced();
    let read = |copy: &mut Copy<'_>, pass, layout, out: &mut Out<'_>| {
        (copy.pass, copy.layout) = (pass, layout);
        outcome(copy.document(&mut Bytes::new(input), out))
    };
    // Where it is cut, the last pass is too.
    read(&mut copy, Pass::Header, None, &mut Out::new(&mut io::sink()))?;
    let header = copy.layout.clone();
    for pass in has_values.then_some(Pass::Names).into_iter().chain([Pass::Uses]) {
        read(&mut copy, pass, header.clone(), &mut Out::new(&mut io::sink()))?;
    }
    if let Some(kept) = &mut copy.kept {
        kept.add_parts();
        copy.uses.keep(kept);
    }
    copy.uses.split();
    copy.rules.set_replaced(replaced);
    let mut out = Out::new(out);
    let done = read(&mut copy, Pass::Copy, header, &mut out)?;
    out.finish()?;
    Ok(done)
}

/// What a pass is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    /// To find the header: it ends there.
    Header,
    /// To find names of classes and properties whose values are kept.
    Names,
    /// To find what strings are used for.
    Uses,
    /// To copy.
    Copy,
}

/// A pass over a document.
struct Copy<'r> {
    rules: &'r mut Rules,
    threads: usize,
    layout: Option<Layout>,
    uses: Uses,
    /// If values of properties are kept.
    kept: Option<Kept>,
    pass: Pass,
}

impl Copy<'_> {
    fn document(&mut self, bytes: &mut Bytes<'_>, out: &mut Out<'_>) -> Step<()> {
        const MARK: &[u8] = "\u{feff}".as_bytes();
        if bytes.peek()? == Some(MARK[0]) && bytes.rest().starts_with(MARK) {
            out.buf.extend(MARK);
            bytes.skip(MARK.len());
        }
        if bytes.next(&mut out.buf)? != b'{' {
            return bytes.cut();
        }
        bytes.copy(&mut out.buf);
        let mut path = Path::default();
        path.push();
        loop {
            match bytes.next(&mut out.buf)? {
                b',' => bytes.copy(&mut out.buf),
                b'}' => break bytes.copy(&mut out.buf),
                b'"' => {
                    let raw = bytes.string()?;
                    let name = text(raw);
                    put(&mut out.buf, raw, &name, &self.rules.key(&name)?);
                    path.set(&name);
                    if bytes.next(&mut out.buf)? != b':' {
                        return bytes.cut();
                    }
                    bytes.copy(&mut out.buf);
                    self.member(bytes, out, &mut path)?;
                    if self.pass == Pass::Header && self.layout.is_some() {
                        return Ok(());
                    }
                }
                _ => return bytes.cut(),
            }
        }
        // What follows is not of the document.
        while let Some(byte) = bytes.peek()? {
            if !heapquarry_scan::is_blank(byte) {
                return bytes.cut();
            }
            bytes.copy(&mut out.buf);
        }
        Ok(())
    }

    fn member(&mut self, bytes: &mut Bytes<'_>, out: &mut Out<'_>, path: &mut Path) -> Step<()> {
        let is_array = bytes.next(&mut out.buf)? == b'[';
        let known = self.layout.is_some() && is_array;
        match path.last() {
            "nodes" if known => self.nodes(bytes, out),
            "edges" if known => self.edges(bytes, out),
            "trace_function_infos" if known => self.named(0, bytes, out),
            "scope_context_vars" if known => self.named(1, bytes, out),
            "strings" if is_array => self.strings(bytes, out),
            "snapshot" => {
                let start = bytes.at();
                let mut header = Vec::new();
                let mut kept = Out::new(&mut header);
                json::value(bytes, &mut kept, path, &mut Header { rules: self.rules })?;
                kept.finish()?;
                out.buf.extend(&header);
                let layout = Layout::parse(&header).ok_or(Stop::Cut(start))?;
                self.layout = Some(layout);
                Ok(())
            }
            // Without the header, indices of strings would be copied as numbers.
            "nodes" | "edges" | "trace_function_infos" | "scope_context_vars"
                if self.pass != Pass::Header =>
            {
                bytes.cut()
            }
            _ => json::value(bytes, out, path, &mut Other { rules: self.rules }),
        }
    }

    fn layout(&self) -> &Layout {
        self.layout.as_ref().expect("there are no records before the header")
    }

    /// How records are read in this pass.
    fn reading<'a>(&self, record: &'a Record) -> Reading<'a> {
        Reading { record, threads: self.threads, is_copied: self.pass == Pass::Copy }
    }

    fn nodes(&mut self, bytes: &mut Bytes<'_>, out: &mut Out<'_>) -> Step<()> {
        /// A node and what its name is, in few bytes.
        struct Seen {
            name: u32,
            edges: u32,
            of: NodeUse,
            has_parts: bool,
        }
        let layout = self.layout().clone();
        let (reading, node) = (self.reading(&layout.node), &layout.node);
        let name_of = |values: &[u64]| {
            let (kind, name) = (values[layout.node_type], values[node.replaced]);
            (kind, name, layout.node_use(kind))
        };
        match self.pass {
            Pass::Header | Pass::Names => records(bytes, out, &reading, |_, _, ()| None, |()| {}),
            Pass::Uses => {
                let see = |_, values: &[u64], seen: &mut Vec<Seen>| {
                    let (kind, name, of) = name_of(values);
                    let edges = narrow(layout.edge_count.map_or(0, |at| values[at]));
                    let has_parts = layout.has_parts(kind);
                    seen.push(Seen { name: narrow(name), edges, of, has_parts });
                    None
                };
                records(bytes, out, &reading, see, |seen| {
                    for Seen { name, edges, of, has_parts } in seen {
                        if let Some(kept) = &mut self.kept {
                            kept.add_node(name, of, has_parts);
                        }
                        self.uses.add_node(name, of, layout.edge_count.map(|_| edges));
                    }
                })
            }
            Pass::Copy => {
                let (uses, kept) = (&self.uses, &self.kept);
                let replace = |at, values: &[u64], (): &mut ()| {
                    let (_, name, of) = name_of(values);
                    match kept {
                        _ if of != NodeUse::Value => None,
                        Some(kept) if kept.has(at) => uses.kept(name),
                        _ => uses.value(name),
                    }
                };
                records(bytes, out, &reading, replace, |()| {})
            }
        }
    }

    fn edges(&mut self, bytes: &mut Bytes<'_>, out: &mut Out<'_>) -> Step<()> {
        /// An edge and what its name is, in few bytes.
        struct Seen {
            name: u32,
            to: u32,
            of: EdgeUse,
        }
        let layout = self.layout().clone();
        let reading = self.reading(&layout.edge);
        let has_kept = self.kept.is_some() && layout.edge_to.is_some();
        let name_of = |values: &[u64]| {
            let (kind, name) = (values[layout.edge_type], values[layout.edge.replaced]);
            (name, layout.edge_use(kind))
        };
        match self.pass {
            Pass::Header | Pass::Names => records(bytes, out, &reading, |_, _, ()| None, |()| {}),
            Pass::Uses => {
                let see = |_, values: &[u64], seen: &mut Vec<Seen>| {
                    let (name, of) = name_of(values);
                    // Needed for what is kept only.
                    let to = layout.edge_to.filter(|_| has_kept).map(|at| values[at]);
                    let to = to.map_or(0, |to| to / layout.node.width as u64);
                    seen.push(Seen { name: narrow(name), to: narrow(to), of });
                    None
                };
                let (uses, kept) = (&mut self.uses, &mut self.kept);
                records(bytes, out, &reading, see, |seen| {
                    for Seen { name, to, of } in seen {
                        let owner = uses.next_owner();
                        match of {
                            EdgeUse::Element | EdgeUse::Number => {}
                            EdgeUse::Property => uses.add_property(name, owner),
                            EdgeUse::Name => uses.add_name(name),
                        }
                        if let Some(kept) = kept.as_mut().filter(|_| has_kept) {
                            let is_name = matches!(of, EdgeUse::Property | EdgeUse::Name);
                            kept.add_edge(owner, is_name.then_some(name), to);
                        }
                    }
                })
            }
            Pass::Copy => {
                let (uses, policy) = (&self.uses, &self.rules.policy);
                let has_names = policy.level > Level::Values;
                let replace = |_, values: &[u64], (): &mut ()| match name_of(values) {
                    (name, EdgeUse::Element) if has_names && name >= FIRST_RENUMBERED => {
                        Some(policy.number(name))
                    }
                    (name, EdgeUse::Property) => uses.property(name),
                    _ => None,
                };
                records(bytes, out, &reading, replace, |()| {})
            }
        }
    }

    /// Records that have names.
    fn named(&mut self, which: usize, bytes: &mut Bytes<'_>, out: &mut Out<'_>) -> Step<()> {
        let (record, names) = self.layout().named[which].clone();
        let see = |_, values: &[u64], seen: &mut Vec<u32>| {
            seen.extend(names.iter().map(|&at| narrow(values[at])));
            None
        };
        records(bytes, out, &self.reading(&record), see, |seen| {
            seen.into_iter().for_each(|name| self.uses.add_name(name));
        })
    }

    fn strings(&mut self, bytes: &mut Bytes<'_>, out: &mut Out<'_>) -> Step<()> {
        bytes.copy(&mut out.buf);
        match self.pass {
            Pass::Header | Pass::Names | Pass::Uses => {
                strings::read(bytes, &mut out.buf, &mut self.uses.count, |index, raw| {
                    if let (Pass::Names, Some(kept)) = (self.pass, &mut self.kept) {
                        kept.find(narrow(index), &text(raw), &self.rules.policy);
                    }
                })?;
            }
            Pass::Copy => {
                let Rules { policy, replaced } = &mut *self.rules;
                let (uses, policy) = (&self.uses, &*policy);
                let mut appended = Vec::new();
                let empty = replaced.tally();
                let work = |piece: strings::Piece| piece.copy(policy, uses, empty.clone());
                let count = in_order(self.threads, work, |pieces| {
                    strings::copy(bytes, pieces, |copied| {
                        appended.extend(copied.appended);
                        replaced.add(&policy.key, copied.tally)?;
                        out.append(&copied.out)
                    })
                })?;
                if !appended.is_empty() {
                    // References beyond the table refer to nothing, not to what is appended.
                    let missing = count..self.uses.first_appended();
                    missing.for_each(|_| out.buf.extend(b",\"\""));
                    out.append(&appended)?;
                }
            }
        }
        bytes.copy(&mut out.buf);
        Ok(())
    }
}

/// There are fewer strings, nodes and edges than that.
fn narrow(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// The header: names of fields and types.
struct Header<'r> {
    rules: &'r mut Rules,
}

impl Visitor for Header<'_> {
    fn key<'t>(&mut self, _: &Path, text: &'t str) -> io::Result<Cow<'t, str>> {
        self.rules.key(text)
    }

    fn string<'t>(&mut self, path: &Path, text: &'t str) -> io::Result<Cow<'t, str>> {
        // Names of fields and types stand in lists that the format has, below `meta`, and nowhere else.
        let is_list = |key: &str| LISTS.contains(&key);
        let mut keys = path.keys().skip(1);
        let is_meta = keys.next() == Some("meta") && keys.next().is_some_and(is_list);
        match is_meta && keys.next().is_none() {
            true => self.rules.field(text),
            false => self.rules.text(Role::Value, text),
        }
    }
}

/// Lists of the header.
const LISTS: [&str; 11] = [
    "node_fields",
    "node_types",
    "edge_fields",
    "edge_types",
    "trace_function_info_fields",
    "trace_node_fields",
    "sample_fields",
    "location_fields",
    "scope_fields",
    "scope_context_var_fields",
    "scope_use_fields",
];

/// Members that are not known.
struct Other<'r> {
    rules: &'r mut Rules,
}

impl Visitor for Other<'_> {
    fn key<'t>(&mut self, _: &Path, text: &'t str) -> io::Result<Cow<'t, str>> {
        self.rules.key(text)
    }

    fn string<'t>(&mut self, _: &Path, text: &'t str) -> io::Result<Cow<'t, str>> {
        self.rules.text(Role::Value, text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;
    use std::sync::{Arc, Mutex};

    /// `Account {owner: "Ada"}`, and a string that is the value of a node and the name of another one.
    const MEMBERS: [&str; 4] = [
        r#""snapshot":{"meta":{"node_fields":["type","name","id","self_size","edge_count"],
            "node_types":[["object","string"]],"edge_fields":["type","name_or_index","to_node"],
            "edge_types":[["property"]]},"node_count":3,"edge_count":2}"#,
        r#""nodes":[0,0,1,8,2, 1,2,3,8,0, 1,0,5,8,0]"#,
        r#""edges":[0,1,5, 0,1,10]"#,
        r#""strings":["Account","owner","Ada"]"#,
    ];

    fn redacted(order: [usize; 4], level: Level) -> String {
        let text = format!("{{{}}}", order.map(|member| MEMBERS[member]).join(",\n"));
        let (mut rules, mut out) = (Rules::new(level, [7; 16]), Vec::new());
        let done = redact(&text.as_bytes(), &mut rules, 1, &mut out).unwrap();
        assert_eq!(done.cut, None, "{text}");
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn without_a_whole_header_nothing_of_the_records_is_copied() {
        let [header, nodes, edges, strings] = MEMBERS;
        let records = format!("{nodes},{edges},{strings}");
        for text in [
            String::new(),
            "{".into(),
            format!("{{{records}}}"),
            format!("{{{records},{}", &header[..header.len() / 2]),
            format!("{{\"nodes\":[{}],{edges},{strings}}}", "9".repeat(400)),
        ] {
            let (mut rules, mut out) = (Rules::new(Level::Full, [7; 16]), Vec::new());
            let done = redact(&text.as_bytes(), &mut rules, 1, &mut out).unwrap();
            let out = String::from_utf8(out).unwrap();
            assert!(done.cut.is_some(), "{text}: {out}");
            assert!(!out.contains("Ada") && !out.contains("Account"), "{text}: {out}");
        }
    }

    /// A copy of a string for a further use stands behind the strings that are there. In a document that is cut, it
    /// stands nowhere: nothing else may be taken for it.
    #[test]
    fn a_cut_table_keeps_the_number_of_its_strings() {
        let [header, nodes, edges, _] = MEMBERS;
        for further in [0, 1, 5] {
            let strings =
                r#""strings":["Account","owner","Ada""#.to_owned() + &",\"x\"".repeat(further);
            let text = format!("{{{header},{nodes},{edges},{strings}");
            let (mut rules, mut out) = (Rules::new(Level::Values, [7; 16]), Vec::new());
            let done = redact(&text.as_bytes(), &mut rules, 1, &mut out).unwrap();
            assert!(done.cut.is_some());
            let out = String::from_utf8(out).unwrap();
            let records = out.split_once("\"nodes\":[").unwrap().1.split_once(']').unwrap().0;
            let numbers: Vec<usize> =
                records.split(',').map(|n| n.trim().parse().unwrap()).collect();
            assert_eq!((numbers[1], numbers[11]), (0, 3 + further), "{records}");
        }
    }

    #[test]
    fn a_section_without_fields_may_be_empty() {
        let [header, nodes, edges, strings] = MEMBERS;
        for (section, is_whole) in [("[]", true), ("[ \n]", true), ("[1]", false), ("[0,1]", false)]
        {
            let section = format!("\"trace_function_infos\":{section}");
            let text = format!("{{{header},{nodes},{edges},{section},{strings}}}");
            let (mut rules, mut out) = (Rules::new(Level::Names, [7; 16]), Vec::new());
            let done = redact(&text.as_bytes(), &mut rules, 1, &mut out).unwrap();
            assert_eq!(done.cut.is_none(), is_whole, "{text}");
        }
    }

    /// What a writer wrote.
    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl Write for Written {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// A program with so many objects and strings of each use, some of several.
    fn large(objects: usize) -> String {
        let join =
            |of: &dyn Fn(usize) -> String| (0..objects).map(of).collect::<Vec<_>>().join("\n,");
        let nodes = join(&|at| format!("{},{},{},8,1", at % 2, at / 2, 2 * at + 1));
        let edges = join(&|at| {
            let name = if at % 3 == 0 { objects / 2 + at / 4 } else { at / 3 };
            format!("0,{name},{}", (at * 7 % objects) * 5)
        });
        let strings = join(&|at| format!("\"text {} \\n {at}\"", "x".repeat(at % 40)));
        let header = MEMBERS[0];
        format!("{{{header},\"nodes\":[{nodes}],\"edges\":[{edges}],\"strings\":[{strings}]}}")
    }

    #[test]
    fn copies_do_not_depend_on_the_number_of_threads() {
        const OBJECTS: usize = 6000;
        let whole = large(OBJECTS);
        // After the value of this record, in the middle of an array, stands something else.
        let changed = |section: &str, to: &str| {
            let start = whole.find(section).unwrap();
            let length = whole[start..].find(']').unwrap();
            let at = start + whole[start..][..length * 3 / 5].rfind("\n,").unwrap();
            format!("{}{to}{}", &whole[..at], &whole[at..])
        };
        for (text, is_whole) in [
            (whole.clone(), true),
            (whole[..whole.len() - 2].to_owned(), false),
            (whole[..whole.len() * 9 / 10].to_owned(), false),
            (changed("\"nodes\"", ",0,1,-5,1.5,1"), true),
            (changed("\"nodes\"", ",,"), true),
            (changed("\"edges\"", "\n,"), true),
            (changed("\"edges\"", ",1,\"secret\",2"), false),
            (changed("\"edges\"", ",3"), false),
            (changed("\"strings\"", ",null"), true),
            (changed("\"strings\"", ",secret"), false),
        ] {
            let copy = |threads| {
                let (map, mut out) = (Written::default(), Vec::new());
                let mut rules = Rules::new(Level::Names, [7; 16]).map(map.clone());
                let done = redact(&text.as_bytes(), &mut rules, threads, &mut out).unwrap();
                let map = String::from_utf8(map.0.lock().unwrap().clone()).unwrap();
                (String::from_utf8(out).unwrap(), map, rules.replaced(), done)
            };
            let one = copy(1);
            assert_eq!(one.3.cut.is_none(), is_whole, "{:?}", one.3);
            assert!(!one.0.contains("secret"));
            assert!(!is_whole || one.2 > 1000 && one.1.lines().count() > 1000, "{}", one.2);
            for threads in [2, 5] {
                assert!(copy(threads) == one, "the copy of {threads} threads is another one");
            }
        }
    }

    #[test]
    fn members_may_have_any_order() {
        let orders = (0..256).map(|n| [n & 3, n >> 2 & 3, n >> 4 & 3, n >> 6 & 3]);
        let is_each_once = |order: &[usize; 4]| (0..4).all(|member| order.contains(&member));
        for level in [Level::Values, Level::Names, Level::Full] {
            let parsed = |text: &str| serde_json::from_str::<Value>(text).unwrap();
            let expected = parsed(&redacted([0, 1, 2, 3], level));
            assert_eq!(expected["nodes"][11].as_u64(), Some(3), "{expected}");
            for order in orders.clone().filter(is_each_once) {
                let found = redacted(order, level);
                assert!(!found.contains("Ada"), "{order:?}: {found}");
                assert_eq!(parsed(&found), expected, "{order:?}");
            }
        }
    }
}
