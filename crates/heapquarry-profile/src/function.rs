//! Functions of profiles, and their numbers.

use crate::HashMap;
use std::hash::Hash;

/// A function, or an entry of the engine such as `(idle)` or `(garbage collector)`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Function {
    /// Empty for an anonymous one.
    pub name: Box<str>,
    /// Empty if it has no script.
    pub url: Box<str>,
    /// From 1, if known.
    pub line: Option<i32>,
    /// From 1, if known.
    pub column: Option<i32>,
}

impl Function {
    /// Its name, or `(anonymous)`.
    pub fn name(&self) -> &str {
        if self.name.is_empty() { "(anonymous)" } else { &self.name }
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

/// Numbers of functions. Rows are compared by the keys of their texts, so texts are only looked at when
/// their keys are met first.
#[derive(Debug)]
pub struct Functions<K> {
    by_keys: HashMap<K, u32>,
    by_texts: HashMap<Function, u32>,
    all: Vec<Function>,
}

impl<K: Eq + Hash> Functions<K> {
    /// None yet.
    pub fn new() -> Self {
        Functions { by_keys: HashMap::default(), by_texts: HashMap::default(), all: Vec::new() }
    }

    /// The number of the function with these keys; `function` tells its texts.
    pub fn number(&mut self, keys: K, function: impl FnOnce() -> Function) -> u32 {
        let Functions { by_keys, by_texts, all } = self;
        *by_keys.entry(keys).or_insert_with(|| {
            *by_texts.entry(function()).or_insert_with_key(|function| {
                all.push(function.clone());
                all.len() as u32 - 1
            })
        })
    }

    /// The distinct functions, by their numbers.
    pub fn into_all(self) -> Vec<Function> {
        self.all
    }
}

impl<K: Eq + Hash> Default for Functions<K> {
    fn default() -> Self {
        Functions::new()
    }
}
