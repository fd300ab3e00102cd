//! What usually frees what leaks, by what holds it: from the structure alone.

use super::{
    answer::{Cure, CureKind, Leak, LeakKind},
    paragraph::name,
};

/// The usual cure; `None` where the structure does not tell one.
pub(super) fn cure(leak: &Leak) -> Option<Cure> {
    let kind = kind(leak)?;
    let mut text = text(kind, leak);
    if let Some(package) = package(kind, leak) {
        text +=
            &format!("; that code is in {package}: look for an option of it, or a newer release");
    }
    Some(Cure { kind, text })
}

/// The package that has the code that is to be changed.
fn package(kind: CureKind, leak: &Leak) -> Option<&str> {
    use CureKind::*;
    let place = match kind {
        // Who adds them takes them away.
        RemoveListener | ClearTimer | SettlePromise => {
            leak.stored_by.as_ref().or(leak.made_at.as_ref())
        }
        // Who has the key lets go of it.
        ReleaseKey => None,
        _ => leak.held_at.as_ref(),
    };
    place?.package.as_deref()
}

/// Whether the listeners of an event are what the owner holds: `Server._events.close`.
fn are_listeners(owner: &str) -> bool {
    if owner.ends_with(" event listeners") {
        return true;
    }
    let event = owner.rsplit_once("._events").map(|(_, event)| event);
    event.is_some_and(|event| {
        let event = event.strip_suffix("[]").unwrap_or(event);
        // A name that is no identifier is in brackets.
        event.starts_with('[') || event.matches(['.', '[']).count() <= 1
    })
}

/// Whether a WeakMap has the container under a key: the way ends with it.
fn is_weak_value(way: &str) -> bool {
    let behind = way.rsplit_once("(WeakMap ").and_then(|(_, name)| name.split_once(')'));
    behind.is_some_and(|(_, rest)| rest.is_empty() || rest.starts_with(" of "))
}

fn kind(leak: &Leak) -> Option<CureKind> {
    let container = &*leak.container.class_name;
    let leaked = leak.leaked.as_deref().unwrap_or_default();
    let is_like = |class: &str| container.ends_with(class);
    if leak.kind == LeakKind::Unheld {
        return None;
    }
    // What the platform keeps says more than the collection that it uses for it.
    if leaked.starts_with("EventListener") || are_listeners(&leak.owner) {
        return Some(CureKind::RemoveListener);
    }
    if matches!(leaked, "Timeout" | "Immediate") || container == "TimersList" {
        return Some(CureKind::ClearTimer);
    }
    if container == "Promise" || leaked.contains("PromiseReaction") {
        return Some(CureKind::SettlePromise);
    }
    // Nobody can change what the runtime holds for itself.
    if leak.way.contains(" of node:") || leak.way.contains("(node:") {
        return None;
    }
    if container == "FinalizationRegistry" {
        return Some(CureKind::Unregister);
    }
    match leak.kind {
        LeakKind::References => return Some(CureKind::AddOnce),
        LeakKind::Bytes => return Some(CureKind::BoundSize),
        _ => {}
    }
    let is_collection = ["Map", "Set", "Array"].into_iter().any(is_like);
    if container == "WeakMap" || (is_weak_value(&leak.way) && !is_collection) {
        return Some(CureKind::ReleaseKey);
    }
    let is_one_of_many = leak.groups.iter().any(|group| matches!(&*group.label, "[]" | "~"));
    if is_one_of_many && is_cache(leak) {
        return Some(CureKind::BoundCache);
    }
    if is_like("Map") || is_like("Set") {
        return Some(CureKind::DeleteEntry);
    }
    if is_like("Array") || leak.kind == LeakKind::Moving {
        return Some(CureKind::TakeOut);
    }
    if is_one_of_many {
        return Some(CureKind::DeleteProperty);
    }
    // Each is behind a name of the one before it.
    let is_chain = leak.groups.iter().any(|group| group.counts.last() > Some(&1));
    let kind = if leaked.ends_with("()") { CureKind::WrapOnce } else { CureKind::Unlink };
    is_chain.then_some(kind)
}

