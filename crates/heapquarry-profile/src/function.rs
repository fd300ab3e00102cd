//! Functions of profiles, and their numbers.

use crate::{HashMap, HashSet};
use foldhash::fast::RandomState;
use hashbrown::HashTable;
use std::{
    borrow::Cow,
    hash::{BuildHasher, Hash},
    sync::Arc,
};

/// Stands for the script of functions in bytecode of Hermes, which does not say where it came from. Their line is the
/// first one, and their column is their address in the bytecode.
pub const BYTECODE: &str = "(bytecode)";

/// A function, or an entry of the engine such as `(idle)` or `(garbage collector)`. Functions share their texts: a
/// thousand of one script have its address in memory once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Function {
    /// Empty for an anonymous one.
    pub name: Arc<str>,
    /// Empty if it has no script.
    pub url: Arc<str>,
    /// From 1, if known.
    pub line: Option<i32>,
    /// From 1, if known.
    pub column: Option<i32>,
    /// What a source map tells of it.
    pub original: Option<Box<Original>>,
}

/// A function in its source.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Original {
    /// Its name there, empty if it has none; `None` if that is not known.
    pub name: Option<Arc<str>>,
    /// Path or URL of the source.
    pub source: Arc<str>,
    /// From 1.
    pub line: i32,
    /// From 1.
    pub column: i32,
    /// Whether the source map lists the source as one to be ignored: somebody else wrote it.
    pub is_ignored: bool,
}

impl Function {
    /// Its name, or `(anonymous)`.
    pub fn name(&self) -> &str {
        if self.name.is_empty() { "(anonymous)" } else { &self.name }
    }

    /// Its name, with the one that the file has in brackets, if its source has another: `put [I]`.
    pub fn called(&self) -> Cow<'_, str> {
        match self.original.as_ref().and_then(|original| original.name.as_deref()) {
            None | Some("") => self.name().into(),
            Some(name) if name == &*self.name || self.name.is_empty() => name.into(),
            Some(name) => format!("{name} [{}]", self.name).into(),
        }
    }

    /// Path or URL of its source, or else of its script; empty if it has none.
    pub fn source(&self) -> &str {
        self.original.as_ref().map_or(&self.url, |original| &original.source)
    }

    /// Its line there, or else in its script; from 1, if known.
    pub fn source_line(&self) -> Option<i32> {
        self.original.as_ref().map(|original| original.line).or(self.line)
    }

    /// The function under the name and at the place that its source has.
    #[must_use]
    pub fn in_source(self) -> Self {
        let Some(original) = self.original else { return self };
        let Original { name, source, line, column, .. } = *original;
        Function {
            name: name.unwrap_or(self.name),
            url: source,
            line: Some(line),
            column: Some(column),
            original: None,
        }
    }

    /// Whether it is the engine's entry of that name. Pyroscope's package for Node writes `:(idle):0`: script, name and
    /// line.
    fn is(&self, name: &str) -> bool {
        let of_pyroscope = self.name.strip_prefix(':').and_then(|rest| rest.strip_suffix(":0"));
        of_pyroscope.unwrap_or(&self.name) == name && self.url.is_empty()
    }

    /// The root, which calls all others.
    pub fn is_root(&self) -> bool {
        self.is("(root)")
    }

    /// Time in which nothing ran.
    pub fn is_idle(&self) -> bool {
        self.is("(idle)")
    }

    /// Whether it collects garbage, with all that it calls. The second name is that of pprof-nodejs; Go collects in
    /// functions of its runtime.
    pub fn is_gc(&self) -> bool {
        const OF_GO: [&str; 4] = [
            "runtime.gcBgMarkWorker",
            "runtime.gcAssistAlloc",
            "runtime.bgsweep",
            "runtime.bgscavenge",
        ];
        self.is("(garbage collector)")
            || self.is("Garbage Collection")
            || OF_GO.contains(&&*self.name)
    }
}

/// Memory that functions take, in bytes. A text that several share counts once.
pub fn memory(functions: &[Function]) -> u64 {
    let mut known = HashSet::default();
    let mut text = |text: &Arc<str>| if known.insert(text.as_ptr()) { text.len() } else { 0 };
    let of = |function: &Function| {
        let original = function.original.as_ref().map_or(0, |original| {
            let name = original.name.as_ref().map_or(0, &mut text);
            size_of::<Original>() + name + text(&original.source)
        });
        (size_of::<Function>() + text(&function.name) + text(&function.url) + original) as u64
    };
    functions.iter().map(of).sum()
}

/// Distinct functions, each stored once.
#[derive(Debug, Default)]
pub struct Distinct {
    all: Vec<Function>,
    numbers: HashTable<u32>,
    hasher: RandomState,
}

impl Distinct {
    /// The number of a function, in the order in which they are met.
    pub fn number(&mut self, function: Function) -> u32 {
        let Distinct { all, numbers, hasher } = self;
        let hash = hasher.hash_one(&function);
        if let Some(&number) = numbers.find(hash, |&number| all[number as usize] == function) {
            return number;
        }
        let number = all.len() as u32;
        numbers.insert_unique(hash, number, |&number| hasher.hash_one(&all[number as usize]));
        all.push(function);
        number
    }

    /// The functions, by their numbers.
    pub fn into_all(self) -> Vec<Function> {
        self.all
    }
}

/// Functions of some rows, by the keys of their texts: texts are only looked at when their keys are met first. Those
/// that differ in their keys alone are several, which [`Distinct`] makes one.
#[derive(Debug)]
pub struct Functions<K> {
    numbers: HashMap<K, u32>,
    all: Vec<Function>,
}

impl<K: Eq + Hash> Functions<K> {
    /// None yet.
    pub fn new() -> Self {
        Functions { numbers: HashMap::default(), all: Vec::new() }
    }

    /// The number of the function with these keys; `function` tells its texts.
    pub fn number(&mut self, keys: K, function: impl FnOnce() -> Function) -> u32 {
        let Functions { numbers, all } = self;
        *numbers.entry(keys).or_insert_with(|| {
            all.push(function());
            all.len() as u32 - 1
        })
    }

    /// The functions, by their numbers.
    pub fn into_all(self) -> Vec<Function> {
        self.all
    }
}

impl<K: Eq + Hash> Default for Functions<K> {
    fn default() -> Self {
        Functions::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_functions_share_counts_once() {
        let name: Arc<str> = "x".repeat(1000).into();
        let of = |name: &Arc<str>, line| Function {
            name: name.clone(),
            line: Some(line),
            ..Function::default()
        };
        let itself = size_of::<Function>() as u64;
        let shared: Vec<Function> = (0..50).map(|line| of(&name, line)).collect();
        assert_eq!(memory(&shared), 50 * itself + 1000);
        let own: Vec<Function> = (0..50).map(|line| of(&(&*name).into(), line)).collect();
        assert_eq!(memory(&own), 50 * itself + 50_000);
        let source = Original {
            name: Some(name.clone()),
            source: name.clone(),
            line: 1,
            column: 1,
            is_ignored: false,
        };
        let named = Function { original: Some(source.into()), ..of(&name, 1) };
        assert_eq!(memory(&[named]), itself + size_of::<Original>() as u64 + 1000);
    }
}
