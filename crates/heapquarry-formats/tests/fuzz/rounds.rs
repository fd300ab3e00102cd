//! Runs the targets of fuzzers without a fuzzer.
#![allow(dead_code, reason = "each test uses a part of it")]

use std::{fs, panic};

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n.max(1) as u64) as usize
    }

    /// A range of up to `most` bytes.
    fn range(&mut self, len: usize, most: usize) -> std::ops::Range<usize> {
        let start = self.below(len + 1);
        start..(start + self.below(most + 1)).min(len)
    }
}

/// Changes some bytes.
fn change(data: &mut Vec<u8>, seeds: &[Vec<u8>], words: &[&[u8]], random: &mut Random) {
    let at = random.below(data.len() + 1);
    match random.below(8) {
        0 if at < data.len() => data[at] ^= 1 << random.below(8),
        1 if at < data.len() => data[at] = random.below(256) as u8,
        2 | 3 => drop(data.splice(at..at, words[random.below(words.len())].iter().copied())),
        4 => drop(data.drain(random.range(data.len(), 40))),
        5 => {
            let piece = data[random.range(data.len(), 100)].to_vec();
            data.splice(at..at, piece);
        }
        6 => {
            let seed = &seeds[random.below(seeds.len())];
            data.splice(at..at, seed[random.range(seed.len(), 300)].iter().copied());
        }
        _ if random.below(4) == 0 => data.truncate(at),
        _ => {}
    }
}

/// Runs a target on the first kilobytes of seeds: what is behind them is more of the same.
pub(crate) fn fuzz_from(
    mut seeds: Vec<Vec<u8>>,
    words: &[&[u8]],
    target: fn(&[u8]),
    rounds: usize,
) {
    seeds.iter_mut().for_each(|document| document.truncate(4000));
    fuzz_whole(&seeds, words, target, rounds);
}

/// Runs a target on seeds that are changed at random, but the same in every run; `FUZZ_LONGER=20` runs so many times
/// more rounds.
pub(crate) fn fuzz_whole(seeds: &[Vec<u8>], words: &[&[u8]], target: fn(&[u8]), rounds: usize) {
    let longer = std::env::var("FUZZ_LONGER").ok().and_then(|factor| factor.parse().ok());
    let mut random = Random(7);
    for round in 0..rounds * longer.unwrap_or(1) {
        let mut data = seeds[round % seeds.len()].clone();
        for _ in 0..1 + random.below(6) {
            change(&mut data, seeds, words, &mut random);
        }
        if let Err(panic) = panic::catch_unwind(|| target(&data)) {
            eprintln!("round {round}: {}", data.escape_ascii());
            panic::resume_unwind(panic);
        }
    }
}

/// The files of a folder of the corpus.
pub(crate) fn seeds(folder: &str) -> Vec<Vec<u8>> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/").to_owned() + folder;
    let mut paths: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).unwrap()).collect()
}
