//! What an interrupt does.

use crate::exit::ExitCode;
use heapquarry::Cancel;
use heapquarry_store::duckdb;
use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// Interrupts within this time are one: a terminal sends it to all that run, and what started us may pass it on, as the
/// npm package does.
const AT_ONCE: Duration = Duration::from_millis(200);

/// What the next interrupt cancels.
fn current() -> MutexGuard<'static, Option<Cancel>> {
    static CURRENT: Mutex<Option<Cancel>> = Mutex::new(None);
    CURRENT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether an interrupt came since the last handle was made.
pub(crate) fn is_interrupted() -> bool {
    current().as_ref().is_some_and(Cancel::is_cancelled)
}

/// The handle that the next interrupt cancels, whoever made it.
pub(crate) fn handle() -> Cancel {
    let made = current().clone();
    made.unwrap_or_else(catch_interrupts)
}

/// A handle that the next interrupt cancels; the one after it removes what is unfinished and ends the process at once.
pub(crate) fn catch_interrupts() -> Cancel {
    let cancel = Cancel::new();
    if current().replace(cancel.clone()).is_none() {
        let mut last: Option<Instant> = None;
        let _ = ctrlc::set_handler(move || {
            // Counted from the first one: whoever keeps the key down must get through.
            if last.is_some_and(|last| last.elapsed() < AT_ONCE) {
                return;
            }
            last = Some(Instant::now());
            let was_cancelled = current().as_ref().is_some_and(Cancel::cancel);
            if was_cancelled && !duckdb::owns_the_terminal() {
                // Otherwise a partial output would stay until the next run removes it.
                heapquarry::temporary::remove_all();
                std::process::exit(ExitCode::INTERRUPTED.number().into());
            }
        });
    }
    cancel
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_one_handle_at_a_time() {
        let made = catch_interrupts();
        assert!(!handle().is_cancelled());
        made.cancel();
        assert!(handle().is_cancelled() && is_interrupted());
        catch_interrupts();
        assert!(!handle().is_cancelled());
    }
}
