//! An object as an input.

use super::{
    blocks::{BLOCK, Block, Blocks, Pieces, Plan, copy},
    fetch::{REPLACED, runtime, told, wait},
    samples::Samples,
    store::{Place, place},
};
use bytes::Bytes;
use futures_util::TryStreamExt;
use heapquarry_formats::Input;
use heapquarry_tables::sync::unpoisoned;
use object_store::{GetOptions, GetRange, ObjectStoreExt};
use std::{
    io,
    ops::Range,
    sync::{Arc, Condvar, Mutex, mpsc},
};

/// An object that is read in blocks, several at a time and ahead of its readers.
pub(crate) struct Object {
    source: Arc<Where>,
    shared: Arc<Shared>,
}

/// One version of an object.
struct Where {
    place: Place,
    /// In bytes: another size is an error.
    size: u64,
    /// Its version: a later one is an error. `None` if the store does not tell, or not for certain: a weak tag matches
    /// nothing.
    e_tag: Option<String>,
}

struct Shared {
    state: Mutex<State>,
    /// Notified when a block arrives.
    arrived: Condvar,
}

struct State {
    blocks: Blocks,
    samples: Samples,
}

impl Object {
    /// Opens the object at an address.
    pub(crate) fn open(url: &str) -> io::Result<Self> {
        let place = place(url)?;
        let (size, e_tag, head) = wait(first(place.clone()))?;
        let mut state = State { blocks: Blocks::new(size), samples: Samples::new(size) };
        state.samples.keep(0, &head);
        let head = Arc::from([head]);
        if let Plan::Blocks(wanted) = state.blocks.plan(0, 0)
            && let [0] = wanted[..]
        {
            state.blocks.put(0, Block::Here(head));
        }
        let shared = Arc::new(Shared { state: Mutex::new(state), arrived: Condvar::new() });
        let e_tag = e_tag.filter(|tag| !tag.starts_with("W/"));
        Ok(Object { source: Arc::new(Where { place, size, e_tag }), shared })
    }

    /// Requests bytes, and waits for them.
    fn alone(&self, range: Range<u64>) -> io::Result<Vec<Bytes>> {
        let source = self.source.clone();
        let (sender, result) = mpsc::sync_channel(1);
        runtime()?.spawn(async move {
            let _ = sender.send(fetch(&source, range).await);
        });
        result.recv().map_err(|_| io::Error::other("the request was given up"))?
    }

    /// Requests a block, which waits in the shared state when it arrives.
    fn request(&self, number: u64) -> io::Result<()> {
        let (source, shared) = (self.source.clone(), self.shared.clone());
        let from = number * BLOCK;
        let range = from..self.size().min(from + BLOCK);
        runtime()?.spawn(async move {
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
        Ok(())
    }
}

impl Input for Object {
    fn size(&self) -> u64 {
        self.source.size
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
                    wanted.into_iter().try_for_each(|number| self.request(number))?;
                }
            }
            match state.blocks.get(number) {
                Some(Block::Here(pieces)) => {
                    let pieces = pieces.clone();
                    // Other workers can read meanwhile.
                    drop(state);
                    return Ok(copy(&pieces, within, buf));
                }
                _ => state = unpoisoned(self.shared.arrived.wait(state)),
            }
        }
    }
}

/// Size, version and first bytes of an object.
async fn first(place: Place) -> object_store::Result<(u64, Option<String>, Bytes)> {
    let options = GetOptions { range: Some(GetRange::Bounded(0..BLOCK)), ..GetOptions::default() };
    let Place { store, key } = place;
    match store.get_opts(&key, options).await {
        Ok(found) => {
            let (size, e_tag) = (found.meta.size, found.meta.e_tag.clone());
            Ok((size, e_tag, found.bytes().await?))
        }
        // An empty object has no first byte.
        Err(error) => match store.head(&key).await {
            Ok(meta) if meta.size == 0 => Ok((0, meta.e_tag, Bytes::new())),
            _ => Err(error),
        },
    }
}

/// The bytes of a range, in pieces.
async fn fetch(source: &Where, range: Range<u64>) -> io::Result<Vec<Bytes>> {
    let Where { place: Place { store, key }, size, e_tag } = source;
    let len = range.end - range.start;
    let options = GetOptions {
        range: Some(GetRange::Bounded(range)),
        if_match: e_tag.clone(),
        ..GetOptions::default()
    };
    let found = store.get_opts(key, options).await.map_err(|e| told(&e))?;
    if found.meta.size != *size {
        return Err(io::Error::other(REPLACED));
    }
    let (mut coming, mut pieces) = (found.into_stream(), Pieces::default());
    while let Some(piece) = coming.try_next().await.map_err(|e| told(&e))? {
        pieces.push(piece);
    }
    let pieces = pieces.finish();
    let came = pieces.iter().map(|piece| piece.len() as u64).sum::<u64>();
    match came == len {
        true => Ok(pieces),
        false => Err(io::Error::other(format!("the server sent {came} bytes, not {len}"))),
    }
}
