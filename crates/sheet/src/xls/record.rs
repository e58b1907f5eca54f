//! Records of BIFF8: a number, a length, and little-endian data ([MS-XLS] 2.1.4); and the two encodings of texts.

/// Largest size of the data of a record; longer data continue in [`CONTINUE`].
pub(super) const DATA_MAX: usize = 8_224;

pub(super) const BOF: u16 = 0x0809;
pub(super) const EOF: u16 = 0x000a;
pub(super) const CONTINUE: u16 = 0x003c;

/// The kind of substream that a BOF record starts.
pub(super) const GLOBALS: u16 = 0x0005;
pub(super) const WORKSHEET: u16 = 0x0010;

/// A buffer of records.
#[derive(Default)]
pub(super) struct Records(pub(super) Vec<u8>);

impl Records {
    /// Adds a record of 16-bit fields.
    pub(super) fn words(&mut self, number: u16, words: &[u16]) {
        let data: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.record(number, &data);
    }

    /// Adds a record of bytes, at most [`DATA_MAX`].
    pub(super) fn record(&mut self, number: u16, data: &[u8]) {
        self.0.extend(header(number, data.len()));
        self.0.extend(data);
    }

    /// Adds the start of a substream: BIFF8, as written by Excel 97 and later.
    pub(super) fn begin(&mut self, kind: u16) {
        self.words(BOF, &[0x0600, kind, 0x0dbb, 0x07cc, 0x00c1, 0x0000, 0x0006, 0x0000]);
    }

    /// Returns the number of bytes.
    pub(super) fn len(&self) -> u32 {
        self.0.len() as u32
    }
}

/// Returns the four bytes before the data of a record.
pub(super) fn header(number: u16, length: usize) -> [u8; 4] {
    debug_assert!(length <= DATA_MAX, "record {number:#06x} has {length} bytes");
    let ([a, b], [c, d]) = (number.to_le_bytes(), (length as u16).to_le_bytes());
    [a, b, c, d]
}

/// Returns the encoded letters of a text and the flag before them: 0 if each fits into one byte (Latin-1), 1 for
/// UTF-16.
pub(super) fn letters(text: &str) -> (u8, Vec<u8>) {
    if text.chars().all(|letter| u32::from(letter) < 0x100) {
        (0, text.chars().map(|letter| letter as u8).collect())
    } else {
        (1, text.encode_utf16().flat_map(u16::to_le_bytes).collect())
    }
}

/// Encodes a text of at most 255 letters with a length of one byte.
pub(super) fn short_text(text: &str) -> Vec<u8> {
    let (mark, letters) = letters(text);
    let mut data = vec![(letters.len() >> mark) as u8, mark];
    data.extend(letters);
    data
}

/// Encodes a text with a length of two bytes.
pub(super) fn text(text: &str) -> Vec<u8> {
    let (mark, letters) = letters(text);
    let mut data = ((letters.len() >> mark) as u16).to_le_bytes().to_vec();
    data.push(mark);
    data.extend(letters);
    data
}
