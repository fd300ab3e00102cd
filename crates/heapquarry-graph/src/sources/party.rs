//! Who wrote the code that something belongs to.

use crate::Package;

/// Who wrote code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Party {
    /// The program: what its script belongs to; `None` of global variables, which any script can have made.
    First(Option<String>),
    /// An installed package, by its name.
    Third(String),
    /// The engine and its runtime: `node:`; `None` if no script is known.
    Runtime(Option<String>),
}

impl Party {
    /// Who wrote a source, by its path or URL; `is_ignored` if the ignore list of its source map has it.
    pub(crate) fn of_source(source: &str, is_ignored: bool) -> Self {
        let package = Package::of_source(source, is_ignored);
        let name = package.to_string();
        match package {
            // Node's own scripts have a plain name before 16, code that the engine makes has none.
            Package::Own if !super::is_own(source) => Party::Runtime(None),
            Package::Own | Package::Folder(_) | Package::Origin(_) => Party::First(Some(name)),
            Package::Installed(_) | Package::Jsr(_) | Package::Ignored => Party::Third(name),
            Package::Runtime(_) => Party::Runtime(Some(name)),
        }
    }

    /// The package, as lists by package have it: `(own scripts)`, `express`, `node:`; `None` if it is not known.
    pub fn package(&self) -> Option<&str> {
        match self {
            Party::First(name) | Party::Runtime(name) => name.as_deref(),
            Party::Third(name) => Some(name),
        }
    }

    /// Whether its code can better be changed, or more is known of it.
    pub(crate) fn is_better(&self, other: &Party) -> bool {
        let key = |party: &Party| (party.rank(), party.package().is_none());
        key(self) < key(other)
    }

    /// The order in which code can be changed: 0 of the program, 1 of packages, 2 of the engine.
    pub fn rank(&self) -> u8 {
        match self {
            Party::First(_) => 0,
            Party::Third(_) => 1,
            Party::Runtime(_) => 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_comes_before_packages_and_these_before_the_runtime() {
        for (source, is_ignored, rank, package) in [
            ("/srv/app.js", false, 0, Some("(own scripts)")),
            ("/srv/packages/ui/src/a.js", false, 0, Some("packages/ui")),
            ("https://example.org/a.js", false, 0, Some("https://example.org")),
            ("/srv/node_modules/express/lib/a.js", false, 1, Some("express")),
            ("webpack/bootstrap", true, 1, Some("(ignored sources)")),
            ("node:internal/timers", false, 2, Some("node:")),
            ("", false, 2, None),
        ] {
            let party = Party::of_source(source, is_ignored);
            assert_eq!((party.rank(), party.package()), (rank, package), "{source}");
        }
    }
}
