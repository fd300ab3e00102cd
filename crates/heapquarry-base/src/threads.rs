//! Threads that work together and end together.

use crate::sync::unpoisoned;
use std::{ops::Range, sync::Mutex, thread};

/// Runs `work` on this thread and on so many others, or as many as the system starts, and waits for all. A panic of any
/// is raised here.
pub fn on_all(others: usize, work: &(dyn Fn() + Sync)) {
    thread::scope(|scope| {
        let start = |_| thread::Builder::new().spawn_scoped(scope, work).ok();
        let others: Vec<_> = (0..others).map_while(start).collect();
        work();
        for other in others {
            other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        }
    });
}

/// Runs two steps in parallel if there may be more than one thread, and the system starts another. The second one runs
/// on the other thread. A panic of either is raised here.
pub fn join<A, B: Send>(
    threads: usize,
    a: impl FnOnce() -> A,
    b: impl FnOnce() -> B + Send,
) -> (A, B) {
    if threads < 2 {
        return (a(), b());
    }
    let (mut first, mut a) = (None, Some(a));
    // The thread takes the step, or this one if there is none.
    let (second, b) = (Mutex::new(None), Mutex::new(Some(b)));
    let other = || {
        let b = unpoisoned(b.lock()).take();
        if let Some(b) = b {
            let done = b();
            *unpoisoned(second.lock()) = Some(done);
        }
    };
    beside(&mut || first = a.take().map(|a| a()), &other);
    let done = "each step is taken once";
    (first.expect(done), unpoisoned(second.into_inner()).expect(done))
}

/// Runs `here` on this thread, and `other` on another, or here if the system starts none.
fn beside(here: &mut dyn FnMut(), other: &(dyn Fn() + Sync)) {
    thread::scope(|scope| {
        let thread = thread::Builder::new().spawn_scoped(scope, other);
        here();
        match thread {
            Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(_) => other(),
        }
    });
}

/// Consecutive ranges that cover `0..len`, one for each thread.
pub fn bounds(len: usize, threads: usize) -> impl Iterator<Item = Range<usize>> {
    // A thread costs more than a few thousand nodes.
    let parts = threads.clamp(1, len / 4096 + 1);
    // In 128 bits, because the product may not fit 64.
    let bound = move |part: usize| (len as u128 * part as u128 / parts as u128) as usize;
    (0..parts).map(move |part| bound(part)..bound(part + 1))
}

/// Runs `work` on each part, in a thread for each if the system starts as many, and returns the results in order of the
/// parts.
pub fn each<P: Send, T: Send>(parts: Vec<P>, work: impl Fn(P) -> T + Sync) -> Vec<T> {
    let mut done: Vec<Option<T>> = parts.iter().map(|_| None).collect();
    let others = parts.len().saturating_sub(1);
    let queue = Mutex::new(parts.into_iter().zip(&mut done));
    on_all(others, &|| {
        loop {
            let next = unpoisoned(queue.lock()).next();
            let Some((part, result)) = next else { return };
            *result = Some(work(part));
        }
    });
    drop(queue);
    done.into_iter().flatten().collect()
}

/// Runs `work` on consecutive ranges that cover `0..len`, one for each thread, and returns the results in order of the
/// ranges.
pub fn ranges<T: Send>(
    len: usize,
    threads: usize,
    work: impl Fn(Range<usize>) -> T + Sync,
) -> Vec<T> {
    each(bounds(len, threads).collect(), work)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_consecutive_and_of_equal_length() {
        for (len, threads, expected) in [
            (0, 4, 1),
            (4095, 8, 1),
            (4096, 8, 2),
            (100_000, 1, 1),
            (100_000, 7, 7),
            (100_000, 99, 25),
        ] {
            let parts: Vec<_> = bounds(len, threads).collect();
            assert_eq!(parts.len(), expected, "{len} {threads}");
            assert_eq!((parts[0].start, parts[expected - 1].end), (0, len));
            assert!(parts.windows(2).all(|two| two[0].end == two[1].start));
            assert!(parts.iter().all(|part| part.len().abs_diff(len / expected) <= 1), "{parts:?}");
        }
    }

    #[test]
    fn results_are_in_the_order_of_the_parts() {
        for count in [0, 1, 2, 7, 100] {
            let parts: Vec<usize> = (0..count).collect();
            let expected: Vec<usize> = parts.iter().map(|n| n * n).collect();
            assert_eq!(each(parts, |n| n * n), expected);
        }
        for threads in [1, 2, 8] {
            assert_eq!(join(threads, || 1, || 2), (1, 2));
        }
    }

    #[test]
    fn work_runs_on_all_threads_at_once() {
        for others in [0, 1, 3] {
            // Passes only if as many are there.
            let barrier = std::sync::Barrier::new(others + 1);
            on_all(others, &|| _ = barrier.wait());
        }
    }

    #[test]
    fn a_panic_is_raised_where_all_are_joined() {
        let raised = |work: &(dyn Fn() + std::panic::RefUnwindSafe)| {
            let panic = std::panic::catch_unwind(work).unwrap_err();
            assert_eq!(*panic.downcast::<&str>().unwrap(), "it fails");
        };
        raised(&|| _ = join(2, || 1, || -> u8 { panic!("it fails") }));
        raised(&|| _ = join(2, || -> u8 { panic!("it fails") }, || 1));
        raised(&|| {
            let at = std::sync::atomic::AtomicUsize::new(0);
            let count = || at.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            on_all(2, &|| {
                if count() == 1 {
                    panic!("it fails")
                }
            });
        });
    }
}
