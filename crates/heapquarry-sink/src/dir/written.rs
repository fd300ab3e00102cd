//! What is kept of complete files until the directory is complete. There can be millions.

use super::{PART, WrittenTable};

/// Files of a piece. Pieces do not move when there are more, which would take the memory of all files once more.
const PIECE: usize = 1 << 10;

/// Complete files, each with the position of its table in the list of tables.
#[derive(Default)]
pub(super) struct Written(Vec<Vec<(usize, WrittenTable)>>);

impl Written {
    /// Adds a file.
    pub(super) fn push(&mut self, position: usize, mut table: WrittenTable) {
        table.file.shrink_to_fit();
        match self.0.last_mut().filter(|piece| piece.len() < PIECE) {
            Some(piece) => piece.push((position, table)),
            None => self.0.push(vec![(position, table)]),
        }
    }

    /// Takes the files, in the order of their tables, then by part.
    pub(super) fn take(&mut self) -> Vec<WrittenTable> {
        let pieces = std::mem::take(&mut self.0);
        let mut all = Vec::with_capacity(pieces.iter().map(Vec::len).sum());
        pieces.into_iter().for_each(|piece| all.extend(piece));
        all.sort_unstable_by(|(a, first), (b, second)| {
            let names = first.table.name.cmp(second.table.name);
            a.cmp(b).then(names).then_with(|| stem(&first.file).cmp(stem(&second.file)))
        });
        all.into_iter().map(|(_, table)| table).collect()
    }
}

/// The name of a file up to the end of its part. Those of a table differ in the part only.
fn stem(file: &str) -> &str {
    file.strip_suffix(PART).unwrap_or(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use heapquarry_tables::{IMPORT_LOG, SOURCE};

    #[test]
    fn files_are_in_the_order_of_tables_and_parts() {
        let mut written = Written::default();
        let parts = ["a", "a-b", "a.b", "a_2", "b"];
        let file = |part: &str| format!("t/source={part}{PART}");
        for part in parts.iter().rev() {
            for (position, table) in [(1, &IMPORT_LOG), (0, &SOURCE)] {
                let (rows, row_groups, bytes, xxh3) = (0, 0, 0, 0);
                let file = file(part);
                let table = WrittenTable { table, file, rows, row_groups, bytes, xxh3 };
                written.push(position, table);
            }
        }
        let found = written.take();
        let expected = [&SOURCE, &IMPORT_LOG].map(|table| parts.map(|part| (table, file(part))));
        let found: Vec<_> =
            found.into_iter().map(|written| (written.table, written.file)).collect();
        assert_eq!(found, expected.concat());
        assert!(written.take().is_empty());
    }
}
