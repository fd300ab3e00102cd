//! Statements as DuckDB is given them: their text goes to its function `query()`, which runs nothing but one query.
//!
//! So no text can write, attach, export or load anything, whatever is in it: DuckDB's own parser decides what a query
//! is. What is done here, to split a script and to see what a statement begins with, decides nothing.

/// One query, or a statement that can stand for one: `DESCRIBE`, `SHOW`, `SUMMARIZE`.
pub(super) fn query(text: &str) -> String {
    format!("FROM query('{}')", text.replace('\'', "''"))
}

/// A statement of a script: a query, an explanation of one, or a table or view of this run that is made of one.
pub(super) fn guarded(statement: &str) -> String {
    match head(statement) {
        Some((head, rest)) => format!("{head} {}", query(rest)),
        None => query(statement),
    }
}

/// What stands before the query in `EXPLAIN …` and `CREATE TABLE name AS …`, rebuilt, and the query.
fn head(statement: &str) -> Option<(String, &str)> {
    let mut words = Words { rest: statement };
    if words.take("EXPLAIN") {
        let head = if words.take("ANALYZE") { "EXPLAIN ANALYZE" } else { "EXPLAIN" };
        return Some((head.into(), words.rest));
    }
    let mut head = String::from("CREATE");
    if !words.take("CREATE") {
        return None;
    }
    if words.take("OR") {
        words.take("REPLACE").then_some(())?;
        head += " OR REPLACE";
    }
    if words.take("TEMP") || words.take("TEMPORARY") {
        head += " TEMP";
    }
    match (words.take("TABLE"), words.take("VIEW")) {
        (true, _) => head += " TABLE",
        (_, true) => head += " VIEW",
        _ => return None,
    }
    if words.take("IF") {
        (words.take("NOT") && words.take("EXISTS")).then_some(())?;
        head += " IF NOT EXISTS";
    }
    let name = words.next()?;
    words.take("AS").then(|| (format!("{head} \"{name}\" AS"), words.rest))
}

/// Words at the beginning of a text: letters, digits and `_`.
struct Words<'t> {
    rest: &'t str,
}

impl<'t> Words<'t> {
    fn next(&mut self) -> Option<&'t str> {
        let mut rest = self.rest.trim_start();
        while rest.starts_with("--") || rest.starts_with("/*") {
            rest = rest[token(rest)..].trim_start();
        }
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let (word, rest) = rest.split_at(end);
        (!word.is_empty()).then(|| {
            self.rest = rest;
            word
        })
    }

    /// Takes the next word if it is this one.
    fn take(&mut self, wanted: &str) -> bool {
        let before = self.rest;
        let is_wanted = self.next().is_some_and(|word| word.eq_ignore_ascii_case(wanted));
        if !is_wanted {
            self.rest = before;
        }
        is_wanted
    }
}

/// The statements of a script, without those that are empty.
pub(super) fn split(script: &str) -> Vec<&str> {
    let (mut statements, mut from, mut at, mut is_empty) = (Vec::new(), 0, 0, true);
    while at < script.len() {
        let rest = &script[at..];
        if rest.starts_with(';') {
            if !is_empty {
                statements.push(&script[from..at]);
            }
            (from, at, is_empty) = (at + 1, at + 1, true);
            continue;
        }
        let is_comment = rest.starts_with("--") || rest.starts_with("/*");
        is_empty &= is_comment || rest.starts_with(char::is_whitespace);
        at += token(rest);
    }
    if !is_empty {
        statements.push(&script[from..]);
    }
    statements
}

/// Length in bytes of what a text begins with: a string, a quoted name, a comment, or one character. What is not closed
/// goes to the end.
fn token(text: &str) -> usize {
    let to = |from: usize, end: &str| {
        text[from..].find(end).map_or(text.len(), |found| from + found + end.len())
    };
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (Some('-'), Some('-')) => to(2, "\n"),
        (Some('/'), Some('*')) => comment(text),
        (Some(quote @ ('\'' | '"')), _) => to(1, quote.encode_utf8(&mut [0; 4])),
        (Some('e' | 'E'), Some('\'')) => escaped(text),
        (Some('$'), _) => match dollars(text) {
            Some(tag) => to(tag.len(), tag),
            None => 1,
        },
        // A name is taken as a whole: it can end with `e`, and hold `$`.
        (Some(c), _) if c.is_alphabetic() || c == '_' => {
            text.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '$').unwrap_or(text.len())
        }
        (Some(c), _) => c.len_utf8(),
        (None, _) => 0,
    }
}

