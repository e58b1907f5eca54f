//! One sheet ([MS-XLS] 2.1.7.20.5): its rows are written to a temporary file in blocks of 32; the parts before and after them are created at
//! the end.

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, Write};

use super::looks;
use super::record::{EOF, Records, WORKSHEET, header};
use crate::Result;
use crate::report::Column;

const ROW: u16 = 0x0208;
const NUMBER: u16 = 0x0203;
const LABEL_SST: u16 = 0x00fd;
const DB_CELL: u16 = 0x00d7;
const INDEX: u16 = 0x020b;

/// Rows per block, as [MS-XLS] requires.
const BLOCK_ROWS: usize = 32;
/// Size of a ROW record with its header, bytes.
const ROW_BYTES: usize = 20;
/// Height of a row, twentieths of a point.
const HEIGHT: u16 = 255;

/// A sheet that is being written.
pub(super) struct Page {
    table: usize,
    rows: u32,
    /// Rows and cells of the current block.
    block: Records,
    block_cells: Vec<u8>,
    /// Size of the cells of each row in the block, bytes.
    sizes: Vec<u16>,
    file: BufWriter<File>,
    bytes: u32,
    /// Position of each block's DBCELL record among the rows.
    ends: Vec<u32>,
}

/// The cells of a row, in the order of their columns.
#[derive(Default)]
pub(super) struct Cells {
    bytes: Vec<u8>,
    row: u16,
    end: u16,
}

impl Cells {
    pub(super) fn of(row: u32) -> Self {
        Self { row: row as u16, ..Self::default() }
    }

    /// Adds a number, an instant or a duration.
    pub(super) fn number(&mut self, column: u16, look: u16, value: f64) {
        self.cell(NUMBER, column, look, &value.to_le_bytes());
    }

    /// Adds a text by its number in the table of texts.
    pub(super) fn text(&mut self, column: u16, look: u16, number: u32) {
        self.cell(LABEL_SST, column, look, &number.to_le_bytes());
    }

    fn cell(&mut self, record: u16, column: u16, look: u16, data: &[u8]) {
        self.bytes.extend(header(record, 6 + data.len()));
        for word in [self.row, column, look] {
            self.bytes.extend(word.to_le_bytes());
        }
        self.bytes.extend(data);
        self.end = column + 1;
    }
}

impl Page {
    pub(super) fn new(table: usize, file: File) -> Self {
        Self {
            table,
            rows: 0,
            block: Records::default(),
            block_cells: Vec::new(),
            sizes: Vec::new(),
            file: BufWriter::new(file),
            bytes: 0,
            ends: Vec::new(),
        }
    }

    /// Returns the number of rows, which is the index of the next one.
    pub(super) fn rows(&self) -> u32 {
        self.rows
    }

    /// Returns the number of bytes.
    pub(super) fn bytes(&self) -> u64 {
        u64::from(self.bytes) + u64::from(self.block.len()) + self.block_cells.len() as u64
    }

    /// Writes the next row; `points` is its height, default: the standard height.
    pub(super) fn row(&mut self, cells: &Cells, points: Option<u16>) -> Result<()> {
        let (height, own) = points.map_or((HEIGHT, 0), |points| (points * 20, 0x40));
        self.block.words(ROW, &[cells.row, 0, cells.end, height, 0, 0, 0x0100 | own, looks::PLAIN]);
        self.block_cells.extend(&cells.bytes);
        self.sizes.push(cells.bytes.len() as u16);
        self.rows += 1;
        if self.sizes.len() == BLOCK_ROWS { self.end_block() } else { Ok(()) }
    }

    fn end_block(&mut self) -> Result<()> {
        if self.sizes.is_empty() {
            return Ok(());
        }
        let rows = std::mem::take(&mut self.block);
        let before = rows.len() + self.block_cells.len() as u32;
        self.file.write_all(&rows.0)?;
        self.file.write_all(&self.block_cells)?;
        // The distance back to the first row; then the start of the first row's cells relative to the end of its ROW record, and of each
        // further row relative to the previous one.
        let mut data = before.to_le_bytes().to_vec();
        let mut step = (rows.0.len() - ROW_BYTES) as u16;
        for size in &self.sizes {
            data.extend(step.to_le_bytes());
            step = *size;
        }
        let mut end = Records::default();
        end.record(DB_CELL, &data);
        self.file.write_all(&end.0)?;
        self.ends.push(self.bytes + before);
        self.bytes += before + end.len();
        self.block_cells.clear();
        self.sizes.clear();
        Ok(())
    }

