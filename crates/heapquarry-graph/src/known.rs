//! Strings that the rules refer to.

use crate::{HashMap, StringIndex, Strings};
use heapquarry_base::threads;

/// Meaning of such a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Role {
    None,
    Object,
    Array,
    NativeContext,
    /// A NativeContext, in files that add its origin or state.
    OtherNativeContext,
    MapDescriptors,
    WeakMap,
    DocumentDomTrees,
    ExternalStringData,
    ArrayBufferData,
    SloppyFunctionMap,
    Elements,
    First,
    Second,
    Proto,
    /// A Context: the variables of a call.
    Scope,
    /// A script, in files that use this name.
    ScriptNode,
    /// Names of edges between the nodes of a function: see [`crate::sources`].
    Shared,
    Script,
    ScopeInfo,
    OwnScopeInfo,
    Closure,
    Previous,
    BoundFunction,
    /// Names of edges that lead to the class of an object, and from there to its native context.
    Map,
    NativeContextEdge,
    EventListener,
    StackRoots,
    HandleScope,
    StrongRoots,
    /// Names of edges of functions, scripts and scopes: see [`crate::captured`].
    ContextEdge,
    ScopeId,
    Value,
    Infos,
    EvalFrom,
    OuterScope,
    OuterScopeInfo,
    /// A typed array, a buffer of Node or a `DataView`: a view on an `ArrayBuffer`.
    View,
    /// Name of an edge through which a WeakMap holds a value.
    Pair,
}

impl Role {
    /// By their numbers.
    pub(crate) const ALL: [Role; 39] = [
        Role::None,
        Role::Object,
        Role::Array,
        Role::NativeContext,
        Role::OtherNativeContext,
        Role::MapDescriptors,
        Role::WeakMap,
        Role::DocumentDomTrees,
        Role::ExternalStringData,
        Role::ArrayBufferData,
        Role::SloppyFunctionMap,
        Role::Elements,
        Role::First,
        Role::Second,
        Role::Proto,
        Role::Scope,
        Role::ScriptNode,
        Role::Shared,
        Role::Script,
        Role::ScopeInfo,
        Role::OwnScopeInfo,
        Role::Closure,
        Role::Previous,
        Role::BoundFunction,
        Role::Map,
        Role::NativeContextEdge,
        Role::EventListener,
        Role::StackRoots,
        Role::HandleScope,
        Role::StrongRoots,
        Role::ContextEdge,
        Role::ScopeId,
        Role::Value,
        Role::Infos,
        Role::EvalFrom,
        Role::OuterScope,
        Role::OuterScopeInfo,
        Role::View,
        Role::Pair,
    ];

    fn of(text: &str) -> Self {
        match text {
            "Object" => Role::Object,
            "Array" => Role::Array,
            "system / NativeContext" => Role::NativeContext,
            "WeakMap" | "WeakSet" => Role::WeakMap,
            "(map descriptors)" => Role::MapDescriptors,
            "(Document DOM trees)" => Role::DocumentDomTrees,
            "system / ExternalStringData" => Role::ExternalStringData,
            "system / JSArrayBufferData" => Role::ArrayBufferData,
            "sloppy_function_map" => Role::SloppyFunctionMap,
            "elements" => Role::Elements,
            "first" => Role::First,
            "second" => Role::Second,
            "__proto__" => Role::Proto,
            "shared" => Role::Shared,
            "script" | "script_or_debug_info" => Role::Script,
            "scope_info" => Role::ScopeInfo,
            "name_or_scope_info" => Role::OwnScopeInfo,
            "closure" => Role::Closure,
            "previous" => Role::Previous,
            "bound_function" => Role::BoundFunction,
            "map" => Role::Map,
            "context" => Role::ContextEdge,
            "scope_id" => Role::ScopeId,
            "value" => Role::Value,
            "infos" => Role::Infos,
            "eval_from_scope_info" => Role::EvalFrom,
            "outer_scope_info" => Role::OuterScope,
            "raw_outer_scope_info_or_feedback_metadata" => Role::OuterScopeInfo,
            "native_context" => Role::NativeContextEdge,
            "V8EventListener" => Role::EventListener,
            "(Stack roots)" => Role::StackRoots,
            "(Handle scope)" => Role::HandleScope,
            "(Strong roots)" => Role::StrongRoots,
            "Detached system / NativeContext" => Role::OtherNativeContext,
            "system / Context" => Role::Scope,
            text if text.starts_with("system / Context / ") => Role::Scope,
            text if text.starts_with("system / Script / ") => Role::ScriptNode,
            text if is_named_native_context(text) => Role::OtherNativeContext,
            text if is_view(text) => Role::View,
            text if pair(text).is_some() => Role::Pair,
            _ => Role::None,
        }
    }
}

/// `system / NativeContext / https://example.com`.
fn is_named_native_context(text: &str) -> bool {
    let text = text.strip_prefix("Detached ").unwrap_or(text);
    text.starts_with("system / NativeContext / ")
}

/// Numbers that an array can have, as its class begins.
const NUMBERS: [&str; 12] = [
    "Int8",
    "Uint8",
    "Uint8Clamped",
    "Int16",
    "Uint16",
    "Int32",
    "Uint32",
    "Float16",
    "Float32",
    "Float64",
    "BigInt64",
    "BigUint64",
];

