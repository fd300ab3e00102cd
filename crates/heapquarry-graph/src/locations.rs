//! Where objects were defined.

use crate::{Column, HashMap, NodeIndex};

/// A position in a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// The engine's number for the script.
    pub script_id: i32,
    /// Line, from 0.
    pub line: i32,
    /// Column, from 0.
    pub column: i32,
}

/// Distinct places: there are millions of objects and only thousands of places.
#[derive(Clone, Debug, Default)]
struct Numbered {
    places: Vec<Place>,
    numbers: HashMap<Place, u32>,
    /// The last number: the same place often follows at once.
    last: u32,
}

impl Numbered {
    fn number(&mut self, place: Place) -> u32 {
        if self.places.get(self.last as usize) != Some(&place) {
            let next = self.places.len() as u32;
            self.last = *self.numbers.entry(place).or_insert(next);
            if self.last == next {
                self.places.push(place);
            }
        }
        self.last
    }
}

/// Where objects were defined: all nodes or a part, as read.
#[derive(Clone, Debug, Default)]
pub struct Locations {
    /// Node and number of its place.
    of: Vec<(NodeIndex, u32)>,
    numbered: Numbered,
}

impl Locations {
    /// Adds a node.
    pub fn push(&mut self, node: NodeIndex, place: Place) {
        self.of.push((node, self.numbered.number(place)));
    }

    /// Number of nodes that were added.
    pub fn len(&self) -> usize {
        self.of.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.of.is_empty()
    }

    /// The places of the nodes; `nodes` is their number.
    pub fn by_node(&self, nodes: usize) -> Places {
        let mut places = Places::default();
        places.add(self, nodes);
        places
    }
}

/// No place.
pub(crate) const NOWHERE: u32 = u32::MAX;

/// The place of each node.
#[derive(Clone, Debug, Default)]
pub struct Places {
    of: Numbers,
    numbered: Numbered,
}

/// For each node the number of its place; empty if no node has a place. Those of the last nodes may be missing.
#[derive(Clone, Debug)]
enum Numbers {
    /// If all fit.
    Short(Column<u16>),
    Long(Column<u32>),
}

/// No place, among short numbers.
const NOWHERE_SHORT: u16 = u16::MAX;

impl Default for Numbers {
    fn default() -> Self {
        Numbers::Short(Column::default())
    }
}

impl Numbers {
    fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        let (short, long): (&[u16], &[u32]) = match self {
            Numbers::Short(of) => (of, &[]),
            Numbers::Long(of) => (&[], of),
        };
        short.iter().copied().map(long_of).chain(long.iter().copied())
    }

    fn get(&self, at: usize) -> Option<u32> {
        match self {
            Numbers::Short(of) => of.get(at).copied().map(long_of),
            Numbers::Long(of) => of.get(at).copied(),
        }
    }
}

fn long_of(number: u16) -> u32 {
    if number == NOWHERE_SHORT { NOWHERE } else { number.into() }
}

/// Sets the numbers of some of the nodes.
fn set<T: Copy>(
    of: &mut Vec<T>,
    nodes: usize,
    none: T,
    some: impl Iterator<Item = (NodeIndex, T)>,
) {
    if of.len() < nodes {
        of.resize(nodes, none);
    }
    for (node, number) in some {
        if let Some(known) = of.get_mut(node.position()) {
            *known = number;
        }
    }
}

