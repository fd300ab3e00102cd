//! Several documents in one JSON file: lists, `[profile]` and `[snapshot,snapshot]`, as programs write them that
//! collect several, and documents one behind the other, as programs leave them that append to a file.
//!
//! Events in a list are a trace, whose reader takes lists itself, and so are reports of self-profiling.

use crate::{
    Container, Error, ErrorKind, FileInput, Opened, Result, Spooling, Times, sniff::format,
};
use heapquarry_formats::{ByteOffset, Code, Input, Log, sniff, without_mark};
use heapquarry_scan::{Skipped, Skipper, is_blank};
use std::io;

/// Bytes that are read at a time.
const WINDOW: usize = 64 << 10;

/// Most documents of a list. Without a limit, a file of `{},{},…` would take far more memory than its own size.
pub(super) const MOST: usize = 4096;

/// Where the list begins, if the input, which has this beginning, is a list of documents of known formats.
///
/// # Errors
///
/// If the input cannot be read.
pub(super) fn start(head: &[u8], input: &FileInput) -> heapquarry_formats::Result<Option<u64>> {
    let text = without_mark(head);
    let list = text.trim_ascii_start();
    let inside = list.strip_prefix(b"[").map(<[u8]>::trim_ascii_start);
    let Some(inside) = inside.filter(|inside| inside.starts_with(b"{")) else { return Ok(None) };
    let at = (head.len() - inside.len()) as u64;
    // A short element is looked at alone: detection would go on to those behind it.
    let first = match Skipper::new().feed(inside) {
        Skipped::Done(length) => input.slice(at, length as u64),
        Skipped::More => input.from(at),
    };
    // Other elements can show that it is a trace all the same.
    let is_list = sniff(&first)?.is_some() && sniff(input)?.is_none();
    Ok(is_list.then_some((head.len() - list.len()) as u64))
}

/// The documents from `at` on: those of lists, and others. What cannot be read is logged.
///
/// # Errors
///
/// If the input cannot be read.
pub(super) fn documents(
    whole: &FileInput,
    guarded: &dyn Input,
    at: u64,
    most: usize,
    log: &mut Log,
) -> io::Result<Vec<FileInput>> {
    let mut text = Text { input: guarded, at, window: Vec::new(), used: 0 };
    let mut documents = Vec::new();
    let mut in_list = false;
    let mut stop = |code, at, why: &str| log.add(code, ByteOffset(at), || why.into());
    loop {
        let next = text.peek()?;
        match next {
            // A comma may precede it.
            Some(b']') if in_list => {
                in_list = false;
                text.advance(1);
                continue;
            }
            Some(b'[') if !in_list => {
                in_list = true;
                text.advance(1);
                continue;
            }
            Some(b'{') => {}
            Some(_) if in_list => {}
            Some(_) => stop(Code::TrailingData, text.at, "bytes follow the documents"),
            None if in_list => stop(Code::Truncated, text.at, CUT),
            None => {}
        }
        if !in_list && next != Some(b'{') || next.is_none() {
            return Ok(documents);
        }
        if documents.len() == most {
            let why = format!("there are more than {MOST} documents; the others are not read");
            stop(Code::Truncated, text.at, &why);
            return Ok(documents);
        }
        let start = text.at;
        let is_whole = text.skip_value()?;
        documents.push(whole.slice(start, text.at - start));
        match text.peek()?.filter(|_| is_whole) {
            _ if !in_list => {}
            Some(b',') => text.advance(1),
            Some(b']') => {}
            Some(_) => {
                let why = "expected `,` or `]` behind a document in a list; the rest is not read";
                stop(Code::Malformed, text.at, why);
                return Ok(documents);
            }
            None => {
                stop(Code::Truncated, text.at, CUT);
                return Ok(documents);
            }
        }
    }
}

/// Why a list is not whole.
const CUT: &str = "the file ends within a list of documents";

/// The documents of an input one behind the other: the first, and those behind it.
pub struct Sequence {
    /// The documents of known formats.
    pub documents: Vec<Opened>,
    /// What they are in.
    pub container: Container,
}

