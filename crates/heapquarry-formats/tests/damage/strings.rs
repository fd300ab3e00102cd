//! What is wrong with strings.

use super::*;

pub(crate) fn string_cases() -> Vec<Case> {
    vec![
        case("every escape", string(r#""\"\\\/\b\f\n\r\t\u00e9\u6F22\ud83d\uDE00""#))
            .string("\"\\/\u{8}\u{c}\n\r\té漢😀"),
        case("raw control characters", string("\"a\n\t\u{1}\u{0}b\"")).string("a\n\t\u{1}\0b"),
        case("a hole", string("\"¶a\0\0\0\0\0\0\0\0b\""))
            .at("zero_bytes")
            .string("a\0\0\0\0\0\0\0\0b"),
        case("zeros that are written", string(&format!("\"a{}b\"", "\\u0000".repeat(9))))
            .string("a\0\0\0\0\0\0\0\0\0b"),
        case("lone surrogate", string(r#""¶a\ud83db""#)).at("lone_surrogate").string("a\u{fffd}b"),
        case("two lone surrogates", string(r#""¶¶\ude00\ud83d""#))
            .at("lone_surrogate")
            .at("lone_surrogate")
            .string("\u{fffd}\u{fffd}"),
        case("unknown escape", string(r#""¶a\qb""#)).at("bad_escape").string("aqb"),
        case("unknown escape of a wide character", string(r#""¶a\éb""#))
            .at("bad_escape")
            .string("aéb"),
        case("broken \\u", string(r#""¶a\u12x4b""#)).at("bad_escape").string("a\u{fffd}x4b"),
        case("\\u at the end", string(r#""¶a\u1""#)).at("bad_escape").string("a\u{fffd}"),
        case("invalid UTF-8", string(&format!("\"¶a{INVALID}b\"")))
            .at("invalid_utf8")
            .string("a\u{fffd}\u{fffd}b"),
        case("invalid UTF-8 beside escapes", string(&format!("\"¶¶\\n{INVALID}\\ud83d\"")))
            .at("invalid_utf8")
            .at("lone_surrogate")
            .string("\n\u{fffd}\u{fffd}\u{fffd}"),
        case("stray quote", string("\"¶a\"b\"")).at("stray_quote").string("a\"b"),
        case("stray quotes and brackets", string("\"¶\"a\" [\"b\" x] {\"c\"}\""))
            .at("stray_quote")
            .string("\"a\" [\"b\" x] {\"c\"}"),
        case("a number among strings", string("¶12")).at("not_a_string").string("12"),
        case("null among strings", string("¶null")).at("not_a_string").string("null"),
        case("an array among strings", string("¶[\"a\",\"b]\"]"))
            .at("not_a_string")
            .string("[\"a\",\"b]\"]"),
        case("a million brackets among strings", {
            string(&format!("¶{}{}", "[".repeat(1_000_000), "]".repeat(1_000_000)))
        })
        .at("not_a_string")
        .string(&["[".repeat(1_000_000), "]".repeat(1_000_000)].concat()),
        case(
            "numbers first and in the middle",
            with("strings", "[¶1,\"\",¶2 , ¶true,\"short\",\"prop\"]"),
        )
        .at("not_a_string")
        .at("not_a_string")
        .at("not_a_string")
        .text(STRINGS, 0, "string", "1")
        .text(STRINGS, 2, "string", "2")
        .text(STRINGS, 3, "string", "true")
        .text(NODES, 1, "name", "2")
        .text(NODES, 3, "name", "2")
        .text(NODES, 2, "name", "true")
        .text(FUNCTIONS, 0, "name", "2")
        .text(FUNCTIONS, 1, "name", "true"),
        // The numbers of the strings behind it are kept.
        case(
            "nothing between two commas",
            with("strings", "[\"<dummy>\",\"\",¶,\"text\",\"short\",\"prop\"]"),
        )
        .at("not_a_string")
        .text(STRINGS, 2, "string", "")
        .text(NODES, 1, "name", "")
        .text(NODES, 3, "name", "")
        .text(FUNCTIONS, 0, "name", ""),
        case(
            "a comma behind the last",
            with("strings", &section("strings").replace("\"]", "\" , ]")),
        ),
        case("a closing brace among strings", string("\"prop\",¶}"))
            .at("malformed")
            .status(Status::Truncated),
        // Strings are read out of turn for names; how they end must not be forgotten.
        case("a closing brace among strings, which come first", {
            let text = reordered(&["strings"]);
            text.replace("\"prop\"]", "\"prop\",¶}")
        })
        .at("malformed")
        .status(Status::Truncated),
    ]
}
