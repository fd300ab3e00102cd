//! Positions in scripts.

use crate::{
    Original,
    package::{Package, runtime, script_file},
};
use std::borrow::Cow;

/// A position in a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourcePlace {
    /// The script's path or URL.
    pub script: String,
    /// Line, from 1.
    pub line: i64,
    /// Column, from 1.
    pub column: i64,
    /// Its kind: a function, or the constructor of a class.
    pub what: String,
    /// The place in the source, if a source map tells.
    pub original: Option<Original>,
    /// Whether the script has a source map. Without an original no source covers the place.
    pub has_map: bool,
}

impl SourcePlace {
    /// The name of the script's file; within a package, the path from the package's name on.
    pub fn file(&self) -> &str {
        script_file(&self.script)
    }

    /// The name of the installed package that it belongs to: `express`, `@scope/name`.
    pub fn package(&self) -> Option<Cow<'_, str>> {
        Package::of(self.source()).installed()
    }

    /// Path or URL of the source, or else of the script.
    pub fn source(&self) -> &str {
        self.original.as_ref().map_or(&self.script, |original| &original.source)
    }

    /// Where it is among the lines that people wrote: line and column of the source, or else of the script.
    pub(crate) fn written(&self) -> (i64, i64) {
        let own = (self.line, self.column);
        self.original.as_ref().map_or(own, |original| (original.line, original.column))
    }

    /// Whether somebody else wrote it: it belongs to an installed package, or its source map lists it as ignored.
    pub(crate) fn is_in_package(&self) -> bool {
        let is_ignored = self.original.as_ref().is_some_and(|original| original.is_ignored);
        is_ignored || self.package().is_some()
    }

    /// `file:line:column`; with a source map that of the source before that of the script.
    pub fn exact(&self) -> String {
        let own = format!("{}:{}:{}", self.file(), self.line, self.column);
        match &self.original {
            Some(original) => format!("{original} [{own}]"),
            None if self.has_map => format!("?: [{own}]"),
            None => own,
        }
    }
}

/// Columns from here on are told with each line: nobody finds a function in a line that long without one.
const LONG_LINE: i64 = 500;

/// `file:line`; with a source map that of the source before the whole place in the script.
impl std::fmt::Display for SourcePlace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.original {
            Some(Original { source, line, .. }) => {
                let file = script_file(source);
                write!(f, "{file}:{line} [{}:{}:{}]", self.file(), self.line, self.column)
            }
            None if self.has_map || self.column > LONG_LINE => f.write_str(&self.exact()),
            None => write!(f, "{}:{}", self.file(), self.line),
        }
    }
}

/// Whether a script is part of the program, not of its runtime.
pub(crate) fn is_own(script: &str) -> bool {
    let foreign = ["internal", "evalmachine.<"];
    !script.is_empty()
        && runtime(script).is_none()
        && !foreign.iter().any(|start| script.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_of_the_runtime_are_not_the_programs() {
        for (script, own) in
            [("/a.js", true), ("node:fs", false), ("internal/a", false), ("", false)]
        {
            assert_eq!(is_own(script), own, "{script}");
        }
    }
}
