//! The ways to objects that a program would write, and objects grouped by them.

use crate::{
    Column, EdgeName, EdgeType, HashMap, Heap, NodeIndex, NodeType, Party, Path, Sources, Step,
    StringIndex,
    edges::{Owners, is_strong},
    leaks::{
        Cheapest, Kinds, Up, Words, is_global, is_variable, joined, module, push_part, render,
        step_cost,
    },
    ready::{Ready, WayLists},
    script_file,
};

/// A step like one so many steps above it belongs to the same chain, and is not told apart from it.
const CHAIN: usize = 6;
/// What a step from the engine's roots to an object costs at least.
const HANDLE: u32 = 480;
/// Steps of a path that are told.
const LONGEST: usize = 60;
/// In place of the shape of a node that was not met.
const UNKNOWN: u32 = 0;

/// The cheapest ways from the root, where steps that a program would write cost little, and those through caches and
/// handles of the engine much. They are usually not the shortest.
pub struct Ways<'a> {
    heap: &'a Heap,
    found: Searched,
    /// The global objects that the root refers to, with the edge.
    globals: HashMap<NodeIndex, usize>,
}

impl std::fmt::Debug for Ways<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ways").finish_non_exhaustive()
    }
}

/// Objects that are reached in the same way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WayGroup {
    /// The objects, in the order in which they were given.
    pub nodes: Vec<NodeIndex>,
}

/// The cheapest ways to nodes, and what they are told with.
struct Searched {
    words: Words,
    /// A part of the file, if they are those of an index.
    kinds: Kinds<Column<u8>>,
    cheapest: Cheapest,
}

impl Searched {
    /// Searches until all of these nodes are reached.
    fn for_nodes(heap: &Heap, nodes: impl Iterator<Item = NodeIndex>, threads: usize) -> Self {
        let words = Words::new(heap.strings(), threads);
        let kinds = Kinds::new(heap, &words, threads);
        let cheapest = Cheapest::with_handles(heap, &words, &kinds, nodes, HANDLE);
        Searched { words, kinds: Kinds { of: kinds.of.into() }, cheapest }
    }

    /// Those to all nodes; `None` if they are not known.
    fn ready(ready: &Ready) -> Option<Self> {
        let WayLists { words, kinds, costs, edges } = ready.ways.get()?;
        Some(Searched {
            words: Words::from_numbers(words)?,
            kinds: Kinds { of: kinds.clone() },
            cheapest: Cheapest { costs: costs.clone(), edges: edges.clone() },
        })
    }
}

/// The ways to all nodes, each of which is the one that a search for its node alone finds.
pub(crate) fn to_all(heap: &Heap, threads: usize) -> WayLists {
    let all = heap.nodes().all();
    let Searched { words, kinds, cheapest } = Searched::for_nodes(heap, all, threads);
    let Cheapest { costs, edges } = cheapest;
    WayLists { words: words.numbers().collect(), kinds: kinds.of, costs, edges }
}

impl<'a> Ways<'a> {
    /// Searches until all of these nodes are reached. The result does not depend on the number of threads.
    pub fn new(heap: &'a Heap, nodes: &[NodeIndex], threads: usize) -> Self {
        let found = heap.ready().and_then(Searched::ready);
        let search = || Searched::for_nodes(heap, nodes.iter().copied(), threads);
        Self::of(heap, found.unwrap_or_else(search))
    }

    /// Those that were found for all nodes of the heap; `None` if they were not searched for.
    pub fn known(heap: &'a Heap, ready: &Ready) -> Option<Self> {
        Some(Self::of(heap, Searched::ready(ready)?))
    }

    fn of(heap: &'a Heap, found: Searched) -> Self {
        let edges = heap.edges();
        let of_root = if heap.nodes().is_empty() { 0..0 } else { edges.of(heap.root()) };
        let globals = of_root
            .filter(|&edge| is_strong(edges.kinds[edge]))
            .map(|edge| (edges.target(edge), edge))
            .filter(|&(target, _)| is_global(heap, &found.kinds, target))
            .collect();
        Ways { heap, found, globals }
    }

