//! What a bundle's variables are called in its sources.
//!
//! A heap has the names of captured variables as the bundle has them, and does not say where they are declared. The
//! text of the bundle does: the variable is written directly in its function, not in a function within that. Where it
//! is, the maps of all minifiers have its name. If they are not all the same, or one is missing, nothing is told.

use crate::{
    lexer::{Kind, Token, tokens},
    map::Place,
    outline::{Function, Lines, functions},
};
use heapquarry_base::Order;
use std::collections::HashMap;

/// The function whose variable is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Owner {
    /// The function at a place.
    Function(Place),
    /// The script itself, if the function at this place, which sees the variable, is in no other function.
    ScriptOf(Place),
}

/// The text of a bundle, cut into functions.
pub(crate) struct Bundle<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    functions: Vec<Function>,
    /// The greatest end of the functions before each, in their order.
    reach: Vec<u32>,
    lines: Lines,
}

/// Stands for the script, which is in no function.
const SCRIPT: usize = usize::MAX;

impl<'a> Bundle<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        // Positions are of 32 bits.
        let text = if u32::try_from(text.len()).is_ok() { text } else { "" };
        let tokens = tokens(text, false);
        let mut functions = functions(text, &tokens);
        functions.order_by_key(|function| (function.head, std::cmp::Reverse(function.end)));
        let mut reach = vec![0];
        reach.extend(functions.iter().scan(0, |most: &mut u32, function| {
            *most = (*most).max(function.end);
            Some(*most)
        }));
        Bundle { text, tokens, functions, reach, lines: Lines::new(text) }
    }

    /// The names of variables by what `name_at` says of a place in the bundle: the original name of what is written
    /// exactly there.
    pub(crate) fn originals<N: Clone + PartialEq>(
        &self,
        asked: &[(Owner, &str)],
        name_at: impl Fn(Place) -> Option<N>,
    ) -> Vec<Option<N>> {
        let mut numbers: HashMap<(usize, &str), Vec<usize>> = HashMap::new();
        for (number, &(owner, name)) in asked.iter().enumerate() {
            if let Some(owner) = self.owner(owner) {
                numbers.entry((owner, name)).or_default().push(number);
            }
        }
        // What is written so far of each; nothing, once it is not sure.
        let mut found: Vec<Option<Option<N>>> = vec![Some(None); asked.len()];
        self.each_word(|at, function| {
            let word = self.word(at);
            let Some(numbers) = numbers.get(&(function, word)) else { return };
            if self.is_key(at) {
                return;
            }
            let name = name_at(self.lines.place(self.tokens[at].start));
            for &number in numbers {
                found[number] = match (found[number].take(), &name) {
                    (Some(None), Some(name)) => Some(Some(name.clone())),
                    (Some(Some(known)), Some(name)) if known == *name => Some(Some(known)),
                    _ => None,
                };
            }
        });
        found.into_iter().map(Option::flatten).collect()
    }

    /// The number of the function that is meant.
    fn owner(&self, owner: Owner) -> Option<usize> {
        let (Owner::Function(place) | Owner::ScriptOf(place)) = owner;
        let at = self.lines.byte(place.line, place.column)?;
        let number = self.functions.binary_search_by_key(&at, |function| function.head).ok();
        match (owner, number) {
            // Node makes a function of a whole script.
            (Owner::Function(_), None) if at == 0 => Some(SCRIPT),
            (Owner::Function(_), number) => number,
            (Owner::ScriptOf(_), number) => {
                let before = self.functions.partition_point(|other| other.head < at);
                number.filter(|_| self.reach[before] <= at).map(|_| SCRIPT)
            }
        }
    }

    /// Visits all words, each with the innermost function that it is in.
    fn each_word(&self, mut visit: impl FnMut(usize, usize)) {
        let mut open: Vec<usize> = Vec::new();
        let mut next = 0;
        for (at, token) in self.tokens.iter().enumerate() {
            while open.last().is_some_and(|&last| self.functions[last].end <= token.start) {
                open.pop();
            }
            while self.functions.get(next).is_some_and(|function| function.head <= token.start) {
                if self.functions[next].end > token.start {
                    open.push(next);
                }
                next += 1;
            }
            if token.kind == Kind::Word {
                visit(at, open.last().copied().unwrap_or(SCRIPT));
            }
        }
    }

    fn word(&self, at: usize) -> &'a str {
        self.tokens.get(at).map_or("", |token| &self.text[token.start as usize..token.end as usize])
    }

    /// Whether a word is the name of a property, not a variable.
    fn is_key(&self, at: usize) -> bool {
        let before = self.word(at.wrapping_sub(1));
        matches!(before, "." | "?.") || (matches!(before, "{" | ",") && self.word(at + 1) == ":")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A bundle, below each of its words the letter of its original name, if the map has one there; and of a variable
    /// of the function at a place the original, or nothing.
    #[test]
    fn variables_are_those_of_their_own_function() {
        for (text, names, (function, name), expected) in [
            // A function within has one of the same name.
            (
                "function f(a){a.b;return function(){let a=1}}",
                "         F X  X                         Y   ",
                ("(a)", "a"),
                Some('X'),
            ),
            (
                "let g=a=>{let c=a;return()=>c}",
                "    G X       Y X           Y ",
                ("a=>", "c"),
                Some('Y'),
            ),
            // What a function is assigned to belongs to the function around it.
            ("let a=e=>{let a=e}", "    X E       Y E ", ("e=>", "a"), Some('Y')),
            // An arrow function ends with its expression.
            ("function f(a){g(a=>a.b,a)}", "           X    Y  Y   X  ", ("(a)", "a"), Some('X')),
            // Keys are no variables.
            ("f=a=>{h({a:1,b:a,a},b.a)}", "F X   H        X X     ", ("a=>", "a"), Some('X')),
            ("async a=>a", "      X  X", ("async", "a"), Some('X')),
            ("class C{get x(){let a}}", "                    X  ", ("(){", "a"), Some('X')),
            // Two variables of one name.
            (
                "function f(){{let a=1}{let a=2}}",
                "         F        X        Y    ",
                ("()", "a"),
                None,
            ),
            (
                "function f(){{let a=1}{let a=2}}",
                "         F        X             ",
                ("()", "a"),
                None,
            ),
            // The function that Node makes of a script.
            ("let a;(a=>a)()", "    X  Y  Y   ", ("let", "a"), Some('X')),
            ("function f(){}", "         F    ", ("()", "a"), None),
            ("function f(){let a}", "         F       X ", ("f", "a"), None),
        ] {
            let place = |column: usize| Place { line: 0, column: column as u32 };
            let name_at =
                |place: Place| names.chars().nth(place.column as usize).filter(|name| *name != ' ');
            let owner = Owner::Function(place(text.find(function).unwrap()));
            let found = Bundle::new(text).originals(&[(owner, name)], name_at);
            assert_eq!(found, [expected], "{text} {name}");
        }
    }

    #[test]
    fn variables_of_the_script_are_seen_by_a_function_that_is_in_no_other() {
        for (text, seen_by, expected) in [
            ("var é=1,a=1;\nfunction f(){}", (1, 10), Some((0, 8))),
            ("var b=1;\n(()=>{var a=1;function f(){}})()", (1, 25), None),
            ("var a=1;\n(()=>{var a=1;function f(){}})()", (1, 25), None),
        ] {
            let seen_by = Owner::ScriptOf(Place { line: seen_by.0, column: seen_by.1 });
            let name_at = |place: Place| Some((place.line, place.column));
            assert_eq!(
                Bundle::new(text).originals(&[(seen_by, "a")], name_at),
                [expected],
                "{text}"
            );
        }
    }
}
