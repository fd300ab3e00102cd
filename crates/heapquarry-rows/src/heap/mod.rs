//! Rows of the heap analysis.

mod locations;

pub use locations::{texts, with_names};

use arrow_array::{ArrayRef, Int32Array, Int64Array, RecordBatch, StringArray};
use heapquarry_base::Order;
use heapquarry_graph::{
    Aggregate, Analysis, Attribution, CapturedVariable, CodeOwner, Duplicate, FixedBits, Functions,
    Heap, Keeper, NodeIndex, Nodes, OwnerSum, Realm, RealmSum, Sources, Suspect, Unread,
    captured_variables,
};
use heapquarry_tables::{
    FileId, JS_HEAP_ANALYSIS, JS_HEAP_CLASS, JS_HEAP_CONTEXT_VARIABLE, JS_HEAP_DUPLICATE_STRING,
    JS_HEAP_NATIVE_CONTEXT, JS_HEAP_STATISTICS, Projection, Table, Type, arrays, js_heap_analysis,
    js_heap_class, js_heap_context_variable, js_heap_duplicate_string, js_heap_native_context,
    js_heap_package, js_heap_statistics, js_heap_suspect,
};
use locations::text_column;
use std::{ops::Range, sync::Arc};

/// Whether the graph's [`Attribution`] is needed for these columns.
pub fn wants_attribution(projection: &Projection) -> bool {
    let columns = js_heap_analysis::wanted(projection.columns(&JS_HEAP_ANALYSIS));
    projection.wants(&JS_HEAP_NATIVE_CONTEXT)
        || columns.native_context_id
        || columns.is_context_shared
        || columns.retained_by_detached
        || columns.retained_by_console
        || columns.retained_by_event_handlers
        || columns.retained_by_contexts
        || columns.is_stack_root
        || columns.is_unreachable
}

/// Makes the rows of `js_heap_analysis`.
pub struct NodeRows<'a> {
    file_id: FileId,
    heap: &'a Heap,
    analysis: &'a Analysis,
    class_names: ArrayRef,
    /// The functions and their texts.
    functions: (&'a Functions, ArrayRef),
}

fn int64(values: impl Iterator<Item = u64>) -> ArrayRef {
    Arc::new(Int64Array::from_iter_values(values.map(|v| i64::try_from(v).unwrap_or(i64::MAX))))
}

