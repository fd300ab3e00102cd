//! Functions and classes of a source text, and which of them is written at a place.
//!
//! No compiler: brackets, and what stands before them, tell where a function begins, where its body begins and where it
//! ends. Types of TypeScript are stepped over. Names are those that V8 gives: `get x`, `#m`, `default`, the class for
//! its constructor, nothing for a function that is an argument.

use crate::{
    lexer::{self, Kind, NONE, Token, tokens},
    map::Place,
};
use heapquarry_base::Order;

/// Maximum number of tokens that are searched for the end of a type or for the class's body.
const MOST_TOKENS: usize = 500;
/// Longest name that is kept of a computed key.
const LONGEST_KEY: usize = 80;

/// A function or class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Item {
    /// First byte: of the variable or property that it is assigned to, else of the function itself.
    start: u32,
    /// First byte of its body.
    body: u32,
    /// First byte after it; where its body begins if that is an expression.
    end: u32,
    /// `None` if it has none.
    pub(crate) name: Option<Box<str>>,
}

/// Where a function has variables of its own: from its parameters to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Function {
    /// First byte of its parameters, or of an arrow function: where V8 says that it is.
    pub(crate) head: u32,
    /// First byte after it.
    pub(crate) end: u32,
}

/// The functions of a text, in no order.
pub(crate) fn functions(text: &str, tokens: &[Token]) -> Vec<Function> {
    let mut finder = Finder::new(text, tokens);
    finder.find();
    finder.functions
}

/// The functions and classes of a text.
#[derive(Debug)]
pub(crate) struct Outline {
    /// By their starts; of equal ones the outer first.
    items: Vec<Item>,
    /// First byte of each stretch of text, and its innermost function or class, or [`NONE`].
    stretches: Vec<(u32, u32)>,
    lines: Lines,
}

/// What is written at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Written<'a> {
    /// The head of a function or class begins or continues there; its name, if it has one.
    Head(Option<&'a str>),
    /// Nothing that has a name: a place in a body, or outside of all functions.
    Other,
}

impl Outline {
    /// Finds the functions of a text. `jsx` says whether `<` can begin an element.
    pub(crate) fn new(text: &str, jsx: bool) -> Self {
        // Positions are of 32 bits.
        let text = if u32::try_from(text.len()).is_ok() { text } else { "" };
        let tokens = tokens(text, jsx);
        let mut finder = Finder::new(text, &tokens);
        finder.find();
        let mut items = finder.items;
        items.order_by_key(|item| (item.start, std::cmp::Reverse(item.end)));
        let stretches = stretches(&items);
        Outline { items, stretches, lines: Lines::new(text) }
    }

    /// What is written at a line and column, both from 0, the column in UTF-16 units.
    pub(crate) fn at(&self, line: u32, column: u32) -> Written<'_> {
        let Some(at) = self.lines.byte(line, column) else { return Written::Other };
        let stretch = self.stretches.partition_point(|&(start, _)| start <= at);
        let item = stretch.checked_sub(1).map(|stretch| self.stretches[stretch].1);
        match item.and_then(|item| self.items.get(item as usize)) {
            Some(item) if at <= item.body => Written::Head(item.name.as_deref()),
            _ if self.lines.is_margin(line, at) => self.only_one_of(line),
            _ => Written::Other,
        }
    }

    /// Whether the name of a class is written at a line and column of the text.
    pub(crate) fn is_name_of_class(&self, text: &str, line: u32, column: u32) -> bool {
        let at = self.lines.byte(line, column).and_then(|at| text.get(..at as usize));
        let Some((before, class)) = at.and_then(|before| {
            let word = before.trim_end();
            (word.len() < before.len())
                .then(|| word.split_at_checked(word.len().checked_sub(5)?))?
        }) else {
            return false;
        };
        let continues = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | '#');
        class == "class"
            && !before.ends_with(continues)
            && matches!(self.at(line, column), Written::Head(_))
    }

    /// The only function that begins on a line. A map that knows lines only leads to the line's start.
    fn only_one_of(&self, line: u32) -> Written<'_> {
        let range = self.lines.bytes(line);
        let first = self.items.partition_point(|item| item.start < range.start);
        match self.items[first..].split_first() {
            Some((item, rest))
                if item.start < range.end
                    && rest.first().is_none_or(|next| next.start >= range.end) =>
            {
                Written::Head(item.name.as_deref())
            }
            _ => Written::Other,
        }
    }
}

