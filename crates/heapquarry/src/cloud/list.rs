//! What is below an address, or at many.

use super::{
    fetch::wait,
    store::{Place, place},
};
use futures_util::{StreamExt, TryStreamExt, stream};
use object_store::{Error, ObjectMeta, ObjectStore, ObjectStoreExt, path::Path};
use std::{io, time::SystemTime};

/// Requests for single objects that are on their way at a time.
const AT_A_TIME: usize = 32;

/// An object.
pub(crate) struct Listed {
    /// Its key, below the prefix.
    pub(crate) name: String,
    pub(crate) bytes: u64,
    pub(crate) modified: SystemTime,
}

/// All objects below an address, sorted by their names, without those that stand for folders: they are empty, and their
/// keys end in `/`.
pub(crate) fn list(url: &str) -> io::Result<Vec<Listed>> {
    let Place { store, key } = place(url)?;
    let prefix = key.clone();
    let found = wait(async move {
        let prefix = Some(&key).filter(|key| !key.as_ref().is_empty());
        let found: Vec<ObjectMeta> = store.list(prefix).try_collect().await?;
        let store = &*store;
        let files = stream::iter(found)
            .map(|meta| async move { (!is_folder(store, &meta).await).then_some(meta) });
        Ok(files.buffered(AT_A_TIME).filter_map(std::future::ready).collect::<Vec<_>>().await)
    })?;
    let mut listed: Vec<Listed> = found.into_iter().map(|meta| listed(&prefix, meta)).collect();
    listed.retain(|object| !object.name.is_empty());
    listed.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    Ok(listed)
}

/// Whether the object stands for a folder. Keys are listed without the `/` at their ends: then there is no such object.
async fn is_folder(store: &dyn ObjectStore, meta: &ObjectMeta) -> bool {
    meta.size == 0 && matches!(store.head(&meta.location).await, Err(Error::NotFound { .. }))
}

fn listed(prefix: &Path, meta: ObjectMeta) -> Listed {
    let key = meta.location.as_ref();
    let name = key.strip_prefix(prefix.as_ref()).unwrap_or(key).trim_start_matches('/').to_owned();
    Listed { name, bytes: meta.size, modified: meta.last_modified.into() }
}

/// Sizes in bytes of the objects at these addresses and, as far as the store tells, when they were last written; `None`
/// for those that it cannot tell of.
pub(crate) fn look_at(urls: &[&str]) -> Vec<Option<(u64, Option<SystemTime>)>> {
    let places: Vec<Option<Place>> = urls.iter().map(|url| place(url).ok()).collect();
    let looks = stream::iter(places).map(|place| async move {
        let Place { store, key } = place?;
        let meta = store.head(&key).await.ok()?;
        let modified = SystemTime::from(meta.last_modified);
        Some((meta.size, Some(modified).filter(|time| *time != SystemTime::UNIX_EPOCH)))
    });
    let looks = looks.buffered(AT_A_TIME).collect::<Vec<_>>();
    wait(async { Ok(looks.await) }).unwrap_or_else(|_| vec![None; urls.len()])
}
