//! Parts of profiles from rows of their tables.

use arrow_array::{Array, Int32Array, Int64Array, RecordBatch, StringArray};
use heapquarry_profile::{Frame, Function, Functions, Gaps, Id, Kind, Nodes, Part, Stack, Values};
use heapquarry_tables::{
    JS_CPU_PROFILER_FILES, JS_CPU_PROFILER_NODE, JS_CPU_PROFILER_SAMPLE, JS_HEAP_SAMPLING_FILES,
    JS_HEAP_SAMPLING_NODE, JS_HEAP_TRACE_FUNCTION_INFO, PPROF_FILES, PPROF_NODE, PPROF_NODE_VALUE,
    PPROF_SAMPLE_TYPE, SELF_PROFILE_FILES, SELF_PROFILE_FRAME, SELF_PROFILE_RESOURCE,
    SELF_PROFILE_STACK, Table, arrays,
};
use std::{collections::HashMap, sync::Arc};

/// A table that a profile is made of: the columns that it needs, and the part that they become.
pub(super) struct Source {
    pub(super) table: &'static Table,
    pub(super) columns: &'static [&'static str],
    pub(super) part: fn(&Columns<'_>) -> Part,
}

static CPU: [Source; 3] = [
    Source {
        table: &JS_CPU_PROFILER_FILES,
        columns: &[
            "file_name",
            "start_time_us",
            "end_time_us",
            "sample_count",
            "sampled_time_us",
            "tid",
            "tid_text",
            "hit_count",
            "time_source",
            "untimed_sample_count",
        ],
        part: cpu_profiles,
    },
    Source {
        table: &JS_CPU_PROFILER_NODE,
        columns: &[
            "function_id",
            "function_name",
            "url",
            "line_number",
            "column_number",
            "hit_count",
            "self_time_us",
            "parent_index",
        ],
        part: cpu_nodes,
    },
    Source {
        table: &JS_CPU_PROFILER_SAMPLE,
        columns: &["function_id", "dur_us"],
        part: cpu_samples,
    },
];

static HEAP: [Source; 2] = [
    Source {
        table: &JS_HEAP_SAMPLING_FILES,
        columns: &["sample_count", "self_size"],
        part: |columns| whole(columns.sum("sample_count"), columns.sum("self_size"), None),
    },
    Source {
        table: &JS_HEAP_SAMPLING_NODE,
        columns: &[
            "function_name",
            "url",
            "line_number",
            "column_number",
            "self_size",
            "parent_index",
        ],
        part: heap_nodes,
    },
];

static SELF_PROFILE: [Source; 4] = [
    Source {
        table: &SELF_PROFILE_FILES,
        columns: &["sample_count"],
        part: |columns| {
            let samples = columns.sum("sample_count");
            whole(samples, samples, None)
        },
    },
    Source {
        table: &SELF_PROFILE_STACK,
        columns: &["stack_id", "frame_id", "parent_id", "sample_count"],
        part: stacks,
    },
    Source {
        table: &SELF_PROFILE_FRAME,
        columns: &["frame_id", "name", "resource_id", "line_number", "column_number"],
        part: |columns| Part::Frames(frames(columns)),
    },
    Source {
        table: &SELF_PROFILE_RESOURCE,
        columns: &["resource_id", "url"],
        part: |columns| Part::Resources(resources(columns)),
    },
];

static PPROF: [Source; 4] = [
    Source {
        table: &PPROF_FILES,
        columns: &["time_ns", "duration_ns", "default_value_index", "sample_count"],
        part: pprof_profiles,
    },
    Source {
        table: &PPROF_SAMPLE_TYPE,
        columns: &["value_index", "value_type", "unit"],
        part: pprof_types,
    },
    Source {
        table: &PPROF_NODE,
        columns: &[
            "function_name",
            "url",
            "line_number",
            "at_line_number",
            "at_column_number",
            "address",
            "parent_index",
            "mapping_name",
        ],
        part: pprof_nodes,
    },
    Source {
        table: &PPROF_NODE_VALUE,
        columns: &["value_index", "node_index", "self_value"],
        part: pprof_values,
    },
];

/// The tables that a profile of that kind needs; those of samples only if they are requested.
pub(super) fn sources(kind: Kind, samples: bool) -> &'static [Source] {
    match kind {
        Kind::Cpu => &CPU[..if samples { 3 } else { 2 }],
        Kind::Heap => &HEAP,
        Kind::SelfProfile => &SELF_PROFILE,
        Kind::Pprof => &PPROF,
    }
}

