//! The lists of an analysis.

use super::{ListSink, Lists, Unfit, ensure, put_packed, put_texts};
use crate::{
    Aggregate, Analysis, Attribution, ByClass, Class, Classes, Duplicate, EqualStrings, FixedBits,
    Heap, Interface, Keeper, NativeContexts, Statistics, retained_by::RetainedBy,
};

const INTERFACE_NAMES: [&str; 2] = ["interface_names", "interface_name_ends"];
const PROPERTIES: [&str; 2] = ["interface_properties", "interface_property_ends"];
const CLASS_NAMES: [&str; 2] = ["class_names", "class_name_ends"];
const CLASS_KEYS: [&str; 2] = ["class_keys", "class_key_ends"];
const DUPLICATES: [&str; 2] = ["duplicates", "duplicate_ends"];
const KEPT: [&str; 4] =
    ["kept_by_detached", "kept_by_console", "kept_by_handlers", "kept_by_scopes"];

impl Analysis {
    /// Gives all lists of the analysis to a sink, in a fixed order. Those by class and of equal strings are none of
    /// them: they need more.
    ///
    /// # Errors
    /// The first of the sink.
    pub fn put_lists<S: ListSink>(&self, sink: &mut S) -> Result<(), S::Error> {
        sink.list("distances", self.distances.iter().map(|distance| distance.cast_unsigned()))?;
        put_packed(sink, "shallow_sizes", &self.shallow_sizes)?;
        put_packed(sink, "retained_sizes", &self.retained_sizes)?;
        if let Some(sizes) = &self.retained_native_sizes {
            put_packed(sink, "retained_native_sizes", sizes)?;
        }
        sink.list("dominators", self.dominators.iter().map(|node| node.0))?;
        sink.list("detachedness", self.detachedness.iter().copied())?;
        let interfaces = self.interfaces.iter();
        put_texts(sink, INTERFACE_NAMES, interfaces.clone().map(|i| i.name.as_str()))?;
        sink.list("interface_sizes", interfaces.clone().map(|i| i.properties.len() as u32))?;
        let properties = interfaces.flat_map(|interface| &interface.properties);
        put_texts(sink, PROPERTIES, properties.map(String::as_str))?;
        let Classes { of, classes } = &self.classes;
        sink.list("class_of", of.iter().copied())?;
        put_texts(sink, CLASS_NAMES, classes.iter().map(|class| class.name.as_str()))?;
        put_texts(sink, CLASS_KEYS, classes.iter().map(|class| class.key.as_str()))?;
        let sums = self.aggregates.iter();
        sink.list("sum_classes", sums.clone().map(|sum| sum.class))?;
        sink.list("sum_counts", sums.clone().map(|sum| sum.count))?;
        sink.list("sum_distances", sums.clone().map(|sum| sum.distance.cast_unsigned()))?;
        sink.list("sum_sizes", sums.clone().map(|sum| sum.shallow_size))?;
        sink.list("sum_retained_sizes", sums.map(|sum| sum.retained_size))?;
        sink.list("statistics", self.statistics.categories().into_iter().map(|(_, size)| size))?;
        let duplicates = self.duplicate_strings.iter();
        put_texts(sink, DUPLICATES, duplicates.clone().map(|d| d.string.as_str()))?;
        sink.list("duplicate_counts", duplicates.clone().map(|duplicate| duplicate.count))?;
        sink.list("duplicate_sizes", duplicates.map(|duplicate| duplicate.size))?;
        self.attribution.as_ref().map_or(Ok(()), |attribution| put_attribution(sink, attribution))
    }

    /// The analysis of lists that surely are those that [`Analysis::put_lists`] gave, of this heap. What has an entry
    /// for each node is not looked at.
    ///
    /// # Errors
    /// If one is missing.
    pub fn as_written(lists: &mut Lists, heap: &Heap) -> Result<Self, Unfit> {
        let nodes = heap.nodes().len();
        let classes = classes(lists)?;
        let statistics = lists.longs("statistics")?;
        let [total, native, typed_arrays, v8_heap, code, strings, js_arrays, system] =
            statistics.as_ref().try_into().map_err(|_| Unfit { list: "statistics" })?;
        Ok(Analysis {
            distances: lists.words("distances")?.to_signed(),
            shallow_sizes: lists.packed("shallow_sizes")?,
            retained_sizes: lists.packed("retained_sizes")?,
            retained_native_sizes: lists.optional("retained_native_sizes", Lists::packed)?,
            dominators: lists.words("dominators")?.cast(),
            detachedness: lists.bytes("detachedness")?,
            interfaces: interfaces(lists)?,
            aggregates: aggregates(lists, classes.classes.len())?,
            classes,
            statistics: Statistics {
                total,
                native,
                typed_arrays,
                v8_heap,
                code,
                strings,
                js_arrays,
                system,
            },
            duplicate_strings: duplicates(lists)?,
            by_class: Some(ByClass::as_written(lists)?),
            equal_strings: Some(EqualStrings::as_written(lists, nodes)?),
            attribution: lists.has("unreachable").then(|| attribution(lists, nodes)).transpose()?,
        })
    }
}

