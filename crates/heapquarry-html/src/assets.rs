//! The script and the style sheet of pages. The parts of the script stand in one function, in the order in which they
//! need each other, so nothing has to be bundled.

pub(crate) use crate::shared::STYLE;

pub(crate) const SCRIPT: &str = concat!(
    "(() => {\n'use strict';\n",
    include_str!("../assets/data.js"),
    include_str!("../assets/dom.js"),
    include_str!("../assets/colors.js"),
    include_str!("../assets/tables.js"),
    include_str!("../assets/heap.js"),
    include_str!("../assets/flame.js"),
    include_str!("../assets/layout.js"),
    include_str!("../assets/chart.js"),
    include_str!("../assets/explorer.js"),
    include_str!("../assets/trace.js"),
    include_str!("../assets/growth.js"),
    include_str!("../assets/curves.js"),
    include_str!("../assets/main.js"),
    "})();\n",
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_ends_its_element_and_nothing_is_loaded() {
        assert!(!SCRIPT.contains("</script") && !SCRIPT.contains("<!--"));
        assert!(!STYLE.contains("</style") && !STYLE.contains("url("));
        for part in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("] {
            assert!(!SCRIPT.contains(part), "{part}");
        }
    }
}
