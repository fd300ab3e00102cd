//! Files where other users may be able to write: what they put there must do no harm.

use std::fs::{Metadata, OpenOptions};

/// Options that do not follow a link and do not block on a FIFO. A new file is for its owner alone.
pub fn careful(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
        options.mode(0o600).custom_flags(flags.bits().cast_signed());
    }
    options
}

/// Whether two files have the same owner. True on systems where files have no owner.
#[cfg_attr(not(unix), expect(unused_variables))]
pub fn same_owner(a: &Metadata, b: &Metadata) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        a.uid() == b.uid()
    }
    #[cfg(not(unix))]
    true
}

/// Whether both are of the same file. True on systems that do not tell.
#[cfg_attr(not(unix), expect(unused_variables))]
pub fn same_file(a: &Metadata, b: &Metadata) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        (a.dev(), a.ino()) == (b.dev(), b.ino())
    }
    #[cfg(not(unix))]
    true
}