/// Whether a name says that it is a cache.
fn is_cache(leak: &Leak) -> bool {
    let names = format!("{} {}", leak.owner, leak.container.class_name).to_lowercase();
    ["cache", "memo", "lru"].into_iter().any(|word| names.contains(word))
}

fn text(kind: CureKind, leak: &Leak) -> String {
    let owner = name(&leak.owner);
    let class = leak.leaked.as_deref().filter(|_| leak.leaked_percent.is_none());
    let what = match class {
        Some("(string)") => "the string".into(),
        Some(class) if !class.starts_with('{') => name(class),
        _ => "the object".into(),
    };
    match kind {
        CureKind::RemoveListener => {
            "remove the listener when what added it is done (off, removeEventListener), or add it with once or a \
             signal"
                .into()
        }
        CureKind::ClearTimer => {
            "clear the timer when what started it is done (clearInterval, clearTimeout)".into()
        }
        CureKind::SettlePromise => {
            "settle the promise, or wait for one that does not live as long as the program: each \
                                    wait for it is kept until it is settled"
                .into()
        }
        CureKind::Unregister => {
            "call unregister() when it is done; the held value must not lead to the object".into()
        }
        CureKind::AddOnce => "look whether it is there before it is added, or use a Set".into(),
        CureKind::BoundSize => "keep only the last part of it, or write it elsewhere".into(),
        CureKind::ReleaseKey => {
            "let go of the key: an entry of a WeakMap lives as long as its key and the map do"
                .into()
        }
        CureKind::BoundCache => {
            format!(
                "give {owner} a limit: drop the oldest entry when there are too many, or after some time"
            )
        }
        CureKind::DeleteEntry => format!("call {owner}.delete() when {what} is done"),
        CureKind::DeleteProperty => format!("delete the property of {owner} when {what} is done"),
        CureKind::TakeOut => {
            format!("take {what} out of {owner} when it is done, or keep only the last ones")
        }
        CureKind::WrapOnce => {
            format!("wrap the function once: each {what} keeps the one that it was wrapped around")
        }
        CureKind::Unlink => {
            format!("unlink {what} when it is done: what leads to it must lead to the next one")
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::{
        super::{
            answer::{Container, LeakGroup},
            view::tests::leak,
        },
        *,
    };
    use crate::answer::SourceLocation;

    /// Owner, way, container, leaked, label of the place that grows.
    pub(in super::super) fn of(
        kind: LeakKind,
        [owner, way, container, leaked, label]: [&str; 5],
    ) -> Leak {
        let group = LeakGroup {
            label: label.into(),
            class_name: leaked.into(),
            counts: vec![100, 200, 300],
            sizes: Vec::new(),
        };
        Leak {
            owner: owner.into(),
            way: way.into(),
            container: Container { class_name: container.into(), id: None, count: 1 },
            groups: vec![group],
            ..leak(kind, Some(leaked), Some(200))
        }
    }

    #[test]
    fn the_structure_tells_the_usual_cure() {
        use CureKind::*;
        use LeakKind::{Bytes, Count, Moving, References, Unheld};
        let via = "variable x of app.js";
        for (kind, found, expected) in [
            (
                Count,
                ["AbortSignal event listeners", via, "", "Listener onAbort()", "next"],
                Some(RemoveListener),
            ),
            (Count, ["Socket._events", via, "", "onData()", "data"], Some(RemoveListener)),
            (Count, ["Bus._events[\"a.b\"]", via, "Array", "f()", "[]"], Some(RemoveListener)),
            // What a listener holds is no listener.
            (
                Count,
                ["bus._events.tick[].seen", "variable bus._events.tick[].seen", "Set", "Id", "[]"],
                Some(DeleteEntry),
            ),
            (
                Count,
                ["Hub.pending", "variable hub._events.open[].pending", "Array", "Job", "[]"],
                Some(TakeOut),
            ),
            (
                Count,
                ["EventEmitter._events.tick", via, "Array", "onTick()", "[]"],
                Some(RemoveListener),
            ),
            (
                Count,
                ["Window event listeners", "globalThis", "", "EventListener onResize()", "[]"],
                Some(RemoveListener),
            ),
            (Count, ["timers", via, "Map", "Timeout", "[]"], Some(ClearTimer)),
            (Count, ["gate", via, "Promise", "PromiseReaction", "next"], Some(SettlePromise)),
            (Count, ["registry", via, "FinalizationRegistry", "{h, why}", "[]"], Some(Unregister)),
            (Count, ["Store.sessions", via, "Map", "Session", "[]"], Some(DeleteEntry)),
            (Count, ["quotes", via, "TtlMap", "Quote", "[]"], Some(DeleteEntry)),
            (Count, ["Quotes.cache", via, "TtlMap", "Quote", "[]"], Some(BoundCache)),
            (Count, ["cacheByUrl", via, "Object", "Response", "[]"], Some(BoundCache)),
            (Count, ["usage", via, "{day1, day2}", "Object", "[]"], Some(DeleteProperty)),
            (
                Count,
                ["meta", "users[].(WeakMap meta) of a.js", "User", "Meta", "[]"],
                Some(ReleaseKey),
            ),
            // A Map under one key is a Map.
            (
                Count,
                ["f.(WeakMap seen)", "f.(WeakMap seen) of a.js", "Map", "Url", "[]"],
                Some(DeleteEntry),
            ),
            (
                Count,
                ["Store.prototype[\"set name\"]", via, "{name}", "wrap()", "set name"],
                Some(WrapOnce),
            ),
            (Count, ["all", "variable all of node:internal/x", "Map", "Url", "[]"], None),
            (Count, ["auditLog", via, "Array", "{who}", "[]"], Some(TakeOut)),
            (Moving, ["Journal.{back, front}", via, "Journal", "Entry", "[]"], Some(TakeOut)),
            (Count, ["JobQueue.head", via, "JobQueue", "QNode", "head"], Some(Unlink)),
            (References, ["deliveries", via, "Array", "{city}", "[]"], Some(AddOnce)),
            (Bytes, ["logText", via, "scope", "(string)", "logText"], Some(BoundSize)),
            (Unheld, ["Store.sessions", via, "Map", "Session", "[]"], None),
        ] {
            let found = of(kind, found);
            assert_eq!(super::kind(&found), expected, "{}", found.owner);
        }
    }

    #[test]
    fn code_of_a_package_is_named() {
        let place = |package: Option<&str>| SourceLocation {
            place: "a.js:1".into(),
            what: "f()".into(),
            package: package.map(Into::into),
            script_name: "a.js".into(),
            line: 1,
            column: 1,
            original: None,
        };
        for (owner, leaked, made, stored, held, expected) in [
            ("Registry.all", "Schema", None, None, Some("zod"), Some("zod")),
            ("Store.all", "Schema", Some("zod"), None, None, None),
            (
                "AbortSignal event listeners",
                "Listener",
                Some("p-queue"),
                None,
                None,
                Some("p-queue"),
            ),
            ("AbortSignal event listeners", "Listener", None, Some("p-map"), None, Some("p-map")),
            ("Server._events.close", "onClose()", None, None, Some("ws"), None),
        ] {
            let mut found = of(LeakKind::Count, [owner, "variable x", "Map", leaked, "[]"]);
            (found.made_at, found.held_at) = (Some(place(made)), Some(place(held)));
            found.stored_by = stored.map(|stored| place(Some(stored)));
            let cure = cure(&found).expect("a cure");
            assert_eq!(package(cure.kind, &found), expected, "{owner}");
            assert_eq!(cure.text.contains("a newer release"), expected.is_some(), "{owner}");
        }
    }
}
