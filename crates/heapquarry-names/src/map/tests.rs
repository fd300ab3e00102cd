use super::*;
use sourcemap::SourceMapBuilder;

/// A mapping: where in the script, and the source with its place, or nothing.
type Mapping<'a> = ((u32, u32), Option<(&'a str, u32, u32)>);

/// A map as text, with the texts of some sources.
pub(crate) fn map_text(mappings: &[Mapping<'_>], texts: &[(&str, &str)]) -> String {
    let mut builder = SourceMapBuilder::new(None);
    for &((line, column), source) in mappings {
        match source {
            Some((source, source_line, source_column)) => {
                builder.add(line, column, source_line, source_column, Some(source), None, false);
            }
            None => {
                builder.add(line, column, !0, !0, None, None, false);
            }
        }
    }
    for (source, text) in texts {
        let number = builder.add_source(source);
        builder.set_source_contents(number, Some(text));
    }
    let mut bytes = Vec::new();
    builder.into_sourcemap().to_writer(&mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

fn told(map: &str, line: u32, column: u32) -> Option<String> {
    let map = SourceMap::read(map.as_bytes()).unwrap();
    let [original] = &map.originals("/srv/dist/app.js", &[Place { line, column }])[..] else {
        panic!("one answer for one place");
    };
    let Original { name, source, place, .. } = original.as_ref()?;
    let name = name.as_ref().map_or("?".into(), |name| format!("{name:?}"));
    Some(format!("{name} {source}:{}:{}", place.line, place.column))
}

const TEXT: &str =
    "export class Cache {\n  constructor(size) {}\n  put(key) { return () => key }\n}\n";

#[test]
fn places_lead_to_the_function_of_the_source() {
    let map = map_text(
        &[
            ((0, 0), Some(("../src/cache.ts", 0, 7))),
            ((0, 8), Some(("../src/cache.ts", 1, 2))),
            ((0, 20), Some(("../src/cache.ts", 2, 2))),
            ((0, 30), Some(("../src/cache.ts", 2, 20))),
            ((0, 40), None),
            ((1, 4), Some(("../src/cache.ts", 3, 0))),
            ((1, 9), Some(("../src/none.ts", 7, 1))),
        ],
        &[("../src/cache.ts", TEXT)],
    );
    for (line, column, original) in [
        (0, 1, Some("\"Cache\" /srv/src/cache.ts:0:7")),
        (0, 8, Some("\"Cache\" /srv/src/cache.ts:1:2")),
        (0, 25, Some("\"put\" /srv/src/cache.ts:2:2")),
        (0, 33, Some("\"\" /srv/src/cache.ts:2:20")),
        // The end of the class is none of a function.
        (1, 4, Some("? /srv/src/cache.ts:3:0")),
        // There is no text of this source.
        (1, 9, Some("? /srv/src/none.ts:7:1")),
        // No mapping covers these: they are not those of the line before.
        (0, 41, None),
        (1, 0, None),
        (9, 0, None),
        // The script itself, which has several sources.
        (0, 0, None),
    ] {
        assert_eq!(told(&map, line, column).as_deref(), original, "{line}:{column}");
    }
}

#[test]
fn a_script_of_one_source_begins_where_that_begins() {
    let map = map_text(&[((0, 0), Some(("a.ts", 2, 2)))], &[("a.ts", TEXT)]);
    assert_eq!(told(&map, 0, 0).as_deref(), Some("? /srv/dist/a.ts:2:2"));
    assert_eq!(told(&map, 0, 1).as_deref(), Some("\"put\" /srv/dist/a.ts:2:2"));
}

#[test]
fn the_last_of_equal_mappings_counts() {
    let map = map_text(
        &[((0, 3), Some(("a.js", 9, 9))), ((0, 3), Some(("a.js", 2, 2)))],
        &[("a.js", TEXT)],
    );
    assert_eq!(told(&map, 0, 5).as_deref(), Some("\"put\" /srv/dist/a.js:2:2"));
}

#[test]
fn sections_are_looked_up_from_their_starts() {
    let part = map_text(
        &[((0, 2), Some(("a.js", 1, 2))), ((1, 1), Some(("a.js", 2, 2)))],
        &[("a.js", TEXT)],
    );
    let nested = format!(
        r#"{{"version":3,"sections":[{{"offset":{{"line":0,"column":5}},"map":{part}}}]}}"#
    );
    let map = format!(
        r#"{{"version":3,"sections":[
            {{"offset":{{"line":0,"column":10}},"map":{part}}},
            {{"offset":{{"line":4,"column":100}},"map":{nested}}}]}}"#
    );
    for (line, column, original) in [
        (0, 2, None),
        (0, 12, Some("\"Cache\" /srv/dist/a.js:1:2")),
        (1, 1, Some("\"put\" /srv/dist/a.js:2:2")),
        (4, 106, None),
        (4, 107, Some("\"Cache\" /srv/dist/a.js:1:2")),
        (5, 3, Some("\"put\" /srv/dist/a.js:2:2")),
    ] {
        assert_eq!(told(&map, line, column).as_deref(), original, "{line}:{column}");
    }
}

