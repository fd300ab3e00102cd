//! The command `cache`.

use crate::args::CacheAction;
use heapquarry::report::{Unit, printable};
use heapquarry_store::cache::Cache;
use serde_json::json;
use std::{
    io::{self, Write},
    time::{Duration, SystemTime},
};

pub(crate) fn run(
    action: &CacheAction,
    out: &mut impl Write,
) -> Result<(), crate::failure::Failure> {
    let cache = Cache::of_user()?;
    match action {
        CacheAction::Path => {
            writeln!(out, "{}", printable(&cache.path().to_string_lossy()))?;
        }
        CacheAction::Clear => {
            let cleared = cache.clear()?;
            let size = Unit::Bytes.format(i64::try_from(cleared.bytes).unwrap_or(i64::MAX));
            writeln!(out, "{} removed, {size}", inputs(cleared.entries))?;
            if cleared.in_use > 0 {
                writeln!(out, "{} in use, not removed", inputs(cleared.in_use))?;
            }
        }
        CacheAction::List { json: true } => list_json(&cache, out)?,
        CacheAction::List { json: false } => list(&cache, out)?,
    }
    Ok(())
}

fn inputs(count: usize) -> String {
    format!("{count} converted input{}", if count == 1 { "" } else { "s" })
}

fn list(cache: &Cache, out: &mut impl Write) -> Result<(), crate::failure::Failure> {
    let entries = cache.entries()?;
    for entry in &entries {
        let size = Unit::Bytes.format(i64::try_from(entry.bytes).unwrap_or(i64::MAX)).to_string();
        let used = match entry.in_use {
            true => "in use".into(),
            false => ago(entry.used.elapsed().unwrap_or_default()),
        };
        write!(out, "{size:>9}  {used:>12}  {}", printable(&entry.source))?;
        match entry.options.as_str() {
            "" => writeln!(out)?,
            options => writeln!(out, " ({})", printable(options))?,
        }
    }
    let bytes: u64 = entries.iter().map(|entry| entry.bytes).sum();
    let size = Unit::Bytes.format(i64::try_from(bytes).unwrap_or(i64::MAX));
    let path = cache.path().to_string_lossy();
    writeln!(out, "{}, {size}, in {}", inputs(entries.len()), printable(&path))?;
    Ok(())
}

fn list_json(cache: &Cache, out: &mut impl Write) -> Result<(), crate::failure::Failure> {
    let entries = cache.entries()?;
    let entries: Vec<_> = entries
        .iter()
        .map(|entry| {
            let used = entry.used.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
            json!({
                "key": entry.key,
                "source": entry.source,
                "options": entry.options,
                "bytes": entry.bytes,
                "used": used.as_secs(),
                "in_use": entry.in_use,
            })
        })
        .collect();
    let mut text = Vec::new();
    heapquarry::report::printable::json(&entries, true, &mut text)?;
    text.push(b'\n');
    Ok::<(), io::Error>(out.write_all(&text)?)?;
    Ok(())
}

/// A time in the past, in its largest unit.
fn ago(age: Duration) -> String {
    let seconds = age.as_secs();
    let units = [(86_400, "day"), (3_600, "hour"), (60, "minute")];
    let unit = units.into_iter().find(|(length, _)| seconds >= *length);
    let Some((length, name)) = unit else { return "just now".into() };
    let count = seconds / length;
    format!("{count} {name}{} ago", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_told_in_their_largest_unit() {
        for (seconds, text) in [
            (0, "just now"),
            (59, "just now"),
            (60, "1 minute ago"),
            (7_199, "1 hour ago"),
            (7_200, "2 hours ago"),
            (86_400 * 40, "40 days ago"),
        ] {
            assert_eq!(ago(Duration::from_secs(seconds)), text);
        }
    }
}
