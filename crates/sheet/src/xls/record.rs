//! Records of BIFF8: a number, a length, and little-endian data ([MS-XLS] 2.1.4); and the two ways it writes a text.

/// Data of a record; what is longer goes on in [`CONTINUE`].
pub(super) const DATA_MAX: usize = 8_224;

pub(super) const BOF: u16 = 0x0809;
pub(super) const EOF: u16 = 0x000a;
pub(super) const CONTINUE: u16 = 0x003c;

/// Which substream a BOF begins.
pub(super) const GLOBALS: u16 = 0x0005;
pub(super) const WORKSHEET: u16 = 0x0010;

/// Bytes to which records are added.
#[derive(Default)]
pub(super) struct Records(pub(super) Vec<u8>);

impl Records {
    /// A record of 16-bit fields, as most are.
    pub(super) fn words(&mut self, number: u16, words: &[u16]) {
        let data: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.record(number, &data);
    }

    /// A record of bytes, no longer than [`DATA_MAX`].
    pub(super) fn record(&mut self, number: u16, data: &[u8]) {
        self.0.extend(header(number, data.len()));
        self.0.extend(data);
    }

    /// The beginning of a substream: BIFF8, as Excel 97 and later write it.
    pub(super) fn begin(&mut self, kind: u16) {
        self.words(BOF, &[0x0600, kind, 0x0dbb, 0x07cc, 0x00c1, 0x0000, 0x0006, 0x0000]);
    }

    /// Bytes so far.
    pub(super) fn len(&self) -> u32 {
        self.0.len() as u32
    }
}

/// The four bytes before the data of a record.
pub(super) fn header(number: u16, length: usize) -> [u8; 4] {
    debug_assert!(length <= DATA_MAX, "record {number:#06x} has {length} bytes");
    let ([a, b], [c, d]) = (number.to_le_bytes(), (length as u16).to_le_bytes());
    [a, b, c, d]
}

/// The letters of a text and the mark before them: 0 when each fits one byte (Latin-1), 1 for UTF-16.
pub(super) fn letters(text: &str) -> (u8, Vec<u8>) {
    if text.chars().all(|letter| u32::from(letter) < 0x100) {
        (0, text.chars().map(|letter| letter as u8).collect())
    } else {
        (1, text.encode_utf16().flat_map(u16::to_le_bytes).collect())
    }
}

/// A text of up to 255 letters behind a length of one byte.
pub(super) fn short_text(text: &str) -> Vec<u8> {
    let (mark, letters) = letters(text);
    let mut data = vec![(letters.len() >> mark) as u8, mark];
    data.extend(letters);
    data
}

/// A text behind a length of two bytes.
pub(super) fn text(text: &str) -> Vec<u8> {
    let (mark, letters) = letters(text);
    let mut data = ((letters.len() >> mark) as u16).to_le_bytes().to_vec();
    data.push(mark);
    data.extend(letters);
    data
}
