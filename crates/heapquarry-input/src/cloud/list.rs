//! What is below an address, or at many.

use super::{
    client::OddKeys,
    fetch::{told, wait},
    store::{Place, listing, place},
};
use crate::Cancel;
use futures_util::{StreamExt, stream};
use heapquarry_base::Order;
use object_store::{Error, ObjectStore, ObjectStoreExt, path::Path};
use std::{collections::HashSet, io, time::Duration, time::SystemTime};
use tokio::time::timeout;

/// Requests for single objects that are on their way at a time.
const AT_A_TIME: usize = 32;

/// Objects that are listed at most: each takes memory, and a store can go on for ever.
pub(super) const MOST: usize = 1_000_000;

/// What is said of a store that has more.
pub(super) fn too_many() -> io::Error {
    io::Error::other(format!("there are more than {MOST} objects; use a longer prefix"))
}

/// How long a store may list nothing: pages can be empty, without end.
const SILENCE: Duration = Duration::from_secs(120);

/// An object.
pub struct Listed {
    /// Its key, below the prefix.
    pub name: String,
    /// Its size; 0 if unknown.
    pub bytes: u64,
    /// When it was written, as far as that is known.
    pub modified: Option<SystemTime>,
}

/// All objects below an address, sorted by their names, without those that stand for folders: they are empty, and their
/// keys end in `/`. Keys that no request can name, such as `a//b`, are among them: to read one says why.
pub fn list(url: &str, cancel: &Cancel) -> io::Result<Vec<Listed>> {
    let (Place { store, key }, odd) = listing(url)?;
    wait(cancel, async move {
        let (mut listed, mut empty) = (Vec::new(), Vec::new());
        let mut found = store.list(Some(&key).filter(|key| !key.as_ref().is_empty()));
        loop {
            let silence = |_| io::Error::new(io::ErrorKind::TimedOut, "it lists nothing any more");
            let Some(meta) = timeout(SILENCE, found.next()).await.map_err(silence)? else { break };
            let meta = meta.map_err(told)?;
            if listed.len() == MOST {
                return Err(too_many());
            }
            let (name, modified) = (below(&key, meta.location.as_ref()), meta.last_modified);
            listed.push(Listed { name, bytes: meta.size, modified: Some(modified.into()) });
            if meta.size == 0 {
                empty.push((listed.len() - 1, meta.location));
            }
        }
        drop(found);
        let (store, looks) = (&*store, stream::iter(empty));
        let looks =
            looks.map(|(at, key)| async move { is_folder(store, &key).await.then_some(at) });
        let looks = looks.buffered(AT_A_TIME).filter_map(std::future::ready);
        let folders: HashSet<usize> = looks.collect().await;
        let mut at = 0..;
        listed.retain(|object| {
            at.next().is_some_and(|at| !folders.contains(&at)) && !object.name.is_empty()
        });
        listed.extend(odd_ones(&key, &odd));
        listed.order_by(|a, b| a.name.cmp(&b.name));
        // Pages can overlap if something is written meanwhile.
        listed.dedup_by(|a, b| a.name == b.name);
        Ok(listed)
    })
}

/// Whether an empty object stands for a folder. Keys are listed without the `/` at their ends: then there is no such
/// object.
async fn is_folder(store: &dyn ObjectStore, key: &Path) -> bool {
    matches!(store.head(key).await, Err(Error::NotFound { .. }))
}

/// A key without the prefix.
fn below(prefix: &Path, key: &str) -> String {
    key.strip_prefix(prefix.as_ref()).unwrap_or(key).trim_start_matches('/').to_owned()
}

/// The objects whose keys no request can name.
fn odd_ones(prefix: &Path, odd: &OddKeys) -> Vec<Listed> {
    let prefix = format!("{prefix}/");
    let name = |key: String| key.strip_prefix(&prefix).map_or(key.clone(), str::to_owned);
    let listed = |key| Listed { name: name(key), bytes: 0, modified: None };
    odd.take().into_iter().map(listed).collect()
}

/// Sizes in bytes of the objects at these addresses and, as far as the store tells, when they were last written; `None`
/// for those that it cannot tell of.
pub fn look_at(urls: &[&str], cancel: &Cancel) -> Vec<Option<(u64, Option<SystemTime>)>> {
    let places: Vec<Option<Place>> = urls.iter().map(|url| place(url).ok()).collect();
    let looks = stream::iter(places).map(|place| async move {
        let Place { store, key } = place?;
        let meta = store.head(&key).await.ok()?;
        let modified = SystemTime::from(meta.last_modified);
        Some((meta.size, Some(modified).filter(|time| *time != SystemTime::UNIX_EPOCH)))
    });
    let looks = looks.buffered(AT_A_TIME).collect::<Vec<_>>();
    wait(cancel, async { Ok(looks.await) }).unwrap_or_else(|_| vec![None; urls.len()])
}
