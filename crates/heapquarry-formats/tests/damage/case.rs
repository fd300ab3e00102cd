//! A document with something wrong, and what is to come of it.

use super::*;

pub(crate) struct Case {
    name: String,
    pub(crate) document: Vec<u8>,
    /// Offsets of the marks.
    marks: Vec<u64>,
    pub(crate) log: Vec<(&'static str, Option<u64>)>,
    marks_used: usize,
    cells: Vec<(&'static str, usize, &'static str, Cell)>,
    /// Tables that have only so many of their rows left.
    rows: Vec<(&'static str, usize)>,
    /// Rows that a table has beyond those of the whole document.
    more: Vec<(&'static str, Vec<Cell>)>,
    status: Option<Status>,
    names: Vec<Names>,
}

pub(crate) fn case(name: impl Into<String>, marked: impl Into<String>) -> Case {
    let marked = marked.into();
    let pieces: Vec<_> = marked.split(MARK).collect();
    let mut document: Vec<u8> = Vec::new();
    let mut marks = Vec::new();
    for (i, piece) in pieces.into_iter().enumerate() {
        if i > 0 {
            marks.push(document.len() as u64);
        }
        let mut valid = piece.split(INVALID);
        document.extend(valid.next().unwrap_or_default().bytes());
        valid.for_each(|piece| document.extend([b"\xff\xc3", piece.as_bytes()].concat()));
    }
    Case {
        name: name.into(),
        document,
        marks,
        log: Vec::new(),
        marks_used: 0,
        cells: Vec::new(),
        rows: Vec::new(),
        more: Vec::new(),
        status: None,
        names: BOTH.to_vec(),
    }
}

impl Case {
    /// The code must come, at the next mark.
    pub(crate) fn at(mut self, code: &'static str) -> Self {
        self.log.push((code, Some(self.marks[self.marks_used])));
        self.marks_used += 1;
        self
    }

    /// The code must come, for the document as a whole.
    pub(crate) fn of_all(mut self, code: &'static str) -> Self {
        self.log.push((code, None));
        self
    }

    /// The code must come at the end of the document.
    pub(crate) fn at_end(mut self, code: &'static str) -> Self {
        self.log.push((code, Some(self.document.len() as u64)));
        self
    }

    pub(crate) fn cell(
        mut self,
        table: &'static str,
        row: usize,
        column: &'static str,
        cell: Cell,
    ) -> Self {
        self.cells.push((table, row, column, cell));
        self
    }

    pub(crate) fn int(
        self,
        table: &'static str,
        row: usize,
        column: &'static str,
        value: i64,
    ) -> Self {
        self.cell(table, row, column, Cell::Int(value))
    }

    pub(crate) fn null(self, table: &'static str, row: usize, columns: &[&'static str]) -> Self {
        columns.iter().fold(self, |case, column| case.cell(table, row, column, Cell::Null))
    }

    pub(crate) fn text(
        self,
        table: &'static str,
        row: usize,
        column: &'static str,
        value: &str,
    ) -> Self {
        self.cell(table, row, column, text(Some(value)))
    }

    /// Another last string.
    pub(crate) fn string(self, value: &str) -> Self {
        self.text(STRINGS, 5, "string", value).text(EDGES, 2, "name", value)
    }

    pub(crate) fn rows(mut self, table: &'static str, rows: usize) -> Self {
        self.rows.push((table, rows));
        self
    }

    pub(crate) fn empty(self, tables: &[&'static str]) -> Self {
        tables.iter().fold(self, |case, table| case.rows(table, 0))
    }

    pub(crate) fn more(mut self, table: &'static str, row: Vec<Cell>) -> Self {
        self.more.push((table, row));
        self
    }

    pub(crate) fn status(mut self, status: Status) -> Self {
        self.status = Some(status);
        self
    }

    pub(crate) fn only(mut self, names: Names) -> Self {
        self.names = vec![names];
        self
    }

    /// With names as numbers nothing is looked up.
    pub(crate) fn log(&self, names: Names) -> Vec<(&'static str, Option<u64>)> {
        let looked_up = |code: &str| names == Names::Text || code != "string_out_of_range";
        let mut log: Vec<_> =
            self.log.iter().copied().filter(|(code, _)| looked_up(code)).collect();
        log.sort();
        log
    }

    pub(crate) fn tables(&self, names: Names) -> Tables {
        let mut tables = read(&whole(), usual(names)).expect("nothing is wrong with it").tables;
        for (table, row) in &self.more {
            tables.get_mut(table).expect("a table").push(row.clone());
        }
        for (table, row, column, cell) in &self.cells {
            let is_name = ["name", "script_name"].contains(column);
            if !(is_name && names == Names::Id) {
                let column = by_name(table).and_then(|t| t.column(column)).expect("a column");
                tables.get_mut(table).expect("a table")[*row][column] = cell.clone();
            }
        }
        for (table, rows) in &self.rows {
            tables.get_mut(table).expect("a table").truncate(*rows);
        }
        tables
    }

    pub(crate) fn check(&self) {
        assert_eq!(self.marks_used, self.marks.len(), "{}: marks", self.name);
        for &names in &self.names {
            let what = format!("{}, {names:?}", self.name);
            let found = read(&self.document, usual(names));
            let reading = found.as_ref().unwrap_or_else(|error| panic!("{what}: {error}"));
            assert_tables(&self.tables(names), &reading.tables, &what);
            self.check_log(reading, names, &what);
            assert_from_end(&self.document, usual(names), &found, &what);
            for (rows, window) in [(1, 1), (1, 5), (2, 2), (3, 1000), (100, 3), (100, 17)] {
                // A million brackets, one by one, tell nothing that some thousand do not.
                if self.document.len() < 100_000 {
                    let what = format!("{what}, groups of {rows}, window of {window}");
                    let found_too = read(&self.document, options(names, rows, window));
                    assert_readings(&found, &found_too, false, &what);
                }
            }
        }
    }

    pub(crate) fn check_log(&self, reading: &Reading, names: Names, what: &str) {
        let mut log: Vec<_> =
            reading.log.iter().map(|e| (e.code.name(), e.offset.map(|at| at.0))).collect();
        log.sort();
        assert_eq!(log, self.log(names), "{what}: {:#?}", reading.log);
        for entry in &reading.log {
            assert!(!entry.message.is_empty() && entry.occurrences == 1, "{what}: {entry:?}");
            // What is quoted stands at the offset, unless it had to be made printable.
            if let (Some(excerpt), Some(offset)) = (&entry.excerpt, entry.offset.map(|at| at.0)) {
                let excerpt = excerpt.trim_end_matches('…');
                let there = &self.document[offset as usize..];
                let there = &there[..excerpt.len().min(there.len())];
                let printable = there.iter().all(|b| (b' '..=b'~').contains(b));
                assert!(!printable || there == excerpt.as_bytes(), "{what}: {entry:?}");
            }
        }
        let worst = reading.log.iter().map(|e| e.code.severity()).max().unwrap_or(Severity::Info);
        let usual = if worst == Severity::Info { Status::Complete } else { Status::Repaired };
        assert_eq!(reading.status, self.status.unwrap_or(usual), "{what}");
    }
}

/// Cells of a row without the `file_id`.
pub(crate) fn row(cells: Vec<Cell>) -> Vec<Cell> {
    [vec![Cell::Int(common::FILE_ID.into())], cells].concat()
}

pub(crate) fn frame(cells: [Option<i64>; 6]) -> Vec<Cell> {
    row(cells.map(int).to_vec())
}
