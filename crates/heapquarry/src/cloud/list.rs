//! What is below an address.

use super::{
    fetch::wait,
    store::{Place, place},
};
use futures_util::TryStreamExt;
use object_store::{ObjectMeta, path::Path};
use std::{io, time::SystemTime};

/// An object.
pub(crate) struct Listed {
    /// Its key, below the prefix.
    pub(crate) name: String,
    pub(crate) bytes: u64,
    pub(crate) modified: SystemTime,
}

/// All objects below an address, sorted by their names.
pub(crate) fn list(url: &str) -> io::Result<Vec<Listed>> {
    let Place { store, key } = place(url)?;
    let prefix = key.clone();
    let found = wait(async move {
        store.list(Some(&key).filter(|key| !key.as_ref().is_empty())).try_collect::<Vec<_>>().await
    })?;
    let mut listed: Vec<Listed> = found.into_iter().map(|meta| listed(&prefix, meta)).collect();
    listed.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    Ok(listed)
}

fn listed(prefix: &Path, meta: ObjectMeta) -> Listed {
    let key = meta.location.as_ref();
    let name = key.strip_prefix(prefix.as_ref()).unwrap_or(key).trim_start_matches('/').to_owned();
    Listed { name, bytes: meta.size, modified: meta.last_modified.into() }
}
