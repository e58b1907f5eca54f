//! Fonts, number formats, and the cell formats that combine them ([MS-XLS] 2.4.122 Font, 2.4.126 Format, 2.4.353 XF).

use super::record::{Records, short_text, text};
use crate::cell::number_format;
use crate::report::ColumnKind;

const FONT: u16 = 0x0031;
const FORMAT: u16 = 0x041e;
const XF: u16 = 0x00e0;
const STYLE: u16 = 0x0293;

/// Number of the first custom format; lower ones are built in.
const OWN_FORMATS: u16 = 164;
/// Number of style formats, which every file has first, followed by the format of plain cells.
const STYLES: u16 = 15;
/// Format of a plain cell.
pub(super) const PLAIN: u16 = 15;
pub(super) const TITLE: u16 = 16;
pub(super) const FACTS: u16 = 17;
pub(super) const HEADING: u16 = 18;
pub(super) const HEADING_RIGHT: u16 = 19;
pub(super) const NOTE: u16 = 20;
const FIRST_KIND: u16 = 21;

/// Numbers of fonts. In XLS, no font has the number 4. Numbers 0 to 3 are the plain font.
const BOLD: u16 = 5;
const LARGE: u16 = 6;
const GREY: u16 = 7;
const ITALIC: u16 = 8;

/// Numbers of colours: the system's text colour, and two of the fixed palette.
const AUTOMATIC: u16 = 0x7fff;
const GREY_50: u16 = 0x17;
const GREY_25: u16 = 0x16;

/// The kinds of cells in use; each gets a format at its first use.
#[derive(Default)]
pub(super) struct Looks {
    kinds: Vec<ColumnKind>,
}

impl Looks {
    /// Returns the format number of a kind of cell.
    pub(super) fn of(&mut self, kind: ColumnKind) -> u16 {
        let place = self.kinds.iter().position(|known| *known == kind).unwrap_or_else(|| {
            self.kinds.push(kind);
            self.kinds.len() - 1
        });
        FIRST_KIND + place as u16
    }

    pub(super) fn write(&self, out: &mut Records) {
        for _ in 0..4 {
            font(out, 10, 400, false, AUTOMATIC);
        }
        font(out, 10, 700, false, AUTOMATIC);
        font(out, 14, 700, false, AUTOMATIC);
        font(out, 10, 400, false, GREY_50);
        font(out, 10, 400, true, AUTOMATIC);
        let formats: Vec<_> = self.kinds.iter().map(|kind| number_format(*kind)).collect();
        for (format, number) in formats.iter().zip(OWN_FORMATS..) {
            let mut data = number.to_le_bytes().to_vec();
            data.extend(text(format));
            out.record(FORMAT, &data);
        }
        for number in 0..STYLES {
            // Except for the first, which is "Normal", these are outline levels and never used.
            xf(out, Xf { style: true, used: if number == 0 { 0x00 } else { 0xf4 }, ..Xf::default() });
        }
        let heading = Xf { font: BOLD, heading: true, used: 0x78, ..Xf::default() };
        xf(out, Xf::default());
        xf(out, Xf { font: LARGE, used: 0x08, ..Xf::default() });
        xf(out, Xf { font: GREY, used: 0x08, ..Xf::default() });
        xf(out, heading);
        xf(out, Xf { right: true, ..heading });
        xf(out, Xf { font: ITALIC, used: 0x08, ..Xf::default() });
        for (kind, number) in self.kinds.iter().zip(OWN_FORMATS..) {
            // Number 0 is "General" in every language; a custom format would be a literal text.
            let format = if number_format(*kind) == "General" { 0 } else { number };
            xf(out, Xf { format, used: 0x04, ..Xf::default() });
        }
        // "Normal", built in.
        out.record(STYLE, &[0x00, 0x80, 0x00, 0xff]);
    }
}

fn font(out: &mut Records, points: u16, weight: u16, italic: bool, colour: u16) {
    let mut data = Vec::new();
    for word in [points * 20, u16::from(italic) << 1, colour, weight, 0] {
        data.extend(word.to_le_bytes());
    }
    // No underline, a sans-serif family, any character set.
    data.extend([0, 2, 0, 0]);
    data.extend(short_text("Arial"));
    out.record(FONT, &data);
}

#[derive(Clone, Copy, Default)]
struct Xf {
    font: u16,
    format: u16,
    style: bool,
    right: bool,
    /// Format of a heading: wrapped, filled, with a line below.
    heading: bool,
    /// Bits of the properties that differ from the parent.
    used: u8,
}

fn xf(out: &mut Records, look: Xf) {
    debug_assert!(look.font != 4, "no font has the number 4");
    let mut data = Vec::new();
    data.extend(look.font.to_le_bytes());
    data.extend(look.format.to_le_bytes());
    // Locked, like every cell; a style has no parent, the parent of a cell is the first style.
    data.extend(if look.style { 0xfff5_u16 } else { 0x0001 }.to_le_bytes());
    let horizontal = if look.right { 3 } else { u8::from(look.heading) };
    let bottom = 0x20;
    data.extend([horizontal | u8::from(look.heading) << 3 | bottom, 0, 0, look.used]);
    // A thin line below in the text colour (0x40), and a solid fill.
    data.extend((u32::from(look.heading) << 12).to_le_bytes());
    data.extend(((u32::from(look.heading) * 0x40) << 7 | u32::from(look.heading) << 26).to_le_bytes());
    let front = if look.heading { GREY_25 } else { 0x40 };
    data.extend((front | 0x41 << 7).to_le_bytes());
    out.record(XF, &data);
}
