//! Texts of several snapshots, each under one number: string tables differ.

use crate::{HashMap, StringIndex, Strings};
use std::sync::Arc;

/// A text that is in none of the snapshots.
const UNKNOWN: u32 = u32::MAX;

/// Texts by number.
#[derive(Debug, Default)]
pub(super) struct Texts {
    all: Vec<Arc<str>>,
    numbers: HashMap<Arc<str>, u32>,
}

impl Texts {
    pub(super) fn number(&mut self, text: &str) -> u32 {
        if let Some(&number) = self.numbers.get(text) {
            return number;
        }
        let (number, text) = (self.all.len() as u32, Arc::from(text));
        self.all.push(Arc::clone(&text));
        self.numbers.insert(text, number);
        number
    }

    pub(super) fn get(&self, number: u32) -> &str {
        &self.all[number as usize]
    }
}

/// The numbers of one snapshot's strings, as far as they were asked for.
pub(super) struct Local<'a> {
    strings: &'a dyn Strings,
    numbers: Vec<u32>,
}

impl<'a> Local<'a> {
    pub(super) fn new(strings: &'a dyn Strings) -> Self {
        Local { strings, numbers: vec![UNKNOWN; strings.len()] }
    }

    #[inline]
    pub(super) fn number(&mut self, texts: &mut Texts, string: StringIndex) -> u32 {
        match self.numbers.get_mut(string.position()) {
            Some(number) => {
                if *number == UNKNOWN {
                    *number = texts.number(self.strings.get(string));
                }
                *number
            }
            None => texts.number(""),
        }
    }
}
