//! The progress of a request.

use heapquarry::Progress;
use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicU64, Ordering},
};

/// Counts the bytes that the work of one request has read.
#[derive(Default)]
pub(crate) struct Meter {
    read: AtomicU64,
    /// Of all documents that were begun.
    total: AtomicU64,
    document: Mutex<String>,
}

/// How far work is.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Reading {
    pub(crate) read: u64,
    pub(crate) total: u64,
    pub(crate) document: String,
}

impl Meter {
    pub(crate) fn reading(&self) -> Reading {
        let document = self.document.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let total = self.total.load(Ordering::Relaxed);
        Reading { read: self.read.load(Ordering::Relaxed).min(total), total, document }
    }
}

impl Progress for Meter {
    fn begin(&self, name: &str, bytes: u64) {
        name.clone_into(&mut self.document.lock().unwrap_or_else(PoisonError::into_inner));
        self.total.fetch_add(bytes, Ordering::Relaxed);
    }

    fn advance(&self, bytes: u64) {
        self.read.fetch_add(bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_never_goes_back() {
        let meter = Meter::default();
        let mut last = 0;
        for (document, bytes) in [("a", 10), ("b", 5)] {
            meter.begin(document, bytes);
            meter.advance(bytes);
            let reading = meter.reading();
            assert!(reading.read > last && reading.read <= reading.total, "{reading:?}");
            assert_eq!(reading.document, document);
            last = reading.read;
        }
    }
}
