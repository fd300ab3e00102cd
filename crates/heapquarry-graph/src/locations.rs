//! Where objects were defined.

use crate::HashMap;

/// A place in a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// The engine's number of the script.
    pub script_id: i32,
    /// Line, from 0.
    pub line: i32,
    /// Column, from 0.
    pub column: i32,
}

/// The places where objects were defined. There are millions of objects and only thousands of places: each is kept once.
#[derive(Clone, Debug, Default)]
pub struct Locations {
    /// Node and number of its place.
    of: Vec<(u32, u32)>,
    places: Vec<Place>,
    numbers: HashMap<Place, u32>,
    /// The number given last: the same place often comes again at once.
    last: u32,
}

impl Locations {
    /// Adds a node, by its position in the file.
    pub fn push(&mut self, node: u32, place: Place) {
        let number = self.number(place);
        self.of.push((node, number));
    }

    /// Adds all of another list.
    pub fn append(&mut self, other: &Locations) {
        let numbers: Vec<u32> = other.places.iter().map(|&place| self.number(place)).collect();
        self.of.extend(other.of.iter().map(|&(node, number)| (node, numbers[number as usize])));
    }

    /// Number of nodes that were added.
    pub fn len(&self) -> usize {
        self.of.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.of.is_empty()
    }

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

    /// The places of so many nodes.
    pub(crate) fn by_node(self, nodes: usize) -> Places {
        let mut of = if self.of.is_empty() { Vec::new() } else { vec![NONE; nodes] };
        // Of several for a node, the last counts.
        for (node, number) in self.of {
            if let Some(known) = of.get_mut(node as usize) {
                *known = number;
            }
        }
        Places { of, places: self.places }
    }
}

/// No place.
const NONE: u32 = u32::MAX;

/// The place of each node.
#[derive(Clone, Debug, Default)]
pub(crate) struct Places {
    /// For each node the number of its place; empty if there are no places.
    of: Vec<u32>,
    places: Vec<Place>,
}

impl Places {
    /// The number of a node's place.
    #[inline]
    pub(crate) fn number(&self, node: u32) -> Option<u32> {
        self.of.get(node as usize).copied().filter(|&number| number != NONE)
    }

    /// Number of different places.
    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    /// The place of that number.
    pub(crate) fn get(&self, number: u32) -> Place {
        self.places[number as usize]
    }
}

impl FromIterator<(u32, Place)> for Locations {
    fn from_iter<I: IntoIterator<Item = (u32, Place)>>(of: I) -> Self {
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
            of.iter().map(|&(node, line)| (node, place(line))).collect()
        };
        let (mut all, more) = (list(&[(4, 9), (2, 9), (4, 7)]), list(&[(3, 7), (2, 7), (2, 8)]));
        all.append(&more);
        assert_eq!((all.len(), all.places.len()), (6, 3));
        let places = all.by_node(4);
        let lines = (0..5).map(|node| Some(places.get(places.number(node)?).line));
        assert_eq!(lines.collect::<Vec<_>>(), [None, None, Some(8), Some(7), None]);
        assert_eq!(Locations::default().by_node(4).number(1), None);
    }
}
