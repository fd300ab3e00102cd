//! The names of edges: two bytes each where there are many edges, as heaps have few different names.

use crate::Column;
use std::{
    ops::Range,
    sync::{
        OnceLock,
        atomic::{AtomicU16, Ordering},
    },
};

/// Stands for a name without a code.
const OTHER: u16 = u16::MAX;
/// Edges of a block.
const BLOCK: usize = 256;
/// Edges that are looked at together while they are encoded.
const TOGETHER: usize = 64;
/// So many names may be without a code in any heap.
const FEW: usize = 1 << 12;
/// Names of fewer edges than that have no codes: to find them takes longer than the memory is worth.
const MANY_EDGES: usize = 1 << 22;

/// The name of each edge: the index of a string, or of an element.
#[derive(Clone, Debug)]
pub struct EdgeNames(Form);

#[derive(Clone, Debug)]
enum Form {
    Coded(Coded),
    /// If there are few edges, or too many different names.
    Plain(Column<u32>),
}

/// Names as codes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Coded {
    /// The code of each edge's name; [`OTHER`] if it has none.
    pub(crate) codes: Column<u16>,
    /// The name of each code.
    pub(crate) names: Column<u32>,
    /// The names without a code, in the order of their edges.
    pub(crate) others: Column<u32>,
    /// For each [`BLOCK`] of edges, how many of `others` come before it.
    pub(crate) ranks: Column<u32>,
}

impl Coded {
    /// Whether there is a rank for each block. Names that the lists do not have are `None`.
    pub(crate) fn fits(&self) -> bool {
        self.ranks.len() == self.codes.len().div_ceil(BLOCK)
    }

    #[inline(always)]
    fn get(&self, edge: usize) -> Option<u32> {
        match *self.codes.get(edge)? {
            OTHER => self.other(edge),
            code => self.names.get(usize::from(code)).copied(),
        }
    }

    /// The name of an edge whose name has no code.
    #[cold]
    #[inline(never)]
    fn other(&self, edge: usize) -> Option<u32> {
        let block = edge / BLOCK;
        let before = &self.codes[block * BLOCK..edge];
        let before: u16 = before.iter().map(|&code| u16::from(code == OTHER)).sum();
        let at = (self.ranks[block] as usize).saturating_add(usize::from(before));
        self.others.get(at).copied()
    }
}

impl Default for EdgeNames {
    fn default() -> Self {
        EdgeNames(Form::Coded(Coded::default()))
    }
}

