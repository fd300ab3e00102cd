//! Collapsed stacks: `outer (app.js:1);inner (app.js:7) 12`.

use crate::weights;
use heapquarry_profile::{Function, Profile};
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

fn word(function: &Function) -> String {
    let place = (!function.url.is_empty())
        .then(|| format!("{}:{}", function.url, function.line.unwrap_or(0)));
    field(function.name(), place.as_deref())
}

/// A function and its place as one field of a line. Characters that would end the field are replaced or escaped.
pub(super) fn field(name: &str, place: Option<&str>) -> String {
    let word = place.map_or(name.into(), |place| format!("{name} ({place})"));
    printable(&word).replace(';', ":")
}
