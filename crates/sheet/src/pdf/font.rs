//! The regular and the bold font of a report: widths of texts, used glyphs, and the subset that is embedded in the file.
//!
//! DejaVu Sans Condensed has Latin, Greek, Cyrillic, Armenian, Georgian, Hebrew, Arabic and common technical symbols (Ω, Δ, ₹, →). Characters
//! that it lacks (the scripts of India and of East Asia) are displayed as U+FFFD, but text copied from the page is correct: see
//! [`Shown::spoken`]. Arabic is in the right order, but its letters are not joined.

use std::collections::{BTreeMap, HashMap};
use std::io::Write;

use miniz_oxide::deflate::compress_to_vec_zlib;
use pdf_writer::types::{CidFontType, FontFlags, SystemInfo, UnicodeCmap};
use pdf_writer::{Chunk, Filter, Finish, Name, Rect, Ref, Str};
use subsetter::GlyphRemapper;
use ttf_parser::{Face as Outlines, GlyphId};
use unicode_bidi::BidiInfo;

use super::file::File;
use crate::{Error, Result};

const SYSTEM: SystemInfo<'static> = SystemInfo { registry: Str(b"Adobe"), ordering: Str(b"Identity"), supplement: 0 };
/// The character that is displayed in place of characters that the font lacks.
const UNKNOWN: char = '\u{fffd}';
/// Largest number of cached widths: more than the font has.
const KNOWN_MAX: usize = 8_192;

/// A font.
pub(super) struct Face {
    name: &'static str,
    data: &'static [u8],
    outlines: Outlines<'static>,
    /// Factor to 1000 units per em, as PDF uses.
    scale: f32,
    known: HashMap<char, Option<(u16, f32)>>,
    used: GlyphRemapper,
    /// Letter and width of each glyph, by its number in the subset.
    glyphs: BTreeMap<u16, (char, f32)>,
}

/// A text as it is written to the page.
pub(super) struct Shown {
    /// Glyph numbers, two bytes each, in visual order.
    pub(super) glyphs: Vec<u8>,
    /// Whether the text must be written in addition to its glyphs, because some characters were replaced or left out.
    pub(super) spoken: bool,
}

impl Face {
    pub(super) fn regular() -> Result<Self> {
        Self::read("DejaVuSansCondensed", dejavu::sans_condensed::regular())
    }

    pub(super) fn bold() -> Result<Self> {
        Self::read("DejaVuSansCondensed-Bold", dejavu::sans_condensed::bold())
    }

    fn read(name: &'static str, data: &'static [u8]) -> Result<Self> {
        let outlines = Outlines::parse(data, 0).map_err(|error| Error::Font(error.to_string()))?;
        let scale = 1000.0 / f32::from(outlines.units_per_em());
        Ok(Self { name, data, outlines, scale, known: HashMap::new(), used: GlyphRemapper::new(), glyphs: BTreeMap::new() })
    }

    /// Returns the glyph and width of a letter; `None` if the font lacks it.
    fn glyph(&mut self, letter: char) -> Option<(u16, f32)> {
        if let Some(known) = self.known.get(&letter) {
            return *known;
        }
        let glyph = self.outlines.glyph_index(letter).filter(|glyph| glyph.0 != 0);
        let found =
            glyph.map(|GlyphId(glyph)| (glyph, f32::from(self.outlines.glyph_hor_advance(GlyphId(glyph)).unwrap_or(0)) * self.scale));
        if self.known.len() < KNOWN_MAX {
            self.known.insert(letter, found);
        }
        found
    }

    /// Returns the width of a letter at size 1.
    pub(super) fn letter_width(&mut self, letter: char) -> f32 {
        if is_mark(letter) {
            return 0.0;
        }
        let (_, width) = self.glyph(letter).or_else(|| self.glyph(UNKNOWN)).unwrap_or_default();
        width / 1000.0
    }

    /// Returns the width of a text at size 1.
    pub(super) fn width(&mut self, text: &str) -> f32 {
        text.chars().map(|letter| self.letter_width(letter)).sum()
    }

