//! What is wrong with records and their numbers.

use super::*;

pub(crate) fn record_cases() -> Vec<Case> {
    let location = |case: Case| {
        case.at("location_out_of_range").null(LOCATIONS, 0, &["node_index", "node_id"])
    };
    vec![
        case("a comma behind nodes", changed("nodes", "1\n]", "1\n,]")),
        case(
            "a comma behind all",
            whole().replace("\n]", ",\n ]").replace("\"prop\"]", "\"prop\" , ]"),
        ),
        case("nodes, two values more", changed("nodes", "1\n]", "1\n,9,1¶]")).at("partial_record"),
        case(
            "nodes, one value less",
            changed("nodes", "2,1\n]", "2\n¶]").replace("4,9,21", "¶4,9,¶21"),
        )
        .at("partial_record")
        .at("edge_without_owner")
        .at("to_node_out_of_range")
        .of_all("nodes_missing")
        .of_all("owners_unknown")
        .rows(NODES, 3)
        .int(FILES, 0, "node_count", 3)
        .int(FILES, 0, "self_size", 40)
        .null(EDGES, 3, &["from_node_id", "to_node_id"]),
        case("edges, one value more", changed("edges", "21\n]", "21\n,9¶]")).at("partial_record"),
        case("functions, one value more", changed("trace_function_infos", "8\n]", "8\n,9¶]"))
            .at("partial_record"),
        case("samples, one value more", changed("samples", "7\n]", "7\n,9¶]")).at("partial_record"),
        case("locations, one value more", changed("locations", "3\n]", "3\n,9¶]"))
            .at("partial_record"),
        case("scopes, one value more", changed("scopes", "2\n]", "2\n,9¶]")).at("partial_record"),
        case("uses, one value more", changed("scope_uses", "1,-2,0\n]", "1,-2,0\n,9¶]"))
            .at("partial_record"),
        case(
            "edge counts too small",
            changed("nodes", "3,2,3,16,1", "3,2,3,16,0").replace("4,9,21", "¶4,9,21"),
        )
        .at("edge_without_owner")
        .of_all("owners_unknown")
        .int(NODES, 1, "edge_count", 0)
        .int(EDGES, 2, "from_node_id", 7)
        .null(EDGES, 3, &["from_node_id"]),
        case("edge counts too large", changed("nodes", "3,2,3,16,1", "3,2,3,16,5"))
            .of_all("edges_missing")
            .of_all("owners_unknown")
            .int(NODES, 1, "edge_count", 5)
            .int(EDGES, 3, "from_node_id", 3),
        case("edge count of two billion", changed("nodes", "3,2,3,16,1", "3,2,3,16,2000000000"))
            .of_all("edges_missing")
            .of_all("owners_unknown")
            .int(NODES, 1, "edge_count", 2_000_000_000)
            .int(EDGES, 3, "from_node_id", 3),
        case("edge counts beyond all sums", {
            let huge = format!("¶{}", i64::MAX);
            let nodes = section("nodes").replace(",2,0,0", &format!(",{huge},0,0"));
            with(
                "nodes",
                &nodes
                    .replace("16,1", &format!("16,{huge}"))
                    .replace("24,0", &format!("24,{huge}")),
            )
        })
        .at("value_out_of_range")
        .at("value_out_of_range")
        .at("value_out_of_range")
        .of_all("edges_missing")
        .of_all("owners_unknown")
        .null(NODES, 0, &["edge_count"])
        .null(NODES, 1, &["edge_count"])
        .null(NODES, 2, &["edge_count"])
        .int(EDGES, 2, "from_node_id", 1)
        .int(EDGES, 3, "from_node_id", 1),
        case(
            "edge count below zero",
            changed("nodes", "3,2,3,16,1", "3,2,3,16,¶-1").replace("4,9,21", "¶4,9,21"),
        )
        .at("negative_number")
        .at("edge_without_owner")
        .of_all("owners_unknown")
        .int(NODES, 1, "edge_count", -1)
        .int(EDGES, 2, "from_node_id", 7)
        .null(EDGES, 3, &["from_node_id"]),
        case("target out of range", changed("edges", "2,5,14", "2,5,¶28"))
            .at("to_node_out_of_range")
            .null(EDGES, 2, &["to_node_id"]),
        case("target far out of range", changed("edges", "2,5,14", "2,5,¶9223372036854775806"))
            .at("to_node_unaligned")
            .null(EDGES, 2, &["to_node_id"]),
        case("target below zero", changed("edges", "2,5,14", "2,5,¶¶-7"))
            .at("negative_number")
            .at("to_node_out_of_range")
            .null(EDGES, 2, &["to_node_id"]),
        case("target unaligned", changed("edges", "2,5,14", "2,5,¶15"))
            .at("to_node_unaligned")
            .null(EDGES, 2, &["to_node_id"]),
        location(case("location out of range", changed("locations", "7,1", "¶28,1"))),
        location(case("location unaligned", changed("locations", "7,1", "¶8,1"))),
        case(
            "script of a location",
            with("locations", "[7,1,2,3,21]").replace(
                "\"line\",\"column\"],\n\"scope",
                "\"line\",\"column\",\"script_object_index\"],\n\"scope",
            ),
        )
        .int(LOCATIONS, 0, "script_node_index", 3),
        case(
            "script of a location out of range",
            with("locations", "[7,1,2,3,¶28]").replace(
                "\"line\",\"column\"],\n\"scope",
                "\"line\",\"column\",\"script_object_index\"],\n\"scope",
            ),
        )
        .at("location_out_of_range"),
        case("script of a scope out of range", changed("scopes", "7,30", "¶28,30"))
            .at("scope_out_of_range")
            .null(SCOPES, 1, &["script_node_index"]),
        case("script of a scope unaligned", changed("scopes", "7,30", "¶8,30"))
            .at("scope_out_of_range")
            .null(SCOPES, 1, &["script_node_index"]),
        case("a number of a scope below zero is ordinary", changed("scopes", "7,30", "7,-3"))
            .int(SCOPES, 1, "scope_id", -3),
        case("a depth below zero is not", changed("scopes", "30,1,", "30,¶-1,"))
            .at("negative_number")
            .int(SCOPES, 1, "depth", -1),
        case(
            "scopes own too few",
            changed("scopes", "-2,0,2,1", "-2,0,1,0")
                .replace("[4\n,4\n]", "[4\n,¶4\n]")
                .replace("[-2,0,-2,1,-2,0\n]", "[-2,0,-2,1,¶-2,0\n]"),
        )
        .at("record_without_scope")
        .at("record_without_scope")
        .int(SCOPES, 0, "context_var_count", 1)
        .int(SCOPES, 0, "use_count", 0)
        .null(SCOPE_VARS, 1, &["scope_index", "slot_index"])
        .int(SCOPE_USES, 0, "scope_index", 1)
        .null(SCOPE_USES, 2, &["scope_index"]),
        case("scopes own too many", changed("scopes", "-2,0,2,1", "-2,0,3,5"))
            .of_all("scope_records_missing")
            .of_all("scope_records_missing")
            .int(SCOPES, 0, "context_var_count", 3)
            .int(SCOPES, 0, "use_count", 5)
            .int(SCOPE_USES, 1, "scope_index", 0)
            .int(SCOPE_USES, 2, "scope_index", 0),
        case("a scope owns more than can be", changed("scopes", "-2,0,2,1", "-2,0,¶3000000000,1"))
            .at("value_out_of_range")
            .of_all("scope_records_missing")
            .null(SCOPES, 0, &["context_var_count"]),
        case("name of a variable out of range", changed("scope_context_vars", "[4", "[¶9"))
            .at("string_out_of_range")
            .null(SCOPE_VARS, 0, &["name"])
            .int(SCOPE_VARS, 0, "name_id", 9),
        case("name of a node out of range", changed("nodes", "3,2,3,16", "3,¶6,3,16"))
            .at("string_out_of_range")
            .null(NODES, 1, &["name"])
            .int(NODES, 1, "name_id", 6),
        case("name of an edge out of range", changed("edges", "2,5,14", "2,¶4000000000,14"))
            .at("string_out_of_range")
            .null(EDGES, 2, &["name"])
            .int(EDGES, 2, "name_or_index", 4_000_000_000),
        case("name below zero", changed("edges", "2,5,14", "2,¶¶-1,14"))
            .at("negative_number")
            .at("string_out_of_range")
            .null(EDGES, 2, &["name"])
            .int(EDGES, 2, "name_or_index", -1),
        case(
            "name of a script out of range",
            changed("trace_function_infos", "11,3,4", "11,3,¶44"),
        )
        .at("string_out_of_range")
        .null(FUNCTIONS, 1, &["script_name"])
        .int(FUNCTIONS, 1, "script_name_id", 44),
        case("index of an element, whatever it is", changed("edges", "1,1,7", "1,4000000000,7"))
            .int(EDGES, 0, "name_or_index", 4_000_000_000),
        case("index of Julia", changed("edges", "1,1,7", "1,¶18446744073709551615,7"))
            .at("not_set")
            .null(EDGES, 0, &["name_or_index"]),
        case("type of a node out of range", changed("nodes", "3,2,3,16", "¶14,2,3,16"))
            .at("type_out_of_range")
            .text(NODES, 1, "type", "14"),
        case("type of an edge out of range", changed("edges", "2,5,14", "¶70000,5,14"))
            .at("type_out_of_range")
            .text(EDGES, 2, "type", "70000"),
        case("type below zero", changed("edges", "2,5,14", "¶¶-1,5,14"))
            .at("negative_number")
            .at("type_out_of_range")
            .text(EDGES, 2, "type", "-1"),
        case("type of an edge that is none", changed("edges", "2,5,14", "¶x,5,14"))
            .at("not_a_number")
            .null(EDGES, 2, &["type"]),
        // A number that is not known is not taken for the first of the types.
        case("type of an edge that is none, and the first type has numbers", {
            changed("edges", "2,5,14", "¶x,5,14")
                .replace("[\"context\",\"element\"", "[\"hidden\",\"element\"")
        })
        .at("not_a_number")
        .null(EDGES, 2, &["type"])
        .text(INFO, 11, "str_value", "hidden"),
        case("numbers that do not fit INT32", {
            let functions = changed(
                "trace_function_infos",
                "11,3,4,6,7,8",
                "11,3,4,¶3000000000,¶3000000000,¶3000000000",
            );
            let nodes = "3,2,3,16,1,¶3000000000,¶3000000000";
            let locations = "7,¶3000000000,¶3000000000,¶3000000000";
            let tree = "2,¶3000000000,3,48";
            functions
                .replace("3,2,3,16,1,0,0", nodes)
                .replace("7,1,2,3\n", locations)
                .replace("2,1,3,48", tree)
        })
        .at("value_out_of_range")
        .at("value_out_of_range")
        .at("value_out_of_range")
        .at("value_out_of_range")
        .at("value_out_of_range")
        .at("value_out_of_range")
        .at("value_out_of_range")
        .at("value_out_of_range")
        .at("value_out_of_range")
        .null(NODES, 1, &["trace_node_id", "detachedness"])
        .null(FUNCTIONS, 1, &["script_id", "line_number", "column_number"])
        .null(TREE, 1, &["function_info_index"])
        .null(LOCATIONS, 0, &["script_id", "line_number", "column_number"]),
        case("two nodes with one id", changed("nodes", "8,2,7,32", "8,2,5,32"))
            .of_all("duplicate_id")
            .int(NODES, 3, "id", 5)
            .int(EDGES, 3, "from_node_id", 5)
            .int(EDGES, 3, "to_node_id", 5),
        case("lines and columns below zero", {
            let functions =
                changed("trace_function_infos", "11,3,4,6,7,8", "11,3,4,6,¶4294967294,¶4278190080");
            functions.replace("7,1,2,3\n", "7,1,¶4294967295,¶4294967100\n")
        })
        .at("wrapped_number")
        .at("wrapped_number")
        .at("wrapped_number")
        .at("wrapped_number")
        .int(FUNCTIONS, 1, "line_number", -2)
        .int(FUNCTIONS, 1, "column_number", -(1 << 24))
        .int(LOCATIONS, 0, "line_number", -1)
        .int(LOCATIONS, 0, "column_number", -196),
        case("names that do not fit INT32", {
            let functions =
                changed("trace_function_infos", "11,3,4", "11,¶¶3000000000,¶¶3000000000");
            functions.replace("3,2,3,16", "3,¶¶3000000000,3,16")
        })
        .at("value_out_of_range")
        .at("string_out_of_range")
        .at("value_out_of_range")
        .at("string_out_of_range")
        .at("value_out_of_range")
        .at("string_out_of_range")
        .null(NODES, 1, &["name", "name_id"])
        .null(FUNCTIONS, 1, &["name", "name_id", "script_name", "script_name_id"]),
        case("the largest sizes", changed("nodes", "3,2,3,16", "3,2,3,9223372036854775807"))
            .of_all("value_out_of_range")
            .int(NODES, 1, "self_size", i64::MAX)
            .int(FILES, 0, "self_size", i64::MAX),
        case("an id that is none", changed("nodes", "3,2,3,16", "3,2,¶x,16"))
            .at("not_a_number")
            .null(NODES, 1, &["id"])
            .null(EDGES, 0, &["to_node_id"])
            .null(EDGES, 2, &["from_node_id"])
            .null(LOCATIONS, 0, &["node_id"]),
        case("an id below zero", changed("nodes", "3,2,3,16", "3,2,¶-3,16"))
            .at("negative_number")
            .int(NODES, 1, "id", -3)
            .int(EDGES, 0, "to_node_id", -3)
            .int(EDGES, 2, "from_node_id", -3)
            .int(LOCATIONS, 0, "node_id", -3),
        case("blanks before what is odd", changed("nodes", "3,2,3,16", "3,2,3 ,\n\t ¶NaN "))
            .at("not_a_number")
            .null(NODES, 1, &["self_size"])
            .int(FILES, 0, "self_size", 56),
        case("blanks before what is out of range", changed("edges", "2,5,14", "2,5 , \n¶28 \n"))
            .at("to_node_out_of_range")
            .null(EDGES, 2, &["to_node_id"]),
        case(
            "quotes and brackets inside of words",
            changed("nodes", "3,2,3,16", "3,2,3,¶x\"1,2]\"[3,[4]]y{\"a\":\"}\"}"),
        )
        .at("not_a_number")
        .null(NODES, 1, &["self_size"])
        .int(FILES, 0, "self_size", 56),
        case("a closing brace", changed("edges", "2,5,14", "2,5,14¶}"))
            .at("malformed")
            .rows(EDGES, 2)
            .int(FILES, 0, "edge_count", 2)
            .empty(&[LOCATIONS, SAMPLES, FUNCTIONS, TREE, SCOPES, SCOPE_VARS, SCOPE_USES])
            .status(Status::Truncated)
            .only(Names::Text),
        case("a colon", changed("edges", "2,5,14", "2,5¶:14"))
            .at("malformed")
            .rows(EDGES, 2)
            .int(FILES, 0, "edge_count", 2)
            .empty(&[LOCATIONS, SAMPLES, FUNCTIONS, TREE, SCOPES, SCOPE_VARS, SCOPE_USES])
            .status(Status::Truncated)
            .only(Names::Text),
    ]
}

