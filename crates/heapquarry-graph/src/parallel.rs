//! Splits work over threads.

use std::{ops::Range, thread};

/// Runs `work` on consecutive ranges that together are `0..len`, one for each thread, and returns what each gives, in
/// order of the ranges.
pub(crate) fn ranges<T: Send>(
    len: usize,
    threads: usize,
    work: impl Fn(Range<usize>) -> T + Sync,
) -> Vec<T> {
    // Threads cost more than a few thousand nodes.
    let parts = threads.clamp(1, len / 4096 + 1);
    let bounds = |part: usize| {
        // In 128 bits, as the product may not fit 64.
        (len as u128 * part as u128 / parts as u128) as usize
    };
    let work = &work;
    thread::scope(|scope| {
        let others: Vec<_> = (1..parts)
            .map(|part| scope.spawn(move || work(bounds(part)..bounds(part + 1))))
            .collect();
        let mut results = vec![work(0..bounds(1))];
        for other in others {
            results.push(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        results
    })
}

/// Runs two steps side by side if there is more than one thread.
pub(crate) fn join<A, B: Send>(
    threads: usize,
    a: impl FnOnce() -> A,
    b: impl FnOnce() -> B + Send,
) -> (A, B) {
    if threads < 2 {
        return (a(), b());
    }
    thread::scope(|scope| {
        let b = scope.spawn(b);
        let a = a();
        (a, b.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}
