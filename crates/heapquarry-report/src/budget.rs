//! Budgets: rules in a TOML file.
//!
//! ```toml
//! [noise]                        # smaller growth is ignored
//! bytes = "64 KiB"
//! count = 100
//!
//! [total]                        # the scope of the whole input: its quantities
//! size = ["200 MB", "+5%"]       # one limit, or several independent ones
//!
//! [class.Session]                # any other scope: names, then quantities
//! count = 100
//!
//! [class."Detached *"]           # each class whose name matches
//! count = 0
//! optional = true                # there may be none; otherwise a name that nothing has is an error
//! ```
//!
//! Limits have the syntax of [expressions](crate::rule); a plain integer is a count or bytes.

use crate::{
    Limit, Origin, Pattern, Rule, Scope, SyntaxError, Unit, Vocabulary,
    limit::meant,
    near,
    rule::{find, names_of, quantities, unknown_name},
};
use heapquarry_base::Order;
use std::{borrow::Cow, fmt, ops::Range};
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

/// The rules of a budget file, in file order.
#[derive(Clone, Debug)]
pub struct Budget {
    /// The rules; at least one.
    pub rules: Vec<Rule>,
}

/// Where and why a budget file is invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The file as given.
    pub path: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// What was expected, and what was found.
    pub message: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Error { path, line, column, message } = self;
        write!(f, "invalid budget ({path}:{line}:{column}): {message}")
    }
}

impl std::error::Error for Error {}

/// Noise floors: names of keys, and their units.
const NOISE: [(&str, Unit); 4] = [
    ("bytes", Unit::Bytes),
    ("count", Unit::Count),
    ("time", Unit::Micros),
    ("share", Unit::Share),
];

/// The key that says that nothing may have the name.
const OPTIONAL: &str = "optional";

impl Budget {
    /// Reads the text of a budget file; `path` is for messages.
    ///
    /// # Errors
    /// At the first invalid TOML, unknown scope, name or quantity, or invalid limit; or if there is no limit at all.
    pub fn parse(text: &str, path: &str, vocabulary: Vocabulary) -> Result<Self, Error> {
        let reader = Reader { text, path, vocabulary };
        let table = DeTable::parse(text).map_err(|error| {
            reader.error(error.span().unwrap_or(0..0), error.message().replace('\n', ", "))
        })?;
        let mut noise = [0; NOISE.len()];
        let mut rules = Vec::new();
        for (key, value) in table.get_ref() {
            let found = vocabulary.iter().position(|scope| scope.name == key.get_ref());
            match found {
                Some(scope) => reader.scope(scope, value, &mut rules)?,
                None if key.get_ref() == "noise" => reader.noise(value, &mut noise)?,
                None => {
                    let mut known: Vec<_> = vocabulary.iter().map(|scope| scope.name).collect();
                    known.push("noise");
                    let expected = format!("a scope ({})", known.join(", "));
                    return Err(reader.unknown(key, known.into_iter(), &expected));
                }
            }
        }
        if rules.is_empty() {
            return Err(reader.error(0..0, "expected at least one limit, found none".into()));
        }
        // The parser sorts keys.
        rules.order_by_key(|(at, _)| *at);
        let rules = rules.into_iter().map(|(_, mut rule)| {
            // Times of traces are nanoseconds.
            let (unit, scale) = match rule.unit() {
                Unit::Nanos => (Unit::Micros, 1000),
                unit => (unit, 1),
            };
            let floor = NOISE.iter().position(|(_, known)| *known == unit);
            rule.noise = floor.map_or(0, |i| noise[i]).saturating_mul(scale);
            rule
        });
        Ok(Budget { rules: rules.collect() })
    }
}

/// A rule and its byte offset in the text.
type Placed = (usize, Rule);

struct Reader<'a> {
    text: &'a str,
    path: &'a str,
    vocabulary: Vocabulary,
}

