//! Tables that every conversion writes.

use crate::table;

table! {
    /// One row for each document that was read.
    SOURCE "source" "One row for each document read, a file or one of the documents inside a container; and one for each container of several, behind them." {
        file_id: Int32 Sequence "Number of the document, counted from 0 over the whole run; every other table refers to it.";
        path: Text Text "Path of the input as given, `-` for standard input.";
        document_index: Int32 Number "Position of the document in its input, from 0; -1 for a container that documents came in.";
        name: Text Text "Name of the document: the file name, or the name that a container gives.";
        format: Label Label "Format, recognised by content: `heapsnapshot`, `heaptimeline`, `cpuprofile`, `heapprofile`, `selfprofile` or `trace`; of a container `htrace`, `devtools` (a file of messages) or `zip`.";
        producer: Text Text ?null "What wrote it, as far as its content tells: the engine, `v8`, `ark`, `julia`; of a trace `chromium`, `devtools`, `kineto`, `viztracer`, `bazel`; NULL if it does not tell.";
        byte_size: Int64 Number "Size of the document in bytes, after decompression.";
        status: Label Label "`complete`; `repaired`: read to the end, but import_log names data lost; `truncated`: the end is missing.";
        digest: Text Text "Fingerprint of the content, after decompression: XXH3-128 of its length and 64 blocks of 64 KiB spread over it (of all bytes if it is no longer than that).";
    }
}

table! {
    /// What was repaired or lost while reading.
    IMPORT_LOG "import_log" "What was out of the ordinary while reading: repaired, lost, or merely worth knowing. No row means that every byte was understood." {
        file_id: Int32 Ascending "The document, as in source.";
        byte_offset: Int64 Ascending ?null "Where in the (decompressed) document, in bytes from its start; NULL if it is the document as a whole.";
        severity: Label Label "`info`: all data is there; `data_loss`: something could not be kept; `error`: a whole part could not be read.";
        code: Label Label "Short stable name of what happened; listed in the documentation of input errors.";
        message: Text Text "What happened, in words.";
        excerpt: Text Text ?null "The bytes in question, at most 80, made printable.";
        occurrences: Int64 Number "How often; 1, except in the last row of a code that came more than 100 times in a document.";
    }
}
