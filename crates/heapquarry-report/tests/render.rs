//! One report in every form, as it is kept in `tests/golden`; `UPDATE_GOLDEN=1` writes what comes now.

use heapquarry_report::{
    Body, Budget, Cell, Column, Facts, Quantity, Report, Rule, Scope, Section, Table, Unit, Value,
    check, check_each, github, junit, markdown, text,
};
use proptest::prelude::*;
use std::{io, path::Path};

static VOCABULARY: [Scope; 2] = [
    Scope {
        name: "total",
        names: Some(&[""]),
        quantities: &[Quantity::new("size", Unit::Bytes, "all")],
    },
    Scope {
        name: "class",
        names: None,
        quantities: &[
            Quantity::new("count", Unit::Count, "objects"),
            Quantity::new("share", Unit::Share, "of the whole"),
        ],
    },
];

/// Everything that an input can put into a name.
const AWKWARD: &str = "a|b `c` <d> & \"e\" % é漢字 \u{1b}[31m\r\n::error::x, *y* @z \u{fffe}";

fn report() -> Report {
    let mut report = Report {
        command: "heapquarry check".into(),
        subject: "app.heapsnapshot".into(),
        ..Report::default()
    };
    report.notes.push(format!("{AWKWARD}: the end is missing"));
    let value = |title, cell| Value { title, cell };
    report.sections.push(Section {
        key: "totals",
        title: "Totals".into(),
        body: Body::Values(vec![
            value("Size", Cell::bytes(12_345_678)),
            value("Objects", Cell::count(9_876)),
            value("Written by", Cell::name("V8")),
            value("Strings", Cell::share(1, 8)),
        ]),
    });
    let columns = vec![
        Column::new("Class"),
        Column::new("Count"),
        Column::new("Size"),
        Column::optional("+Count"),
        Column::optional("Note"),
        Column::optional("Never"),
    ];
    let row = |name: &str, count: u64, size, delta, note: &'static str| {
        vec![
            Cell::name(name),
            Cell::count(count),
            if size > 0 { Cell::bytes(size) } else { Cell::Word(0, "empty") },
            Cell::Change(delta, Unit::Count),
            if note.is_empty() { Cell::Empty } else { Cell::text(note) },
            Cell::Empty,
        ]
    };
    let rows = vec![
        row("(string)", 13_302, 2_239_373, 12, ""),
        row(AWKWARD, 3, 120, -4, "is awkward"),
        row(&"long ".repeat(60), 0, 0, 0, ""),
        row("hidden by `shown`", 1, 1, 1, ""),
    ];
    report.sections.push(Section {
        key: "classes",
        title: "Classes".into(),
        body: Body::Table(Table { columns, rows, shown: Some(3), omitted: 1_000, none: "" }),
    });
    let path = |id, edge: &str| {
        vec![
            Section {
                key: "object",
                title: format!("Object {}", Unit::Id.format(id)).into(),
                body: Body::Values(vec![value("Id", Cell::id(id))]),
            },
            Section {
                key: "steps",
                title: "Held by".into(),
                body: Body::Table(Table {
                    columns: vec![Column::new("Edge"), Column::new("Object")],
                    rows: vec![vec![Cell::name(edge), Cell::id(1)]],
                    ..Table::default()
                }),
            },
        ]
    };
    report.sections.push(Section {
        key: "paths",
        title: "".into(),
        body: Body::List(vec![path(77, "cache"), path(79, "[3]")]),
    });
    report.sections.push(Section {
        key: "told",
        title:
            "1. Map cache holds 3 more Session objects, 120 B in all: a heading longer than a line"
                .into(),
        body: Body::Text(format!(
            "In app.js it is {AWKWARD}. {}",
            "More came in every step. ".repeat(5)
        )),
    });
    report.sections.push(Section {
        key: "nothing",
        title: "Suspects".into(),
        body: Body::Table(Table { none: "no class grew every time", ..Table::default() }),
    });
    let facts = |size, count| {
        let mut facts = Facts::new(&VOCABULARY);
        facts.add("total", "", &[size]);
        facts.add("class", AWKWARD, &[count, 100_000]);
        facts.add("class", "Session", &[count, 50_000]);
        facts.set_text("class", "Session", "Each Session is told in a sentence: 100 %.");
        facts
    };
    let budget = "
