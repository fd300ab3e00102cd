//! Declares a table once. Its schema, documentation and named columns derive from that.

/// Declares a table: `table! { NAME name "doc" { column: Type Shape ?null in Unit Time "doc"; ... } }`. `?null`
/// stands at columns that can be NULL, `in Unit` at numbers with a [`Unit`](crate::Unit), and behind it what is to be
/// said of a [`Time`](crate::Time).
///
/// This makes the static `NAME`, and the module `name` with the columns by name. `name::Columns` takes an array for
/// each column and makes a batch of them, so that a missing or repeated column does not compile. A column whose name is
/// a keyword is written as `r#type`.
macro_rules! table {
    ($(#[$meta:meta])* $ident:ident $table:ident $doc:literal {
        $($column:ident: $ty:ident $shape:ident $(? $null:ident)? $(in $unit:ident $($time:ident)?)? $cdoc:literal;)+
    }) => {
        $(#[$meta])*
        pub static $ident: $crate::Table = $crate::Table::new(stringify!($table), $doc, &[$(
            $crate::Column {
                name: $crate::declare::plain(stringify!($column)),
                ty: $crate::Type::$ty,
                nullable: $crate::declare::table!(@null $($null)?),
                shape: $crate::Shape::$shape,
                unit: $crate::declare::table!(@unit $($unit)?),
                time: $crate::declare::table!(@time $($($time)?)?),
                doc: $cdoc,
            }
        ),+]);

        #[doc = concat!("The columns of [`", stringify!($ident), "`](crate::", stringify!($ident), ") by name.")]
        pub mod $table {
            use ::arrow_array::{ArrayRef, RecordBatch};

            /// One value per column.
            #[derive(Clone, Copy, Debug, PartialEq, Eq)]
            pub struct Of<T> {
                $(#[doc = $cdoc] pub $column: T,)+
            }

            /// An array per column.
            pub type Columns = Of<ArrayRef>;

            /// The name of each column.
            pub const NAMES: Of<&'static str> =
                Of { $($column: $crate::declare::plain(stringify!($column))),+ };

            /// The position of each column.
            pub const POSITIONS: Of<usize> = {
                #[allow(non_camel_case_types)]
                enum Position { $($column),+ }
                Of { $($column: Position::$column as usize),+ }
            };

            /// Whether each column is wanted.
            pub fn wanted(columns: $crate::Columns) -> Of<bool> {
                Of { $($column: columns.has(POSITIONS.$column)),+ }
            }

            impl<A: Into<Option<ArrayRef>>> Of<A> {
                /// A batch of the columns in compact form, without those that are `None`.
                ///
                /// # Panics
                ///
                /// If arrays differ in length, have another type than declared, or hold nulls in a non-nullable column.
                /// Only our own decoders make batches, so this is a programming error.
                pub fn into_batch(self) -> RecordBatch {
                    super::$ident.batch_of(vec![$(self.$column.into()),+])
                }
            }
        }
    };
    (@null null) => { true };
    (@null) => { false };
    (@unit $unit:ident) => { Some($crate::Unit::$unit) };
    (@unit) => { None };
    (@time $time:ident) => { Some($crate::Time::$time) };
    (@time) => { None };
}
pub(crate) use table;

/// The name of a column, which may be written as a raw identifier.
pub(crate) const fn plain(name: &str) -> &str {
    match name.as_bytes() {
        [b'r', b'#', ..] => name.split_at(2).1,
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use crate::{Columns, JS_HEAP_EDGES, JS_HEAP_SAMPLE, arrays, js_heap_edges, js_heap_sample};
    use arrow_array::{ArrayRef, Int64Array};
    use std::sync::Arc;

    fn numbers(value: i64) -> ArrayRef {
        Arc::new(Int64Array::from(vec![value; 2]))
    }

    #[test]
    fn columns_by_name_are_those_of_the_table() {
        // In another order than declared.
        let named = js_heap_sample::Columns {
            last_assigned_id: numbers(3),
            file_id: arrays::constant_i32(Some(1), 2),
            timestamp_us: numbers(2),
        };
        let expected = vec![arrays::constant_i32(Some(1), 2), numbers(2), numbers(3)];
        assert_eq!(named.into_batch(), JS_HEAP_SAMPLE.batch(expected));
    }

    #[test]
    fn a_column_may_be_left_out() {
        let columns = Columns::NONE.with(js_heap_sample::POSITIONS.last_assigned_id);
        let wanted = js_heap_sample::wanted(columns);
        let batch = js_heap_sample::Of {
            file_id: wanted.file_id.then(|| numbers(0)),
            timestamp_us: wanted.timestamp_us.then(|| numbers(1)),
            last_assigned_id: wanted.last_assigned_id.then(|| numbers(2)),
        };
        let batch = batch.into_batch();
        assert_eq!((batch.num_columns(), batch.column(0)), (1, &numbers(2)));
        assert_eq!(batch.schema().field(0).name(), "last_assigned_id");
        assert_eq!(JS_HEAP_SAMPLE.columns_of(&batch), columns);
    }

    #[test]
    fn a_keyword_can_be_a_column() {
        assert_eq!(JS_HEAP_EDGES.column("type"), Some(js_heap_edges::POSITIONS.r#type));
        assert_eq!(js_heap_edges::NAMES.r#type, "type");
    }
}
