//! Collapsed stacks: `outer (app.js:1);inner (app.js:7) 12`.

use super::weights;
use crate::profile::{Function, Profile};
use heapquarry_report::printable;
use std::io::{self, Write};

pub(super) fn write(profile: &Profile, out: &mut dyn Write) -> io::Result<()> {
    let words: Vec<String> = profile.functions.iter().map(word).collect();
    let mut stack = Vec::new();
    for (node, weight) in weights(profile) {
        stack.clear();
        stack.extend(profile.stack(node).map(|node| words[profile.of[node] as usize].as_str()));
        stack.reverse();
        for (i, word) in stack.iter().enumerate() {
            write!(out, "{}{word}", if i > 0 { ";" } else { "" })?;
        }
        writeln!(out, " {weight}")?;
    }
    Ok(())
}

/// A function as one field of a line. Characters that would end the field are replaced or escaped.
fn word(function: &Function) -> String {
    let mut word = function.name().to_string();
    if !function.url.is_empty() {
        word += &format!(" ({}:{})", function.url, function.line.unwrap_or(0));
    }
    printable(&word).replace(';', ":")
}
