//! Finds objects, functions and slices.

mod answer;
mod filter;
mod view;

pub use answer::{
    FindAnswer, FoundFunctions, FoundObject, FoundObjects, FoundSlices, FoundString, FoundStrings,
};
pub(crate) use filter::Filter;

use crate::{
    Session,
    answer::{Answered, Caveat},
    question::{Question, question},
    session::Loaded,
};
use heapquarry::{Result, Source};
use serde::Deserialize;

question! {
    /// Find objects of a heap, functions of a profile, slices of a trace
    ///
    /// Heap: objects by class, name, text, id and size, each with the path that keeps it alive and the object that
    /// refers to it. Profile and trace: functions and slices by name, with their values and times. An object is listed
    /// if it matches all options that are given. Without --class, --name and --node, the engine's own objects and code
    /// are left out.
    pub struct Find {
        /// Objects of this class; * matches any text; can be repeated
        #[arg(long, value_name = "NAME")]
        pub class: Vec<String> = Vec::new(),

        /// Objects with this name or class, functions with this name or script, slices with this name; * matches any
        /// text; can be repeated
        #[arg(long, value_name = "NAME")]
        pub name: Vec<String> = Vec::new(),

        /// Strings that contain this text; functions and slices with this text in their name
        #[arg(long, value_name = "TEXT")]
        pub text: Option<String> = None,

        /// Strings with a match of this regular expression, likewise; (?i) ignores case
        #[arg(long, value_name = "REGEX")]
        pub regex: Option<String> = None,

        /// The object with this id; can be repeated
        #[arg(long, value_name = "ID", value_parser = crate::args::id)]
        pub node: Vec<i64> = Vec::new(),

        /// Objects of at least this size, such as 1MB; it is the size that --sort sorts by
        #[arg(long, value_name = "SIZE", value_parser = crate::args::size)]
        pub min_size: Option<u64> = None,

        /// Only detached DOM nodes; with =false only other objects
        #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
        pub detached: Option<bool> = None,

        /// Objects that this earlier snapshot of the same process does not have
        #[arg(long, value_name = "BASE", value_parser = crate::args::source())]
        #[schemars(with = "Option<String>")]
        pub new_since: Option<Source> = None,

        /// List texts of strings instead of objects: equal strings are one row, with the size of all copies
        #[arg(long)]
        pub strings: bool = false,

        /// Sort by retained size, which would be freed with the object, or by own size; functions and slices by total
        /// or self value
        #[arg(long, value_name = "SIZE", value_enum, default_value_t)]
        pub sort: FindOrder = FindOrder::default(),

        /// Rows to skip
        #[arg(long, value_name = "N", default_value_t = 0)]
        pub offset: usize = 0,

        /// Rows to show
        #[arg(long, value_name = "N", default_value_t = 20)]
        pub top: usize = 20,
    }
}

/// What is found is sorted by this, the largest first; of equal ones the first in the file comes first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "args", derive(clap::ValueEnum))]
pub enum FindOrder {
    /// Retained size of objects, total value of functions, total time of slices.
    #[default]
    Retained,
    /// Shallow size of objects, self value of functions, self time of slices.
    Own,
}

impl Question for Find {
    const VERB: &'static str = "find";
    type Answer = FindAnswer;

    fn ask(&self, session: &Session) -> Result<Answered<FindAnswer>> {
        // What is wrong with the question is said before gigabytes are read.
        let filter = Filter::new(self)?;
        let (caveats, answer) = match self.is_about_heaps() {
            true => self.ask_of(session, &filter, Loaded::Heap(session.heap()?))?,
            false => self.ask_of(session, &filter, session.unattributed()?)?,
        };
        session.answered(Self::VERB, caveats, answer, usize::MAX)
    }

    fn other_sources(&mut self) -> Vec<&mut Source> {
        self.new_since.iter_mut().collect()
    }
}

impl Find {
    /// Whether it has options that only heaps have.
    fn is_about_heaps(&self) -> bool {
        let Find { class, node, min_size, detached, new_since, strings, .. } = self;
        !class.is_empty()
            || !node.is_empty()
            || min_size.is_some()
            || detached.is_some()
            || new_since.is_some()
            || *strings
    }

    /// Whether all objects of classes are asked for, by what they retain.
    pub(crate) fn is_of_class_alone(&self) -> bool {
        let has_more = !self.name.is_empty()
            || !self.node.is_empty()
            || self.detached.is_some()
            || self.new_since.is_some()
            || self.text.is_some()
            || self.regex.is_some()
            || self.min_size.is_some()
            || self.strings;
        !self.class.is_empty() && !has_more && self.sort == FindOrder::Retained
    }

    /// Whether all objects with names are asked for, by what they retain.
    pub(crate) fn is_of_names_alone(&self) -> bool {
        let Find { class, name, node, min_size, detached, new_since, .. } = self;
        !name.is_empty()
            && class.is_empty()
            && node.is_empty()
            && min_size.is_none()
            && detached.is_none()
            && new_since.is_none()
            && self.sort == FindOrder::Retained
    }

    fn ask_of(
        &self,
        session: &Session,
        filter: &Filter,
        of: Loaded,
    ) -> Result<(Vec<Caveat>, FindAnswer)> {
        Ok(match of {
            Loaded::Heap(heap) => heap.find(session, self, filter)?,
            Loaded::Profile(profile) => {
                (profile.notes.clone(), FindAnswer::Functions(profile.find(self, filter)))
            }
            Loaded::Trace(trace) => {
                (trace.notes.clone(), FindAnswer::Slices(trace.find(self, filter)))
            }
        })
    }
}
