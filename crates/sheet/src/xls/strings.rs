//! The table of texts that all sheets share ([MS-XLS] 2.4.265 SST, 2.4.107 ExtSST).
//!
//! Its records are created when texts are added, and written to a temporary file. Only the first record stays in memory, because its counts are known at the
//! end. A repeated text is found while the memory for the lookup is sufficient. After that it is written again, which is permitted and only makes the file
//! larger.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, Write};

use super::record::{CONTINUE, DATA_MAX, Records, header, letters};
use crate::Result;

const SST: u16 = 0x00fc;
const EXT_SST: u16 = 0x00ff;
/// Largest size of the texts in the lookup, bytes.
const KNOWN_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Largest number of texts in the lookup.
const KNOWN_MAX: usize = 65_536;
/// Largest number of positions in ExtSST; when it is reached, every second one is dropped.
const PLACES_MAX: usize = 1_024;
/// Smallest number of texts between two positions.
const STRIDE_MIN: u32 = 8;
/// Size of the counts of all and of distinct texts at the start of the first record, bytes.
const COUNTS: usize = 8;

pub(super) struct Strings {
    /// The first record without its counts, once it is full.
    first: Option<Vec<u8>>,
    /// The data of the current record.
    open: Vec<u8>,
    /// Full records after the first.
    file: BufWriter<File>,
    file_bytes: u64,
    known: HashMap<Box<str>, u32>,
    known_bytes: usize,
    used: u32,
    entries: u32,
    /// Where each `stride`th text starts: position from the first record, and position in its record.
    places: Vec<(u32, u16)>,
    stride: u32,
}

impl Strings {
    pub(super) fn new(file: File) -> Self {
        Self {
            first: None,
            open: vec![0; COUNTS],
            file: BufWriter::new(file),
            file_bytes: 0,
            known: HashMap::new(),
            known_bytes: 0,
            used: 0,
            entries: 0,
            places: Vec::new(),
            stride: STRIDE_MIN,
        }
    }

    /// Returns the size of the table, bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.first.as_ref().map_or(0, Vec::len) as u64 + self.file_bytes + self.open.len() as u64
    }

    /// Returns the number of a text; a new text is added. A text has at most 32,767 UTF-16 units.
    pub(super) fn number(&mut self, text: &str) -> Result<u32> {
        self.used += 1;
        if let Some(number) = self.known.get(text) {
            return Ok(*number);
        }
        let number = self.entries;
        self.enter(text)?;
        self.entries += 1;
        if self.known.len() < KNOWN_MAX && self.known_bytes + text.len() <= KNOWN_BYTES_MAX {
            self.known_bytes += text.len();
            self.known.insert(text.into(), number);
        }
        Ok(number)
    }

    fn enter(&mut self, text: &str) -> Result<()> {
        let (mark, letters) = letters(text);
        // Length and flag must be in one record.
        if self.open.len() + 3 > DATA_MAX {
            self.turn()?;
        }
        self.note_place();
        self.open.extend(((letters.len() >> mark) as u16).to_le_bytes());
        self.open.push(mark);
        let unit = 1 << mark;
        let mut rest = letters.as_slice();
        loop {
            let mut now = ((DATA_MAX - self.open.len()) / unit * unit).min(rest.len());
            // Surrogate pairs must not be split, because readers decode record by record.
            if mark == 1 && now >= 2 && now < rest.len() && rest[now - 1] & 0xfc == 0xd8 {
                now -= 2;
            }
            let (now, later) = rest.split_at(now);
            self.open.extend(now);
            if later.is_empty() {
                return Ok(());
            }
            self.turn()?;
            // A continued record starts with the flag for the width of its letters.
            self.open.push(mark);
            rest = later;
        }
    }

    fn note_place(&mut self) {
        if !self.entries.is_multiple_of(self.stride) {
            return;
        }
        if self.places.len() == PLACES_MAX {
            let mut keep = false;
            self.places.retain(|_| {
                keep = !keep;
                keep
            });
            self.stride *= 2;
            if !self.entries.is_multiple_of(self.stride) {
                return;
            }
        }
        let before = self.first.as_ref().map_or(0, |first| first.len() as u64 + 4) + self.file_bytes;
        let within = self.open.len() as u16 + 4;
        self.places.push((before as u32 + u32::from(within), within));
    }

    /// Ends the current record.
    fn turn(&mut self) -> io::Result<()> {
        if self.first.is_none() {
            self.first = Some(std::mem::take(&mut self.open));
        } else {
            self.file.write_all(&header(CONTINUE, self.open.len()))?;
            self.file.write_all(&self.open)?;
            self.file_bytes += self.open.len() as u64 + 4;
            self.open.clear();
        }
        Ok(())
    }

    /// Returns the table as records. `begin` is its position in the stream.
    pub(super) fn finish(mut self, begin: u32) -> Result<Table> {
        self.turn()?;
        let mut first = self.first.take().unwrap_or_default();
        first[..4].copy_from_slice(&self.used.to_le_bytes());
        first[4..COUNTS].copy_from_slice(&self.entries.to_le_bytes());
        let mut head = Records::default();
        head.record(SST, &first);
        let mut index = (self.stride as u16).to_le_bytes().to_vec();
        for (place, within) in &self.places {
            index.extend((begin + place).to_le_bytes());
            index.extend(within.to_le_bytes());
            index.extend([0, 0]);
        }
        let mut tail = Records::default();
        tail.record(EXT_SST, &index);
        let mut file = self.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        Ok(Table { head: head.0, file, file_bytes: self.file_bytes, tail: tail.0 })
    }
}

