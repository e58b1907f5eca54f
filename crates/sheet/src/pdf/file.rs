//! Writes the objects of a PDF one by one, and at the end the table with their positions.

use std::io::Write;

use pdf_writer::{Chunk, Ref};

use crate::Result;

/// A file that is written from start to end. Only the positions of the written objects stay in memory: 8 bytes per
/// object.
pub(super) struct File<W> {
    out: W,
    place: u64,
    /// Position of each object by number; 0 for one that is not written yet.
    places: Vec<u64>,
}

impl<W: Write> File<W> {
    pub(super) fn new(mut out: W) -> Result<Self> {
        // The bytes above 127 in the second line mark the file as binary.
        let head = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n\n";
        out.write_all(head)?;
        Ok(Self { out, place: head.len() as u64, places: vec![0] })
    }

    /// Reserves a number for an object that will be written later.
    pub(super) fn promise(&mut self) -> Ref {
        self.places.push(0);
        Ref::new(self.places.len() as i32 - 1)
    }

    /// Writes one object. `number` is the number of the only object in the chunk.
    pub(super) fn write(&mut self, number: Ref, object: &Chunk) -> Result<()> {
        self.places[number.get() as usize] = self.place;
        self.out.write_all(object.as_bytes())?;
        self.place += object.len() as u64;
        Ok(())
    }

    pub(super) fn finish(mut self, catalogue: Ref, info: Ref) -> Result<()> {
        let (table, objects) = (self.place, self.places.len());
        write!(self.out, "xref\n0 {objects}\n0000000000 65535 f \n")?;
        for place in &self.places[1..] {
            writeln!(self.out, "{place:010} 00000 n ")?;
        }
        let (root, info) = (catalogue.get(), info.get());
        write!(self.out, "trailer\n<< /Size {objects} /Root {root} 0 R /Info {info} 0 R >>\nstartxref\n{table}\n%%EOF\n")?;
        Ok(self.out.flush()?)
    }
}
