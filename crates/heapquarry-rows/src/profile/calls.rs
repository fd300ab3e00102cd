//! The calls of scripts that a trace tells, out of rows of `script_call`.

use super::{
    originals::first_line,
    parts::{self, Columns},
};
use arrow_array::RecordBatch;
use heapquarry_base::Order;
use heapquarry_profile::{Distinct, Function, memory_of_functions};
use heapquarry_tables::{Projection, SCRIPT_CALL, sync::unpoisoned};
use heapquarry_timeline::EventIndex;
use std::sync::{
    Mutex,
    atomic::{AtomicU64, Ordering::Relaxed},
};

/// The columns that are needed.
const COLUMNS: [&str; 5] = ["event_index", "function_name", "url", "line_number", "column_number"];

/// What the events of a trace run or compile.
#[derive(Debug, Default)]
pub struct Calls {
    /// What is called, each once. A script that runs as a whole has no column: it is no function of its source.
    pub functions: Vec<Function>,
    /// The events, in order, each with the number of its function.
    pub of: Vec<(EventIndex, u32)>,
}

impl Calls {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.of.is_empty()
    }

    /// What an event calls.
    pub fn of_event(&self, event: EventIndex) -> Option<u32> {
        let at = self.of.binary_search_by_key(&event, |&(event, _)| event).ok()?;
        Some(self.of[at].1)
    }

    /// Memory that they take, in bytes, about.
    pub fn memory(&self) -> u64 {
        16 * self.of.len() as u64 + memory_of_functions(&self.functions)
    }
}

/// Collects calls from rows as they are decoded.
#[derive(Default)]
pub struct GatheringCalls {
    /// Parts with the numbers of their row groups.
    parts: Mutex<Vec<(u64, Calls)>>,
    /// Memory of the parts.
    bytes: AtomicU64,
}

impl GatheringCalls {
    /// A projection that has what is needed, too.
    pub fn with(projection: Projection) -> Projection {
        let add = |projection: Projection, column: &&'static str| {
            projection.with_column(&SCRIPT_CALL, column).expect("a declared column")
        };
        COLUMNS.iter().fold(projection, add)
    }

    /// Takes rows; `seq` says in which order they are.
    pub fn add(&self, seq: u64, batch: &RecordBatch) {
        let columns = Columns(&SCRIPT_CALL, batch);
        let (of, mut functions) = parts::functions(&columns, first_line(&SCRIPT_CALL));
        let (names, _) = columns.keys("function_name");
        for (&function, name) in of.iter().zip(&names) {
            if name.is_none() {
                functions[function as usize].column = None;
            }
        }
        let events = columns.int64s("event_index");
        let events = events.values().iter().map(|&event| EventIndex(event as u64));
        let part = Calls { of: events.zip(of).collect(), functions };
        self.bytes.fetch_add(part.memory(), Relaxed);
        unpoisoned(self.parts.lock()).push((seq, part));
    }

    /// Memory of all that has been taken, in bytes, about.
    pub fn memory(&self) -> u64 {
        self.bytes.load(Relaxed)
    }

    /// The calls.
    pub fn finish(self) -> Calls {
        let mut parts = unpoisoned(self.parts.into_inner());
        parts.order_by_key(|(seq, _)| *seq);
        let mut functions = Distinct::default();
        let mut of = Vec::with_capacity(parts.iter().map(|(_, part)| part.of.len()).sum());
        for (_, part) in parts {
            let numbers: Vec<u32> =
                part.functions.into_iter().map(|one| functions.number(one)).collect();
            of.extend(part.of.into_iter().map(|(event, own)| (event, numbers[own as usize])));
        }
        // Other programs may have written the tables.
        of.sort_unstable_by_key(|&(event, _)| event);
        Calls { functions: functions.into_all(), of }
    }
}
