//! How answers are printed.
//!
//! Groups of options have no documentation comments: clap would take them for the help of the verbs that have them.

use crate::form::Form;
use clap::{
    Args,
    builder::{PossibleValuesParser, TypedValueParser},
};
use std::marker::PhantomData;

// Options of answers.
#[derive(Args, Debug)]
pub(crate) struct Print<F: Forms = Plain> {
    #[arg(long, value_parser = forms(F::FORMS), default_value = "text", help = F::HELP)]
    format: Form,

    /// Short for --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,

    /// With --json: at most 6 kB, as tools of `mcp` answer. Rows are cut first, then names; `more` has what is left
    #[arg(long, requires = "json")]
    brief: bool,

    #[arg(skip)]
    of: PhantomData<F>,
}

impl<F: Forms> Print<F> {
    /// The form that is asked for.
    pub(crate) fn form(&self) -> Form {
        match (self.json, self.brief) {
            (false, _) => self.format,
            (true, false) => Form::Json,
            (true, true) => Form::Brief,
        }
    }
}

/// Which forms an answer has.
pub(crate) trait Forms: std::fmt::Debug + Send + Sync + 'static {
    const FORMS: &'static [Form];
    const HELP: &'static str;
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Plain;

/// An answer with limits.
#[derive(Debug)]
pub(crate) struct Limited;

/// An answer with limits and figures.
#[derive(Debug)]
pub(crate) struct Measured;

impl Forms for Plain {
    const FORMS: &'static [Form] = Form::OF_ALL;
    const HELP: &'static str = "Report format";
}

impl Forms for Limited {
    const FORMS: &'static [Form] = Form::OF_LIMITS;
    const HELP: &'static str = "Report format; github prints annotations, and appends Markdown to the file \
                        GITHUB_STEP_SUMMARY; html is a page without scripts";
}

impl Forms for Measured {
    const FORMS: &'static [Form] = Form::OF_FIGURES;
    const HELP: &'static str = "Report format; github prints annotations, and appends Markdown to the file \
                        GITHUB_STEP_SUMMARY; bencher (bencher.dev) and benchmark-action \
                        (github-action-benchmark) print figures for histories";
}

fn forms(forms: &'static [Form]) -> impl TypedValueParser<Value = Form> {
    let named = |name: String| forms.iter().copied().find(|form| form.name() == name);
    PossibleValuesParser::new(forms.iter().map(|form| form.name()))
        .map(move |name| named(name).expect("one of the names"))
}