    /// The way to a node, from it up to the root. A global object ends it: what holds that one says nothing.
    pub fn path(&self, node: NodeIndex) -> Path {
        let mut steps = Vec::new();
        let mut at = node;
        while steps.len() < LONGEST
            && let Some(step) = self.step(at)
        {
            steps.push(step);
            at = step.node;
        }
        Path { node, steps, reaches_root: at == self.heap.root() }
    }

    /// Ways to a node through each of the objects that hold it, the cheapest first, at most `limit`. The retainers must
    /// be among the nodes that were searched for.
    pub fn paths(&self, node: NodeIndex, retaining: &[usize], limit: usize) -> Vec<Path> {
        let step = |(holder, edge): (NodeIndex, usize)| {
            let cost = self.found.cheapest.cost(holder)?;
            let last = step_cost(
                self.heap,
                &self.found.words,
                &self.found.kinds,
                holder,
                edge,
                node,
                HANDLE,
            );
            Some((cost.saturating_add(last), edge, holder))
        };
        let edges = self.heap.edges();
        let strong = retaining.iter().copied().filter(|&edge| is_strong(edges.kinds[edge]));
        let holders = edges.with_owners(strong).filter(|&(holder, _)| holder != node);
        let mut steps: Vec<_> = holders.filter_map(step).collect();
        steps.sort_unstable();
        let path = |(_, edge, holder): (u32, usize, NodeIndex)| {
            let mut path = self.path(holder);
            // A way that leads through the node itself says nothing.
            let is_circle = path.steps.iter().any(|step| step.node == node);
            path.node = node;
            path.steps.insert(0, Step { node: holder, edge });
            (!is_circle).then_some(path)
        };
        let mut seen = crate::HashSet::default();
        let mut paths = Vec::new();
        for step in steps {
            if paths.len() == limit {
                break;
            }
            if let Some(path) = path(step) {
                // The storage of an object holds nothing that it does not hold itself.
                let holders = path.steps.iter().map(|step| step.node);
                let holder = holders.clone().find(|&holder| self.found.kinds.is_visible(holder));
                if seen.insert(holder.unwrap_or(step.2)) {
                    paths.push(path);
                }
            }
        }
        paths
    }

    fn step(&self, node: NodeIndex) -> Option<Step> {
        match self.globals.get(&node) {
            Some(&edge) => Some(Step { node: self.heap.root(), edge }),
            None => self.up(node).map(|up| Step { node: up.holder, edge: up.edge }),
        }
    }

    fn up(&self, node: NodeIndex) -> Option<Up> {
        self.found.cheapest.step_up(self.heap, node)
    }

    /// A path as a program would write it: `variable server.rooms[] of app.js`, `globalThis.cache`, `Registry.items`;
    /// from a root of the engine `(Global handles).cache`.
    pub fn text(&self, path: &Path, sources: &Sources<'_>, states: &[u8]) -> String {
        let mut parts: Vec<String> = Vec::new();
        for up in steps(path) {
            let beginning = self.beginning(&up);
            if beginning == Some(Beginning::Root) {
                let name = self.heap.node_name(up.holder);
                return joined(if name.is_empty() { "(root)" } else { name }, &render(&parts));
            }
            push_part(self.heap, &self.found.words, &self.found.kinds, &up, &mut parts);
            let whole = || render(&parts);
            match beginning {
                None => {}
                Some(Beginning::Variable) => {
                    let scope = sources.name(states, up.holder);
                    return match scope.strip_prefix("variables of ") {
                        Some(of) => format!("variable {} of {of}", whole()),
                        None => match sources.file_of_viewer(up.holder) {
                            Some(file) => format!("variable {} of {file}", whole()),
                            None => format!("variable {}", whole()),
                        },
                    };
                }
                Some(Beginning::Module(file)) => {
                    return format!("{} of {}", whole(), script_file(file));
                }
                Some(Beginning::Function) => {
                    let text = joined(&sources.called(up.holder), &whole());
                    if let Some(original) = self.heap.original(up.holder) {
                        return format!("{text} ({})", script_file(&original.source));
                    }
                    return match sources.script_of(up.holder) {
                        Some(script) => format!("{text} ({})", script_file(script)),
                        None => text,
                    };
                }
                Some(_) => return joined("globalThis", &whole()),
            }
        }
        render(&parts)
    }

