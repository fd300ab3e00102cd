//! The properties that the nodes of each class have.

use crate::{Classes, Column, EdgeType, HashMap, Heap, NodeIndex, PackedColumn, StringIndex};
use heapquarry_base::Order;

/// Names of properties that are counted of a class: those that are met first.
pub const MOST_FIELDS: usize = 1000;

/// A property of the nodes of one or more classes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldSum {
    /// Its name.
    pub name: StringIndex,
    /// How many have it.
    pub count: u64,
    /// The classes of its values, in their order, and how many values each has.
    pub values: Vec<(u32, u64)>,
}

/// The properties that the nodes of each class have, and of which classes the values are: of each class the first
/// [`MOST_FIELDS`], in the order in which they are met.
#[derive(Clone, Debug)]
pub struct Fields {
    /// For each class where its properties begin, and the number of properties.
    pub(crate) classes: Column<u32>,
    pub(crate) names: Column<StringIndex>,
    /// The first edge of each.
    pub(crate) edges: PackedColumn,
    /// For each property where the classes of its values begin, and their number.
    pub(crate) values: Column<u32>,
    pub(crate) value_classes: Column<u32>,
    pub(crate) value_counts: Column<u64>,
}

/// A property of a class whose values are of one class.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    class: u32,
    name: StringIndex,
    value: u32,
}

/// How many there are, and the first.
struct Met {
    key: Key,
    edge: usize,
    count: u64,
    /// What was met after it the last time.
    next: u32,
}

/// The properties of these nodes, which are in file order, and of which classes the values are: the first
/// [`MOST_FIELDS`], in the order in which they are met. `classes` are those of all nodes.
pub fn count_fields(heap: &Heap, classes: &[u32], nodes: &[NodeIndex]) -> Vec<FieldSum> {
    let mut order: Vec<StringIndex> = Vec::new();
    let mut fields: HashMap<StringIndex, (u64, HashMap<u32, u64>)> = HashMap::default();
    for edge in nodes.iter().flat_map(|&node| heap.edges().of(node)) {
        let Some(name) = field(heap, edge) else { continue };
        if !fields.contains_key(&name) {
            if fields.len() == MOST_FIELDS || heap.strings().get(name) == "__proto__" {
                continue;
            }
            order.push(name);
        }
        let (count, values) = fields.entry(name).or_default();
        *count += 1;
        *values.entry(classes[heap.edges().target(edge).position()]).or_default() += 1;
    }
    let sum = |name: StringIndex| {
        let (count, values) = fields.remove(&name).unwrap_or_default();
        let mut values: Vec<(u32, u64)> = values.into_iter().collect();
        values.sort_unstable();
        FieldSum { name, count, values }
    };
    order.into_iter().map(sum).collect()
}

/// The name of the property that an edge is.
fn field(heap: &Heap, edge: usize) -> Option<StringIndex> {
    let is_field = matches!(heap.edges().kind(edge), EdgeType::Property | EdgeType::Context);
    heap.edge_string(edge).filter(|_| is_field)
}

impl Fields {
    pub(super) fn new(heap: &Heap, classes: &Classes) -> Self {
        let mut met = all(heap, &classes.of);
        met.retain(|met| heap.strings().get(met.key.name) != "__proto__");
        met.sort_unstable_by_key(|&Met { key: Key { class, name, value }, .. }| {
            (class, name, value)
        });
        // By class and name, with the first edge.
        let mut fields: Vec<(u32, usize, &[Met])> = met
            .chunk_by(|a, b| (a.key.class, a.key.name) == (b.key.class, b.key.name))
            .map(|met| (met[0].key.class, met.iter().map(|met| met.edge).min().unwrap_or(0), met))
            .collect();
        fields.order_by_key(|&(class, edge, _)| (class, edge));
        let mut starts = vec![0u32; classes.classes.len() + 1];
        fields.retain(|&(class, ..)| {
            let count = &mut starts[class as usize + 1];
            *count += 1;
            *count as usize <= MOST_FIELDS
        });
        let ends = |counts: &mut dyn Iterator<Item = u32>| -> Column<u32> {
            let mut end = 0;
            counts
                .map(|count| {
                    end += count;
                    end
                })
                .collect()
        };
        let values = || fields.iter().flat_map(|&(.., met)| met);
        Fields {
            classes: ends(&mut starts.into_iter().map(|count| count.min(MOST_FIELDS as u32))),
            names: fields.iter().map(|(.., met)| met[0].key.name).collect(),
            edges: fields.iter().map(|&(_, edge, _)| edge as u64).collect(),
            values: ends(
                &mut std::iter::once(0).chain(fields.iter().map(|(.., met)| met.len() as u32)),
            ),
            value_classes: values().map(|met| met.key.value).collect(),
            value_counts: values().map(|met| met.count).collect(),
        }
    }

    /// What [`count_fields`] tells of all nodes of these classes; `None` if it is not known: several classes together
    /// of which one has very many properties.
    pub fn of(&self, classes: &[u32]) -> Option<Vec<FieldSum>> {
        let ranges = classes.iter().map(|&class| {
            self.classes[class as usize] as usize..self.classes[class as usize + 1] as usize
        });
        if classes.len() > 1 && ranges.clone().any(|range| range.len() == MOST_FIELDS) {
            return None;
        }
        let mut sums: HashMap<StringIndex, (u64, FieldSum)> = HashMap::default();
        for field in ranges.flatten() {
            let name = self.names[field];
            let none = FieldSum { name, count: 0, values: Vec::new() };
            let edge = self.edges.get(field);
            let (first, sum) = sums.entry(name).or_insert((edge, none));
            *first = edge.min(*first);
            for at in self.values[field] as usize..self.values[field + 1] as usize {
                let (class, count) = (self.value_classes[at], self.value_counts[at]);
                sum.count += count;
                match sum.values.binary_search_by_key(&class, |&(class, _)| class) {
                    Ok(at) => sum.values[at].1 += count,
                    Err(at) => sum.values.insert(at, (class, count)),
                }
            }
        }
        let mut sums: Vec<(u64, FieldSum)> = sums.into_values().collect();
        sums.order_by_key(|&(edge, _)| edge);
        sums.truncate(MOST_FIELDS);
        Some(sums.into_iter().map(|(_, sum)| sum).collect())
    }
}

/// All properties, counted by class, name and class of the value.
fn all(heap: &Heap, classes: &[u32]) -> Vec<Met> {
    let mut all: Vec<Met> = Vec::new();
    let mut numbers: HashMap<Key, u32> = HashMap::default();
    let mut last = 0;
    for (node, &class) in heap.nodes().all().zip(classes) {
        for edge in heap.edges().of(node) {
            let Some(name) = field(heap, edge) else { continue };
            let value = classes[heap.edges().target(edge).position()];
            let key = Key { class, name, value };
            // Objects of a class mostly have the same properties in the same order.
            let next = all.get(last as usize).map(|met| met.next);
            let number = match next.filter(|&next| all[next as usize].key == key) {
                Some(next) => next,
                None => *numbers.entry(key).or_insert_with(|| {
                    let number = all.len() as u32;
                    all.push(Met { key, edge, count: 0, next: number });
                    number
                }),
            };
            all[number as usize].count += 1;
            all[last as usize].next = number;
            last = number;
        }
    }
    all
}
