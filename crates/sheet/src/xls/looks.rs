//! Fonts, number formats and the combinations of both that cells name ([MS-XLS] 2.4.122 Font, 2.4.126 Format, 2.4.353 XF).

use super::record::{Records, short_text, text};
use crate::cell::number_format;
use crate::report::Kind;

const FONT: u16 = 0x0031;
const FORMAT: u16 = 0x041e;
const XF: u16 = 0x00e0;
const STYLE: u16 = 0x0293;

/// Formats of our own begin here; those below are built in.
const OWN_FORMATS: u16 = 164;
/// Fifteen combinations for styles and one for plain cells come first, in every file.
const STYLES: u16 = 15;
/// A cell that looks like nothing in particular.
pub(super) const PLAIN: u16 = 15;
pub(super) const TITLE: u16 = 16;
pub(super) const FACTS: u16 = 17;
pub(super) const HEADING: u16 = 18;
pub(super) const HEADING_RIGHT: u16 = 19;
pub(super) const NOTE: u16 = 20;
const FIRST_KIND: u16 = 21;

/// Numbers of fonts. There is none of number 4: the first four are all the plain one.
const BOLD: u16 = 5;
const LARGE: u16 = 6;
const GREY: u16 = 7;
const ITALIC: u16 = 8;

/// Colours by their numbers: what the system writes in, and of the fixed palette.
const AUTOMATIC: u16 = 0x7fff;
const GREY_50: u16 = 0x17;
const GREY_25: u16 = 0x16;

/// The kinds of cells in use; each gets its combination when it first comes.
#[derive(Default)]
pub(super) struct Looks {
    kinds: Vec<Kind>,
}

impl Looks {
    /// What a cell of this kind names.
    pub(super) fn of(&mut self, kind: Kind) -> u16 {
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
            // Beside the first, which is "Normal", they stand for levels of outlines and are never named.
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
            // Number 0 is "General" in every language; of our own it would be a word.
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
    // No underline, a family without serifs, any character set.
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
    /// Of a heading: it wraps, is filled, and has a line below.
    heading: bool,
    /// Which parts are of this one's own, bit by bit.
    used: u8,
}

fn xf(out: &mut Records, look: Xf) {
    debug_assert!(look.font != 4, "no font has the number 4");
    let mut data = Vec::new();
    data.extend(look.font.to_le_bytes());
    data.extend(look.format.to_le_bytes());
    // Locked, as every cell is; a style has no parent, a cell the first.
    data.extend(if look.style { 0xfff5_u16 } else { 0x0001 }.to_le_bytes());
    let horizontal = if look.right { 3 } else { u8::from(look.heading) };
    let bottom = 0x20;
    data.extend([horizontal | u8::from(look.heading) << 3 | bottom, 0, 0, look.used]);
    // A thin line below in the colour of text (0x40), and a full fill.
    data.extend((u32::from(look.heading) << 12).to_le_bytes());
    data.extend(((u32::from(look.heading) * 0x40) << 7 | u32::from(look.heading) << 26).to_le_bytes());
    let front = if look.heading { GREY_25 } else { 0x40 };
    data.extend((front | 0x41 << 7).to_le_bytes());
    out.record(XF, &data);
}
