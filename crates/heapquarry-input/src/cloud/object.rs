//! An object as an input.

use super::{
    blocks::{BLOCK, Block, Blocks, Pieces, Plan, copy},
    fetch::{MOMENT, REPLACED, check, runtime, told, wait},
    samples::Samples,
    store::{Place, place},
};
use crate::Cancel;
use bytes::Bytes;
use futures_util::TryStreamExt;
use heapquarry_formats::Input;
use heapquarry_tables::sync::unpoisoned;
use object_store::{GetOptions, GetRange, GetResult, ObjectMeta, ObjectStoreExt};
use std::{
    io,
    ops::Range,
    sync::{Arc, Condvar, Mutex},
    time::SystemTime,
};
use tokio::task::AbortHandle;

/// An object that is read in blocks, several at a time and ahead of its readers.
pub(crate) struct Object {
    source: Arc<Where>,
    shared: Arc<Shared>,
    cancel: Cancel,
}

/// One version of an object.
struct Where {
    place: Place,
    version: Version,
}

/// What an answer says of the version that it is of. Another one is an error.
struct Version {
    /// In bytes.
    size: u64,
    e_tag: Option<String>,
    /// The start of 1970 if the store does not tell.
    modified: SystemTime,
}

impl Version {
    fn of(found: &ObjectMeta) -> Self {
        let (size, e_tag) = (found.size, found.e_tag.clone());
        Version { size, e_tag, modified: found.last_modified.into() }
    }

    /// Whether another answer is of this version, as far as stores tell. Many do not know conditions (`If-Match`), so
    /// each answer is compared. Weak tags are compared as others: if they differ, the content does.
    fn is(&self, other: &Self) -> bool {
        let is_same = match (&self.e_tag, &other.e_tag) {
            (Some(one), Some(other)) => opaque(one) == opaque(other),
            (None, None) => self.modified == other.modified,
            _ => false,
        };
        self.size == other.size && is_same
    }

    /// The tag as a condition: a weak one matches nothing.
    fn condition(&self) -> Option<String> {
        self.e_tag.clone().filter(|tag| !tag.starts_with("W/"))
    }
}

struct Shared {
    state: Mutex<State>,
    /// Notified when a block arrives.
    arrived: Condvar,
}

struct State {
    blocks: Blocks,
    samples: Samples,
    /// Requests that are on their way.
    requests: Vec<AbortHandle>,
}

impl Object {
    /// Opens the object at an address. Its reads fail once the work is cancelled.
    pub(crate) fn open(url: &str, cancel: &Cancel) -> io::Result<Self> {
        let place = place(url)?;
        let (version, head) = wait(cancel, first(place.clone()))?;
        let size = version.size;
        let (blocks, samples) = (Blocks::new(size), Samples::new(size));
        let mut state = State { blocks, samples, requests: Vec::new() };
        state.samples.keep(0, &head);
        let head = Arc::from([head]);
        if let Plan::Blocks(wanted) = state.blocks.plan(0, 0)
            && let [0] = wanted[..]
        {
            state.blocks.put(0, Block::Here(head));
        }
        let shared = Arc::new(Shared { state: Mutex::new(state), arrived: Condvar::new() });
        let source = Arc::new(Where { place, version });
        Ok(Object { source, shared, cancel: cancel.clone() })
    }

    /// Requests bytes, and waits for them.
    fn alone(&self, range: Range<u64>) -> io::Result<Vec<Bytes>> {
        let source = self.source.clone();
        wait(&self.cancel, async move { fetch(&source, range).await })
    }

    /// Requests a block, which waits in the shared state when it arrives.
    fn request(&self, number: u64, requests: &mut Vec<AbortHandle>) -> io::Result<()> {
        let (source, shared) = (self.source.clone(), self.shared.clone());
        let from = number * BLOCK;
        let range = from..self.size().min(from + BLOCK);
        let request = runtime()?.spawn(async move {
            let fetched = fetch(&source, range).await;
            let mut state = unpoisoned(shared.state.lock());
            let block = match fetched {
                Ok(pieces) => {
                    let mut at = from;
                    for piece in &pieces {
                        state.samples.keep(at, piece);
                        at += piece.len() as u64;
                    }
                    Block::Here(pieces.into())
                }
                Err(error) => Block::Failed(error),
            };
            state.blocks.put(number, block);
            drop(state);
            shared.arrived.notify_all();
        });
        requests.retain(|request| !request.is_finished());
        requests.push(request.abort_handle());
        Ok(())
    }
}

/// A tag without the mark of weak ones.
fn opaque(tag: &str) -> &str {
    tag.strip_prefix("W/").unwrap_or(tag)
}

/// Nobody waits for what is on its way.
impl Drop for Object {
    fn drop(&mut self) {
        let requests = std::mem::take(&mut unpoisoned(self.shared.state.lock()).requests);
        requests.iter().for_each(AbortHandle::abort);
    }
}

