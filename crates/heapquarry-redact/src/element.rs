//! Names of elements.
//!
//! Blink writes an element as `<`, its tag, a blank and `name="value"` for each attribute, and `>`. It escapes nothing,
//! so only what stands before the first blank is certain: tags have none.

/// The tag of an element: what follows is left out. `None` if the text is no element.
pub(crate) fn tag(text: &str) -> Option<&str> {
    let rest = text.strip_prefix('<')?;
    let end = rest.find(|c: char| c.is_ascii_whitespace() || c == '/' || c == '>')?;
    (end > 0 && rest.starts_with(|c: char| c.is_ascii_alphabetic())).then(|| &rest[..end])
}

/// Where attributes begin in a text that has an element somewhere.
pub(crate) fn inner(text: &str) -> Option<usize> {
    let at = text.find('<')?;
    text[at..].contains("=\"").then_some(at)
}

/// Whether standards of the web have this tag: HTML, SVG, MathML.
pub(crate) fn is_known(tag: &str) -> bool {
    TAGS.binary_search(&tag).is_ok()
}

#[rustfmt::skip]
const TAGS: [&str; 192] = [
    "a", "abbr", "acronym", "address", "animate", "animateMotion", "animateTransform", "annotation", "area",
    "article", "aside", "audio", "b", "base", "bdi", "bdo", "big", "blockquote", "body", "br", "button", "canvas",
    "caption", "center", "circle", "cite", "clipPath", "code", "col", "colgroup", "data", "datalist", "dd", "defs",
    "del", "desc", "details", "dfn", "dialog", "dir", "div", "dl", "dt", "ellipse", "em", "embed", "feBlend",
    "feColorMatrix", "feComposite", "feDropShadow", "feFlood", "feGaussianBlur", "feMerge", "feMergeNode", "feOffset",
    "fieldset", "figcaption", "figure", "filter", "font", "footer", "foreignObject", "form", "frame", "frameset", "g",
    "h1", "h2", "h3", "h4", "h5", "h6", "head", "header", "hgroup", "hr", "html", "i", "iframe", "image", "img",
    "input", "ins", "kbd", "label", "legend", "li", "line", "linearGradient", "link", "main", "map", "mark", "marker",
    "marquee", "mask", "math", "menu", "merror", "meta", "metadata", "meter", "mfrac", "mi", "mn", "mo", "mover",
    "mpadded", "mpath", "mphantom", "mroot", "mrow", "ms", "mspace", "msqrt", "mstyle", "msub", "msubsup", "msup",
    "mtable", "mtd", "mtext", "mtr", "munder", "munderover", "nav", "noscript", "object", "ol", "optgroup", "option",
    "output", "p", "param", "path", "pattern", "picture", "polygon", "polyline", "pre", "progress", "q",
    "radialGradient", "rect", "rp", "rt", "ruby", "s", "samp", "script", "search", "section", "select", "semantics",
    "set", "slot", "small", "source", "span", "stop", "strike", "strong", "style", "sub", "summary", "sup", "svg",
    "switch", "symbol", "table", "tbody", "td", "template", "text", "textPath", "textarea", "tfoot", "th", "thead",
    "time", "title", "tr", "track", "tspan", "tt", "u", "ul", "use", "var", "video", "view", "wbr",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tag_of_an_element_is_what_stands_before_a_blank() {
        for (text, expected) in [
            ("<div>", Some("div")),
            ("<div id=\"a b\" class=\"x\">", Some("div")),
            ("<div title=\"one\ntwo\" class=\"a\nb\">", Some("div")),
            ("<div title=\"a > b\" id=\"<c d>\">", Some("div")),
            ("<div\tid=\"x\">", Some("div")),
            ("<emotion-\u{f60d} id=\"x\">", Some("emotion-\u{f60d}")),
            ("<my-element.x:y>", Some("my-element.x:y")),
            ("<div", None),
            ("< div>", None),
            ("<>", None),
            ("div", None),
            ("Map<a b>", None),
        ] {
            assert_eq!(tag(text), expected, "{text}");
        }
    }

    #[test]
    fn tags_are_sorted() {
        assert!(TAGS.is_sorted());
        assert!(is_known("div") && is_known("foreignObject") && !is_known("zq-secret"));
    }
}
