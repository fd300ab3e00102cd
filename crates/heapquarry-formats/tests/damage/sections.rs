//! Sound documents, and what is changed in them.

pub(crate) const SECTIONS: [(&str, &str); 11] = [
    (
        "snapshot",
        r#"{"meta":{"node_fields":["type","name","id","self_size","edge_count","trace_node_id","detachedness"],
"node_types":[["hidden","array","string","object","code","closure","regexp","number","native","synthetic"],"string"],
"edge_fields":["type","name_or_index","to_node"],
"edge_types":[["context","element","property","internal","hidden","shortcut","weak"],"string_or_number","node"],
"trace_function_info_fields":["function_id","name","script_name","script_id","line","column"],
"trace_node_fields":["id","function_info_index","count","size","children"],
"sample_fields":["timestamp_us","last_assigned_id"],
"location_fields":["object_index","script_id","line","column"],
"scope_fields":["script_node_index","scope_id","depth","scope_context_vars_count","scope_uses_count"],
"scope_context_var_fields":["name"],"scope_use_fields":["declaring_scope_id","slot_index"]},
"node_count":4,"edge_count":4,"trace_function_count":2}"#,
    ),
    ("nodes", "[9,1,1,0,2,0,0\n,3,2,3,16,1,0,0\n,2,3,5,24,0,0,0\n,8,2,7,32,1,2,1\n]"),
    ("edges", "[1,1,7\n,5,4,14\n,2,5,14\n,4,9,21\n]"),
    ("trace_function_infos", "[0,2,1,0,0,0\n,11,3,4,6,7,8\n]"),
    ("trace_tree", "[1,0,0,0,[2,1,3,48,[]]]"),
    ("samples", "[0,5\n,100,7\n]"),
    ("locations", "[7,1,2,3\n]"),
    ("scopes", "[7,-2,0,2,1\n,7,30,1,0,2\n]"),
    ("scope_context_vars", "[4\n,4\n]"),
    ("scope_uses", "[-2,0,-2,1,-2,0\n]"),
    ("strings", r#"["<dummy>","","Foo","text","short","prop"]"#),
];
pub(crate) const FILES: &str = "js_heap_files";
pub(crate) const INFO: &str = "js_heap_info";
pub(crate) const NODES: &str = "js_heap_nodes";
pub(crate) const EDGES: &str = "js_heap_edges";
pub(crate) const STRINGS: &str = "js_heap_string";
pub(crate) const LOCATIONS: &str = "js_heap_location";
pub(crate) const SAMPLES: &str = "js_heap_sample";
pub(crate) const FUNCTIONS: &str = "js_heap_trace_function_info";
pub(crate) const TREE: &str = "js_heap_trace_node";
pub(crate) const SCOPES: &str = "js_heap_scope";
pub(crate) const SCOPE_VARS: &str = "js_heap_scope_context_var";
pub(crate) const SCOPE_USES: &str = "js_heap_scope_use";
/// The counts are the last rows of `js_heap_info`.
pub(crate) const INFO_NODE_COUNT: usize = 10 + 1 + 7 + 2;

/// Stands where something is to be reported, and is taken out before reading.
pub(crate) const MARK: &str = "¶";
/// Stands for two bytes that are not UTF-8.
pub(crate) const INVALID: &str = "\u{e000}";

/// A document of these sections, in that order.
pub(crate) fn document(sections: &[(&str, &str)]) -> String {
    joined(sections, ",\n")
}

pub(crate) fn joined(sections: &[(&str, &str)], separator: &str) -> String {
    let members: Vec<_> =
        sections.iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
    format!("{{{}}}", members.join(separator))
}

pub(crate) fn whole() -> String {
    document(&SECTIONS)
}

pub(crate) fn section(name: &str) -> &'static str {
    SECTIONS.iter().find(|(key, _)| *key == name).expect("a section").1
}

/// The document with another text for one section.
pub(crate) fn with(name: &str, value: &str) -> String {
    document(&SECTIONS.map(|(key, old)| (key, if key == name { value } else { old })))
}

pub(crate) fn without(names: &[&str]) -> String {
    let sections: Vec<_> = SECTIONS.into_iter().filter(|(key, _)| !names.contains(key)).collect();
    document(&sections)
}

/// The document with something replaced in one section.
pub(crate) fn changed(name: &str, old: &str, new: &str) -> String {
    assert_eq!(section(name).matches(old).count(), 1, "{old} in {name}");
    with(name, &section(name).replace(old, new))
}

/// The document with something put before a section.
pub(crate) fn before(name: &str, new: &str) -> String {
    whole().replace(&format!("\"{name}\":"), &format!("{new}\"{name}\":"))
}

/// The document with something put behind its last section.
pub(crate) fn behind(new: &str) -> String {
    format!("{},{new}}}", whole().strip_suffix('}').expect("a brace"))
}

/// Another last string, which is the name of edge 2.
pub(crate) fn string(json: &str) -> String {
    with("strings", &section("strings").replace("\"prop\"", json))
}
