//! The progress of a request.

use heapquarry::{Progress, report::Unit};
use std::sync::{
    Mutex, MutexGuard, PoisonError,
    atomic::{AtomicU64, Ordering},
};

/// Counts the bytes that the work of one request has read or captured.
#[derive(Default)]
pub(crate) struct Meter {
    read: AtomicU64,
    /// Of all documents that were begun, and all that came of captures.
    total: AtomicU64,
    work: Mutex<Work>,
}

/// What is done at the moment.
#[derive(Default)]
struct Work {
    what: String,
    /// Bytes that have come, if something is captured.
    received: Option<u64>,
}

/// How far work is.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Reading {
    pub(crate) read: u64,
    /// Of how much; unknown while something is captured.
    pub(crate) total: Option<u64>,
    /// What is done at the moment.
    pub(crate) what: String,
}

impl Meter {
    pub(crate) fn reading(&self) -> Reading {
        let work = self.work();
        let total = self.total.load(Ordering::Relaxed);
        Reading {
            read: self.read.load(Ordering::Relaxed).min(total),
            total: work.received.is_none().then_some(total),
            what: work.what.clone(),
        }
    }

    fn work(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Progress for Meter {
    fn begin(&self, name: &str, bytes: u64) {
        *self.work() = Work { what: format!("reading {name}"), received: None };
        self.total.fetch_add(bytes, Ordering::Relaxed);
    }

    fn advance(&self, bytes: u64) {
        self.read.fetch_add(bytes, Ordering::Relaxed);
    }

    fn received(&self, name: &str, bytes: u64, pieces: u64) {
        let mut work = self.work();
        // The first piece of another file begins anew.
        let before = work.received.filter(|_| pieces > 1).unwrap_or(0);
        let more = bytes.saturating_sub(before);
        let s = if pieces == 1 { "" } else { "s" };
        let size = Unit::Bytes.format(i64::try_from(bytes).unwrap_or(i64::MAX));
        *work = Work {
            what: format!("captured {size} in {pieces} piece{s}: {name}"),
            received: Some(bytes),
        };
        self.read.fetch_add(more, Ordering::Relaxed);
        self.total.fetch_add(more, Ordering::Relaxed);
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
            assert!(reading.read > last && Some(reading.read) <= reading.total, "{reading:?}");
            assert_eq!(reading.what, format!("reading {document}"));
            last = reading.read;
        }
    }

    #[test]
    fn captures_are_counted_and_have_no_end() {
        let meter = Meter::default();
        let mut last = 0;
        for (name, bytes, pieces, expected, what) in [
            ("a", 1000, 1, 1000, "captured 1.0 kB in 1 piece: a"),
            ("a", 5000, 3, 5000, "captured 5.0 kB in 3 pieces: a"),
            ("b", 2000, 1, 7000, "captured 2.0 kB in 1 piece: b"),
        ] {
            meter.received(name, bytes, pieces);
            let reading = meter.reading();
            assert_eq!(
                (reading.read, reading.total, reading.what.as_str()),
                (expected, None, what)
            );
            assert!(reading.read > last);
            last = reading.read;
        }
        // What was captured is read.
        meter.begin("a", 5000);
        meter.advance(100);
        let reading = meter.reading();
        assert_eq!((reading.read, reading.total), (7100, Some(12_000)));
    }
}