    /// What holds the function by whose `this` the path begins, as arrow functions in methods have it: the path to that
    /// function. `None` if the path begins otherwise, or that of the function at a root of the engine.
    pub fn text_of_function(
        &self,
        path: &Path,
        sources: &Sources<'_>,
        states: &[u8],
    ) -> Option<String> {
        let (at, up) = steps(path).enumerate().find(|(_, up)| self.beginning(up).is_some())?;
        let is_this = matches!(self.heap.edge_name(up.edge), EdgeName::Text("this"));
        if !is_this || self.beginning(&up) != Some(Beginning::Variable) {
            return None;
        }
        // Functions of scopes within see it too.
        let is_function = |step: &Step| self.heap.nodes().kind(step.node) == NodeType::Closure;
        let mut above = path.steps[at..].iter().skip_while(|s| self.found.kinds.is_scope(s.node));
        let node = above.next().filter(|step| is_function(step))?.node;
        let of_function =
            Path { node, steps: above.copied().collect(), reaches_root: path.reaches_root };
        let beginning = steps(&of_function).find_map(|up| self.beginning(&up))?;
        (beginning != Beginning::Root).then(|| self.text(&of_function, sources, states))
    }

    /// Who wrote the code that holds an object: where the way to it begins, or the class of an object on it that can
    /// better be changed.
    pub fn party(&self, path: &Path, sources: &Sources<'_>) -> Party {
        let mut best = sources.party(path.node).unwrap_or(Party::Runtime(None));
        for up in steps(path) {
            let beginning = self.beginning(&up);
            let party = match beginning {
                Some(Beginning::Root) => None,
                Some(Beginning::Global) => Some(Party::First(None)),
                Some(Beginning::Module(file)) => Some(Party::of_source(file, false)),
                _ => sources.party(up.holder),
            };
            best = match party {
                Some(party) if party.is_better(&best) => party,
                _ => best,
            };
            if beginning.is_some() || best.rank() == 0 {
                break;
            }
        }
        best
    }

    /// Where a path as a program would write it begins, if at the holder of this step.
    fn beginning(&self, up: &Up) -> Option<Beginning<'_>> {
        let nodes = self.heap.nodes();
        if nodes.kind(up.holder) == NodeType::Synthetic {
            return Some(Beginning::Root);
        }
        if is_variable(self.heap, &self.found.kinds, up) {
            return Some(Beginning::Variable);
        }
        if let Some(file) = module(self.heap, up) {
            return Some(Beginning::Module(file));
        }
        if is_global(self.heap, &self.found.kinds, up.holder) {
            return Some(Beginning::Global);
        }
        let is_property = self.heap.edges().kind(up.edge) == EdgeType::Property;
        (nodes.kind(up.holder) == NodeType::Closure && is_property).then_some(Beginning::Function)
    }

    /// Groups nodes by the names and classes of the steps to them. Elements and entries are alike whatever their index,
    /// and so are the members of a list or a tree. `classes` are those of all nodes. In the order of the first nodes.
    pub fn groups(&self, nodes: &[NodeIndex], classes: &[u32]) -> Vec<WayGroup> {
        let mut shapes = Shapes::new(self, classes);
        let mut places: HashMap<u32, usize> = HashMap::default();
        let mut groups: Vec<WayGroup> = Vec::new();
        for &node in nodes {
            let shape = shapes.shape(node);
            let place = *places.entry(shape).or_insert_with(|| {
                groups.push(WayGroup { nodes: Vec::new() });
                groups.len() - 1
            });
            groups[place].nodes.push(node);
        }
        groups
    }

    /// For each node the number of its group among those that [`groups`](Self::groups) makes of all, and how many there
    /// are.
    pub(crate) fn group_of_each(&self, classes: &[u32]) -> (Vec<u32>, usize) {
        let mut shapes = Shapes::new(self, classes);
        let of = self.heap.nodes().all().map(|node| shapes.shape(node)).collect();
        (of, shapes.all.len())
    }
}

/// Where a path as a program would write it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Beginning<'a> {
    /// A root of the engine.
    Root,
    /// A variable of a scope.
    Variable,
    /// A property of the global object.
    Global,
    /// A property of a function.
    Function,
    /// What a file exports: its path.
    Module(&'a str),
}

