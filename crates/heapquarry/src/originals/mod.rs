//! What functions and classes are called in their sources, as source maps tell.

pub(crate) mod heap;
pub(crate) mod profile;
