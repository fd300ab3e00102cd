//! What coding agents ask about heap snapshots, profiles and traces, and a server that answers them in the
//! [Model Context Protocol](https://modelcontextprotocol.io) on standard input and output. The protocol is that of the
//! official SDK, `rmcp`; the answers are those of `heapquarry-query`, made small enough for the context of a model.
//!
//! * [`Toolbox`]: what can be asked, without a protocol. Each tool has a file in `tools`.
//! * `answer` and `fit`: what all answers share, and how they are cut to size. Nothing is cut silently.
//! * `sessions`: inputs stay open, within a limit of memory. `roots`: which files may be read. `recording`: captures of
//!   processes, which are files, too.
//! * `remarks`: what is to be known of how an answer was made.
//! * `server`, `work`: requests, their progress and their end. With the feature `server`.
//!
//! An input is known by its path. So a client needs no handle, and goes on where it was when the server is started
//! anew.
#![forbid(unsafe_code)]

mod answer;
mod failure;
mod fit;
mod recording;
mod remarks;
mod resources;
mod roots;
#[cfg(feature = "server")]
mod server;
mod sessions;
mod sql;
mod toolbox;
mod tools;
#[cfg(feature = "server")]
mod work;

pub use answer::{Answer, More};
pub use failure::Failure;
pub use resources::Text;
#[cfg(feature = "server")]
pub use server::serve;
pub use sql::Sql;
pub use toolbox::{ToolOptions, Toolbox};
pub use tools::Tool;