    /// Returns the glyphs of one line, from left to right.
    pub(super) fn show(&mut self, text: &str) -> Shown {
        let plain = text.chars().all(|letter| letter < '\u{590}');
        let ordered = if plain { text.to_owned() } else { left_to_right(text) };
        // A different order alone needs no additional text: readers derive the order from the letters, and would reverse it again.
        let mut spoken = false;
        let mut glyphs = Vec::with_capacity(ordered.len() * 2);
        for letter in ordered.chars() {
            if is_mark(letter) {
                spoken = true;
                continue;
            }
            let found = self.glyph(letter).map(|found| (letter, found)).or_else(|| {
                spoken = true;
                self.glyph(UNKNOWN).map(|found| (UNKNOWN, found))
            });
            let (letter, (glyph, width)) = found.unwrap_or_default();
            let number = self.used.remap(glyph);
            self.glyphs.entry(number).or_insert((letter, width));
            glyphs.extend(number.to_be_bytes());
        }
        Shown { glyphs, spoken }
    }

    /// Writes the font with the used glyphs.
    pub(super) fn write<W: Write>(&self, number: Ref, file: &mut File<W>) -> Result<()> {
        let part = subsetter::subset(self.data, 0, &self.used).map_err(|error| Error::Font(error.to_string()))?;
        // A name with six letters in front marks a subset; the same glyphs give the same letters.
        let mut hash = self.glyphs.values().fold(5381_u32, |hash, (letter, _)| hash.wrapping_mul(33) ^ u32::from(*letter));
        let mut name = String::new();
        for _ in 0..6 {
            name.push(char::from(b'A' + (hash % 26) as u8));
            hash /= 26;
        }
        name.push('+');
        name.push_str(self.name);
        let name = Name(name.as_bytes());
        let (cid, descriptor, data, unicode) = (file.promise(), file.promise(), file.promise(), file.promise());

        let mut chunk = Chunk::new();
        chunk.type0_font(number).base_font(name).encoding_predefined(Name(b"Identity-H")).descendant_font(cid).to_unicode(unicode);
        file.write(number, &chunk)?;

        let mut chunk = Chunk::new();
        let mut font = chunk.cid_font(cid);
        font.subtype(CidFontType::Type2).base_font(name).system_info(SYSTEM).font_descriptor(descriptor).default_width(0.0);
        font.cid_to_gid_map_predefined(Name(b"Identity"));
        let mut widths = font.widths();
        for (glyph, (_, width)) in &self.glyphs {
            widths.consecutive(*glyph, [*width]);
        }
        widths.finish();
        font.finish();
        file.write(cid, &chunk)?;

        let mut chunk = Chunk::new();
        let (face, scale) = (&self.outlines, self.scale);
        let scaled = |value: i16| f32::from(value) * scale;
        let edge = face.global_bounding_box();
        let mut described = chunk.font_descriptor(descriptor);
        described.name(name).flags(FontFlags::NON_SYMBOLIC).italic_angle(0.0).stem_v(if face.is_bold() { 140.0 } else { 80.0 });
        described.bbox(Rect::new(scaled(edge.x_min), scaled(edge.y_min), scaled(edge.x_max), scaled(edge.y_max)));
        described.ascent(scaled(face.ascender())).descent(scaled(face.descender()));
        described.cap_height(scaled(face.capital_height().unwrap_or_else(|| face.ascender()))).font_file2(data);
        described.finish();
        file.write(descriptor, &chunk)?;

        let packed = compress_to_vec_zlib(&part, 6);
        let mut chunk = Chunk::new();
        chunk.stream(data, &packed).filter(Filter::FlateDecode).pair(Name(b"Length1"), part.len() as i32);
        file.write(data, &chunk)?;

        let mut map = UnicodeCmap::new(Name(b"Custom"), SYSTEM);
        for (glyph, (letter, _)) in &self.glyphs {
            map.pair(*glyph, *letter);
        }
        let mut chunk = Chunk::new();
        chunk.cmap(unicode, &map.finish());
        file.write(unicode, &chunk)
    }
}

/// Whether a letter has no width on the page: joiners, direction marks and variation selectors.
fn is_mark(letter: char) -> bool {
    matches!(letter, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}')
}

/// Returns a line in visual order, by the Unicode bidirectional algorithm.
fn left_to_right(text: &str) -> String {
    let order = BidiInfo::new(text, None);
    order.paragraphs.iter().map(|paragraph| order.reorder_line(paragraph, paragraph.range.clone())).collect()
}
