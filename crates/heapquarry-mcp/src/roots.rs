//! Which files may be read.

use crate::Failure;
use heapquarry::{Source, is_address};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// Folders whose files may be read; all files if there are none.
pub(crate) struct Roots {
    /// Without symbolic links.
    folders: Vec<PathBuf>,
}

impl Roots {
    pub(crate) fn new(folders: &[PathBuf]) -> io::Result<Self> {
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
        Ok(Roots { folders })
    }

    /// The input that a client names, with symbolic links resolved before the folders are compared. A relative path is
    /// one in the first folder, if there is one.
    ///
    /// # Errors
    /// If it is outside of the folders, or is neither a file nor a folder. What is outside is not looked at: the error
    /// does not tell whether it exists.
    pub(crate) fn source(&self, text: &str) -> Result<Source, Failure> {
        if text.contains('\0') {
            return Err(Failure::new("a path has no zero byte"));
        }
        if self.folders.is_empty() && is_address(Path::new(text)) {
            return Ok(Source::from(text));
        }
        let based = match self.folders.first() {
            Some(folder) => folder.join(text).into_os_string(),
            None => text.into(),
        };
        let mut source = Source::from(based);
        match source.path.canonicalize() {
            Ok(path) if self.has(&path) => {
                let kind = fs::metadata(&path).map(|data| data.is_file() || data.is_dir());
                if !kind.unwrap_or(false) {
                    return Err(Failure::new(format!("{text} is neither a file nor a folder")));
                }
                source.path = path;
                Ok(source)
            }
            Err(error) if self.folders.is_empty() => {
                Err(Failure::new(format!("cannot read {text}: {error}")))
            }
            _ => {
                let folders: Vec<_> =
                    self.folders.iter().map(|f| f.display().to_string()).collect();
                let folders = folders.join(" or ");
                let what =
                    format!("{text} is no file in {folders}; others may not be read (--root)");
                Err(Failure::new(what))
            }
        }
    }

    fn has(&self, path: &Path) -> bool {
        self.folders.is_empty() || self.folders.iter().any(|folder| path.starts_with(folder))
    }
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
        let roots = Roots::new(std::slice::from_ref(&inside)).unwrap();
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
            assert_eq!(roots.source(&text).is_ok(), is_read, "{text}");
        }
        // Whether something is there is not told.
        let error = |text| format!("{:?}", roots.source(text).unwrap_err());
        assert_eq!(error("../out/c").replace("/c", "/x"), error("../out/x"));
        assert!(Roots::new(&[inside.join("a")]).is_err());
        // Without roots all files are read, devices are not.
        let all = Roots::new(&[]).unwrap();
        assert!(all.source(absolute.to_str().unwrap()).is_ok());
        assert!(all.source("/dev/null").is_err());
    }
}
