//! What would help after an error.

use crate::{Error, ErrorKind, spool_limit};

/// What would help after an error. Callers say it in their words: the library knows none of their options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// To allow that what exists is replaced.
    Replace,
    /// To allow that data is lost.
    AllowLosses,
    /// To convert the input again.
    ConvertAgain,
    /// To convert the input again, with all tables of its format.
    ConvertAllTables,
    /// To select a document of the input.
    SelectDocument,
    /// To select no document, and to tell documents apart by `file_id`.
    SelectRows,
    /// To use no cache, or another folder for it.
    OtherCache,
    /// To allow larger temporary files.
    AllowSpool,
    /// To allow more memory.
    AllowMemory,
    /// To run where there is more memory: the limit is not the caller's.
    MoreMemory,
}

impl Error {
    /// What would help, if something does.
    pub fn remedy(&self) -> Option<Remedy> {
        use heapquarry_sink::ErrorKind::{Exists, NoColumn};
        if self.is_refusal() {
            return Some(Remedy::MoreMemory);
        }
        match self.kind() {
            ErrorKind::Output(error) => match error.kind() {
                Exists { .. } => Some(Remedy::Replace),
                NoColumn { .. } => Some(Remedy::ConvertAgain),
                _ => None,
            },
            ErrorKind::Input { source, .. } if spool_limit::is_cause(source) => {
                Some(Remedy::AllowSpool)
            }
            ErrorKind::Format { source, .. } => match source.kind() {
                heapquarry_formats::ErrorKind::Io { source, .. }
                | heapquarry_formats::ErrorKind::Spool { source, .. }
                    if spool_limit::is_cause(source) =>
                {
                    Some(Remedy::AllowSpool)
                }
                _ => None,
            },
            ErrorKind::Memory { is_callers: true, .. } => Some(Remedy::AllowMemory),
            ErrorKind::Memory { is_callers: false, .. } => Some(Remedy::MoreMemory),
            ErrorKind::Strict { .. } => Some(Remedy::AllowLosses),
            ErrorKind::Document { document: None, .. } => Some(Remedy::SelectDocument),
            ErrorKind::Cache { .. } => Some(Remedy::OtherCache),
            ErrorKind::Selected(_) => Some(Remedy::SelectRows),
            ErrorKind::NotInDirectory { .. } => Some(Remedy::ConvertAllTables),
            _ => None,
        }
    }
}
