//! Strings of a snapshot that mean something to the rules.

use crate::{StringIndex, Strings, parallel};

/// What a string means as the name of a node or an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Word {
    None,
    /// Edges.
    Table,
    Elements,
    Properties,
    Reactions,
    Previous,
    NativeContext,
    Context,
    ScopeInfo,
    Proto,
    Constructor,
    /// `system / Context`: the variables of a function.
    Scope,
    /// What belongs to the engine and says nothing about the program: maps, accessors, templates.
    Engine,
    /// Lists that the engine keeps for itself, of scripts, of shapes that depend on each other: they grow with code.
    Bookkeeping,
    /// `null`, `undefined`, `true`, `false`, and a hole: they are there once, whatever refers to them.
    Oddball,
    /// Any other `system / …`.
    System,
}

const ENGINE: [&str; 5] =
    ["AccessorPair", "AccessorInfo", "ClassPositions", "Map", "NativeContext"];

impl Word {
    fn of(text: &str) -> Self {
        match text {
            "table" => Word::Table,
            "elements" => Word::Elements,
            "properties" => Word::Properties,
            "reactions_or_result" => Word::Reactions,
            "previous" => Word::Previous,
            "native_context" => Word::NativeContext,
            "context" => Word::Context,
            "scope_info" => Word::ScopeInfo,
            "__proto__" => Word::Proto,
            "constructor" => Word::Constructor,
            _ => text.strip_prefix("system / ").map_or(Word::None, Word::of_system),
        }
    }

    /// Since 2025 V8 writes what an object of its own is for: `system / Context / scope @41`.
    fn of_system(rest: &str) -> Self {
        let name = rest.split(" /").next().unwrap_or(rest);
        match name {
            "Context" => Word::Scope,
            "ArrayList" | "WeakArrayList" => Word::Bookkeeping,
            "Oddball" | "Hole" => Word::Oddball,
            name if ENGINE.contains(&name) || name.contains("Template") => Word::Engine,
            _ => Word::System,
        }
    }
}

/// The meaning of each string.
pub(crate) struct Words {
    of: Vec<Word>,
}

impl Words {
    pub(crate) fn new(strings: &dyn Strings, threads: usize) -> Self {
        let parts = parallel::ranges(strings.len(), threads, |range| strings.all(range, Word::of));
        Words { of: parts.concat() }
    }

    #[inline]
    pub(super) fn get(&self, string: StringIndex) -> Word {
        self.of.get(string.position()).copied().unwrap_or(Word::None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_engine_are_known_with_and_without_what_follows() {
        for (text, word) in [
            ("table", Word::Table),
            ("tables", Word::None),
            ("elements", Word::Elements),
            ("properties", Word::Properties),
            ("reactions_or_result", Word::Reactions),
            ("previous", Word::Previous),
            ("native_context", Word::NativeContext),
            ("context", Word::Context),
            ("scope_info", Word::ScopeInfo),
            ("__proto__", Word::Proto),
            ("constructor", Word::Constructor),
            ("system / Context", Word::Scope),
            ("system / Context / scope @41", Word::Scope),
            ("system / ContextCell", Word::System),
            ("system / NativeContext", Word::Engine),
            ("system / NativeContext / file:///a.html", Word::Engine),
            ("system / FunctionTemplateInfo", Word::Engine),
            ("system / Map", Word::Engine),
            ("system / WeakArrayList", Word::Bookkeeping),
            ("system / Oddball", Word::Oddball),
            ("system / Script / file:///app.js", Word::System),
            ("Context", Word::None),
        ] {
            assert_eq!(Word::of(text), word, "{text}");
        }
    }
}
