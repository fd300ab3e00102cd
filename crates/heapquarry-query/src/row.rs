//! Rows of results of DuckDB, as it writes them in JSON.

use serde::{
    Deserialize, Deserializer,
    de::{self, MapAccess},
};
use std::{fmt, marker::PhantomData};

/// A row: the names of its columns and their values, in order. A map of `serde_json` sorts them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row<V>(pub Vec<(String, V)>);

impl<'de, V: Deserialize<'de>> Deserialize<'de> for Row<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Columns<V>(PhantomData<V>);
        impl<'de, V: Deserialize<'de>> de::Visitor<'de> for Columns<V> {
            type Value = Row<V>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Row<V>, A::Error> {
                let mut row = Vec::new();
                while let Some(column) = map.next_entry()? {
                    row.push(column);
                }
                Ok(Row(row))
            }
        }
        deserializer.deserialize_map(Columns(PhantomData))
    }
}
