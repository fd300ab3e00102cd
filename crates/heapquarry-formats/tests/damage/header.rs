//! What is wrong with a header.

use super::*;

pub(crate) fn header_cases() -> Vec<Case> {
    let header = |old: &str, new: &str| changed("snapshot", old, new);
    let all = |case: Case, table, rows, columns: &[&'static str]| {
        (0..rows).fold(case, |case, row| case.null(table, row, columns))
    };
    let counts = "\"node_count\":4,\"edge_count\":4,\"trace_function_count\":2";
    vec![
        case("more nodes declared", header("\"node_count\":4", "\"node_count\":4000000000"))
            .of_all("nodes_missing")
            .int(FILES, 0, "declared_node_count", 4_000_000_000)
            .int(INFO, INFO_NODE_COUNT, "int_value", 4_000_000_000),
        case(
            "counts of zero",
            header(counts, "\"node_count\":0,\"edge_count\":0,\"trace_function_count\":0"),
        )
        .of_all("node_count_mismatch")
        .of_all("edge_count_mismatch")
        .of_all("trace_function_count_mismatch")
        .int(FILES, 0, "declared_node_count", 0)
        .int(FILES, 0, "declared_edge_count", 0)
        .int(INFO, INFO_NODE_COUNT, "int_value", 0)
        .int(INFO, INFO_NODE_COUNT + 1, "int_value", 0)
        .int(INFO, INFO_NODE_COUNT + 2, "int_value", 0),
        case("no counts", header(&format!(",\n{counts}"), ""))
            .null(FILES, 0, &["declared_node_count", "declared_edge_count"])
            .null(INFO, INFO_NODE_COUNT, &["int_value"])
            .null(INFO, INFO_NODE_COUNT + 1, &["int_value"])
            .null(INFO, INFO_NODE_COUNT + 2, &["int_value"]),
        case("native bytes", header("\"node_count\"", "\"extra_native_bytes\":77,\"node_count\""))
            .int(FILES, 0, "extra_native_bytes", 77),
        all(
            case("unknown field", header("\"detachedness\"]", "\"colour\"]")),
            NODES,
            4,
            &["detachedness"],
        )
        .of_all("unknown_field"),
        all(
            case("no ids", header("\"id\",\"self_size\"", "\"colour\",\"self_size\"")),
            NODES,
            4,
            &["id"],
        )
        .of_all("unknown_field")
        .of_all("missing_field")
        .null(EDGES, 0, &["from_node_id", "to_node_id"])
        .null(EDGES, 1, &["from_node_id", "to_node_id"])
        .null(EDGES, 2, &["from_node_id", "to_node_id"])
        .null(EDGES, 3, &["from_node_id", "to_node_id"])
        .null(LOCATIONS, 0, &["node_id"]),
        all(
            case("no columns of samples", header("\"last_assigned_id\"", "\"last\"")),
            SAMPLES,
            2,
            &["last_assigned_id"],
        )
        .of_all("unknown_field")
        .of_all("missing_field"),
        case(
            "fields of samples as usual",
            header("\"sample_fields\":[\"timestamp_us\",\"last_assigned_id\"],\n", ""),
        ),
        case(
            "a million brackets in a string of the header",
            header(
                "\"node_count\"",
                &format!("\"x\":\"{}\",\"node_count\"", "[".repeat(1_000_000)),
            ),
        ),
    ]
}
