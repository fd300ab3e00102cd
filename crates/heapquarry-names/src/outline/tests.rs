use super::*;

/// What is written where `▶` stands; it is taken out first.
fn at_mark(text: &str, jsx: bool) -> Option<String> {
    let (before, after) = text.split_once('▶').expect("a mark");
    let ends = ['\n', '\u{2028}'];
    let line = before.matches(ends).count() as u32;
    let last = before.rsplit(ends).next().unwrap_or_default();
    let outline = Outline::new(&format!("{before}{after}"), jsx);
    match outline.at(line, last.encode_utf16().count() as u32) {
        Written::Head(name) => Some(name.unwrap_or_default().into()),
        Written::Other => None,
    }
}

#[test]
fn functions_have_the_names_that_v8_gives() {
    for (text, name) in [
        ("function ▶f(a) {}", "f"),
        ("function f▶(a) {}", "f"),
        ("▶async function* f(a) {}", "f"),
        ("let x = ▶function (a) {}", "x"),
        ("let x = function f▶(a) {}", "f"),
        ("let x = ▶(a, b) => a", "x"),
        ("let ▶x = (a, b) => a", "x"),
        ("let x = ▶a => a", "x"),
        ("let x = ▶async a => a", "x"),
        ("let x: Map<string, () => void> = ▶(a): Promise<{ a: 1 }> => a", "x"),
        ("let x = ▶<T,>(a: T) => a", "x"),
        ("function y(a: X, b = ▶() => 1) {}", "b"),
        ("a.b.c = ▶function () {}", "a.b.c"),
        ("C.prototype.m = ▶function () {}", "C.m"),
        ("a().c = ▶function () {}", ""),
        ("g(▶e => e)", ""),
        ("g(function ▶() {})", ""),
        ("g(function n▶() {})", "n"),
        ("export default ▶function () {}", "default"),
        ("export default ▶class {}", "default"),
        ("▶export class A {}", "A"),
        ("export default ▶() => 1", "default"),
        ("class ▶A {}", "A"),
        ("let B = ▶class {}", "B"),
        ("let B = ▶class A extends f({ a: 1 }) {}", "A"),
        (
            "class A<T extends { a: 1 }> extends B<{ b: 2 }> implements C, D { ▶constructor(a) {} }",
            "A",
        ),
        ("class A { private static ▶f = (v: number) => v }", "f"),
        ("class A { a: number\n f = ▶v => v\n g() {} }", "f"),
        ("class A { f = v => v + 1\n g▶() {} }", "g"),
        ("class A { m▶(a: { b: 1 }): { c: 2 } { return a } }", "m"),
        ("class A { m▶<T>(a: T): asserts a is T {} }", "m"),
        ("class A { static async *▶m() {} }", "m"),
        ("class A { get ▶x() { return 1 } }", "get x"),
        ("class A { ▶set x(v) {} }", "set x"),
        ("class A { get▶() {} }", "get"),
        ("class A { ▶#m() {} }", "#m"),
        ("class A { if▶() {} }", "if"),
        ("class A { @d({ a: 1 }) ▶m() {} }", "m"),
        ("class A { static { x(() => 1) } m▶() {} }", "m"),
        ("class A { m(): void; m▶(a?: any): void {} }", "m"),
        ("class A { 'quoted'▶() {} }", "quoted"),
        ("class A { [Symbol.iterator]▶() {} }", "[Symbol.iterator]"),
        ("x = { m▶() {} }", "m"),
        ("x = { a: 1, async ▶m() {} }", "m"),
        ("x = { m: ▶v => v }", "m"),
        ("x = { 'a-b': ▶function () {} }", "a-b"),
        ("x = { [a]: ▶v => v }", "[a]"),
        ("x = { catch▶(e) {} }", "catch"),
        ("f(a ? {} : ▶b => b)", ""),
        ("let a = b => ▶c => d", ""),
        ("let a = b => b\nlet c = ▶d => d", "c"),
        ("let a = `${x(▶b => b)} ${y}`", ""),
        ("let a = `}${`{`}`; let f = ▶b => b", "f"),
        ("let a = /[/'`]\\//g; let f = ▶b => b", "f"),
        ("let a = 1 / 2; let f = ▶b => b / 3", "f"),
        ("if (x) /'/.test(y); let f = ▶b => b", "f"),
        ("// it's\n/* `\n */ let f = ▶b => b", "f"),
        ("let 漢 = 'é😀'; let ñ = ▶b => b", "ñ"),
        ("let a = '\u{2028}'; let f = 1\r\nlet g = ▶b => b", "g"),
        ("#!/usr/bin/env node it's\nlet f = ▶b => b", "f"),
    ] {
        assert_eq!(at_mark(text, false).as_deref(), Some(name), "{text}");
    }
}