/// Columns of a batch by name, in plain form.
pub(super) struct Columns<'a>(pub(super) &'static Table, pub(super) &'a RecordBatch);

impl Columns<'_> {
    fn column<T: Array + Clone + 'static>(&self, name: &str) -> T {
        let Columns(table, batch) = self;
        let declared = &table.columns[table.column(name).expect("it is declared")];
        let array = batch.column_by_name(name).expect("it was asked for");
        let plain = arrays::expand(array, declared.ty);
        let plain = plain.expect("names of a row group take less than 2 GiB");
        plain.as_any().downcast_ref::<T>().expect("as declared").clone()
    }

    pub(super) fn int64s(&self, name: &str) -> Int64Array {
        self.column(name)
    }

    fn int32s(&self, name: &str) -> Int32Array {
        self.column(name)
    }

    fn texts(&self, name: &str) -> StringArray {
        self.column(name)
    }

    /// A column of texts as keys, and the text of each key.
    pub(super) fn keys(&self, name: &str) -> (Int32Array, Shared) {
        let array = self.1.column_by_name(name).expect("it was asked for");
        let indexed = arrays::indexed(array).expect("names of a row group take less than 2 GiB");
        let (keys, texts) = indexed;
        (keys, Shared { texts, made: HashMap::new() })
    }

    /// Ids that are unique within their documents.
    fn ids(&self, name: &str) -> Vec<Id> {
        let (file_ids, numbers) = (self.int32s("file_id"), self.int32s(name));
        file_ids.values().iter().copied().zip(numbers.values().iter().copied()).collect()
    }

    /// The sum of a column.
    fn sum(&self, name: &str) -> i64 {
        self.int64s(name).iter().flatten().fold(0, i64::saturating_add)
    }
}

/// Texts of rows by their keys. Each is made once: a small file can have a long text that thousands of functions share.
pub(super) struct Shared {
    texts: arrays::Texts,
    made: HashMap<i32, Arc<str>>,
}

impl Shared {
    /// The text of a key; empty if there is none.
    fn text(&mut self, key: Option<i32>) -> Arc<str> {
        let Some(key) = key else { return Arc::default() };
        let make = || self.texts.get(key as usize).unwrap_or_default().into();
        self.made.entry(key).or_insert_with(make).clone()
    }
}

/// The document of rows that belong to a single one.
pub(super) fn document(table: &'static Table, batch: &RecordBatch) -> Option<i32> {
    Columns(table, batch).int32s("file_id").values().first().copied()
}

/// What is told of a profile as a whole, if it has neither names of threads nor gaps.
fn whole(samples: i64, whole: i64, span: Option<(i64, i64)>) -> Part {
    Part::Whole { samples, whole, span, names: Vec::new(), gaps: Gaps::default() }
}

fn cpu_profiles(columns: &Columns<'_>) -> Part {
    let (start, end) = (columns.int64s("start_time_us"), columns.int64s("end_time_us"));
    Part::Whole {
        samples: columns.sum("sample_count"),
        whole: columns.sum("sampled_time_us"),
        span: start.iter().flatten().min().zip(end.iter().flatten().max()),
        names: names(columns),
        gaps: gaps(columns),
    }
}

fn cpu_samples(columns: &Columns<'_>) -> Part {
    let (ids, durations) = (columns.int64s("function_id"), columns.int64s("dur_us"));
    let file_ids = columns.int32s("file_id");
    let rows = file_ids.values().iter().zip(ids.iter().zip(&durations));
    let rows =
        rows.filter_map(|(&file_id, (id, duration))| Some(((file_id, id?), duration.unwrap_or(0))));
    // Nearly all samples have a node.
    let mut samples = Vec::with_capacity(file_ids.len());
    samples.extend(rows);
    Part::Samples(samples)
}

fn pprof_profiles(columns: &Columns<'_>) -> Part {
    let (start, duration) = (columns.int64s("time_ns"), columns.int64s("duration_ns"));
    let duration = duration.iter().flatten().next();
    let start = start.iter().flatten().next().unwrap_or(0);
    let span = duration.map(|duration| (start / 1000, start.saturating_add(duration) / 1000));
    let value = columns.int32s("default_value_index").iter().flatten().next();
    Part::Default { whole: Box::new(whole(columns.sum("sample_count"), 0, span)), value }
}

