//! Splits work over threads.

use std::{ops::Range, thread};

/// Consecutive ranges that cover `0..len`, one for each thread.
pub(crate) fn bounds(len: usize, threads: usize) -> impl Iterator<Item = Range<usize>> {
    // A thread costs more than a few thousand nodes.
    let parts = threads.clamp(1, len / 4096 + 1);
    // In 128 bits, because the product may not fit 64.
    let bound = move |part: usize| (len as u128 * part as u128 / parts as u128) as usize;
    (0..parts).map(move |part| bound(part)..bound(part + 1))
}

/// Runs `work` on each part, each in its own thread, and returns the results in order of the parts.
pub(crate) fn each<P: Send, T: Send>(parts: Vec<P>, work: impl Fn(P) -> T + Sync) -> Vec<T> {
    let work = &work;
    let mut parts = parts.into_iter();
    let Some(first) = parts.next() else { return Vec::new() };
    thread::scope(|scope| {
        let others: Vec<_> = parts.map(|part| scope.spawn(move || work(part))).collect();
        let mut results = vec![work(first)];
        for other in others {
            results.push(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        results
    })
}

/// Runs `work` on consecutive ranges that cover `0..len`, one for each thread, and returns the results in order of the
/// ranges.
pub(crate) fn ranges<T: Send>(
    len: usize,
    threads: usize,
    work: impl Fn(Range<usize>) -> T + Sync,
) -> Vec<T> {
    each(bounds(len, threads).collect(), work)
}

/// Runs two steps in parallel if there is more than one thread.
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
