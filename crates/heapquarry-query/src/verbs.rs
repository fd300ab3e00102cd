//! The table of questions: each by the name of its verb.

use crate::{
    Check, Diff, Find, Leaks, Show, Summary, Why, answer::Answer, question::Question,
    session::Session,
};
use heapquarry::{Result, Source};
use std::path::PathBuf;

/// A question of any verb.
pub trait AnyQuestion: Send + Sync {
    /// Answers it about the inputs of a session.
    ///
    /// # Errors
    /// Those of [`Question::ask`].
    fn answer(&self, session: &Session) -> Result<Box<dyn Answer>>;

    /// Inputs that options name, so that a caller can put others in their place.
    fn named_sources(&mut self) -> Vec<&mut Source>;

    /// Paths that options name, in the order in which they are declared.
    fn named_paths(&mut self) -> Vec<&mut PathBuf>;
}

impl<Q: Question> AnyQuestion for Q {
    fn answer(&self, session: &Session) -> Result<Box<dyn Answer>> {
        Ok(Box::new(self.ask(session)?))
    }

    fn named_sources(&mut self) -> Vec<&mut Source> {
        self.other_sources()
    }

    fn named_paths(&mut self) -> Vec<&mut PathBuf> {
        self.other_paths()
    }
}

/// Declares the questions that [`question`] and `schemas` know.
macro_rules! verbs {
    ($($question:ty,)+) => {
        /// The verbs that ask a question about inputs.
        pub const VERBS: &[&str] = &[$(<$question as Question>::VERB),+];

        /// The question of a verb, with its options as JSON: `{"top": 3}`.
        ///
        /// # Errors
        /// If there is no such verb, or the text is no JSON, or has an option that the verb does not have.
        pub fn question(verb: &str, options: &str) -> serde_json::Result<Box<dyn AnyQuestion>> {
            match verb {
                $(<$question as Question>::VERB => {
                    serde_json::from_str::<$question>(options).map(|question| Box::new(question) as _)
                })+
                _ => Err(serde::de::Error::custom(format!("no question of this verb ({verb})"))),
            }
        }

        /// The schemas of all questions and answers.
        #[cfg(feature = "schema")]
        pub fn schemas() -> Vec<schema::VerbSchemas> {
            use crate::{answer::Answered, process::watch::{Watch, WatchAnswer}};
            vec![
                $(schema::VerbSchemas::of::<$question, Answered<<$question as Question>::Answer>>(
                    <$question as Question>::VERB,
                ),)+
                // What it is about is no input.
                schema::VerbSchemas::of::<Watch, Answered<WatchAnswer>>("watch"),
            ]
        }
    };
}

verbs! {
    Summary,
    Why,
    Show,
    Find,
    Leaks,
    Diff,
    Check,
}

/// JSON Schemas of questions and answers.
#[cfg(feature = "schema")]
pub(crate) mod schema {
    use schemars::{JsonSchema, Schema, generate::SchemaSettings};

    /// The JSON Schemas of a verb.
    pub struct VerbSchemas {
        /// Its name.
        pub verb: &'static str,
        /// What is read: its options.
        pub question: Schema,
        /// What is written. Only members that may be left out are optional.
        pub answer: Schema,
    }

    impl VerbSchemas {
        pub(super) fn of<Q: JsonSchema, A: JsonSchema>(verb: &'static str) -> Self {
            let settings = SchemaSettings::draft2020_12;
            VerbSchemas {
                verb,
                question: settings().into_generator().into_root_schema_for::<Q>(),
                answer: settings().for_serialize().into_generator().into_root_schema_for::<A>(),
            }
        }
    }
}