[total]
size = [\"10 MB\", \"+5%\"]
[class.\"*\"]
count = \"+10% and +5\"
share = \"20%\"
";
    let mut rules = Budget::parse(budget, "a,b:c.toml", &VOCABULARY).unwrap().rules;
    rules.push(Rule::parse("class[Session].count > 3", &VOCABULARY).unwrap());
    report.checks = check(&rules, &facts(12_345_678, 20), Some(&facts(12_000_000, 10)));
    report
}

/// What a writer writes.
fn written(write: impl Fn(&mut dyn io::Write) -> io::Result<()>) -> String {
    let mut out = Vec::new();
    write(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn terminal(report: &Report, width: Option<usize>, color: bool) -> String {
    written(|out| text::write(report, text::Style { width, color }, out))
}

fn golden(name: &str, now: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, now).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == now, "{name} differs:\n{now}");
}

#[test]
fn every_form_is_as_kept() {
    let report = report();
    for width in [40, 60, 80, 200] {
        golden(&format!("text-{width}.txt"), &terminal(&report, Some(width), false));
    }
    golden("text.txt", &terminal(&report, None, false));
    golden("color.txt", &terminal(&report, Some(80), true));
    golden("report.md", &written(|out| markdown::write(&report, out)));
    golden("report.xml", &written(|out| junit::write(&report, out)));
    golden("report.github", &written(|out| github::write(&report, out)));
}

#[test]
fn notes_are_whole_whatever_the_width() {
    let note =
        "a note of some length that says what to know before the numbers are believed, whole";
    let report = Report { notes: vec![note.into()], ..report() };
    for width in [None, Some(20), Some(40), Some(80)] {
        let text = terminal(&report, width, false);
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words(&text).contains(&words(note)), "{text}");
    }
}

#[test]
fn rows_that_are_not_shown_are_counted() {
    let columns = vec![Column::new("Class")];
    let rows = vec![vec![Cell::name("A")], vec![Cell::name("B")]];
    for (shown, omitted, lines) in [
        (None, 0, &["  Class", "  A", "  B"][..]),
        (Some(1), 3, &["  Class", "  A", "  … and 4 more"]),
        (Some(0), 0, &["  … and 2 more"]),
    ] {
        let table =
            Table { columns: columns.clone(), rows: rows.clone(), shown, omitted, none: "" };
        let section = Section { key: "rows", title: "Rows".into(), body: Body::Table(table) };
        let report = Report { sections: vec![section], ..Report::default() };
        let text = terminal(&report, None, false);
        assert_eq!(text.lines().skip(3).collect::<Vec<_>>(), lines);
    }
}

#[test]
fn junit_counts_its_cases() {
    let report = report();
    let xml = written(|out| junit::write(&report, out));
    let document = roxmltree::Document::parse(&xml).unwrap();
    let suite = document.root_element().first_element_child().unwrap();
    let cases: Vec<_> = suite.children().filter(|n| n.has_tag_name("testcase")).collect();
    assert_eq!(suite.attribute("tests"), Some(cases.len().to_string().as_str()));
    assert_eq!(cases.len(), report.checks.len());
    let failed: Vec<_> =
        cases.iter().filter(|n| n.children().any(|c| c.has_tag_name("failure"))).collect();
    assert_eq!(suite.attribute("failures"), Some(failed.len().to_string().as_str()));
    assert_eq!(failed[0].attribute("name"), Some("total: size is at most 10 MB"));
}

#[test]
fn growth_without_a_baseline_is_skipped_and_said_so() {
    let rule = Rule::parse("size > +5%", &VOCABULARY).unwrap();
    let report =
        Report { checks: check(&[rule], &Facts::new(&VOCABULARY), None), ..self::report() };
    golden(
        "skipped.xml",
        &written(|out| junit::write(&Report { sections: vec![], ..report.clone() }, out)),
    );
    let said = "growth needs a baseline";
    for text in [
        terminal(&report, None, false),
        written(|out| github::write(&report, out)),
        written(|out| markdown::write(&report, out)),
    ] {
        assert!(text.contains(said), "{text}");
    }
}

#[test]
fn annotations_are_single_lines_that_the_runner_splits_right() {
    let mut report = report();
    let many: Vec<_> = (0..30).map(|_| report.checks[0].clone()).collect();
    report.checks.extend(many);
    let lines = written(|out| github::write(&report, out));
    let errors: Vec<_> = lines.lines().filter(|line| line.starts_with("::error ")).collect();
    assert_eq!(errors.len(), 10);
    assert!(errors[9].ends_with(" more)"), "{}", errors[9]);
    for error in errors {
        let (properties, message) =
            error.strip_prefix("::error ").unwrap().split_once("::").unwrap();
        assert!(!message.is_empty());
        for property in properties.split(',') {
            assert!(["file", "line", "title"].contains(&property.split_once('=').unwrap().0));
        }
    }
    assert!(lines.contains("file=a%2Cb%3Ac.toml,line=3,"));
}

