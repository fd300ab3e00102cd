//! Captured variables that no function can read any more, and what they keep alive. DevTools: `ContextAnalyzer.ts`.
//!
//! A context holds the variables that the functions of a call capture, as long as one of them lives: also variables
//! that only those read that are gone. Since 2026 V8 writes which scope uses which variable. A variable is read if a
//! live function whose scopes lead to its context uses it, or has a function in it that does. Without these sections
//! only contexts that nothing leads to are known to be unread.

use crate::{
    EdgeType, HashMap, HashSet, Heap, NodeIndex, NodeType, StringIndex,
    heap::internal,
    known::Role,
    scopes::{Scopes, Variable},
};

/// Maximum number of scopes, or contexts, around another that are followed: no program nests as deep.
const DEEPEST: usize = 1 << 16;
/// The number of the outermost scope of a script, module or `eval`.
const OUTERMOST: i64 = -2;

/// How it is known that a variable is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unread {
    /// By the scopes in the file.
    ByScopes,
    /// Nothing that can run refers to its context.
    ByClosures,
}

/// A variable that no function can read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CapturedVariable {
    /// The context that holds it.
    pub context: NodeIndex,
    /// Its name.
    pub name: StringIndex,
    /// Its value.
    pub value: NodeIndex,
    /// The ScopeInfo of its scope, if there is one.
    pub scope_info: Option<NodeIndex>,
    /// The Script node, if it is known.
    pub script: Option<NodeIndex>,
    /// How it is known.
    pub unread: Unread,
}

/// The captured variables that no function can read, by context in file order. The heap must have all its edges and
/// names. Uses up to that many threads.
pub fn captured_variables(heap: &Heap, threads: usize) -> Vec<CapturedVariable> {
    let scopes = Scopes::new(&heap.scopes);
    match scopes.all.is_empty() {
        true => by_closures(heap, threads),
        false => by_scopes(heap, &scopes),
    }
}

/// The edges of a context that hold variables.
fn variables(heap: &Heap, context: NodeIndex) -> impl Iterator<Item = usize> + '_ {
    let edges = heap.edges();
    edges.of(context).filter(|&edge| edges.kind(edge) == EdgeType::Context)
}

fn contexts(heap: &Heap) -> impl Iterator<Item = NodeIndex> + '_ {
    heap.nodes().all().filter(|&node| heap.role(node) == Role::Scope)
}

/// A context and those around it.
fn chain(heap: &Heap, context: NodeIndex) -> impl Iterator<Item = NodeIndex> + '_ {
    let is_context = |node: &NodeIndex| heap.role(*node) == Role::Scope;
    let outer =
        move |context: &NodeIndex| internal(heap, *context, Role::Previous).filter(is_context);
    std::iter::successors(Some(context).filter(is_context), outer).take(DEEPEST)
}

/// Contexts that no function, generator or module has, nor any context that one of them has.
fn by_closures(heap: &Heap, threads: usize) -> Vec<CapturedVariable> {
    let held = heap.by_nodes(threads, |range| {
        let others = NodeIndex::each(range).filter(|&node| heap.role(node) != Role::Scope);
        let mut held: Vec<_> =
            others.filter_map(|node| internal(heap, node, Role::ContextEdge)).collect();
        // Most functions of a module have the same.
        held.dedup();
        held
    });
    let mut live = heap.no_nodes();
    for context in held.into_iter().flatten() {
        for context in chain(heap, context) {
            if live.get(context) {
                break;
            }
            live.set(context);
        }
    }
    let unread = contexts(heap).filter(|&context| !live.get(context));
    let rows = unread.flat_map(|context| {
        let scope_info = internal(heap, context, Role::ScopeInfo);
        variables(heap, context).filter_map(move |edge| {
            Some(CapturedVariable {
                context,
                name: heap.edge_string(edge)?,
                value: heap.edges().target(edge),
                scope_info,
                script: None,
                unread: Unread::ByClosures,
            })
        })
    });
    rows.collect()
}

/// The live functions of a script's scope: all contexts that their closures lead to.
type LiveFunctions = HashMap<(NodeIndex, i32), HashSet<NodeIndex>>;

