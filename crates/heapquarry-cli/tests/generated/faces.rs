//! The verbs and their options in the command and in the packages for Python and npm: they are the same in each, or the
//! table says why not.

use heapquarry_query::VERBS;
use std::collections::BTreeSet;

const COMMAND: &str = "the command";
const PYTHON: &str = "Python";
pub(crate) const NPM: &str = "npm";

/// Where a verb, or one of its options, is missing, and why. `*` stands for every verb, no option for the verb itself.
const LACKS: &[(&str, &str, &str, &str)] = &[
    ("*", "format", PYTHON, "a `Report` has a method for each form"),
    ("*", "json", PYTHON, "a `Report` is the JSON"),
    ("*", "brief", PYTHON, "a `Report` is the JSON"),
    ("*", "quiet", PYTHON, "`progress=False`"),
    ("*", "format", NPM, "answers are objects"),
    ("*", "json", NPM, "answers are objects"),
    ("*", "brief", NPM, "answers are objects"),
    ("*", "quiet", NPM, "functions print nothing"),
    // Not yet: a `Source` of Python is all of an input.
    ("*", "process", PYTHON, "parts of traces are asked of the command"),
    ("*", "thread", PYTHON, "parts of traces are asked of the command"),
    ("*", "category", PYTHON, "parts of traces are asked of the command"),
    ("*", "from", PYTHON, "parts of traces are asked of the command"),
    ("*", "until", PYTHON, "parts of traces are asked of the command"),
    ("*", "sample-type", PYTHON, "values of pprof profiles are chosen by the command"),
    ("*", "no-cache", PYTHON, "what the command keeps of heaps is not used"),
    ("leaks", "files-from", PYTHON, "a program has the names itself"),
    ("leaks", "files-from", NPM, "a program has the names itself"),
    ("check", "runs", NPM, "several paths are runs"),
    // Thousands of inputs.
    ("convert", "batch", PYTHON, "`heapquarry.spark`, or the command"),
    ("convert", "jobs", PYTHON, "of `--batch`"),
    ("convert", "keep", PYTHON, "of `--batch`"),
    ("convert", "label", PYTHON, "of `--batch`"),
    ("convert", "read-window", PYTHON, "for measurements"),
    ("convert", "row-group-rows", PYTHON, "for measurements"),
    ("export", "output", COMMAND, "it prints"),
    ("export", "force", COMMAND, "it prints"),
    // Other functions, or none.
    ("info", "", PYTHON, "`File.info` has the options of `open`"),
    ("open", "", PYTHON, "there it opens an input; the page is that of the command"),
    ("open", "", NPM, "there it opens an input; the page is that of the command"),
    ("query", "", PYTHON, "`sql`"),
    ("views", "", PYTHON, "`sql` has them"),
    ("schema", "", PYTHON, "a `Table` has its columns"),
    ("extract", "", PYTHON, "`open` takes `PATH#N`"),
    ("watch", "", PYTHON, "the command watches other processes"),
    ("watch", "", NPM, "`stream` prints what comes"),
    ("index", "", PYTHON, "what the command keeps of heaps is not used"),
    ("index", "", NPM, "`stream` runs what writes files"),
    ("redact", "", PYTHON, "`open` and `convert` have the option `redact`"),
    ("capture", "", PYTHON, "the command records other processes"),
    ("convert", "", NPM, "`stream` runs what writes files"),
    ("report", "marks", PYTHON, "marks are set on the page of the command"),
    ("report", "", NPM, "`stream` runs what writes files"),
    ("export", "", NPM, "`stream` runs what writes files"),
    ("extract", "", NPM, "`stream` runs what writes files"),
    ("redact", "", NPM, "`stream` runs what writes files"),
    ("capture", "", NPM, "`stream` runs what writes files"),
    ("views", "", NPM, "`query` has them"),
    ("mcp", "", PYTHON, "an agent starts the command"),
    ("mcp", "", NPM, "an agent starts the command"),
    ("cache", "", PYTHON, "for people"),
    ("cache", "", NPM, "for people"),
    ("completions", "", PYTHON, "for people"),
    ("completions", "", NPM, "for people"),
    ("man", "", PYTHON, "for people"),
    ("man", "", NPM, "for people"),
];

