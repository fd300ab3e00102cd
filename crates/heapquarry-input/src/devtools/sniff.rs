//! Recognises messages by their members.

use heapquarry_formats::{
    ByteOffset, Input, Result,
    json::{Json, Step, Stop, Value, text},
};
use heapquarry_scan::BYTE_ORDER_MARK;

/// Number of messages that are examined.
const EXAMINED_MESSAGES: usize = 8;

/// Whether an input begins with messages of the protocol: an event, whose `method` names its domain, or two answers,
/// which have an `id` and a `result` or an `error`. A single answer is read as the document that it holds.
///
/// # Errors
///
/// If the input cannot be read.
pub fn sniff(input: &dyn Input) -> Result<bool> {
    match walk(input) {
        Ok(found) => Ok(found),
        Err(Stop::Failed(error)) => Err(error),
        Err(Stop::Cut | Stop::Malformed { .. }) => Ok(false),
    }
}

/// Whether a byte may be between messages: in an array, in a JSON text sequence (RFC 7464), or in a byte order mark.
pub(super) fn separates(byte: u8) -> bool {
    matches!(byte, b'[' | b',' | 0x1E) || BYTE_ORDER_MARK.contains(&byte)
}

fn walk(input: &dyn Input) -> Step<bool> {
    let mut json = Json::new(input, ByteOffset::START, 4 << 10);
    let mut answers = 0;
    for _ in 0..EXAMINED_MESSAGES {
        while json.peek()?.is_some_and(separates) {
            json.bump();
        }
        if json.peek()? != Some(b'{') {
            return Ok(false);
        }
        json.bump();
        let (mut id, mut result) = (false, false);
        while let Some(key) = json.key()? {
            match json.bytes(&key.span) {
                b"method" => {
                    let Value::Text(method) = json.value()? else { return Ok(false) };
                    let method = text(json.bytes(&method.span), method.escaped).0;
                    return Ok(is_method(&method));
                }
                b"id" => id = true,
                b"result" | b"error" => result = true,
                b"params" | b"sessionId" | b"type" | b"elapsedTime" | b"target" => {}
                _ => return Ok(false),
            }
            json.skip_value()?;
        }
        if !id || !result {
            return Ok(false);
        }
        answers += 1;
        if answers == 2 {
            return Ok(true);
        }
    }
    Ok(false)
}

/// `Domain.event`.
fn is_method(name: &str) -> bool {
    name.split_once('.').is_some_and(|(domain, event)| {
        let letters = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric());
        domain.starts_with(|c: char| c.is_ascii_uppercase())
            && event.starts_with(|c: char| c.is_ascii_lowercase())
            && letters(domain)
            && letters(event)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_told_by_their_members() {
        for (text, expected) in [
            (r#"{"method":"HeapProfiler.addHeapSnapshotChunk","params":{"ch"#, true),
            ("[\n{\"params\":{},\"method\":\"Runtime.consoleAPICalled\"}", true),
            ("{\"id\":1,\"result\":{}}\n{\"id\":2,\"result\":{}}", true),
            (r#"{"id":3,"result":{}}{"method":"Profiler.consoleProfileFinished"}"#, true),
            (r#"{"id":3,"result":{"profile":{"nodes":[]}}}"#, false),
            (r#"{"snapshot":{"meta""#, false),
            (r#"{"method":"GET","url":"/"}"#, false),
            (r#"[{"id":1,"ph":"X"}]"#, false),
            ("", false),
        ] {
            assert_eq!(sniff(&text).unwrap(), expected, "{text}");
        }
    }
}