impl Places {
    /// Each node's number of a place; those of the last nodes may be missing.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = u32> + '_ {
        self.of.iter()
    }

    /// Places with the number that each node has. Nothing can be added to them.
    pub(crate) fn from_numbers(of: Column<u32>, places: Vec<Place>) -> Self {
        Places { of: Numbers::Long(of), numbered: Numbered { places, ..Numbered::default() } }
    }

    /// Adds the locations of a heap with this many nodes. If a node has several, the last one counts; those of nodes
    /// that do not exist are ignored.
    pub fn add(&mut self, locations: &Locations, nodes: usize) {
        if locations.is_empty() {
            return;
        }
        let places = locations.numbered.places.iter();
        let numbers: Vec<u32> = places.map(|&place| self.numbered.number(place)).collect();
        let some = locations.of.iter().map(|&(node, number)| (node, numbers[number as usize]));
        let fit = self.numbered.places.len() <= usize::from(NOWHERE_SHORT);
        self.of = match std::mem::take(&mut self.of) {
            Numbers::Short(of) if fit => {
                let mut of = of.into_vec();
                let some = some.map(|(node, number)| (node, number as u16));
                set(&mut of, nodes, NOWHERE_SHORT, some);
                Numbers::Short(of.into())
            }
            of => {
                let mut of = match of {
                    Numbers::Long(of) => of.into_vec(),
                    short => short.iter().collect(),
                };
                set(&mut of, nodes, NOWHERE, some);
                Numbers::Long(of.into())
            }
        };
    }

    /// Takes which place each node has out of this. The places stay.
    pub(crate) fn take_numbers(&mut self) -> Places {
        Places { of: std::mem::take(&mut self.of), ..Places::default() }
    }

    /// Takes the number of each node's place, or [`NOWHERE`], out of this.
    pub(crate) fn take(&mut self, nodes: usize) -> Vec<u32> {
        let mut of = match std::mem::take(&mut self.of) {
            Numbers::Long(of) => of.into_vec(),
            short => {
                let mut of = Vec::with_capacity(nodes);
                of.extend(short.iter());
                of
            }
        };
        of.resize(nodes, NOWHERE);
        of
    }

    /// The place of a node.
    pub(crate) fn of(&self, node: NodeIndex) -> Option<Place> {
        let number = self.of.get(node.position())?;
        (number != NOWHERE).then(|| self.get(number))
    }

    /// Number of different places.
    pub(crate) fn len(&self) -> usize {
        self.numbered.places.len()
    }

    /// The place of that number.
    pub(crate) fn get(&self, number: u32) -> Place {
        self.numbered.places[number as usize]
    }
}

impl FromIterator<(NodeIndex, Place)> for Locations {
    fn from_iter<I: IntoIterator<Item = (NodeIndex, Place)>>(of: I) -> Self {
        let mut locations = Locations::default();
        of.into_iter().for_each(|(node, place)| locations.push(node, place));
        locations
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_place_is_kept_once_and_the_last_of_a_node_counts() {
        let place = |line| Place { script_id: 1, line, column: 0 };
        let list = |of: &[(u32, i32)]| -> Locations {
            of.iter().map(|&(node, line)| (NodeIndex(node), place(line))).collect()
        };
        let mut places = list(&[(4, 9), (2, 9), (4, 7)]).by_node(4);
        places.add(&list(&[(3, 7), (2, 7), (2, 8)]), 4);
        assert_eq!(places.len(), 3);
        let of = places.take(4);
        let line = |number: &u32| (*number != NOWHERE).then(|| places.get(*number).line);
        let lines: Vec<_> = of.iter().map(line).collect();
        assert_eq!(lines, [None, None, Some(8), Some(7)]);
        assert_eq!(Locations::default().by_node(4).take(2), [NOWHERE; 2]);
    }

    #[test]
    fn places_may_be_more_than_fit_two_bytes() {
        let place = |line: u32| Place { script_id: 1, line: line as i32, column: 0 };
        let list = |lines: std::ops::Range<u32>| -> Locations {
            lines.map(|line| (NodeIndex(line + line % 2), place(line))).collect()
        };
        for count in [65_534, 65_535, 65_536, 70_000] {
            let nodes = count as usize + 2;
            let mut places = list(0..100).by_node(nodes);
            places.add(&list(50..count), nodes);
            assert_eq!(matches!(places.of, Numbers::Short(_)), count < 65_536, "{count}");
            let line = |node| places.of(NodeIndex(node)).map(|place| place.line as u32);
            let found: Vec<_> = (0..count + 2).map(line).collect();
            // The location that counts is that of its own line, as it comes last; the last node may have another.
            let expected = |node: u32| match node {
                node if node % 2 != 0 || node > count => None,
                node if node < count => Some(node),
                node => Some(node - 1),
            };
            assert_eq!(found, (0..count + 2).map(expected).collect::<Vec<_>>(), "{count}");
            let numbers: Vec<u32> = places.numbers().collect();
            assert_eq!(places.take(nodes), numbers);
        }
    }
}
