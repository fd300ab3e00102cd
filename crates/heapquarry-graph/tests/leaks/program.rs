//! Programs as heaps made by hand.

use heapquarry_graph::{EdgeType, Heap, HeapBuilder, Leak, Leaks, NodeIndex};
use std::collections::HashMap;

/// Bytes of each object of a program: steps of less than 1,000 bytes are noise.
pub(crate) const SIZE: u64 = 1000;

/// One snapshot of a program: a function of `app.js` with its variables. What has the same key in two snapshots is the
/// same object.
pub(crate) struct Snapshot<'a> {
    pub(crate) builder: HeapBuilder,
    ids: &'a mut HashMap<String, u64>,
    /// The least id: V8's are odd, JavaScriptCore has addresses.
    first_id: u64,
    /// Nodes of this snapshot by key.
    pub(crate) nodes: HashMap<String, NodeIndex>,
}

/// The script of `app.js`.
pub(crate) const SCRIPT: i32 = 7;

impl<'a> Snapshot<'a> {
    fn empty(ids: &'a mut HashMap<String, u64>) -> Self {
        Snapshot { builder: HeapBuilder::new(), ids, first_id: 1, nodes: HashMap::new() }
    }

    /// One of JavaScriptCore: nothing leads to the variables of the file.
    fn of_jsc(ids: &'a mut HashMap<String, u64>) -> Self {
        let mut s = Snapshot { first_id: 0, ..Snapshot::empty(ids) };
        s.node("root", "synthetic", "<root>", 0);
        s.node("global", "object", "GlobalObject", 32);
        s.node("main", "closure", "main", 32);
        s.node("parameters", "object", "JSLexicalEnvironment", 64);
        s.scope_of_jsc("scope", "parameters");
        s.edge("root", EdgeType::Internal, "", "global");
        s.edge("main", EdgeType::Internal, "", "scope");
        s.edge("scope", EdgeType::Context, "main", "main");
        s
    }

    /// Variables of a function, in another scope.
    pub(crate) fn scope_of_jsc(&mut self, key: &str, outer: &str) {
        let symbols = format!("symbols of {}", key.split(' ').next().unwrap_or(key));
        if !self.nodes.contains_key(&symbols) {
            self.node(&symbols, "hidden", "SymbolTable", 16);
        }
        self.node(key, "object", "JSLexicalEnvironment", 64);
        self.edge(key, EdgeType::Internal, "", &symbols);
        self.edge(key, EdgeType::Internal, "", outer);
    }

    pub(crate) fn new(ids: &'a mut HashMap<String, u64>) -> Self {
        let mut s = Snapshot::empty(ids);
        s.node("root", "synthetic", "", 0);
        s.node("roots", "synthetic", "(GC roots)", 0);
        s.node("main", "closure", "main", 32);
        s.node("scope", "object", "system / Context", 64);
        s.node("info", "code", "system / ScopeInfo", 16);
        s.node("code", "code", "main", 16);
        s.node("script", "code", "/srv/app/app.js", 16);
        s.edge("root", EdgeType::Element, "1", "roots");
        s.edge("roots", EdgeType::Element, "1", "main");
        s.edge("main", EdgeType::Internal, "context", "scope");
        s.edge("main", EdgeType::Internal, "shared", "code");
        s.edge("code", EdgeType::Internal, "script", "script");
        s.edge("scope", EdgeType::Internal, "scope_info", "info");
        s.made("main", 1);
        s
    }

    pub(crate) fn node(&mut self, key: &str, kind: &str, name: &str, size: u64) {
        let node = self.builder.node(kind, name, size);
        let next = self.ids.len() as u64 * 2 + self.first_id;
        self.builder.id(node, *self.ids.entry(key.into()).or_insert(next));
        self.nodes.insert(key.into(), node);
    }

    /// Says at which line an object was made.
    pub(crate) fn made(&mut self, key: &str, line: i32) {
        self.builder.location(self.nodes[key], SCRIPT, line - 1, 4);
    }

