//! The options of the command, as its help has them: how many they are, and where those stand that hide text.

use std::collections::BTreeMap;

/// Verbs whose output leaves the machine of the input: a copy, a capture, answers to an agent.
const HAND_OVER: [&str; 3] = ["capture", "convert", "mcp"];
/// Options of all verbs but `mcp`, which is a feature. An option of several verbs counts in each.
const MOST: usize = 260;
const MOST_OF_MCP: usize = 10;

/// The long options of each verb, without those that all have and those of its own verbs (`cache list`).
fn options() -> BTreeMap<String, Vec<String>> {
    let command = heapquarry_cli::definition();
    let of_all = ["error-format", "help", "version"];
    let verbs = command.get_subcommands().filter(|verb| verb.get_name() != "help");
    let options = verbs.map(|verb| {
        let shown = verb.get_arguments().filter(|option| !option.is_hide_set());
        let names = shown.filter_map(|option| option.get_long());
        let names = names.filter(|name| !of_all.contains(name)).map(Into::into);
        (verb.get_name().to_owned(), names.collect())
    });
    options.collect()
}

#[test]
fn options_do_not_become_more_unnoticed() {
    let mut options = options();
    let of_mcp = options.remove("mcp").map_or(0, |options| options.len());
    let count: usize = options.values().map(Vec::len).sum();
    let counts: Vec<_> = options.iter().map(|(verb, options)| (verb, options.len())).collect();
    assert!(count <= MOST, "{count} options: is each needed? {counts:?}");
    assert!(of_mcp <= MOST_OF_MCP, "{of_mcp} options of mcp");
}

#[test]
fn text_is_hidden_only_where_it_leaves() {
    let options = options();
    let hide = |options: &&Vec<String>| options.iter().any(|name| name.starts_with("redact"));
    let verbs = options.iter().filter(|(_, options)| hide(options)).map(|(verb, _)| &verb[..]);
    let verbs: Vec<&str> = verbs.collect();
    assert!(verbs.iter().all(|verb| HAND_OVER.contains(verb)), "{verbs:?}");
    assert!(verbs.contains(&"convert") && verbs.contains(&"capture"), "{verbs:?}");
}
