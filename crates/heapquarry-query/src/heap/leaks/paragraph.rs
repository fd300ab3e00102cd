//! A finding as a colleague tells it: what grows, who holds it, where it is made, what frees it. Every form of output
//! takes its sentences from here.

use super::answer::{Confidence, Leak, LeakKind};
use crate::{
    answer::{Bytes, Share, SourceLocation},
    sections::signed,
};
use heapquarry_report::{Unit, grouped, printable::cut};
use std::borrow::Cow;

impl Leak {
    /// What grows and who holds it, in one line without a full stop: the heading of the finding.
    pub fn headline(&self) -> String {
        self.headline_of(&|text| name(text).into_owned())
    }

    /// The headline, with names of the program as `name` writes them.
    pub fn headline_of(&self, name: &dyn Fn(&str) -> String) -> String {
        let subject = subject(self, name);
        let holds = if is_plural(self) { "hold" } else { "holds" };
        let bytes = size(self.growth);
        let added = grouped(self.added.unwrap_or(0).unsigned_abs());
        let what = what(self, name);
        match self.kind {
            LeakKind::Bytes => format!("{subject} grew by {bytes}"),
            LeakKind::References => {
                format!(
                    "{subject} {holds} {added} more references to the same objects, {bytes} in all"
                )
            }
            LeakKind::Unheld if self.container.id.is_none() => {
                format!("nothing is shown to hold {added} more {what}, {bytes} in all")
            }
            LeakKind::Unheld => {
                format!("{subject} probably {holds} {added} more {what}, {bytes} in all")
            }
            LeakKind::Count | LeakKind::Moving => {
                format!("{subject} {holds} {added} more {what}, {bytes} in all")
            }
        }
    }

    /// What is to be said behind the headline, in whole sentences: the way to it, since when, where it is made, what
    /// else holds it, what frees it.
    pub(super) fn details(&self) -> String {
        let mut sentences: Vec<String> = way(self).into_iter().collect();
        sentences.push(since(self));
        sentences.extend(places(self));
        sentences.extend(others(self));
        if self.confidence == Confidence::Low {
            sentences.push("Two snapshots are few: a cache that fills once looks the same.".into());
        }
        sentences.extend(self.cure.as_ref().map(|cure| format!("The usual cure: {}.", cure.text)));
        sentences.join(" ")
    }

    /// The whole finding in one paragraph without line ends.
    pub(super) fn paragraph(&self) -> String {
        format!("{}. {}", self.headline(), self.details())
    }
}

/// A name of the program: a property can have a whole text as its name.
pub(super) fn name(text: &str) -> Cow<'_, str> {
    cut(text, 120)
}

fn size(bytes: Bytes) -> String {
    Unit::Bytes.format(signed(bytes.0)).to_string()
}

/// The class of the container before the owner, unless it says the same, or is no more than the names of its fields.
fn subject(leak: &Leak, name: &dyn Fn(&str) -> String) -> String {
    let (container, owner) = (&*leak.container.class_name, &*leak.owner);
    let is_string = leak.kind == LeakKind::Bytes && leak.leaked.as_deref() == Some("(string)");
    // Node's global object is called `global /` and what follows.
    let says_it = matches!(container, "" | "scope")
        || container.starts_with('{')
        || owner.starts_with(container)
        || (owner.starts_with("globalThis") && container.starts_with("global"));
    match says_it {
        _ if is_string => format!("string {}", name(owner)),
        true => name(owner),
        false => format!("{} {}", name(container), name(owner)),
    }
}

/// Whether the name of who holds is that of several.
fn is_plural(leak: &Leak) -> bool {
    leak.owner.ends_with(" listeners")
}

/// What there is more of.
fn what(leak: &Leak, name: &dyn Fn(&str) -> String) -> String {
    match (&leak.leaked, leak.leaked_percent) {
        (Some(class), None) => things(class, name),
        (Some(class), Some(share)) => {
            format!("objects, {} % of them {}", share.rounded(), name(class))
        }
        (None, _) => "objects".into(),
    }
}

/// Several of a class.
fn things(class: &str, name: &dyn Fn(&str) -> String) -> String {
    let listener = ["EventListener ", "Listener "].iter().find_map(|it| class.strip_prefix(it));
    match (class, listener) {
        ("Object", _) => "objects".into(),
        ("(string)", _) => "strings".into(),
        ("scope", _) => "scopes of functions".into(),
        ("Listener" | "EventListener", _) => "listeners".into(),
        (_, Some(function)) => format!("listeners {}", name(function)),
        _ if class.ends_with("()") => format!("functions {}", name(class)),
        _ if class.starts_with('{') => format!("objects {}", name(class)),
        _ if class.starts_with("Array of ") => format!("objects {}", name(class)),
        _ => format!("{} objects", name(class)),
    }
}

