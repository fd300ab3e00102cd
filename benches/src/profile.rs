//! Profiles of programs with deep stacks: seeded, the same in every run.

use crate::random::Random;
use std::fmt::Write;

/// Frames and the functions in them.
const FUNCTIONS: u64 = 3000;

fn call_frame(random: &mut Random) -> String {
    let function = random.skewed(FUNCTIONS);
    let (script, line) = (function / 40, function % 40 * 25);
    format!(
        r#""callFrame":{{"functionName":"visitNode{function}","scriptId":"{script}","url":"file:///app/node_modules/lib/script{script}.js","lineNumber":{line},"columnNumber":17}}"#
    )
}

/// A `.cpuprofile` of that many nodes, in the order in which V8 writes them: some 230 bytes each.
pub fn cpu(nodes: u64) -> String {
    let mut random = Random(7);
    let mut children = vec![Vec::new(); nodes as usize];
    for node in 1..nodes {
        // Mostly the node before: stacks are deep.
        let caller = node - 1 - random.skewed(node.min(30));
        children[caller as usize].push((node + 1).to_string());
    }
    let mut text = String::from("{\"nodes\":[");
    for (id, children) in (1..).zip(children) {
        let comma = if id > 1 { "," } else { "" };
        let (frame, hits, children) =
            (call_frame(&mut random), random.below(3), children.join(","));
        let _ = write!(
            text,
            r#"{comma}{{"id":{id},{frame},"hitCount":{hits},"children":[{children}]}}"#
        );
    }
    let _ = write!(text, r#"],"startTime":1000000000,"endTime":{}"#, 1_000_000_000 + nodes * 200);
    let mut array = |name: &str, number: &mut dyn FnMut(&mut Random) -> u64| {
        let _ = write!(text, ",\"{name}\":[{}", number(&mut random));
        for _ in 1..nodes {
            let _ = write!(text, ",{}", number(&mut random));
        }
        text.push(']');
    };
    array("samples", &mut |random| 1 + random.below(nodes));
    array("timeDeltas", &mut |random| 100 + random.below(100));
    text.push('}');
    text
}

/// A `.heapprofile` of that many nodes, each nested in its caller: some 230 bytes each.
pub fn heap(nodes: u64) -> String {
    let mut random = Random(8);
    let mut text = String::from("{\"head\":");
    let mut depth = 0;
    for id in 1..=nodes {
        let (frame, size) = (call_frame(&mut random), random.below(5000));
        let _ = write!(text, r#"{{{frame},"selfSize":{size},"id":{id},"children":["#);
        depth += 1;
        let ends = if id == nodes { depth } else { random.skewed(30).min(depth - 1) };
        for _ in 0..ends {
            text.push_str("]}");
        }
        depth -= ends;
        if ends > 0 && id < nodes {
            text.push(',');
        }
    }
    text.push_str(",\"samples\":[");
    for ordinal in 1..=nodes {
        let comma = if ordinal > 1 { "," } else { "" };
        let (size, node) = (16 + random.below(500), 1 + random.below(nodes));
        let _ = write!(text, r#"{comma}{{"size":{size},"nodeId":{node},"ordinal":{ordinal}}}"#);
    }
    text.push_str("]}");
    text
}