    /// Completes the sheet. `first` is whether it is the one that is visible when the workbook is opened.
    pub(super) fn finish(mut self, columns: &[Column], above: u16, first: bool) -> Result<Finished> {
        self.end_block()?;
        let mut file = self.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        let before = before(columns);
        Ok(Finished {
            before,
            ends: self.ends,
            rows: self.rows,
            columns: columns.len() as u16,
            file,
            bytes: self.bytes,
            after: after(above, first),
        })
    }

    /// Returns the table whose rows the sheet contains.
    pub(super) fn table(&self) -> usize {
        self.table
    }
}

/// A sheet of known length, whose position in the stream is not known yet.
pub(super) struct Finished {
    /// The records between INDEX and the rows, without DIMENSIONS, and the position of DEFCOLWIDTH in them.
    before: (Records, u32),
    ends: Vec<u32>,
    rows: u32,
    columns: u16,
    file: File,
    bytes: u32,
    after: Records,
}

impl Finished {
    /// Returns BOF, INDEX, the settings, and DIMENSIONS.
    fn head(&self, begin: u32) -> Records {
        let mut head = Records::default();
        head.begin(WORKSHEET);
        let index_bytes = 4 + 16 + 4 * self.ends.len() as u32;
        let settings = begin + head.len() + index_bytes;
        let dimensions_bytes = 4 + 14;
        let rows = settings + self.before.0.len() + dimensions_bytes;
        let mut index = Vec::new();
        for word in [0, 0, self.rows, settings + self.before.1].into_iter().chain(self.ends.iter().map(|end| rows + end)) {
            index.extend(word.to_le_bytes());
        }
        head.record(INDEX, &index);
        head.0.extend(&self.before.0.0);
        let [low, high] = [self.rows as u16, (self.rows >> 16) as u16];
        head.words(0x0200, &[0, 0, low, high, 0, self.columns, 0]);
        head
    }

    pub(super) fn len(&self) -> u32 {
        self.head(0).len() + self.bytes + self.after.len()
    }

    /// Writes the sheet at its position in the stream.
    pub(super) fn write(self, begin: u32, out: &mut impl Write) -> Result<()> {
        out.write_all(&self.head(begin).0)?;
        io::copy(&mut self.file.take(self.bytes.into()), out)?;
        Ok(out.write_all(&self.after.0)?)
    }
}

fn before(columns: &[Column]) -> (Records, u32) {
    let mut out = Records::default();
    // Automatic calculation, up to 100 iterations, to 0.001, A1 references; no pending calculation.
    out.words(0x000d, &[1]);
    out.words(0x000c, &[100]);
    out.words(0x000f, &[1]);
    out.words(0x0011, &[0]);
    out.record(0x0010, &0.001_f64.to_le_bytes());
    out.words(0x005f, &[1]);
    // Prints no row headings and no grid lines; no outlines; standard row height; fits the width to the page.
    out.words(0x002a, &[0]);
    out.words(0x002b, &[0]);
    out.words(0x0082, &[1]);
    out.words(0x0080, &[0, 0, 0, 0]);
    out.words(0x0225, &[0, HEIGHT]);
    out.words(0x0081, &[0x05c1]);
    // No header and footer, nothing centred; A4, landscape, one page wide.
    out.record(0x0014, &[]);
    out.record(0x0015, &[]);
    out.words(0x0083, &[0]);
    out.words(0x0084, &[0]);
    let mut setup = Vec::new();
    for word in [9_u16, 100, 1, 1, 0, 0x0000, 600, 600] {
        setup.extend(word.to_le_bytes());
    }
    setup.extend(0.3_f64.to_le_bytes());
    setup.extend(0.3_f64.to_le_bytes());
    setup.extend(1_u16.to_le_bytes());
    out.record(0x00a1, &setup);
    let default_width = out.len();
    out.words(0x0055, &[8]);
    for (column, place) in columns.iter().zip(0_u16..) {
        // In 256ths of a letter.
        out.words(0x007d, &[place, place, column.letters() * 256, looks::PLAIN, 0, 0]);
    }
    (out, default_width)
}

/// Returns the view settings: the rows above the table are frozen.
fn after(above: u16, first: bool) -> Records {
    let mut out = Records::default();
    let shown = if first { 0x0600 } else { 0 };
    out.words(0x023e, &[0x01be | shown, 0, 0, 0x0040, 0, 0, 0, 0, 0]);
    out.words(0x0041, &[0, above, above, 0, 2]);
    for (pane, row) in [(3_u8, 0_u16), (2, above)] {
        let mut data = vec![pane];
        for word in [row, 0, 0, 1, row, row, 0] {
            data.extend(word.to_le_bytes());
        }
        out.record(0x001d, &data);
    }
    out.words(EOF, &[]);
    out
}