fn pprof_types(columns: &Columns<'_>) -> Part {
    let (kinds, units) = (columns.texts("value_type"), columns.texts("unit"));
    let positions = columns.int32s("value_index");
    let rows = positions.values().iter().zip(kinds.iter().zip(&units));
    let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
    Part::Types(rows.map(|(&at, (kind, unit))| (at, text(kind), text(unit))).collect())
}

fn pprof_values(columns: &Columns<'_>) -> Part {
    let (types, nodes) = (columns.int32s("value_index"), columns.int64s("node_index"));
    let values = columns.int64s("self_value");
    let rows = nodes.values().iter().copied().zip(values.values().iter().copied());
    let rows: Vec<(i64, i64)> = rows.collect();
    let types = types.values().chunk_by(|a, b| a == b);
    let mut start = 0;
    let of_type = |types: &[i32]| {
        let values = rows[start..start + types.len()].to_vec();
        start += types.len();
        Values { of: types[0], values }
    };
    Part::Values(types.map(of_type).collect())
}

fn stacks(columns: &Columns<'_>) -> Part {
    let (frames, parents) = (columns.int32s("frame_id"), columns.int32s("parent_id"));
    let counts = columns.int64s("sample_count");
    let rows = columns.ids("stack_id").into_iter().zip(&frames).zip(&parents).zip(counts.values());
    let rows = rows.map(|(((id, frame), parent), &count)| Stack {
        id,
        frame,
        parent: parent.unwrap_or(-1),
        count,
    });
    Part::Stacks(rows.collect())
}

/// The frames of self-profiling traces.
pub(super) fn frames(columns: &Columns<'_>) -> Vec<(Id, Frame)> {
    let (names, mut name) = columns.keys("name");
    let resources = columns.int32s("resource_id");
    let (lines, at) = (columns.int32s("line_number"), columns.int32s("column_number"));
    let places = resources.iter().zip(lines.iter().zip(&at));
    let rows = columns.ids("frame_id").into_iter().zip(names.iter().zip(places));
    let rows = rows.map(|(id, (key, (resource, (line, column))))| {
        (id, Frame { name: name.text(key), resource, line, column })
    });
    rows.collect()
}

/// The addresses of their scripts.
pub(super) fn resources(columns: &Columns<'_>) -> Vec<(Id, Arc<str>)> {
    let (urls, mut url) = columns.keys("url");
    let rows = columns.ids("resource_id").into_iter().zip(&urls);
    rows.map(|(id, key)| (id, url.text(key))).collect()
}

/// What is not known of the times of CPU profiles.
fn gaps(columns: &Columns<'_>) -> Gaps {
    let (samples, hits) = (columns.int64s("sample_count"), columns.int64s("hit_count"));
    let (sources, untimed) = (columns.texts("time_source"), columns.int64s("untimed_sample_count"));
    let counts = samples.iter().zip(&hits).zip(&untimed);
    let mut gaps = Gaps::default();
    for (source, ((samples, hits), untimed)) in sources.iter().zip(counts) {
        let is_known = source.is_some();
        gaps.join(Gaps {
            is_shared_out: source.is_some_and(|source| ["samples", "hits"].contains(&source)),
            is_untimed: !is_known && (samples.unwrap_or(0) > 0 || hits.unwrap_or(0) > 0),
            unknown: untimed.filter(|_| is_known).and_then(|n| u64::try_from(n).ok()).unwrap_or(0),
        });
    }
    gaps
}

/// Names of CPU profiles.
fn names(columns: &Columns<'_>) -> Vec<(i32, String)> {
    let (file_ids, names) = (columns.int32s("file_id"), columns.texts("file_name"));
    let (tids, texts) = (columns.int64s("tid"), columns.texts("tid_text"));
    let rows = file_ids.values().iter().zip(&names).zip(tids.iter().zip(&texts));
    let rows = rows.map(|((&file_id, name), (tid, text))| {
        let mut name = name.unwrap_or_default().to_string();
        if let Some(thread) = text.map(String::from).or_else(|| Some(tid?.to_string())) {
            name += ", thread ";
            name += &thread;
        }
        (file_id, name)
    });
    rows.collect()
}

