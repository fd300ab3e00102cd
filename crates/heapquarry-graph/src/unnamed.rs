//! Classes of a snapshot before its plain objects have names: those come from the interfaces of another snapshot.

use crate::{
    Class, Classes, HashMap, Heap, Interface, Strings,
    classes::classify_with,
    detachedness,
    interfaces::{Finder, Properties},
    text_list::Texts,
};
use foldhash::fast::RandomState;
use hashbrown::HashTable;
use std::hash::BuildHasher;

/// The class of each node, of plain objects with their properties. The heap is not needed any more to name them.
#[derive(Debug)]
pub(crate) struct Unnamed {
    of: Vec<u32>,
    /// With the names that plain objects have of their own.
    classes: Vec<Class>,
    /// Further numbers in `of`, after those of the classes: the class of plain objects, by their own name, and where
    /// their properties end in the list of all.
    plain: Vec<(u32, usize)>,
    /// Numbers of names, for each in `plain` sorted.
    properties: Vec<u32>,
    names: Texts,
}

impl Unnamed {
    /// The classes of a heap.
    pub(crate) fn of(heap: &Heap, threads: usize) -> Self {
        let (states, places) = (detachedness(heap), heap.places.clone().take(heap.nodes().len()));
        let properties = Properties::new(heap);
        let classes = classify_with(heap, places, &states, &properties, &[], threads);
        Unnamed::with(heap, classes, &properties)
    }

    /// The classes are those [without interfaces](crate::classify).
    pub(crate) fn new(heap: &Heap, classes: Classes) -> Self {
        Unnamed::with(heap, classes, &Properties::new(heap))
    }

    fn with(heap: &Heap, Classes { of, classes }: Classes, known: &Properties) -> Self {
        let (mut of, mut properties) = (of.into_vec(), Vec::new());
        let mut plain: Vec<(u32, usize)> = Vec::new();
        let hasher = RandomState::default();
        let mut table: HashTable<(u64, u32)> = HashTable::new();
        let mut own = Vec::new();
        for node in heap.nodes().all().filter(|&node| heap.is_plain_object(node)) {
            own.clear();
            own.extend(known.of(heap, node));
            own.sort_unstable();
            let class = &mut of[node.position()];
            let hash = hasher.hash_one((*class, &own));
            let is_it = |&(_, at): &(u64, u32)| {
                plain[at as usize].0 == *class && of_plain(&plain, &properties, at as usize) == own
            };
            let at = table.find(hash, is_it).map(|&(_, at)| at).unwrap_or_else(|| {
                let at = plain.len() as u32;
                table.insert_unique(hash, (hash, at), |&(hash, _)| hash);
                properties.extend_from_slice(&own);
                plain.push((*class, properties.len()));
                at
            });
            *class = classes.len() as u32 + at;
        }
        let names = known.strings().map(|name| heap.strings().get(name)).collect();
        Unnamed { of, classes, plain, properties, names }
    }

    /// The classes as [`classify`](crate::classify) finds them in the heap with these interfaces.
    pub(crate) fn named(self, interfaces: &[Interface]) -> Classes {
        let Unnamed { mut of, mut classes, plain, properties, names } = self;
        let numbers: HashMap<&str, u32> = names.iter().zip(0..).collect();
        let finder = Finder::new(interfaces, names.len(), |name| numbers.get(name).copied());
        let keys = classes.iter().map(|class| class.key.clone());
        let mut by_key: HashMap<String, u32> = keys.zip(0..).collect();
        let mut class_of: Vec<u32> = (0..classes.len() as u32).collect();
        for (at, &(class, _)) in plain.iter().enumerate() {
            let own = of_plain(&plain, &properties, at).iter().copied();
            let used: Vec<u32> = own.filter(|&number| finder.uses(number)).collect();
            class_of.push(finder.find(&used).map_or(class, |found| {
                let Class { name: own, key } = &classes[class as usize];
                let name = &interfaces[found as usize].name;
                // The key is a place, perhaps, and the name.
                let key = format!("{}{name}", &key[..key.len() - own.len()]);
                *by_key.entry(key).or_insert_with_key(|key| {
                    classes.push(Class { name: name.clone(), key: key.clone() });
                    classes.len() as u32 - 1
                })
            }));
        }
        of.iter_mut().for_each(|class| *class = class_of[*class as usize]);
        Classes { of: of.into(), classes }
    }
}

/// The properties of the plain objects of a number.
fn of_plain<'a>(plain: &[(u32, usize)], properties: &'a [u32], at: usize) -> &'a [u32] {
    let start = at.checked_sub(1).map_or(0, |before| plain[before].1);
    &properties[start..plain[at].1]
}