/// The completed table.
pub(super) struct Table {
    head: Vec<u8>,
    file: File,
    file_bytes: u64,
    tail: Vec<u8>,
}

impl Table {
    pub(super) fn len(&self) -> u32 {
        (self.head.len() as u64 + self.file_bytes + self.tail.len() as u64) as u32
    }

    pub(super) fn write(self, out: &mut impl Write) -> Result<()> {
        out.write_all(&self.head)?;
        io::copy(&mut self.file.take(self.file_bytes), out)?;
        Ok(out.write_all(&self.tail)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts with their positions, the positions in ExtSST, and the number of texts between two of them.
    type Read = (Vec<(usize, String)>, Vec<(u32, u16)>, u16);

    /// Reads a table according to [MS-XLS]: the letters of each text, with a new flag in each continued record.
    fn read(bytes: &[u8]) -> Read {
        let mut records = Vec::new();
        let mut at = 0;
        while at < bytes.len() {
            let word = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
            let length = usize::from(word(at + 2));
            assert!(length <= DATA_MAX);
            records.push((word(at), at, &bytes[at + 4..at + 4 + length]));
            at += 4 + length;
        }
        let (number, _, index) = records.pop().unwrap();
        assert_eq!(number, EXT_SST);
        let stride = u16::from_le_bytes([index[0], index[1]]);
        let places = index[2..]
            .chunks(8)
            .map(|place| (u32::from_le_bytes(place[..4].try_into().unwrap()), u16::from_le_bytes([place[4], place[5]])));
        assert_eq!(records[0].0, SST);
        assert!(records[1..].iter().all(|(number, ..)| *number == CONTINUE));
        let entries = u32::from_le_bytes(records[0].2[4..8].try_into().unwrap());
        let (mut record, mut at) = (0, 8);
        let mut texts = Vec::new();
        for _ in 0..entries {
            if at == records[record].2.len() {
                (record, at) = (record + 1, 0);
            }
            let place = records[record].1 + 4 + at;
            let data = records[record].2;
            let mut left = usize::from(u16::from_le_bytes([data[at], data[at + 1]]));
            let mut mark = data[at + 2];
            at += 3;
            let mut units = Vec::new();
            while left > 0 {
                if at == records[record].2.len() {
                    (record, at) = (record + 1, 1);
                    mark = records[record].2[0];
                }
                let data = records[record].2;
                units.push(if mark == 1 { u16::from_le_bytes([data[at], data[at + 1]]) } else { data[at].into() });
                at += 1 << mark;
                left -= 1;
            }
            texts.push((place, String::from_utf16(&units).unwrap()));
        }
        assert_eq!((record, at), (records.len() - 1, records.last().unwrap().2.len()), "nothing is left");
        (texts, places.collect(), stride)
    }

    proptest::proptest! {
        #[test]
        fn every_text_comes_back_however_records_cut_it(seed in 0_u64.., lengths in proptest::collection::vec(0_usize..20_000, 1..60)) {
            let mut random = seed;
            let mut strings = Strings::new(tempfile::tempfile().unwrap());
            let mut expected = Vec::new();
            for (number, length) in lengths.iter().enumerate() {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let letter = ["x", "ü", "Ж", "😀"][(random >> 60) as usize % 4];
                let text = format!("{number}{}", letter.repeat(*length / letter.encode_utf16().count()));
                assert_eq!(strings.number(&text).unwrap(), number as u32);
                assert_eq!(strings.number(&text).unwrap(), number as u32);
                expected.push(text);
            }
            let table = strings.finish(1000).unwrap();
            let length = table.len();
            let mut bytes = Vec::new();
            table.write(&mut bytes).unwrap();
            assert_eq!(bytes.len() as u32, length);
            let (texts, places, stride) = read(&bytes);
            assert!(texts.iter().map(|(_, text)| text).eq(&expected));
            for (number, (place, _)) in places.iter().enumerate() {
                assert_eq!(texts[number * usize::from(stride)].0 as u32 + 1000, *place);
            }
        }
    }

    #[test]
    fn memory_is_bounded_however_many_texts_come() {
        let mut strings = Strings::new(tempfile::tempfile().unwrap());
        for number in 0..100_000_u32 {
            assert_eq!(strings.number(&format!("text {number}")).unwrap(), number);
        }
        assert_eq!(strings.known.len(), KNOWN_MAX);
        assert!(strings.places.len() <= PLACES_MAX && strings.stride == 128, "{} {}", strings.places.len(), strings.stride);
        // Not in the lookup any more: added again.
        assert_eq!(strings.number("text 99999").unwrap(), 100_000);
        let mut bytes = Vec::new();
        strings.finish(0).unwrap().write(&mut bytes).unwrap();
        let (texts, places, stride) = read(&bytes);
        assert_eq!(texts.len(), 100_001);
        assert!(places.iter().enumerate().all(|(number, (place, _))| texts[number * usize::from(stride)].0 as u32 == *place));
    }
}
