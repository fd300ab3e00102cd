//! What can be asked.

use crate::{Session, answer::Answered, view::View};
use heapquarry::{Result, Source};
use serde::{Serialize, de::DeserializeOwned};
use std::path::PathBuf;

/// A question: a verb with its options.
pub trait Question: DeserializeOwned + Default + Send + Sync + 'static {
    /// The verb: `why`.
    const VERB: &'static str;
    /// What it is answered with.
    type Answer: Serialize + View + Send + Sync + 'static;

    /// Answers it about the inputs of a session.
    ///
    /// # Errors
    /// If an input cannot be read, or the question is not about inputs of its kind.
    fn ask(&self, session: &Session) -> Result<Answered<Self::Answer>>;

    /// Inputs that options name, so that a caller can put others in their place.
    fn other_sources(&mut self) -> Vec<&mut Source> {
        Vec::new()
    }

    /// Paths that options name: JSON has no path that is not UTF-8, so that a caller can put it here.
    fn other_paths(&mut self) -> Vec<&mut PathBuf> {
        Vec::new()
    }
}

/// Declares a question: its options, with their defaults and their help. With the feature `args` it is a group of
/// options of the command line as well, with the attributes `arg`.
macro_rules! question {
    (
        $(#[doc = $doc:literal])+
        pub struct $name:ident {
            $(
                $(#[doc = $help:literal])+
                $(#[arg($($arg:tt)+)])?
                $(#[schemars($($schema:tt)+)])?
                pub $field:ident: $ty:ty = $default:expr,
            )*
        }
    ) => {
        $(#[doc = $doc])+
        #[derive(Clone, Debug, serde::Deserialize)]
        #[serde(default, deny_unknown_fields)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[cfg_attr(feature = "args", derive(clap::Args))]
        #[non_exhaustive]
        pub struct $name {
            $(
                $(#[doc = $help])+
                $(#[cfg_attr(feature = "args", arg($($arg)+))])?
                $(#[cfg_attr(feature = "schema", schemars($($schema)+))])?
                pub $field: $ty,
            )*
        }

        impl Default for $name {
            fn default() -> Self {
                $name { $($field: $default,)* }
            }
        }

        impl $name {
            $(
                $(#[doc = $help])+
                #[must_use]
                pub fn $field(mut self, $field: impl Into<$ty>) -> Self {
                    self.$field = $field.into();
                    self
                }
            )*
        }
    };
}
pub(crate) use question;
