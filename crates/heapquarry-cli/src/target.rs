//! The running process that a verb is about.

use crate::{args::Target, failure::Failure, interrupt::catch_interrupts};
use heapquarry::Cancel;
use heapquarry_capture::{Address, Inspector, Trust, inspector_of};
use std::{cell::RefCell, env};

/// The environment variable with headers of requests. Arguments can be seen by other users.
const HEADERS: &str = "HEAPQUARRY_CAPTURE_HEADERS";

/// Interrupts, each of which counts once: the first one can end a recording, the next one what is done with it.
pub(crate) struct Interrupts(RefCell<Cancel>);

impl Interrupts {
    pub(crate) fn new() -> Self {
        Interrupts(RefCell::new(catch_interrupts()))
    }

    /// Whether there was one since the last time that it was asked.
    pub(crate) fn take(&self) -> bool {
        let is_interrupted = self.0.borrow().is_cancelled();
        if is_interrupted {
            self.0.replace(catch_interrupts());
        }
        is_interrupted
    }
}

impl Target {
    /// The inspector. `is_node` vouches for a process that is not called so.
    pub(crate) fn inspector(
        &self,
        is_node: bool,
        stop: &dyn Fn() -> bool,
    ) -> Result<Inspector, Failure> {
        if let Some(pid) = self.pid {
            return Ok(inspector_of(pid, is_node, stop)?);
        }
        let headers = env::var(HEADERS).unwrap_or_default();
        let trust = Trust { insecure_remote: self.insecure_remote, headers };
        let address = Address::parse(self.target.as_deref().unwrap_or_default(), &trust)?;
        Ok(Inspector::at(address))
    }

    /// The arguments that name it again. An address can hold secrets, so of another than host and port only these
    /// are told.
    pub(crate) fn shown(&self, address: &Address) -> String {
        match (self.pid, &self.target) {
            (Some(pid), _) => format!("--pid {pid}"),
            (None, Some(target)) if !target.contains("://") => target.clone(),
            (None, _) => address.to_string(),
        }
    }
}
