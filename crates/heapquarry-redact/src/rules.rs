//! What a string becomes.

use crate::{
    builtins::is_builtin,
    json::{put, quote},
    keys::is_of_format,
    names::{self, Form},
    secrets::{Secret, secrets},
    token::Key,
};
use foldhash::fast::FixedState;
use hashbrown::HashSet;
use regex::Regex;
use std::{
    borrow::Cow,
    io::{self, Write},
};

/// How much is taken out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Values of strings, symbols, numbers and regular expressions, and sources of scripts.
    #[default]
    Values,
    /// Also names of properties, attributes of elements, and queries of addresses.
    Names,
    /// Also names of classes and functions, hosts and paths.
    Full,
}

/// What a string is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Data of the program.
    Value,
    /// Data that is wanted.
    Kept,
    /// The name of a property that so many objects have, which can be data.
    Property(u32),
    /// Another name that the program may have chosen as data: of an event, a thread, an argument.
    Label,
    /// A name that stands in the source of a program or an engine: of a class, function, variable, script.
    Name,
    /// A name that the engine gives to roots.
    Engine,
    /// The address of a resource, which can carry data.
    Address,
}

/// Objects from which on a name of a property is taken for that of a class, not for data.
const MANY_OWNERS: u32 = 20;

/// Numbers of elements from which on they can be data.
pub(crate) const FIRST_RENUMBERED: u64 = 1 << 20;

/// Longest name that is kept, in bytes.
const LONGEST_NAME: usize = 1024;

/// Texts that V8 itself gives to nodes of values.
const OF_ENGINE: [&str; 9] = [
    "",
    "(concatenated string)",
    "(sliced string)",
    "heap number",
    "smi number",
    "int",
    "double",
    "bigint",
    "symbol",
];

/// What strings become, and what they were.
pub struct Rules {
    pub(crate) policy: Policy,
    pub(crate) replaced: Replaced,
}

/// What strings become.
pub(crate) struct Policy {
    pub(crate) level: Level,
    pub(crate) key: Key,
    keep: Vec<Regex>,
    /// Patterns of names of classes and properties whose values are kept.
    pub(crate) kept_values: Vec<[Regex; 2]>,
    deny: Vec<Regex>,
}

/// Strings that were replaced.
#[derive(Default)]
pub(crate) struct Replaced {
    count: u64,
    map: Option<Map>,
}

/// Where tokens are written beside what they stand for.
struct Map {
    out: Box<dyn Write>,
    /// Hashes of what was written.
    written: HashSet<u64, FixedState>,
}

/// Strings of a part of a document that were replaced.
#[derive(Clone, Default)]
pub(crate) struct Tally {
    count: u64,
    /// Tokens, and what they stand for, if there is a map.
    pairs: Option<Vec<[String; 2]>>,
}

impl Tally {
    fn add(&mut self, token: &[u8], text: &str) {
        self.count += 1;
        if let Some(pairs) = &mut self.pairs {
            pairs.push([String::from_utf8_lossy(token).into_owned(), text.to_owned()]);
        }
    }
}

impl Replaced {
    /// An empty tally for a part of a document.
    pub(crate) fn tally(&self) -> Tally {
        Tally { count: 0, pairs: self.map.as_ref().map(|_| Vec::new()) }
    }

    /// Adds a tally: those of the parts of a document in their order.
    pub(crate) fn add(&mut self, key: &Key, tally: Tally) -> io::Result<()> {
        self.count += tally.count;
        for [token, text] in tally.pairs.into_iter().flatten() {
            self.write(key, &token, &text)?;
        }
        Ok(())
    }

    /// Writes a pair for the map, if it is the first one of its token.
    fn write(&mut self, key: &Key, token: &str, text: &str) -> io::Result<()> {
        if let Some(map) = &mut self.map
            && map.written.insert(key.hash(token.as_bytes()))
        {
            serde_json::to_writer(&mut map.out, &[token, text])?;
            map.out.write_all(b"\n")?;
        }
        Ok(())
    }
}

impl Rules {
    /// Rules of a level. Runs with the same key give equal tokens to equal strings.
    pub fn new(level: Level, key: [u8; 16]) -> Self {
        let (keep, kept_values, deny) = (Vec::new(), Vec::new(), Vec::new());
        let policy = Policy { level, key: Key::new(&key), keep, kept_values, deny };
        Rules { policy, replaced: Replaced::default() }
    }