/// A comment, in which others can be.
fn comment(text: &str) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while let Some(found) = text[at..].find(['/', '*']) {
        at += found;
        let rest = &text[at..];
        if rest.starts_with("/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if rest.starts_with("*/") {
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    text.len()
}

/// A string `E'…'`, in which a backslash takes the next character its meaning.
fn escaped(text: &str) -> usize {
    let mut chars = text.char_indices().skip(2);
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => drop(chars.next()),
            '\'' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// `$$` or `$tag$` at the beginning.
fn dollars(text: &str) -> Option<&str> {
    let end = text[1..].find('$')? + 2;
    let tag = &text[1..end - 1];
    let is_tag = tag.chars().all(|c| c.is_alphanumeric() || c == '_')
        && !tag.starts_with(|c: char| c.is_ascii_digit());
    is_tag.then(|| &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_split_where_a_statement_ends() {
        for (script, expected) in [
            ("", &[][..]),
            (" ;; -- nothing;\n/* ; */;", &[]),
            ("SELECT 1", &["SELECT 1"]),
            ("SELECT 1; SELECT 2;\n", &["SELECT 1", " SELECT 2"]),
            ("SELECT ';', \";\"; b", &["SELECT ';', \";\"", " b"]),
            ("SELECT 'it''s;'; b", &["SELECT 'it''s;'", " b"]),
            (r"SELECT E'\';'; b", &[r"SELECT E'\';'", " b"]),
            (r"SELECT 'a\'; b", &[r"SELECT 'a\'", " b"]),
            ("SELECT $$;$$, $x$ $$; $x$; b", &["SELECT $$;$$, $x$ $$; $x$", " b"]),
            ("SELECT $1; b", &["SELECT $1", " b"]),
            ("SELECT a$b; c$", &["SELECT a$b", " c$"]),
            ("SELECT 1 -- ;\n+ 1; b", &["SELECT 1 -- ;\n+ 1", " b"]),
            ("SELECT /* /* ; */ ; */ 1; b", &["SELECT /* /* ; */ ; */ 1", " b"]),
            ("SELECT 'open; b", &["SELECT 'open; b"]),
            ("SELECT $$open; b", &["SELECT $$open; b"]),
            ("SELECT 1 /* open; b", &["SELECT 1 /* open; b"]),
            ("SELECT 'ä'; ö", &["SELECT 'ä'", " ö"]),
        ] {
            assert_eq!(split(script), expected, "{script}");
        }
    }

    #[test]
    fn all_but_the_head_of_a_statement_is_text() {
        for (statement, expected) in [
            ("FROM x", "FROM query('FROM x')"),
            ("SELECT 'it''s'", "FROM query('SELECT ''it''''s''')"),
            ("COPY (FROM x) TO 'y'", "FROM query('COPY (FROM x) TO ''y''')"),
            ("explain FROM x", "EXPLAIN FROM query(' FROM x')"),
            ("EXPLAIN ANALYZE COPY x TO 'y'", "EXPLAIN ANALYZE FROM query(' COPY x TO ''y''')"),
            (
                "-- a\n/* b */create or replace temp table ab as FROM x",
                "CREATE OR REPLACE TEMP TABLE \"ab\" AS FROM query(' FROM x')",
            ),
            (
                "CREATE VIEW IF NOT EXISTS v AS FROM x",
                "CREATE VIEW IF NOT EXISTS \"v\" AS FROM query(' FROM x')",
            ),
            ("CREATE VIEW \"v\" AS FROM x", "FROM query('CREATE VIEW \"v\" AS FROM x')"),
            ("CREATE TABLE x (a INT)", "FROM query('CREATE TABLE x (a INT)')"),
            ("CREATE SECRET x AS y", "FROM query('CREATE SECRET x AS y')"),
            ("CREATE", "FROM query('CREATE')"),
        ] {
            assert_eq!(guarded(statement), expected);
        }
    }
}
