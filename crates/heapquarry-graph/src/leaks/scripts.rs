//! Which script and function something comes from.

use super::{classes::internal, last::Last, words::Word};
use crate::{HashMap, Heap, Place};

/// A place in a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourcePlace {
    /// The script's path or URL.
    pub script: String,
    /// Line, from 1.
    pub line: i64,
    /// Column, from 1.
    pub column: i64,
    /// What is there: a function, or the constructor of a class.
    pub what: String,
}

impl SourcePlace {
    /// The name of the script's file; within a package with the path from its name on.
    pub fn file(&self) -> &str {
        file(&self.script)
    }
}

/// `file:line`
impl std::fmt::Display for SourcePlace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.file(), self.line)
    }
}

/// What a script is called in short: of `…/node_modules/express/lib/router/index.js` all from `express` on, as there are
/// many of one name, else the last part of the path.
pub(super) fn file(script: &str) -> &str {
    if script.starts_with("node:") {
        return script;
    }
    let packages = ["/node_modules/", "\\node_modules\\"];
    for packages in packages {
        if let Some((_, path)) = script.rsplit_once(packages) {
            return path;
        }
    }
    script.rsplit(['/', '\\']).next().unwrap_or(script)
}

/// The scripts of a heap by their numbers, as far as one of their functions is there.
pub(super) struct Scripts<'a> {
    names: HashMap<i32, &'a str>,
}

impl<'a> Scripts<'a> {
    pub(super) fn new(last: &Last<'a>) -> Self {
        let mut names = HashMap::default();
        for node in last.visible().filter(|&node| last.kinds.is_function(node)) {
            if let Some(Place { script_id, .. }) = last.heap.place(node)
                && !names.contains_key(&script_id)
                && let Some(name) = script_of(last, node)
            {
                names.insert(script_id, name);
            }
        }
        Scripts { names }
    }

    /// Where the function is written, or the constructor of the object.
    pub(super) fn place(&self, last: &Last<'_>, node: u32) -> Option<SourcePlace> {
        let Place { script_id, line, column } = last.heap.place(node)?;
        let script = (*self.names.get(&script_id)?).to_owned();
        let (line, column) = (i64::from(line) + 1, i64::from(column) + 1);
        Some(SourcePlace { script, line, column, what: last.class_name(node) })
    }

    /// The same, if it is in a script of the program.
    pub(super) fn own_place(&self, last: &Last<'_>, node: u32) -> Option<SourcePlace> {
        self.is_own(last, node).then(|| self.place(last, node)).flatten()
    }

    pub(super) fn is_own(&self, last: &Last<'_>, node: u32) -> bool {
        let script = last.heap.place(node).and_then(|place| self.names.get(&place.script_id));
        script.is_some_and(|script| is_own(script))
    }
}

/// Whether a script is part of the program, not of its runtime.
fn is_own(script: &str) -> bool {
    let foreign = ["node:", "internal", "extensions::", "evalmachine.<"];
    !script.is_empty() && !foreign.iter().any(|start| script.starts_with(start))
}

/// The name of the script of a function.
fn script_of<'a>(last: &Last<'a>, function: u32) -> Option<&'a str> {
    let heap: &'a Heap = last.heap;
    let shared = internal(heap, last.words, function, Word::Shared)?;
    let script = internal(heap, last.words, shared, Word::Script)?;
    let name = heap.node_name(script);
    let name = name.strip_prefix("system / Script / ").unwrap_or(name);
    (!name.is_empty() && !name.starts_with("system / ")).then_some(name)
}

/// The functions that see the variables of each of some scopes: those that are right in it, else those one scope
/// further in. In file order.
pub(super) fn functions_of(last: &Last<'_>, scopes: &[u32]) -> HashMap<u32, Vec<u32>> {
    let mut direct: HashMap<u32, Vec<u32>> = HashMap::default();
    let mut nested: HashMap<u32, Vec<u32>> = HashMap::default();
    if scopes.is_empty() {
        return direct;
    }
    for node in last.visible().filter(|&node| last.kinds.is_function(node)) {
        let Some(scope) = internal(last.heap, last.words, node, Word::Context) else { continue };
        if scopes.contains(&scope) {
            direct.entry(scope).or_default().push(node);
        }
        if last.kinds.is_scope(scope)
            && let Some(outer) = internal(last.heap, last.words, scope, Word::Previous)
            && scopes.contains(&outer)
        {
            nested.entry(outer).or_default().push(node);
        }
    }
    for (scope, functions) in nested {
        direct.entry(scope).or_default().extend(functions);
    }
    direct
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_told_apart_by_their_packages() {
        for (script, name) in [
            ("/home/me/app.js", "app.js"),
            ("file:///srv/app.mjs", "app.mjs"),
            ("app.js", "app.js"),
            ("node:events", "node:events"),
            ("node:internal/timers", "node:internal/timers"),
            ("/srv/node_modules/a/node_modules/express/lib/index.js", "express/lib/index.js"),
            (r"C:\app\src\main.js", "main.js"),
        ] {
            assert_eq!(file(script), name);
        }
    }

    #[test]
    fn scripts_of_the_runtime_are_not_the_programs() {
        for (script, own) in
            [("/a.js", true), ("node:fs", false), ("internal/a", false), ("", false)]
        {
            assert_eq!(is_own(script), own, "{script}");
        }
    }
}