/// Everything that could stand where a number should, in every section.
pub(crate) fn number_cases() -> Vec<Case> {
    let huge = "9".repeat(400);
    let deep = ["[".repeat(1_000_000), "]".repeat(1_000_000)].concat();
    let values: &[(&str, &'static str, Option<i64>)] = &[
        ("0016", "", Some(16)),
        ("16.0", "number_form", Some(16)),
        ("1e3", "number_form", Some(1000)),
        ("160E-1", "number_form", Some(16)),
        ("-1.6e+1", "number_form", Some(-16)),
        ("-5", "negative_number", Some(-5)),
        ("-0", "negative_number", Some(0)),
        ("1.5", "not_an_integer", None),
        ("-25e-1", "not_an_integer", None),
        ("18446744073709551614", "value_out_of_range", None),
        ("18446744073709551616", "value_out_of_range", None),
        ("-9223372036854775809", "value_out_of_range", None),
        ("1e400", "value_out_of_range", None),
        (&huge, "value_out_of_range", None),
        ("NaN", "not_a_number", None),
        ("-Infinity", "not_a_number", None),
        ("null", "not_a_number", None),
        ("true", "not_a_number", None),
        ("\"16\"", "not_a_number", None),
        ("\"1,6\\\"]\"", "not_a_number", None),
        ("{\"a\":[1,6]}", "not_a_number", None),
        ("+16", "not_a_number", None),
        ("16.", "not_a_number", None),
        (".5", "not_a_number", None),
        ("16x", "not_a_number", None),
        ("0x10", "not_a_number", None),
        ("1_6", "not_a_number", None),
        ("16é", "not_a_number", None),
        ("\u{1}", "not_a_number", None),
        ("\\", "not_a_number", None),
        // In the tree a bracket is a list of children, and blanks are as good as commas.
        ("", "not_a_number", None),
        ("1 6", "not_a_number", None),
        ("[1,6]", "not_a_number", None),
        ("[]", "not_a_number", None),
        (&deep, "not_a_number", None),
    ];
    let mut cases = Vec::new();
    for (section, old, new, table, row, column) in [
        ("nodes", "3,2,3,16", "3,2,3,@", NODES, 1, "self_size"),
        ("edges", "1,1,7", "1,@,7", EDGES, 0, "name_or_index"),
        ("trace_function_infos", "4,6,7,8", "4,6,@,8", FUNCTIONS, 1, "line_number"),
        ("trace_tree", "3,48,[", "3,@,[", TREE, 1, "size"),
        ("samples", "100,7", "@,7", SAMPLES, 1, "timestamp_us"),
        ("locations", "7,1,2,3", "7,1,@,3", LOCATIONS, 0, "line_number"),
        ("scopes", "30,1,0", "30,@,0", SCOPES, 1, "depth"),
        ("scope_uses", "-2,1", "-2,@", SCOPE_USES, 1, "slot_index"),
    ] {
        for &(json, code, value) in values {
            if section == "trace_tree"
                && (json.is_empty() || json.contains(' ') || json.starts_with('['))
            {
                continue;
            }
            let mark = if code.is_empty() { "" } else { MARK };
            let text = changed(section, old, &new.replace('@', &format!("{mark}{json}")));
            let shown = if json.len() > 40 { &json[..40] } else { json };
            let mut case =
                case(format!("{shown:?} in {section}"), text).cell(table, row, column, int(value));
            if !code.is_empty() {
                case = case.at(code);
            }
            if section == "nodes" {
                case = case.int(FILES, 0, "self_size", 56 + value.unwrap_or(0));
            }
            cases.push(case);
        }
    }
    cases
}
