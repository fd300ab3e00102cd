//! Which files may be read, and what they are called.

use crate::Failure;
use heapquarry::{Source, is_address};
use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

/// Folders whose files may be read; all files if there are none.
pub(crate) struct Roots {
    /// Without symbolic links.
    folders: Vec<PathBuf>,
    /// Whether a client is told no path but those that it names: where the files of this machine are is private, too.
    hides_paths: bool,
}

/// An input that a client names.
pub(crate) struct Named {
    /// What is read. Answers, errors and tables show its path.
    pub(crate) source: Source,
    /// Where it is.
    pub(crate) path: PathBuf,
}

impl Named {
    /// What it is known by, however it is named.
    pub(crate) fn key(&self) -> String {
        let document = self.source.document;
        document.into_iter().fold(self.path.display().to_string(), |key, n| format!("{key}#{n}"))
    }
}

impl Roots {
    pub(crate) fn new(folders: &[PathBuf], hides_paths: bool) -> io::Result<Self> {
        let resolved = |folder: &PathBuf| {
            let resolved = folder.canonicalize().and_then(|path| match path.is_dir() {
                true => Ok(path),
                false => Err(io::ErrorKind::NotADirectory.into()),
            });
            let named =
                |e| io::Error::other(format!("cannot use --root {}: {e}", folder.display()));
            resolved.map_err(named)
        };
        let folders = folders.iter().map(resolved).collect::<io::Result<_>>()?;
        Ok(Roots { folders, hides_paths })
    }

    /// The input that a client names, with symbolic links resolved before the folders are compared. A relative path is
    /// one in the first folder, if there is one.
    ///
    /// # Errors
    /// If it is outside of the folders, or is neither a file nor a folder. What is outside is not looked at: the error
    /// does not tell whether it exists.
    pub(crate) fn named(&self, text: &str) -> Result<Named, Failure> {
        if text.contains('\0') {
            return Err(Failure::new("a path has no zero byte"));
        }
        if self.folders.is_empty() && is_address(Path::new(text)) {
            let source = Source::from(text);
            let path = source.path.clone();
            return Ok(Named { source, path });
        }
        let mut source = Source::from(self.based(text).into_os_string());
        match source.path.canonicalize() {
            Ok(path) if self.has(&path) => {
                let data = fs::metadata(&path).ok();
                match data {
                    Some(data) if self.hides_paths && data.is_file() => {
                        source = shown_as(text, &path, source.document)?;
                    }
                    Some(data) if self.hides_paths && data.is_dir() => {
                        let what = "is a folder, and tables cannot be redacted: name a file";
                        return Err(Failure::new(format!("{text} {what}")));
                    }
                    Some(data) if data.is_dir() && !self.folders.is_empty() && has_links(&path) => {
                        let what =
                            "has links, which may lead elsewhere: it may not be read (--root)";
                        return Err(Failure::new(format!("{text} {what}")));
                    }
                    Some(data) if data.is_file() || data.is_dir() => source.path.clone_from(&path),
                    _ => {
                        return Err(Failure::new(format!("{text} is neither a file nor a folder")));
                    }
                }
                Ok(Named { source, path })
            }
            Err(error) if self.folders.is_empty() => {
                Err(Failure::new(format!("cannot read {text}: {error}")))
            }
            _ => {
                let what = format!(
                    "{text} is no file in {}; others may not be read (--root)",
                    self.shown()
                );
                Err(Failure::new(what))
            }
        }
    }

