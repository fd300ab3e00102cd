//! Rules: limits for named numbers. As an expression:
//!
//! ```text
//! rule = [scope ["[" name "]" ["?"]] "."] quantity ">" limit
//! ```
//!
//! `class[Session].count > 100`, `class.retained > +5% and +64 KiB` (each class separately), `retained > +5%` (the
//! first scope that has the quantity: the whole input). In a name, `*` matches any text. Put a name with `]` in double
//! quotes. `class[Session]?.count > 0` may apply to nothing; otherwise a name that an input does not have is an error
//! ([`unmatched`](crate::unmatched)).

use crate::{Limit, Pattern, Scope, SyntaxError, Unit, Vocabulary, limit::Scanner};
use std::fmt;

/// A limit for the numbers of all names that match a pattern.
#[derive(Clone, Debug)]
pub struct Rule {
    pub(crate) scope: usize,
    pub(crate) quantity: usize,
    vocabulary: Vocabulary,
    /// The names it applies to; the whole input has the empty name.
    pub pattern: Pattern,
    /// The limit.
    pub limit: Limit,
    /// Growth up to this is ignored.
    pub noise: i64,
    /// Whether it may apply to nothing.
    pub optional: bool,
    /// Where the rule was written.
    pub origin: Origin,
}

/// Where a rule was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// On the command line.
    Expression,
    /// In a file.
    File {
        /// Path as given.
        path: String,
        /// Line, from 1.
        line: usize,
    },
}

impl Rule {
    pub(crate) fn new(
        vocabulary: Vocabulary,
        (scope, quantity): (usize, usize),
        pattern: Pattern,
        limit: Limit,
        origin: Origin,
    ) -> Self {
        Rule { scope, quantity, vocabulary, pattern, limit, noise: 0, optional: false, origin }
    }

    /// Reads an expression.
    ///
    /// # Errors
    /// If it is invalid, or uses a scope, name or quantity that the vocabulary does not have.
    pub fn parse(text: &str, vocabulary: Vocabulary) -> Result<Self, SyntaxError> {
        let mut scanner = Scanner::new(text);
        let first = scanner.word();
        let mut optional = false;
        let (scope, quantity, pattern) = if let Some(scope) =
            vocabulary.iter().position(|s| s.name == first && !first.is_empty())
        {
            let pattern = names(&mut scanner, &vocabulary[scope])?;
            optional = scanner.eat('?');
            if !scanner.eat('.') {
                return Err(scanner.expected("\".\" and a quantity"));
            }
            let word = scanner.word();
            let quantity = find(&vocabulary[scope], word).ok_or_else(|| {
                let scope = &vocabulary[scope];
                scanner.back().unknown(word, names_of(scope), &quantities(scope))
            })?;
            (scope, quantity, pattern)
        } else {
            let found = vocabulary.iter().enumerate().find_map(|(i, s)| Some((i, find(s, first)?)));
            let (scope, quantity) = found.ok_or_else(|| {
                let scopes = vocabulary.iter().map(|scope| scope.name);
                let names = scopes.chain(vocabulary.iter().flat_map(names_of));
                scanner.back().unknown(first, names, &beginnings(vocabulary))
            })?;
            (scope, quantity, all_names(&vocabulary[scope]))
        };
        if !scanner.eat('>') {
            return Err(scanner.expected("\">\""));
        }
        let unit = vocabulary[scope].quantities[quantity].unit;
        let limit = Limit::parse_rest(&mut scanner, unit)?;
        let rule = Rule::new(vocabulary, (scope, quantity), pattern, limit, Origin::Expression);
        Ok(Rule { optional, ..rule })
    }

