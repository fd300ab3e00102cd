//! What strings are used for.

use super::{kept::Kept, layout::NodeUse};
use crate::rules::Role;

const VALUE: u8 = 1;
const PROPERTY: u8 = 2;
const NAME: u8 = 4;
const ENGINE: u8 = 8;
const KEPT: u8 = 16;

/// Strings beyond are not counted.
const MOST: u32 = u32::MAX / 4;

/// What strings are used for, and where their further copies are.
pub(super) struct Uses {
    /// What each string is used for.
    uses: Vec<u8>,
    /// For each string, the last owner of a property of this name, and how many there are, up to 255.
    owners: Vec<(u32, u8)>,
    /// Edges of each node.
    edges: Vec<u32>,
    /// Edges of the present owner that are left, and its number from 1.
    left: u32,
    owner: u32,
    /// Indices beyond it cannot be: each string has two quotes and a comma.
    most: u32,
    /// Whether names of properties become other strings than other names.
    has_names: bool,
    /// Strings of the document.
    pub(super) count: u64,
    /// The index of the copy for values, for properties, and for values that are kept; 0 without one.
    values: Vec<u32>,
    properties: Vec<u32>,
    kept: Vec<u32>,
}

impl Uses {
    /// For a document of this many bytes.
    pub(super) fn new(bytes: u64, has_names: bool) -> Self {
        Uses {
            uses: Vec::new(),
            owners: Vec::new(),
            edges: Vec::new(),
            left: 0,
            owner: 0,
            most: u32::try_from(bytes / 3 + 1).map_or(MOST, |most| most.min(MOST)),
            has_names,
            count: 0,
            values: Vec::new(),
            properties: Vec::new(),
            kept: Vec::new(),
        }
    }

    fn add(&mut self, string: u32, of: u8) -> Option<usize> {
        let at = string as usize;
        if string >= self.most {
            return None;
        }
        if at >= self.uses.len() {
            self.uses.resize(at + 1, 0);
        }
        self.uses[at] |= of;
        Some(at)
    }

    pub(super) fn add_node(&mut self, name: u32, of: NodeUse, edges: Option<u32>) {
        let of = match of {
            NodeUse::Value => VALUE,
            NodeUse::Name => NAME,
            NodeUse::Engine => ENGINE,
        };
        self.add(name, of);
        self.edges.extend(edges);
    }

    pub(super) fn add_name(&mut self, name: u32) {
        self.add(name, NAME);
    }

    /// The owner of the next edge, from 1; 0 if it is not known.
    pub(super) fn next_owner(&mut self) -> u32 {
        while self.left == 0 {
            let Some(&edges) = self.edges.get(self.owner as usize) else { return 0 };
            self.left = edges;
            self.owner += 1;
        }
        self.left -= 1;
        self.owner
    }

    pub(super) fn add_property(&mut self, name: u32, owner: u32) {
        let Some(at) = self.add(name, PROPERTY) else { return };
        if at >= self.owners.len() {
            self.owners.resize(at + 1, (0, 0));
        }
        let (last, count) = &mut self.owners[at];
        if *last != owner {
            (*last, *count) = (owner, count.saturating_add(1));
        }
    }

    /// After the first pass: tells values that are kept from others.
    pub(super) fn keep(&mut self, kept: &Kept) {
        self.uses.iter_mut().for_each(|uses| *uses &= !VALUE);
        for (string, is_kept) in kept.values() {
            self.add(string, if is_kept { KEPT } else { VALUE });
        }
    }

    /// After the first pass: gives each further use of a string an index.
    pub(super) fn split(&mut self) {
        self.edges = Vec::new();
        let mut next = self.first_appended() as u32;
        let mut take = |list: &mut Vec<u32>, at: usize| {
            list.resize(at + 1, 0);
            list[at] = next;
            next += 1;
        };
        for at in 0..self.uses.len() {
            let [property, value, kept] = self.further(at);
            // In the order in which `roles` tells them.
            if property {
                take(&mut self.properties, at);
            }
            if value {
                take(&mut self.values, at);
            }
            if kept {
                take(&mut self.kept, at);
            }
        }
    }

    /// Whether a string has a copy for properties, one for values, and one for values that are kept.
    fn further(&self, at: usize) -> [bool; 3] {
        let uses = self.uses.get(at).copied().unwrap_or(0);
        let is_name = uses & (NAME | ENGINE | PROPERTY) != 0;
        let property = uses & PROPERTY != 0 && uses & (NAME | ENGINE) != 0 && self.has_names;
        let value = uses & VALUE != 0 && (is_name || uses & KEPT != 0);
        let kept = uses & KEPT != 0 && is_name;
        [property, value, kept]
    }

    /// The index of the first string that is appended.
    pub(super) fn first_appended(&self) -> u64 {
        self.count.max(self.uses.len() as u64)
    }

    /// What the string is as the value of a node, if it is another one.
    pub(super) fn value(&self, string: u64) -> Option<u64> {
        copy(&self.values, string)
    }

    /// What the string is as a value that is kept, if it is another one.
    pub(super) fn kept(&self, string: u64) -> Option<u64> {
        copy(&self.kept, string)
    }

    /// What the string is as the name of a property, if it is another one.
    pub(super) fn property(&self, string: u64) -> Option<u64> {
        copy(&self.properties, string)
    }

    /// The role of a string, and those of its copies.
    pub(super) fn roles(&self, string: u64) -> (Role, [Option<Role>; 3]) {
        let at = usize::try_from(string).unwrap_or(usize::MAX);
        let uses = self.uses.get(at).copied().unwrap_or(0);
        let owners = self.owners.get(at).map_or(0, |(_, count)| u32::from(*count));
        let first = match uses {
            uses if uses & ENGINE != 0 => Role::Engine,
            uses if uses & NAME != 0 => Role::Name,
            uses if uses & PROPERTY != 0 => Role::Property(owners),
            uses if uses & KEPT != 0 => Role::Kept,
            _ => Role::Value,
        };
        let [property, value, kept] = self.further(at);
        let property = property.then_some(Role::Property(owners));
        (first, [property, value.then_some(Role::Value), kept.then_some(Role::Kept)])
    }
}

fn copy(list: &[u32], string: u64) -> Option<u64> {
    let copy = *list.get(usize::try_from(string).ok()?)?;
    (copy > 0).then_some(u64::from(copy))
}
