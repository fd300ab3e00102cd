//! The digest of a whole input.

use heapquarry::RunOptions;
use heapquarry_formats::Input;
use std::{
    io,
    sync::atomic::{AtomicU64, Ordering},
};
use xxhash_rust::xxh3::Xxh3;

/// Bytes that one thread hashes at a time. The digest depends on it.
const PIECE: u64 = 16 << 20;
/// Bytes of a read.
const READ: usize = 256 << 10;

/// XXH3-128 of the size and of the XXH3-128 of each piece of 16 MiB, with a seed: on several threads as fast as the
/// memory. An interrupt is an error of the kind `Interrupted`.
pub(super) fn of(input: &impl Input, seed: u64, run: &RunOptions) -> io::Result<u128> {
    let size = input.size();
    let next = AtomicU64::new(0);
    let work = || -> io::Result<Vec<(u64, u128)>> {
        let mut done = Vec::new();
        let mut buffer = vec![0; READ];
        loop {
            let piece = next.fetch_add(1, Ordering::Relaxed);
            let start = piece.saturating_mul(PIECE);
            if start >= size {
                return Ok(done);
            }
            let (mut at, end) = (start, size.min(start.saturating_add(PIECE)));
            let mut hash = Xxh3::with_seed(seed);
            while at < end {
                if run.cancel.is_cancelled() {
                    return Err(io::ErrorKind::Interrupted.into());
                }
                let room = (end - at).min(READ as u64) as usize;
                match input.read_at(&mut buffer[..room], at)? {
                    0 => break,
                    n => {
                        hash.update(&buffer[..n]);
                        at += n as u64;
                    }
                }
            }
            done.push((piece, hash.digest128()));
        }
    };
    let most = usize::try_from(size.div_ceil(PIECE)).unwrap_or(usize::MAX);
    let done = run.on_threads(most, work).into_iter().collect::<io::Result<Vec<_>>>()?;
    let mut pieces = done.concat();
    pieces.sort_unstable();
    let mut hash = Xxh3::with_seed(seed);
    hash.update(&size.to_le_bytes());
    pieces.iter().for_each(|(_, piece)| hash.update(&piece.to_le_bytes()));
    Ok(hash.digest128())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_the_size_and_the_seed_count_and_threads_do_not() {
        let run = |threads| RunOptions::default().threads(threads);
        let whole: Vec<u8> = (0..2 * PIECE + 5).map(|i| ((i * 31) >> 7) as u8).collect();
        let expected = of(&whole, 7, &run(1)).unwrap();
        for threads in [2, 3, 8] {
            assert_eq!(of(&whole, 7, &run(threads)).unwrap(), expected);
        }
        assert_ne!(of(&whole, 8, &run(1)).unwrap(), expected);
        for at in [0, PIECE - 1, PIECE, 2 * PIECE, 2 * PIECE + 4] {
            let mut other = whole.clone();
            other[at as usize] ^= 1;
            assert_ne!(of(&other, 7, &run(2)).unwrap(), expected, "{at}");
        }
        let shorter = whole[..whole.len() - 1].to_vec();
        assert_ne!(of(&shorter, 7, &run(2)).unwrap(), expected);
        let cancelled = RunOptions::default();
        cancelled.cancel.cancel();
        let error = of(&whole, 7, &cancelled).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::Interrupted);
    }
}
