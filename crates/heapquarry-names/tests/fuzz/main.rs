//! A few seconds of fuzzing of source maps and of the texts in them. As `tests/fuzz.rs` of the formats.

#[path = "../../../heapquarry-formats/tests/fuzz/rounds.rs"]
mod rounds;
mod targets;

use rounds::fuzz_whole;

/// Parts of maps.
const MAP: &[&[u8]] = &[
    b"{\"version\":3,",
    b"\"sections\":[{\"offset\":{\"line\":1,\"column\":2},\"map\":",
    b"\"sourceRoot\":\"/\"",
    b"\"sourcesContent\":[",
    b"\"x_facebook_sources\":[[{\"names\":[\"a\"],\"mappings\":\"AAA\"}]],",
    b"\"ignoreList\":[0]",
    b"\"debugId\":\"85314830-023f-4cf1-a267-535f4e37bb17\"",
    b"null",
    b"AAAA",
    b";",
    b",",
    b"D",
    b"B",
    b"gggggggggggE",
    b"+/////D",
    b")]}'\n",
];

/// Parts of programs.
const PROGRAM: &[&[u8]] = &[
    b"function ",
    b"class ",
    b"=>",
    b" = ",
    b"(",
    b")",
    b"{",
    b"}",
    b"[",
    b"]",
    b"<",
    b">",
    b":",
    b"get ",
    b"async ",
    b"constructor",
    b"export default ",
    b"`${",
    b"`",
    b"'",
    b"/",
    b"/*",
    b"//",
    b"\n",
    b"\\",
    b".prototype.",
    b"\xc3\xa9",
    b"#",
    b"*",
    b"extends ",
    b",",
    b";",
];

#[test]
fn map() {
    let seeds = [
        r#"{"version":3,"sources":["a.js","b.ts"],"sourcesContent":["class A { m() {} }",null],"names":["x"],"mappings":"AAAA,SAAIA;CCAJ,EAAE"}"#,
        r#"{"version":3,"sections":[{"offset":{"line":0,"column":9},"map":{"version":3,"sources":[null],"names":[],"mappings":"A,CAAC"}}]}"#,
        r#"{"version":3,"sources":["a.js"],"names":[],"mappings":"AAAA,UACE","x_facebook_sources":[[{"names":["a","b"],"mappings":"AAA;ECC"}]]}"#,
    ];
    fuzz_whole(&seeds.map(|seed| seed.as_bytes().to_vec()), MAP, targets::map, 3_000);
}

#[test]
fn source() {
    let seeds = [
        "export class Cache<T> extends Map<string, T> {\n  #size = 0; constructor(a: number) { super() }\n  get x(): T { return 1 }\n}\n",
        "const f = async (a, b = () => 1) => ({ m() {}, n: c => `${c(d => 1)}` });\nA.prototype.b = function () {};\n",
        "export default () => <p a='1' b={() => 2}>it's <b/> {c.map(d => <i>{d}</i>)}</p>;\n",
    ];
    fuzz_whole(&seeds.map(|seed| seed.as_bytes().to_vec()), PROGRAM, targets::source, 10_000);
}
