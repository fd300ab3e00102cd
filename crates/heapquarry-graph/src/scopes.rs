//! The scopes of scripts, as V8 writes them since 2026: which variables each keeps in a context, and which it uses.

use crate::{HashMap, NodeIndex, StringIndex};

/// A scope of a script, in the order of the file: by script, and each before the scopes in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScopeRecord {
    /// The Script node.
    pub script: NodeIndex,
    /// Its number in the script.
    pub id: i32,
    /// Number of scopes around it in the script.
    pub depth: u32,
    /// Number of variables that it keeps in a context: the next ones of all.
    pub variables: u32,
    /// Number of uses in it: the next ones of all.
    pub uses: u32,
}

/// A variable that is used in a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScopeUse {
    /// The scope of the same script that declares the variable, by its number.
    pub declaring_id: i32,
    /// Which of its variables.
    pub slot: u32,
}

/// The scopes of all scripts; empty if the file has none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScopeRecords {
    /// The scopes.
    pub scopes: Vec<ScopeRecord>,
    /// Names of the variables, scope by scope.
    pub variables: Vec<StringIndex>,
    /// The uses, scope by scope.
    pub uses: Vec<ScopeUse>,
}

/// A scope, as it is looked up.
#[derive(Debug, Default)]
pub(crate) struct Scope {
    pub(crate) script: NodeIndex,
    pub(crate) id: i32,
    /// The scope around it.
    pub(crate) parent: Option<usize>,
    pub(crate) variables: Vec<Variable>,
}

#[derive(Debug)]
pub(crate) struct Variable {
    pub(crate) name: StringIndex,
    /// The scopes that use it.
    pub(crate) uses: Vec<usize>,
}

/// The scopes by script and number.
#[derive(Debug, Default)]
pub(crate) struct Scopes {
    pub(crate) all: Vec<Scope>,
    by_id: HashMap<(NodeIndex, i32), usize>,
}

impl Scopes {
    /// DevTools: `parseEmbeddedScopes`.
    pub(crate) fn new(records: &ScopeRecords) -> Self {
        let mut scopes = Scopes::default();
        let mut names = records.variables.iter();
        // The scopes around the next one, from the outermost.
        let mut around: Vec<usize> = Vec::new();
        let mut script = None;
        for (at, record) in records.scopes.iter().enumerate() {
            if script.replace(record.script) != Some(record.script) {
                around.clear();
            }
            around.truncate(record.depth as usize);
            let named = names.by_ref().take(record.variables as usize);
            let variables = named.map(|&name| Variable { name, uses: Vec::new() }).collect();
            let is_nested = record.depth > 0 && around.len() == record.depth as usize;
            let parent = around.last().copied().filter(|_| is_nested);
            around.push(at);
            scopes.all.push(Scope { script: record.script, id: record.id, parent, variables });
            scopes.by_id.insert((record.script, record.id), at);
        }
        let mut uses = records.uses.iter();
        for record in &records.scopes {
            let using = scopes.by_id[&(record.script, record.id)];
            for one in uses.by_ref().take(record.uses as usize) {
                let declaring = scopes.by_id.get(&(record.script, one.declaring_id));
                let variable = declaring.and_then(|&declaring| {
                    scopes.all[declaring].variables.get_mut(one.slot as usize)
                });
                if let Some(variable) = variable.filter(|variable| !variable.uses.contains(&using))
                {
                    variable.uses.push(using);
                }
            }
        }
        scopes
    }

    pub(crate) fn get(&self, script: NodeIndex, id: i32) -> Option<usize> {
        self.by_id.get(&(script, id)).copied()
    }
}