/// Whether a row says so.
fn says(row: &(&str, &str, &str, &str), verb: &str, option: &str, face: &str) -> bool {
    let (of, name, where_, _) = *row;
    (of == "*" || of == verb) && name == option && where_ == face
}

/// Whether an option is to be missing, or a verb if the option is empty.
pub(crate) fn is_lacking(verb: &str, option: &str, face: &str) -> bool {
    LACKS.iter().any(|row| says(row, verb, option, face))
}

/// A verb with its options, and with what it takes without a flag.
struct Verb {
    name: String,
    options: BTreeSet<String>,
    more: BTreeSet<String>,
}

/// What a package has: `None` if it takes any flag.
type Face = Option<BTreeSet<String>>;

/// Reads a file of the repository.
fn file(path: &str) -> String {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../");
    std::fs::read_to_string(format!("{root}{path}")).unwrap()
}

/// The verbs of the command.
fn command() -> Vec<Verb> {
    let command = heapquarry_cli::definition();
    let verb = |verb: &clap::Command| {
        let names = |arg: &clap::Arg| arg.get_long().map(str::to_owned);
        let mut options: BTreeSet<String> = verb.get_arguments().filter_map(names).collect();
        for not in ["help", "version", "error-format"] {
            options.remove(not);
        }
        let more = verb.get_positionals().map(|arg| arg.get_id().as_str().replace('_', "-"));
        Verb { name: verb.get_name().to_owned(), options, more: more.collect() }
    };
    command.get_subcommands().map(verb).collect()
}

/// The text between brackets, of which the first is at the beginning.
fn bracketed(text: &str) -> &str {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &text[1..at];
        }
    }
    panic!("no end: {text:.80}")
}

/// Names that are followed by a colon, perhaps after a question mark, outside of quotes.
fn members(text: &str) -> BTreeSet<String> {
    let text: String = text.split(['"', '\'']).step_by(2).collect();
    let mut found = BTreeSet::new();
    for (at, _) in text.match_indices(':') {
        let before = text[..at].trim_end_matches('?');
        let from = before.rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |at| at + 1);
        found.insert(before[from..].to_owned());
    }
    found
}

/// The options of a function of the Python package; `None` if it has none of that name.
fn python(verb: &str) -> Option<Face> {
    const FILES: [&str; 2] = ["files.py", "_convert.py"];
    let texts = FILES.map(|name| file(&format!("crates/heapquarry-py/python/heapquarry/{name}")));
    // Functions of the module come before methods of `File`.
    let start = |text: &str, before: &str| text.find(&format!("\n{before}def {verb}("));
    let found = ["", "    "].iter().find_map(|before| {
        texts.iter().find_map(|text| start(text, before).map(|at| text[at..].to_owned()))
    })?;
    let parameters = bracketed(&found[found.find('(').unwrap()..]);
    let mut options = members(parameters);
    // Options of the run are those of the file, or are passed on.
    if parameters.contains("**how") || parameters.contains("self") {
        let run = &texts[0][texts[0].find("\ndef run(").unwrap()..];
        let run = members(bracketed(&run[run.find('(').unwrap()..]));
        let asked = command().into_iter().find(|found| found.name == verb).unwrap().options;
        // Others are ignored where nothing is analysed.
        options.extend(run.into_iter().filter(|run| asked.contains(&run.replace('_', "-"))));
    }
    if options.remove("of") {
        options.extend(["node".into(), "class".into()]);
    }
    for (python, command) in [("out", "output")] {
        if options.remove(python) {
            options.insert(command.into());
        }
    }
    for not in ["given", "inputs", "self", "how", "progress"] {
        options.remove(not);
    }
    Some(Some(options.into_iter().map(|option| option.replace('_', "-")).collect()))
}

