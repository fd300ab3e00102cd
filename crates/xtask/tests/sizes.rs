//! No crate is too large to be known as a whole. `docs/architecture.md` names the limits.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// Most lines below `src/` of a crate, test modules included.
const MOST: usize = 27_000;
/// Most lines below `src/` of the facade, `heapquarry`.
const MOST_OF_FACADE: usize = 7_000;

fn lines(folder: &Path) -> usize {
    let mut open = vec![folder.to_path_buf()];
    let mut lines = 0;
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                lines += fs::read_to_string(path).unwrap().lines().count();
            }
        }
    }
    lines
}

#[test]
fn no_crate_is_too_large() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let folders = fs::read_dir(crates).unwrap().map(|entry| entry.unwrap().path());
    let folders: Vec<PathBuf> = folders.filter(|folder| folder.join("src").is_dir()).collect();
    assert!(folders.iter().any(|folder| folder.ends_with("heapquarry")));
    let found = folders.iter().map(|folder| (folder, lines(&folder.join("src"))));
    let is_too_large = |(folder, lines): &(&PathBuf, usize)| {
        let most = if folder.ends_with("heapquarry") { MOST_OF_FACADE } else { MOST };
        *lines > most
    };
    let large: Vec<_> = found.filter(is_too_large).collect();
    assert!(
        large.is_empty(),
        "too many lines below src/: {large:?}; move a subject into a crate of its own"
    );
}