/// Cuts a text where the innermost of nested items changes.
fn stretches(items: &[Item]) -> Vec<(u32, u32)> {
    let mut stretches: Vec<(u32, u32)> = Vec::with_capacity(items.len() * 2);
    let mut open: Vec<u32> = Vec::new();
    let close = |open: &mut Vec<u32>, until: u32, stretches: &mut Vec<(u32, u32)>| {
        while let Some(&last) = open.last()
            && items[last as usize].end <= until
        {
            open.pop();
            stretches.push((items[last as usize].end, open.last().copied().unwrap_or(NONE)));
        }
    };
    for (number, item) in items.iter().enumerate() {
        close(&mut open, item.start, &mut stretches);
        open.push(number as u32);
        stretches.push((item.start, number as u32));
    }
    close(&mut open, u32::MAX, &mut stretches);
    // Items that overlap without being nested, in a text that is no program, end out of order.
    stretches.order_by_key(|&(start, _)| start);
    stretches
}

/// Where the lines of a text begin.
#[derive(Debug)]
pub(crate) struct Lines {
    /// First byte and first UTF-16 unit of each line.
    starts: Vec<(u32, u32)>,
    /// First byte of the text of each line, after its spaces.
    margins: Vec<u32>,
    /// The end of each character that is not ASCII, in units and in bytes.
    wide: Vec<(u32, u32)>,
    len: (u32, u32),
}

impl Lines {
    /// Lines end as in ECMAScript: at LF, CR, CR LF, U+2028 and U+2029.
    pub(crate) fn new(text: &str) -> Self {
        let (mut starts, mut margins) = (vec![(0, 0)], Vec::new());
        let mut wide = Vec::new();
        let mut units = 0u32;
        let mut in_margin = true;
        for (at, c) in text.char_indices() {
            let after = (at + c.len_utf8()) as u32;
            if in_margin && !matches!(c, ' ' | '\t') {
                margins.push(at as u32);
                in_margin = false;
            }
            units += c.len_utf16() as u32;
            if !c.is_ascii() {
                wide.push((units, after));
            }
            let is_end = match c {
                '\r' => !text[after as usize..].starts_with('\n'),
                '\n' | '\u{2028}' | '\u{2029}' => true,
                _ => false,
            };
            if is_end {
                starts.push((after, units));
                in_margin = true;
            }
        }
        margins.resize(starts.len(), text.len() as u32);
        Lines { starts, margins, wide, len: (text.len() as u32, units) }
    }

    /// The bytes of a line.
    fn bytes(&self, line: u32) -> std::ops::Range<u32> {
        let start = |line: usize| self.starts.get(line).map_or(self.len.0, |&(byte, _)| byte);
        start(line as usize)..start(line as usize + 1)
    }

    /// The byte at a column, if the line is that long.
    pub(crate) fn byte(&self, line: u32, column: u32) -> Option<u32> {
        let &(_, first) = self.starts.get(line as usize)?;
        let end = self.starts.get(line as usize + 1).map_or(self.len.1, |&(_, units)| units);
        let unit = first.checked_add(column).filter(|&unit| unit <= end)?;
        let before = self.wide.partition_point(|&(units, _)| units <= unit);
        let (units, bytes) = before.checked_sub(1).map_or((0, 0), |before| self.wide[before]);
        Some(bytes + (unit - units))
    }