#[test]
fn ignored_sources_are_known_by_both_keys() {
    let text = map_text(
        &[((0, 0), Some(("a.js", 1, 2))), ((0, 9), Some(("b.js", 2, 2)))],
        &[("a.js", TEXT), ("b.js", TEXT)],
    );
    let with = |list: &str| text.replacen('{', &format!("{{{list},"), 1);
    let section = |map: &str| {
        format!(r#"{{"version":3,"sections":[{{"offset":{{"line":0,"column":0}},"map":{map}}}]}}"#)
    };
    let old = with(r#""x_google_ignoreList":[1]"#);
    let one = |source| map_text(&[((0, 0), Some((source, 1, 2)))], &[(source, TEXT)]);
    let other = one("b.js").replacen('{', r#"{"x_google_ignoreList":[0],"#, 1);
    let reversed = format!(
        r#"{{"version":3,"sections":[{{"offset":{{"line":0,"column":9}},"map":{other}}},
            {{"offset":{{"line":0,"column":0}},"map":{}}}]}}"#,
        one("a.js")
    );
    for (map, ignored) in [
        (text.clone(), [false, false]),
        (with(r#""ignoreList":[1]"#), [false, true]),
        (old.clone(), [false, true]),
        (format!(")]}}'\n{old}"), [false, true]),
        (section(&old), [false, true]),
        (section(&section(&with(r#""ignoreList":[0]"#))), [true, false]),
        (reversed, [false, true]),
        // One of a wrong type is none.
        (with(r#""x_google_ignoreList":"1""#), [false, false]),
        (with(r#""x_google_ignoreList":[7]"#), [false, false]),
    ] {
        let read = SourceMap::read(map.as_bytes()).expect(&map);
        let places = [1, 10].map(|column| Place { line: 0, column });
        let found = read.originals("/srv/app.js", &places);
        let told: Vec<bool> = found.into_iter().map(|one| one.unwrap().is_ignored).collect();
        assert_eq!(told, ignored, "{map}");
    }
}

#[test]
fn functions_of_metro_have_names_without_the_text() {
    let map = r#"{"version":3,"sources":["a.js"],"names":[],"mappings":"AAAA,UACE",
        "x_facebook_sources":[[{"names":["<global>","put"],"mappings":"AAA;ECC"}]]}"#;
    assert_eq!(told(map, 0, 12).as_deref(), Some("\"put\" /srv/dist/a.js:1:2"));
}

#[test]
fn what_is_no_map_says_why() {
    for text in [
        "",
        "{}",
        "[]",
        "null",
        "{\"version\":3,\"sources\":[\"a\"],\"mappings\":\"A*\"}",
        "{\"version\":3,\"sources\":[\"a\"],\"mappings\":\"AEAA\"}",
        "{\"version\":3,\"sources\":[\"a\"],\"mappings\":\"AA\"}",
        "<html>",
    ] {
        let error = SourceMap::read(text.as_bytes()).expect_err(text);
        assert!(!error.to_string().is_empty(), "{text}");
    }
    for text in [
        "\u{feff}{\"version\":3,\"sources\":[\"a\"],\"mappings\":\"AAAA\"}",
        ")]}'\n{\"version\":3,\"sources\":[null],\"mappings\":\"AAAA\"}",
        "{\"version\":3,\"sources\":[\"a\"],\"names\":[],\"mappings\":\"\"}",
    ] {
        SourceMap::read(text.as_bytes()).expect(text);
    }
}

#[test]
fn a_map_of_another_build_does_not_fit() {
    let mappings: Vec<Mapping<'_>> =
        (0..40).map(|at| ((0, at * 3), Some(("a.js", at, 0)))).collect();
    let fine = map_text(&mappings, &[]);
    let lines = map_text(&[((0, 0), Some(("a.js", 0, 0))), ((1, 0), Some(("a.js", 1, 0)))], &[]);
    let places = |line: u32, first: u32, count: u32| -> Vec<Place> {
        (0..count).map(|at| Place { line, column: first + at * 3 }).collect()
    };
    for (map, places, fits) in [
        (&fine, places(0, 3, 30), true),
        (&fine, places(0, 1, 30), false),
        (&fine, places(0, 1, 19), true),
        (&fine, places(1, 3, 3), false),
        (&fine, vec![], true),
        (&lines, places(1, 1, 30), true),
    ] {
        let told = SourceMap::read(map.as_bytes()).unwrap().tell("", &places);
        assert_eq!(told.fits, fits, "{places:?}");
    }
}

/// rollup and TypeScript map the name of a class, but not `class`.
#[test]
fn a_class_is_known_by_its_name_if_nothing_leads_to_it() {
    let text = "export class One { f = 1 }\nexport class Two {}\nconst x = { class: y(3) };\n";
    let source = |line, column| Some(("../src/a.ts", line, column));
    // `;class a{f=1}class b{}x(class`
    let names = [((0, 7), source(0, 13)), ((0, 9), source(0, 19)), ((0, 19), source(1, 13))];
    for (more, column, original) in [
        // The mapping before it is that of another class.
        (&[][..], 13, Some("\"Two\" /srv/src/a.ts:1:13")),
        (&[], 1, Some("\"One\" /srv/src/a.ts:0:13")),
        // A mapping at the place itself counts more.
        (&[((0, 13), source(1, 7))], 13, Some("\"Two\" /srv/src/a.ts:1:7")),
        // Six columns on is something else.
        (&[], 3, None),
        (&[((0, 29), source(2, 12)), ((0, 36), source(2, 19))], 30, Some("? /srv/src/a.ts:2:12")),
    ] {
        let mut mappings = [&names[..], more].concat();
        mappings.sort_by_key(|&(place, _)| place);
        let map = map_text(&mappings, &[("../src/a.ts", text)]);
        assert_eq!(told(&map, 0, column).as_deref(), original, "{column}");
    }
}