/// The options of a function of the npm package; `None` if it has none of that name.
fn npm(verb: &str) -> Option<Face> {
    // Those of questions are made from the command's.
    if VERBS.contains(&verb) {
        let all = command().into_iter().find(|found| found.name == verb)?.options;
        let found = all.into_iter().filter(|option| !is_lacking(verb, option, NPM));
        return Some(Some(found.collect()));
    }
    let files = ["index", "questions"];
    let files = files.map(|name| file(&format!("npm/heapquarry/lib/{name}.d.ts")));
    let mut text = files.concat();
    while let Some(at) = text.find("/**") {
        let end = at + text[at..].find("*/").unwrap() + 2;
        text.replace_range(at..end, "");
    }
    let starts = ["(", "<"].map(|next| format!("export function {verb}{next}"));
    let functions = starts.iter().flat_map(|start| text.match_indices(start.as_str()));
    let mut seen = BTreeSet::new();
    let mut options = BTreeSet::new();
    let mut work: Vec<&str> =
        functions.map(|(at, _)| bracketed(&text[at + text[at..].find('(').unwrap()..])).collect();
    if work.is_empty() {
        return None;
    }
    while let Some(part) = work.pop() {
        options.extend(members(part));
        for name in part.split(|c: char| !c.is_alphanumeric()).filter(|w| w.ends_with("Options")) {
            if seen.insert(name.to_owned()) {
                let start = [format!("interface {name} "), format!("type {name} ")];
                let at = start.iter().find_map(|start| text.find(start.as_str())).unwrap();
                let length = text[at + 5..].find("\nexport ").unwrap();
                work.push(&text[at..at + 5 + length]);
            }
        }
    }
    // `[flag: string]: unknown`.
    if options.contains("flag") {
        return Some(None);
    }
    for not in ["path", "paths", "inputs", "sql", "options", "signal", "cwd"] {
        options.remove(not);
    }
    let kebab = |option: String| {
        let parts = option.chars().flat_map(|c| {
            let dash = c.is_uppercase().then_some('-');
            dash.into_iter().chain(c.to_lowercase())
        });
        parts.collect()
    };
    Some(Some(options.into_iter().map(kebab).collect()))
}

#[test]
fn each_face_has_the_same_verbs_and_options() {
    let mut wrong = Vec::new();
    let mut used = vec![false; LACKS.len()];
    let mut lacks = |verb: &str, option: &str, face: &str| {
        let rows = LACKS.iter().enumerate().filter(|(_, row)| says(row, verb, option, face));
        let found: Vec<usize> = rows.map(|(at, _)| at).collect();
        found.iter().for_each(|&at| used[at] = true);
        !found.is_empty()
    };
    for Verb { name: verb, options, more } in command() {
        for (face, found) in [(PYTHON, python(&verb)), (NPM, npm(&verb))] {
            if lacks(&verb, "", face) {
                continue;
            }
            let found = match found {
                Some(Some(found)) => found,
                Some(None) => continue,
                None => {
                    wrong.push(format!("{face} has no {verb}"));
                    continue;
                }
            };
            for option in options.difference(&found) {
                if !lacks(&verb, option, face) {
                    wrong.push(format!("{face}: {verb} has no --{option}"));
                }
            }
            for option in found.difference(&options).filter(|option| !more.contains(*option)) {
                if !lacks(&verb, option, COMMAND) {
                    wrong.push(format!("{COMMAND}: {verb} has no --{option}, which {face} has"));
                }
            }
        }
    }
    for (row, _) in LACKS.iter().zip(used).filter(|(_, is_used)| !is_used) {
        wrong.push(format!("not so any more: {row:?}"));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