impl<'a> NodeRows<'a> {
    /// Of a heap and its analysis; the functions with what their keys refer to ([`texts`]).
    pub fn new(
        file_id: FileId,
        heap: &'a Heap,
        analysis: &'a Analysis,
        functions: (&'a Functions, ArrayRef),
    ) -> Self {
        let names = analysis.classes.classes.iter().map(|class| Some(&class.name));
        let class_names: ArrayRef = Arc::new(names.collect::<StringArray>());
        NodeRows { file_id, heap, analysis, class_names, functions }
    }

    /// The rows of these nodes.
    pub fn batch(&self, nodes: Range<usize>) -> RecordBatch {
        let NodeRows { file_id, heap, analysis, class_names, .. } = self;
        let rows = nodes.len();
        let id = |node: NodeIndex| Some(heap.nodes().id(node)).filter(|&id| id != Nodes::NO_ID);
        let each = || NodeIndex::each(nodes.clone());
        let classes = &analysis.classes.of[nodes.clone()];
        let classes = || Int32Array::from_iter_values(classes.iter().map(|&class| class as i32));
        let dominators = &analysis.dominators[nodes.clone()];
        let states = &analysis.detachedness[nodes.clone()];
        let [function_name, script_name] = self.names(nodes.clone());
        let flag = |is_so: &dyn Fn(NodeIndex) -> bool| -> ArrayRef {
            Arc::new(Int32Array::from_iter_values(each().map(|node| i32::from(is_so(node)))))
        };
        let attribution = analysis.attribution.as_ref();
        let bits = |of: fn(&Attribution) -> &FixedBits| {
            flag(&|node| attribution.is_some_and(|all| of(all).get(node)))
        };
        let kept =
            |keeper| flag(&|node| attribution.is_some_and(|all| all.retained_by.get(keeper, node)));
        let contexts = attribution.and_then(|all| all.native_contexts.as_ref());
        let realm = |node| contexts.map_or(Realm::None, |all| all.of(node));
        let context = |node| match realm(node) {
            Realm::Context(context) => id(context),
            Realm::Shared | Realm::None => None,
        };
        js_heap_analysis::Columns {
            file_id: file_id.column(rows),
            node_index: Arc::new(Int64Array::from_iter_values(
                nodes.start as i64..nodes.end as i64,
            )),
            id: Arc::new(each().map(id).collect::<Int64Array>()),
            class_name: arrays::keyed(classes(), class_names.clone()),
            distance: Arc::new(Int32Array::from(analysis.distances[nodes.clone()].to_vec())),
            shallow_size: int64(nodes.clone().map(|node| analysis.shallow_sizes.get(node))),
            retained_size: int64(nodes.clone().map(|node| analysis.retained_sizes.get(node))),
            dominator_id: Arc::new(dominators.iter().map(|&node| id(node)).collect::<Int64Array>()),
            detachedness: Arc::new(Int32Array::from_iter_values(
                states.iter().map(|&state| state.into()),
            )),
            retained_native_size: match &analysis.retained_native_sizes {
                Some(sizes) => int64(nodes.clone().map(|node| sizes.get(node))),
                None => arrays::nulls(Type::Int64, rows),
            },
            class_index: Arc::new(classes()),
            function_name,
            script_name,
            native_context_id: Arc::new(each().map(context).collect::<Int64Array>()),
            is_context_shared: flag(&|node| realm(node) == Realm::Shared),
            retained_by_detached: kept(Keeper::DetachedNodes),
            retained_by_console: kept(Keeper::Console),
            retained_by_event_handlers: kept(Keeper::EventHandlers),
            retained_by_contexts: kept(Keeper::Contexts),
            is_stack_root: bits(|all| &all.stack_roots),
            is_unreachable: bits(|all| &all.unreachable),
        }
        .into_batch()
    }
}

impl NodeRows<'_> {
    /// The names of the functions and scripts of closures.
    fn names(&self, nodes: Range<usize>) -> [ArrayRef; 2] {
        let (functions, texts) = &self.functions;
        let mut keys = [vec![None; nodes.len()], vec![None; nodes.len()]];
        for (node, name, script) in functions.of(nodes.clone()) {
            let row = node.position() - nodes.start;
            keys[0][row] = name.map(|key| key as i32);
            keys[1][row] = script.map(|key| key as i32);
        }
        keys.map(|keys| text_column(keys.into(), texts))
    }
}

/// Maximum size of the text of a batch in bytes: far below the 2 GiB of an Arrow array.
const MAX_TEXT: usize = 64 << 20;

/// The rows of the tables beside `js_heap_analysis`; `most_rows` is the maximum per batch.
pub fn totals(
    file_id: FileId,
    heap: &Heap,
    analysis: &Analysis,
    captured: &[Captured],
    most_rows: usize,
) -> Vec<(&'static Table, RecordBatch)> {
    let mut sums = analysis.aggregates.clone();
    let class = |class: u32| &analysis.classes.classes[class as usize];
    sums.order_by(|a, b| {
        let size = b.retained_size.cmp(&a.retained_size);
        size.then_with(|| class(a.class).key.cmp(&class(b.class).key))
    });
    let mut batches = vec![(&JS_HEAP_STATISTICS, statistics(file_id, analysis))];
    let text = |sum: &Aggregate| class(sum.class).name.len() + class(sum.class).key.len();
    for sums in portions(&sums, most_rows, text) {
        batches.push((&JS_HEAP_CLASS, classes(file_id, analysis, sums)));
    }
    for strings in portions(&analysis.duplicate_strings, most_rows, |s| s.string.len()) {
        batches.push((&JS_HEAP_DUPLICATE_STRING, duplicates(file_id, strings)));
    }
    let contexts = analysis.attribution.as_ref().and_then(|all| all.native_contexts.as_ref());
    let sums = contexts.map(|all| all.sums(&analysis.shallow_sizes));
    let sums = sums.unwrap_or_default();
    for sums in portions(&sums, most_rows, |_| 0) {
        batches.push((&JS_HEAP_NATIVE_CONTEXT, native_contexts(file_id, heap, analysis, sums)));
    }
    let text = |captured: &Captured| {
        captured.context_name.len() + heap.strings().get(captured.variable.name).len()
    };
    for captured in portions(captured, most_rows, text) {
        let batch = context_variables(file_id, heap, analysis, captured);
        batches.push((&JS_HEAP_CONTEXT_VARIABLE, batch));
    }
    batches
}