impl Reader<'_> {
    fn scope(
        &self,
        scope: usize,
        value: &Spanned<DeValue<'_>>,
        rules: &mut Vec<Placed>,
    ) -> Result<(), Error> {
        let declared = &self.vocabulary[scope];
        if declared.is_whole() {
            let table = self.table(value, &quantities(declared))?;
            return self.quantities(scope, &Pattern::new(""), table, rules);
        }
        let expected = format!("names of a {}, each a table of limits", declared.name);
        for (name, value) in self.table(value, &expected)? {
            let pattern = Pattern::new(name.get_ref());
            if let Some(expected) = unknown_name(declared, &pattern) {
                return Err(self.unexpected(name.span(), &expected, name.get_ref()));
            }
            let table = self.table(value, &format!("a table of limits ({})", names(declared)))?;
            self.quantities(scope, &pattern, table, rules)?;
        }
        Ok(())
    }

    fn quantities(
        &self,
        scope: usize,
        pattern: &Pattern,
        table: &DeTable<'_>,
        rules: &mut Vec<Placed>,
    ) -> Result<(), Error> {
        let declared = &self.vocabulary[scope];
        let optional = match table.get_key_value(OPTIONAL) {
            Some((key, value)) => self.optional(declared, key, value)?,
            None => false,
        };
        let of_rules = table.iter().filter(|(key, _)| key.get_ref() != OPTIONAL);
        for (key, value) in of_rules {
            let quantity = find(declared, key.get_ref()).ok_or_else(|| {
                let mut expected = quantities(declared);
                if value.get_ref().is_table() && !declared.is_whole() {
                    expected += " or a name in quotes if it has dots";
                }
                self.unknown(key, names_of(declared), &expected)
            })?;
            let unit = declared.quantities[quantity].unit;
            let limits = match value.get_ref() {
                DeValue::Array(limits) => limits.iter().collect(),
                _ => vec![value],
            };
            for value in limits {
                let limit = self.limit(value, unit)?;
                let at = value.span().start;
                let (line, _) = self.position(at);
                let origin = Origin::File { path: self.path.into(), line };
                let subject = (scope, quantity);
                let mut rule = Rule::new(self.vocabulary, subject, pattern.clone(), limit, origin);
                rule.optional = optional;
                rules.push((at, rule));
            }
        }
        Ok(())
    }

    fn optional(
        &self,
        scope: &Scope,
        key: &Spanned<Cow<'_, str>>,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<bool, Error> {
        if scope.is_whole() {
            return Err(self.unexpected(key.span(), &quantities(scope), OPTIONAL));
        }
        value.get_ref().as_bool().ok_or_else(|| {
            let found = kind(value.get_ref());
            self.error(value.span(), format!("expected true or false, found {found}"))
        })
    }

    fn limit(&self, value: &Spanned<DeValue<'_>>, unit: Unit) -> Result<Limit, Error> {
        let limit = |text: &str| {
            let limit = Limit::parse(text, unit);
            limit.map_err(|error: SyntaxError| {
                let SyntaxError { text, expected, found, .. } = error;
                self.error(value.span(), format!("expected {expected}, found {found} in {text:?}"))
            })
        };
        match value.get_ref() {
            DeValue::String(text) => limit(text),
            DeValue::Integer(n) if n.radix() == 10 => limit(n.as_str()),
            other => Err(self.error(
                value.span(),
                format!("expected a limit (a string or an integer), found {}", kind(other)),
            )),
        }
    }

    fn noise(&self, value: &Spanned<DeValue<'_>>, noise: &mut [i64]) -> Result<(), Error> {
        let known = NOISE.map(|(name, _)| name).join(", ");
        for (key, value) in self.table(value, &format!("noise floors ({known})"))? {
            let i = NOISE.iter().position(|(name, _)| name == key.get_ref()).ok_or_else(|| {
                let names = NOISE.iter().map(|(name, _)| *name);
                self.unknown(key, names, &format!("a noise floor ({known})"))
            })?;
            let limit = self.limit(value, NOISE[i].1)?;
            noise[i] = match limit.amounts[..] {
                [crate::Amount::Max(n)] => n,
                _ => {
                    return Err(self.unexpected(value.span(), "one amount", &limit.to_string()));
                }
            };
        }
        Ok(())
    }

    fn table<'v, 'i>(
        &self,
        value: &'v Spanned<DeValue<'i>>,
        expected: &str,
    ) -> Result<&'v DeTable<'i>, Error> {
        value.get_ref().as_table().ok_or_else(|| {
            let found = kind(value.get_ref());
            self.error(value.span(), format!("expected {expected}, found {found}"))
        })
    }

    fn unexpected(&self, span: Range<usize>, expected: &str, found: &str) -> Error {
        self.error(span, format!("expected {expected}, found {found:?}"))
    }

    /// The error for a key that is none of the names.
    fn unknown<'n>(
        &self,
        key: &Spanned<Cow<'_, str>>,
        names: impl Iterator<Item = &'n str>,
        expected: &str,
    ) -> Error {
        let mut error = self.unexpected(key.span(), expected, key.get_ref());
        error.message += &meant(&near(key.get_ref(), names));
        error
    }

    fn error(&self, span: Range<usize>, message: String) -> Error {
        let (line, column) = self.position(span.start);
        Error { path: self.path.into(), line, column, message }
    }

    /// Line and column of a byte, counted from 1.
    fn position(&self, at: usize) -> (usize, usize) {
        let before = &self.text.as_bytes()[..at.min(self.text.len())];
        let line = 1 + before.iter().filter(|&&b| b == b'\n').count();
        let start = before.iter().rposition(|&b| b == b'\n').map_or(0, |i| i + 1);
        (line, 1 + String::from_utf8_lossy(&before[start..]).chars().count())
    }
}

fn names(scope: &Scope) -> String {
    names_of(scope).collect::<Vec<_>>().join(", ")
}

