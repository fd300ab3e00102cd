//! Rows of a profile.

use super::{
    batch::Batch,
    samples::Block,
    symbols::{Function, Line, Location, NO, Symbols},
};
use crate::{
    ByteOffset, document,
    profile::{int32, int64},
};
use arrow_array::{ArrayRef, Int32Array, Int64Array, RecordBatch, UInt32Array};
use heapquarry_profile::stacks::{self, Nodes, Totals};
use heapquarry_tables::{
    FileId, PPROF_FUNCTION, PPROF_LABEL, PPROF_LINE, PPROF_LOCATION, PPROF_MAPPING, PPROF_NODE,
    PPROF_NODE_VALUE, PPROF_SAMPLE, PPROF_VALUE, Table, arrays, pprof_function, pprof_label,
    pprof_line, pprof_location, pprof_mapping, pprof_node, pprof_node_value, pprof_sample,
    pprof_value,
};
use std::{ops::Range, sync::Arc};

/// A piece of the samples to be read, or rows to be made.
#[derive(Debug)]
pub struct Task {
    pub(super) file_id: FileId,
    pub(super) symbols: Arc<Symbols>,
    pub(super) work: Work,
}

#[derive(Debug)]
pub(super) enum Work {
    /// The piece with this number, which begins at this offset.
    Read(usize, ByteOffset),
    Rows(Part),
}

/// What the rows of a row group are made of.
#[derive(Debug)]
pub(super) enum Part {
    Mappings(Range<usize>),
    Locations(Range<usize>),
    Lines(Range<usize>),
    Functions(Range<usize>),
    Samples(Block),
    Nodes(Nodes),
    Values(Arc<Totals>, Range<usize>),
}

impl Part {
    fn tables(&self) -> Vec<&'static Table> {
        match self {
            Part::Mappings(_) => vec![&PPROF_MAPPING],
            Part::Locations(_) => vec![&PPROF_LOCATION],
            Part::Lines(_) => vec![&PPROF_LINE],
            Part::Functions(_) => vec![&PPROF_FUNCTION],
            Part::Samples(block) => {
                let rows = [
                    (&PPROF_SAMPLE, block.nodes.len()),
                    (&PPROF_VALUE, block.values.len()),
                    (&PPROF_LABEL, block.labels.len()),
                ];
                rows.into_iter().filter(|(_, rows)| *rows > 0).map(|(table, _)| table).collect()
            }
            Part::Nodes(..) => vec![&PPROF_NODE],
            Part::Values(..) => vec![&PPROF_NODE_VALUE],
        }
    }

    fn batch(&self, table: &'static Table, file_id: FileId, symbols: &Symbols) -> RecordBatch {
        match self {
            Part::Mappings(range) => mappings(file_id, symbols, range),
            Part::Locations(range) => locations(file_id, symbols, range),
            Part::Lines(range) => lines(file_id, symbols, range),
            Part::Functions(range) => functions(file_id, symbols, range),
            Part::Samples(block) if *table == PPROF_SAMPLE => samples(file_id, block),
            Part::Samples(block) if *table == PPROF_VALUE => values(file_id, block),
            Part::Samples(block) => labels(file_id, symbols, block),
            Part::Nodes(taken) => nodes(file_id, symbols, taken),
            Part::Values(totals, range) => {
                let rows = totals.of(range.clone());
                let nodes = rows.iter().map(|row| row.node);
                pprof_node_value::Columns {
                    file_id: file_id.column(rows.len()),
                    value_index: arrays::constant_i32(
                        i32::try_from(totals.value()).ok(),
                        rows.len(),
                    ),
                    node_index: Arc::new(UInt32Array::from_iter_values(nodes)),
                    self_value: all(rows.iter().map(|row| row.own)),
                    total_value: all(rows.iter().map(|row| row.total)),
                }
                .into_batch()
            }
        }
    }
}

impl document::Task for Task {
    /// A piece of the samples that was read, with its number.
    type Done = Option<(usize, Batch)>;
    type Scratch = ();

    fn tables(&self) -> Vec<&'static Table> {
        match &self.work {
            Work::Read(..) => vec![],
            Work::Rows(part) => part.tables(),
        }
    }

    fn has_side_output(&self) -> bool {
        matches!(self.work, Work::Read(..))
    }

    fn decode(self, bytes: &[u8], (): &mut (), rows: &mut document::Rows<'_>) -> Self::Done {
        let Task { file_id, symbols, work } = self;
        match work {
            Work::Read(number, start) => Some((number, Batch::read(bytes, start, &symbols))),
            Work::Rows(part) => {
                for table in part.tables() {
                    if rows.wants(table) {
                        rows.add(table, part.batch(table, file_id, &symbols));
                    }
                }
                None
            }
        }
    }
}