    /// The line and column of a byte where a character begins.
    pub(crate) fn place(&self, byte: u32) -> Place {
        let line = self.starts.partition_point(|&(start, _)| start <= byte) - 1;
        let before = self.wide.partition_point(|&(_, end)| end <= byte);
        let (units, bytes) = before.checked_sub(1).map_or((0, 0), |before| self.wide[before]);
        let column = units + (byte - bytes) - self.starts[line].1;
        Place { line: line as u32, column }
    }

    /// Whether a byte is before the text of its line, or where that begins.
    fn is_margin(&self, line: u32, at: u32) -> bool {
        self.margins.get(line as usize).is_some_and(|&margin| at <= margin)
    }
}

/// What braces enclose.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Braces {
    /// Statements, or anything else.
    Block,
    /// An object literal or a pattern.
    Object,
    /// The body of a class, with the number of its item.
    Class(u32),
}

struct Finder<'a> {
    text: &'a str,
    tokens: &'a [Token],
    items: Vec<Item>,
    functions: Vec<Function>,
    /// What the open brackets enclose.
    frames: Vec<Braces>,
    /// What braces enclose that are known before they are reached, by token.
    known: Vec<(usize, Braces)>,
}

/// Keywords that stand before parentheses and a block.
fn is_control(word: &str) -> bool {
    matches!(word, "if" | "for" | "while" | "switch" | "with" | "function")
}

/// Words that can stand before the name of a member.
fn is_modifier(word: &str) -> bool {
    matches!(
        word,
        "async"
            | "get"
            | "set"
            | "static"
            | "public"
            | "private"
            | "protected"
            | "readonly"
            | "override"
            | "abstract"
            | "declare"
            | "accessor"
    )
}

impl<'a> Finder<'a> {
    fn new(text: &'a str, tokens: &'a [Token]) -> Self {
        let (items, functions, frames, known) = Default::default();
        Finder { text, tokens, items, functions, frames, known }
    }

