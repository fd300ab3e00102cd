//! Memory dumps in traces (memory-infra): of all processes (`V`) and of one (`v`).

use crate::{Table, declare::table};

/// The tables of memory dumps, written even without rows.
pub static MEMORY_TABLES: [&Table; 5] =
    [&MEMORY_DUMP, &MEMORY_ALLOCATOR, &MEMORY_ATTRIBUTE, &MEMORY_EDGE, &MEMORY_REGION];

table! {
    /// Memory dumps.
    MEMORY_DUMP memory_dump "One row for each event of a memory dump (`V`, `v`), in file order. The events of one dump have the same dump_id; a process can have several." {
        file_id: Int32 Constant "The document, as in source.";
        id: Int64 Ascending "The event, as in trace_event.event_index.";
        ts: Int64 Ascending ?null in Nanoseconds "Time in nanoseconds.";
        dump_id: Text Text ?null "Id that the events of a dump share: `id`, `id2.local` or `id2.global`.";
        ph: Label Label "`V`: dump of all processes; `v`: dump of one process.";
        pid: Int64 Number ?null "The process, if it is a whole number, as in process.pid.";
        pid_text: Text Text ?null "The process, if it is text.";
        name: Text Text ?null "Reason for the dump: `periodic_interval`, `explicitly_triggered`.";
        level_of_detail: Text Text ?null "`background`, `light` or `detailed`.";
        resident_set_bytes: Int64 Number ?null in Bytes "Resident memory of the process, in bytes.";
        peak_resident_set_bytes: Int64 Number ?null in Bytes "Peak resident memory of the process, in bytes.";
        private_footprint_bytes: Int64 Number ?null in Bytes "Private memory of the process, in bytes.";
        allocator_count: Int64 Number "Rows of memory_allocator.";
        edge_count: Int64 Number "Rows of memory_edge.";
        region_count: Int64 Number "Rows of memory_region.";
    }
}

table! {
    /// Nodes of allocators.
    MEMORY_ALLOCATOR memory_allocator "One row for each node of the allocators' trees in memory dumps, in file order, such as `v8/main/heap`." {
        file_id: Int32 Constant "The document, as in source.";
        event_index: Int64 Ascending "The event, as in memory_dump.id.";
        node_index: Int64 Number "Position in the event, from 0.";
        path: Text Text "Names from the allocator down, separated by slashes.";
        name: Text Text "Last name of the path.";
        depth: Int32 Number "Number of names before the last.";
        guid: Text Text ?null "Id that edges refer to, in all processes of a dump.";
        flags: Int64 Number ?null "`flags`: 1 for a node that may be absent.";
        size_bytes: Int64 Number ?null in Bytes "Its attribute `size`, in bytes.";
        object_count: Int64 Number ?null "Its attribute `object_count`.";
    }
}

table! {
    /// Attributes of allocators and processes.
    MEMORY_ATTRIBUTE memory_attribute "One row for each attribute of an allocator's node, and for each total of a process (`process_totals`)." {
        file_id: Int32 Constant "The document, as in source.";
        event_index: Int64 Ascending "The event, as in memory_dump.id.";
        node_index: Int64 Number ?null "The node, as in memory_allocator; NULL for a total of the process.";
        name: Text Text "Name: `size`, `object_count`, `resident_set_bytes`.";
        r#type: Text Text ?null "`scalar` or `string`; NULL if the file does not have it.";
        units: Text Text ?null "`bytes`, `objects`.";
        int_value: Int64 Number ?null "The number, which is hexadecimal in the file; 1 or 0 for `true` or `false`.";
        str_value: Text Text ?null "Anything else, and numbers of more than 63 bits as written.";
    }
}

table! {
    /// Ownership between nodes.
    MEMORY_EDGE memory_edge "One row for each edge between nodes of allocators (`allocators_graph`)." {
        file_id: Int32 Constant "The document, as in source.";
        event_index: Int64 Ascending "The event, as in memory_dump.id.";
        edge_index: Int64 Number "Position in the event, from 0.";
        source_guid: Text Text ?null "The node that owns or retains, as in memory_allocator.guid.";
        target_guid: Text Text ?null "The node that is owned or retained, possibly in another process.";
        r#type: Text Text ?null "`ownership` or `retention`.";
        importance: Int64 Number ?null "Priority of the owner: of several owners, the one with the highest importance is charged.";
    }
}

table! {
    /// Mappings of processes.
    MEMORY_REGION memory_region "One row for each memory region of a process (`process_mmaps.vm_regions`)." {
        file_id: Int32 Constant "The document, as in source.";
        event_index: Int64 Ascending "The event, as in memory_dump.id.";
        region_index: Int64 Number "Position in the event, from 0.";
        start_address: Int64 Number ?null "`sa`, a 64-bit address stored as signed: the upper half is negative.";
        size_bytes: Int64 Number ?null in Bytes "`sz`: size in bytes.";
        protection_flags: Int64 Number ?null "`pf`: 4 readable, 2 writable, 1 executable, 128 may be shared.";
        mapped_file: Text Text ?null "`mf`: the mapped file.";
        module_id: Text Text ?null "`id`: build id of the file.";
        module_timestamp: Text Text ?null "`ts`: build time stamp of the file.";
        debug_file: Text Text ?null "`df`: file with debug information.";
        private_clean_bytes: Int64 Number ?null in Bytes "`bs.pc`: private clean pages, in bytes.";
        private_dirty_bytes: Int64 Number ?null in Bytes "`bs.pd`: private dirty pages, in bytes.";
        shared_clean_bytes: Int64 Number ?null in Bytes "`bs.sc`: shared clean pages, in bytes.";
        shared_dirty_bytes: Int64 Number ?null in Bytes "`bs.sd`: shared dirty pages, in bytes.";
        proportional_bytes: Int64 Number ?null in Bytes "`bs.pss`: proportional set size, in bytes.";
        swapped_bytes: Int64 Number ?null in Bytes "`bs.sw`: swapped pages, in bytes.";
    }
}