impl EdgeNames {
    /// Number of edges.
    pub fn len(&self) -> usize {
        match &self.0 {
            Form::Coded(coded) => coded.codes.len(),
            Form::Plain(names) => names.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The name of an edge; `None` if there is no such edge.
    #[inline(always)]
    pub fn get(&self, edge: usize) -> Option<u32> {
        match &self.0 {
            Form::Coded(coded) => coded.get(edge),
            Form::Plain(names) => names.get(edge).copied(),
        }
    }

    /// The name of an edge; `u32::MAX` if lists of a damaged index do not have it.
    ///
    /// # Panics
    /// If there is no such edge.
    #[inline(always)]
    pub(crate) fn at(&self, edge: usize) -> u32 {
        let name = self.get(edge);
        assert!(name.is_some() || edge < self.len(), "edge {edge} of {}", self.len());
        name.unwrap_or(u32::MAX)
    }

    /// The names of a range of edges.
    ///
    /// # Panics
    /// If there are no such edges.
    pub fn of(&self, edges: Range<usize>) -> impl Iterator<Item = u32> {
        assert!(edges.end <= self.len(), "{edges:?} of {} edges", self.len());
        edges.map(|edge| self.at(edge))
    }

    /// The lists of the form that they have: codes, or plain names.
    pub(crate) fn lists(&self) -> Result<&Coded, &Column<u32>> {
        match &self.0 {
            Form::Coded(coded) => Ok(coded),
            Form::Plain(names) => Err(names),
        }
    }

    pub(crate) fn of_lists(coded: Coded) -> Self {
        EdgeNames(Form::Coded(coded))
    }

    pub(crate) fn plain(names: Column<u32>) -> Self {
        EdgeNames(Form::Plain(names))
    }
}

impl From<Vec<u32>> for EdgeNames {
    fn from(names: Vec<u32>) -> Self {
        EdgeNames::plain(names.into())
    }
}

/// Names get codes, however few edges there are: so heaps that are built by hand have codes.
impl FromIterator<u32> for EdgeNames {
    fn from_iter<I: IntoIterator<Item = u32>>(names: I) -> Self {
        let codes = NameCodes::default();
        let mut all = EdgeNamesBuilder::default();
        let names: Vec<u32> = names.into_iter().collect();
        names.chunks(1 << 16).for_each(|some| all.append(codes.encode(some.into()), &codes));
        all.finish()
    }
}

/// Which names have a code. Several threads may encode names while one appends what they encoded.
#[derive(Debug, Default)]
pub struct NameCodes(OnceLock<Box<[AtomicU16]>>);

/// Names of consecutive edges.
#[derive(Clone, Debug)]
pub struct EncodedNames(Encoded);

#[derive(Clone, Debug)]
enum Encoded {
    /// Codes, as far as they were known.
    Codes {
        codes: Vec<u16>,
        /// The names without a code, with their positions in `codes`.
        others: Vec<(u32, u32)>,
    },
    /// If no name has a code.
    Plain(Vec<u32>),
}

impl Default for EncodedNames {
    fn default() -> Self {
        EncodedNames(Encoded::Plain(Vec::new()))
    }
}

impl NameCodes {
    /// State of a name that was never seen: it has no code.
    const NEW: u16 = OTHER;
    /// State of a name that was seen once. It gets a code when it is seen again: names of pairs of WeakMaps, and the
    /// highest indices of large arrays, are not, and would leave no codes to others.
    const SEEN: u16 = OTHER - 1;
    /// So many names can have a code: all other states are codes.
    const MOST: usize = Self::SEEN as usize;

    /// Prepares for that many edges, unless names were encoded before. The names of few edges get no codes.
    pub fn expect(&self, edges: usize) {
        match edges < MANY_EDGES {
            true => _ = self.0.get_or_init(Box::default),
            false => self.prepare(edges),
        }
    }

    /// Prepares for codes, whether there are many edges or few.
    fn prepare(&self, edges: usize) {
        let names = (edges / 16).next_power_of_two().clamp(1 << 12, 1 << 22);
        self.0.get_or_init(|| (0..names + 2).map(|_| AtomicU16::new(Self::NEW)).collect());
    }

    /// The state of each name; empty if names get no codes.
    fn states(&self) -> &[AtomicU16] {
        self.prepare(1 << 20);
        self.0.get().expect("it was made")
    }

    /// Where the state of a name is: first a missing one, last what all names share that are too large for the list.
    #[inline]
    fn place(name: u32, states: &[AtomicU16]) -> usize {
        (name.wrapping_add(1) as usize).min(states.len() - 1)
    }

    /// Encodes names of consecutive edges, of which there are less than 2^32.
    pub fn encode(&self, names: Vec<u32>) -> EncodedNames {
        let states = self.states();
        if states.is_empty() {
            return EncodedNames(Encoded::Plain(names));
        }
        let code = |&name: &u32| match states[Self::place(name, states)].load(Ordering::Relaxed) {
            Self::SEEN => OTHER,
            state => state,
        };
        let codes: Vec<u16> = names.iter().map(code).collect();
        let mut others = Vec::new();
        for (first, some) in (0..).step_by(TOGETHER).zip(codes.chunks(TOGETHER)) {
            // Without a decision for each: nearly always all have codes.
            if some.iter().fold(false, |any, &code| any | (code == OTHER)) {
                let without = some.iter().zip(first..).filter(|(code, _)| **code == OTHER);
                others.extend(without.map(|(_, at)| (at as u32, names[at])));
            }
        }
        EncodedNames(Encoded::Codes { codes, others })
    }

    /// The code of a name that had none when it was encoded, if it has one now, or gets the next one.
    fn code(&self, name: u32, next: usize) -> Option<u16> {
        let states = self.states();
        let place = Self::place(name, states);
        let (state, is_shared) = (&states[place], place == states.len() - 1);
        match state.load(Ordering::Relaxed) {
            _ if is_shared => None,
            Self::NEW => {
                state.store(Self::SEEN, Ordering::Relaxed);
                None
            }
            Self::SEEN if next < Self::MOST => {
                state.store(next as u16, Ordering::Relaxed);
                Some(next as u16)
            }
            Self::SEEN => None,
            code => Some(code),
        }
    }
}

/// Joins encoded names. The result does not depend on when they were encoded.
#[derive(Debug, Default)]
pub struct EdgeNamesBuilder {
    codes: Vec<u16>,
    names: Vec<u32>,
    others: Vec<u32>,
    ranks: Vec<u32>,
    /// All names, if they have no codes.
    plain: Option<Vec<u32>>,
    expected: usize,
}

impl EdgeNamesBuilder {
    /// Says how many edges there will be, so that memory is reserved for them, if there is as much.
    pub fn expect(&mut self, edges: usize) {
        self.expected = edges;
    }

    /// Appends the names of the next edges, which these codes encoded.
    pub fn append(&mut self, encoded: EncodedNames, known: &NameCodes) {
        match encoded.0 {
            Encoded::Codes { codes, others } => self.append_codes(&codes, &others, known),
            Encoded::Plain(names) => self.make_plain().extend_from_slice(&names),
        }
    }

    fn append_codes(&mut self, codes: &[u16], others: &[(u32, u32)], known: &NameCodes) {
        if let Some(plain) = &mut self.plain {
            return decode(codes, &self.names, others.iter().map(|other| other.1), plain);
        }
        if self.codes.is_empty() {
            let _ = self.codes.try_reserve_exact(self.expected);
        }
        let first = self.codes.len();
        self.codes.extend_from_slice(codes);
        for &(at, name) in others {
            let edge = first + at as usize;
            match known.code(name, self.names.len()) {
                Some(code) => {
                    if usize::from(code) == self.names.len() {
                        self.names.push(name);
                    }
                    self.codes[edge] = code;
                }
                None => {
                    self.rank_up_to(edge / BLOCK + 1);
                    self.others.push(name);
                }
            }
        }
        // A quarter of the names, as they take 4 bytes beside the code.
        let edges = self.expected.max(self.codes.len());
        if self.others.len() > edges / 4 + FEW {
            self.make_plain();
        }
    }

    /// Says of blocks without a rank that no more names without a code come before them.
    fn rank_up_to(&mut self, blocks: usize) {
        if self.ranks.len() < blocks {
            self.ranks.resize(blocks, self.others.len() as u32);
        }
    }

    /// All names, without codes.
    fn make_plain(&mut self) -> &mut Vec<u32> {
        self.plain.get_or_insert_with(|| {
            let mut plain = Vec::new();
            let _ = plain.try_reserve_exact(self.expected.max(self.codes.len()));
            decode(&self.codes, &self.names, self.others.iter().copied(), &mut plain);
            (self.codes, self.others, self.ranks) = Default::default();
            plain
        })
    }

    /// The names of all edges.
    pub fn finish(mut self) -> EdgeNames {
        let edges = self.codes.len();
        if self.plain.is_none() && self.others.len() > (edges / 4 + FEW).min(u32::MAX as usize) {
            self.make_plain();
        }
        self.rank_up_to(edges.div_ceil(BLOCK));
        let EdgeNamesBuilder { codes, names, others, ranks, plain, .. } = self;
        EdgeNames(match plain {
            Some(names) => Form::Plain(names.into()),
            None => Form::Coded(Coded {
                codes: codes.into(),
                names: names.into(),
                others: others.into(),
                ranks: ranks.into(),
            }),
        })
    }
}

/// Appends names to a list.
fn decode(codes: &[u16], names: &[u32], mut others: impl Iterator<Item = u32>, to: &mut Vec<u32>) {
    let other = u32::MAX;
    to.extend(codes.iter().map(|&code| match names.get(usize::from(code)) {
        Some(&name) => name,
        None => others.next().unwrap_or(other),
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANY: u32 = 300_000;

    /// Encodes parts before others are appended, some of them much earlier, and joins them.
    fn joined(names: &[u32], part: usize, expected: usize, ahead: usize) -> EdgeNames {
        let (known, mut all) = (NameCodes::default(), EdgeNamesBuilder::default());
        if expected > 0 {
            known.prepare(expected);
            all.expect(expected);
        }
        let mut waiting = std::collections::VecDeque::new();
        for some in names.chunks(part) {
            waiting.push_back(known.encode(some.into()));
            if waiting.len() > ahead {
                all.append(waiting.pop_front().unwrap(), &known);
            }
        }
        waiting.into_iter().for_each(|encoded| all.append(encoded, &known));
        all.finish()
    }

    fn is_coded(names: &EdgeNames) -> bool {
        matches!(names.0, Form::Coded(_))
    }

    #[test]
    fn names_are_those_that_were_given_whatever_they_are() {
        let few = |edge: u32| edge % 1009 * (edge % 1013) % 1000;
        let cases: [(&str, bool, Vec<u32>); 7] = [
            ("none", true, vec![]),
            ("one", true, vec![7]),
            ("missing", true, vec![u32::MAX; 70_000]),
            ("few", true, (0..MANY).map(few).collect()),
            ("each once", false, (0..MANY).collect()),
            ("each twice", false, (0..MANY).map(|edge| edge / 2).collect()),
            (
                "some too large",
                true,
                (0..MANY)
                    .map(|edge| if edge % 9 == 0 { u32::MAX - edge } else { few(edge) })
                    .collect(),
            ),
        ];
        for (case, coded, names) in &cases {
            for expected in [0, names.len(), 10 * names.len()] {
                let whole = joined(names, 1 << 16, expected, 0);
                assert_eq!(is_coded(&whole), *coded, "{case}, {expected} expected");
                assert_eq!(whole.len(), names.len());
                assert!(whole.of(0..names.len()).eq(names.iter().copied()), "{case}");
                assert_eq!(whole.get(names.len()), None);
                let at = names.len() / 3..names.len() / 2;
                assert!(whole.of(at.clone()).eq(names[at].iter().copied()), "{case}");
                // The lists are those of names that are encoded much earlier, in other parts.
                for (part, ahead) in [(1000, 0), (1000, 7), (77_777, 2)] {
                    let found = joined(names, part, expected, ahead);
                    let lists = |names: &EdgeNames| format!("{names:?}");
                    assert!(lists(&found) == lists(&whole), "{case}, {part} {ahead}");
                }
            }
        }
    }

    #[test]
    fn names_of_few_edges_have_no_codes() {
        for (edges, coded) in [(1000, false), (MANY_EDGES, true)] {
            let (known, mut all) = (NameCodes::default(), EdgeNamesBuilder::default());
            known.expect(edges);
            all.expect(edges);
            let names: Vec<u32> = (0..1000).map(|edge| edge % 7).collect();
            names.chunks(300).for_each(|some| all.append(known.encode(some.into()), &known));
            let found = all.finish();
            assert_eq!(is_coded(&found), coded);
            assert!(found.of(0..1000).eq(names));
        }
    }

    #[test]
    fn names_may_be_more_than_codes() {
        let names: Vec<u32> = (0..350_000).map(|edge| edge % 70_000).collect();
        for (part, ahead) in [(1 << 16, 0), (1000, 7)] {
            let found = joined(&names, part, 1 << 21, ahead);
            assert!(found.of(0..names.len()).eq(names.iter().copied()));
            let Form::Coded(coded) = &found.0 else { panic!("few have no code") };
            assert_eq!(coded.names.len(), NameCodes::MOST);
        }
    }

    #[test]
    fn lists_that_do_not_fit_name_nothing() {
        let damaged =
            Coded { codes: vec![3, OTHER].into(), ranks: vec![9].into(), ..Coded::default() };
        assert!(damaged.fits());
        let names = EdgeNames::of_lists(damaged);
        assert_eq!([0, 1, 2].map(|edge| names.get(edge)), [None; 3]);
        assert_eq!([0, 1].map(|edge| names.at(edge)), [u32::MAX; 2]);
        assert!(std::panic::catch_unwind(|| names.at(2)).is_err());
    }
}
