//! What the threads of a server share, and what they tell the one that waits.

use crate::{event::Event, guard, state::State};
use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicBool, AtomicUsize},
    mpsc::Sender,
};

/// What connections share.
pub(crate) struct Shared {
    /// What each path begins with: 128 random bits.
    pub(crate) token: String,
    /// A path that leads to the page, once: the command line of a browser, which others can read, has it.
    pub(crate) ticket: Mutex<Option<String>>,
    pub(crate) state: Arc<State>,
    pub(crate) events: Sender<Event>,
    pub(crate) connections: AtomicUsize,
    pub(crate) is_closing: AtomicBool,
    /// Held while a query runs: one at a time, as each takes all cores.
    pub(crate) querying: Mutex<()>,
}

impl Shared {
    /// The path of the page.
    pub(crate) fn path(&self) -> String {
        format!("/{}/", self.token)
    }

    /// Whether this is the ticket, which is then used up.
    pub(crate) fn redeem(&self, ticket: &str) -> bool {
        let mut kept = self.ticket.lock().unwrap_or_else(PoisonError::into_inner);
        kept.take_if(|kept| guard::is_same(kept, ticket)).is_some()
    }
}
