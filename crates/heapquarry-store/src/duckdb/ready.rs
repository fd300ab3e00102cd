//! Processes of DuckDB that are started ahead of the question.
//!
//! Most of the time of a small query is that of a process which starts and reads the tables' footers. So whoever has
//! inputs open has the next process do that beside this question. Each takes one question and ends: no query can leave
//! anything behind for the next one, such as what `setseed` sets.

use super::{Engine, Error, Setup, process::Process};
use crate::cache::Stamp;
use heapquarry_base::sync::unpoisoned;
use std::sync::Mutex;

/// Most of them: for two inputs, each with its analysis and without. Each takes some 40 MB.
const MOST: usize = 4;

/// Processes that know the tables of an input, and wait for one question each.
#[derive(Debug, Default)]
pub struct Ready(Mutex<Vec<Waiting>>);

#[derive(Debug)]
struct Waiting {
    process: Process,
    knows: Known,
}

/// What a process is told before a question, and the files that it then reads.
#[derive(Debug)]
pub(super) struct Known {
    engine: Engine,
    script: String,
    files: Vec<Stamp>,
}

impl Known {
    /// `None` if it cannot be told whether the files change.
    pub(super) fn of(engine: &Engine, setup: &Setup) -> Option<Self> {
        let files = setup.views.dirs().map(Stamp::of_dir).collect::<Option<_>>()?;
        Some(Known { engine: engine.clone(), script: setup.script(), files })
    }

    fn is_same(&self, other: &Known) -> bool {
        (&self.engine, &self.script) == (&other.engine, &other.script)
            && self.files.iter().zip(&other.files).all(|(one, other)| one.is_same(other))
    }
}

impl Ready {
    /// A process that knows this: one that has waited, or a new one. The next one is started beside it; for it the one
    /// that has waited for the longest time is ended, if there are many.
    pub(super) fn process(&self, wanted: Known) -> Result<Process, Error> {
        let mut waiting = unpoisoned(self.0.lock());
        // Somebody may have ended one, or the system, which lacked memory.
        waiting.retain_mut(|waiting| !waiting.process.has_ended());
        let start = || Process::start(&wanted.engine, &wanted.script);
        let found = waiting.iter().position(|waiting| waiting.knows.is_same(&wanted));
        let process = found.map_or_else(start, |found| Ok(waiting.remove(found).process))?;
        // Files that have changed do not change back.
        waiting.retain(|waiting| waiting.knows.script != wanted.script);
        if waiting.len() == MOST {
            waiting.remove(0);
        }
        // What is wrong, the next question tells.
        if let Ok(process) = start() {
            waiting.push(Waiting { process, knows: wanted });
        }
        Ok(process)
    }

    /// Ends them.
    pub fn end(&self) {
        unpoisoned(self.0.lock()).clear();
    }
}