fn interfaces(lists: &mut Lists) -> Result<Vec<Interface>, Unfit> {
    let names = lists.texts(INTERFACE_NAMES)?;
    let sizes = lists.words("interface_sizes")?;
    let properties = lists.texts(PROPERTIES)?;
    let sum: u64 = sizes.iter().map(|&size| u64::from(size)).sum();
    let fits = names.iter().count() == sizes.len() && properties.iter().count() as u64 == sum;
    ensure(fits, "interface_sizes")?;
    let mut properties = properties.iter().map(String::from);
    let interface = |(name, &size): (&str, &u32)| Interface {
        name: name.into(),
        properties: properties.by_ref().take(size as usize).collect(),
    };
    Ok(names.iter().zip(&sizes).map(interface).collect())
}

fn classes(lists: &mut Lists) -> Result<Classes, Unfit> {
    let [names, keys] = [lists.texts(CLASS_NAMES)?, lists.texts(CLASS_KEYS)?];
    ensure(names.iter().count() == keys.iter().count(), CLASS_KEYS[1])?;
    let class = |(name, key): (&str, &str)| Class { name: name.into(), key: key.into() };
    let classes = names.iter().zip(keys.iter()).map(class).collect();
    Ok(Classes { of: lists.words("class_of")?, classes })
}

fn aggregates(lists: &mut Lists, classes: usize) -> Result<Vec<Aggregate>, Unfit> {
    let of = lists.words("sum_classes")?;
    ensure(of.iter().all(|&class| (class as usize) < classes), "sum_classes")?;
    let counts = lists.longs("sum_counts")?;
    ensure(counts.len() == of.len(), "sum_counts")?;
    let distances = lists.words("sum_distances")?;
    ensure(distances.len() == of.len(), "sum_distances")?;
    let sizes = lists.longs("sum_sizes")?;
    ensure(sizes.len() == of.len(), "sum_sizes")?;
    let retained = lists.longs("sum_retained_sizes")?;
    ensure(retained.len() == of.len(), "sum_retained_sizes")?;
    let sum = |at: usize| Aggregate {
        class: of[at],
        count: counts[at],
        distance: distances[at].cast_signed(),
        shallow_size: sizes[at],
        retained_size: retained[at],
    };
    Ok((0..of.len()).map(sum).collect())
}

fn duplicates(lists: &mut Lists) -> Result<Vec<Duplicate>, Unfit> {
    let strings = lists.texts(DUPLICATES)?;
    let [counts, sizes] = [lists.longs("duplicate_counts")?, lists.longs("duplicate_sizes")?];
    let count = strings.iter().count();
    ensure(counts.len() == count, "duplicate_counts")?;
    ensure(sizes.len() == count, "duplicate_sizes")?;
    let all = strings.iter().zip(&counts).zip(&sizes);
    let duplicate = |((string, &count), &size): ((&str, &u64), &u64)| Duplicate {
        string: string.into(),
        count,
        size,
    };
    Ok(all.map(duplicate).collect())
}

fn put_attribution<S: ListSink>(sink: &mut S, attribution: &Attribution) -> Result<(), S::Error> {
    let Attribution { native_contexts, retained_by, stack_roots, unreachable } = attribution;
    if let Some(contexts) = native_contexts {
        contexts.put_lists(sink)?;
    }
    for (name, keeper) in KEPT.into_iter().zip(Keeper::ALL) {
        sink.list(name, retained_by.nodes(keeper).words().iter().copied())?;
    }
    sink.list("stack_roots", stack_roots.words().iter().copied())?;
    sink.list("unreachable", unreachable.words().iter().copied())
}

fn attribution(lists: &mut Lists, nodes: usize) -> Result<Attribution, Unfit> {
    let bits = |lists: &mut Lists, name| {
        let bits = FixedBits::from_words(lists.longs(name)?, nodes);
        bits.ok_or(Unfit { list: name })
    };
    let by = KEPT.map(|name| bits(lists, name));
    let [detached, console, handlers, scopes] = by;
    Ok(Attribution {
        native_contexts: NativeContexts::from_lists(lists, nodes)?,
        retained_by: RetainedBy::from_bits([detached?, console?, handlers?, scopes?]),
        stack_roots: bits(lists, "stack_roots")?,
        unreachable: bits(lists, "unreachable")?,
    })
}
