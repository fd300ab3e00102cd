//! Recognises formats by their content, whatever the order of members.
//!
//! Visits the members of the document's object one after the other, until the name and the first bytes of one identify
//! the format. Nested objects are visited too, because profiles come in envelopes.

use crate::{
    ByteOffset, Format, Input, Result, cpu_profile, ftrace, heap, heap_profile, input, jsc,
    json::{Json, Step, Stop},
    pprof, self_profile, trace, without_mark,
};
use heapquarry_scan::{Skipped, Skipper};

/// Location of a document of a known format in an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its format.
    pub format: Format,
    /// Offset of its object in bytes.
    pub offset: ByteOffset,
}

/// Size of the start of a value that suffices to identify it.
const HEAD_BYTES: usize = 64 << 10;

/// Size of the start of a scalar that suffices.
const SCALAR_BYTES: usize = 16;

/// Bytes within which one of several objects must identify the format.
const SEARCH_BYTES: ByteOffset = ByteOffset(64 << 20);

/// Maximum nesting of objects that are visited.
const MAX_DEPTH: usize = 3;

/// Recognises the format of an input; `None` if it is unknown.
///
/// # Errors
/// If the input cannot be read.
pub fn sniff(input: &dyn Input) -> Result<Option<Found>> {
    let head = input::bytes_at(input, ByteOffset::START, HEAD_BYTES)?;
    if ftrace::recognises(&head) {
        return Ok(Some(Found { format: Format::Ftrace, offset: ByteOffset::START }));
    }
    if pprof::recognises(&head) {
        return Ok(Some(Found { format: Format::Pprof, offset: ByteOffset::START }));
    }
    let text = without_mark(&head);
    let mut likely = None;
    let found = match walk(input, ByteOffset((head.len() - text.len()) as u64), &mut likely) {
        Ok(found) => found,
        Err(Stop::Failed(error)) => return Err(error),
        // What was visited so far must suffice.
        Err(Stop::Cut | Stop::Malformed { .. }) => None,
    };
    let heap = || (heap::sniff(&head) == crate::Sniff::Yes).then(|| whole(Format::Heap));
    let empty = || trace::is_empty(text).then(|| whole(Format::Trace));
    Ok(found.or(likely).or_else(heap).or_else(empty))
}

/// A format of the document as a whole.
fn whole(format: Format) -> Found {
    Found { format, offset: ByteOffset::START }
}

/// An object that is being visited.
struct Level {
    /// Its offset.
    offset: ByteOffset,
    /// Number of its arrays that are named like those of a self-profiling trace.
    arrays: usize,
}

