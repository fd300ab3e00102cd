//! Errors as exceptions of `heapquarry.errors`, in the words of the command.

use heapquarry::{Error, ErrorDetails, ErrorKind, Remedy, report::printable};
use pyo3::{exceptions::PyOSError, prelude::*, types::PyDict};
use std::{borrow::Cow, io};

/// The exception for an error.
pub(crate) fn exception(py: Python<'_>, error: &Error) -> PyErr {
    build(py, error).unwrap_or_else(|failed| failed)
}

fn build(py: Python<'_>, error: &Error) -> PyResult<PyErr> {
    let ErrorDetails { path, offset, expected, found, cause, .. } = error.details();
    let safe = |text: Option<Cow<'_, str>>| text.map(|text| printable(&text).into_owned());
    let kwargs = PyDict::new(py);
    kwargs.set_item("path", path)?;
    kwargs.set_item("offset", offset.map(|offset| offset.0))?;
    kwargs.set_item("expected", safe(expected))?;
    kwargs.set_item("found", safe(found))?;
    let class = py.import("heapquarry.errors")?.getattr(class(error))?;
    let raised = PyErr::from_value(class.call((text(error),), Some(&kwargs))?);
    if let Some(number) = cause.and_then(io::Error::raw_os_error) {
        let meaning: String = py.import("os")?.call_method1("strerror", (number,))?.extract()?;
        let path = path.map(|path| path.as_os_str().to_owned());
        raised.set_cause(py, Some(PyOSError::new_err((number, meaning, path))));
    }
    Ok(raised)
}

/// What a program can do about an error.
fn advice(remedy: Remedy) -> &'static str {
    match remedy {
        Remedy::Replace => "use force=True to replace it",
        Remedy::AllowLosses => "omit strict=True to convert what is readable",
        Remedy::ConvertAgain => "convert the input again",
        Remedy::ConvertAllTables => "convert the input again, with all tables of its format",
        Remedy::SelectDocument => "select one with INPUT#N",
        Remedy::SelectRows => "omit the number, and compare file_id in the query",
        Remedy::OtherCache => "use cache=False, or name another folder in HEAPQUARRY_CACHE_DIR",
        Remedy::AllowSpool => "use max_spool to set another limit",
        Remedy::AllowMemory => "use memory to set another limit",
        Remedy::MoreMemory => "run it where there is more memory",
    }
}

/// The words of the command; what to do about it is told with arguments instead of flags.
pub(crate) fn text(error: &Error) -> String {
    let advice = error.remedy().map_or_else(String::new, |remedy| format!("; {}", advice(remedy)));
    printable(&format!("{error}{advice}")).into_owned()
}

/// The exception's class in `heapquarry.errors`.
fn class(error: &Error) -> &'static str {
    match error.kind() {
        _ if error.is_of_memory() => "MemoryLimitError",
        ErrorKind::NoTable(_) | ErrorKind::NoColumn { .. } => "UnknownNameError",
        ErrorKind::Budget(_) | ErrorKind::Limit(_) => "LimitError",
        ErrorKind::Output(_) | ErrorKind::Cache { .. } | ErrorKind::Destination { .. } => {
            "OutputError"
        }
        ErrorKind::Batch { .. } | ErrorKind::Cancelled => "Error",
        _ => "InputError",
    }
}
