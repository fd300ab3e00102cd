//! What V8 holds only for a moment.

use crate::program::{find, only, snapshots};
use heapquarry_graph::EdgeType;

/// A job of the compiler, a handle of native code or a stack frame holds something in one of three snapshots, of a
/// program whose variables only a running function holds.
#[test]
fn what_v8_holds_for_a_moment_moves_nothing() {
    let find = |moment: Option<(usize, &str, &str)>, is_async: bool| {
        let heaps = snapshots(3, |round, s| {
            for (key, name) in [
                ("stack", "(Stack roots)"),
                ("handles", "(Handle scope)"),
                ("strong", "(Strong roots)"),
            ] {
                s.node(key, "synthetic", name, 0);
                s.edge("roots", EdgeType::Element, "2", key);
            }
            // `async function job() { const waiting = []; … reader(); … }`
            s.node("job", "closure", "job", 32);
            s.node("job scope", "object", "system / Context", 32);
            s.node("reader", "closure", "reader", 32);
            s.node("waiting", "object", "Array", 32);
            if is_async {
                s.node("state", "object", "Generator", 32);
                s.node("registers", "array", "", 32);
                s.edge("stack", EdgeType::Internal, "1", "state");
                s.edge("state", EdgeType::Internal, "parameters_and_registers", "registers");
                s.edge("state", EdgeType::Internal, "context", "job scope");
                s.edge("state", EdgeType::Internal, "function", "job");
            }
            s.edge("stack", EdgeType::Internal, "2", "job");
            s.edge("job", EdgeType::Internal, "context", "job scope");
            s.edge("job scope", EdgeType::Context, "reader", "reader");
            s.edge("job scope", EdgeType::Context, "waiting", "waiting");
            s.edge("reader", EdgeType::Internal, "context", "job scope");
            (0..round * 4).for_each(|i| s.push("waiting", &format!("o{i}"), "Request"));
            if let Some((at, from, to)) = moment
                && at == round
            {
                s.edge(from, EdgeType::Internal, "53 / IdentityMapBase", to);
            }
        });
        let mut leak = only(find(&heaps, 1));
        // What runs may hold the variables in several ways.
        leak.path.truncate(1);
        format!("{leak:?}")
    };
    for is_async in [false, true] {
        let expected = find(None, is_async);
        assert!(expected.contains("variable waiting"), "{expected}");
        for round in 1..=3 {
            for from in ["stack", "handles", "strong"] {
                for to in ["waiting", "job scope", "reader", "o1"] {
                    let found = find(Some((round, from, to)), is_async);
                    assert_eq!(found, expected, "{from} holds {to} in {round}, async: {is_async}");
                }
            }
        }
    }
}
