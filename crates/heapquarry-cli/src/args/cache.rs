//! The verb `cache`.

use clap::{Args, Subcommand};

/// List or clear the cache of converted inputs
#[derive(Args, Debug)]
pub(crate) struct Cache {
    #[command(subcommand)]
    pub(crate) action: CacheAction,
}

#[derive(Subcommand, Debug)]
pub(crate) enum CacheAction {
    /// List the converted inputs, the last used first
    List {
        /// Print a JSON array with one object per input
        #[arg(long)]
        json: bool,
    },
    /// Remove the converted inputs that no process uses
    Clear,
    /// Print the folder: HEAPQUARRY_CACHE_DIR, or else heapquarry in the user's folder for caches
    Path,
}