impl Sequence {
    /// The documents of `opened`, of which the first one ends before `next`. `None` if no other one is of a known
    /// format.
    ///
    /// # Errors
    ///
    /// If the input cannot be read.
    pub fn of(opened: &Opened, next: ByteOffset, spooling: &Spooling<'_>) -> Result<Option<Self>> {
        let mut log = Log::default();
        let mut inputs = vec![opened.input.slice(0, next.0)];
        let guarded = spooling.guard(&opened.input);
        let others = documents(&opened.input, &guarded, next.0, MOST - 1, &mut log);
        inputs.extend(spooling.conclude(others.map_err(failed(opened)))?);
        Sequence::known(opened, inputs, log)
    }

    /// The documents of `opened`, if it has several. Reads all of it.
    ///
    /// # Errors
    ///
    /// If the input cannot be read.
    pub fn find(opened: &Opened, spooling: &Spooling<'_>) -> Result<Option<Self>> {
        if !format(opened)?.is_some_and(|found| found.format.is_one_object()) {
            return Ok(None);
        }
        let (guarded, mut log) = (spooling.guard(&opened.input), Log::default());
        let head = opened.input.head(4).map_err(failed(opened))?;
        let start = (head.len() - without_mark(&head).len()) as u64;
        let inputs = documents(&opened.input, &guarded, start, MOST, &mut log);
        let mut inputs = spooling.conclude(inputs.map_err(failed(opened)))?;
        if let Some(first) = inputs.first_mut() {
            *first = opened.input.slice(0, start + first.size());
        }
        Sequence::known(opened, inputs, log)
    }

    /// Those of `inputs` that are of known formats.
    fn known(opened: &Opened, inputs: Vec<FileInput>, mut log: Log) -> Result<Option<Self>> {
        let Opened { path, name, input, .. } = opened;
        let mut documents = Vec::new();
        for (number, input) in inputs.into_iter().enumerate() {
            let document = Opened {
                path: path.clone(),
                name: if number == 0 { name.clone() } else { format!("{name}#{number}") },
                input,
                // What was lost on the way to them may be of any.
                log: opened.log.clone(),
                times: Times::default(),
                is_part: true,
            };
            match format(&document)? {
                Some(_) => documents.push(document),
                None => log.add(Code::UnknownDocument, None, || {
                    format!("{:?} is of no format that heapquarry knows", document.name)
                }),
            }
        }
        if documents.len() < 2 {
            return Ok(None);
        }
        let container = Container {
            path: path.clone(),
            name: name.clone(),
            input: input.clone(),
            format: "list",
            documents: documents.len(),
            log,
            rows: None,
        };
        Ok(Some(Sequence { documents, container }))
    }
}

fn failed(opened: &Opened) -> impl Fn(io::Error) -> Error {
    move |source| {
        let path = opened.path.clone();
        Error::new(ErrorKind::Input { path, doing: "read", source })
    }
}

/// Bytes of an input, one after the other.
struct Text<'a> {
    input: &'a dyn Input,
    /// Offset of the next byte.
    at: u64,
    window: Vec<u8>,
    /// Bytes of the window before the next one.
    used: usize,
}