fn by_scopes(heap: &Heap, scopes: &Scopes) -> Vec<CapturedVariable> {
    let scripts = scripts_of_scope_infos(heap);
    let live = live_functions(heap);
    // What the first context of each ScopeInfo tells of all of them.
    let mut known: HashMap<NodeIndex, Option<Known>> = HashMap::default();
    let mut found = Vec::new();
    for context in contexts(heap) {
        let Some(scope_info) = internal(heap, context, Role::ScopeInfo) else { continue };
        let known = known
            .entry(scope_info)
            .or_insert_with(|| Known::new(heap, scopes, &scripts, scope_info, context));
        let Some(Known { scope, names }) = known else { continue };
        let scope = &scopes.all[*scope];
        for (edge, &name) in variables(heap, context).zip(names.iter()) {
            let text = |name| heap.strings().get(name);
            let is_it = |variable: &&Variable| text(variable.name) == text(name);
            let Some(variable) = scope.variables.iter().find(is_it) else { continue };
            if !is_used(scopes, &live, scope.script, context, variable) {
                found.push(CapturedVariable {
                    context,
                    name,
                    value: heap.edges().target(edge),
                    scope_info: Some(scope_info),
                    script: Some(scope.script),
                    unread: Unread::ByScopes,
                });
            }
        }
    }
    found
}

/// The scope of a ScopeInfo, and the names of its contexts' variables.
struct Known {
    scope: usize,
    names: Vec<StringIndex>,
}

impl Known {
    fn new(
        heap: &Heap,
        scopes: &Scopes,
        scripts: &Attributed<'_>,
        scope_info: NodeIndex,
        context: NodeIndex,
    ) -> Option<Self> {
        let id = scope_id(heap, scope_info)?;
        let script = scripts.resolve(scope_info)?;
        let scope = scopes.get(script, i32::try_from(id).ok()?)?;
        let names = variables(heap, context).map(|edge| heap.edges().string(edge)).collect();
        Some(Known { scope, names })
    }
}

/// Whether a live function that leads to the context uses the variable, or may make one that does. DevTools:
/// `isVariableUsedInContext`.
fn is_used(
    scopes: &Scopes,
    live: &LiveFunctions,
    script: NodeIndex,
    context: NodeIndex,
    variable: &Variable,
) -> bool {
    variable.uses.iter().any(|&using| {
        let up = |&at: &usize| scopes.all[at].parent;
        std::iter::successors(Some(using), up).any(|at| {
            let functions = live.get(&(script, scopes.all[at].id));
            functions.is_some_and(|contexts| contexts.contains(&context))
        })
    })
}

/// DevTools: `buildLiveFunctions`.
fn live_functions(heap: &Heap) -> LiveFunctions {
    let mut live = LiveFunctions::default();
    let is_closure = |node: &NodeIndex| heap.nodes().kind(*node) == NodeType::Closure;
    for closure in heap.nodes().all().filter(is_closure) {
        let place = || {
            let shared = internal(heap, closure, Role::Shared)?;
            let context = internal(heap, closure, Role::ContextEdge)?;
            let script = internal(heap, shared, Role::Script)?;
            let id = i32::try_from(scope_id(heap, shared)?).ok()?;
            Some((script, id, context))
        };
        let Some((script, id, context)) = place() else { continue };
        let contexts = live.entry((script, id)).or_default();
        for context in chain(heap, context) {
            if !contexts.insert(context) {
                break;
            }
        }
    }
    live
}

/// The number of a ScopeInfo or SharedFunctionInfo in its script.
fn scope_id(heap: &Heap, node: NodeIndex) -> Option<i64> {
    let number = internal(heap, node, Role::ScopeId)?;
    let is_number = heap.nodes().type_name(number) == "number" && heap.node_name(number) == "int";
    let value = internal(heap, number, Role::Value).filter(|_| is_number)?;
    crate::heap::leading_integer(heap.node_name(value))
}

/// The script of each ScopeInfo.
struct Attributed<'a> {
    heap: &'a Heap,
    scripts: HashMap<NodeIndex, NodeIndex>,
}

