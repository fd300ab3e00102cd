//! Names that engines have of themselves: what a Node and a page without a program hold.

use foldhash::fast::FixedState;
use hashbrown::HashSet;
use std::sync::LazyLock;

/// Written by `corpus/generate/builtins.mjs`.
static NAMES: LazyLock<HashSet<&str, FixedState>> =
    LazyLock::new(|| include_str!("builtins.txt").lines().collect());

/// Names that DevTools and others look for, which engines of other versions have.
const LOOKED_FOR: [&str; 18] = [
    "(Document DOM trees)",
    "(Stack roots)",
    "(map descriptors)",
    "V8EventListener",
    "__proto__",
    "bound_function",
    "closure",
    "elements",
    "eval_from_scope_info",
    "infos",
    "name_or_scope_info",
    "native_context",
    "outer_scope_info",
    "raw_outer_scope_info_or_feedback_metadata",
    "scope_id",
    "scope_info",
    "script_or_debug_info",
    "sloppy_function_map",
];

/// Whether it is such a name.
pub(crate) fn is_builtin(name: &str) -> bool {
    let name = name.strip_prefix("Detached ").unwrap_or(name);
    NAMES.contains(name) || LOOKED_FOR.contains(&name) || of_code(name) || of_system(name)
}

/// Names that V8 gives to its own code: `system / Code / CEntry (builtin)`, `(Abort builtin handle)`.
fn of_code(name: &str) -> bool {
    let code =
        name.strip_prefix("system / Code / ").and_then(|name| name.strip_suffix(" (builtin)"));
    let handle = name.strip_prefix('(').and_then(|name| name.strip_suffix(" builtin handle)"));
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    code.or(handle).is_some_and(|name| name.bytes().all(is_word))
}

/// Names that V8 gives to its own objects, and those of parts of something that has a known name: `system / Context`,
/// `system / Map / Array`.
fn of_system(name: &str) -> bool {
    const SYSTEM: &str = "system / ";
    let Some(rest) = name.strip_prefix(SYSTEM) else { return false };
    let (part, of) = rest.split_once(" / ").unwrap_or((rest, "Object"));
    let is_part = || NAMES.contains(&name[..SYSTEM.len() + part.len()]) || PARTS.contains(&part);
    NAMES.contains(of) && is_part()
}

/// What V8 has in other versions, or in other programs than those that the list was made of.
#[rustfmt::skip]
const PARTS: [&str; 42] = [
    "AtomRegExpData", "BytecodeWrapper", "CallSiteInfo", "ClassBoilerplate", "Code", "CodeDataContainer",
    "ConstantElementsPair", "CppHeapExternal", "DictionaryTemplateInfo", "ExternalPointerArray",
    "InstructionStream", "IrRegExpData", "Managed (D8ModuleEmbedderDataTag)",
    "Map (ExternalInternalizedStringWithOneByteData)",
    "Map (ExternalStringWithOneByteData)", "Map (SharedThinOneByteString)", "Map (SharedThinString)",
    "Map (ShortExternalInternalizedString)", "Map (ShortExternalInternalizedStringWithOneByteData)",
    "Map (ShortExternalOneByteInternalizedString)", "Map (ShortExternalOneByteString)",
    "Map (ShortExternalString)", "Map (ShortExternalStringWithOneByteData)", "PromiseReaction",
    "PromiseReactionJobInfo", "PromiseResolveThenableJobInfo", "RegExpDataWrapper", "SourceTextModule",
    "StackFrameInfo", "StackTraceFrame", "StoreHandler", "SyntheticModule", "TrustedForeign", "Tuple2", "Tuple3",
    "WasmContinuationObject", "WasmDispatchTableForImports", "WasmExportedFunctionData", "WasmFuncRef",
    "WasmInternalFunction", "WasmTrustedInstanceData", "WasmTypeInfo",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_engines_are_known() {
        for name in [
            "Array",
            "constructor",
            "system / Map",
            "system / Map / Array",
            "(Abort builtin handle)",
            "RunTask",
        ] {
            assert!(is_builtin(name), "{name}");
        }
        for name in [
            "",
            "SessionStore",
            "system / SessionStore",
            "system / Map / SessionStore",
            "(my secret builtin handle)",
        ] {
            assert!(!is_builtin(name), "{name}");
        }
    }
}