    /// Name of the scope.
    pub fn scope(&self) -> &'static str {
        self.vocabulary[self.scope].name
    }

    /// What it demands, as a sentence: `class Session: count is at most 100`.
    pub fn requirement(&self) -> String {
        let subject = match self.pattern.to_string().as_str() {
            "" => self.scope().into(),
            "*" => format!("each {}", self.scope()),
            name => format!("{} {name}", self.scope()),
        };
        format!("{subject}: {} {}", self.quantity(), self.limit.requirement())
    }

    /// Name of the quantity.
    pub fn quantity(&self) -> &'static str {
        self.vocabulary[self.scope].quantities[self.quantity].name
    }

    /// Unit of its numbers.
    pub fn unit(&self) -> Unit {
        self.limit.unit
    }
}

/// The text of a rule: the expression that parses to it.
impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.scope())?;
        let pattern = self.pattern.to_string();
        if !self.vocabulary[self.scope].is_whole() {
            match pattern.as_str() {
                "*" => {}
                name if name.contains(['"', ']']) || name.trim() != name || name.is_empty() => {
                    write!(f, "[\"{}\"]", name.replace('"', "\"\""))?;
                }
                name => write!(f, "[{name}]")?,
            }
        }
        let mark = if self.optional { "?" } else { "" };
        write!(f, "{mark}.{} > {}", self.quantity(), self.limit)
    }
}

/// The names in brackets, or all names.
fn names(scanner: &mut Scanner<'_>, scope: &Scope) -> Result<Pattern, SyntaxError> {
    if scope.is_whole() || !scanner.eat('[') {
        return Ok(all_names(scope));
    }
    let text = if scanner.eat('"') {
        let mut text = String::new();
        loop {
            text += scanner.until('"').ok_or_else(|| scanner.expected("a name and a quote"))?;
            // A quote in the name is written twice.
            if !scanner.rest().starts_with('"') {
                break;
            }
            text.push('"');
            scanner.until('"');
        }
        if !scanner.eat(']') {
            return Err(scanner.expected("\"]\""));
        }
        text
    } else {
        scanner.until(']').ok_or_else(|| scanner.expected("a name and \"]\""))?.trim().into()
    };
    let pattern = Pattern::new(&text);
    match unknown_name(scope, &pattern) {
        Some(expected) => Err(scanner.back().expected(&expected)),
        None => Ok(pattern),
    }
}

/// The possible names, if this is not one of them.
pub(crate) fn unknown_name(scope: &Scope, pattern: &Pattern) -> Option<String> {
    let (names, name) = (scope.names?, pattern.name()?);
    (!names.contains(&name)).then(|| format!("a {} ({})", scope.name, names.join(", ")))
}

pub(crate) fn all_names(scope: &Scope) -> Pattern {
    Pattern::new(if scope.is_whole() { "" } else { "*" })
}

pub(crate) fn find(scope: &Scope, quantity: &str) -> Option<usize> {
    scope.quantities.iter().position(|q| q.name == quantity)
}

/// The names of the quantities of a scope.
pub(crate) fn names_of(scope: &Scope) -> impl Iterator<Item = &'static str> {
    scope.quantities.iter().map(|quantity| quantity.name)
}

/// The quantities of a scope, for messages.
pub(crate) fn quantities(scope: &Scope) -> String {
    let names: Vec<_> = names_of(scope).collect();
    format!("a quantity of {} ({})", scope.name, names.join(", "))
}