/// Whether objects of that class are views on an `ArrayBuffer`.
fn is_view(class: &str) -> bool {
    match class.strip_suffix("Array") {
        Some(numbers) => NUMBERS.contains(&numbers),
        None => matches!(class, "Buffer" | "FastBuffer" | "DataView"),
    }
}

/// An edge through which a WeakMap holds a value: one comes from the map's table, one from the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pair {
    /// Id of the table.
    pub(crate) table: u64,
    /// Equal for both edges of a pair.
    pub(crate) number: u32,
}

/// The known strings of a string table.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    pub(crate) roles: Vec<Role>,
    pub(crate) pairs: HashMap<StringIndex, Pair>,
}

impl Known {
    pub(crate) fn find(strings: &dyn Strings, threads: usize) -> Self {
        let parts = threads::ranges(strings.len(), threads, |range| strings.all(range, Role::of));
        let roles = parts.concat();
        let mut numbers: HashMap<&str, u32> = HashMap::default();
        let mut pairs = HashMap::default();
        for index in (0..roles.len()).filter(|&index| roles[index] == Role::Pair) {
            let name = StringIndex(index as u32);
            let (shared, table) = pair(strings.get(name)).expect("it was one");
            let next = numbers.len() as u32;
            let number = *numbers.entry(shared).or_insert(next);
            pairs.insert(name, Pair { table, number });
        }
        Known { roles, pairs }
    }

    #[inline]
    pub(crate) fn role(&self, string: StringIndex) -> Role {
        self.roles.get(string.position()).copied().unwrap_or(Role::None)
    }
}

/// The part that the two edges of a pair share, and the id of the table. DevTools: `tryParseWeakMapEdgeName`, where
/// this is `/^\d+( \/ part of key \(.*? @\d+\) -> value \(.*? @\d+\) pair in WeakMap \(table @(\d+)\))$/`.
fn pair(text: &str) -> Option<(&str, u64)> {
    let shared = text.trim_start_matches(|c: char| c.is_ascii_digit());
    if shared.len() == text.len() {
        return None;
    }
    let rest = shared.strip_prefix(" / part of key (")?.strip_suffix(')')?;
    let (rest, table) = trailing_id(rest)?;
    let (rest, _) = trailing_id(rest.strip_suffix(") pair in WeakMap (table")?)?;
    let arrow = ") -> value (";
    let mut from = 0;
    while let Some(found) = rest[from..].find(arrow) {
        let at = from + found;
        // The dot of the regular expression matches anything within a line.
        let one_line = |s: &str| !s.contains(['\n', '\r', '\u{2028}', '\u{2029}']);
        if trailing_id(&rest[..at]).is_some() && one_line(rest) {
            return Some((shared, table.parse().ok()?));
        }
        from = at + arrow.len();
    }
    None
}

/// Splits `… @123`.
fn trailing_id(text: &str) -> Option<(&str, &str)> {
    let rest = text.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = &text[rest.len()..];
    (!digits.is_empty()).then_some((rest.strip_suffix(" @")?, digits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_of_weak_maps_are_known_by_their_name() {
        let name = "12 / part of key (Foo @31) -> value (Object @33) pair in WeakMap (table @7)";
        assert_eq!(pair(name), Some((&name[2..], 7)));
        for (name, is_pair) in [
            ("3 / part of key ( @1) -> value ( @2) pair in WeakMap (table @3)", true),
            (
                "3 / part of key (a) -> value (b @5) -> value (c @2) pair in WeakMap (table @3)",
                true,
            ),
            (" / part of key (a @1) -> value (b @2) pair in WeakMap (table @3)", false),
            ("3 / part of key (a @1) -> value (b @2) pair in WeakMap (table @3) ", false),
            ("3 / part of key (a @1) -> value (b @2) pair in WeakMap (table @)", false),
            ("3 / part of key (a) -> value (b @2) pair in WeakMap (table @3)", false),
            ("3 / part of key (a @1) value (b @2) pair in WeakMap (table @3)", false),
            ("3 / part of key (a\n @1) -> value (b @2) pair in WeakMap (table @3)", false),
            ("3 / part of key (a @1) -> value (b2) pair in WeakMap (table @3)", false),
            ("elements", false),
            ("", false),
            ("3", false),
        ] {
            assert_eq!(pair(name).is_some(), is_pair, "{name:?}");
        }
    }

    #[test]
    fn roles_are_listed_by_their_numbers() {
        for (number, role) in Role::ALL.into_iter().enumerate() {
            assert_eq!(role as usize, number);
        }
        assert_eq!(Role::ALL.last(), Some(&Role::Pair));
    }

    #[test]
    fn both_edges_of_a_pair_share_a_number() {
        let name = |n: u32, value: u32| {
            format!("{n} / part of key (K @9) -> value (V @{value}) pair in WeakMap (table @7)")
        };
        let strings = vec![name(1, 11), "Object".into(), name(2, 11), name(1, 13), "Object".into()];
        let known = Known::find(&strings, 2);
        assert_eq!(known.role(StringIndex(1)), Role::Object);
        assert_eq!(known.role(StringIndex(4)), Role::Object);
        assert_eq!(known.role(StringIndex(99)), Role::None);
        let number = |string| known.pairs[&StringIndex(string)].number;
        assert_eq!(number(0), number(2));
        assert_ne!(number(0), number(3));
        assert_eq!(known.pairs[&StringIndex(0)].table, 7);
    }
}
