//! The names and scripts of all closures, which outlive the heap.

use super::{Sources, Unbound, script_name};
use crate::{HashMap, Heap, NodeIndex, NodeType, StringIndex};

/// Marks a missing text.
const NONE: u32 = u32::MAX;

/// Name and script of each closure of a heap, and the names of its scripts.
#[derive(Clone, Debug, Default)]
pub struct Functions {
    /// The closures that have a name or a script, in file order, with the numbers of both.
    closures: Vec<(NodeIndex, [u32; 2])>,
    texts: Vec<String>,
    scripts: HashMap<i32, u32>,
}

/// Numbers distinct texts.
#[derive(Default)]
struct Numbers {
    texts: Vec<String>,
    numbers: HashMap<String, u32>,
}

impl Numbers {
    fn number(&mut self, text: &str) -> u32 {
        if let Some(&number) = self.numbers.get(text) {
            return number;
        }
        let number = self.texts.len() as u32;
        self.texts.push(text.into());
        self.numbers.insert(text.into(), number);
        number
    }
}

impl Functions {
    /// Finds them with up to that many threads. The result does not depend on their number.
    pub fn new(heap: &Heap, threads: usize) -> Self {
        let sources = Sources::new(heap);
        let found = heap.by_nodes(threads, |nodes| {
            let closures =
                NodeIndex::each(nodes).filter(|&node| heap.nodes().kind(node) == NodeType::Closure);
            closures.map(|node| (node, Found::new(&sources, node))).collect::<Vec<_>>()
        });
        let mut numbers = Numbers::default();
        // Nearly all names occur several times.
        let mut names: HashMap<(StringIndex, u8), u32> = HashMap::default();
        let mut scripts: HashMap<NodeIndex, u32> = HashMap::default();
        let mut closures = Vec::with_capacity(found.iter().map(Vec::len).sum());
        for (node, found) in found.into_iter().flatten() {
            let key = (heap.nodes().name_id(found.closure), found.binds);
            let name = *names.entry(key).or_insert_with(|| match sources.function_name(node) {
                Some(name) => numbers.number(&name),
                None => NONE,
            });
            let script = match found.script {
                Some(script) => *scripts.entry(script).or_insert_with(|| {
                    script_name(heap, script).map_or(NONE, |name| numbers.number(name))
                }),
                None => NONE,
            };
            if [name, script] != [NONE; 2] {
                closures.push((node, [name, script]));
            }
        }
        let mut by_id: Vec<(i32, &str)> = sources.scripts().collect();
        by_id.sort_unstable();
        let scripts = by_id.into_iter().map(|(id, name)| (id, numbers.number(name))).collect();
        Functions { closures, texts: numbers.texts, scripts }
    }

    /// All names of functions and scripts, without duplicates.
    pub fn texts(&self) -> &[String] {
        &self.texts
    }

    /// The number of a script's name in [texts](Self::texts), by the script's number in locations.
    pub fn script(&self, script_id: i32) -> Option<u32> {
        self.scripts.get(&script_id).copied()
    }

    /// The closures among the nodes at these positions, in order, each with the numbers of its name and its script's
    /// name in [texts](Self::texts).
    pub fn of(
        &self,
        nodes: std::ops::Range<usize>,
    ) -> impl Iterator<Item = (NodeIndex, Option<u32>, Option<u32>)> {
        let first = self.closures.partition_point(|(node, _)| node.position() < nodes.start);
        let closures =
            self.closures[first..].iter().take_while(move |(node, _)| node.position() < nodes.end);
        let text = |number: u32| Some(number).filter(|&number| number != NONE);
        closures.map(move |&(node, [name, script])| (node, text(name), text(script)))
    }
}

/// A closure's data before its texts are numbered.
struct Found {
    /// The function that was bound, and the number of binds.
    closure: NodeIndex,
    binds: u8,
    script: Option<NodeIndex>,
}

impl Found {
    fn new(sources: &Sources<'_>, node: NodeIndex) -> Self {
        let Unbound { closure, shared, binds } = sources.unbound(node);
        let by_id = || sources.known.scripts.get(&sources.heap.place(closure)?.script_id).copied();
        let script = sources.script_node(shared).or_else(by_id);
        Found { closure, binds: binds as u8, script }
    }
}