/// DevTools: `processScriptScopeInfos`.
fn scripts_of_scope_infos(heap: &Heap) -> Attributed<'_> {
    let mut attributed = Attributed { heap, scripts: HashMap::default() };
    let is_script = |node: &NodeIndex| heap.node_name(*node).starts_with("system / Script");
    let edges = heap.edges();
    for script in heap.nodes().all().filter(is_script) {
        let Some(infos) = internal(heap, script, Role::Infos) else { continue };
        // The scope around the `eval` that made the script belongs to the script that called it.
        let end = internal(heap, script, Role::EvalFrom).filter(|&node| is_scope_info(heap, node));
        for edge in edges.of(infos).filter(|&edge| edges.kind(edge) != EdgeType::Missing) {
            let info = edges.target(edge);
            let scope_info = match heap.node_name(info) {
                "system / ScopeInfo" => Some(info),
                name if name.starts_with("system / SharedFunctionInfo") => around(heap, info),
                _ => None,
            };
            if let Some(scope_info) = scope_info {
                attributed.attribute(scope_info, script, end);
            }
        }
    }
    attributed
}

fn is_scope_info(heap: &Heap, node: NodeIndex) -> bool {
    heap.node_name(node) == "system / ScopeInfo"
}

/// The ScopeInfo of a function; of one that is not compiled, that around it.
fn around(heap: &Heap, shared: NodeIndex) -> Option<NodeIndex> {
    let own = internal(heap, shared, Role::OwnScopeInfo).filter(|&node| is_scope_info(heap, node));
    own.or_else(|| {
        scope_id(heap, shared).filter(|&id| id != OUTERMOST)?;
        internal(heap, shared, Role::OuterScopeInfo).filter(|&node| is_scope_info(heap, node))
    })
}