    /// The file that a client names, which is to be written.
    ///
    /// # Errors
    /// If there is something at its place, or it would be outside of the folders.
    pub(crate) fn output(&self, text: &str) -> Result<PathBuf, Failure> {
        let path = self.based(text);
        let folder = match path.parent() {
            Some(folder) if folder.as_os_str().is_empty() => Path::new(".").canonicalize(),
            Some(folder) => folder.canonicalize(),
            None => Err(io::ErrorKind::NotFound.into()),
        };
        // A name that is none, such as `..`, has no folder that counts.
        let path = path.file_name().zip(folder.ok()).map(|(name, folder)| folder.join(name));
        let Some(path) = path.filter(|path| self.has(path)) else {
            let folders = self.shown();
            let folders =
                if folders.is_empty() { "a folder that is there" } else { folders.as_str() };
            let what = format!("{text} would be no file in {folders}: name another one");
            return Err(Failure::new(what));
        };
        // A link counts, too: what is written would go where it leads.
        match path.symlink_metadata() {
            Ok(_) => Err(Failure::new(format!("{text} is there already: name another file"))),
            Err(_) => Ok(path),
        }
    }

    /// A relative path is one in the first folder, if there is one.
    fn based(&self, text: &str) -> PathBuf {
        match self.folders.first() {
            Some(folder) => folder.join(text),
            None => text.into(),
        }
    }

    /// The folders in words.
    fn shown(&self) -> String {
        if self.hides_paths {
            return "the folders of this server".into();
        }
        let folders: Vec<_> = self.folders.iter().map(|f| f.display().to_string()).collect();
        folders.join(" or ")
    }

    fn has(&self, path: &Path) -> bool {
        self.folders.is_empty() || self.folders.iter().any(|folder| path.starts_with(folder))
    }
}

/// How deep files are in a converted folder: in one for each table, with one for each document.
const DEPTH: usize = 3;

/// Whether there is a symbolic link in a converted folder. What cannot be looked at counts as one.
fn has_links(folder: &Path) -> bool {
    if folder.join("_manifest.json").symlink_metadata().is_err() {
        // It is none, and nothing of it is read.
        return false;
    }
    let mut level = vec![folder.to_owned()];
    for _ in 0..DEPTH {
        let mut deeper = Vec::new();
        for folder in level {
            let Ok(entries) = fs::read_dir(folder) else { return true };
            for entry in entries {
                match entry.and_then(|entry| Ok((entry.file_type()?, entry.path()))) {
                    Ok((kind, path)) if kind.is_dir() => deeper.push(path),
                    Ok((kind, _)) if kind.is_file() => {}
                    _ => return true,
                }
            }
        }
        level = deeper;
    }
    false
}

