//! The tables that every conversion writes.

use crate::declare::table;

table! {
    /// Documents that were read.
    SOURCE source "One row for each document: a file, or a document inside a container. A container has a row of its own, after its documents." {
        file_id: Int32 Sequence "Number of the document, from 0 over the whole run; every other table refers to it.";
        path: Text Text "Path of the input as given, `-` for standard input.";
        document_index: Int32 Number "Position of the document in its input, from 0; -1 for a container.";
        name: Text Text "Name of the document: the file name, or the name in the container.";
        format: Label Label "Format, detected by content: `heapsnapshot`, `heaptimeline`, `jscsnapshot` (JavaScriptCore), `cpuprofile`, `heapprofile`, `selfprofile`, `pprof`, `trace` or `ftrace`; `watch` for what `heapquarry watch` saw of a process; for a container `htrace`, `devtools` (a file of messages), `html` (a page of traces), `list` (a list of documents in JSON), `zip` or `tar`.";
        producer: Text Text ?null "What wrote it, as far as its content shows: for a heap or profile the engine, such as `v8`, `ark` or `julia`; for a trace `chromium`, `devtools`, `kineto`, `viztracer` or `bazel`; NULL if unknown.";
        byte_size: Int64 Number in Bytes "Size of the document in bytes, after decompression.";
        status: Label Label "`complete`; `repaired`: read to the end, but import_log lists lost data; `truncated`: the end is missing.";
        digest: Text Text "Fingerprint of the content, after decompression: XXH3-128 of its length and 64 blocks of 64 KiB spread over it (of all bytes if it is not longer than that). Empty for `watch`, which reads no document.";
    }
}

table! {
    /// Repairs and losses while reading.
    IMPORT_LOG import_log "Everything unusual while reading: repaired, lost, or only worth knowing. Without rows, every byte was understood." {
        file_id: Int32 Ascending "The document, as in source.";
        byte_offset: Int64 Ascending ?null in Bytes "Offset in the (decompressed) document, in bytes; NULL if it concerns the document as a whole.";
        severity: Label Label "`info`: all data is kept; `data_loss`: something could not be kept; `error`: a whole part could not be read.";
        code: Label Label "Short stable name of the problem; the documentation of input errors lists them.";
        message: Text Text "Description of the problem.";
        excerpt: Text Text ?null "The bytes in question, at most 80, made printable.";
        occurrences: Int64 Number "Number of occurrences: 1, except in the last row of a code with more than 100 occurrences in a document.";
    }
}