/// The steps of a path from its node up, each with what it leads to.
fn steps(path: &Path) -> impl Iterator<Item = Up> {
    let below = std::iter::once(path.node).chain(path.steps.iter().map(|step| step.node));
    let up = |(step, node): (&Step, NodeIndex)| Up { edge: step.edge, node, holder: step.node };
    path.steps.iter().zip(below).map(up)
}

/// What a step is to a shape: the name of the edge, and the class of what it leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Link {
    /// Elements have none.
    name: Option<StringIndex>,
    class: u32,
}

/// The ways to nodes as a trie from the root.
struct Shapes<'a> {
    ways: &'a Ways<'a>,
    classes: &'a [u32],
    owners: Owners<'a>,
    /// Parent and last step of each; the root is its own parent.
    all: Vec<(u32, Link)>,
    numbers: HashMap<(u32, Link), u32>,
    /// One more than the shape of each node that was met.
    of: Vec<u32>,
    /// Whether each string that was met is an index.
    is_index: Vec<Option<bool>>,
}

impl<'a> Shapes<'a> {
    fn new(ways: &'a Ways<'a>, classes: &'a [u32]) -> Self {
        let heap = ways.heap;
        Shapes {
            ways,
            classes,
            owners: heap.edges().owners(),
            all: Vec::new(),
            numbers: HashMap::default(),
            // The memory of what is not met is never touched.
            of: vec![UNKNOWN; heap.nodes().len()],
            is_index: vec![None; heap.strings().len()],
        }
    }

    fn shape(&mut self, node: NodeIndex) -> u32 {
        let heap = self.ways.heap;
        // Up to a node that is known.
        let mut steps = Vec::new();
        let mut at = node;
        let mut shape = loop {
            match self.of[at.position()] {
                UNKNOWN => {}
                known => break known - 1,
            }
            let edge = self.ways.found.cheapest.edge_up(heap, at);
            // No way has more steps than there are nodes, unless its list was damaged.
            let Some(edge) = edge.filter(|_| steps.len() < heap.nodes().len()) else {
                let root = Link { name: None, class: self.classes[at.position()] };
                let shape = self.number(u32::MAX, root);
                self.of[at.position()] = shape + 1;
                break shape;
            };
            steps.push((edge, at));
            at = self.owners.of(edge);
        };
        while let Some((edge, node)) = steps.pop() {
            let link = self.link(edge, node);
            shape = self.below(shape, link);
            self.of[node.position()] = shape + 1;
        }
        shape
    }

    fn link(&mut self, edge: usize, node: NodeIndex) -> Link {
        let heap = self.ways.heap;
        let is_element = heap.edges().kind(edge) == EdgeType::Element;
        let name = heap.edge_string(edge).filter(|_| !is_element);
        let name = name.filter(|&name| !self.is_index(name));
        Link { name, class: self.classes[node.position()] }
    }

    fn is_index(&mut self, name: StringIndex) -> bool {
        let is_index =
            || self.ways.heap.strings().get(name).bytes().all(|byte| byte.is_ascii_digit());
        match self.is_index.get_mut(name.position()) {
            Some(known) => *known.get_or_insert_with(is_index),
            None => is_index(),
        }
    }

    /// The shape of what a step leads to from another.
    fn below(&mut self, shape: u32, link: Link) -> u32 {
        let mut above = shape;
        for _ in 0..CHAIN {
            let (parent, last) = self.all[above as usize];
            if last == link {
                return above;
            }
            if parent == u32::MAX {
                break;
            }
            above = parent;
        }
        self.number(shape, link)
    }