/// How the program writes it, and in which file.
fn way(leak: &Leak) -> Option<String> {
    let way = &*leak.way;
    if way.is_empty() || way == "globalThis" || way == leak.owner {
        return None;
    }
    if let Some(rest) = way.strip_prefix("(Stack roots)") {
        let rest = rest.trim_start_matches('.');
        let rest = if rest.is_empty() { String::new() } else { format!(": {}", name(rest)) };
        return Some(format!("A local variable of a running function leads to it{rest}."));
    }
    let (written, file) = written(way);
    let file = file.map(name);
    let is_variable = way.starts_with("variable ") && written == leak.owner;
    let is = if is_plural(leak) { "they are those of" } else { "it is" };
    let written = name(written);
    Some(match file {
        Some(file) if is_variable => format!("It is the variable {written} of {file}."),
        None if is_variable => format!("It is the variable {written}."),
        Some(file) if file.starts_with("node:") => {
            format!("In {file}, a part of Node, {is} {written}.")
        }
        Some(file) => format!("In {file} {is} {written}."),
        None if is_plural(leak) => format!("They are those of {written}."),
        None => format!("The program reaches it as {written}."),
    })
}

/// A way as the program writes it, and the file: of `variable shop.sessions of app.js` the two ends.
fn written(way: &str) -> (&str, Option<&str>) {
    let (is_variable, rest) = match way.strip_prefix("variable ") {
        Some(rest) => (true, rest),
        None => (false, way),
    };
    match rest.rsplit_once(" of ") {
        // A property can have the word in its quoted name.
        Some((written, file))
            if (is_variable || rest.starts_with("exports"))
                && written.matches('"').count() % 2 == 0 =>
        {
            (written, Some(file))
        }
        _ => (rest, None),
    }
}

/// Since when it grows, and what has become of the first ones.
fn since(leak: &Leak) -> String {
    if leak.kind == LeakKind::Bytes {
        return "It grew in every step.".into();
    }
    let left = leak.kept_percent.map(|kept| match kept {
        kept if kept == Share::of_thousandths(1000) => {
            ", and all that the first snapshot had are still there".into()
        }
        kept if kept == Share::of_thousandths(0) => {
            ", while none that the first snapshot had is still there".into()
        }
        kept => {
            let percent = kept.rounded().clamp(1, 99);
            format!(", and {percent} % of what the first snapshot had is still there")
        }
    });
    format!("More came in every step{}.", left.unwrap_or_default())
}

fn places(leak: &Leak) -> impl Iterator<Item = String> {
    // What grows by bytes is one object.
    let (are, them) = match leak.kind {
        LeakKind::Bytes => ("It is", "it"),
        _ => ("They are", "them"),
    };
    let holder = move |place| holder(place, are);
    let made = leak.made_at.as_ref().map(|place| {
        let Place { at, what, .. } = Place::new(place);
        let class = leak.leaked.as_deref().unwrap_or_default();
        let class = class.split_once(" of ").map_or(class, |(class, _)| class);
        let holders = leak.path.iter().map(|step| &step.class_name);
        let mut holders = holders.chain([&leak.container.class_name]);
        let is_itself = what.is_some_and(|what| {
            class == what || class.strip_suffix(what).is_some_and(|rest| rest.ends_with(' '))
        });
        match what {
            Some(what) if is_itself && what.ends_with("()") => format!("The function is at {at}."),
            Some(_) if is_itself => format!("{are} made at {at}."),
            Some(what) if holders.any(|holder| holder == what) => holder(place),
            _ if Place::new(place).is_seen => holder(place),
            Some(what) => format!("In {them} is {}, at {at}.", name(what)),
            None if leak.kind == LeakKind::Bytes => holder(place),
            None => format!("They lead to the function at {at}."),
        }
    });
    let stored = leak.stored_by.as_ref().map(|place| {
        let Place { at, what, .. } = Place::new(place);
        let what = what.map(|what| format!("{}, ", name(what))).unwrap_or_default();
        format!("{are} made by {what}at {at}.")
    });
    let held = leak.held_at.as_ref().map(holder);
    [made, stored, held].into_iter().flatten()
}

/// The code of who holds. `are` begins a sentence about what is held.
fn holder(place: &SourceLocation, are: &str) -> String {
    let Place { at, what, is_seen } = Place::new(place);
    let what = what.map_or("a function".into(), |what| format!("{},", name(what)));
    match is_seen {
        true => format!("The first code that sees the variable is {what} at {at}."),
        false => format!("{are} held by {what} at {at}."),
    }
}