/// Visits members. `likely` becomes the format of a document that could be of two, in case nothing else decides.
fn walk(input: &dyn Input, start: ByteOffset, likely: &mut Option<Found>) -> Step<Option<Found>> {
    let mut json = Json::new(input, start, HEAD_BYTES);
    let mut open: Vec<Level> = Vec::new();
    // Most formats have a single object, with nothing before it.
    let mut alone = true;
    let mut jsc_sign = None;
    loop {
        let Some(level) = open.last_mut() else {
            match json.peek()? {
                Some(b'{') => {
                    open.push(Level { offset: json.at(), arrays: 0 });
                    json.bump();
                }
                // Objects in an array or one after the other: the first ones must identify the format.
                Some(b'[' | b',' | 0x1E) if json.at() < SEARCH_BYTES => {
                    alone = false;
                    json.bump();
                }
                _ => return Ok(None),
            }
            continue;
        };
        let offset = level.offset;
        let Some(key) = json.key()? else {
            open.pop();
            alone &= !open.is_empty();
            continue;
        };
        let key = json.bytes(&key.span).to_vec();
        let kind = json.next()?;
        // What the value alone shows. Many small ones must not be looked at over and over.
        let value = match kind {
            b'{' | b'[' => {
                let ahead = json.ahead(HEAD_BYTES)?;
                match Skipper::new().feed(ahead) {
                    Skipped::Done(length) => &ahead[..length],
                    Skipped::More => ahead,
                }
            }
            _ => json.ahead(SCALAR_BYTES)?,
        }
        .to_vec();
        level.arrays += usize::from(kind == b'[' && self_profile::has_array(&key));
        if self_profile::recognises(&key, &value) || level.arrays == 3 {
            return Ok(Some(Found { format: Format::SelfProfile, offset: ByteOffset::START }));
        }
        let outermost = open.len() == 1;
        if alone && outermost {
            let sign = jsc::sign(&key, &value);
            jsc_sign = sign.or(jsc_sign);
            match (heap::recognises(&key, &value), jsc_sign) {
                (_, Some(jsc::Sign::Sure)) | (true, Some(jsc::Sign::Type)) => {
                    return Ok(Some(whole(Format::Jsc)));
                }
                // Both engines have these sections. Others follow, unless the document is cut.
                (true, Some(jsc::Sign::Version)) if matches!(&key[..], b"nodes" | b"edges") => {
                    *likely = Some(whole(Format::Jsc));
                }
                (true, _) => return Ok(Some(whole(Format::Heap))),
                (false, _) => {}
            }
        }
        // Objects in an array or on lines of their own are events themselves.
        if outermost && (trace::is_event(&key, &value) || alone && trace::recognises(&key, &value))
        {
            return Ok(Some(Found { format: Format::Trace, offset: ByteOffset::START }));
        }
        // The answer of a protocol: `{"result":{"traceEvents":[…]}}`.
        if !outermost && alone && key == b"traceEvents" && trace::recognises(&key, &value) {
            return Ok(Some(Found { format: Format::Trace, offset }));
        }
        let profile = if cpu_profile::recognises(&key, &value) {
            Some(Format::CpuProfile)
        } else if heap_profile::recognises(&key, &value) {
            Some(Format::HeapProfile)
        } else {
            None
        };
        if let Some(format) = profile.filter(|_| alone) {
            // Blanks and a mark before the document are part of it.
            return Ok(Some(Found {
                format,
                offset: if outermost { ByteOffset::START } else { offset },
            }));
        }
        if kind == b'{' && open.len() < MAX_DEPTH {
            open.push(Level { offset: json.at(), arrays: 0 });
            json.bump();
        } else {
            json.skip_value()?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        io,
        sync::atomic::{AtomicU64, Ordering},
    };

    /// Counts the bytes that are read.
    struct Counting(String, AtomicU64);

    impl Input for Counting {
        fn size(&self) -> u64 {
            self.0.size()
        }

        fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
            let read = self.0.read_at(buf, offset)?;
            self.1.fetch_add(read as u64, Ordering::Relaxed);
            Ok(read)
        }
    }

    #[test]
    fn many_small_values_are_read_once() {
        for object in [r#"{"a":[1],"b":{"c":{"d":[]}}},"#, r#"{"nodes":[{"a":"callFrame"}]},"#] {
            let list = format!("[{}]", object.repeat(20_000));
            let input = Counting(list, AtomicU64::new(0));
            assert_eq!(sniff(&input).unwrap(), None);
            let read = input.1.into_inner();
            assert!(read < 2 * input.0.size() + HEAD_BYTES as u64, "{object}: {read}");
        }
    }

    #[test]
    fn content_tells() {
        use Format::{CpuProfile, Ftrace, Heap, HeapProfile, Jsc, SelfProfile, Trace};
        let frame = r#""callFrame":{"functionName":"(root)"}"#;
        let long = format!("{{\"samples\":[{}0],\"nodes\":[{{{frame}", "1,".repeat(100_000));
        for (json, expected) in [
            (r#"{"snapshot":{"meta""#.to_string(), Some((Heap, 0))),
            (r#"{"samples":[1,2],"nodes":[9,1"#.into(), Some((Heap, 0))),
            (r#"{"samples":[1,2"#.into(), Some((Heap, 0))),
            (r#"{"nodes":[9,1"#.into(), Some((Heap, 0))),
            (r#"{"version":3,"type":"Inspector","nodes":[0,0,0,0"#.into(), Some((Jsc, 0))),
            (
                r#"{"version":3,"type":"GCDebugging","nodes":[0,0,0,0,0,"0x0""#.into(),
                Some((Jsc, 0)),
            ),
            (r#"{"version":2,"nodes":[0,0,0,0],"nodeClassNames":["<root>""#.into(), Some((Jsc, 0))),
            (r#"{"version":2,"nodes":[0,0,0,0],"edges":[0,1"#.into(), Some((Jsc, 0))),
            (r#"{"version":2,"nodes":[0,0,0,0],"snapshot":{"meta""#.into(), Some((Heap, 0))),
            (r#"{"edgeNames":["a"],"nodes":[0,0,0,0]"#.into(), Some((Jsc, 0))),
            (r#"{"version":3,"type":"Inspector","traceEvents":[{"#.into(), Some((Trace, 0))),
            (r#"{"version":1,"nodes":[[0,0,"<root>"]]"#.into(), None),
            (format!("{{\"nodes\":[{{\"id\":1,{frame}"), Some((CpuProfile, 0))),
            (format!("\u{feff} {{\"nodes\" : [ {{\"id\":1,{frame}"), Some((CpuProfile, 0))),
            (r#"{"tid":1,"timeDeltas":[1"#.into(), Some((CpuProfile, 0))),
            (
                r#"{"uid":"1","head":{"functionName":"(root)","hitCount":0"#.into(),
                Some((CpuProfile, 0)),
            ),
            (long, Some((CpuProfile, 0))),
            (
                format!("{{\"id\":3,\"result\":{{\"profile\":{{\"nodes\":[{{{frame}"),
                Some((CpuProfile, 28)),
            ),
            (r#"{"head":{"callFrame":{},"selfSize":0"#.into(), Some((HeapProfile, 0))),
            (r#"{"samples":[{"size":1,"nodeId":2,"ordinal":3}"#.into(), Some((HeapProfile, 0))),
            (r#"{"frames":[{"name":"a"}],"stacks":[{"frameId":0}"#.into(), Some((SelfProfile, 0))),
            (
                r#"{"frames":[],"resources":[],"samples":[],"stacks":[]}"#.into(),
                Some((SelfProfile, 0)),
            ),
            (
                r#"[{"x":1},{"event":{"trace":{"samples":[{"timestamp":1.5}]}}}]"#.into(),
                Some((SelfProfile, 0)),
            ),
            (
                "{\"x\":1}\n{\"trace\":{\"samples\":[{\"stackId\":1}]}}".into(),
                Some((SelfProfile, 0)),
            ),
            (
                r#"{"profile":{"samples":[{"stack_id":0,"timestamp":1.5}],"stacks":[[0]]}}"#.into(),
                None,
            ),
            (
                r#"{"type":"CpuSamples","functions":[{"kind":"Dart"}],
                    "samples":[{"tid":1,"timestamp":5100,"stack":[0],"vmTag":"Dart"}]}"#
                    .into(),
                None,
            ),
            (r#"{"shared":{"frames":[{"name":"a"}]},"profiles":[]}"#.into(), None),
            (r#"{"nodes":[{"id":1},{"id":2}]}"#.into(), None),
            (r#"{"traceEvents":[{"#.into(), Some((Trace, 0))),
            (r#"{"a":[{"b":1}],"stackFrames":{"#.into(), Some((Trace, 0))),
            (r#"[{},{"name":"x","ph":"B""#.into(), Some((Trace, 0))),
            ("[,{\"ph\":\"B\"".into(), Some((Trace, 0))),
            ("{\"ph\":\"B\"}\n{".into(), Some((Trace, 0))),
            (r#"{"traceEvents":{}}"#.into(), None),
            (r#"{"id":3,"result":{"x":[],"traceEvents":[{"#.into(), Some((Trace, 17))),
            (r#"{"result":{"traceEvents":{}}}"#.into(), None),
            (r##"{"systemTraceEvents":"# tracer"##.into(), Some((Trace, 0))),
            ("# tracer: nop\n".into(), Some((Ftrace, 0))),
            ("{}".into(), None),
            ("[1,2]".into(), None),
            ("[]".into(), Some((Trace, 0))),
            ("\u{feff} [ {},\n".into(), Some((Trace, 0))),
            ("[{}}".into(), None),
            ("{\"nodes\":[".into(), None),
            (String::new(), None),
        ] {
            let expected =
                expected.map(|(format, offset)| Found { format, offset: ByteOffset(offset) });
            assert_eq!(sniff(&json).unwrap(), expected, "{:.60}", json);
        }
    }
}