    fn number(&mut self, parent: u32, link: Link) -> u32 {
        let next = self.all.len() as u32;
        *self.numbers.entry((parent, link)).or_insert_with(|| {
            self.all.push((parent, link));
            next
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::HeapBuilder;
    use EdgeType::*;

    /// Global object with a list, an array and a cache that the engine holds on a shorter way.
    #[test]
    fn ways_are_those_of_a_program() {
        let mut builder = HeapBuilder::new();
        let root = builder.node("synthetic", "", 0);
        let handles = builder.node("synthetic", "(Global handles)", 0);
        let global = builder.node("object", "global / ", 8);
        builder.edge(root, Element, "1", handles);
        builder.edge(root, Element, "2", global);
        let leak = builder.node("object", "Array", 8);
        builder.edge(global, Property, "leak", leak);
        let foos: Vec<NodeIndex> = (0..5).map(|_| builder.node("object", "Foo", 8)).collect();
        for (at, &foo) in foos.iter().enumerate() {
            builder.edge(leak, Element, &at.to_string(), foo);
        }
        builder.edge(handles, Element, "7", foos[2]);
        // A list of nodes, and one object beside it.
        let mut last = global;
        let mut nodes = Vec::new();
        for _ in 0..50 {
            let node = builder.node("object", "Node", 8);
            builder.edge(last, Property, if last == global { "head" } else { "next" }, node);
            nodes.push(node);
            last = node;
        }
        let single = builder.node("object", "Foo", 8);
        builder.edge(global, Property, "single", single);
        let unheld = builder.node("object", "Foo", 8);
        let heap = builder.build();
        let classes: Vec<u32> =
            heap.nodes().all().map(|node| heap.nodes().name_id(node).0).collect();
        let wanted: Vec<NodeIndex> =
            foos.iter().chain(&nodes).copied().chain([single, unheld]).collect();
        let ways = Ways::new(&heap, &wanted, 2);
        let sources = Sources::new(&heap);
        let text = |node: NodeIndex| ways.text(&ways.path(node), &sources, &[]);
        assert_eq!(text(foos[2]), "globalThis.leak[]");
        assert_eq!(text(single), "globalThis.single");
        assert_eq!(text(nodes[1]), "globalThis.head.next");
        assert_eq!(text(global), "(root)");
        assert!(ways.path(foos[0]).reaches_root && !ways.path(unheld).reaches_root);
        let groups: Vec<Vec<NodeIndex>> =
            ways.groups(&wanted, &classes).into_iter().map(|group| group.nodes).collect();
        assert_eq!(
            groups,
            [foos.clone(), nodes[..1].to_vec(), nodes[1..].to_vec(), vec![single], vec![unheld]]
        );
        // The engine's own way comes last.
        let edges = heap.edges();
        let retaining: Vec<usize> =
            (0..edges.len()).filter(|&edge| edges.target(edge) == foos[2]).collect();
        let wanted = [foos[2], leak, handles];
        let ways = Ways::new(&heap, &wanted, 1);
        let paths = ways.paths(foos[2], &retaining, 9);
        let texts = paths.iter().map(|path| ways.text(path, &sources, &[])).collect::<Vec<_>>();
        assert_eq!(texts, ["globalThis.leak[]", "(Global handles)"]);
        assert_eq!(paths.iter().map(|p| p.steps[0].node).collect::<Vec<_>>(), [leak, handles]);
        assert_eq!(paths[0], ways.path(foos[2]));
        assert_eq!(ways.paths(foos[2], &retaining, 1).len(), 1);
    }

    /// By what a function has, by what it sees, and by entries of a Map, which are alike.
    #[test]
    fn ways_begin_at_functions_and_their_variables() {
        let mut builder = HeapBuilder::new();
        let root = builder.node("synthetic", "", 0);
        let global = builder.node("object", "global / ", 8);
        builder.edge(root, Element, "1", global);
        let [registry, unnamed] = ["Registry", ""].map(|name| {
            let function = builder.node("closure", name, 8);
            builder.edge(global, Element, "1", function);
            function
        });
        let scope = builder.node("object", "system / Context", 8);
        // The function that made it is gone: the file is that of one that sees it.
        builder.edge(registry, Internal, "context", scope);
        let [shared, script] =
            ["Registry", "/srv/app.js"].map(|name| builder.node("code", name, 8));
        builder.edge(registry, Internal, "shared", shared);
        builder.edge(shared, Internal, "script", script);
        let [items, more, variable] =
            ["Array", "Array", "Map"].map(|name| builder.node("object", name, 8));
        let table = builder.node("array", "", 8);
        builder.edge(registry, Property, "items", items);
        builder.edge(unnamed, Property, "more", more);
        builder.edge(scope, Context, "seen", variable);
        builder.edge(variable, Internal, "table", table);
        let entries: Vec<NodeIndex> = (0..3).map(|_| builder.node("object", "Foo", 8)).collect();
        for (at, &entry) in entries.iter().enumerate() {
            builder.edge(table, Internal, &at.to_string(), entry);
        }
        let heap = builder.build();
        let wanted: Vec<NodeIndex> = heap.nodes().all().collect();
        let ways = Ways::new(&heap, &wanted, 1);
        let sources = Sources::new(&heap);
        for (node, expected) in [
            (items, "Registry.items (app.js)"),
            (more, "(anonymous).more"),
            (scope, "globalThis[]"),
            (variable, "variable seen of app.js"),
        ] {
            assert_eq!(ways.text(&ways.path(node), &sources, &[]), expected);
        }
        let own = Party::First(Some("(own scripts)".into()));
        assert_eq!(ways.party(&ways.path(variable), &sources), own);
        let classes = vec![0; wanted.len()];
        let groups = ways.groups(&entries, &classes);
        assert_eq!(groups, [WayGroup { nodes: entries }]);
    }

    /// An arrow function in a method sees `this`: whoever holds the function holds the object, too.
    #[test]
    fn functions_hold_by_their_this() {
        for (variable, holder, expected) in [
            ("this", "global / ", Some("globalThis.bus._events.price[]")),
            ("self", "global / ", None),
            ("this", "(Global handles)", None),
        ] {
            let mut builder = HeapBuilder::new();
            let root = builder.node("synthetic", "", 0);
            let kind = if expected.is_some() { "object" } else { "synthetic" };
            let first = builder.node(kind, holder, 8);
            builder.edge(root, Element, "1", first);
            let [bus, events, price, scope, block, cart] =
                ["EventEmitter", "Object", "Array", "system / Context", "system / Context", "Cart"]
                    .map(|class| builder.node("object", class, 8));
            let [watch, listener] = ["watch", ""].map(|name| builder.node("closure", name, 8));
            builder.edge(first, Property, "bus", bus);
            builder.edge(bus, Property, "_events", events);
            builder.edge(events, Property, "price", price);
            builder.edge(price, Element, "0", listener);
            // The function stands in a block of the method.
            builder.edge(listener, Internal, "context", block);
            builder.edge(block, Internal, "previous", scope);
            builder.edge(scope, Context, variable, cart);
            builder.edge(cart, Internal, "method", watch);
            let items = builder.node("object", "Array", 8);
            builder.edge(cart, Property, "items", items);
            let heap = builder.build();
            let ways = Ways::new(&heap, &[items], 1);
            let sources = Sources::new(&heap);
            let path = ways.path(items);
            assert_eq!(ways.text(&path, &sources, &[]), format!("variable {variable}.items"));
            let text = ways.text_of_function(&path, &sources, &[]);
            assert_eq!(text.as_deref(), expected, "{variable} {holder}");
        }
    }

    /// What a file exports is called so, and belongs to who wrote the file.
    #[test]
    fn exports_are_those_of_their_file() {
        for (name, file, way, rank) in [
            ("Module", "/srv/app.js", "exports.cache of app.js", 0),
            ("Module", "/srv/node_modules/zod/lib/a.js", "exports.cache of zod/lib/a.js", 1),
            // Another class of that name has no file, another name is another class.
            ("Module", "", "globalThis[].exports.cache", 0),
            ("Folder", "/srv/app.js", "globalThis[].exports.cache", 0),
        ] {
            let mut builder = HeapBuilder::new();
            let root = builder.node("synthetic", "", 0);
            let global = builder.node("object", "global / ", 8);
            builder.edge(root, Element, "1", global);
            let [module, exports, cache] =
                [name, "Object", "Map"].map(|class| builder.node("object", class, 8));
            builder.edge(global, Element, "1", module);
            builder.edge(module, Property, "exports", exports);
            builder.edge(exports, Property, "cache", cache);
            if !file.is_empty() {
                let file = builder.node("string", file, 8);
                builder.edge(module, Property, "filename", file);
            }
            let heap = builder.build();
            let ways = Ways::new(&heap, &[cache], 1);
            let (path, sources) = (ways.path(cache), Sources::new(&heap));
            assert_eq!(ways.text(&path, &sources, &[]), way);
            assert_eq!(ways.party(&path, &sources).rank(), rank, "{name} {file}");
        }
    }
}
