//! Damages directories that the command itself wrote: converted ones, and the cache.

use super::{Seed, mutate, mutate::Random};
use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

/// Changes some files below a directory, if it is there: their bytes, their ends, their places.
pub(super) fn damage(dir: &Path, seeds: &[Seed], random: &mut Random) -> io::Result<()> {
    for _ in 0..=random.below(3) {
        let files = files(dir)?;
        let Some(file) = files.get(random.below(files.len())) else { return Ok(()) };
        match random.below(8) {
            0 => fs::remove_file(file)?,
            1 => {
                let size = usize::try_from(fs::metadata(file)?.len()).unwrap_or(0);
                File::options().write(true).open(file)?.set_len(random.below(size) as u64)?;
            }
            2 => {
                let other = &files[random.below(files.len())];
                let other = fs::read(other)?;
                fs::write(file, other)?;
            }
            3 => {
                fs::remove_file(file)?;
                fs::create_dir(file)?;
            }
            _ => {
                let bytes = fs::read(file)?;
                let changed = mutate::values(&bytes, random).filter(|_| random.percent(80));
                let changed = changed.unwrap_or_else(|| mutate::bytes(&bytes, seeds, random));
                fs::write(file, changed)?;
            }
        }
    }
    Ok(())
}

/// The files below a directory, in order.
fn files(dir: &Path) -> io::Result<Vec<PathBuf>> {
    let (mut files, mut rest) = (Vec::new(), vec![dir.to_owned()]);
    while let Some(dir) = rest.pop().filter(|dir| dir.is_dir()) {
        for entry in fs::read_dir(dir)? {
            let path = entry?.path();
            if path.is_dir() { &mut rest } else { &mut files }.push(path);
        }
    }
    files.sort();
    Ok(files)
}

mod tests {
    use super::*;

    #[test]
    fn some_file_changes() {
        let dir = std::env::temp_dir().join(format!("heapquarry-attack-{}", std::process::id()));
        let seeds = [Seed { name: "a".into(), bytes: b"seed".to_vec() }];
        let mut changed = 0;
        for run in 0..50 {
            fs::create_dir_all(dir.join("a/b")).unwrap();
            fs::write(dir.join("a/b/c"), "content").unwrap();
            fs::write(dir.join("a/d"), "other").unwrap();
            damage(&dir, &seeds, &mut Random::new(1, run)).unwrap();
            let is_as_before = |name, text: &str| {
                fs::read(dir.join(name)).is_ok_and(|found| found == text.as_bytes())
            };
            let is_whole = is_as_before("a/b/c", "content") && is_as_before("a/d", "other");
            changed += usize::from(!is_whole);
            fs::remove_dir_all(&dir).unwrap();
        }
        assert!(changed > 35, "{changed} of 50");
        damage(&dir, &seeds, &mut Random::new(1, 1)).unwrap();
    }
}
