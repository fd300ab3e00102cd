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
mod uses;

use crate::{
    bytes::Bytes,
    json::{self, Out, Path, Visitor, put, quote, text},
    outcome::{Outcome, Step, Stop, outcome},
    rules::{FIRST_RENUMBERED, Level, Role, Rules},
};
use heapquarry_formats::Input;
use kept::Kept;
use layout::{EdgeUse, Layout, NodeUse};
use records::records;
use std::{
    borrow::Cow,
    io::{self, Write},
};
use uses::Uses;

pub(crate) fn redact(
    input: &dyn Input,
    rules: &mut Rules,
    out: &mut dyn Write,
) -> io::Result<Outcome> {
    let has_names = rules.level > Level::Values;
    let has_values = !rules.kept_values.is_empty();
    let uses = Uses::new(input.size(), has_names);
    let kept = has_values.then(Kept::default);
    let mut copy = Copy { rules, layout: None, uses, kept, pass: Pass::Header };
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

    fn nodes(&mut self, bytes: &mut Bytes<'_>, out: &mut Out<'_>) -> Step<()> {
        let layout = self.layout().clone();
        let (uses, kept, pass) = (&mut self.uses, &mut self.kept, self.pass);
        let mut node = 0;
        records(bytes, out, &layout.node, |values| {
            let (kind, name) = (values[layout.node_type], values[layout.node.replaced]);
            let of = layout.node_use(kind);
            node += 1;
            match pass {
                Pass::Header | Pass::Names => None,
                Pass::Uses => {
                    if let Some(kept) = kept {
                        kept.add_node(name, of, layout.has_parts(kind));
                    }
                    uses.add_node(name, of, layout.edge_count.map(|at| values[at]));
                    None
                }
                Pass::Copy if of != NodeUse::Value => None,
                Pass::Copy if kept.as_ref().is_some_and(|kept| kept.has(node - 1)) => {
                    uses.kept(name)
                }
                Pass::Copy => uses.value(name),
            }
        })
    }

    fn edges(&mut self, bytes: &mut Bytes<'_>, out: &mut Out<'_>) -> Step<()> {
        let layout = self.layout().clone();
        let has_names = self.rules.level > Level::Values;
        let (uses, rules, pass) = (&mut self.uses, &*self.rules, self.pass);
        let mut kept = self.kept.as_mut().zip(layout.edge_to);
        records(bytes, out, &layout.edge, |values| {
            let (kind, name) = (values[layout.edge_type], values[layout.edge.replaced]);
            let of = layout.edge_use(kind);
            match pass {
                Pass::Header | Pass::Names => {}
                Pass::Uses => {
                    let owner = uses.next_owner();
                    match of {
                        EdgeUse::Element | EdgeUse::Number => {}
                        EdgeUse::Property => uses.add_property(name, owner),
                        EdgeUse::Name => uses.add_name(name),
                    }
                    if let Some((kept, to)) = &mut kept {
                        let name = matches!(of, EdgeUse::Property | EdgeUse::Name).then_some(name);
                        kept.add_edge(owner, name, values[*to] / layout.node.width as u64);
                    }
                }
                Pass::Copy => match of {
                    EdgeUse::Element if has_names && name >= FIRST_RENUMBERED => {
                        return Some(rules.number(name));
                    }
                    EdgeUse::Property => return uses.property(name),
                    _ => {}
                },
            }
            None
        })
    }

    /// Records that have names.
    fn named(&mut self, which: usize, bytes: &mut Bytes<'_>, out: &mut Out<'_>) -> Step<()> {
        let (record, names) = self.layout().named[which].clone();
        let uses = &mut self.uses;
        records(bytes, out, &record, |values| {
            names.iter().for_each(|&at| uses.add_name(values[at]));
            None
        })
    }

    fn strings(&mut self, bytes: &mut Bytes<'_>, out: &mut Out<'_>) -> Step<()> {
        bytes.copy(&mut out.buf);
        let mut index = 0;
        let mut appended = Vec::new();
        loop {
            match bytes.next(&mut out.buf)? {
                b',' => bytes.copy(&mut out.buf),
                b']' => break,
                b'"' => {
                    let raw = bytes.string()?;
                    match self.pass {
                        Pass::Names => {
                            if let Some(kept) = &mut self.kept {
                                kept.find(index, &text(raw), self.rules);
                            }
                        }
                        Pass::Header | Pass::Uses => {}
                        Pass::Copy => {
                            let text = text(raw);
                            let (first, further) = self.uses.roles(index);
                            put(&mut out.buf, raw, &text, &self.rules.text(first, &text)?);
                            for role in further.into_iter().flatten() {
                                appended.extend(b",\n");
                                quote(&mut appended, &self.rules.text(role, &text)?);
                            }
                        }
                    }
                    index += 1;
                }
                _ => {
                    bytes.scalar(&mut out.buf)?;
                    index += 1;
                }
            }
            match self.pass {
                Pass::Copy => out.write()?,
                _ => {
                    self.uses.count = index;
                    out.buf.clear();
                }
            }
        }
        if !appended.is_empty() {
            // References beyond the table refer to nothing, not to what is appended.
            (index..self.uses.first_appended()).for_each(|_| out.buf.extend(b",\"\""));
            out.buf.extend(&appended);
        }
        bytes.copy(&mut out.buf);
        Ok(())
    }
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
        let done = redact(&text.as_bytes(), &mut rules, &mut out).unwrap();
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
            let done = redact(&text.as_bytes(), &mut rules, &mut out).unwrap();
            let out = String::from_utf8(out).unwrap();
            assert!(done.cut.is_some(), "{text}: {out}");
            assert!(!out.contains("Ada") && !out.contains("Account"), "{text}: {out}");
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
            let done = redact(&text.as_bytes(), &mut rules, &mut out).unwrap();
            assert_eq!(done.cut.is_none(), is_whole, "{text}");
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
