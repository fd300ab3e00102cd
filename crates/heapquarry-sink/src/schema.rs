//! The Parquet schema of a table.

use crate::Error;
use arrow_schema::Schema;
use parquet::{
    arrow::{ArrowSchemaConverter, add_encoded_arrow_schema_to_metadata},
    file::properties::{WriterProperties, WriterPropertiesPtr, WriterVersion},
    schema::types::SchemaDescPtr,
};
use std::sync::Arc;

/// The columns as Parquet declares them: text as `STRING`, nullable ones `OPTIONAL`.
pub(crate) fn descriptor(schema: &Schema) -> Result<SchemaDescPtr, Error> {
    Ok(Arc::new(ArrowSchemaConverter::new().convert(schema)?))
}

/// Further properties of the footer. The Arrow schema makes pandas read labels as `category`.
pub(crate) fn properties(schema: &Schema) -> WriterPropertiesPtr {
    let mut properties = WriterProperties::builder()
        .set_writer_version(WriterVersion::PARQUET_1_0)
        .set_created_by(concat!("heapquarry version ", env!("CARGO_PKG_VERSION")).to_owned())
        .build();
    add_encoded_arrow_schema_to_metadata(schema, &mut properties);
    Arc::new(properties)
}
