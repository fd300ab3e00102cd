//! The end of a process: what it has made for a while is gone.

use heapquarry::temporary::{Folder, remove_all};
use std::fs;

/// A test of its own process, as no folder can be made afterwards.
#[test]
fn all_folders_are_removed_at_the_end() {
    let parent = tempfile::tempdir().unwrap();
    let folders: Vec<Folder> = (0..3).map(|_| Folder::within(parent.path()).unwrap()).collect();
    for folder in &folders {
        fs::create_dir(folder.path().join("spill")).unwrap();
        fs::write(folder.path().join("spill/result"), "rows").unwrap();
    }
    assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 3);
    remove_all();
    assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
    assert!(Folder::within(parent.path()).is_err());
    drop(folders);
}
