//! Tokens of JavaScript, TypeScript and JSX, with the bracket that closes each bracket.
//!
//! A reader of names needs less than a compiler: where strings, templates, regular expressions, comments and texts of
//! JSX begin and end, and which brackets belong together. Text that is no program gives some tokens as well.

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A name, a keyword or a private name with its `#`.
    Word,
    Number,
    /// A string, with its quotes.
    Text,
    /// What ends a template or a regular expression, or the text of an element of JSX.
    Literal,
    /// `(`, `[`, `{`, or the start of a substitution in a template or in JSX.
    Open,
    /// What closes it.
    Close,
    /// One operator, or one character of punctuation.
    Mark,
}

/// A token: bytes of the text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// Of a bracket the position of the other one among the tokens; of others, and of unclosed ones, `u32::MAX`.
    pub(crate) other: u32,
    /// Whether a line ends between the token before and this one.
    pub(crate) on_new_line: bool,
}

/// Marks a bracket without another one.
pub(crate) const NONE: u32 = u32::MAX;

/// What an open bracket is part of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    /// Brackets of the program.
    Code,
    /// A substitution of a template.
    Template,
    /// The tag of an element of JSX: `<a b="c">`; and whether it is one that closes an element.
    Tag { closes: bool },
    /// Between the tags of an element.
    Element,
}

/// Operators of several characters, the longest first. `>` is always one token: types end with several.
const OPERATORS: [&[u8]; 24] = [
    b"...", b"===", b"!==", b"**=", b"<<=", b"&&=", b"||=", b"??=", b"=>", b"==", b"!=", b"<=",
    b"++", b"--", b"&&", b"||", b"??", b"?.", b"+=", b"-=", b"*=", b"%=", b"&=", b"|=",
];

/// Words after which an operand follows, not an operator.
pub(crate) fn expects_operand(word: &str) -> bool {
    matches!(
        word,
        "return"
            | "typeof"
            | "case"
            | "do"
            | "else"
            | "in"
            | "of"
            | "instanceof"
            | "new"
            | "void"
            | "delete"
            | "throw"
            | "yield"
            | "await"
            | "default"
            | "extends"
    )
}

/// The tokens of a text. `jsx` says whether `<` can begin an element.
pub(crate) fn tokens(text: &str, jsx: bool) -> Vec<Token> {
    let mut lexer = Lexer {
        text: text.as_bytes(),
        source: text,
        at: 0,
        jsx,
        tokens: Vec::new(),
        open: Vec::new(),
        on_new_line: false,
    };
    if text.starts_with("#!") {
        lexer.line_comment();
    }
    while lexer.at < lexer.text.len() {
        match lexer.open.last() {
            Some((Inside::Element, _)) => lexer.element_text(),
            _ => lexer.next(),
        }
    }
    lexer.tokens
}

