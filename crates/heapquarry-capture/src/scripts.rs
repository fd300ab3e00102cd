//! The scripts of a target that name source maps.

use crate::{
    Error, Result, Session,
    message::member,
    record::event,
    session::{Next, check, is_answer},
    stream::PATIENCE,
};
use serde_json::{Value, json};
use std::time::Instant;

/// The event that tells of a script.
const SCRIPT: &str = "Debugger.scriptParsed";

/// Bytes of addresses that are kept at most: `data:` URLs are whole maps.
const MOST_BYTES: usize = 512 << 20;

/// A script that names its source map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MappedScript {
    /// Its path or URL.
    pub url: String,
    /// The address of its map, which can be relative to the script, or a `data:` URL with the map itself.
    pub map_url: String,
}

impl Session<'_> {
    /// The scripts that name a source map, in the order in which they were compiled, and whether that is all of them.
    /// The engine tells of all its scripts to who asks for its debugger. It stops at no `debugger` statement meanwhile.
    /// A target without a debugger has none.
    ///
    /// # Errors
    /// If it was interrupted, or the target is gone or says nothing.
    pub fn mapped_scripts(&mut self) -> Result<(Vec<MappedScript>, bool)> {
        const METHOD: &str = "Debugger.enable";
        // All at once, so that the program does not run in between.
        self.send("Debugger.setSkipAllPauses", &json!({ "skip": true }))?;
        let enabled = self.send(METHOD, &json!({}))?;
        let disabled = self.send("Debugger.disable", &json!({}))?;
        let (mut scripts, mut bytes, mut is_whole) = (Vec::new(), 0usize, true);
        let mut until = Instant::now() + PATIENCE;
        loop {
            let text = match self.receive(Some(until))? {
                Next::Message(text) => text,
                Next::Stopped => return Err(Error::Interrupted),
                Next::Late => {
                    return Err(Error::Silent { place: self.address.to_string(), method: METHOD });
                }
            };
            if is_answer(&text, disabled) {
                return Ok((scripts, is_whole));
            }
            if is_answer(&text, enabled) && check(METHOD, &text).is_err() {
                return Ok((Vec::new(), true));
            }
            // The target is making its answer as long as it tells of scripts.
            if event(&text) == Some(SCRIPT) {
                until = Instant::now() + PATIENCE;
            }
            let Some(script) = parsed(&text) else { continue };
            let taken = size_of::<MappedScript>() + script.map_url.len() + script.url.len();
            bytes = bytes.saturating_add(taken);
            match bytes <= MOST_BYTES {
                true => scripts.push(script),
                false => is_whole = false,
            }
        }
    }

    /// Whether the target is reached on this machine. A tunnel can make it seem so.
    pub fn is_local(&self) -> bool {
        self.address.is_loopback()
    }
}

/// The script of an event, if it names a map.
fn parsed(text: &str) -> Option<MappedScript> {
    if event(text) != Some(SCRIPT) {
        return None;
    }
    let mut params: Value = serde_json::from_str(member(text, "params")?).ok()?;
    // A program can give a script any address, and so have a file read that is another's.
    let is_named = params["hasSourceURL"] == true;
    let mut text = |name| match params[name].take() {
        Value::String(text) if !text.is_empty() => Some(text),
        _ => None,
    };
    let script = MappedScript { map_url: text("sourceMapURL")?, url: text("url")? };
    (!is_named || script.map_url.starts_with("data:")).then_some(script)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_that_name_a_map_are_told() {
        for (event, expected) in [
            (
                r#""url":"file:///a.js","sourceMapURL":"a.js.map","length":7"#,
                Some(("file:///a.js", "a.js.map")),
            ),
            (r#""url":"file:///a.js","sourceMapURL":"""#, None),
            (r#""url":"file:///a.js""#, None),
            (r#""url":"file:///a.js","sourceMapURL":"a.js.map","hasSourceURL":true"#, None),
            (
                r#""url":"file:///a.js","sourceMapURL":"data:,x","hasSourceURL":true"#,
                Some(("file:///a.js", "data:,x")),
            ),
            (r#""url":"","sourceMapURL":"a.js.map""#, None),
            (r#""url":7,"sourceMapURL":"a.js.map""#, None),
        ] {
            let text = format!(
                r#"{{"method":"Debugger.scriptParsed","params":{{"scriptId":"3",{event}}}}}"#
            );
            let found = parsed(&text);
            let found = found.as_ref().map(|script| (&*script.url, &*script.map_url));
            assert_eq!(found, expected, "{event}");
        }
        assert_eq!(parsed(r#"{"method":"Debugger.paused","params":{}}"#), None);
    }
}
