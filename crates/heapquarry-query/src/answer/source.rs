//! Places in the source of a program.

use super::{Original, answer};
use heapquarry_graph::SourcePlace;
use std::borrow::Cow;

answer! {
    /// A place in the source of a program.
    pub struct SourceLocation {
        /// The place in short, `leak.js:13`: file and line, in a package with the path from the package's name on; with
        /// a source map that of the source, then in brackets that of the script.
        pub place: String,
        /// What stands there: the name of a class or function, or `seen by` a function.
        pub what: String,
        /// The installed package that the script, or with a source map its source, belongs to; `null` for the program's
        /// own.
        pub package: Option<String>,
        /// Path or address of the script.
        pub script_name: String,
        /// Its line, from 1.
        pub line: i64,
        /// Its column, from 1.
        pub column: i64,
        /// What a source map tells of the place.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub original: Option<Original>,
    }
}

impl From<&SourcePlace> for SourceLocation {
    fn from(place: &SourcePlace) -> Self {
        SourceLocation {
            place: place.to_string(),
            what: place.what.clone(),
            package: place.package().map(Cow::into_owned),
            script_name: place.script.clone(),
            line: place.line,
            column: place.column,
            original: Original::of(place.original.as_ref()),
        }
    }
}
