//! What is wrong with the tree of calls.

use super::*;

pub(crate) fn tree_cases() -> Vec<Case> {
    let tree = |json: &str| with("trace_tree", json);
    vec![
        case("no tree", tree("[]")).empty(&[TREE]),
        case(
            "several roots and children",
            tree("[1,0,0,0,[2,1,3,48,[],3,1,4,50,[4,0,5,60,[]]],5,1,6,70,[]]"),
        )
        .more(TREE, frame([Some(3), Some(1), Some(4), Some(50), Some(1), Some(1)]))
        .more(TREE, frame([Some(4), Some(0), Some(5), Some(60), Some(3), Some(2)]))
        .more(TREE, frame([Some(5), Some(1), Some(6), Some(70), Some(-1), Some(0)])),
        case("a number for children", tree("[1,0,0,0,[2,1,3,48,¶7¶]]"))
            .at("bad_nesting")
            .at("bad_nesting"),
        case("no children", tree("[1,0,0,0,[2,1,3,48¶]]")).at("bad_nesting"),
        case("too few numbers", tree("[1,0,0,0,[2,1,¶[]]]")).at("bad_nesting").null(
            TREE,
            1,
            &["count", "size"],
        ),
        case(
            "a record without children at the end of a group",
            tree("[1,0,0,0,[2,1,3,48¶],3,1,4,50¶]"),
        )
        .at("bad_nesting")
        .at("bad_nesting")
        .more(TREE, frame([Some(3), Some(1), Some(4), Some(50), Some(-1), Some(0)])),
        case("brackets only", tree("[¶[¶[]]]"))
            .at("bad_nesting")
            .at("bad_nesting")
            .null(TREE, 0, &["id", "function_info_index", "count", "size"])
            .null(TREE, 1, &["id", "function_info_index", "count", "size", "parent_id"]),
        case("no id", tree("[¶null,0,0,0,[2,1,3,48,[]]]"))
            .at("not_a_number")
            .null(TREE, 0, &["id"])
            .null(TREE, 1, &["parent_id"]),
        case(
            "quotes and braces inside of words",
            tree("[1,0,0,0,[2,1,3,¶4x\"8,]\"{\"[\":[]},[]]]"),
        )
        .at("not_a_number")
        .null(TREE, 1, &["size"]),
        case("blanks for commas", tree("[1 0\n0\t0\r[2 1 3 48 []]]")),
        case("a closing brace", tree("[1,0,0,0,[2,1¶}]]"))
            .at("malformed")
            .rows(TREE, 1)
            .empty(&[SAMPLES, LOCATIONS, SCOPES, SCOPE_VARS, SCOPE_USES])
            .status(Status::Truncated)
            .only(Names::Text),
    ]
}
