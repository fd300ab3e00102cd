//! What sizes and times are put together by.

use heapquarry_graph::OwnedBy;
use serde::{Deserialize, Serialize};

/// What sizes and times are put together by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "args", derive(clap::ValueEnum))]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// Packages: of npm, JSR, the repository, origins of a browser, the runtime.
    Package,
    /// Scripts; with source maps the sources.
    Script,
    /// Functions; classes by their constructors.
    Function,
}

impl By {
    /// The heading of a column of them.
    pub(crate) fn title(self) -> &'static str {
        match self {
            By::Package => "Package",
            By::Script => "Script",
            By::Function => "Function",
        }
    }
}

impl std::str::FromStr for By {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "package" => Ok(By::Package),
            "script" => Ok(By::Script),
            "function" => Ok(By::Function),
            _ => Err(format!("expected package, script or function, found {text:?}")),
        }
    }
}

impl From<By> for OwnedBy {
    fn from(by: By) -> Self {
        match by {
            By::Package => OwnedBy::Package,
            By::Script => OwnedBy::Script,
            By::Function => OwnedBy::Function,
        }
    }
}