/// A place in words.
struct Place<'a> {
    /// File, line, and the package unless the file names it.
    at: String,
    /// What stands there, if it has a name.
    what: Option<&'a str>,
    /// Whether it only sees the variable.
    is_seen: bool,
}

impl<'a> Place<'a> {
    fn new(SourceLocation { place, what, package, .. }: &'a SourceLocation) -> Self {
        let seen = what.strip_prefix("seen by ");
        let what = Some(seen.unwrap_or(what)).filter(|what| !what.contains("(anonymous)"));
        let names_it = |package: &String| {
            place.strip_prefix(&**package).is_some_and(|rest| rest.starts_with(['/', ':']))
        };
        let at = match package.as_ref().filter(|package| !names_it(package)) {
            Some(package) => format!("{} of the package {}", name(place), name(package)),
            None => name(place).into_owned(),
        };
        Place { at, what, is_seen: seen.is_some() }
    }
}

/// What holds the same, and what grows with it.
fn others(leak: &Leak) -> impl Iterator<Item = String> {
    let list = |names: &[String]| {
        let names: Vec<Cow<'_, str>> = names.iter().map(|text| name(text)).collect();
        match names.split_last() {
            Some((last, [])) => last.clone().into_owned(),
            Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
            None => String::new(),
        }
    };
    let also = &leak.also_held_by;
    let also = (!also.is_empty()).then(|| match also.len() {
        1 => format!("{} holds most of the same objects: both must let go.", list(also)),
        _ => format!("{} hold most of the same objects: all must let go.", list(also)),
    });
    let with = &leak.grows_with;
    let with = (!with.is_empty()).then(|| {
        let (grow, their) = if with.len() == 1 { ("grows", "its") } else { ("grow", "their") };
        format!("{} {grow} with it; {their} bytes are included.", list(with))
    });
    [also, with].into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::{
        super::{
            answer::{Container, HoldingStep},
            cure::{cure, tests::of},
            view::tests::leak,
        },
        *,
    };
    use crate::answer::NodeId;

    #[test]
    fn headlines_say_what_grows() {
        let of = |name: &str, id: Option<i64>| Container {
            class_name: name.into(),
            id: id.map(NodeId),
            count: 1,
        };
        let order = |kind| leak(kind, Some("Order"), Some(1100));
        for (leak, expected) in [
            (leak(LeakKind::Bytes, Some("(string)"), None), "string log grew by 4.0 kB"),
            (leak(LeakKind::Bytes, None, None), "log grew by 4.0 kB"),
            (order(LeakKind::Count), "log holds 1,100 more Order objects, 4.0 kB in all"),
            (
                Leak {
                    owner: "globalThis".into(),
                    container: of("global / ", Some(1)),
                    ..order(LeakKind::Count)
                },
                "globalThis holds 1,100 more Order objects, 4.0 kB in all",
            ),
            (
                Leak {
                    owner: "Window event listeners".into(),
                    leaked: Some("EventListener onResize()".into()),
                    ..order(LeakKind::Count)
                },
                "Window event listeners hold 1,100 more listeners onResize(), 4.0 kB in all",
            ),
            (
                Leak { leaked_percent: Some(Share::of_thousandths(667)), ..order(LeakKind::Count) },
                "log holds 1,100 more objects, 67 % of them Order, 4.0 kB in all",
            ),
            (
                leak(LeakKind::Count, Some("f()"), Some(7)),
                "log holds 7 more functions f(), 4.0 kB in all",
            ),
            (
                leak(LeakKind::Count, Some("Array of Tick"), Some(7)),
                "log holds 7 more objects Array of Tick, 4.0 kB in all",
            ),
            (
                leak(LeakKind::Count, Some("{id, note?}"), Some(7)),
                "log holds 7 more objects {id, note?}, 4.0 kB in all",
            ),
            (order(LeakKind::Unheld), "log probably holds 1,100 more Order objects, 4.0 kB in all"),
            (
                Leak { container: of("scope", None), ..order(LeakKind::Unheld) },
                "nothing is shown to hold 1,100 more Order objects, 4.0 kB in all",
            ),
            (
                leak(LeakKind::References, None, Some(1100)),
                "log holds 1,100 more references to the same objects, 4.0 kB in all",
            ),
        ] {
            assert_eq!(leak.headline(), expected);
        }
    }

    #[test]
    fn the_way_is_what_the_program_writes() {
        for (owner, way, expected) in [
            ("log", "variable log of app.js", "It is the variable log of app.js."),
            ("log", "variable log", "It is the variable log."),
            ("Store.all", "variable shop.all of app.js", "In app.js it is shop.all."),
            (
                "AbortSignal event listeners",
                "variable stop.signal of app.js",
                "In app.js they are those of stop.signal.",
            ),
            ("Cache.all", "exports.cache of zod/lib/a.js", "In zod/lib/a.js it is exports.cache."),
            (
                "Queue.list",
                "variable tail.list of node:events",
                "In node:events, a part of Node, it is tail.list.",
            ),
            ("x", "variable x[\"a of b\"]", "The program reaches it as x[\"a of b\"]."),
            ("Store.all", "globalThis.shop.all", "The program reaches it as globalThis.shop.all."),
            ("a", "(Stack roots).a[]", "A local variable of a running function leads to it: a[]."),
            ("globalThis.head", "globalThis.head", ""),
            ("Window event listeners", "globalThis", ""),
        ] {
            let found = of(LeakKind::Count, [owner, way, "Map", "Session", "[]"]);
            assert_eq!(super::way(&found).unwrap_or_default(), expected, "{way}");
        }
    }

    fn place(place: &str, what: &str, package: Option<&str>) -> SourceLocation {
        SourceLocation {
            place: place.into(),
            what: what.into(),
            package: package.map(Into::into),
            script_name: "a.js".into(),
            line: 1,
            column: 1,
            original: None,
        }
    }

    #[test]
    fn places_say_what_stands_there() {
        let step = |class: &str| HoldingStep {
            edge: "all".into(),
            edge_type: "property",
            class_name: class.into(),
            id: None,
            is_storage: false,
        };
        for (leaked, what, package, expected) in [
            ("Session", "Session", None, "They are made at a.js:1."),
            ("f()", "f()", None, "The function is at a.js:1."),
            ("Listener f()", "f()", Some("ws"), "The function is at a.js:1 of the package ws."),
            ("Array of Job", "Job", None, "In them is Job, at a.js:1."),
            ("{id}", "onDone()", None, "In them is onDone(), at a.js:1."),
            ("{id}", "(anonymous)()", None, "They lead to the function at a.js:1."),
            ("{id}", "Store", None, "They are held by Store, at a.js:1."),
            (
                "{id}",
                "seen by put()",
                None,
                "The first code that sees the variable is put(), at a.js:1.",
            ),
        ] {
            let found = Leak {
                made_at: Some(place("a.js:1", what, package)),
                path: vec![step("Store")],
                ..of(LeakKind::Count, ["Store.all", "", "Map", leaked, "[]"])
            };
            assert_eq!(places(&found).collect::<Vec<_>>(), [expected], "{what}");
        }
        let held_at = Some(place("a.js:1", "Store", None));
        let log = Leak { held_at, ..of(LeakKind::Bytes, ["log", "", "", "(string)", ""]) };
        assert_eq!(places(&log).collect::<Vec<_>>(), ["It is held by Store, at a.js:1."]);
        let inside = place("zod/a.js:1", "put()", Some("zod"));
        assert_eq!(Place::new(&inside).at, "zod/a.js:1");
    }

    #[test]
    fn a_finding_is_told_in_one_paragraph() {
        let mut found = of(
            LeakKind::Count,
            ["Store.sessions", "variable store.sessions of app.js", "Map", "Session", "[]"],
        );
        found.kept_percent = Some(Share::of_thousandths(1000));
        found.also_held_by = vec!["byUser".into()];
        found.grows_with = vec!["Store.keys".into(), "Store.order".into()];
        found.cure = cure(&found);
        assert_eq!(
            found.paragraph(),
            "Map Store.sessions holds 200 more Session objects, 4.0 kB in all. In app.js it is store.sessions. More \
             came in every step, and all that the first snapshot had are still there. byUser holds most of the same \
             objects: both must let go. Store.keys and Store.order grow with it; their bytes are included. The usual cure: call \
             Store.sessions.delete() when Session is done."
        );
        for (kept, expected) in
            [(999, "and 99 % of what"), (1, "and 1 % of what"), (0, "while none that")]
        {
            found.kept_percent = Some(Share::of_thousandths(kept));
            assert!(found.paragraph().contains(expected), "{kept}: {}", found.paragraph());
        }
    }

    #[test]
    fn long_names_are_cut() {
        let long = "x".repeat(5000);
        let way = format!("variable {long} of {long}.js");
        let mut found = of(LeakKind::Count, [&long, &way, "Map", &long, "[]"]);
        let place = place(&long, &long, Some(&format!("@a/{long}")));
        found.stored_by = Some(place.clone());
        found.held_at = Some(place.clone());
        found.made_at = Some(place);
        assert!(found.paragraph().len() < 2500, "{}", found.paragraph().len());
    }
}
