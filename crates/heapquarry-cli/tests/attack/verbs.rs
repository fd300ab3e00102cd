//! The table of verbs and of the values of their options, as the command has it.

use clap::Command;

fn definition() -> Command {
    let mut definition = heapquarry_cli::definition();
    definition.build();
    definition
}

/// All verbs.
pub(crate) fn names() -> impl Iterator<Item = String> {
    let definition = definition();
    let names: Vec<String> =
        definition.get_subcommands().map(|verb| verb.get_name().to_owned()).collect();
    names.into_iter().filter(|name| name != "help")
}

/// The verbs that have an option of their own.
pub(crate) fn with(option: &str) -> Vec<String> {
    let definition = definition();
    let has = |verb: &&Command| verb.get_arguments().any(|one| one.get_long() == Some(option));
    definition.get_subcommands().filter(has).map(|verb| verb.get_name().to_owned()).collect()
}

/// The values that an option takes, if it takes few.
pub(crate) fn values(verb: &str, option: &str) -> Vec<String> {
    let definition = definition();
    let verb = definition.find_subcommand(verb).unwrap_or_else(|| panic!("no verb {verb}"));
    let option = verb.get_arguments().find(|argument| argument.get_long() == Some(option));
    let values = option.map(|option| option.get_possible_values()).unwrap_or_default();
    values.iter().map(|value| value.get_name().to_owned()).collect()
}