    pub(crate) fn edge(&mut self, from: &str, kind: EdgeType, name: &str, to: &str) {
        self.builder.edge(self.nodes[from], kind, name, self.nodes[to]);
    }

    /// A new object in a variable.
    pub(crate) fn variable(&mut self, name: &str, class: &str) {
        self.node(name, "object", class, 32);
        self.edge("scope", EdgeType::Context, name, name);
    }

    /// A new object in a property.
    pub(crate) fn property(&mut self, of: &str, name: &str, key: &str, class: &str, size: u64) {
        self.node(key, "object", class, size);
        self.edge(of, EdgeType::Property, name, key);
    }

    /// A new object of [`SIZE`], made at line 3, in an array.
    pub(crate) fn push(&mut self, array: &str, key: &str, class: &str) {
        self.node(key, "object", class, SIZE);
        self.made(key, 3);
        self.element(array, key);
    }

    pub(crate) fn element(&mut self, array: &str, key: &str) {
        let index = self.nodes[key].to_string();
        self.edge(array, EdgeType::Element, &index, key);
    }

    /// The table of a Map or Set.
    pub(crate) fn table(&mut self, map: &str) -> String {
        let table = format!("{map} table");
        self.node(&table, "array", "(object elements)", 128);
        self.edge(map, EdgeType::Internal, "table", &table);
        table
    }

    /// A new WeakMap with a table of its own, held by nothing yet.
    pub(crate) fn weak_map(&mut self, key: &str) {
        self.node(key, "object", "WeakMap", 32);
        self.table(key);
    }

    /// What a WeakMap has of a key: one edge comes from its table, one from the key.
    pub(crate) fn pair(&mut self, map: &str, key: &str, value: &str) {
        let table = format!("{map} table");
        let id = |key: &str| self.ids[key];
        let pair = format!(
            "3 / part of key (K @{}) -> value (V @{}) pair in WeakMap (table @{})",
            id(key),
            id(value),
            id(&table)
        );
        for holder in [&table, key] {
            self.edge(holder, EdgeType::Internal, &pair, value);
        }
    }

    /// A new entry in a table.
    pub(crate) fn entry(&mut self, table: &str, key: &str, class: &str) {
        self.node(key, "object", class, SIZE);
        self.made(key, 3);
        let index = self.nodes[key].to_string();
        self.edge(table, EdgeType::Internal, &index, key);
    }
}

pub(crate) fn snapshots(rounds: usize, program: impl Fn(usize, &mut Snapshot<'_>)) -> Vec<Heap> {
    let mut ids = HashMap::new();
    (1..=rounds).map(|round| built(round, Snapshot::new(&mut ids), &program)).collect()
}

/// Those of a program in JavaScriptCore.
pub(crate) fn snapshots_of_jsc(
    rounds: usize,
    program: impl Fn(usize, &mut Snapshot<'_>),
) -> Vec<Heap> {
    let mut ids = HashMap::new();
    (1..=rounds).map(|round| built(round, Snapshot::of_jsc(&mut ids), &program)).collect()
}

fn built(
    round: usize,
    mut snapshot: Snapshot<'_>,
    program: impl Fn(usize, &mut Snapshot<'_>),
) -> Heap {
    program(round, &mut snapshot);
    snapshot.builder.build()
}

pub(crate) fn find(heaps: &[Heap], threads: usize) -> Vec<Leak> {
    let mut leaks = Leaks::new();
    let folded = heaps.iter().map(|heap| leaks.add(heap, threads)).last();
    leaks.find(heaps.last().expect("a snapshot"), folded.expect("a snapshot"))
}

pub(crate) fn leaks(rounds: usize, program: impl Fn(usize, &mut Snapshot<'_>)) -> Vec<Leak> {
    find(&snapshots(rounds, program), 1)
}

/// The only finding.
pub(crate) fn only(found: Vec<Leak>) -> Leak {
    assert_eq!(found.len(), 1, "{found:#?}");
    found.into_iter().next().expect("one")
}

/// Given the number of the round, from 1.
pub(crate) type Program = fn(usize, &mut Snapshot<'_>);