    /// Keeps names, of properties, classes or functions, that fit this; `*` stands for any text. With a dot,
    /// `Class.property`, it also keeps the strings that are values of such properties in heap snapshots.
    #[must_use]
    pub fn keep(mut self, name: &str) -> Self {
        self.policy.keep.push(pattern(name));
        if let Some((class, property)) = name.rsplit_once('.') {
            self.policy.kept_values.push([pattern(class), pattern(property)]);
        }
        self
    }

    /// Replaces all strings that have a match of this regular expression.
    ///
    /// # Errors
    /// If it is none. The message has one line.
    pub fn deny(mut self, pattern: &str) -> Result<Self, String> {
        let regex = Regex::new(pattern).map_err(|error| {
            let text = error.to_string();
            let last = text.lines().last().unwrap_or_default();
            last.strip_prefix("error: ").unwrap_or(last).to_owned()
        })?;
        self.policy.deny.push(regex);
        Ok(self)
    }

    /// Writes each token and what it stands for, as a line of JSON.
    #[must_use]
    pub fn map(mut self, out: impl Write + 'static) -> Self {
        self.replaced.map = Some(Map { out: Box::new(out), written: HashSet::default() });
        self
    }

    /// Ends what is written for [`Rules::map`].
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn flush(&mut self) -> io::Result<()> {
        self.replaced.map.as_mut().map_or(Ok(()), |map| map.out.flush())
    }

    /// Strings that were replaced so far.
    pub fn replaced(&self) -> u64 {
        self.replaced.count
    }

    /// Sets the count back: the strings that follow come a second time.
    pub(crate) fn set_replaced(&mut self, replaced: u64) {
        self.replaced.count = replaced;
    }

    /// Counts a string that was replaced as one before.
    pub(crate) fn count(&mut self) {
        self.replaced.count += 1;
    }

    /// An id, which is kept if it is short.
    pub(crate) fn id<'t>(&mut self, text: &'t str) -> io::Result<Cow<'t, str>> {
        const LONGEST: usize = 9;
        const LONGEST_HEX: usize = 18;
        let is_number = text.len() <= LONGEST && text.bytes().all(|byte| byte.is_ascii_digit());
        // Engines write no zero in front, as codes and numbers of persons have it.
        let is_short = is_number && (text == "0" || !text.starts_with('0'));
        let is_hex = |hex: &str| hex.bytes().all(|byte| byte.is_ascii_hexdigit());
        let is_hex = text.strip_prefix("0x").is_some_and(is_hex) && text.len() <= LONGEST_HEX;
        match is_short || is_hex {
            true => Ok(text.into()),
            false => self.text(Role::Value, text),
        }
    }

    /// A key of the format itself.
    pub(crate) fn key<'t>(&mut self, text: &'t str) -> io::Result<Cow<'t, str>> {
        const LONGEST: usize = 40;
        /// So short is no secret: phases of events are `(` and `)` too.
        const SHORT: usize = 2;
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$';
        let is_word = text.len() <= LONGEST && text.bytes().all(is_word);
        // A later version of the format can have other keys, but so can an object of the program.
        let is_known =
            || self.policy.level == Level::Values || is_builtin(text) || self.policy.is_kept(text);
        let is_key = text.len() <= SHORT || is_word && is_known();
        match is_of_format(text) || is_key && self.policy.secrets(text).is_empty() {
            true => Ok(text.into()),
            false => self.text(Role::Value, text),
        }
    }

    /// The name of a field or type of records. Others than those that are known can be data.
    pub(crate) fn field<'t>(&mut self, text: &'t str) -> io::Result<Cow<'t, str>> {
        match is_of_format(text)
            || self.policy.is_kept(text) && self.policy.secrets(text).is_empty()
        {
            true => Ok(text.into()),
            false => self.text(Role::Value, text),
        }
    }

    /// A value that is kept if engines have it as a name.
    pub(crate) fn word<'t>(&mut self, text: &'t str) -> io::Result<Cow<'t, str>> {
        match is_builtin(text) && self.policy.deny.is_empty() {
            true => Ok(text.into()),
            false => self.text(Role::Value, text),
        }
    }

    /// What a string becomes.
    pub(crate) fn text<'t>(&mut self, role: Role, text: &'t str) -> io::Result<Cow<'t, str>> {
        let new = self.policy.choose(role, text);
        if let Cow::Owned(token) = &new {
            self.replaced.count += 1;
            self.replaced.write(&self.policy.key, token, text)?;
        }
        Ok(new)
    }
}

impl Policy {
    /// The kinds of secrets in a text.
    pub(crate) fn secrets(&self, text: &str) -> Vec<Secret> {
        let mut found = secrets(text);
        if self.deny.iter().any(|pattern| pattern.is_match(text)) {
            found.push(Secret::Denied);
        }
        found
    }

