//! Memory dumps in traces (memory-infra): of all processes (`V`) and of one (`v`).

use crate::{Table, table};

/// The tables of memory dumps, empty if need be.
pub static MEMORY_TABLES: [&Table; 5] =
    [&MEMORY_DUMP, &MEMORY_ALLOCATOR, &MEMORY_ATTRIBUTE, &MEMORY_EDGE, &MEMORY_REGION];

table! {
    /// Memory dumps.
    MEMORY_DUMP "memory_dump" "One row for each event of a memory dump (`V`, `v`), in file order. Events of one dump have one dump_id; a process can have several of them." {
        file_id: Int32 Constant "The document, as in source.";
        id: Int64 Ascending "The event, as in trace_event.event_index.";
        ts: Int64 Ascending ?null "When.";
        dump_id: Text Text ?null "`id`, `id2.local` or `id2.global`: what the events of a dump have in common.";
        ph: Label Label "`V`: of all processes together; `v`: of a process.";
        pid: Int64 Number ?null "The process, if it is a whole number, as in process.pid.";
        pid_text: Text Text ?null "The process, if it is a text.";
        name: Text Text ?null "Why it was made: `periodic_interval`, `explicitly_triggered`.";
        level_of_detail: Text Text ?null "`background`, `light` or `detailed`.";
        resident_set_bytes: Int64 Number ?null "Resident memory of the process.";
        peak_resident_set_bytes: Int64 Number ?null "The most that it ever was.";
        private_footprint_bytes: Int64 Number ?null "Memory that is the process's own.";
        allocator_count: Int64 Number "Rows of memory_allocator.";
        edge_count: Int64 Number "Rows of memory_edge.";
        region_count: Int64 Number "Rows of memory_region.";
    }
}

table! {
    /// What allocators hold.
    MEMORY_ALLOCATOR "memory_allocator" "One row for each node of the allocators' trees in memory dumps, in file order: `v8/main/heap`, say." {
        file_id: Int32 Constant "The document, as in source.";
        event_index: Int64 Ascending "The event, as in memory_dump.id.";
        node_index: Int64 Number "Position in the event, from 0.";
        path: Text Text "Names from the allocator down, with slashes.";
        name: Text Text "The last of them.";
        depth: Int32 Number "Names before it.";
        guid: Text Text ?null "What edges refer to it by, in all processes of a dump.";
        flags: Int64 Number ?null "`flags`: 1 for one that need not be there.";
        size_bytes: Int64 Number ?null "Its attribute `size`.";
        object_count: Int64 Number ?null "Its attribute `object_count`.";
    }
}

table! {
    /// What dumps say of allocators and processes.
    MEMORY_ATTRIBUTE "memory_attribute" "One row for each attribute of an allocator's node, and for each total of a process (`process_totals`)." {
        file_id: Int32 Constant "The document, as in source.";
        event_index: Int64 Ascending "The event, as in memory_dump.id.";
        node_index: Int64 Number ?null "The node, as in memory_allocator; NULL for a total of the process.";
        name: Text Text "Name: `size`, `object_count`, `resident_set_bytes`.";
        type: Text Text ?null "`scalar` or `string`; NULL if the file does not say.";
        units: Text Text ?null "`bytes`, `objects`.";
        int_value: Int64 Number ?null "The number, which stands there in hexadecimal; 1 or 0 for `true` or `false`.";
        str_value: Text Text ?null "Anything else, and numbers of more than 63 bits as they stand there.";
    }
}

table! {
    /// Who owns what.
    MEMORY_EDGE "memory_edge" "One row for each edge between nodes of allocators (`allocators_graph`)." {
        file_id: Int32 Constant "The document, as in source.";
        event_index: Int64 Ascending "The event, as in memory_dump.id.";
        edge_index: Int64 Number "Position in the event, from 0.";
        source_guid: Text Text ?null "The node that owns or retains, as in memory_allocator.guid.";
        target_guid: Text Text ?null "The node that is owned or retained, maybe of another process.";
        type: Text Text ?null "`ownership` or `retention`.";
        importance: Int64 Number ?null "Of several owners the one of the highest importance is told to own it.";
    }
}

table! {
    /// Mappings of processes.
    MEMORY_REGION "memory_region" "One row for each region of a process's memory (`process_mmaps.vm_regions`)." {
        file_id: Int32 Constant "The document, as in source.";
        event_index: Int64 Ascending "The event, as in memory_dump.id.";
        region_index: Int64 Number "Position in the event, from 0.";
        start_address: Int64 Number ?null "`sa`, its 64 bits with a sign: the upper half is negative.";
        size_bytes: Int64 Number ?null "`sz`.";
        protection_flags: Int64 Number ?null "`pf`: 4 readable, 2 writable, 1 executable, 128 may be shared.";
        mapped_file: Text Text ?null "`mf`.";
        module_id: Text Text ?null "`id`, which build of the file it is.";
        module_timestamp: Text Text ?null "`ts`, likewise.";
        debug_file: Text Text ?null "`df`.";
        private_clean_bytes: Int64 Number ?null "`bs.pc`.";
        private_dirty_bytes: Int64 Number ?null "`bs.pd`.";
        shared_clean_bytes: Int64 Number ?null "`bs.sc`.";
        shared_dirty_bytes: Int64 Number ?null "`bs.sd`.";
        proportional_bytes: Int64 Number ?null "`bs.pss`.";
        swapped_bytes: Int64 Number ?null "`bs.sw`.";
    }
}
