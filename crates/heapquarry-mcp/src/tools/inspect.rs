//! What is in an object or a class.

use super::{
    Ask, Context, args, bytes, caveats, class_unless_id, count, id, name, next, only, with_input,
};
use crate::{
    Failure,
    answer::{Found, Page},
};
use heapquarry::RunOptions;
use heapquarry_query::{Question, Show, heap::show::ShowAnswer};
use serde_json::json;

args! {
    /// An object or a class of one heap.
    struct InspectArgs {
        /// An object: @123
        #[serde(default, deserialize_with = "id")]
        #[schemars(with = "Option<String>")]
        id: Option<i64>,
        /// Or a class: its objects, the largest first; * matches any text
        #[serde(default)]
        class: Option<String>,
    }
}

pub(crate) struct Inspect;

impl Ask for Inspect {
    const NAME: &'static str = "inspect";
    const WHAT: &'static str = "What is in an object of a heap: fields, elements, entries, captured variables; where it \
                                was made; what holds it (retainers), what it alone holds (dominated). Absent lists are empty. \
                                Of a class: its objects and their fields.";
    type Args = InspectArgs;
    type Answer = ShowAnswer;

    fn ask(
        args: &InspectArgs,
        page: &Page,
        context: &Context,
        run: &RunOptions,
    ) -> Result<Found, Failure> {
        let class = class_unless_id(args.id, args.class.as_ref())?;
        let opened = only(&args.input, context, run)?;
        let show = Show::default().node(args.id).class(class).offset(page.offset).top(page.rows);
        let answered = show.ask(&opened.session)?;
        let (summary, call) = match &answered.answer {
            ShowAnswer::Object(shown) => {
                let object = &shown.object;
                let holders = shown.retainers.rows.first().map(|holder| {
                    let class = holder.target.class_name.as_deref().unwrap_or_default();
                    let others = match shown.retainers.total {
                        0 | 1 => String::new(),
                        total => format!(" and {} more", count(total - 1)),
                    };
                    format!("; held by {} of {}{others}", name(&holder.edge), name(class))
                });
                let summary = format!(
                    "{} @{} retains {}{}",
                    name(&object.class_name),
                    object.id.0,
                    bytes(object.retained_size.0),
                    holders.unwrap_or_default()
                );
                let id = format!("@{}", object.id.0);
                (summary, next("why", with_input(&args.input, json!({ "id": id }))))
            }
            ShowAnswer::Class(shown) => {
                let class = args.class.as_deref().unwrap_or_default();
                let (number, size) = (count(shown.class.count), bytes(shown.class.retained_size.0));
                let summary = format!("{number} objects of {} retain {size}", name(class));
                (summary, next("why", with_input(&args.input, json!({ "class": class }))))
            }
        };
        Ok(Found {
            summary,
            caveats: caveats(opened.has_changed, &answered.caveats),
            members: Found::members(&answered.answer)?,
            next: vec![call],
        })
    }
}
