//! Events as text, so that a test reads like a table: `B a 10`, `X a 10+5 t=2`, `s f 3 id=1`, separated by `;`.
//!
//! In names and ids `~` stands for a space. After phase, name (`-` for none) and time (`-` for none) with duration come
//! members: `t` thread, `p` process, `c` category, `id`, `local`, `global`, `scope`, `bp`, `bind`, `in`, `out`, `s`,
//! and `args.NAME`.

use heapquarry_timeline::{
    AsyncEnding, Ending, Event, EventIndex, Events, Flags, IdKind, Ident, Key, Phase, Timeline,
    Value, analyze,
};

fn spaced(name: &str) -> String {
    name.replace('~', " ")
}

fn ident(events: &mut Events, text: &str) -> Ident {
    match text.parse() {
        Ok(number) => Ident::Number(number),
        Err(_) => Ident::Text(events.string(&spaced(text))),
    }
}

/// The events of a text, as a decoder would add them.
pub(crate) fn events(text: &str) -> Events {
    let mut events = Events::default();
    let lines = text.split([';', '\n']).map(str::trim).filter(|line| !line.is_empty());
    for line in lines {
        let mut words = line.split_whitespace();
        let phase = words.next().unwrap();
        let (name, time) = (words.next().unwrap_or("-"), words.next().unwrap_or("-"));
        let members: Vec<(&str, &str)> =
            words.map(|word| word.split_once('=').unwrap_or((word, ""))).collect();
        let member = |name: &str| members.iter().find(|m| m.0 == name).map(|m| m.1);
        let pid = ident(&mut events, member("p").unwrap_or("1"));
        let tid = ident(&mut events, member("t").unwrap_or("1"));
        let mut event = Event::new(Phase::from_text(phase.as_bytes()), events.thread(pid, tid));
        if name != "-" {
            event.name = events.string(&spaced(name));
        }
        if let Some(category) = member("c") {
            event.category = events.string(category);
        }
        let (ts, dur) = time.split_once('+').unwrap_or((time, ""));
        (event.ts, event.dur) = (ts.parse().ok(), dur.parse().ok());
        for (is_set, flag) in [
            (member("s") == Some("p"), Flags::PROCESS_SCOPE),
            (member("s") == Some("g"), Flags::GLOBAL_SCOPE),
            (member("bp") == Some("e"), Flags::BIND_ENCLOSING),
            (member("bp").is_some_and(|bp| bp != "e"), Flags::BIND_UNKNOWN),
            (member("in").is_some(), Flags::FLOW_IN),
            (member("out").is_some(), Flags::FLOW_OUT),
            (members.iter().any(|m| m.0.starts_with("args.")), Flags::ARGS),
        ] {
            if is_set {
                event.flags |= flag;
            }
        }
        events.push(event);
        let scope = member("scope").map_or(Key::NONE, |scope| events.string(scope));
        let kinds = [("id", IdKind::Plain), ("local", IdKind::Local), ("global", IdKind::Global)];
        for (name, kind) in kinds {
            if let Some(id) = member(name) {
                let id = events.string(id);
                events.set_id(kind, id, scope);
            }
        }
        if let Some(id) = member("bind") {
            let id = events.string(id);
            events.set_bind_id(id);
        }
        for (name, value) in &members {
            if let Some(name) = name.strip_prefix("args.") {
                let key = events.string(name);
                let value = match (value.parse(), value.parse()) {
                    _ if Events::wants_text(name) => Value::Text(events.string(value)),
                    (Ok(int), _) => Value::Int(int),
                    (_, Ok(float)) => Value::Float(float),
                    _ => Value::Text(events.string(&spaced(value))),
                };
                events.add_arg(key, value);
            }
        }
    }
    events
}

pub(crate) fn timeline(text: &str) -> Timeline {
    analyze(events(text), 2)
}

pub(crate) fn name(timeline: &Timeline, event: EventIndex) -> &str {
    let name = timeline.events.name(event);
    timeline.events.strings().get(name).unwrap_or("-")
}

/// The slices of threads: `NAME TS+DUR in PARENT`, and how they end if not by themselves.
pub(crate) fn slices(timeline: &Timeline) -> Vec<String> {
    let Timeline { events, slices, .. } = timeline;
    let all = events.all().filter(|&event| slices.ending(event).is_some());
    all.map(|event| {
        let (ts, dur) = (events.ts(event).unwrap(), slices.dur(events, event));
        let mut line = format!("{} {ts}+{dur}", name(timeline, event));
        if let Some(parent) = slices.parent(event) {
            line.push_str(&format!(" in {}", name(timeline, parent)));
        }
        match slices.ending(event).unwrap() {
            Ending::Complete | Ending::Matched => {}
            other => line.push_str(&format!(" {other:?}")),
        }
        if slices.overlaps(event) {
            line.push_str(" overlaps");
        }
        line
    })
    .collect()
}

/// The slices of asynchronous operations, likewise.
pub(crate) fn async_slices(timeline: &Timeline) -> Vec<String> {
    let text = |key| timeline.events.strings().get(key).unwrap_or("-");
    let slices = timeline.async_slices.iter(&timeline.events);
    let line = |slice: heapquarry_timeline::AsyncSlice| {
        let mut line = format!("{} {}+{}", text(slice.name), slice.ts, slice.dur);
        if let Some(parent) = slice.parent {
            line.push_str(&format!(" in {}", name(timeline, parent)));
        }
        if slice.ending != AsyncEnding::Matched {
            line.push_str(&format!(" {:?}", slice.ending));
        }
        line
    };
    slices.map(line).collect()
}

/// The flows: `SLICE -> SLICE`.
pub(crate) fn flows(timeline: &Timeline) -> Vec<String> {
    let slice = |event: EventIndex| {
        timeline.slice_of_flow(event).map_or("-", |slice| name(timeline, slice))
    };
    let arrow = |f: heapquarry_timeline::Flow| format!("{} -> {}", slice(f.from), slice(f.to));
    timeline.flows.iter().map(arrow).collect()
}