    /// Whether it is one of the names to keep.
    fn is_kept(&self, name: &str) -> bool {
        self.keep.iter().any(|pattern| pattern.is_match(name))
    }

    /// The number of an element.
    pub(crate) fn number(&self, number: u64) -> u64 {
        self.key.number(number)
    }

    /// Writes what a string becomes, as JSON: as it was written, if that is known and nothing is replaced.
    pub(crate) fn write(
        &self,
        role: Role,
        text: &str,
        raw: Option<&[u8]>,
        out: &mut Vec<u8>,
        tally: &mut Tally,
    ) {
        if role == Role::Value && !OF_ENGINE.contains(&text) {
            out.push(b'"');
            let start = out.len();
            // No part of a token is to be escaped.
            self.key.write_value(text, out);
            tally.add(&out[start..], text);
            return out.push(b'"');
        }
        let new = self.choose(role, text);
        if let Cow::Owned(token) = &new {
            tally.add(token.as_bytes(), text);
        }
        match raw {
            Some(raw) => put(out, raw, text, &new),
            None => quote(out, &new),
        }
    }

    fn choose<'t>(&self, role: Role, text: &'t str) -> Cow<'t, str> {
        if role == Role::Value {
            return match OF_ENGINE.contains(&text) {
                true => Cow::Borrowed(text),
                false => self.key.value(text).into(),
            };
        }
        if role == Role::Kept {
            let is_plain = text.len() <= LONGEST_NAME && self.secrets(text).is_empty();
            return if is_plain { text.into() } else { self.key.value(text).into() };
        }
        if let Some(name) = names::entry(&self.key, text) {
            return name.into();
        }
        // What an engine has is no secret, however it looks.
        let is_whole_known = is_known(text);
        if is_whole_known && self.deny.is_empty() {
            return text.into();
        }
        let form = match role {
            Role::Property(_) => Form::of_property(text),
            Role::Label => Form { before: "", name: text, after: "" },
            _ => Form::of(text),
        };
        let is_kept = is_whole_known || self.is_kept(text);
        let Cow::Owned(name) = self.name(role, form.name, is_kept) else {
            return self.checked(text, text);
        };
        let new = format!("{}{name}{}", form.before, form.after);
        self.checked(text, &new).into_owned().into()
    }

    /// What a name becomes that has a form, unless `--deny` matches it.
    fn checked<'t>(&self, text: &str, new: &'t str) -> Cow<'t, str> {
        match self.deny.iter().any(|pattern| pattern.is_match(new)) {
            true => self.key.name("name", text).into(),
            false => new.into(),
        }
    }

    /// What a name becomes, without the form that the engine gives to it.
    fn name<'t>(&self, role: Role, text: &'t str, is_kept: bool) -> Cow<'t, str> {
        let token = || Cow::Owned(self.key.name("name", text));
        if text.len() > LONGEST_NAME {
            return token();
        }
        let is_kept = is_kept || is_known(text) || self.is_kept(text);
        let is_address = role == Role::Address;
        if self.level == Level::Values && !is_address && self.secrets(text).is_empty() {
            return text.into();
        }
        let plain = names::plain(self, self.level.max(Level::Names), text);
        if !self.secrets(&plain.text).is_empty() {
            return token();
        }
        let stays = match (role, self.level) {
            _ if is_kept => true,
            (_, Level::Values) => true,
            (Role::Property(_) | Role::Name | Role::Engine, _) if is_index(text) => true,
            (Role::Property(owners), Level::Names) => owners >= MANY_OWNERS,
            (Role::Label, _) | (Role::Property(_), Level::Full) => false,
            (_, Level::Names) => true,
            (_, Level::Full) => plain.is_place,
        };
        if stays { plain.text } else { token() }
    }
}

/// Whether engines have it as a name.
fn is_known(text: &str) -> bool {
    text.is_empty() || is_builtin(text)
}

/// A pattern in which `*` stands for any text.
fn pattern(text: &str) -> Regex {
    let parts: Vec<_> = text.split('*').map(regex::escape).collect();
    Regex::new(&format!("(?s)^{}$", parts.join(".*"))).expect("escaped text is a pattern")
}

/// Whether it is the number of an element, as engines write it: below 2^20, without a zero in front.
fn is_index(text: &str) -> bool {
    let is_plain = !text.starts_with(['0', '+']) || text == "0";
    is_plain && text.parse::<u32>().is_ok_and(|number| u64::from(number) < FIRST_RENUMBERED)
}