/// Splits a list into parts that fit a batch.
fn portions<T>(mut list: &[T], most_rows: usize, text: impl Fn(&T) -> usize) -> Vec<&[T]> {
    let mut portions = Vec::new();
    while !list.is_empty() {
        let mut sum = 0;
        let fits = |item: &&T| {
            sum += text(item);
            sum <= MAX_TEXT
        };
        let rows = list.iter().take(most_rows).take_while(fits).count().max(1);
        let (portion, rest) = list.split_at(rows);
        portions.push(portion);
        list = rest;
    }
    portions
}

fn classes(file_id: FileId, analysis: &Analysis, sums: &[Aggregate]) -> RecordBatch {
    let class = |sum: &Aggregate| &analysis.classes.classes[sum.class as usize];
    js_heap_class::Columns {
        file_id: file_id.column(sums.len()),
        class_name: arrays::text(sums.iter().map(|sum| Some(&class(sum).name))),
        class_key: arrays::text(sums.iter().map(|sum| Some(&class(sum).key))),
        count: int64(sums.iter().map(|sum| sum.count)),
        distance: Arc::new(Int32Array::from_iter_values(sums.iter().map(|sum| sum.distance))),
        shallow_size: int64(sums.iter().map(|sum| sum.shallow_size)),
        retained_size: int64(sums.iter().map(|sum| sum.retained_size)),
        class_index: Arc::new(Int32Array::from_iter_values(
            sums.iter().map(|sum| sum.class as i32),
        )),
    }
    .into_batch()
}

/// A captured variable that nobody reads, with what is known only as long as the heap has its edges.
pub struct Captured {
    variable: CapturedVariable,
    context_name: Arc<str>,
}

/// The captured variables that nobody reads.
pub fn captured(heap: &Heap, threads: usize) -> Vec<Captured> {
    let sources = Sources::new(heap).with_threads(threads);
    let mut last: Option<(NodeIndex, Arc<str>)> = None;
    let named = |variable: CapturedVariable| {
        let known = last.as_ref().filter(|(context, _)| *context == variable.context);
        let context_name = match known {
            Some((_, name)) => name.clone(),
            None => Arc::from(sources.name(&[], variable.context)),
        };
        last = Some((variable.context, Arc::clone(&context_name)));
        Captured { variable, context_name }
    };
    captured_variables(heap, threads).into_iter().map(named).collect()
}

fn context_variables(
    file_id: FileId,
    heap: &Heap,
    analysis: &Analysis,
    captured: &[Captured],
) -> RecordBatch {
    let all = || captured.iter().map(|captured| captured.variable);
    let index = |node: NodeIndex| i64::from(node.0);
    let id = |node: NodeIndex| Some(heap.nodes().id(node)).filter(|&id| id != Nodes::NO_ID);
    let contexts = || all().map(|variable| variable.context);
    let values = || all().map(|variable| variable.value);
    js_heap_context_variable::Columns {
        file_id: file_id.column(captured.len()),
        context_index: Arc::new(Int64Array::from_iter_values(contexts().map(index))),
        context_id: Arc::new(contexts().map(id).collect::<Int64Array>()),
        context_name: arrays::text(captured.iter().map(|captured| Some(&*captured.context_name))),
        name: arrays::text(all().map(|variable| Some(heap.strings().get(variable.name)))),
        value_index: Arc::new(Int64Array::from_iter_values(values().map(index))),
        value_id: Arc::new(values().map(id).collect::<Int64Array>()),
        value_retained_size: int64(
            values().map(|node| analysis.retained_sizes.get(node.position())),
        ),
        basis: arrays::labels(all().map(|variable| match variable.unread {
            Unread::ByScopes => "scopes",
            Unread::ByClosures => "closures",
        })),
    }
    .into_batch()
}