impl Attributed<'_> {
    /// A ScopeInfo and those around it, up to the outermost one of the script.
    fn attribute(&mut self, scope_info: NodeIndex, script: NodeIndex, end: Option<NodeIndex>) {
        let mut at = Some(scope_info);
        while let Some(node) = at
            && Some(node) != end
            && !self.scripts.contains_key(&node)
        {
            self.scripts.insert(node, script);
            at = self.outer(node);
        }
    }

    /// The ScopeInfo around one, in the same script.
    fn outer(&self, scope_info: NodeIndex) -> Option<NodeIndex> {
        let is_outermost = scope_id(self.heap, scope_info) == Some(OUTERMOST);
        internal(self.heap, scope_info, Role::OuterScope).filter(|_| !is_outermost)
    }

    /// DevTools: `resolveScopeInfoScriptNodeIndex`.
    fn resolve(&self, scope_info: NodeIndex) -> Option<NodeIndex> {
        let outer = |node: &NodeIndex| self.outer(*node);
        let mut around = std::iter::successors(Some(scope_info), outer).take(DEEPEST);
        around.find_map(|node| self.scripts.get(&node).copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::HeapBuilder;
    use EdgeType::*;

    /// A script with a function `outer` that keeps `read`, `unread` and `nested`. One context of it, which a live
    /// closure of a function in it has; that function makes another one, of which none is alive, that reads `nested`.
    fn heap(has_scopes: bool, has_closure: bool) -> (Heap, NodeIndex) {
        let mut builder = HeapBuilder::new();
        let root = builder.node("synthetic", "", 0);
        let script = builder.node("code", "system / Script / /app.js", 8);
        let infos = builder.node("array", "", 8);
        let scope_info = builder.node("code", "system / ScopeInfo", 8);
        let outermost = builder.node("code", "system / ScopeInfo", 8);
        let shared = builder.node("code", "system / SharedFunctionInfo / inner", 8);
        let context = builder.node("object", "system / Context", 40);
        let native = builder.node("hidden", "system / NativeContext", 40);
        let mut internal = |from, name: &str, to| builder.edge(from, Internal, name, to);
        internal(root, "script", script);
        internal(root, "context", native);
        internal(root, "held", context);
        internal(script, "infos", infos);
        internal(infos, "1", shared);
        internal(shared, "script", script);
        internal(shared, "name_or_scope_info", scope_info);
        internal(scope_info, "outer_scope_info", outermost);
        internal(context, "scope_info", scope_info);
        internal(context, "previous", native);
        for (of, id) in [(scope_info, "10"), (outermost, "-2"), (shared, "20")] {
            let number = builder.node("number", "int", 0);
            let value = builder.node("string", id, 0);
            builder.edge(of, Internal, "scope_id", number);
            builder.edge(number, Internal, "value", value);
        }
        for name in ["read", "unread", "nested", "unknown"] {
            let value = builder.node("object", "Kept", 100);
            builder.edge(context, Context, name, value);
        }
        if has_closure {
            let closure = builder.node("closure", "inner", 32);
            builder.edge(root, Property, "inner", closure);
            builder.edge(closure, Internal, "shared", shared);
            builder.edge(closure, Internal, "context", context);
        }
        if has_scopes {
            builder.scope(script, -2, 0, &[], &[]);
            builder.scope(script, 10, 1, &["read", "unread", "nested"], &[(10, 1)]);
            builder.scope(script, 20, 2, &[], &[(10, 0)]);
            builder.scope(script, 30, 3, &[], &[(10, 2), (99, 0), (10, 9)]);
        }
        (builder.build(), context)
    }

    #[test]
    fn variables_are_unread_by_scopes_or_by_closures() {
        for (has_scopes, has_closure, expected) in [
            // `outer` itself reads `unread`, but no closure of it is alive.
            (true, true, &["unread"][..]),
            (true, false, &["read", "unread", "nested"]),
            (false, true, &[]),
            (false, false, &["read", "unread", "nested", "unknown"]),
        ] {
            let (heap, context) = heap(has_scopes, has_closure);
            let found = captured_variables(&heap, 2);
            let names: Vec<_> = found.iter().map(|v| heap.strings().get(v.name)).collect();
            assert_eq!(names, expected, "{has_scopes} {has_closure}");
            let unread = if has_scopes { Unread::ByScopes } else { Unread::ByClosures };
            assert!(found.iter().all(|v| v.context == context && v.unread == unread));
            assert!(found.iter().all(|v| heap.nodes().self_size(v.value) == 100));
        }
    }

    /// Whether the variable of a script's scope is found. The script has a scope of number 10, whose only context holds
    /// `kept`. `build` leads from the script's list of functions to the ScopeInfo of that scope, if anything does. It
    /// also gets another script, which comes first in the file, and its list.
    fn is_found(build: impl Fn(&mut Builder, [NodeIndex; 3], NodeIndex)) -> bool {
        let mut builder = Builder(HeapBuilder::new());
        let root = builder.0.node("synthetic", "", 0);
        let eval = builder.0.node("code", "system / Script / eval", 8);
        let evaluated = builder.0.node("array", "", 8);
        builder.internal(eval, "infos", evaluated);
        let context = builder.0.node("object", "system / Context", 40);
        let kept = builder.0.node("object", "Kept", 100);
        let script = builder.0.node("code", "system / Script / /app.js", 8);
        let infos = builder.0.node("array", "", 8);
        let scope_info = builder.numbered("system / ScopeInfo", "10");
        builder.internal(root, "held", context);
        builder.internal(script, "infos", infos);
        builder.internal(context, "scope_info", scope_info);
        builder.0.edge(context, Context, "kept", kept);
        build(&mut builder, [infos, eval, evaluated], scope_info);
        builder.0.scope(script, -2, 0, &[], &[]);
        builder.0.scope(script, 5, 1, &["other"], &[]);
        builder.0.scope(script, 10, 2, &["kept"], &[]);
        let found = captured_variables(&builder.0.build(), 1);
        assert!(found.iter().all(|variable| variable.script == Some(script)));
        found.len() == 1
    }

    struct Builder(HeapBuilder);

    impl Builder {
        fn internal(&mut self, from: NodeIndex, name: &str, to: NodeIndex) {
            self.0.edge(from, Internal, name, to);
        }

        /// A node with the number of its scope.
        fn numbered(&mut self, name: &str, id: &str) -> NodeIndex {
            let node = self.0.node("code", name, 8);
            self.number(node, "number", "int", id);
            node
        }

        fn number(&mut self, of: NodeIndex, kind: &str, name: &str, id: &str) {
            let number = self.0.node(kind, name, 0);
            let value = self.0.node("string", id, 0);
            self.internal(of, "scope_id", number);
            self.internal(number, "value", value);
        }
    }

    #[test]
    fn scopes_belong_to_the_script_that_leads_to_them() {
        type Case<'a> = (&'a str, bool, &'a dyn Fn(&mut Builder, [NodeIndex; 3], NodeIndex));
        const SHARED: &str = "system / SharedFunctionInfo / f";
        const INFO: &str = "system / ScopeInfo";
        const AROUND: &str = "raw_outer_scope_info_or_feedback_metadata";
        let cases: [Case<'_>; 10] = [
            ("directly", true, &|b, [infos, ..], info| b.internal(infos, "1", info)),
            ("by no other node", false, &|b, [infos, ..], info| {
                let other = b.numbered("system / Other", "20");
                b.internal(infos, "1", other);
                b.internal(other, "name_or_scope_info", info);
            }),
            ("by a function", true, &|b, [infos, ..], info| {
                let (shared, own) = (b.numbered(SHARED, "20"), b.numbered(INFO, "20"));
                b.internal(infos, "1", shared);
                b.internal(shared, "name_or_scope_info", own);
                b.internal(own, "outer_scope_info", info);
            }),
            ("by the name of a function, which is none", false, &|b, [infos, ..], info| {
                let (shared, name) = (b.numbered(SHARED, "20"), b.0.node("string", "f", 8));
                b.internal(infos, "1", shared);
                b.internal(shared, "name_or_scope_info", name);
                b.internal(name, "outer_scope_info", info);
            }),
            ("by a function that is not compiled", true, &|b, [infos, ..], info| {
                let shared = b.numbered(SHARED, "20");
                b.internal(infos, "1", shared);
                b.internal(shared, AROUND, info);
            }),
            ("by what is around all of the script", false, &|b, [infos, ..], info| {
                let shared = b.numbered(SHARED, "-2");
                b.internal(infos, "1", shared);
                b.internal(shared, AROUND, info);
            }),
            ("by what is around the outermost scope", false, &|b, [infos, ..], info| {
                let outermost = b.numbered(INFO, "-2");
                b.internal(infos, "1", outermost);
                b.internal(outermost, "outer_scope_info", info);
            }),
            ("by the scope around it", true, &|b, [infos, ..], info| {
                let outer = b.numbered(INFO, "5");
                b.internal(infos, "1", outer);
                b.internal(info, "outer_scope_info", outer);
            }),
            ("by a scope whose number is no number", true, &|b, [infos, ..], info| {
                let own = b.0.node("code", INFO, 8);
                b.number(own, "string", "int", "-2");
                b.internal(infos, "1", own);
                b.internal(own, "outer_scope_info", info);
            }),
            (
                "not by code that a function of it evaluates",
                true,
                &|b, [infos, eval, evaluated], info| {
                    let own = b.numbered(INFO, "20");
                    b.internal(eval, "eval_from_scope_info", info);
                    b.internal(evaluated, "1", own);
                    b.internal(own, "outer_scope_info", info);
                    b.internal(infos, "1", info);
                },
            ),
        ];
        for (case, expected, build) in cases {
            assert_eq!(is_found(build), expected, "{case}");
        }
    }

    #[test]
    fn functions_read_the_variables_of_all_contexts_around_them() {
        let mut builder = Builder(HeapBuilder::new());
        let root = builder.0.node("synthetic", "", 0);
        let script = builder.0.node("code", "system / Script / /app.js", 8);
        let infos = builder.0.node("array", "", 8);
        builder.internal(script, "infos", infos);
        let shared = builder.numbered("system / SharedFunctionInfo / f", "30");
        builder.internal(shared, "script", script);
        let closure = builder.0.node("closure", "f", 32);
        builder.internal(root, "closure", closure);
        builder.internal(closure, "shared", shared);
        let mut inner = closure;
        for (id, edge, names) in
            [("20", "context", &["c", "d"][..]), ("10", "previous", &["a", "b"][..])]
        {
            let context = builder.0.node("object", "system / Context", 40);
            let scope_info = builder.numbered("system / ScopeInfo", id);
            builder.internal(infos, "1", scope_info);
            builder.internal(context, "scope_info", scope_info);
            builder.internal(inner, edge, context);
            for name in names {
                let value = builder.0.node("object", "Kept", 100);
                builder.0.edge(context, Context, name, value);
            }
            inner = context;
        }
        builder.0.scope(script, 10, 0, &["a", "b"], &[]);
        builder.0.scope(script, 20, 1, &["c", "d"], &[]);
        builder.0.scope(script, 30, 2, &[], &[(10, 0), (20, 1)]);
        let heap = builder.0.build();
        let found = captured_variables(&heap, 1);
        let names: Vec<_> = found.iter().map(|v| heap.strings().get(v.name)).collect();
        assert_eq!(names, ["c", "b"]);
    }
}
