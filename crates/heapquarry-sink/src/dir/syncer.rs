//! Writes files to the disk while they grow, so that the commit need not wait for all of them.

use crate::Error;
use heapquarry_tables::sync::unpoisoned;
use std::{
    fs::File,
    path::{Path, PathBuf},
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
        mpsc::{SyncSender, sync_channel},
    },
    thread::{self, JoinHandle},
};

/// A thread that waits for the disk instead of the workers. It starts with the first file.
#[derive(Default)]
pub(super) struct Syncer {
    running: Mutex<Option<Running>>,
    is_off: AtomicBool,
}

struct Running {
    queue: SyncSender<(File, PathBuf)>,
    thread: JoinHandle<Result<(), Error>>,
}

impl Syncer {
    /// Leaves it to the system when files are written to the disk.
    pub(super) fn turn_off(&self) {
        self.is_off.store(true, Ordering::Relaxed);
    }

    /// Whether it is left to the system.
    pub(super) fn is_off(&self) -> bool {
        self.is_off.load(Ordering::Relaxed)
    }

    /// Starts syncing a file; `shown` names it in errors. Does nothing if the disk cannot keep up or no thread can be
    /// started: the commit syncs it at the latest.
    pub(super) fn begin(&self, file: &File, shown: &Path) {
        if self.is_off() {
            return;
        }
        let Ok(file) = file.try_clone() else { return };
        let mut running = unpoisoned(self.running.lock());
        if running.is_none() {
            let (queue, files) = sync_channel::<(File, PathBuf)>(4);
            let sync = move || {
                for (file, shown) in files {
                    file.sync_data().map_err(|e| Error::io(shown, "write output", e))?;
                }
                Ok(())
            };
            *running =
                thread::Builder::new().spawn(sync).ok().map(|thread| Running { queue, thread });
        }
        if let Some(running) = &*running {
            let _ = running.queue.try_send((file, shown.to_owned()));
        }
    }

    /// Waits for the running syncs and returns the first error. A system may report an error only once.
    pub(super) fn finish(&self) -> Result<(), Error> {
        let running = unpoisoned(self.running.lock()).take();
        let Some(Running { queue, thread }) = running else { return Ok(()) };
        drop(queue);
        thread.join().expect("it does not panic")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn files_are_synced_and_let_go() {
        let mut file = tempfile::tempfile().unwrap();
        let syncer = Syncer::default();
        syncer.finish().unwrap();
        for _ in 0..100 {
            file.write_all(&[7; 1000]).unwrap();
            syncer.begin(&file, Path::new("file"));
        }
        syncer.finish().unwrap();
        assert_eq!(file.metadata().unwrap().len(), 100_000);
    }
}