struct Lexer<'a> {
    text: &'a [u8],
    source: &'a str,
    at: usize,
    jsx: bool,
    tokens: Vec<Token>,
    /// The open brackets, each with its token. Those of tags and elements have none.
    open: Vec<(Inside, u32)>,
    on_new_line: bool,
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.text.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn push(&mut self, kind: Kind, start: usize) {
        let on_new_line = std::mem::take(&mut self.on_new_line);
        let (start, end) = (start as u32, self.at as u32);
        self.tokens.push(Token { kind, start, end, other: NONE, on_new_line });
    }

    fn word(&self, token: &Token) -> &str {
        &self.source[token.start as usize..token.end as usize]
    }

    /// Whether an operand is expected here, so that `/` begins a regular expression and `<` an element.
    fn expects_operand(&self) -> bool {
        let Some(last) = self.tokens.last() else { return true };
        match last.kind {
            Kind::Word => expects_operand(self.word(last)),
            Kind::Number | Kind::Text | Kind::Literal => false,
            Kind::Open => true,
            // `if (a) /b/.test(c)`; after a block a statement begins if it is on a new line.
            Kind::Close => match self.text[last.start as usize] {
                b')' => self.follows_condition(last),
                b'}' => self.on_new_line,
                _ => false,
            },
            Kind::Mark => !matches!(self.word(last), "++" | "--"),
        }
    }

    /// Whether these parentheses are those of a condition.
    fn follows_condition(&self, close: &Token) -> bool {
        let before = (close.other as usize).checked_sub(1).and_then(|at| self.tokens.get(at));
        before.is_some_and(|token| {
            token.kind == Kind::Word && matches!(self.word(token), "if" | "while" | "for" | "with")
        })
    }

    fn next(&mut self) {
        let start = self.at;
        let in_tag = matches!(self.open.last(), Some((Inside::Tag { .. }, _)));
        match self.text[start] {
            b'\n' | b'\r' => {
                self.on_new_line = true;
                self.at += 1;
            }
            b' ' | b'\t' | 0x0b | 0x0c => self.at += 1,
            b'/' if self.peek(1) == b'/' && !in_tag => self.line_comment(),
            b'/' if self.peek(1) == b'*' => self.block_comment(),
            quote @ (b'"' | b'\'') if in_tag => {
                // No escapes, and lines can end in it.
                let end = self.text[start + 1..].iter().position(|&byte| byte == quote);
                self.at = end.map_or(self.text.len(), |end| start + end + 2);
                self.push(Kind::Text, start);
            }
            b'>' if in_tag => self.end_of_tag(),
            quote @ (b'"' | b'\'') => self.string(quote),
            b'`' => {
                self.at += 1;
                self.template(start);
            }
            b'(' | b'[' | b'{' => {
                self.at += 1;
                self.open.push((Inside::Code, self.tokens.len() as u32));
                self.push(Kind::Open, start);
            }
            b')' | b']' | b'}' => self.close(start),
            b'/' if !in_tag && self.expects_operand() => self.regular_expression(),
            b'<' if self.jsx && !in_tag && self.expects_operand() && self.begins_element() => {
                self.tag();
            }
            b'0'..=b'9' => self.number(),
            b'.' if self.peek(1).is_ascii_digit() => self.number(),
            byte if is_word(byte) || matches!(byte, b'#' | b'\\') => self.name(in_tag),
            _ => {
                let rest = &self.text[start..];
                let operator = OPERATORS.iter().find(|operator| rest.starts_with(operator));
                self.at += operator.map_or(1, |operator| operator.len());
                self.push(Kind::Mark, start);
            }
        }
    }

    /// A word, or a space that is not in ASCII.
    fn name(&mut self, in_tag: bool) {
        let start = self.at;
        let is_space = |c: char| c.is_whitespace() || c == '\u{feff}';
        while self.at < self.text.len() {
            match self.text[self.at] {
                0x80.. => {
                    let next = self.source[self.at..].chars().next().unwrap_or(' ');
                    if is_space(next) {
                        if self.at == start {
                            self.on_new_line |= matches!(next, '\u{2028}' | '\u{2029}');
                            self.at += next.len_utf8();
                            return;
                        }
                        break;
                    }
                    self.at += next.len_utf8();
                }
                b'#' | b'\\' => self.at += 1,
                b'-' if in_tag => self.at += 1,
                byte if is_word(byte) => self.at += 1,
                _ => break,
            }
        }
        self.push(Kind::Word, start);
    }

    fn line_comment(&mut self) {
        let ends = |byte: &u8| matches!(byte, b'\n' | b'\r');
        let rest = &self.text[self.at..];
        self.at += rest.iter().position(ends).unwrap_or(rest.len());
    }

    fn block_comment(&mut self) {
        let rest = &self.source[self.at + 2..];
        let end = rest.find("*/").map_or(rest.len(), |end| end + 2);
        self.on_new_line |= rest[..end].contains(['\n', '\r']);
        self.at += 2 + end;
    }

    /// A string; it ends with its line if nothing else ends it.
    fn string(&mut self, quote: u8) {
        let start = self.at;
        let mut at = start + 1;
        loop {
            match self.text.get(at) {
                None | Some(b'\n' | b'\r') => break,
                Some(b'\\') => at += 2,
                Some(&byte) if byte == quote => {
                    at += 1;
                    break;
                }
                Some(_) => at += 1,
            }
        }
        self.at = at.min(self.text.len());
        self.push(Kind::Text, start);
    }

    /// Reads a template to its end or to its next substitution. `start` is where it, or the last substitution, begins.
    fn template(&mut self, start: usize) {
        while self.at < self.text.len() {
            match self.text[self.at] {
                b'\\' => self.at += 2,
                b'`' => {
                    self.at += 1;
                    break;
                }
                b'$' if self.peek(1) == b'{' => {
                    self.at += 2;
                    self.open.push((Inside::Template, self.tokens.len() as u32));
                    self.push(Kind::Open, start);
                    return;
                }
                _ => self.at += 1,
            }
        }
        self.at = self.at.min(self.text.len());
        self.push(Kind::Literal, start);
    }

    fn close(&mut self, start: usize) {
        self.at += 1;
        // A tag that is open here was none.
        while matches!(self.open.last(), Some((Inside::Tag { .. } | Inside::Element, _))) {
            self.open.pop();
        }
        let other = self.open.last().copied();
        let fits = other.is_some_and(|(_, open)| {
            let open = &self.tokens[open as usize];
            match self.text[start] {
                b')' => self.text[open.start as usize] == b'(',
                b']' => self.text[open.start as usize] == b'[',
                _ => self.text[open.end as usize - 1] == b'{',
            }
        });
        let Some((inside, open)) = other.filter(|_| fits) else {
            self.push(Kind::Mark, start);
            return;
        };
        self.open.pop();
        let close = self.tokens.len() as u32;
        self.tokens[open as usize].other = close;
        self.push(Kind::Close, start);
        self.tokens[close as usize].other = open;
        if inside == Inside::Template {
            self.template(self.at);
        }
    }

    fn regular_expression(&mut self) {
        let start = self.at;
        let mut at = start + 1;
        let mut in_class = false;
        loop {
            match self.text.get(at) {
                // It was a division.
                None | Some(b'\n' | b'\r') => {
                    self.at += 1;
                    return self.push(Kind::Mark, start);
                }
                Some(b'\\') => at += 1,
                Some(b'[') => in_class = true,
                Some(b']') => in_class = false,
                Some(b'/') if !in_class => break,
                Some(_) => {}
            }
            at += 1;
        }
        self.at = at + 1;
        while is_word(self.peek(0)) {
            self.at += 1;
        }
        self.push(Kind::Literal, start);
    }

    fn number(&mut self) {
        let start = self.at;
        while is_word(self.peek(0)) || (self.peek(0) == b'.' && self.peek(1) != b'.') {
            self.at += 1;
        }
        self.push(Kind::Number, start);
    }

    /// Whether `<` begins an element, and no type parameters of an arrow function: `<T,>(a: T) => a`, `<T extends U>(`.
    fn begins_element(&self) -> bool {
        let rest = &self.text[self.at + 1..];
        let name =
            rest.iter().take_while(|&&byte| is_word(byte) || matches!(byte, b'.' | b':' | b'-'));
        let after = &rest[name.count()..];
        let after = &after[after.iter().take_while(|byte| byte.is_ascii_whitespace()).count()..];
        let first = rest.first().copied().unwrap_or(0);
        (is_word(first) || first == b'>')
            && !after.starts_with(b",")
            && !after.starts_with(b"extends ")
            && !after.starts_with(b"=")
    }

    /// Begins a tag.
    fn tag(&mut self) {
        let start = self.at;
        let closes = self.peek(1) == b'/';
        self.at += if closes { 2 } else { 1 };
        self.push(Kind::Mark, start);
        self.open.push((Inside::Tag { closes }, NONE));
    }

    fn end_of_tag(&mut self) {
        let start = self.at;
        let Some((Inside::Tag { closes }, _)) = self.open.pop() else { return };
        let is_whole = self.tokens.last().is_some_and(|token| self.word(token) == "/");
        self.at += 1;
        if closes {
            // The element that it closes.
            if matches!(self.open.last(), Some((Inside::Element, _))) {
                self.open.pop();
            }
            self.push(Kind::Literal, start);
        } else if is_whole {
            self.push(Kind::Literal, start);
        } else {
            self.push(Kind::Mark, start);
            self.open.push((Inside::Element, NONE));
        }
    }

    /// Text between tags: to the next tag or expression.
    fn element_text(&mut self) {
        let rest = &self.text[self.at..];
        let next = rest.iter().position(|byte| matches!(byte, b'<' | b'{'));
        self.at += next.unwrap_or(rest.len());
        match self.text.get(self.at) {
            Some(b'<') => self.tag(),
            Some(_) => {
                let start = self.at;
                self.at += 1;
                self.open.push((Inside::Code, self.tokens.len() as u32));
                self.push(Kind::Open, start);
            }
            None => {}
        }
    }
}

/// Whether a byte can be part of a name.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || byte >= 0x80
}