#[test]
fn elements_are_stepped_over() {
    for (text, name) in [
        ("let A = () => <p>it's `</p>\nlet f = ▶b => b", "f"),
        (
            "let A = () => <p a='\\' b={c} {...d}>{e.map(f => <b key={f}/>)} http://x</p>\nlet f = ▶b => b",
            "f",
        ),
        ("let A = () => (<><B.C a:b=\"1\" />don't</>); let f = ▶b => b", "f"),
        ("let A = () => <p onClick={▶() => 1}>it's</p>", ""),
        ("let f = ▶<T,>(a: T) => a", "f"),
        ("let f = ▶<T extends object>(a: T) => a", "f"),
        ("if (a < b) c(); let f = ▶b => b", "f"),
    ] {
        assert_eq!(at_mark(text, true).as_deref(), Some(name), "{text}");
    }
}

#[test]
fn only_heads_have_names() {
    for text in [
        "function f() { let a = ▶1 }",
        "let f = () => { if (▶a) {} }",
        "▶import a from 'b'",
        "function f() { if (a▶) { b() } }",
        "x = { a: 1, b: c▶(d) }",
        "let f = a => b; ▶c()",
        "let f = a => b + 1\n  c(▶d)",
    ] {
        assert_eq!(at_mark(text, false), None, "{text}");
    }
}

#[test]
fn a_place_at_the_start_of_a_line_is_its_only_function() {
    for (text, name) in [
        ("▶let f = () => 1", Some("f")),
        ("▶  let f = () => 1", Some("f")),
        ("a()\n▶let f = () => g(() => 1)", None),
        ("▶let f = 1", None),
        ("let ▶a, f = () => 1", None),
    ] {
        assert_eq!(at_mark(text, false).as_deref(), name, "{text}");
    }
}

#[test]
fn places_outside_of_a_text_are_nothing() {
    let outline = Outline::new("function f() {}\r\nlet 漢 = 1", false);
    for (line, column) in [(0, 16), (0, 99), (1, 10), (2, 0), (u32::MAX, u32::MAX), (1, u32::MAX)] {
        assert_eq!(outline.at(line, column), Written::Other, "{line}:{column}");
    }
    assert_eq!(outline.at(0, 9), Written::Head(Some("f")));
}

proptest::proptest! {
    /// Any text has an outline, and every place an answer.
    #[test]
    fn no_text_is_a_failure(
        parts in proptest::collection::vec(proptest::sample::select(PARTS), 0..60),
        jsx: bool,
        line in 0u32..4,
        column in 0u32..80,
    ) {
        let text = parts.concat();
        let outline = Outline::new(&text, jsx);
        outline.at(line, column);
        for item in &outline.items {
            assert!(item.start <= item.body && item.body <= item.end, "{text:?} {item:?}");
            assert!(item.end as usize <= text.len(), "{text:?} {item:?}");
        }
    }
}

const PARTS: &[&str] = &[
    "function",
    " ",
    "f",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "=>",
    "=",
    ":",
    ",",
    ";",
    "class",
    "extends",
    "get",
    "async",
    "*",
    "#",
    "'",
    "\"",
    "`",
    "${",
    "/",
    "\\",
    "\n",
    "\r",
    "<",
    ">",
    "é",
    "😀",
    "\u{2028}",
    "\u{feff}",
    "\u{a0}",
    "return",
    "export",
    "default",
    ".",
    "...",
    "//",
    "/*",
    "*/",
    "1",
    "0.5",
    "constructor",
    "@",
    "?",
    "!",
    "|",
];