/// The type of a value, in words.
fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "an integer",
        DeValue::Float(_) => "a fraction (put it in quotes, with its unit)",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "an array",
        DeValue::Table(_) => "a table",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::tests::VOCABULARY;
    use proptest::prelude::*;

    #[test]
    fn rules_in_the_order_of_the_file() {
        let text = r#"
[total]
size = ["5 MB", "+5% and +64 KiB"]   # two rules
count = 1_000

[noise]
bytes = "1 KiB"

[class]
Session.count = 3
"Detached *" = { count = 0 }
[class."a.b"]
retained = "1 kB"
"#;
        let budget = Budget::parse(text, "heap.toml", &VOCABULARY).unwrap();
        let rules: Vec<_> = budget
            .rules
            .iter()
            .map(|rule| {
                let Origin::File { line, .. } = rule.origin else { panic!() };
                (line, rule.to_string(), rule.noise)
            })
            .collect();
        let expected = [
            (3, "total.size > 5 MB", 1024),
            (3, "total.size > +5% and +64 KiB", 1024),
            (4, "total.count > 1000", 0),
            (10, "class[Session].count > 3", 0),
            (11, "class[Detached *].count > 0", 0),
            (13, "class[a.b].retained > 1 kB", 1024),
        ];
        assert_eq!(rules, expected.map(|(line, rule, noise)| (line, rule.to_string(), noise)));
    }

    #[test]
    fn what_is_no_budget_is_said_where() {
        for (text, error) in [
            ("", "invalid budget (b.toml:1:1): expected at least one limit, found none"),
            ("[total]\n", "invalid budget (b.toml:1:1): expected at least one limit, found none"),
            ("[total\n", "invalid budget (b.toml:1:7): "),
            ("[total]\nsize = \n", "invalid budget (b.toml:2:8): "),
            ("[total]\nsize = 1\nsize = 2\n", "invalid budget (b.toml:3:1): duplicate key"),
            (
                "[all]\nsize = 1",
                "invalid budget (b.toml:1:2): expected a scope (total, class, category, function, noise), found \"all\"",
            ),
            (
                "total = 5",
                "invalid budget (b.toml:1:9): expected a quantity of total (size, count), found an integer",
            ),
            (
                "[total]\nsise = 1",
                "invalid budget (b.toml:2:1): expected a quantity of total (size, count), found \"sise\"",
            ),
            (
                "[total]\nsize = true",
                "invalid budget (b.toml:2:8): expected a limit (a string or an integer), found true or false",
            ),
            (
                "[total]\nsize = 1.5",
                "invalid budget (b.toml:2:8): expected a limit (a string or an integer), found a fraction",
            ),
            ("[total]\nsize = 0x10", "invalid budget (b.toml:2:8): expected a limit"),
            ("[total]\nsize = -1", "invalid budget (b.toml:2:8): expected a number, found \"-1\""),
            (
                "[total]\nsize = [\"5 MB\",\n  \"6 MM\"]",
                "invalid budget (b.toml:3:3): expected a unit (B, ",
            ),
            (
                "[total]\nsize = [[1]]",
                "invalid budget (b.toml:2:9): expected a limit (a string or an integer), found an array",
            ),
            (
                "[class]\nFoo = 5",
                "invalid budget (b.toml:2:7): expected a table of limits (count, retained), found an integer",
            ),
            (
                "[class.Foo.Bar]\ncount = 1",
                "invalid budget (b.toml:1:12): expected a quantity of class (count, retained) or a name in quotes if it has dots, found \"Bar\"",
            ),
            (
                "[class.Foo]\ncount = {a = 1}",
                "invalid budget (b.toml:2:9): expected a limit (a string or an integer), found a table",
            ),
            (
                "[category.cod]\nsize = 1",
                "invalid budget (b.toml:1:11): expected a category (code, strings), found \"cod\"",
            ),
            (
                "[noise]\nbytes = \"+5%\"\n[total]\nsize=1",
                "invalid budget (b.toml:2:9): expected one amount, found \"+5%\"",
            ),
            (
                "[noise]\nbits = 1",
                "invalid budget (b.toml:2:1): expected a noise floor (bytes, count, time, share), found \"bits\"",
            ),
            (
                "[function.main]\nself_share = 5",
                "invalid budget (b.toml:2:14): expected a unit (%), found the end",
            ),
            ("# ü\n[tötal]", "invalid budget (b.toml:2:3): "),
        ] {
            let found = Budget::parse(text, "b.toml", &VOCABULARY).unwrap_err().to_string();
            assert!(found.starts_with(error), "{text}\n  {found}\n  {error}");
            assert_eq!(found.lines().count(), 1, "{found}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in r#"((\[|\]|\.|"|=|total|class|size|count|5|\n| |\{|\}|,){0,16})|\PC*"#) {
            if let Err(error) = Budget::parse(&text, "b.toml", &VOCABULARY) {
                prop_assert!(error.line >= 1 && error.column >= 1);
            }
        }

        #[test]
        fn deep_nesting_is_refused(depth in 1000..20_000usize) {
            let text = format!("[total]\nsize = {}", "[".repeat(depth));
            prop_assert!(Budget::parse(&text, "b.toml", &VOCABULARY).is_err());
        }
    }
}
