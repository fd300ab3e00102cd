//! Pieces of a document on several threads. Results come in the order of the pieces, whatever the number of threads.

use std::{
    collections::VecDeque,
    sync::{
        Mutex, PoisonError,
        mpsc::{self, Receiver, SyncSender, TrySendError},
    },
    thread,
};

/// Pieces for each thread that may be under way: all of them are in memory.
const UNDER_WAY: usize = 4;

/// Calls `body`, which hands in pieces. `work` is done on this thread and `threads - 1` others, which start when there
/// is something to do. If the system starts no more threads, those that run are enough.
pub(crate) fn in_order<P: Send, D: Send, T>(
    threads: usize,
    work: impl Fn(P) -> D + Sync,
    body: impl FnOnce(&mut Pieces<'_, P, D>) -> T,
) -> T {
    let others = threads.saturating_sub(1);
    let (jobs, queue) = mpsc::sync_channel::<(P, SyncSender<D>)>(2 * others);
    let queue = Mutex::new(queue);
    let run = || {
        loop {
            let next = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
            let Ok((piece, answer)) = next else { break };
            // Nobody waits for it if reading has failed.
            let _ = answer.send(work(piece));
        }
    };
    thread::scope(|scope| {
        let start = || thread::Builder::new().spawn_scoped(scope, run).is_ok();
        let most = UNDER_WAY * others;
        let under_way = VecDeque::new();
        let has_others = false;
        body(&mut Pieces { work: &work, start: &start, others, has_others, jobs, most, under_way })
    })
}

/// Pieces that are worked on.
pub(crate) struct Pieces<'w, P, D> {
    work: &'w dyn Fn(P) -> D,
    start: &'w dyn Fn() -> bool,
    /// Threads that can still be started.
    others: usize,
    /// Whether another thread runs: without one, nobody takes what is queued.
    has_others: bool,
    jobs: SyncSender<(P, SyncSender<D>)>,
    most: usize,
    under_way: VecDeque<Answer<D>>,
}

enum Answer<D> {
    Here(D),
    Later(Receiver<D>),
}

impl<P, D> Pieces<'_, P, D> {
    /// Hands in a piece. It is worked on here if the other threads have enough.
    pub(crate) fn give(&mut self, piece: P) {
        if self.others > 0 {
            let is_started = (self.start)();
            self.has_others |= is_started;
            self.others = if is_started { self.others - 1 } else { 0 };
        }
        if !self.has_others {
            let done = (self.work)(piece);
            return self.under_way.push_back(Answer::Here(done));
        }
        let (answer, later) = mpsc::sync_channel(1);
        self.under_way.push_back(match self.jobs.try_send((piece, answer)) {
            Ok(()) => Answer::Later(later),
            Err(TrySendError::Full((piece, _)) | TrySendError::Disconnected((piece, _))) => {
                Answer::Here((self.work)(piece))
            }
        });
    }

    /// The result of the first piece that is under way, if it is there. Waits for it if there are too many.
    pub(crate) fn ready(&mut self) -> Option<D> {
        if self.under_way.len() > self.most {
            return self.next();
        }
        match self.under_way.pop_front()? {
            Answer::Here(done) => Some(done),
            Answer::Later(later) => match later.try_recv() {
                Ok(done) => Some(done),
                Err(_) => {
                    self.under_way.push_front(Answer::Later(later));
                    None
                }
            },
        }
    }

    /// The result of the first piece that is under way. `None` if there is none.
    pub(crate) fn next(&mut self) -> Option<D> {
        Some(match self.under_way.pop_front()? {
            Answer::Here(done) => done,
            Answer::Later(later) => later.recv().expect("work answers unless it panics"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order() {
        for threads in [1, 2, 5] {
            let (mut taken, pieces) = (Vec::new(), 1000_usize);
            in_order(
                threads,
                // Later pieces take less time.
                |piece: usize| (0..100 * (pieces - piece)).fold(piece, |at, _| at.rotate_left(64)),
                |queue| {
                    for piece in 0..pieces {
                        queue.give(piece);
                        taken.extend(std::iter::from_fn(|| queue.ready()));
                        assert!(queue.under_way.len() <= UNDER_WAY * threads);
                    }
                    taken.extend(std::iter::from_fn(|| queue.next()));
                },
            );
            assert!(taken.iter().copied().eq(0..pieces), "{threads}");
        }
    }

    #[test]
    fn without_another_thread_all_is_done_here() {
        let (jobs, _queue) = mpsc::sync_channel(2);
        let (work, start) = (|piece: u8| piece, || false);
        let (others, has_others, most, under_way) = (1, false, 4, VecDeque::new());
        let mut pieces =
            Pieces { work: &work, start: &start, others, has_others, jobs, most, under_way };
        (0..9).for_each(|piece| pieces.give(piece));
        assert!(std::iter::from_fn(|| pieces.next()).eq(0..9));
    }

    #[test]
    fn reading_may_end_early() {
        for threads in [1, 3] {
            let first = in_order(
                threads,
                |piece: u8| piece,
                |queue| {
                    (0..9).for_each(|piece| queue.give(piece));
                    queue.next()
                },
            );
            assert_eq!(first, Some(0));
        }
    }
}
