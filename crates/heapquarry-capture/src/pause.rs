//! How long a heap snapshot stops a process, before it is taken.
//!
//! The time follows from the objects, not from the bytes: for a heap of small objects it is 60 times that for one of
//! strings of the same size. A full collection visits the objects too, so its CPU time tells (docs/capture.md).

use crate::{Error, Result, Session, stream::PATIENCE};
use serde_json::json;
use std::time::Duration;

/// What a snapshot takes in any heap.
const BASE: Duration = Duration::from_millis(200);
/// CPU time of a collection that does not come from objects: in any heap, and for each megabyte of it.
const COLLECTION: Duration = Duration::from_millis(9);
const PER_MEGABYTE: Duration = Duration::from_micros(50);
/// The CPU time of a snapshot for each of the rest: before V8 13, and from it on. Fitted on 75 heaps of five kinds, of
/// 10 to 160 MB, in Node 20, 22 and 24: `benches/process/pause.mjs`.
const FACTOR: u32 = 90;
const FACTOR_13: u32 = 55;

/// Bytes of heap that are written in a second, about, where the process does not tell its CPU time.
const BYTES_PER_SECOND: u64 = 20_000_000;

/// V8 before this version looks for the line of each object's constructor from the beginning of its script, unless it
/// knows where the lines of the script are.
const KNOWS_LINES: (u32, u32) = (11, 5);

/// How long a snapshot stops the process, about, for a heap of so many bytes. Makes a collection, as a snapshot does.
pub(crate) fn predict(session: &mut Session<'_>, heap: u64) -> Result<Duration> {
    let before = cpu(session)?;
    collect(session)?;
    let after = cpu(session)?;
    let version = version(session)?;
    Ok(match before.zip(after) {
        Some((before, after)) => pause(after.saturating_sub(before), heap, version),
        None => Duration::from_secs(heap / BYTES_PER_SECOND + 1),
    })
}

fn pause(collection: Duration, heap: u64, v8: Option<(u32, u32)>) -> Duration {
    let megabytes = u32::try_from(heap / 1_000_000).unwrap_or(u32::MAX);
    let rest = COLLECTION.saturating_add(PER_MEGABYTE.saturating_mul(megabytes));
    let of_objects = collection.saturating_sub(rest);
    let factor = if v8 >= Some((13, 0)) { FACTOR_13 } else { FACTOR };
    BASE.saturating_add(of_objects.saturating_mul(factor))
}

/// Has an old V8 learn where the lines of all scripts are, which takes 0.1 to 0.4 s. Without it, a snapshot of a
/// program that is one script of megabytes takes minutes (node#34826).
///
/// # Errors
/// If the target does not answer.
pub(crate) fn learn_lines(session: &mut Session<'_>) -> Result<()> {
    if version(session)?.is_none_or(|version| version >= KNOWS_LINES) {
        return Ok(());
    }
    for method in ["Debugger.enable", "Debugger.disable"] {
        match session.call(method, &json!({})) {
            Ok(_) | Err(Error::Refused { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// A full collection. Returns whether there was one. Starting and ending a sampling profile makes one; where the
/// program takes such a profile itself, that must go on, and asking for it makes one too.
pub(crate) fn collect(session: &mut Session<'_>) -> Result<bool> {
    let mut ask = |method| match session.call_raw(method, &json!({}), PATIENCE) {
        Ok(_) => Ok(true),
        Err(Error::Refused { .. }) => Ok(false),
        Err(error) => Err(error),
    };
    if ask("HeapProfiler.getSamplingProfile")? {
        return Ok(true);
    }
    Ok(ask("HeapProfiler.startSampling")? && ask("HeapProfiler.stopSampling")?)
}

/// The CPU time of all threads of the process; `None` if it does not tell.
fn cpu(session: &mut Session<'_>) -> Result<Option<Duration>> {
    let told = session.evaluate("(({ user, system }) => user + system)(process.cpuUsage())")?;
    Ok(told.as_u64().map(Duration::from_micros))
}

/// The version of V8; `None` if it is not told.
fn version(session: &mut Session<'_>) -> Result<Option<(u32, u32)>> {
    let told = session.evaluate("globalThis.process?.versions?.v8")?;
    let mut parts = told.as_str().unwrap_or_default().split('.').map(str::parse);
    let version = parts.next().and_then(Result::ok).zip(parts.next().and_then(Result::ok));
    Ok(version)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CPU time of a collection, bytes of heap, version of V8, and the seconds that the formula gives.
    #[test]
    fn the_pause_follows_from_the_objects() {
        let millis = Duration::from_millis;
        for (collection, heap, v8, seconds) in [
            (millis(155), 187_000_000, Some((11, 3)), 12.4985),
            (millis(21), 200_000_000, Some((12, 4)), 0.38),
            (millis(170), 180_000_000, Some((13, 6)), 8.56),
            (millis(10), 10_000_000, Some((13, 6)), 0.2275),
            (millis(9), 0, Some((13, 6)), 0.2),
            (Duration::ZERO, u64::MAX, None, 0.2),
        ] {
            let found = pause(collection, heap, v8).as_secs_f64();
            assert!((found - seconds).abs() < 0.02, "{collection:?} {heap}: {found}");
        }
    }
}
