//! Names of nodes in the views of DevTools.

use crate::{DETACHED, EdgeName, EdgeType, Heap, NodeIndex, NodeType, known::Role};
use std::fmt::Write;

/// A concatenated string is shown up to this many UTF-16 units and to the end of the part that reaches them.
pub(crate) const LONGEST_CONS: usize = 1024;
/// The name of a plain object stays below this many UTF-16 units if it has more than one property.
const LONGEST_OBJECT: usize = 100;
/// Maximum number of parts of a string that are visited: no real string has as many.
const MOST_PARTS: usize = 1 << 20;

/// The name of a node as DevTools shows it: concatenated strings in full, plain objects by their properties, detached
/// DOM nodes marked as such. `states` is the result of [`detachedness`](crate::detachedness). DevTools:
/// `JSHeapSnapshotNode.name`.
pub fn display_name(heap: &Heap, states: &[u8], node: NodeIndex) -> String {
    match heap.nodes().kind(node) {
        NodeType::ConsString => {
            let mut parts = Parts::default();
            parts.append(heap, node);
            parts.text
        }
        NodeType::Object if heap.role(node) == Role::Object => plain_object(heap, node),
        NodeType::Native if states.get(node.position()) == Some(&DETACHED) => {
            format!("Detached {}", heap.node_name(node))
        }
        _ => heap.node_name(node).into(),
    }
}

/// The two parts of a concatenated string; the root stands for a missing part. `None` if it has neither: Bun then
/// writes the text as its name. DevTools: `consStringName`.
pub(crate) fn halves(heap: &Heap, node: NodeIndex) -> Option<(NodeIndex, NodeIndex)> {
    let (mut first, mut second) = (None, None);
    for edge in heap.edges().of(node) {
        if heap.edges().kind(edge) == EdgeType::Internal {
            match heap.known.role(heap.edges().string(edge)) {
                Role::First => first = Some(heap.edges().target(edge)),
                Role::Second => second = Some(heap.edges().target(edge)),
                _ => {}
            }
        }
        if first.is_some() && second.is_some() {
            break;
        }
    }
    (first.is_some() || second.is_some())
        .then(|| (first.unwrap_or(NodeIndex(0)), second.unwrap_or(NodeIndex(0))))
}

/// Whether an engine wrote this name instead of the text of a string.
pub(crate) fn is_placeholder(name: &str) -> bool {
    matches!(name, "(concatenated string)" | "(sliced string)")
}

/// A text that is put together from the parts of a string, until it is long enough.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parts {
    pub(crate) text: String,
    /// Its length in UTF-16 units.
    pub(crate) units: usize,
    /// Whether the file does not have the text of a part, or it was not put together to its end.
    pub(crate) is_unknown: bool,
}

impl Parts {
    /// Whether it can be the beginning of a longer text: V8 writes as much of a string.
    pub(crate) fn may_be_cut(&self) -> bool {
        self.units >= LONGEST_CONS
    }

    /// Whether it is all of a text.
    pub(crate) fn is_whole(&self) -> bool {
        !self.is_unknown && !self.may_be_cut()
    }

    /// Appends a string.
    pub(crate) fn append(&mut self, heap: &Heap, node: NodeIndex) {
        let (mut next, mut work) = (Some(node), Vec::new());
        for _ in 0..MOST_PARTS {
            if self.units >= LONGEST_CONS {
                return;
            }
            let Some(node) = next.take().or_else(|| work.pop()) else { return };
            let kind = heap.nodes().kind(node);
            if kind == NodeType::ConsString
                && let Some((first, second)) = halves(heap, node)
            {
                work.push(second);
                next = Some(first);
                continue;
            }
            let leaf = heap.node_name(node);
            self.is_unknown |= kind != NodeType::String && is_placeholder(leaf);
            self.units += utf16_len(leaf);
            self.text.push_str(leaf);
        }
        self.is_unknown = true;
    }
}