/// Numbers, none of which is missing.
fn all(values: impl Iterator<Item = i64>) -> ArrayRef {
    Arc::new(Int64Array::from_iter_values(values))
}

/// Numbers, of which 0 stands for none.
pub(super) fn given(values: impl Iterator<Item = i64>) -> ArrayRef {
    Arc::new(values.map(|value| (value != 0).then_some(value)).collect::<Int64Array>())
}

/// Lines and columns, of which 0 stands for none.
fn places(values: impl Iterator<Item = i64>) -> ArrayRef {
    let place = |value: i64| (value != 0).then_some(value).and_then(|v| i32::try_from(v).ok());
    Arc::new(values.map(place).collect::<Int32Array>())
}

fn flags(values: impl Iterator<Item = bool>) -> ArrayRef {
    Arc::new(Int32Array::from_iter_values(values.map(i32::from)))
}

fn mappings(file_id: FileId, symbols: &Symbols, range: &Range<usize>) -> RecordBatch {
    let rows = &symbols.mappings[range.clone()];
    let text = |of: fn(&super::symbols::Mapping) -> i64| symbols.texts.column(rows.iter().map(of));
    let has = |at: usize| flags(rows.iter().map(move |row| row.has[at]));
    pprof_mapping::Columns {
        file_id: file_id.column(rows.len()),
        mapping_id: all(rows.iter().map(|row| row.id as i64)),
        memory_start: all(rows.iter().map(|row| row.start as i64)),
        memory_limit: all(rows.iter().map(|row| row.limit as i64)),
        file_offset: all(rows.iter().map(|row| row.offset as i64)),
        file_name: text(|row| row.file),
        build_id: text(|row| row.build_id),
        has_functions: has(0),
        has_filenames: has(1),
        has_line_numbers: has(2),
        has_inline_frames: has(3),
    }
    .into_batch()
}

fn locations(file_id: FileId, symbols: &Symbols, range: &Range<usize>) -> RecordBatch {
    let rows = || symbols.locations[range.clone()].iter();
    pprof_location::Columns {
        file_id: file_id.column(range.len()),
        location_id: all(rows().map(|row| row.id as i64)),
        mapping_id: given(rows().map(|row| row.mapping as i64)),
        address: given(rows().map(|row| row.address as i64)),
        is_folded: flags(rows().map(|row| row.is_folded)),
        line_count: all(range.clone().map(|at| symbols.lines_of(at).len() as i64)),
    }
    .into_batch()
}

fn lines(file_id: FileId, symbols: &Symbols, range: &Range<usize>) -> RecordBatch {
    let rows = || symbols.lines[range.clone()].iter();
    // Lines of a location lie together.
    let mut location = symbols.location_of(range.start);
    let owners: Vec<usize> = range
        .clone()
        .map(|line| {
            while symbols.lines_of(location).end <= line {
                location += 1;
            }
            location
        })
        .collect();
    let position = |(line, &owner): (usize, &usize)| (line - symbols.lines_of(owner).start) as i64;
    pprof_line::Columns {
        file_id: file_id.column(range.len()),
        location_id: all(owners.iter().map(|&owner| symbols.locations[owner].id as i64)),
        line_index: int32(range.clone().zip(&owners).map(position)),
        function_id: given(rows().map(|row| row.function as i64)),
        line_number: places(rows().map(|row| row.line)),
        column_number: places(rows().map(|row| row.column)),
    }
    .into_batch()
}

fn functions(file_id: FileId, symbols: &Symbols, range: &Range<usize>) -> RecordBatch {
    let rows = &symbols.functions[range.clone()];
    let text = |of: fn(&super::symbols::Function) -> i64| symbols.texts.column(rows.iter().map(of));
    pprof_function::Columns {
        file_id: file_id.column(rows.len()),
        function_id: all(rows.iter().map(|row| row.id as i64)),
        function_name: text(|row| row.name),
        system_name: text(|row| row.system_name),
        url: text(|row| row.file),
        line_number: places(rows.iter().map(|row| row.start_line)),
    }
    .into_batch()
}

