//! What the functions in rows of profiles are called in their sources.

use super::parts::{self, Columns};
use arrow_array::{Array, ArrayRef, Int32Array, RecordBatch, StringArray};
use heapquarry_profile::{Distinct, Function, Original};
use heapquarry_tables::{
    JS_CPU_PROFILER_NODE, JS_HEAP_SAMPLING_NODE, JS_HEAP_TRACE_FUNCTION_INFO, Projection,
    SCRIPT_CALL, SELF_PROFILE_FRAME, SELF_PROFILE_RESOURCE, Table, arrays,
};
use std::{collections::HashMap, sync::Arc};

/// The columns that source maps fill. They are the same in all tables.
const ORIGINALS: [&str; 4] =
    ["original_name", "original_source", "original_line", "original_column"];

/// Tables with originals, and what each needs of others.
static WITH_ORIGINALS: [(&Table, Option<&Table>); 5] = [
    (&JS_CPU_PROFILER_NODE, None),
    (&JS_HEAP_SAMPLING_NODE, None),
    (&JS_HEAP_TRACE_FUNCTION_INFO, None),
    (&SCRIPT_CALL, None),
    (&SELF_PROFILE_FRAME, Some(&SELF_PROFILE_RESOURCE)),
];

/// The number of a table's first line and column.
pub(super) fn first_line(table: &Table) -> i32 {
    i32::from([&SELF_PROFILE_FRAME, &SCRIPT_CALL, &JS_HEAP_TRACE_FUNCTION_INFO].contains(&table))
}

/// The tables of which all rows must be known before those that are wanted have their originals.
pub fn with_originals(projection: &Projection) -> Vec<&'static Table> {
    let is_wanted = |table: &Table| {
        let columns = projection.columns(table);
        ORIGINALS.iter().any(|name| table.column(name).is_some_and(|column| columns.has(column)))
    };
    let wanted = WITH_ORIGINALS.iter().filter(|(table, _)| is_wanted(table));
    wanted.flat_map(|&(table, other)| [Some(table), other]).flatten().collect()
}

/// Rows of profiles that still lack what their functions are called in their sources.
pub struct Unnamed {
    /// The functions of all rows, each once. Give them their originals.
    pub functions: Vec<Function>,
    groups: Vec<Group>,
}

/// A row group, and for each row the number of its function.
struct Group {
    table: &'static Table,
    batch: RecordBatch,
    of: Vec<u32>,
}

impl Unnamed {
    /// Of rows of the tables that [`with_originals`] names, with all their columns.
    pub fn new(batches: Vec<(&'static Table, RecordBatch)>) -> Self {
        let mut urls = HashMap::new();
        for (table, batch) in &batches {
            if **table == SELF_PROFILE_RESOURCE {
                urls.extend(parts::resources(&Columns(table, batch)));
            }
        }
        let mut functions = Distinct::default();
        let mut groups = Vec::with_capacity(batches.len());
        for (table, batch) in batches {
            let columns = Columns(table, &batch);
            // Rows of a row group are many, their functions are few.
            let (of, own) = if *table == SELF_PROFILE_FRAME {
                frames(&columns, &urls)
            } else if WITH_ORIGINALS.contains(&(table, None)) {
                parts::functions(&columns, first_line(table))
            } else {
                (Vec::new(), Vec::new())
            };
            let numbers: Vec<u32> = own.into_iter().map(|one| functions.number(one)).collect();
            let of = of.into_iter().map(|own| numbers[own as usize]).collect();
            groups.push(Group { table, batch, of });
        }
        Unnamed { functions: functions.into_all(), groups }
    }

    /// The rows, with the originals of their functions.
    pub fn named(self) -> Vec<(&'static Table, RecordBatch)> {
        let Unnamed { functions, groups } = self;
        let texts = |of: fn(&Original) -> Option<&str>| -> ArrayRef {
            let text =
                |function: &Function| function.original.as_deref().and_then(of).map(String::from);
            Arc::new(functions.iter().map(text).collect::<StringArray>())
        };
        let (names, sources) =
            (texts(|original| original.name.as_deref()), texts(|original| Some(&original.source)));
        let fill = |Group { table, batch, of }: Group| {
            if of.is_empty() {
                return (table, batch);
            }
            let originals = || of.iter().map(|&at| functions[at as usize].original.as_deref());
            // The rows count as their own positions do.
            let first = first_line(table);
            let number = |of: fn(&Original) -> i32| -> ArrayRef {
                let numbers = originals().map(|original| Some(of(original?) - 1 + first));
                Arc::new(numbers.collect::<Int32Array>())
            };
            let keys = |texts: &ArrayRef| {
                let key = |&at: &u32| texts.is_valid(at as usize).then_some(at as i32);
                arrays::keyed(of.iter().map(key).collect(), texts.clone())
            };
            let filled = [
                keys(&names),
                keys(&sources),
                number(|original| original.line),
                number(|original| original.column),
            ];
            let mut columns = batch.columns().to_vec();
            for (name, column) in ORIGINALS.iter().zip(filled) {
                columns[table.column(name).expect("it is declared")] = column;
            }
            (table, table.batch(columns))
        };
        groups.into_iter().map(fill).collect()
    }
}

/// The functions of frames of self-profiling traces, one for each. `urls` are those of their scripts.
fn frames(
    columns: &Columns<'_>,
    urls: &HashMap<(i32, i32), Arc<str>>,
) -> (Vec<u32>, Vec<Function>) {
    let functions: Vec<Function> = parts::frames(columns)
        .into_iter()
        .map(|((file_id, _), frame)| {
            frame.function(frame.resource.and_then(|id| urls.get(&(file_id, id))))
        })
        .collect();
    ((0..functions.len() as u32).collect(), functions)
}
