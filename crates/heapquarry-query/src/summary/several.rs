//! The summary of several inputs: traces, or profiles of one kind. Each is read, added up and forgotten before the next
//! one is read.

use super::{Summary, SummaryAnswer};
use crate::{
    Session,
    answer::Caveat,
    other_format,
    profile::{self, summary::ProfilesSum},
    refuse_incomparable,
    summed::Summed,
    trace::{self, summary::TracesSum},
};
use heapquarry::{
    Result, RunOptions, Source,
    engine::{Locate, Located},
};
use heapquarry_formats::Kind;

/// What is in all inputs together, and with `each` in each of them.
pub(crate) fn summary(asked: &Summary, session: &Session) -> Result<(Vec<Caveat>, SummaryAnswer)> {
    let (sources, options) = (session.sources(), session.options());
    let Some((first, more)) = sources.split_first() else { return Err(crate::too_few(&sources)) };
    let located = first.locate(options)?;
    let kind = located.format().kind();
    let inputs = Inputs { asked, first, located, more, options };
    match kind {
        Kind::Heap => {
            let wanted = "traces or profiles, to add them up (`diff` and `leaks` compare heaps)";
            Err(other_format(first, wanted, inputs.located.format()))
        }
        Kind::Trace => traces(inputs),
        Kind::Profile(_) => profiles(inputs),
    }
}

/// The inputs, of which the first one says what they are.
struct Inputs<'a> {
    asked: &'a Summary,
    first: &'a Source,
    /// The first one.
    located: Located,
    more: &'a [Source],
    options: &'a RunOptions,
}

fn traces(inputs: Inputs<'_>) -> Result<(Vec<Caveat>, SummaryAnswer)> {
    let Inputs { asked, first, located, more, options } = inputs;
    let (mut sum, mut caveats) = (TracesSum::default(), Vec::new());
    let format = located.format();
    let mut add = |source: &Source, located| -> Result<()> {
        let trace = trace::Subject::open(source, located, options)?;
        caveats.extend(trace.notes.iter().cloned());
        sum.add(source, trace.summary(None, asked.by), asked.each)
    };
    add(first, located)?;
    for source in more {
        let located = source.locate(options)?;
        refuse_incomparable(source, located.format(), format)?;
        add(source, located)?;
    }
    Ok((joined(caveats), SummaryAnswer::Traces(sum.finish(asked.top, asked.by, asked.each).into())))
}

fn profiles(inputs: Inputs<'_>) -> Result<(Vec<Caveat>, SummaryAnswer)> {
    let Inputs { asked, first, located, more, options } = inputs;
    let profile = profile::Subject::open(first, located, options)?;
    let mut caveats = profile.notes.clone();
    let mut sum = ProfilesSum::new(first, profile.summary(None, asked.by), asked.each);
    for source in more {
        let next = profile.open_like(source, source.locate(options)?, options)?;
        caveats.extend(next.notes.iter().cloned());
        sum.add(source, next.summary(None, asked.by), asked.each)?;
    }
    Ok((joined(caveats), SummaryAnswer::Profiles(sum.finish(asked.top, asked.each).into())))
}

/// What is said of several inputs in the same words is said once.
fn joined(caveats: Vec<Caveat>) -> Vec<Caveat> {
    let mut joined: Summed<_, (Caveat, usize)> = Summed::default();
    for caveat in caveats {
        let name = (format!("{:?}", caveat.kind), caveat.text.clone());
        joined.add(name, (caveat, 1), |(_, count), _| *count += 1);
    }
    let told = |(caveat, count): (Caveat, usize)| match (&caveat.input, count) {
        (_, 1) | (None, _) => caveat,
        (Some(input), _) => {
            let text = format!("{input} and {} more: {}", count - 1, caveat.text);
            Caveat { kind: caveat.kind, input: None, text }
        }
    };
    joined.into_rows().into_iter().map(told).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::CaveatKind;

    #[test]
    fn equal_words_are_said_once() {
        let caveat = |input: &str, text: &str| Caveat {
            kind: CaveatKind::Remark,
            input: Some(input.into()),
            text: text.into(),
        };
        let all =
            vec![caveat("a", "cut"), caveat("b", "odd"), caveat("b", "cut"), caveat("c", "cut")];
        let told: Vec<String> = joined(all).iter().map(ToString::to_string).collect();
        assert_eq!(told, ["a and 2 more: cut", "b: odd"]);
    }
}
