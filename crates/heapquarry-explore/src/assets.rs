//! The page: its parts have names in a table, so that no request can name a file.

use heapquarry_html::shared;

const HTML: &str = "text/html; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

/// Name below the token, type and content.
const FILES: [(&str, &str, &str); 29] = [
    ("", HTML, include_str!("../assets/page.html")),
    ("report.css", STYLE, shared::STYLE),
    ("page.css", STYLE, include_str!("../assets/page.css")),
    ("shared.js", SCRIPT, shared::MODULE),
    ("api.js", SCRIPT, include_str!("../assets/api.js")),
    ("route.js", SCRIPT, include_str!("../assets/route.js")),
    ("parts.js", SCRIPT, include_str!("../assets/parts.js")),
    ("list.js", SCRIPT, include_str!("../assets/list.js")),
    ("listing.js", SCRIPT, include_str!("../assets/listing.js")),
    ("scrolled.js", SCRIPT, include_str!("../assets/scrolled.js")),
    ("span.js", SCRIPT, include_str!("../assets/span.js")),
    ("tree.js", SCRIPT, include_str!("../assets/tree.js")),
    ("overview.js", SCRIPT, include_str!("../assets/overview.js")),
    ("classes.js", SCRIPT, include_str!("../assets/classes.js")),
    ("changes.js", SCRIPT, include_str!("../assets/changes.js")),
    ("containment.js", SCRIPT, include_str!("../assets/containment.js")),
    ("owners.js", SCRIPT, include_str!("../assets/owners.js")),
    ("find.js", SCRIPT, include_str!("../assets/find.js")),
    ("growth.js", SCRIPT, include_str!("../assets/growth.js")),
    ("object.js", SCRIPT, include_str!("../assets/object.js")),
    ("map.js", SCRIPT, include_str!("../assets/map.js")),
    ("marks.js", SCRIPT, include_str!("../assets/marks.js")),
    ("profile.js", SCRIPT, include_str!("../assets/profile.js")),
    ("flame.js", SCRIPT, include_str!("../assets/flame.js")),
    ("trace.js", SCRIPT, include_str!("../assets/trace.js")),
    ("frames.js", SCRIPT, include_str!("../assets/frames.js")),
    ("watch.js", SCRIPT, include_str!("../assets/watch.js")),
    ("sql.js", SCRIPT, include_str!("../assets/sql.js")),
    ("main.js", SCRIPT, include_str!("../assets/main.js")),
];

/// The type and the content of a part of the page.
pub(crate) fn find(name: &str) -> Option<(&'static str, &'static str)> {
    FILES.iter().find(|file| file.0 == name).map(|file| (file.1, file.2))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn each_part_is_there_and_loads_only_parts() {
        let names: HashSet<&str> = FILES.iter().map(|file| file.0).collect();
        assert_eq!(names.len(), FILES.len());
        for (name, kind, text) in FILES {
            for imported in
                text.split("from './").skip(1).filter_map(|rest| rest.split('\'').next())
            {
                assert!(names.contains(imported), "{name}: {imported}");
            }
            if kind == SCRIPT {
                for part in
                    ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("]
                {
                    assert!(!text.contains(part), "{name}: {part}");
                }
            }
            assert!(!text.contains("https://") || name == "shared.js", "{name}");
        }
    }
}
