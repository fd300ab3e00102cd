//! Remembers what strings become, where the same ones come again and again.

use crate::rules::{Role, Rules};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use std::{borrow::Cow, io};

/// What is to be done with a string of a profile or trace.
#[derive(Clone, Copy)]
pub(crate) enum Case {
    /// A key of the format.
    Key,
    /// A name in the source of a program or an engine.
    Name,
    /// A name that the program may have chosen as data.
    Label,
    /// An address.
    Address,
    /// An id.
    Id,
    /// A value, or a word of the engine.
    Word,
    /// A value.
    Value,
}

/// How many cases there are.
const CASES: usize = 7;

/// Longer strings are seldom repeated.
const LONGEST: usize = 200;

/// Strings of each case that are remembered.
const MOST: usize = 1 << 16;

/// What strings become, by case.
#[derive(Default)]
pub(crate) struct Memo([HashMap<Box<str>, Option<Box<str>>, FixedState>; CASES]);

impl Memo {
    /// What a string becomes.
    pub(crate) fn text<'t>(
        &mut self,
        rules: &mut Rules,
        case: Case,
        text: &'t str,
    ) -> io::Result<Cow<'t, str>> {
        let known = &mut self.0[case as usize];
        match known.get(text) {
            Some(None) => return Ok(text.into()),
            Some(Some(new)) => {
                rules.count();
                return Ok(Cow::Owned(new.as_ref().into()));
            }
            None => {}
        }
        let new = match case {
            Case::Key => rules.key(text),
            Case::Name => rules.text(Role::Name, text),
            Case::Label => rules.text(Role::Label, text),
            Case::Address => rules.text(Role::Address, text),
            Case::Id => rules.id(text),
            Case::Word => rules.word(text),
            Case::Value => rules.text(Role::Value, text),
        }?;
        if text.len() <= LONGEST {
            if known.len() == MOST {
                known.clear();
            }
            let stored = match &new {
                Cow::Borrowed(_) => None,
                Cow::Owned(new) => Some(new.as_str().into()),
            };
            known.insert(text.into(), stored);
        }
        Ok(new)
    }
}
