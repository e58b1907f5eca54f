//! The logo of a utility, from a PNG or JPEG file.

use std::fmt;
use std::io::Cursor;
use std::sync::Arc;

use png::{ColorType, Decoder, Limits, Transformations};
use rust_xlsxwriter::Image;

use crate::Result;

/// Largest size of the file, bytes.
pub const LOGO_BYTES_MAX: usize = 1024 * 1024;
/// Largest width and height, pixels.
const PIXELS_MAX: u32 = 2_000;

/// A logo that can be written into PDF and XLSX files. Clones share the data.
#[derive(Clone)]
pub struct Logo(Arc<Picture>);

struct Picture {
    file: Vec<u8>,
    width: u32,
    height: u32,
    samples: Samples,
}

/// The logo as PDF stores it.
pub(crate) enum Samples {
    /// The JPEG file itself.
    Jpeg { is_grey: bool },
    /// Three bytes for the colour of each pixel, and one byte for its opacity.
    Pixels { rgb: Vec<u8>, alpha: Vec<u8> },
}

impl fmt::Debug for Logo {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Logo of {} x {} pixels", self.0.width, self.0.height)
    }
}

impl Logo {
    /// Parses a PNG or JPEG file. `None` if it is neither, damaged or too large.
    pub fn parse(file: Vec<u8>) -> Option<Self> {
        if file.len() > LOGO_BYTES_MAX {
            return None;
        }
        let (width, height, samples) = if file.starts_with(b"\x89PNG") { of_png(&file)? } else { of_jpeg(&file)? };
        Some(Self(Arc::new(Picture { file, width, height, samples })))
    }

    /// Returns width and height of the logo after scaling it to fit into the given width and height.
    pub(crate) fn fitted(&self, (width, height): (f64, f64)) -> (f64, f64) {
        let (own_width, own_height) = (f64::from(self.0.width), f64::from(self.0.height));
        let scale = (width / own_width).min(height / own_height);
        (own_width * scale, own_height * scale)
    }

    /// Returns width and height, pixels.
    pub(crate) fn pixels(&self) -> (u32, u32) {
        (self.0.width, self.0.height)
    }

    pub(crate) fn samples(&self) -> &Samples {
        &self.0.samples
    }

    pub(crate) fn file(&self) -> &[u8] {
        &self.0.file
    }

    /// Returns the logo for a workbook, in the given size in pixels.
    pub(crate) fn for_workbook(&self, room: (f64, f64)) -> Result<Image> {
        let (width, height) = self.fitted(room);
        Ok(Image::new_from_buffer(&self.0.file)?.set_scale_to_size(width, height, true).set_alt_text("Logo"))
    }
}

fn of_png(file: &[u8]) -> Option<(u32, u32, Samples)> {
    let pixels = PIXELS_MAX as usize;
    let mut decoder = Decoder::new_with_limits(Cursor::new(file), Limits { bytes: 4 * pixels * pixels });
    decoder.set_transformations(Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().ok()?;
    let (width, height) = sized(reader.info().width, reader.info().height)?;
    let mut bytes = vec![0; reader.output_buffer_size()?];
    let frame = reader.next_frame(&mut bytes).ok()?;
    let (colours, has_alpha) = match frame.color_type {
        ColorType::Grayscale => (1, false),
        ColorType::GrayscaleAlpha => (1, true),
        ColorType::Rgb => (3, false),
        ColorType::Rgba => (3, true),
        ColorType::Indexed => return None,
    };
    let (mut rgb, mut alpha) = (Vec::new(), Vec::new());
    for pixel in bytes.get(..frame.buffer_size())?.chunks_exact(colours + usize::from(has_alpha)) {
        rgb.extend((0..3).map(|colour| pixel[colour.min(colours - 1)]));
        alpha.push(if has_alpha { pixel[colours] } else { u8::MAX });
    }
    Some((width, height, Samples::Pixels { rgb, alpha }))
}

/// Reads the size from the frame header (ITU-T T.81, B.2.2). Images with four colour components are not accepted, because programs interpret them differently.
fn of_jpeg(file: &[u8]) -> Option<(u32, u32, Samples)> {
    let mut rest = file.strip_prefix(b"\xff\xd8")?;
    loop {
        let [0xff, marker, high, low, segment @ ..] = rest else { return None };
        let length = usize::from(u16::from_be_bytes([*high, *low]));
        // SOF0 to SOF2: baseline, extended and progressive.
        if (0xc0..=0xc2).contains(marker) {
            let [8, height @ .., components] = segment.get(..6)? else { return None };
            let [height_high, height_low, width_high, width_low] = height else { return None };
            let height = u16::from_be_bytes([*height_high, *height_low]);
            let width = u16::from_be_bytes([*width_high, *width_low]);
            let (width, height) = sized(width.into(), height.into())?;
            return matches!(components, 1 | 3).then_some((width, height, Samples::Jpeg { is_grey: *components == 1 }));
        }
        rest = segment.get(length.checked_sub(2)?..)?;
    }
}

fn sized(width: u32, height: u32) -> Option<(u32, u32)> {
    let is_allowed = |length: u32| (1..=PIXELS_MAX).contains(&length);
    (is_allowed(width) && is_allowed(height)).then_some((width, height))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a PNG of two pixels, one of them half transparent.
    fn png() -> Vec<u8> {
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, 2, 1);
        encoder.set_color(ColorType::Rgba);
        encoder.write_header().and_then(|mut writer| writer.write_image_data(&[255, 0, 0, 255, 0, 0, 255, 128])).unwrap();
        file
    }

    #[test]
    fn png_has_its_pixels_and_their_opacity() {
        let logo = Logo::parse(png()).unwrap();
        assert_eq!((logo.pixels(), logo.fitted((100.0, 10.0))), ((2, 1), (20.0, 10.0)));
        let Samples::Pixels { rgb, alpha } = logo.samples() else { panic!("a JPEG") };
        assert_eq!((rgb.as_slice(), alpha.as_slice()), ([255, 0, 0, 0, 0, 255].as_slice(), [255, 128].as_slice()));
    }

    #[test]
    fn jpeg_has_the_size_of_its_frame() {
        let head = |components: u8| {
            let mut file = b"\xff\xd8\xff\xe0\x00\x04ab\xff\xc0\x00\x0b\x08\x00\x20\x01\x00".to_vec();
            file.push(components);
            file
        };
        assert_eq!(Logo::parse(head(3)).map(|logo| logo.pixels()), Some((256, 32)));
        assert!(matches!(Logo::parse(head(1)).unwrap().samples(), Samples::Jpeg { is_grey: true }));
        assert!(Logo::parse(head(4)).is_none(), "four colours");
    }

    #[test]
    fn other_files_are_no_logo() {
        let mut damaged = png();
        damaged.truncate(40);
        for file in [Vec::new(), b"<svg/>".to_vec(), b"\xff\xd8\xff\xc0".to_vec(), damaged, vec![0; LOGO_BYTES_MAX + 1]] {
            assert!(Logo::parse(file).is_none());
        }
    }
}
