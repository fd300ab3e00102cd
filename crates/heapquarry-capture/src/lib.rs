//! Records heap snapshots, timelines, profiles and traces of running processes over the DevTools protocol: Node, Chrome
//! and Chromium, Electron, Deno, workerd.
//!
//! ```no_run
//! use heapquarry_capture::{Address, Kind, Options, Session, Trust};
//!
//! let address = Address::parse("127.0.0.1:9229", &Trust::default())?;
//! let stop = || false;
//! let target = heapquarry_capture::choose(&address, &stop)?;
//! let mut session = Session::open(&target, &stop)?;
//! let mut bytes = Vec::new();
//! let recorded = session.record(Kind::Heap, &Options::default(), &mut bytes)?;
//! assert_eq!(recorded.cut, None);
//! # Ok::<(), heapquarry_capture::Error>(())
//! ```
//!
//! What is written is what the engine sends, byte for byte. A snapshot is never a string in memory: it comes through a
//! named pipe from a Node of this machine, otherwise in messages, whose pieces are unescaped and written as they
//! arrive.
#![forbid(unsafe_code)]

mod address;
mod allocations;
mod error;
mod http;
mod kept;
mod message;
mod pause;
#[cfg(target_os = "linux")]
mod pipe;
mod preflight;
mod process;
mod record;
mod room;
mod scripts;
mod session;
mod stream;
mod targets;
mod watch;
mod workers;

pub use address::{Address, Trust};
pub use error::{Error, Result};
pub use preflight::{Preflight, Refusal, preflight};
pub use process::{Inspector, inspector_of};
pub use record::{Kind, MOST_BYTES, MakeFolder, Options, Recorded};
pub use room::Room;
pub use scripts::MappedScript;
pub use session::Session;
pub use targets::{Listed, Target, choose, list, list_with_workers};
pub use watch::{WatchOptions, sample, watch};
pub use workers::Worker;