    /// The text of a token; nothing outside of all.
    fn word(&self, at: usize) -> &'a str {
        self.tokens.get(at).map_or("", |token| &self.text[token.start as usize..token.end as usize])
    }

    /// The token before, or one that is none.
    fn before(at: usize) -> usize {
        at.wrapping_sub(1)
    }

    fn kind(&self, at: usize) -> Option<Kind> {
        self.tokens.get(at).map(|token| token.kind)
    }

    fn is_word(&self, at: usize) -> bool {
        self.kind(at) == Some(Kind::Word)
    }

    /// The position after the bracket that closes this one.
    fn after(&self, open: usize) -> Option<usize> {
        self.tokens
            .get(open)
            .filter(|token| token.other != NONE)
            .map(|token| token.other as usize + 1)
    }

    fn find(&mut self) {
        for at in 0..self.tokens.len() {
            match self.tokens[at].kind {
                Kind::Open => {
                    if self.word(at) == "(" {
                        self.arrow_with_parentheses(at);
                    }
                    self.member(at);
                    let braces = self.braces(at);
                    self.frames.push(braces);
                }
                Kind::Close => {
                    self.frames.pop();
                }
                Kind::Word => match self.word(at) {
                    "function" => self.function(at),
                    "class" => self.class(at),
                    _ if self.word(at + 1) == "=>" => {
                        let start = self.with_async(at);
                        self.arrow(start, at + 1);
                    }
                    _ => {}
                },
                _ => {}
            }
        }
    }

    /// Whether a token on a new line begins a statement: what is before it needs no operand, and it is no operator.
    fn begins_statement(&self, at: usize) -> bool {
        let before = Self::before(at);
        let is_operand = match self.kind(before) {
            None | Some(Kind::Open) => false,
            Some(Kind::Word) => !lexer::expects_operand(self.word(before)),
            Some(Kind::Mark) => matches!(self.word(before), "++" | "--"),
            Some(_) => true,
        };
        is_operand && !matches!(self.word(at), "in" | "of" | "instanceof" | "as" | "satisfies")
    }

    /// What the bracket at a token encloses.
    fn braces(&mut self, at: usize) -> Braces {
        while let Some(&(known, braces)) = self.known.last()
            && known <= at
        {
            self.known.pop();
            if known == at {
                return braces;
            }
        }
        let before = Self::before(at);
        let is_object = match self.kind(before) {
            Some(Kind::Word) => {
                let word = self.word(before);
                lexer::expects_operand(word) && !matches!(word, "do" | "else")
            }
            Some(Kind::Open) => self.word(before) != "{",
            Some(Kind::Mark) => !matches!(self.word(before), ";" | "=>" | ">" | "}" | ")"),
            _ => false,
        };
        if is_object && self.word(at) == "{" { Braces::Object } else { Braces::Block }
    }

    /// Adds a function whose body in braces begins at a token.
    fn add(&mut self, start: usize, open: usize, name: Option<Box<str>>) -> u32 {
        let end = match self.after(open) {
            Some(after) => self.tokens[after - 1].end,
            None => self.text.len() as u32,
        };
        let (start, body) = (self.tokens[start].start, self.tokens[open].start);
        self.items.push(Item { start, body, end, name });
        self.items.len() as u32 - 1
    }

    /// Adds a function from the token of its parameters, or of an arrow function, to the last token of its body.
    fn add_function(&mut self, head: usize, last: Option<usize>) {
        let head = self.tokens[head].start;
        let end = last.map_or(self.text.len() as u32, |last| self.tokens[last].end);
        self.functions.push(Function { head, end });
    }

    /// The last token of a body in braces.
    fn last_of(&self, open: usize) -> Option<usize> {
        Some(self.after(open)? - 1)
    }

    /// The last token of an expression that begins at a token, as the body of an arrow function.
    fn last_of_expression(&self, first: usize) -> usize {
        let mut at = first;
        for _ in 0..MOST_TOKENS {
            match self.kind(at) {
                None | Some(Kind::Close) => break,
                Some(Kind::Open) => match self.after(at) {
                    Some(after) => at = after,
                    None => break,
                },
                _ if matches!(self.word(at), "," | ";") => break,
                _ if at > first && self.tokens[at].on_new_line && self.begins_statement(at) => {
                    break;
                }
                _ => at += 1,
            }
        }
        at.max(first + 1) - 1
    }

    /// Remembers what braces enclose that are reached later. The nearest is found first.
    fn know(&mut self, open: usize, braces: Braces) {
        let place = self.known.partition_point(|&(known, _)| known > open);
        self.known.insert(place, (open, braces));
    }

    /// `function`, with or without a name.
    fn function(&mut self, at: usize) {
        if self.is_property(at) {
            return;
        }
        let mut next = at + 1;
        if self.word(next) == "*" {
            next += 1;
        }
        let own = (self.is_word(next) && self.word(next + 1) != "=>").then(|| self.word(next));
        next += usize::from(own.is_some());
        let Some(open) = self.body_after_parameters(next) else { return };
        let start = self.with_async(at);
        let (first, assigned) = self.target(start);
        let name = own.map(Into::into).or(assigned);
        self.add(first, open, name);
        self.add_function(next, self.last_of(open));
        self.know(open, Braces::Block);
    }

    fn class(&mut self, at: usize) {
        if self.is_property(at) {
            return;
        }
        let next = at + 1;
        let is_heritage = |word: &str| matches!(word, "extends" | "implements");
        let own = (self.is_word(next) && !is_heritage(self.word(next))).then(|| self.word(next));
        let mut open = next + usize::from(own.is_some());
        if !matches!(self.word(open), "{" | "<" | "extends" | "implements") {
            return;
        }
        // Types and calls of what it extends have braces inside of brackets only.
        let mut angles = 0usize;
        let limit = open + MOST_TOKENS;
        loop {
            match self.word(open) {
                "{" if angles == 0 => break,
                "<" => angles += 1,
                ">" => angles = angles.saturating_sub(1),
                ";" | "" => return,
                _ => {}
            }
            open = match self.kind(open) {
                Some(Kind::Open) => match self.after(open) {
                    Some(after) => after,
                    None => return,
                },
                _ => open + 1,
            };
            if open > limit {
                return;
            }
        }
        let mut start = at;
        while matches!(self.word(Self::before(start)), "abstract" | "declare") {
            start -= 1;
        }
        let (first, assigned) = self.target(start);
        let item = self.add(first, open, own.map(Into::into).or(assigned));
        self.know(open, Braces::Class(item));
    }

    /// Whether a keyword is the name of a property or a key.
    fn is_property(&self, at: usize) -> bool {
        matches!(self.word(Self::before(at)), "." | "?.")
            || matches!(self.word(at + 1), ":" | "=" | "," | ")" | "}")
    }

    /// `async` before a function.
    fn with_async(&self, at: usize) -> usize {
        let before = Self::before(at);
        let is_async =
            self.word(before) == "async" && !matches!(self.word(Self::before(before)), "." | "?.");
        if is_async { before } else { at }
    }

    /// An arrow function whose parameters begin with this bracket.
    fn arrow_with_parentheses(&mut self, open: usize) {
        let Some(after) = self.after(open) else { return };
        let arrow = match self.word(after) {
            "=>" => after,
            ":" => match self.end_of_type(after + 1) {
                Some(end) if self.word(end) == "=>" => end,
                _ => return,
            },
            _ => return,
        };
        let mut start = open;
        if self.word(Self::before(start)) == ">" {
            start = self.before_type_parameters(start);
        }
        self.arrow(self.with_async(start), arrow);
    }

    /// The `<` of type parameters that end before a token.
    fn before_type_parameters(&self, at: usize) -> usize {
        let (mut angles, mut back) = (0usize, at);
        for _ in 0..MOST_TOKENS.min(at) {
            back -= 1;
            match self.word(back) {
                ">" => angles += 1,
                "<" => {
                    angles -= 1;
                    if angles == 0 {
                        return back;
                    }
                }
                ";" => break,
                _ => {}
            }
        }
        at
    }

    /// An arrow function from its first token and its arrow.
    fn arrow(&mut self, start: usize, arrow: usize) {
        let body = arrow + 1;
        let (first, name) = self.target(start);
        if self.word(body) == "{" {
            self.add(first, body, name);
            self.add_function(start, self.last_of(body));
            self.know(body, Braces::Block);
            return;
        }
        if body < self.tokens.len() {
            self.add_function(start, Some(self.last_of_expression(body)));
        }
        // Only where it begins counts: what is in an expression has no name of it.
        let body = self.tokens.get(body).map_or(self.text.len() as u32, |token| token.start);
        self.items.push(Item { start: self.tokens[first].start, body, end: body, name });
    }

    /// A method whose parameters begin with this bracket.
    fn member(&mut self, open: usize) {
        if self.word(open) != "(" {
            return;
        }
        let class = match self.frames.last() {
            Some(Braces::Class(class)) => Some(*class),
            Some(Braces::Object) => None,
            _ => return,
        };
        let mut key_end = Self::before(open);
        if self.word(key_end) == ">" {
            key_end = Self::before(self.before_type_parameters(open));
        }
        if self.word(key_end) == "?" {
            key_end = Self::before(key_end);
        }
        let (key, name) = match self.kind(key_end) {
            Some(Kind::Word | Kind::Number) => (key_end, self.word(key_end).to_owned()),
            Some(Kind::Text) => (key_end, unquoted(self.word(key_end)).to_owned()),
            Some(Kind::Close) if self.word(key_end) == "]" => {
                let key = self.tokens[key_end].other as usize;
                (key, self.computed(key, key_end))
            }
            _ => return,
        };
        let mut start = key;
        let mut accessor = "";
        loop {
            let before = Self::before(start);
            match self.word(before) {
                "*" => {}
                word if self.is_word(before) && is_modifier(word) => {
                    if matches!(word, "get" | "set") {
                        accessor = word;
                    }
                }
                _ => break,
            }
            start = before;
        }
        let before = self.word(Self::before(start));
        let begins = match class {
            Some(_) => !matches!(before, "." | "?." | "=" | "new" | "function" | "class" | "@"),
            None => matches!(before, "{" | ",") && !is_control(&name),
        };
        if !begins {
            return;
        }
        let Some(body) = self.body_after_parameters(open) else { return };
        let name = match (class, accessor) {
            (Some(class), "") if name == "constructor" => self.items[class as usize].name.clone(),
            (_, "") => Some(name.into()),
            _ => Some(format!("{accessor} {name}").into()),
        };
        self.add(start, body, name);
        self.add_function(open, self.last_of(body));
        self.know(body, Braces::Block);
    }

    /// `[Symbol.iterator]`: a computed key as it is written.
    fn computed(&self, open: usize, close: usize) -> String {
        let text = &self.text[self.tokens[open].start as usize..self.tokens[close].end as usize];
        text.chars().take(LONGEST_KEY).collect()
    }

    /// The brace that begins a function's body, from its type parameters or its parameters on.
    fn body_after_parameters(&self, at: usize) -> Option<usize> {
        let mut open = at;
        if self.word(open) == "<" {
            let mut angles = 0usize;
            for _ in 0..MOST_TOKENS {
                match self.word(open) {
                    "<" => angles += 1,
                    ">" => angles -= 1,
                    "" | ";" => return None,
                    _ => {}
                }
                open = match self.kind(open) {
                    Some(Kind::Open) => self.after(open)?,
                    _ => open + 1,
                };
                if angles == 0 {
                    break;
                }
            }
        }
        if self.word(open) != "(" {
            return None;
        }
        let after = self.after(open)?;
        let body = match self.word(after) {
            ":" => self.end_of_type(after + 1)?,
            _ => after,
        };
        (self.word(body) == "{").then_some(body)
    }

    /// The token after a type: the brace of a body, an arrow, or anything else that no type contains.
    fn end_of_type(&self, at: usize) -> Option<usize> {
        let (mut at, mut angles, mut needs_operand) = (at, 0usize, true);
        for _ in 0..MOST_TOKENS {
            let token = self.tokens.get(at)?;
            let word = self.word(at);
            match token.kind {
                Kind::Open => {
                    if word == "{" && !needs_operand && angles == 0 {
                        return Some(at);
                    }
                    at = self.after(at)?;
                    // A type of functions.
                    if word == "(" && self.word(at) == "=>" && needs_operand {
                        at += 1;
                        continue;
                    }
                    needs_operand = false;
                    continue;
                }
                Kind::Close => return Some(at),
                Kind::Mark => match word {
                    "<" => (angles, needs_operand) = (angles + 1, true),
                    ">" if angles > 0 => (angles, needs_operand) = (angles - 1, false),
                    "=>" if angles > 0 => needs_operand = true,
                    "," if angles > 0 => needs_operand = true,
                    "|" | "&" | "." | "?" | ":" | "-" => needs_operand = true,
                    _ => return Some(at),
                },
                Kind::Word => {
                    let is_prefix = matches!(
                        word,
                        "keyof"
                            | "typeof"
                            | "readonly"
                            | "is"
                            | "extends"
                            | "infer"
                            | "asserts"
                            | "unique"
                            | "new"
                    );
                    needs_operand = is_prefix;
                }
                _ => needs_operand = false,
            }
            at += 1;
        }
        None
    }

    /// What a function or class that begins at a token is assigned to: the first token of that, and its name.
    fn target(&self, start: usize) -> (usize, Option<Box<str>>) {
        let before = Self::before(start);
        match self.word(before) {
            "=" | "||=" | "&&=" | "??=" => self.assigned(before).unwrap_or((start, None)),
            ":" => self.key(before).unwrap_or((start, None)),
            "default" if self.word(Self::before(before)) == "export" => {
                (before - 1, Some("default".into()))
            }
            "export" => (before, None),
            _ => (start, None),
        }
    }

    /// The variable, member or field before `=`.
    fn assigned(&self, equals: usize) -> Option<(usize, Option<Box<str>>)> {
        let last = equals.checked_sub(1)?;
        if let Some(name) = self.annotated(equals) {
            return Some((name, Some(self.word(name).into())));
        }
        match self.kind(last)? {
            Kind::Word => {}
            Kind::Text | Kind::Number if self.in_class() => {
                return Some((last, Some(unquoted(self.word(last)).into())));
            }
            _ => return None,
        }
        let mut first = last;
        while self.word(Self::before(first)) == "." && self.is_word(first.wrapping_sub(2)) {
            first -= 2;
        }
        let words = (first..=last).step_by(2).map(|at| self.word(at));
        let name: Vec<&str> = words.filter(|&word| word != "prototype" || first == last).collect();
        // `a().b.c = …` has a part in front that is no name.
        let is_whole = self.word(Self::before(first)) != ".";
        Some((first, is_whole.then(|| name.join(".").into())))
    }

    /// The variable of `name: Type =`.
    fn annotated(&self, equals: usize) -> Option<usize> {
        if matches!(self.frames.last(), Some(Braces::Object)) {
            return None;
        }
        let (mut at, mut angles) = (equals, 0usize);
        for _ in 0..MOST_TOKENS {
            at = at.checked_sub(1)?;
            match self.kind(at)? {
                Kind::Close => at = self.tokens[at].other as usize,
                Kind::Open => return None,
                Kind::Mark => match self.word(at) {
                    ":" => {
                        let mut name = at.checked_sub(1)?;
                        if matches!(self.word(name), "?" | "!") {
                            name = name.checked_sub(1)?;
                        }
                        return self.is_word(name).then_some(name);
                    }
                    ">" => angles += 1,
                    "<" => angles = angles.checked_sub(1)?,
                    "," if angles > 0 => {}
                    "|" | "&" | "." | "=>" | "?" => {}
                    _ => return None,
                },
                Kind::Word if matches!(self.word(at), "const" | "let" | "var" | "return") => {
                    return None;
                }
                // The name of another field: the type before belongs to the one before.
                _ if self.tokens[at].on_new_line && self.begins_statement(at) => return None,
                _ => {}
            }
        }
        None
    }

    /// Whether the finder is directly in the body of a class.
    fn in_class(&self) -> bool {
        matches!(self.frames.last(), Some(Braces::Class(_)))
    }

    /// The key before the colon of an object literal.
    fn key(&self, colon: usize) -> Option<(usize, Option<Box<str>>)> {
        if !matches!(self.frames.last(), Some(Braces::Object)) {
            return None;
        }
        let last = colon.checked_sub(1)?;
        let (first, name): (usize, String) = match self.kind(last)? {
            Kind::Word | Kind::Number => (last, self.word(last).into()),
            Kind::Text => (last, unquoted(self.word(last)).into()),
            Kind::Close if self.word(last) == "]" => {
                let open = self.tokens[last].other as usize;
                (open, self.computed(open, last))
            }
            _ => return None,
        };
        matches!(self.word(Self::before(first)), "{" | ",").then(|| (first, Some(name.into())))
    }
}

/// A string without its quotes.
fn unquoted(text: &str) -> &str {
    text.trim_matches(['"', '\''])
}

#[cfg(test)]
mod tests;