fn beginnings(vocabulary: Vocabulary) -> String {
    let scopes: Vec<_> = vocabulary.iter().map(|s| s.name).collect();
    let mut names: Vec<_> = vocabulary.iter().flat_map(names_of).collect();
    let mut seen = std::collections::HashSet::new();
    names.retain(|name| seen.insert(*name));
    format!("a scope ({}) or a quantity ({})", scopes.join(", "), names.join(", "))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::{Quantity, facts::WHOLE};
    use proptest::prelude::*;

    const fn q(name: &'static str, unit: Unit) -> Quantity {
        Quantity::new(name, unit, "")
    }

    pub(crate) static VOCABULARY: [Scope; 4] = [
        Scope {
            name: "total",
            names: Some(WHOLE),
            quantities: &[q("size", Unit::Bytes), q("count", Unit::Count)],
        },
        Scope {
            name: "class",
            names: None,
            quantities: &[q("count", Unit::Count), q("retained", Unit::Bytes)],
        },
        Scope {
            name: "category",
            names: Some(&["code", "strings"]),
            quantities: &[q("size", Unit::Bytes)],
        },
        Scope {
            name: "function",
            names: None,
            quantities: &[q("self_share", Unit::Share), q("p95", Unit::Nanos)],
        },
    ];

    #[test]
    fn expressions() {
        for (text, canonical) in [
            ("size>5 MB", "total.size > 5 MB"),
            ("total.count>5", "total.count > 5"),
            ("retained>+5%", "class.retained > +5%"),
            ("class.count > +10 and +1%", "class.count > +10 and +1%"),
            ("class[Session].count>100", "class[Session].count > 100"),
            ("class [ Session ] . count > 100", "class[Session].count > 100"),
            ("class[Detached *].count>0", "class[Detached *].count > 0"),
            ("class[(object elements)].count>0", "class[(object elements)].count > 0"),
            ("class[*].count>0", "class.count > 0"),
            (r#"class["a]b"].count>0"#, r#"class["a]b"].count > 0"#),
            (r#"class["say ""]"""].count>0"#, r#"class["say ""]"""].count > 0"#),
            (r#"class[""].count>0"#, r#"class[""].count > 0"#),
            ("category[code].size>1 kB", "category[code].size > 1 kB"),
            ("category[c*].size>1 kB", "category[c*].size > 1 kB"),
            ("function[main].self_share>12.5%", "function[main].self_share > 12.5%"),
            ("function.p95>5 ms", "function.p95 > 5 ms"),
        ] {
            let rule = Rule::parse(text, &VOCABULARY).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(rule.to_string(), canonical);
            assert_eq!(Rule::parse(canonical, &VOCABULARY).unwrap().to_string(), canonical);
        }
    }

    #[test]
    fn what_is_no_expression_is_said_where() {
        for (text, error) in [
            (
                "",
                "column 1): expected a scope (total, class, category, function) or a quantity (size, count, retained, self_share, p95), found the end",
            ),
            ("sise>5", "column 1): expected a scope"),
            ("class>5", "column 6): expected \".\" and a quantity, found \">5\""),
            (
                "class.sise>5",
                "column 7): expected a quantity of class (count, retained), found \"sise>5\"",
            ),
            ("class[Foo.count>5", "column 7): expected a name and \"]\""),
            ("class[\"Foo].count>5", "expected a name and a quote"),
            ("class[\"Foo\".count>5", "expected \"]\""),
            ("category[cod].size>5", "expected a category (code, strings)"),
            ("size", "column 5): expected \">\", found the end"),
            ("size<5", "column 5): expected \">\", found \"<5\""),
            ("size>5 ms", "column 8): expected a unit"),
            ("size>5 MB tomorrow", "expected \"and\" or the end"),
        ] {
            let found = Rule::parse(text, &VOCABULARY).unwrap_err().to_string();
            assert!(found.contains(error), "{text}: {found}");
        }
    }

    proptest! {
        #[test]
        fn any_name_can_be_written(name in r#"[a"\]\[ .>*\\é]{0,8}|\PC*"#) {
            let text = format!("class[\"{}\"].count > 0", name.replace('"', "\"\""));
            let rule = Rule::parse(&text, &VOCABULARY).unwrap();
            prop_assert_eq!(rule.pattern.to_string(), name.as_str());
            let again = Rule::parse(&rule.to_string(), &VOCABULARY).unwrap();
            prop_assert_eq!(again.pattern, rule.pattern);
        }

        #[test]
        fn any_text_is_read_or_refused(text in r#"(class|size|count|\[|\]|\.|>|\+|5|%|"| |é){0,12}|\PC*"#) {
            if let Err(error) = Rule::parse(&text, &VOCABULARY) {
                prop_assert!(!error.to_string().is_empty());
            }
        }
    }
}
