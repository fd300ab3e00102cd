//! Running processes.

pub mod watch;