fn samples(file_id: FileId, block: &Block) -> RecordBatch {
    let first = block.first as i64;
    let node = |&node: &u32| if node == NO { -1 } else { i64::from(node) };
    pprof_sample::Columns {
        file_id: file_id.column(block.nodes.len()),
        sample_index: all(first..first + block.nodes.len() as i64),
        node_index: all(block.nodes.iter().map(node)),
    }
    .into_batch()
}

fn values(file_id: FileId, block: &Block) -> RecordBatch {
    let samples = (block.first as i64..).zip(&block.widths);
    let mut owners = Vec::with_capacity(block.values.len());
    let mut types = Vec::with_capacity(block.values.len());
    for (sample, &width) in samples {
        owners.resize(owners.len() + width as usize, sample);
        types.extend(0..width as i32);
    }
    pprof_value::Columns {
        file_id: file_id.column(block.values.len()),
        sample_index: Arc::new(Int64Array::from(owners)),
        value_index: Arc::new(Int32Array::from(types)),
        sample_value: all(block.values.iter().copied()),
    }
    .into_batch()
}

fn labels(file_id: FileId, symbols: &Symbols, block: &Block) -> RecordBatch {
    let rows = || block.labels.iter();
    pprof_label::Columns {
        file_id: file_id.column(block.labels.len()),
        sample_index: all(rows().map(|row| block.first as i64 + i64::from(row.sample))),
        label_key: symbols.texts.column(rows().map(|row| row.key)),
        str_value: symbols.texts.column(rows().map(|row| row.text)),
        num_value: Arc::new(
            rows().map(|row| (row.text == 0).then_some(row.number)).collect::<Int64Array>(),
        ),
        num_unit: symbols.texts.column(rows().map(|row| row.unit)),
    }
    .into_batch()
}

fn nodes(file_id: FileId, symbols: &Symbols, nodes: &Nodes) -> RecordBatch {
    let count = nodes.lines.len();
    let position = |&(location, line): &(u32, u32)| {
        symbols.lines_of(location as usize).nth(line as usize).map_or(NO, |line| line as u32)
    };
    let lines: Vec<u32> = nodes.lines.iter().map(position).collect();
    let position = |&line: &u32| {
        let line = symbols.lines.get(line as usize);
        line.and_then(|line| symbols.function_ids.position(line.function)).unwrap_or(NO)
    };
    let functions: Vec<u32> = lines.iter().map(position).collect();
    let location = |of: fn(&Location) -> u64| {
        let location = |&(location, _): &(u32, u32)| &symbols.locations[location as usize];
        nodes.lines.iter().map(move |node| of(location(node)))
    };
    let line = |of: fn(&Line) -> i64| {
        lines.iter().map(move |&line| symbols.lines.get(line as usize).map_or(0, of))
    };
    let function = |of: fn(&Function) -> i64| {
        functions.iter().map(move |&at| symbols.functions.get(at as usize).map_or(0, of))
    };
    let parent = |&parent: &u32| if parent == stacks::NO { -1 } else { i64::from(parent) };
    pprof_node::Columns {
        file_id: file_id.column(count),
        node_index: all((nodes.first..nodes.first + count).map(|node| node as i64)),
        parent_index: all(nodes.parents.iter().map(parent)),
        depth: int32(nodes.depths.iter().map(|&depth| depth.into())),
        location_id: all(location(|location| location.id).map(|id| id as i64)),
        line_index: int32(nodes.lines.iter().map(|&(_, line)| line.into())),
        function_id: given(line(|line| line.function as i64)),
        function_name: symbols.texts.column(function(|function| function.name)),
        url: symbols.texts.column(function(|function| function.file)),
        line_number: places(function(|function| function.start_line)),
        at_line_number: places(line(|line| line.line)),
        at_column_number: places(line(|line| line.column)),
        address: given(location(|location| location.address).map(|address| address as i64)),
        mapping_name: symbols.texts.column(location(|location| location.mapping).map(|mapping| {
            let known = symbols.mapping_ids.position(mapping).filter(|_| mapping != 0);
            known.map_or(0, |position| symbols.mappings[position as usize].file)
        })),
    }
    .into_batch()
}

/// A single number that may be missing.
pub(super) fn one(value: Option<i64>) -> ArrayRef {
    int64(vec![value.unwrap_or(crate::json::NONE)])
}