/// Takes property names alternately from the front and the back. DevTools: `#plainObjectName`.
fn plain_object(heap: &Heap, node: NodeIndex) -> String {
    let edges = heap.edges();
    let property = |edge: usize| match heap.edge_name(edge) {
        EdgeName::Text(name) if edges.kind(edge) == EdgeType::Property && name != "__proto__" => {
            Some(formatted(name))
        }
        _ => None,
    };
    let mut left = edges.of(node);
    let (mut start, mut end) = (String::from("{"), String::from("}"));
    let mut units = 2;
    let mut from_end = false;
    let cut = loop {
        let Some(edge) = (if from_end { left.clone().next_back() } else { left.clone().next() })
        else {
            break false;
        };
        let Some(name) = property(edge) else {
            if from_end {
                left.next_back()
            } else {
                left.next()
            };
            continue;
        };
        let len = utf16_len(&name);
        if start.len() > 1 && units + len > LONGEST_OBJECT {
            break true;
        }
        units += len;
        if from_end {
            left.next_back();
            if end.len() > 1 {
                end.insert_str(0, ", ");
                units += 2;
            }
            end.insert_str(0, &name);
        } else {
            left.next();
            if start.len() > 1 {
                start.push_str(", ");
                units += 2;
            }
            start.push_str(&name);
        }
        from_end = !from_end;
    };
    if cut {
        start.push_str(", …");
    }
    if end.len() > 1 {
        start.push_str(", ");
    }
    start + &end
}

/// A property name, quoted if it could be mistaken for several names. DevTools: `formatPropertyName`.
pub(crate) fn formatted(name: &str) -> String {
    if name.contains([',', '\'', '"', '{', '}']) { quoted(name) } else { name.into() }
}

/// The text in quotes, escaped like JavaScript's `JSON.stringify` does it.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            c if c < ' ' => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// JavaScript's `length`.
pub(crate) fn utf16_len(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().map(char::len_utf16).sum() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::HeapBuilder;
    use proptest::{collection::vec, prelude::*};
    use std::collections::VecDeque;

    /// With the texts themselves, as DevTools does.
    fn naive(mut names: VecDeque<&String>) -> String {
        let length = |text: &str| text.encode_utf16().count();
        let (mut start, mut end) = ("{".to_owned(), "}".to_owned());
        for turn in 0.. {
            let next = if turn % 2 == 0 { names.pop_front() } else { names.pop_back() };
            let Some(name) = next.map(|name| formatted(name)) else { break };
            if start != "{" && length(&start) + length(&end) + length(&name) > 100 {
                start += ", …";
                break;
            }
            if turn % 2 == 0 {
                start += if start == "{" { "" } else { ", " };
                start += &name;
            } else {
                end = format!("{name}{}{end}", if end == "}" { "" } else { ", " });
            }
        }
        start + if end == "}" { "" } else { ", " } + &end
    }

    #[test]
    fn only_detached_native_objects_are_called_so() {
        let mut builder = HeapBuilder::new();
        let nodes = ["native", "native", "object"].map(|kind| builder.node(kind, "Thing", 0));
        let plain = builder.node("object", "Object", 0);
        builder.edge(plain, EdgeType::Property, "x", plain);
        let heap = builder.build();
        let states = [DETACHED, 0, DETACHED];
        let names = nodes.map(|node| display_name(&heap, &states, node));
        assert_eq!(names, ["Detached Thing", "Thing", "Thing"]);
        assert_eq!(display_name(&heap, &states, plain), "{x}");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn texts_are_quoted_as_in_json(text in "[\\x00-\\x1f\\x7f\\\\\"a-cé😀]{0,20}") {
            prop_assert_eq!(quoted(&text), serde_json::to_string(&text).unwrap());
        }

        #[test]
        fn plain_objects_are_called_by_their_properties(names in vec("[a-eé😀,']{1,30}", 0..20)) {
            let mut builder = HeapBuilder::new();
            let node = builder.node("object", "Object", 0);
            for name in &names {
                builder.edge(node, EdgeType::Internal, "not a property", node);
                builder.edge(node, EdgeType::Property, name, node);
                builder.edge(node, EdgeType::Property, "__proto__", node);
            }
            prop_assert_eq!(plain_object(&builder.build(), node), naive(names.iter().collect()));
        }
    }

    #[test]
    fn plain_objects_have_names_of_about_a_hundred_characters() {
        for (lengths, expected) in [
            (&[97][..], 1),
            (&[500], 1),
            (&[49, 49], 2),
            (&[49, 50], 1),
            (&[30, 34, 34], 3),
            (&[30, 34, 35], 2),
            (&[30, 30, 17, 20], 3),
            (&[30, 30, 17, 19], 4),
        ] {
            let mut builder = HeapBuilder::new();
            let node = builder.node("object", "Object", 0);
            for &length in lengths {
                builder.edge(node, EdgeType::Property, &"x".repeat(length), node);
            }
            let name = plain_object(&builder.build(), node);
            let names = name[1..name.len() - 1].split(", ").filter(|name| *name != "…");
            assert_eq!(names.count(), expected, "{name}");
            assert_eq!(name.contains('…'), expected < lengths.len(), "{name}");
        }
    }
}
