//! What nodes are instances of.

use crate::{
    Column, DETACHED, HashMap, Heap, Interface, NodeIndex, NodeType, Place, StringIndex,
    interfaces::{Matcher, Memory, Properties},
    locations::NOWHERE,
};
use bumpalo::Bump;
use heapquarry_base::threads;

/// A class: the properties that its instances share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// The constructor's name, or a generated name if there is none.
    pub name: String,
    /// Identifies the class in all snapshots: `,name`, or `script,line,column,name` for objects whose constructor has a
    /// known location.
    pub key: String,
}

/// The class of each node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Classes {
    /// For each node, its class.
    pub of: Column<u32>,
    /// The classes, no two with the same key.
    pub classes: Vec<Class>,
}

impl Classes {
    /// The class of a node.
    pub fn class(&self, node: NodeIndex) -> &Class {
        &self.classes[self.of[node.position()] as usize]
    }
}

/// What the name of a class derives from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Base {
    /// The type, by its number.
    Type(u8),
    /// The name, and whether it is a detached DOM node.
    Name(StringIndex, bool),
    Interface(u32),
}

/// Classifies the nodes of a heap. Plain objects are classified by these interfaces: those of the heap, or for a
/// comparison those of the other snapshot. `states` is the result of [`detachedness`](crate::detachedness). DevTools:
/// `calculateObjectNames`, `classKeyInternal`, `classKeyFromClassKeyInternal`.
pub fn classify(heap: &Heap, states: &[u8], interfaces: &[Interface], threads: usize) -> Classes {
    let properties = Properties::new(heap);
    let places = heap.places.clone().take(heap.nodes().len());
    classify_with(heap, places, states, &properties, interfaces, threads)
}

/// Classifies like [`classify`], given the number of each node's place. The classes reuse its memory.
pub(crate) fn classify_with(
    heap: &Heap,
    places: Vec<u32>,
    states: &[u8],
    properties: &Properties,
    interfaces: &[Interface],
    threads: usize,
) -> Classes {
    let matcher = Matcher::new(properties, heap, interfaces);
    let mut of = places;
    let ranges = threads::bounds(of.len(), threads);
    let mut rest = of.as_mut_slice();
    let parts = ranges.map(|range| {
        let (part, others) = std::mem::take(&mut rest).split_at_mut(range.len());
        rest = others;
        (range.start, part)
    });
    let parts = threads::each(parts.collect(), |(first, part)| {
        let mut memory = Memory::default();
        let mut numbers = Numbers::new(heap.places.len());
        let nodes = NodeIndex::each(first..first + part.len());
        for (node, of) in nodes.zip(part.iter_mut()) {
            let kind = heap.nodes().kind(node);
            let base = match kind {
                NodeType::Object if heap.is_plain_object(node) => {
                    let found = matcher.find(node, &mut memory).map(Base::Interface);
                    found.unwrap_or(Base::Name(heap.nodes().name_id(node), false))
                }
                NodeType::Object => Base::Name(heap.nodes().name_id(node), false),
                NodeType::Native => {
                    let detached = states.get(node.position()) == Some(&DETACHED)
                        && heap.nodes().detachedness.is_some();
                    Base::Name(heap.nodes().name_id(node), detached)
                }
                _ => Base::Type(heap.nodes().types[node.position()]),
            };
            let place = (kind == NodeType::Object && *of != NOWHERE).then_some(*of);
            *of = numbers.get(base, place);
        }
        (part, numbers.in_order)
    });
    // Keys of classes that another part already has are needed only for the lookup.
    let arena = Bump::new();
    let mut by_key: HashMap<&str, u32> = HashMap::default();
    let mut classes = Vec::new();
    for (part, in_order) in parts {
        let mut number = |(base, place): (Base, Option<u32>)| {
            let name = name(heap, interfaces, base);
            let key = match place.map(|number| heap.places.get(number)) {
                None => bumpalo::format!(in &arena, ",{}", name),
                Some(Place { script_id, line, column }) => {
                    bumpalo::format!(in &arena, "{},{},{},{}", script_id, line, column, name)
                }
            };
            let key = key.into_bump_str();
            *by_key.entry(key).or_insert_with(|| {
                classes.push(Class { name, key: key.to_owned() });
                classes.len() as u32 - 1
            })
        };
        let numbers: Vec<u32> = in_order.into_iter().map(&mut number).collect();
        part.iter_mut().for_each(|class| *class = numbers[*class as usize]);
    }
    Classes { of: of.into(), classes }
}

/// Numbers classes by name and place of definition, in order of first occurrence.
struct Numbers {
    in_order: Vec<(Base, Option<u32>)>,
    all: HashMap<(Base, Option<u32>), u32>,
    /// By type and by place: the last class there, which nearly always occurs again.
    of_type: [Option<u32>; 256],
    of_place: Vec<Option<u32>>,
}

impl Numbers {
    fn new(places: usize) -> Self {
        Numbers {
            in_order: Vec::new(),
            all: HashMap::default(),
            of_type: [None; 256],
            of_place: vec![None; places],
        }
    }

    #[inline]
    fn get(&mut self, base: Base, place: Option<u32>) -> u32 {
        let Numbers { in_order, all, of_type, of_place } = self;
        let last = match (base, place) {
            (_, Some(place)) => Some(&mut of_place[place as usize]),
            (Base::Type(number), None) => Some(&mut of_type[usize::from(number)]),
            _ => None,
        };
        if let Some(&mut Some(number)) = last
            && in_order[number as usize].0 == base
        {
            return number;
        }
        let number = *all.entry((base, place)).or_insert_with(|| {
            in_order.push((base, place));
            in_order.len() as u32 - 1
        });
        if let Some(last) = last {
            *last = Some(number);
        }
        number
    }
}

fn name(heap: &Heap, interfaces: &[Interface], base: Base) -> String {
    match base {
        Base::Interface(index) => interfaces[index as usize].name.clone(),
        Base::Name(string, false) => tag(heap.strings().get(string)),
        Base::Name(string, true) => tag(&format!("Detached {}", heap.strings().get(string))),
        Base::Type(number) => match heap.nodes().kinds[usize::from(number)] {
            NodeType::Hidden => "(system)".into(),
            NodeType::Code => "(compiled code)".into(),
            NodeType::Closure => "Function".into(),
            NodeType::RegExp => "RegExp".into(),
            _ => {
                let names = heap.nodes().type_names.as_slice();
                let name = names.get(usize::from(number)).map_or("undefined", String::as_str);
                format!("({name})")
            }
        },
    }
}

/// Elements without their attributes: `<div id="a">` is a `<div>`.
pub(crate) fn tag(name: &str) -> String {
    let from = match name {
        _ if name.starts_with('<') => 0,
        _ if name.starts_with("Detached <") => "Detached <".len(),
        _ => return name.into(),
    };
    match name[from..].find(' ') {
        Some(blank) => format!("{}>", &name[..from + blank]),
        None => name.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_named_by_their_tag() {
        for (name, expected) in [
            ("<div id=\"a\" class=\"b\">", "<div>"),
            ("<div>", "<div>"),
            ("Detached <p id=\"a\">", "Detached <p>"),
            ("Detached <p>", "Detached <p>"),
            ("Detached Text node", "Detached Text node"),
            ("Foo bar", "Foo bar"),
            ("", ""),
        ] {
            assert_eq!(tag(name), expected);
        }
    }
}
