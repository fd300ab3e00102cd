//! What a bundle's functions and classes are called in its sources.

use crate::{HashMap, HashSet, NodeIndex, Place, StringIndex, script_file};
use std::borrow::Cow;

/// The original of a function or class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Original {
    /// Its name there, empty if it has none; `None` if that is not known.
    pub name: Option<String>,
    /// Path or URL of the source.
    pub source: String,
    /// Line, from 1.
    pub line: i64,
    /// Column, from 1.
    pub column: i64,
    /// Whether the source map lists the source as one to be ignored: somebody else wrote it.
    pub is_ignored: bool,
}

/// `file:line:column`
impl std::fmt::Display for Original {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:{}", script_file(&self.source), self.line, self.column)
    }
}

impl Original {
    /// The name beside the one that the file has: `Cache [e]`.
    pub fn beside<'a>(&'a self, written: &'a str) -> Cow<'a, str> {
        match self.name.as_deref() {
            None | Some("") => written.into(),
            Some(name) if name == written || written.is_empty() => name.into(),
            Some(name) => format!("{name} [{written}]").into(),
        }
    }
}

/// A variable of a function that is in Contexts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScriptVariable {
    /// Where the function is; `None` if it is the script itself.
    pub function: Option<Place>,
    /// A function that sees the variable.
    pub viewer: Option<Place>,
    /// Its ScopeInfo.
    pub info: NodeIndex,
    /// The name of the variable in the file.
    pub name: StringIndex,
}

/// The originals of places in scripts, from source maps. A heap without source maps has none.
#[derive(Clone, Debug, Default)]
pub struct Originals {
    of: HashMap<Place, Original>,
    scripts: HashSet<i32>,
    /// By the ScopeInfo of the function, and the name in the file.
    variables: HashMap<(NodeIndex, StringIndex), String>,
}

impl Originals {
    /// Adds a script that has a map: its places without an original are covered by no source.
    pub fn add_script(&mut self, script_id: i32) {
        self.scripts.insert(script_id);
    }

    /// Adds the original of a place.
    pub fn add(&mut self, place: Place, original: Original) {
        self.of.insert(place, original);
    }

    /// Adds the original name of a variable.
    pub fn add_variable(&mut self, variable: ScriptVariable, original: String) {
        self.variables.insert((variable.info, variable.name), original);
    }

    /// The original name of a variable: by the ScopeInfo of its Context, and its name in the file.
    pub(crate) fn variable(&self, info: NodeIndex, name: StringIndex) -> Option<&str> {
        self.variables.get(&(info, name)).map(String::as_str)
    }

    /// Whether some variables have one.
    pub(crate) fn has_variables(&self) -> bool {
        !self.variables.is_empty()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.scripts.is_empty()
    }

    /// The original of a place.
    pub fn get(&self, place: Place) -> Option<&Original> {
        self.of.get(&place)
    }

    /// The sources that maps list as ones to be ignored.
    pub(crate) fn ignored(&self) -> HashSet<String> {
        let ignored = self.of.values().filter(|original| original.is_ignored);
        ignored.map(|original| original.source.clone()).collect()
    }

    /// Whether the script has a map.
    pub fn has_script(&self, script_id: i32) -> bool {
        self.scripts.contains(&script_id)
    }
}