impl Text<'_> {
    /// The bytes that are known from here on; none at the end.
    fn rest(&mut self) -> io::Result<&[u8]> {
        if self.used == self.window.len() {
            self.window.resize(WINDOW, 0);
            let read = self.input.read_at(&mut self.window, self.at)?;
            self.window.truncate(read);
            self.used = 0;
        }
        Ok(&self.window[self.used..])
    }

    fn advance(&mut self, bytes: usize) {
        self.used += bytes;
        self.at += bytes as u64;
    }

    /// The next byte that is no blank, which is not taken.
    fn peek(&mut self) -> io::Result<Option<u8>> {
        loop {
            let rest = self.rest()?;
            let blanks = rest.iter().take_while(|&&byte| is_blank(byte)).count();
            let (byte, is_last) = (rest.get(blanks).copied(), rest.is_empty());
            self.advance(blanks);
            if byte.is_some() || is_last {
                return Ok(byte);
            }
        }
    }

    /// Skips a value. Returns whether it has an end.
    fn skip_value(&mut self) -> io::Result<bool> {
        let mut skipper = Skipper::new();
        loop {
            let rest = self.rest()?;
            let length = rest.len();
            if length == 0 {
                return Ok(false);
            }
            match skipper.feed(rest) {
                Skipped::Done(used) => {
                    self.advance(used);
                    return Ok(true);
                }
                Skipped::More => self.advance(length),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    const CPU: &str = r#"{"nodes":[{"id":1,"callFrame":{"functionName":"(root)"}}],"samples":[1]}"#;
    const HEAP: &str = r#"{"snapshot":{"meta":{"node_fields":["id"]}},"nodes":[1]}"#;

    #[test]
    fn lists_of_documents_are_told_from_traces() {
        for (text, expected) in [
            (format!("[{CPU}]"), Some(0)),
            (format!("\u{feff} [\n {HEAP}"), Some(4)),
            (format!("[{CPU},{{\"ph\":\"X\"}}]"), None),
            (r#"[{"ph":"X","name":"a"}]"#.into(), None),
            (r#"[{"trace":{"samples":[{"stackId":1}]}}]"#.into(), None),
            (format!("[[{CPU}]]"), None),
            (r#"[{"x":1}]"#.into(), None),
            ("[]".into(), None),
            ("[".into(), None),
            (CPU.into(), None),
            (String::new(), None),
        ] {
            let input = FileInput::of(Arc::new(text.clone()));
            assert_eq!(start(text.as_bytes(), &input).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn what_a_list_has_is_read_and_what_is_lost_is_said() {
        let long = format!("{{\"x\":\"{}\"}}", "]},".repeat(WINDOW));
        for (text, expected, logged) in [
            ("{}]".to_string(), vec!["{}"], vec![]),
            ("{} , {\"a\":[1]}\n]\n".into(), vec!["{}", "{\"a\":[1]}"], vec![]),
            (format!("{{}},{long},{{}}]"), vec!["{}", &long, "{}"], vec![]),
            ("{},1,\"]\"]".into(), vec!["{}", "1", "\"]\""], vec![]),
            ("{\"a\":[".into(), vec!["{\"a\":["], vec![Code::Truncated]),
            ("{}".into(), vec!["{}"], vec![Code::Truncated]),
            ("{},".into(), vec!["{}"], vec![Code::Truncated]),
            ("{}, ]".into(), vec!["{}"], vec![]),
            ("{} {}]".into(), vec!["{}"], vec![Code::Malformed]),
            ("{}] [{\"a\":1} ,{}]".into(), vec!["{}", "{\"a\":1}", "{}"], vec![]),
            (
                "{}]{\"a\":1}\n{}[{}".into(),
                vec!["{}", "{\"a\":1}", "{}", "{}"],
                vec![Code::Truncated],
            ),
            ("{}]{\"a\":".into(), vec!["{}", "{\"a\":"], vec![]),
            ("{}] x".into(), vec!["{}"], vec![Code::TrailingData]),
        ] {
            let text = format!("[{text}");
            let input = FileInput::of(Arc::new(text.clone()));
            let mut log = Log::default();
            let found = documents(&input, &input, 0, MOST, &mut log).unwrap();
            let found: Vec<_> = found.iter().map(|part| part.head(1 << 20).unwrap()).collect();
            let expected: Vec<_> = expected.iter().map(|part| part.as_bytes()).collect();
            assert_eq!(found, expected, "{:.40}", text);
            let codes: Vec<_> = log.into_entries().iter().map(|entry| entry.code).collect();
            assert_eq!(codes, logged, "{:.40}", text);
        }
    }

    #[test]
    fn a_list_has_a_limit() {
        let text = format!("[{}{{}}]", "{},".repeat(MOST));
        let (input, mut log) = (FileInput::of(Arc::new(text)), Log::default());
        assert_eq!(documents(&input, &input, 0, MOST, &mut log).unwrap().len(), MOST);
        assert_eq!(log.into_entries()[0].code, Code::Truncated);
    }

    #[test]
    fn documents_one_after_the_other_have_the_same_limit() {
        for (count, is_cut) in [(MOST, false), (MOST + 1, true)] {
            let text = vec![CPU; count].join("\n");
            let opened = Opened {
                path: "all.json".into(),
                name: "all.json".into(),
                input: FileInput::of(Arc::new(text)),
                log: Log::default(),
                times: Times::default(),
                is_part: false,
            };
            let (spooling, after) = (Spooling::to_temp(None), ByteOffset(CPU.len() as u64 + 1));
            for found in
                [Sequence::find(&opened, &spooling), Sequence::of(&opened, after, &spooling)]
            {
                let found = found.unwrap().unwrap();
                assert_eq!(found.documents.len(), MOST);
                assert_eq!(found.container.log.has(Code::Truncated), is_cut);
            }
        }
    }
}
