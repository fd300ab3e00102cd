//! Recognises the format of an input by its content, whatever its name says.

use crate::{Error, ErrorKind, Result, input::Opened};
use heapquarry_formats::{Input, Sniff, heap};
use std::path::Path;

/// The formats that heapquarry reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// A heap snapshot or timeline.
    Heap,
}

/// The formats, what to call them, and how to tell them.
type Candidate = (Format, &'static str, fn(&[u8]) -> Sniff);
const FORMATS: [Candidate; 1] = [(
    Format::Heap,
    "a heap snapshot or timeline (an object that begins with \"snapshot\")",
    heap::sniff,
)];

/// Enough for any format to tell.
const HEAD: usize = 64 << 10;

pub(crate) fn sniff(opened: &Opened) -> Result<Format> {
    let fail =
        |source| Error::new(ErrorKind::Input { path: opened.path.clone(), doing: "read", source });
    let mut head = vec![0; HEAD];
    let mut len = 0;
    while len < HEAD {
        match opened.input.read_at(&mut head[len..], len as u64).map_err(fail)? {
            0 => break,
            n => len += n,
        }
    }
    recognise(&opened.path, &head[..len])
}

fn recognise(path: &Path, head: &[u8]) -> Result<Format> {
    for (format, _, sniff) in FORMATS {
        if sniff(head) == Sniff::Yes {
            return Ok(format);
        }
    }
    let begins = |magic: &[u8]| head.starts_with(magic);
    let text = head.trim_ascii_start();
    let found = match head {
        [] => "an empty file".into(),
        _ if begins(b"\x89PNG") => "a PNG image".into(),
        _ if begins(b"PK\x03\x04") => "a zip archive".into(),
        _ if begins(b"OHOSPROF") => {
            "an OpenHarmony .htrace container, which is not read yet".into()
        }
        _ if text.starts_with(b"<") => format!("a page of HTML or XML ({})", excerpt(text)),
        _ => excerpt(head),
    };
    let tried = FORMATS.iter().map(|(_, name, _)| *name).collect();
    Err(Error::new(ErrorKind::Unknown { path: path.into(), tried, found }))
}

/// The beginning, printable.
fn excerpt(head: &[u8]) -> String {
    let head = &head[..head.len().min(40)];
    format!("{:?}", String::from_utf8_lossy(head))
}
