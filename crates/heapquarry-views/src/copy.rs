//! Copies of tables, for statements that nobody confines.

use super::{Views, of_dir::Input};
use heapquarry_input::{Cancel, Error, ErrorKind, Result};
use std::{fs, io, path::Path};

impl Views {
    /// Views over copies of the files, made in `folder`, which is empty and private. A statement that writes over a
    /// file of the tables then changes a copy; see [`Views::confinement`].
    ///
    /// # Errors
    ///
    /// If a file cannot be copied, and after `cancel`.
    pub fn copied(mut self, folder: &Path, cancel: &Cancel) -> Result<Self> {
        for (number, input) in self.inputs.iter_mut().enumerate() {
            input.copy(&folder.join(number.to_string()), cancel)?;
        }
        Ok(self)
    }
}

impl Input {
    /// Copies its files, each to its place below this folder.
    fn copy(&mut self, folder: &Path, cancel: &Cancel) -> Result<()> {
        let folder = super::files::absolute(folder)?;
        for file in &mut self.files {
            if cancel.is_cancelled() {
                return Err(ErrorKind::Cancelled.into());
            }
            let below = file.strip_prefix(&self.dir).expect("it is a file of the directory");
            let to = format!("{folder}{below}");
            // A disk may be full: that of the copies, not that of the input.
            let fail = |error: io::Error| {
                let source = io::Error::new(error.kind(), format!("to {to}: {error}"));
                Error::new(ErrorKind::Input { path: (&*file).into(), doing: "copy", source })
            };
            if let Some(parent) = Path::new(&to).parent() {
                fs::create_dir_all(parent).map_err(fail)?;
            }
            fs::copy(&*file, &to).map_err(fail)?;
            *file = to;
        }
        self.dir = folder;
        Ok(())
    }
}