impl Input for Object {
    fn size(&self) -> u64 {
        self.source.version.size
    }

    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        let rest = usize::try_from(self.size().saturating_sub(offset)).unwrap_or(usize::MAX);
        let wanted = buf.len().min(rest);
        let buf = &mut buf[..wanted];
        if buf.is_empty() {
            return Ok(0);
        }
        let (number, within) = (offset / BLOCK, (offset % BLOCK) as usize);
        let mut state = unpoisoned(self.shared.state.lock());
        loop {
            match state.blocks.get(number) {
                Some(Block::Failed(_)) => {
                    // The next read tries again.
                    if let Some(Block::Failed(error)) = state.blocks.remove(number) {
                        return Err(error);
                    }
                }
                Some(Block::Here(_)) => {}
                // Not only if nothing was requested: else one sample that is missing has all others requested, each as
                // the next block of a run.
                Some(Block::Coming) | None => {
                    if let Some(piece) = state.samples.get(offset) {
                        let n = piece.len().min(buf.len());
                        buf[..n].copy_from_slice(&piece[..n]);
                        return Ok(n);
                    }
                }
            }
            match state.blocks.plan(offset, buf.len() as u64) {
                Plan::Alone => {
                    drop(state);
                    return Ok(copy(&self.alone(offset..offset + buf.len() as u64)?, 0, buf));
                }
                Plan::Blocks(wanted) => {
                    let requests = &mut state.requests;
                    wanted.into_iter().try_for_each(|number| self.request(number, requests))?;
                }
            }
            match state.blocks.get(number) {
                Some(Block::Here(pieces)) => {
                    let pieces = pieces.clone();
                    // Other workers can read meanwhile.
                    drop(state);
                    return Ok(copy(&pieces, within, buf));
                }
                _ => {
                    check(&self.cancel)?;
                    let arrived = &self.shared.arrived;
                    (state, _) = unpoisoned(arrived.wait_timeout(state, MOMENT));
                }
            }
        }
    }
}

/// Version and first bytes of an object.
async fn first(Place { store, key }: Place) -> io::Result<(Version, Bytes)> {
    let options = GetOptions { range: Some(GetRange::Bounded(0..BLOCK)), ..GetOptions::default() };
    match store.get_opts(&key, options).await {
        Ok(found) => {
            let version = Version::of(&found.meta);
            let len = BLOCK.min(version.size);
            let pieces = content(found, 0..len).await?;
            Ok((version, pieces.concat().into()))
        }
        // An empty object has no first byte.
        Err(error) => match store.head(&key).await {
            Ok(meta) if meta.size == 0 => Ok((Version::of(&meta), Bytes::new())),
            _ => Err(told(error)),
        },
    }
}

/// The bytes of a range, in pieces.
async fn fetch(source: &Where, range: Range<u64>) -> io::Result<Vec<Bytes>> {
    let Where { place: Place { store, key }, version } = source;
    let options = GetOptions {
        range: Some(GetRange::Bounded(range.clone())),
        if_match: version.condition(),
        ..GetOptions::default()
    };
    let found = store.get_opts(key, options).await.map_err(told)?;
    match version.is(&Version::of(&found.meta)) {
        true => content(found, range).await,
        false => Err(io::Error::other(REPLACED)),
    }
}

/// What an answer holds: the bytes of a range, neither more nor less.
async fn content(found: GetResult, range: Range<u64>) -> io::Result<Vec<Bytes>> {
    let len = range.end - range.start;
    let wrong = |came: &str| io::Error::other(format!("the server sent {came}, not {len} bytes"));
    if found.range != range {
        return Err(wrong("another range"));
    }
    let (mut coming, mut pieces, mut came) = (found.into_stream(), Pieces::default(), 0);
    while let Some(piece) = coming.try_next().await.map_err(told)? {
        came += piece.len() as u64;
        if came > len {
            return Err(wrong("more"));
        }
        pieces.push(piece);
    }
    match came == len {
        true => Ok(pieces.finish()),
        false => Err(wrong(&format!("{came}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn answers_of_another_version_are_told_apart() {
        let version = |size, e_tag: &str, modified| Version {
            size,
            e_tag: (!e_tag.is_empty()).then(|| e_tag.to_owned()),
            modified: SystemTime::UNIX_EPOCH + Duration::from_secs(modified),
        };
        for (one, other, is_same) in [
            (version(1, "\"a\"", 1), version(1, "\"a\"", 1), true),
            (version(1, "\"a\"", 1), version(2, "\"a\"", 1), false),
            (version(1, "\"a\"", 1), version(1, "\"b\"", 1), false),
            // The content is what counts.
            (version(1, "\"a\"", 1), version(1, "\"a\"", 2), true),
            (version(1, "W/\"a\"", 1), version(1, "W/\"b\"", 1), false),
            (version(1, "W/\"a\"", 1), version(1, "\"a\"", 1), true),
            (version(1, "\"a\"", 1), version(1, "", 1), false),
            (version(1, "", 1), version(1, "", 2), false),
            (version(1, "", 1), version(1, "", 1), true),
            (version(1, "", 0), version(1, "", 0), true),
        ] {
            assert_eq!(one.is(&other), is_same, "{:?} {:?}", one.e_tag, other.e_tag);
            assert_eq!(other.is(&one), is_same);
        }
        assert_eq!(version(1, "W/\"a\"", 1).condition(), None);
        assert_eq!(version(1, "\"a\"", 1).condition().as_deref(), Some("\"a\""));
    }
}