#[test]
fn only_what_can_be_cut_is_wider_than_the_terminal() {
    for width in 20..200 {
        for line in terminal(&report(), Some(width), false).lines() {
            let columns = unicode_width::UnicodeWidthStr::width(line);
            // The widest row of short names, numbers and limits is not made narrower.
            assert!(columns <= width.max(56), "{columns} > {width}: {line}");
        }
    }
}

/// Paths of a CI runner are long.
#[test]
fn a_long_path_of_an_input_hides_nothing_of_what_is_wrong() {
    let path = format!("/runner/{}a.heapsnapshot", "deep/".repeat(60));
    let mut facts = Facts::new(&VOCABULARY);
    facts.add("class", "Session", &[20, 9]);
    let inputs = [(path.clone(), facts)];
    for (rule, expected) in [
        ("class[Session].count > 3", "class Session: count is 20, the limit is 3"),
        ("class[Session].count > 30", "class Session: count is 20, the limit is 30, 10 left"),
    ] {
        let rules = [Rule::parse(rule, &VOCABULARY).unwrap()];
        let report = Report { checks: check_each(&rules, &inputs, None), ..Report::default() };
        let said = written(|out| github::write(&report, out));
        assert!(said.contains(&format!("{path}: {expected}\n")), "{said}");
    }
}

proptest! {
    #[test]
    fn any_name_can_be_reported(name in r#"\PC*|[\x00-\x20|`<>&"%\\:,\]]{0,20}"#) {
        let named = |name: &str| {
            let mut report = report();
            report.subject = name.into();
            let Body::Table(table) = &mut report.sections[1].body else { unreachable!() };
            table.rows[0][0] = Cell::name(name);
            let mut facts = Facts::new(&VOCABULARY);
            facts.add("class", name, &[9, 9]);
            let rule = Rule::parse("class.count > 3", &VOCABULARY).unwrap();
            report.checks = check(&[rule], &facts, None);
            report
        };
        let report = named(&name);

        let text = terminal(&report, Some(80), false);
        prop_assert!(text.chars().all(|c| c == '\n' || !c.is_control()));
        let xml = written(|out| junit::write(&report, out));
        prop_assert!(roxmltree::Document::parse(&xml).is_ok(), "{xml}");
        let markdown = written(|out| markdown::write(&report, out));
        prop_assert_eq!(markdown.lines().count(), written(|out| markdown::write(&named("plain"), out)).lines().count());
        let github = written(|out| github::write(&report, out));
        prop_assert_eq!(github.lines().count(), 3);
    }
}

#[test]
fn numbers_of_inputs_are_as_they_are() {
    for (number, text) in
        [(0.25, "0.25"), (3.0, "3.0"), (1e300, "1e300"), (f64::NAN, "NaN"), (f64::INFINITY, "inf")]
    {
        let cells = vec![Value { title: "N", cell: Cell::Float(number) }];
        let body = Body::Values(cells);
        let section = Section { key: "numbers", title: "Numbers".into(), body };
        let report = Report { sections: vec![section], ..Report::default() };
        let mut out = Vec::new();
        text::write(&report, text::Style::default(), &mut out).unwrap();
        assert!(String::from_utf8(out).unwrap().ends_with(&format!("N  {text}\n")), "{number}");
    }
}

/// What is to be read or copied is whole, however narrow the terminal is, and without one.
#[test]
fn sentences_of_values_are_wrapped_and_not_cut() {
    let command = "heapquarry capture 9229 --gc --count 3 --every 30s --then leaks";
    let long = [command; 3].join(" && ");
    let body = Body::Values(vec![Value { title: "Command", cell: Cell::text(long.clone()) }]);
    let section = Section { key: "verdict", title: "".into(), body };
    let report = Report { sections: vec![section], ..Report::default() };
    for width in [None, Some(80), Some(30)] {
        let mut out = Vec::new();
        text::write(&report, text::Style { width, color: false }, &mut out).unwrap();
        let told = String::from_utf8(out).unwrap();
        let words: Vec<&str> = told.split_whitespace().skip(1).collect();
        assert_eq!(words.join(" "), long, "{told}");
        let most = width.unwrap_or(131);
        assert!(told.lines().all(|line| line.len() <= most), "{told}");
    }
}
