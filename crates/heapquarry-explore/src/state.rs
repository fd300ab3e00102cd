//! How far the analysis is.

use crate::sql::Sql;
use heapquarry::Progress;
use heapquarry_query::Explored;
use serde::Serialize;
use std::sync::{
    Arc, Mutex, OnceLock, PoisonError,
    atomic::{AtomicU64, Ordering},
    mpsc::Sender,
};

/// What has become of the input.
#[derive(Default)]
pub(crate) struct State {
    /// Name of the document that is read, and its bytes.
    document: Mutex<Option<(String, u64)>>,
    read: AtomicU64,
    pub(crate) explored: OnceLock<Explored>,
    /// The answer to the first question of each page, which is the longest to work out: who asks meanwhile waits.
    pub(crate) overview: Mutex<Option<Vec<u8>>>,
    /// What runs SQL.
    pub(crate) sql: OnceLock<Box<dyn Sql>>,
}

/// What a page says while nothing can be asked.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "stage", rename_all = "snake_case")]
pub(crate) enum Stage {
    /// The input is looked for, or unpacked.
    Opening,
    /// It is read.
    Reading {
        /// Its name.
        name: String,
        /// Bytes so far.
        read: u64,
        /// Bytes in all.
        bytes: u64,
    },
    /// It is analysed.
    Analysing {
        /// Its name.
        name: String,
    },
    /// Everything can be asked.
    Ready {
        /// What it is: `heap`, `profile`, `trace`, `watch`.
        kind: &'static str,
        /// Whether it is a profile, or has CPU profiles or stacks of allocations in it.
        has_profile: bool,
        /// Whether it is the last of several.
        is_series: bool,
    },
}

impl State {
    pub(crate) fn stage(&self) -> Stage {
        if let Some(explored) = self.explored.get() {
            return Stage::Ready {
                kind: explored.kind(),
                has_profile: explored.profile().is_some(),
                is_series: explored.is_series(),
            };
        }
        let document = self.document.lock().unwrap_or_else(PoisonError::into_inner);
        let Some((name, bytes)) = document.clone() else { return Stage::Opening };
        match self.read.load(Ordering::Relaxed) {
            read if read < bytes => Stage::Reading { name, read, bytes },
            _ => Stage::Analysing { name },
        }
    }
}

/// Tells the page of progress, and whoever else wants to know.
pub(crate) struct Told {
    pub(crate) state: Arc<State>,
    /// Told when the first document begins: the input is of a kind that can be read.
    pub(crate) begun: Sender<crate::event::Event>,
    pub(crate) other: Arc<dyn Progress>,
}

impl Progress for Told {
    fn begin(&self, name: &str, bytes: u64) {
        let mut document = self.state.document.lock().unwrap_or_else(PoisonError::into_inner);
        self.state.read.store(0, Ordering::Relaxed);
        *document = Some((name.into(), bytes));
        drop(document);
        let _ = self.begun.send(crate::event::Event::Begun);
        self.other.begin(name, bytes);
    }

    fn advance(&self, bytes: u64) {
        self.state.read.fetch_add(bytes, Ordering::Relaxed);
        self.other.advance(bytes);
    }

    fn waiting(&self, what: &str) {
        self.other.waiting(what);
    }

    fn remark(&self, what: &str) {
        self.other.remark(what);
    }

    fn saved(&self, what: &str) {
        self.other.saved(what);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn stages_follow_the_bytes() {
        let (begun, events) = mpsc::channel();
        let state = Arc::new(State::default());
        let told = Told { state: state.clone(), begun, other: Arc::new(()) };
        assert_eq!(state.stage(), Stage::Opening);
        told.begin("a", 10);
        assert!(events.try_recv().is_ok());
        assert_eq!(state.stage(), Stage::Reading { name: "a".into(), read: 0, bytes: 10 });
        told.advance(4);
        assert_eq!(state.stage(), Stage::Reading { name: "a".into(), read: 4, bytes: 10 });
        told.advance(6);
        assert_eq!(state.stage(), Stage::Analysing { name: "a".into() });
        told.begin("b", 0);
        assert_eq!(state.stage(), Stage::Analysing { name: "b".into() });
    }
}