fn native_contexts(
    file_id: FileId,
    heap: &Heap,
    analysis: &Analysis,
    sums: &[RealmSum],
) -> RecordBatch {
    let context = |sum: &RealmSum| match sum.realm {
        Realm::Context(node) => Some(node),
        Realm::Shared | Realm::None => None,
    };
    let of_context = |value: &dyn Fn(NodeIndex) -> Option<i64>| -> ArrayRef {
        Arc::new(sums.iter().map(|sum| value(context(sum)?)).collect::<Int64Array>())
    };
    let retained = |node: NodeIndex| analysis.retained_sizes.get(node.position());
    js_heap_native_context::Columns {
        file_id: file_id.column(sums.len()),
        kind: arrays::labels(sums.iter().map(|sum| match sum.realm {
            Realm::Context(_) => "context",
            Realm::Shared => "shared",
            Realm::None => "none",
        })),
        id: of_context(&|node| Some(heap.nodes().id(node)).filter(|&id| id != Nodes::NO_ID)),
        node_index: of_context(&|node| Some(node.0.into())),
        count: int64(sums.iter().map(|sum| sum.count)),
        shallow_size: int64(sums.iter().map(|sum| sum.shallow_size)),
        retained_size: of_context(&|node| Some(i64::try_from(retained(node)).unwrap_or(i64::MAX))),
    }
    .into_batch()
}

fn statistics(file_id: FileId, analysis: &Analysis) -> RecordBatch {
    let categories = analysis.statistics.categories();
    js_heap_statistics::Columns {
        file_id: file_id.column(categories.len()),
        category: arrays::labels(categories.iter().map(|(name, _)| *name)),
        size: int64(categories.iter().map(|(_, size)| *size)),
    }
    .into_batch()
}

fn duplicates(file_id: FileId, strings: &[Duplicate]) -> RecordBatch {
    js_heap_duplicate_string::Columns {
        file_id: file_id.column(strings.len()),
        string: arrays::text(strings.iter().map(|string| Some(&string.string))),
        count: int64(strings.iter().map(|string| string.count)),
        size: int64(strings.iter().map(|string| string.size)),
    }
    .into_batch()
}

/// Rows of `js_heap_package`.
pub fn packages(file_id: FileId, sums: &[OwnerSum]) -> RecordBatch {
    let kind = |sum: &OwnerSum| match sum.owner {
        CodeOwner::Engine => "engine",
        CodeOwner::Unattributed => "unattributed",
        CodeOwner::Outside => "outside",
        CodeOwner::Package(_) | CodeOwner::Script(_) | CodeOwner::Function { .. } => "code",
    };
    let retained = |sum: &OwnerSum| Some(i64::try_from(sum.retained_size?).unwrap_or(i64::MAX));
    js_heap_package::Columns {
        file_id: file_id.column(sums.len()),
        package: arrays::text(sums.iter().map(|sum| Some(sum.owner.to_string()))),
        kind: arrays::labels(sums.iter().map(kind)),
        count: int64(sums.iter().map(|sum| sum.count)),
        shallow_size: int64(sums.iter().map(|sum| sum.size)),
        retained_size: Arc::new(sums.iter().map(retained).collect::<Int64Array>()),
    }
    .into_batch()
}

/// Rows of `js_heap_suspect`.
pub fn suspects(
    file_id: FileId,
    heap: &Heap,
    analysis: &Analysis,
    suspects: &[Suspect],
) -> RecordBatch {
    let nodes = || suspects.iter().map(|suspect| suspect.node);
    let id = |node: NodeIndex| Some(heap.nodes().id(node)).filter(|&id| id != Nodes::NO_ID);
    js_heap_suspect::Columns {
        file_id: file_id.column(suspects.len()),
        class_name: arrays::text(nodes().map(|node| Some(&analysis.classes.class(node).name))),
        name: arrays::text(suspects.iter().map(|suspect| Some(&suspect.name))),
        held_by: arrays::text(suspects.iter().map(|suspect| Some(&suspect.way))),
        node_index: Arc::new(Int64Array::from_iter_values(nodes().map(|node| node.0.into()))),
        id: Arc::new(nodes().map(id).collect::<Int64Array>()),
        retained_size: int64(nodes().map(|node| analysis.retained_sizes.get(node.position()))),
        own_size: int64(suspects.iter().map(|suspect| suspect.own)),
    }
    .into_batch()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn portions_are_bounded_by_rows_and_by_text() {
        let sizes = [10, MAX_TEXT, MAX_TEXT - 1, 1, 1, MAX_TEXT + 7, 5, 5, 5];
        let found: Vec<usize> = portions(&sizes, 2, |&size| size).iter().map(|p| p.len()).collect();
        assert_eq!(found, [1, 1, 2, 1, 1, 2, 1]);
        assert!(portions(&[0; 0], 2, |&size| size).is_empty());
    }
}
