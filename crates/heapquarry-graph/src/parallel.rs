//! Splits work over threads.

use std::{
    ops::Range,
    sync::{Mutex, PoisonError},
    thread,
};

/// Consecutive ranges that cover `0..len`, one for each thread.
pub(crate) fn bounds(len: usize, threads: usize) -> impl Iterator<Item = Range<usize>> {
    // A thread costs more than a few thousand nodes.
    let parts = threads.clamp(1, len / 4096 + 1);
    // In 128 bits, because the product may not fit 64.
    let bound = move |part: usize| (len as u128 * part as u128 / parts as u128) as usize;
    (0..parts).map(move |part| bound(part)..bound(part + 1))
}

/// Runs `work` on each part, in a thread for each if the system starts as many, and returns the results in order of the
/// parts.
pub(crate) fn each<P: Send, T: Send>(parts: Vec<P>, work: impl Fn(P) -> T + Sync) -> Vec<T> {
    let others = parts.len().saturating_sub(1);
    let queue = Mutex::new(parts.into_iter().enumerate());
    let work = || {
        let mut done = Vec::new();
        loop {
            let next = unpoisoned(queue.lock()).next();
            let Some((at, part)) = next else { return done };
            done.push((at, work(part)));
        }
    };
    thread::scope(|scope| {
        let start = |_| thread::Builder::new().spawn_scoped(scope, work).ok();
        let others: Vec<_> = (0..others).map_while(start).collect();
        let mut done = work();
        for other in others {
            done.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        done.sort_unstable_by_key(|(at, _)| *at);
        done.into_iter().map(|(_, result)| result).collect()
    })
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
    let b = Mutex::new(Some(b));
    // The thread takes it, or this one if there is none.
    let run = || {
        let b = unpoisoned(b.lock()).take();
        b.map(|b| b())
    };
    thread::scope(|scope| {
        let other = thread::Builder::new().spawn_scoped(scope, run);
        let a = a();
        let b = match other {
            Ok(other) => other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(_) => run(),
        };
        (a, b.expect("one of them takes it"))
    })
}

/// What a lock guards. A panic while it is held is raised where threads are joined.
fn unpoisoned<T>(locked: Result<T, PoisonError<T>>) -> T {
    locked.unwrap_or_else(PoisonError::into_inner)
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
}
