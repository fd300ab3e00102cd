//! A part of a trace.

use crate::run::options;
use std::fmt;

options! {
    /// A part of a trace: events of some processes, threads and categories, in a window of time. A name may have `*`
    /// for any text. [`Source::part`](crate::Source::part) selects it.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub struct Part {
        /// Names or ids of processes; empty for all.
        pub processes: Vec<String>,
        /// Names or ids of threads; empty for all.
        pub threads: Vec<String>,
        /// Categories, of which events have one or more; empty for all.
        pub categories: Vec<String>,
        /// Where it begins: seconds after the start of the trace, or the name of an event, the first of which begins
        /// it.
        pub from: Option<String>,
        /// Where it ends: the same. The first event of that name that begins in the part ends it with its own end.
        pub until: Option<String>,
    }
}

impl Part {
    /// Whether it is the whole trace.
    pub fn is_whole(&self) -> bool {
        *self == Part::default()
    }
}

/// In words: `thread CrRendererMain, from 1.5 to 3 s`.
impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut words: Vec<String> = Vec::new();
        for (what, names) in [
            ("process", &self.processes),
            ("thread", &self.threads),
            ("category", &self.categories),
        ] {
            if !names.is_empty() {
                words.push(format!("{what} {}", names.join(" or ")));
            }
        }
        for (word, at) in [("from", &self.from), ("until", &self.until)] {
            words.extend(at.as_ref().map(|at| match at.parse::<f64>() {
                Ok(_) => format!("{word} {at} s"),
                Err(_) => format!("{word} {at}"),
            }));
        }
        f.write_str(&words.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_in_words() {
        let names = |names: &[&str]| names.iter().map(|&name| name.into()).collect::<Vec<String>>();
        assert!(Part::default().is_whole());
        let part = Part::default().threads(names(&["main", "worker*"])).from(Some("1.5".into()));
        assert!(!part.is_whole());
        assert_eq!(part.to_string(), "thread main or worker*, from 1.5 s");
        let part = Part::default().categories(names(&["v8"])).until(Some("load".into()));
        assert_eq!(part.to_string(), "category v8, until load");
    }
}
