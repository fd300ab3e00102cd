//! What is to be known of how an answer was made.

use heapquarry::Progress;
use std::sync::{Arc, Mutex, PoisonError};

/// Passes progress on, and keeps remarks: a server has no other place for them than its answers.
pub(crate) struct Remarks {
    progress: Arc<dyn Progress>,
    said: Mutex<Vec<String>>,
}

impl Remarks {
    pub(crate) fn of(progress: Arc<dyn Progress>) -> Self {
        Remarks { progress, said: Mutex::default() }
    }

    /// All of them, each once.
    pub(crate) fn said(&self) -> Vec<String> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Progress for Remarks {
    fn begin(&self, name: &str, bytes: u64) {
        self.progress.begin(name, bytes);
    }

    fn advance(&self, bytes: u64) {
        self.progress.advance(bytes);
    }

    fn received(&self, name: &str, bytes: u64, pieces: u64) {
        self.progress.received(name, bytes, pieces);
    }

    fn waiting(&self, what: &str) {
        self.progress.waiting(what);
    }

    fn remark(&self, what: &str) {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        if !said.iter().any(|before| before == what) {
            said.push(what.into());
        }
    }
}
