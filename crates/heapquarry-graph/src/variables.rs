//! The variables of a scope.
//!
//! V8 names those of functions and modules. Of a block it writes only the values that are objects, in order, without
//! names: its ScopeInfo has the names of all variables.

use crate::{EdgeType, Heap, NodeIndex, NodeType, StringIndex, heap::internal, known::Role};

/// A variable of a scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScopeVariable {
    /// The edge to its value.
    pub edge: usize,
    /// Its name. Several if it is one of these variables, and the file does not say which.
    pub names: Vec<StringIndex>,
}

/// The variables of a Context, in file order. Those of a block are listed if their values are objects; numbers are not
/// in the file.
pub fn scope_variables(heap: &Heap, scope: NodeIndex) -> Vec<ScopeVariable> {
    let edges = heap.edges();
    let of_kind = |node, kind| edges.of(node).filter(move |&edge| edges.kind(edge) == kind);
    let named = of_kind(scope, EdgeType::Context).map(|edge| {
        let names = heap.edge_string(edge).into_iter().collect();
        ScopeVariable { edge, names }
    });
    let named: Vec<ScopeVariable> = named.collect();
    if !named.is_empty() || heap.role(scope) != Role::Scope {
        return named;
    }
    let Some(info) = internal(heap, scope, Role::ScopeInfo) else { return named };
    let is_string = |node: &NodeIndex| heap.nodes().kind(*node) == NodeType::String;
    let names = of_kind(info, EdgeType::Hidden).map(|edge| edges.target(edge));
    let names: Vec<StringIndex> =
        names.take_while(is_string).map(|node| heap.nodes().name_id(node)).collect();
    let values: Vec<usize> = of_kind(scope, EdgeType::Hidden).collect();
    if values.len() > names.len() {
        // Not a block as this rule knows them.
        return named;
    }
    let all_known = values.len() == names.len();
    let variable = |(at, edge)| {
        let names = if all_known { vec![names[at]] } else { names.clone() };
        ScopeVariable { edge, names }
    };
    values.into_iter().enumerate().map(variable).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::HeapBuilder;

    #[test]
    fn variables_of_blocks_have_the_names_of_their_scope_info() {
        const SCOPE: &str = "system / Context";
        for (scope, names, values, expected) in [
            (SCOPE, &["item", "inner"][..], 2, vec![vec!["item"], vec!["inner"]]),
            // A number is not in the file: it could be any of them.
            (SCOPE, &["a", "b", "c"], 1, vec![vec!["a", "b", "c"]]),
            (SCOPE, &["a"], 2, vec![]),
            (SCOPE, &["a"], 0, vec![]),
            ("system / ContextCell", &["a"], 1, vec![]),
        ] {
            let mut builder = HeapBuilder::new();
            builder.node("synthetic", "", 0);
            let scope = builder.node("object", scope, 24);
            let info = builder.node("code", "system / ScopeInfo", 24);
            builder.edge(scope, EdgeType::Internal, "scope_info", info);
            for (at, name) in names.iter().enumerate() {
                let name = builder.node("string", name, 16);
                builder.edge(info, EdgeType::Hidden, &at.to_string(), name);
            }
            let outer = builder.node("code", "system / ScopeInfo", 24);
            builder.edge(info, EdgeType::Hidden, "9", outer);
            for at in 0..values {
                let value = builder.node("object", "Item", 16);
                builder.edge(scope, EdgeType::Hidden, &at.to_string(), value);
            }
            let heap = builder.build();
            let found = scope_variables(&heap, scope);
            let text = |name: &StringIndex| heap.strings().get(*name);
            let found: Vec<Vec<&str>> =
                found.iter().map(|variable| variable.names.iter().map(text).collect()).collect();
            assert_eq!(found, expected, "{names:?}, {values} values");
        }
    }

    #[test]
    fn variables_of_functions_have_names_of_their_own() {
        let mut builder = HeapBuilder::new();
        builder.node("synthetic", "", 0);
        let scope = builder.node("object", "system / Context", 24);
        let value = builder.node("object", "Item", 16);
        builder.edge(scope, EdgeType::Hidden, "0", value);
        builder.edge(scope, EdgeType::Context, "top", value);
        let heap = builder.build();
        let found = scope_variables(&heap, scope);
        assert_eq!(found.len(), 1);
        assert_eq!(heap.strings().get(found[0].names[0]), "top");
    }
}
