//! Strings of a snapshot that mean something to the rules.

use crate::{StringIndex, Strings};
use heapquarry_base::threads;

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
    /// `system / Context`, in JavaScriptCore `JSLexicalEnvironment`: the variables of a function.
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
    /// By their numbers.
    const ALL: [Word; 16] = [
        Word::None,
        Word::Table,
        Word::Elements,
        Word::Properties,
        Word::Reactions,
        Word::Previous,
        Word::NativeContext,
        Word::Context,
        Word::ScopeInfo,
        Word::Proto,
        Word::Constructor,
        Word::Scope,
        Word::Engine,
        Word::Bookkeeping,
        Word::Oddball,
        Word::System,
    ];

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
            "JSLexicalEnvironment" | "JSModuleEnvironment" => Word::Scope,
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
#[derive(Clone, Debug)]
pub(crate) struct Words {
    of: Vec<Word>,
}

impl Words {
    pub(crate) fn new(strings: &dyn Strings, threads: usize) -> Self {
        let parts = threads::ranges(strings.len(), threads, |range| strings.all(range, Word::of));
        Words { of: parts.concat() }
    }

    /// The number of each.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = u8> {
        self.of.iter().map(|&word| word as u8)
    }

    /// What [`Self::numbers`] gave; `None` if a number is none of a word.
    pub(crate) fn from_numbers(numbers: &[u8]) -> Option<Self> {
        let word = |&number: &u8| Word::ALL.get(usize::from(number)).copied();
        Some(Words { of: numbers.iter().map(word).collect::<Option<_>>()? })
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
    fn words_are_listed_by_their_numbers() {
        for (number, word) in Word::ALL.into_iter().enumerate() {
            assert_eq!(word as usize, number);
        }
        assert_eq!(Word::ALL.last(), Some(&Word::System));
    }

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
            ("JSLexicalEnvironment", Word::Scope),
            ("JSModuleEnvironment", Word::Scope),
            ("Context", Word::None),
        ] {
            assert_eq!(Word::of(text), word, "{text}");
        }
    }
}
