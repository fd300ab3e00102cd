//! A destination for the processes of a cluster.

use super::store::{self, Store};
use heapquarry::{Cancel, Error, ErrorKind, Result};
use heapquarry_input::url::shown;
use std::{
    collections::HashMap,
    io,
    path::{Path, PathBuf},
};

/// Where processes of a cluster put tables that they made: a local folder, or an address in object storage. Names are
/// paths below it, with `/` between folders. It holds no lock: [`batch`](super::batch()) looks after its own
/// destination.
pub struct Destination {
    path: PathBuf,
    store: Box<dyn Store>,
    cancel: Cancel,
}

impl Destination {
    /// A destination. It need not exist.
    ///
    /// # Errors
    ///
    /// If it is an address, and the feature `cloud` is missing.
    pub fn new(path: impl Into<PathBuf>) -> Result<Self> {
        Destination::until(path, &Cancel::new())
    }

    /// A destination whose requests end when the work is cancelled.
    ///
    /// # Errors
    ///
    /// The errors of [`Destination::new`].
    pub fn until(path: impl Into<PathBuf>, cancel: &Cancel) -> Result<Self> {
        let (path, cancel) = (path.into(), cancel.clone());
        match store::open(&path, &cancel) {
            Ok(store) => Ok(Destination { path, store, cancel }),
            Err(why) => Err(Error::new(ErrorKind::Destination { path: shown(&path), why })),
        }
    }

    fn fail(&self, doing: &str) -> impl Fn(io::Error) -> Error {
        let (path, cancel) = (shown(&self.path), self.cancel.clone());
        move |e| {
            if cancel.is_cancelled() {
                return Error::new(ErrorKind::Cancelled);
            }
            let why = format!("cannot {doing}: {e}");
            Error::new(ErrorKind::Destination { path: path.clone(), why })
        }
    }

    /// The files whose names begin so, with their sizes in bytes. None if there is no destination yet.
    ///
    /// # Errors
    ///
    /// If it cannot be listed.
    pub fn files(&self, prefix: &str) -> Result<HashMap<String, u64>> {
        self.store.files(prefix).map_err(self.fail("list it"))
    }

    /// The content of a file; `None` if there is none.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    pub fn read(&self, name: &str) -> Result<Option<Vec<u8>>> {
        self.store.read(name).map_err(self.fail(&format!("read {name}")))
    }

    /// Moves a local file there, which replaces another one and appears whole. For a local folder the file must be in
    /// the same file system.
    ///
    /// # Errors
    ///
    /// If one of both cannot be read or written.
    pub fn put(&self, file: &Path, name: &str) -> Result<()> {
        self.store.put(file, name).map_err(self.fail(&format!("write {name}")))
    }

    /// Removes a file, if it is there.
    ///
    /// # Errors
    ///
    /// If it cannot be removed.
    pub fn remove(&self, name: &str) -> Result<()> {
        self.store.remove(name).map_err(self.fail(&format!("remove {name}")))
    }
}