/// A file that is shown as its client names it.
fn shown_as(text: &str, path: &Path, document: Option<usize>) -> Result<Source, Failure> {
    let name = match document {
        Some(_) => text.rsplit_once('#').map_or(text, |(name, _)| name),
        None => text,
    };
    let opened = File::open(path).and_then(|file| Source::file(name, file));
    let mut source =
        opened.map_err(|error| Failure::new(format!("cannot read {text}: {error}")))?;
    // What stands beside it is found by its place, which the source does not tell any more.
    match Source::path(path).process_beside() {
        Ok(process) => source = process.into_iter().fold(source, Source::process),
        Err(_) => {
            let what = "has a file .process.json beside it that cannot be read: remove it";
            return Err(Failure::new(format!("{text} {what}")));
        }
    }
    Ok(match document {
        Some(number) => source.document(number),
        None => source,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_in_a_root_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let (inside, outside) = (dir.path().join("in"), dir.path().join("out"));
        fs::create_dir_all(inside.join("deep")).unwrap();
        fs::create_dir(&outside).unwrap();
        for file in [inside.join("a"), inside.join("deep/b"), outside.join("c")] {
            fs::write(file, "x").unwrap();
        }
        let roots = Roots::new(std::slice::from_ref(&inside), false).unwrap();
        let absolute = outside.join("c");
        let mut cases = vec![
            ("a".to_string(), true),
            ("deep/../a".into(), true),
            ("deep/b#1".into(), true),
            (inside.join("a").display().to_string(), true),
            ("../out/c".into(), false),
            (absolute.display().to_string(), false),
            ("../out/missing".into(), false),
            ("missing".into(), false),
            ("-".into(), false),
            ("s3://bucket/a".into(), false),
            ("a\0".into(), false),
        ];
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(&absolute, inside.join("link")).unwrap();
            std::os::unix::fs::symlink(&outside, inside.join("folder")).unwrap();
            std::os::unix::fs::symlink(inside.join("a"), inside.join("good")).unwrap();
            cases.extend([
                ("link".into(), false),
                ("folder/c".into(), false),
                ("good".into(), true),
            ]);
        }
        for (text, is_read) in cases {
            assert_eq!(roots.named(&text).is_ok(), is_read, "{text}");
        }
        // Whether something is there is not told.
        let error = |text| format!("{:?}", roots.named(text).err().unwrap());
        assert_eq!(error("../out/c").replace("/c", "/x"), error("../out/x"));
        assert!(Roots::new(&[inside.join("a")], false).is_err());
        // What is written must be new, and in a root as well.
        let new = |text: &str| roots.output(text).is_ok();
        for (text, is_written) in [
            ("new", true),
            ("deep/new", true),
            ("deep/../new", true),
            ("a", false),
            ("deep", false),
            ("nowhere/new", false),
            ("../out/new", false),
            ("..", false),
            ("", false),
            ("s3://bucket/new", false),
        ] {
            assert_eq!(new(text), is_written, "{text}");
        }
        assert!(!new(outside.join("new").to_str().unwrap()));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(outside.join("new"), inside.join("dangling")).unwrap();
            assert!(!new("dangling") && !new("folder/new"));
        }
        // Nor does a converted folder lead out of it.
        #[cfg(unix)]
        for (at, link) in
            ["_manifest.json", "t.parquet", "t/0/a.parquet", "t/0", "t"].iter().enumerate()
        {
            let tables = inside.join(format!("tables{at}"));
            fs::create_dir_all(tables.join("t/0")).unwrap();
            fs::write(tables.join("_manifest.json"), "{}").unwrap();
            let name = format!("tables{at}");
            assert!(roots.named(&name).is_ok());
            let link = tables.join(link);
            let _ = fs::remove_file(&link).or_else(|_| fs::remove_dir_all(&link));
            std::os::unix::fs::symlink(&absolute, &link).unwrap();
            let Failure::Wrong(why) = roots.named(&name).err().unwrap() else { panic!("{at}") };
            assert!(why.contains("has links"), "{why}");
            assert!(Roots::new(&[], false).unwrap().named(tables.to_str().unwrap()).is_ok());
        }
        // Without roots all files are read, devices are not.
        let all = Roots::new(&[], false).unwrap();
        assert!(all.named(absolute.to_str().unwrap()).is_ok());
        assert!(all.named("/dev/null").is_err());
    }

    #[test]
    fn files_are_called_as_their_client_names_them() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("private");
        fs::create_dir_all(root.join("deep")).unwrap();
        for file in ["a", "deep/b", "c#1"] {
            fs::write(root.join(file), "x").unwrap();
        }
        let absolute = root.join("a").display().to_string();
        let roots = Roots::new(std::slice::from_ref(&root), true).unwrap();
        for (text, document) in [
            ("a", None),
            ("a#2", Some(2)),
            ("c#1", None),
            ("c#1#2", Some(2)),
            ("deep/../a", None),
            (absolute.as_str(), None),
        ] {
            let Named { source, path } = roots.named(text).unwrap();
            assert_eq!((source.to_string().as_str(), source.document), (text, document));
            assert!(path.starts_with(root.canonicalize().unwrap()), "{text}");
        }
        for text in ["deep", "none", "../a", "/etc/passwd"] {
            let Failure::Wrong(why) = roots.named(text).err().unwrap() else { panic!("{text}") };
            assert!(why.starts_with(text) && !why.contains("private"), "{why}");
        }
        // Two names are one input.
        let keys = ["a", "deep/../a", &absolute].map(|text| roots.named(text).unwrap().key());
        assert!(keys.iter().all(|key| *key == keys[0]), "{keys:?}");
    }
}
