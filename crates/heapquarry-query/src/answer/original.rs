//! What functions and classes are called in their sources.

use super::answer;
use heapquarry_graph as graph;
use heapquarry_profile as profile;
use std::borrow::Cow;

answer! {
    /// What a source map tells of a function or class.
    #[derive(Eq)]
    pub struct Original {
        /// Its name in the source; empty for a function without one. Absent if the map does not tell.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub name: Option<String>,
        /// Path or URL of the source.
        pub source: String,
        /// Its line there, from 1.
        pub line: i64,
        /// Its column there, from 1.
        pub column: i64,
    }
}

impl Original {
    /// What a source map tells of a function of a profile.
    pub(crate) fn of_function(found: &profile::Original) -> Self {
        Original {
            name: found.name.as_deref().map(Into::into),
            source: found.source.to_string(),
            line: found.line.into(),
            column: found.column.into(),
        }
    }

    /// What a source map tells; nothing without one.
    pub(crate) fn of(found: Option<&graph::Original>) -> Option<Self> {
        let graph::Original { name, source, line, column, .. } = found?.clone();
        Some(Original { name, source, line, column })
    }
}

/// Name of functions without one.
const ANONYMOUS: &str = "(anonymous)";

/// The name of a function in the file beside that of the source, which stands alone if the file has none.
pub(crate) fn function_called<'a>(
    written: &'a str,
    original: Option<&'a Original>,
) -> Cow<'a, str> {
    let name = original.and_then(|original| original.name.as_deref());
    match name.filter(|name| !name.is_empty() && written == ANONYMOUS) {
        Some(name) => name.into(),
        None => called(written, original),
    }
}

/// A name of the file beside that of the source: `Cache [e]`.
pub(crate) fn called<'a>(written: &'a str, original: Option<&Original>) -> Cow<'a, str> {
    match original.and_then(|original| original.name.as_deref()) {
        Some(name) if !name.is_empty() && name != written => format!("{name} [{written}]").into(),
        _ => written.into(),
    }
}