/// The function of each node of a CPU profile or a sampling heap profile, or of each call, and the functions. Those of
/// allocation stacks are rows themselves. The first line and column have the number `first`.
pub(super) fn functions(columns: &Columns<'_>, first: i32) -> (Vec<u32>, Vec<Function>) {
    let (name, url) = match *columns.0 == JS_HEAP_TRACE_FUNCTION_INFO {
        true => ("name", "script_name"),
        false => ("function_name", "url"),
    };
    let ((names, mut name), (urls, mut url)) = (columns.keys(name), columns.keys(url));
    let (lines, at) = (columns.int32s("line_number"), columns.int32s("column_number"));
    // Files have -1 for unknown positions.
    let from_one = |number: Option<i32>| {
        number.filter(|&number| number >= first).map(|n| n.saturating_add(1 - first))
    };
    let mut functions = Functions::new();
    let rows = names.iter().zip(&urls).zip(lines.iter().zip(&at));
    let of = rows.map(|(texts, place)| {
        functions.number((texts, place), || Function {
            name: name.text(texts.0),
            url: url.text(texts.1),
            line: from_one(place.0),
            column: from_one(place.1),
            original: None,
        })
    });
    (of.collect(), functions.into_all())
}

fn cpu_nodes(columns: &Columns<'_>) -> Part {
    let nodes = nodes(columns, numbers(columns, "self_time_us"));
    let ids = columns.int64s("function_id").iter().collect();
    Part::Nodes(Nodes { hits: numbers(columns, "hit_count"), ids, ..nodes })
}

fn heap_nodes(columns: &Columns<'_>) -> Part {
    let unknown = columns.int64s("self_size").null_count() as u64;
    Part::Nodes(Nodes { unknown, ..nodes(columns, numbers(columns, "self_size")) })
}

fn numbers(columns: &Columns<'_>, name: &str) -> Vec<i64> {
    columns.int64s(name).iter().map(|value| value.unwrap_or(0)).collect()
}

/// Nodes with these weights.
fn nodes(columns: &Columns<'_>, weights: Vec<i64>) -> Nodes {
    let (of, functions) = functions(columns, 0);
    Nodes {
        of,
        functions,
        weights,
        file_ids: columns.int32s("file_id").values().to_vec(),
        parents: columns.int64s("parent_index").values().to_vec(),
        ..Nodes::default()
    }
}

/// Nodes of a pprof profile. A function without a name is known by the address that was met, an anonymous one by its
/// position, which `export` writes as the one that ran.
fn pprof_nodes(columns: &Columns<'_>) -> Part {
    let ((names, mut name), (urls, mut url)) = (columns.keys("function_name"), columns.keys("url"));
    let (lines, addresses) = (columns.int32s("line_number"), columns.int64s("address"));
    let (at_lines, at_columns) =
        (columns.int32s("at_line_number"), columns.int32s("at_column_number"));
    // What functions without a name are known by, by the keys of names.
    let is_anonymous: Vec<bool> =
        name.texts.iter().map(|name| matches!(name, Some("" | "(anonymous)"))).collect();
    let mut nodes = Nodes::default();
    let mut functions = Functions::new();
    let (mappings, mut mapping) = columns.keys("mapping_name");
    let places = lines.iter().zip(&at_lines).zip(&at_columns).zip(&addresses);
    let rows = names.iter().zip(&urls).zip(&mappings).zip(places);
    nodes.of.extend(rows.map(|((texts, binary), (((line, at_line), column), address))| {
        // Of a function without a symbol, the binary is all that is known.
        let binary = binary.filter(|_| texts.0.is_none() && texts.1.is_none());
        let is_anonymous = texts.0.is_some_and(|key| is_anonymous[key as usize]);
        let column = column.filter(|_| is_anonymous && at_line == line);
        let address = address.filter(|_| texts.0.is_none());
        functions.number((texts, binary, line, column, address), || Function {
            name: match address {
                Some(address) => format!("{address:#x}").into(),
                None if is_anonymous => "".into(),
                None => name.text(texts.0),
            },
            url: match binary {
                Some(_) => mapping.text(binary),
                None => url.text(texts.1),
            },
            line,
            column,
            original: None,
        })
    }));
    nodes.functions = functions.into_all();
    nodes.file_ids = columns.int32s("file_id").values().to_vec();
    nodes.parents = columns.int64s("parent_index").values().to_vec();
    Part::Nodes(nodes)
}
