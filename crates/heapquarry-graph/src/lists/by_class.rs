//! The lists of what is known of each class as a whole.

use super::{ListSink, Lists, Unfit, put_packed, put_texts};
use crate::{ByClass, Fields, Members};

const WAYS: [&str; 2] = ["member_ways", "member_way_ends"];

impl ByClass {
    /// Gives all its lists to a sink, in a fixed order.
    ///
    /// # Errors
    /// The first of the sink.
    pub fn put_lists<S: ListSink>(&self, sink: &mut S) -> Result<(), S::Error> {
        let ByClass { members, fields } = self;
        let Members { classes, groups, sizes, retained, nodes, ways } = members;
        sink.list("member_classes", classes.iter().copied())?;
        sink.list("member_groups", groups.iter().copied())?;
        sink.list("member_sizes", sizes.iter().copied())?;
        sink.list("member_retained_sizes", retained.iter().copied())?;
        sink.list("members", nodes.iter().map(|node| node.0))?;
        put_texts(sink, WAYS, ways.iter())?;
        let Fields { classes, names, edges, values, value_classes, value_counts } = fields;
        sink.list("field_classes", classes.iter().copied())?;
        sink.list("field_names", names.iter().map(|name| name.0))?;
        put_packed(sink, "field_edges", edges)?;
        sink.list("field_values", values.iter().copied())?;
        sink.list("field_value_classes", value_classes.iter().copied())?;
        sink.list("field_value_counts", value_counts.iter().copied())
    }

    /// What [`ByClass::put_lists`] gave, which is not looked at.
    pub(super) fn as_written(lists: &mut Lists) -> Result<Self, Unfit> {
        let members = Members {
            classes: lists.words("member_classes")?,
            groups: lists.words("member_groups")?,
            sizes: lists.longs("member_sizes")?,
            retained: lists.longs("member_retained_sizes")?,
            nodes: lists.words("members")?.cast(),
            ways: lists.texts(WAYS)?,
        };
        let fields = Fields {
            classes: lists.words("field_classes")?,
            names: lists.words("field_names")?.cast(),
            edges: lists.packed("field_edges")?,
            values: lists.words("field_values")?,
            value_classes: lists.words("field_value_classes")?,
            value_counts: lists.longs("field_value_counts")?,
        };
        Ok(ByClass { members, fields })
    }
}
