//! What other pages have in common with reports: the same look, numbers in the same form, the same boxes.

/// The style sheet.
pub const STYLE: &str = include_str!("../assets/page.css");

/// Parts of the script as a module of JavaScript: numbers, elements, colours, boxes and the canvas that draws them,
/// curves.
pub const MODULE: &str = concat!(
    include_str!("../assets/data.js"),
    include_str!("../assets/dom.js"),
    include_str!("../assets/colors.js"),
    include_str!("../assets/layout.js"),
    include_str!("../assets/chart.js"),
    include_str!("../assets/curves.js"),
    "export { Chart, Curves, LESS, MORE, OTHER, PALETTE, announce, area, bar, colored, copyButton, dark, debounced, el, \
     formats, groupOfScript, icicle, live, rankOfClass, replace, share, signed, treemap };
",
);
