//! The fields of a section's records: those that are known, and those that a file has.

use crate::{Code, Log};

/// A field that becomes a column.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    /// Many files lack the field; then its column is null.
    optional: bool,
    /// Whether negative values are valid.
    pub(crate) signed: bool,
    /// Whether values are texts of hexadecimal numbers: `"0x3ff0"`.
    pub(crate) hex: bool,
    /// Whether negative values are written as unsigned numbers of 32 bits: 4294967295 is -1.
    pub(crate) wraps: bool,
    /// Whether all bits of 64 stand for no value.
    pub(crate) may_be_unset: bool,
}

impl Field {
    /// A field whose absence is logged.
    pub(crate) const fn required(name: &'static str) -> Self {
        Field {
            name,
            optional: false,
            signed: false,
            hex: false,
            wraps: false,
            may_be_unset: false,
        }
    }

    /// A field that many files lack.
    pub(crate) const fn optional(name: &'static str) -> Self {
        Field { optional: true, ..Field::required(name) }
    }

    /// This field, in which negative values are valid and not logged.
    pub(crate) const fn signed(self) -> Self {
        Field { signed: true, ..self }
    }

    /// This field, in which negative values are unsigned numbers of 32 bits. V8 writes lines and columns so, which
    /// tools that wrap a module move before its start.
    pub(crate) const fn wrapping(self) -> Self {
        Field { wraps: true, ..self }
    }

    /// This field, in which 18446744073709551615 stands for no value. Julia writes so where an edge has no index.
    pub(crate) const fn unset(self) -> Self {
        Field { may_be_unset: true, ..self }
    }

    /// This field, in which a text holds a hexadecimal number.
    pub(crate) const fn hex(self) -> Self {
        Field { hex: true, ..self }
    }
}

/// The fields of one kind of record.
#[derive(Debug)]
pub(crate) struct FieldList {
    /// The member of `snapshot.meta` that lists the fields of a file. A file without it has the required ones.
    pub(crate) key: &'static str,
    pub(crate) fields: &'static [Field],
}

impl FieldList {
    /// The fields of a file that does not list them.
    pub(crate) fn usual(&self) -> Fields {
        let required = self.fields.iter().filter(|field| !field.optional);
        Fields::new(required.map(|field| field.name))
    }

    /// Logs fields of the file without a column, and columns without a field.
    pub(crate) fn check(&self, fields: &Fields, log: &mut Log) {
        let key = self.key;
        for name in fields.names() {
            if self.fields.iter().all(|field| field.name != name) {
                log.add(Code::UnknownField, None, || format!("meta.{key}: {name:?} is not kept"));
            }
        }
        for Field { name, .. } in self.fields.iter().filter(|field| !field.optional) {
            if fields.position(name).is_none() {
                log.add(Code::MissingField, None, || format!("meta.{key} does not name {name:?}"));
            }
        }
    }
}

/// The names of the fields of one kind of record in a file, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fields {
    names: Vec<String>,
}

impl Fields {
    pub(crate) fn new<S: Into<String>>(names: impl IntoIterator<Item = S>) -> Self {
        Fields { names: names.into_iter().map(Into::into).collect() }
    }

    /// Number of fields in a record.
    pub(crate) fn width(&self) -> usize {
        self.names.len()
    }

    /// Position of a field in the record.
    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|n| n == name)
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.position(name).is_some()
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }
}
