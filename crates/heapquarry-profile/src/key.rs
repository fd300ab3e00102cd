//! What functions of different profiles are known by.

use crate::Function;
use std::sync::Arc;

/// The key that matches a function between profiles: that of its source, if a source map tells it. Lines change with
/// every edit, so only anonymous functions include them.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key {
    /// Name of the function; empty for an anonymous one.
    pub name: Arc<str>,
    /// Its script; empty if it has none.
    pub url: Arc<str>,
    position: Option<(Option<i32>, Option<i32>)>,
}

impl Key {
    /// The key of a function.
    pub fn of(function: &Function) -> Self {
        let Function { name, url, line, column, .. } = function.clone().in_source();
        let position = name.is_empty().then_some((line, column));
        Key { name, url, position }
    }

    /// Its name, or `(anonymous)`.
    pub fn name(&self) -> &str {
        if self.name.is_empty() { "(anonymous)" } else { &self.name }
    }

    /// Its line, if that is a part of the key and known.
    pub fn line(&self) -> Option<i32> {
        self.position.and_then(|(line, _)| line)
    }

    /// Its column, if that is a part of the key and known.
    pub fn column(&self) -> Option<i32> {
        self.position.and_then(|(_, column)| column)
    }
}
