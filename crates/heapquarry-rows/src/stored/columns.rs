//! The columns of stored rows, by their names.

use arrow_array::{
    Array, ArrayRef, DictionaryArray, Int32Array, Int64Array, RecordBatch, StringArray,
    cast::AsArray, types::Int32Type,
};

/// The columns of a batch. To ask for one that was not read, or as of another type, is a programming error.
#[derive(Clone, Copy)]
pub struct Columns<'b>(pub &'b RecordBatch);

impl<'b> Columns<'b> {
    /// A column.
    pub fn array(self, name: &str) -> &'b ArrayRef {
        self.0.column_by_name(name).expect("it was asked for")
    }

    /// An INT32 column.
    pub fn int32s(self, name: &str) -> &'b Int32Array {
        self.array(name).as_primitive()
    }

    /// An INT64 column.
    pub fn int64s(self, name: &str) -> &'b Int64Array {
        self.array(name).as_primitive()
    }

    /// A column of labels.
    pub fn labels(self, name: &str) -> &'b DictionaryArray<Int32Type> {
        self.array(name).as_dictionary()
    }

    /// A column of text.
    pub fn texts(self, name: &str) -> Texts<'b> {
        Texts::new(self.array(name))
    }

    /// The values of an INT64 column by row; `None` for NULL.
    pub fn ints(self, name: &str) -> impl Fn(usize) -> Option<i64> + use<'b> {
        let column = self.int64s(name);
        move |row| column.is_valid(row).then(|| column.value(row))
    }
}

/// A text column, plain or dictionary-encoded.
#[derive(Clone, Copy)]
pub struct Texts<'b> {
    /// Keys of the dictionary.
    keys: Option<&'b Int32Array>,
    values: &'b StringArray,
}

impl<'b> Texts<'b> {
    fn new(array: &'b ArrayRef) -> Self {
        match array.as_dictionary_opt::<Int32Type>() {
            Some(labels) => {
                Texts { keys: Some(labels.keys()), values: labels.values().as_string() }
            }
            None => Texts { keys: None, values: array.as_string() },
        }
    }

    /// The text of a row; `None` for NULL.
    #[inline]
    pub fn get(self, row: usize) -> Option<&'b str> {
        let row = match self.keys {
            Some(keys) => keys.is_valid(row).then(|| keys.value(row) as usize)?,
            None => row,
        };
        self.values.is_valid(row).then(|| self.values.value(row))
    }

    /// The text of a row as a string of its own.
    pub fn owned(self, row: usize) -> Option<String> {
        self.get(row).map(str::to_owned)
    }
}
