//! Pages: their size, the writing position, and the content that all of them have (specification 3, section 9).

use std::io::Write;

use grid::time::Micros;
use jiff::tz::TimeZone;
use miniz_oxide::deflate::compress_to_vec_zlib;
use pdf_writer::{Chunk, Content, Date, Filter, Finish, Name, Rect, Ref, Str, TextStr};

use super::file::File;
use super::font::Face;
use crate::Result;
use crate::cell::{clean_line, local};
use crate::logo::{Logo, Samples};

/// A size of paper with its margins, in points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Paper {
    width: f32,
    height: f32,
    pub(super) left: f32,
    right: f32,
    top: f32,
    bottom: f32,
}

impl Paper {
    /// The paper of tables.
    pub(super) const LARGE: Self = Self { width: 1200.0, height: 800.0, left: 20.0, right: 20.0, top: 40.0, bottom: 40.0 };
    /// A4 portrait, for documents.
    pub(super) const A4: Self = Self { width: 595.28, height: 841.89, left: 42.0, right: 42.0, top: 56.0, bottom: 50.0 };

    /// Returns the width between the margins.
    pub(super) const fn room(self) -> f32 {
        self.width - self.left - self.right
    }

    /// Returns the height between the margins.
    pub(super) const fn whole(self) -> f32 {
        self.height - self.top - self.bottom
    }
}

/// The texts at the edges of every page.
#[derive(Debug, Clone, Default)]
pub(super) struct Edges {
    /// Texts at the top left and top right.
    pub(super) left: String,
    pub(super) right: String,
    /// Whether the first page, which has the title, has these texts too.
    pub(super) from_first: bool,
    /// Text at the bottom, next to the page number.
    pub(super) foot: String,
}

/// Distances of the texts from the edges of the paper, outside of the margins, points.
const HEADER: f32 = 26.0;
const FOOTER: f32 = 22.0;
const EDGE_SIZE: f32 = 8.0;
const SIGNATURE_SIZE: f32 = 9.0;
/// Largest width and height of the logo above a table, points.
pub(super) const LOGO_ROOM: (f64, f64) = (150.0, 44.0);
/// Distance from the start of the page number to the right margin, points.
const NUMBERS: f32 = 96.0;

pub(super) type Colour = [f32; 3];
pub(super) const INK: Colour = [0.11, 0.13, 0.16];
pub(super) const FAINT: Colour = [0.38, 0.42, 0.47];
pub(super) const RULE: Colour = [0.78, 0.81, 0.85];

/// The weight of the font.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Weight {
    Regular,
    Bold,
}

pub(super) struct Pages<W> {
    file: File<W>,
    regular: Face,
    bold: Face,
    pub(super) paper: Paper,
    title: String,
    edges: Edges,
    created: Option<Date>,
    catalogue: Ref,
    tree: Ref,
    resources: Ref,
    fonts: [Ref; 2],
    /// The logo, written when it is drawn.
    logo: Option<Ref>,
    /// The text " of 12". It is a form object to which each page refers, and which is written when the number of pages
    /// is known.
    total: Ref,
    /// The completed pages.
    done: Vec<Ref>,
    pub(super) content: Content,
    /// Writing position: the upper edge of the next content, from the bottom of the page.
    pub(super) y: f32,
}

impl<W: Write> Pages<W> {
    pub(super) fn new(paper: Paper, title: &str, made: (Micros, &TimeZone), edges: Edges, out: W) -> Result<Self> {
        let mut file = File::new(out)?;
        Ok(Self {
            catalogue: file.promise(),
            tree: file.promise(),
            resources: file.promise(),
            fonts: [file.promise(), file.promise()],
            logo: None,
            total: file.promise(),
            file,
            regular: Face::regular()?,
            bold: Face::bold()?,
            title: clean_line(title),
            edges,
            created: created(made),
            done: Vec::new(),
            content: Content::new(),
            y: paper.height - paper.top,
            paper,
        })
    }

    /// Returns the remaining height below the writing position.
    pub(super) fn left(&self) -> f32 {
        self.y - self.paper.bottom
    }

    /// Starts a new page unless this height fits below the writing position.
    pub(super) fn need(&mut self, height: f32) -> Result<()> {
        if self.left() < height && self.y < self.paper.height - self.paper.top { self.turn() } else { Ok(()) }
    }

    pub(super) fn face(&mut self, weight: Weight) -> &mut Face {
        match weight {
            Weight::Regular => &mut self.regular,
            Weight::Bold => &mut self.bold,
        }
    }

    /// Writes a line of text whose baseline starts at a position.
    pub(super) fn text(&mut self, x: f32, y: f32, weight: Weight, size: f32, colour: Colour, text: &str) {
        if text.is_empty() {
            return;
        }
        let shown = self.face(weight).show(text);
        if shown.spoken {
            self.content.begin_marked_content_with_properties(Name(b"Span")).properties().actual_text(TextStr(text));
        }
        let name = if weight == Weight::Bold { Name(b"B") } else { Name(b"R") };
        let [red, green, blue] = colour;
        self.content.begin_text().set_font(name, size).set_fill_rgb(red, green, blue).next_line(x, y).show(Str(&shown.glyphs)).end_text();
        if shown.spoken {
            self.content.end_marked_content();
        }
    }

    /// Draws a filled rectangle; `y` is its lower edge.
    pub(super) fn fill(&mut self, x: f32, y: f32, width: f32, height: f32, [red, green, blue]: Colour) {
        self.content.set_fill_rgb(red, green, blue).rect(x, y, width, height).fill_nonzero();
    }

    /// Draws a straight line.
    pub(super) fn line(&mut self, from: (f32, f32), to: (f32, f32), width: f32, [red, green, blue]: Colour) {
        self.content.set_stroke_rgb(red, green, blue).set_line_width(width).move_to(from.0, from.1).line_to(to.0, to.1).stroke();
    }

    /// Draws the logo with its lower left corner at a position, on the first page.
    pub(super) fn logo(&mut self, logo: &Logo, (x, y): (f32, f32), (width, height): (f32, f32)) -> Result<()> {
        let number = match self.logo {
            Some(number) => number,
            None => self.write_logo(logo)?,
        };
        self.logo = Some(number);
        self.content.save_state().transform([width, 0.0, 0.0, height, x, y]).x_object(Name(b"Logo")).restore_state();
        Ok(())
    }

    fn write_logo(&mut self, logo: &Logo) -> Result<Ref> {
        let number = self.file.promise();
        let (width, height) = logo.pixels();
        let (width, height) = (width as i32, height as i32);
        let mut chunk = Chunk::new();
        match logo.samples() {
            Samples::Jpeg { is_grey } => {
                let mut image = chunk.image_xobject(number, logo.file());
                image.filter(Filter::DctDecode);
                image.width(width).height(height).bits_per_component(8);
                if *is_grey {
                    image.color_space().device_gray();
                } else {
                    image.color_space().device_rgb();
                }
                image.finish();
            }
            Samples::Pixels { rgb, alpha } => {
                let mask = self.file.promise();
                let packed = compress_to_vec_zlib(alpha, 6);
                let mut opacity = Chunk::new();
                let mut image = opacity.image_xobject(mask, &packed);
                image.filter(Filter::FlateDecode);
                image.width(width).height(height).bits_per_component(8).color_space().device_gray();
                image.finish();
                self.file.write(mask, &opacity)?;
                let packed = compress_to_vec_zlib(rgb, 6);
                let mut image = chunk.image_xobject(number, &packed);
                image.filter(Filter::FlateDecode);
                image.width(width).height(height).bits_per_component(8).s_mask(mask);
                image.color_space().device_rgb();
                image.finish();
            }
        }
        self.file.write(number, &chunk)?;
        Ok(number)
    }

    /// Draws the lines for signatures at the writing position (specification 3, section 9).
    pub(super) fn signatures(&mut self) {
        let (left, width) = (self.paper.left, 260.0);
        let gap = (self.paper.room() - 3.0 * width) / 2.0;
        for (words, place) in ["In Charge", "Reviewed By", "Signature"].into_iter().zip(0_u8..) {
            let x = left + f32::from(place) * (width + gap);
            self.line((x, self.y), (x + width, self.y), 0.7, INK);
            self.text(x, self.y - 12.0, Weight::Regular, SIGNATURE_SIZE, FAINT, words);
        }
        self.y -= 16.0;
    }

    /// Ends this page and starts the next.
    pub(super) fn turn(&mut self) -> Result<()> {
        self.end_page()?;
        self.y = self.paper.height - self.paper.top;
        Ok(())
    }

    fn end_page(&mut self) -> Result<()> {
        let number = self.done.len() + 1;
        let (edges, Paper { width, height, left, right, .. }) = (self.edges.clone(), self.paper);
        if number > 1 || edges.from_first {
            self.text(left, height - HEADER, Weight::Bold, EDGE_SIZE, FAINT, &edges.left);
            let from = width - right - self.regular.width(&edges.right) * EDGE_SIZE;
            self.text(from, height - HEADER, Weight::Regular, EDGE_SIZE, FAINT, &edges.right);
        }
        self.text(left, FOOTER, Weight::Regular, EDGE_SIZE, FAINT, &edges.foot);
        let numbered = format!("Page {number}");
        let x = width - right - NUMBERS;
        self.text(x, FOOTER, Weight::Regular, EDGE_SIZE, FAINT, &numbered);
        let end = x + self.regular.width(&numbered) * EDGE_SIZE;
        self.content.save_state().transform([1.0, 0.0, 0.0, 1.0, end, FOOTER]).x_object(Name(b"Total")).restore_state();

        let content = std::mem::replace(&mut self.content, Content::new()).finish();
        let packed = compress_to_vec_zlib(content.as_slice(), 6);
        let (content, page) = (self.file.promise(), self.file.promise());
        let mut chunk = Chunk::new();
        chunk.stream(content, &packed).filter(Filter::FlateDecode);
        self.file.write(content, &chunk)?;
        let mut chunk = Chunk::new();
        let mut object = chunk.page(page);
        object.parent(self.tree).media_box(Rect::new(0.0, 0.0, width, height)).contents(content);
        object.pair(Name(b"Resources"), self.resources);
        object.finish();
        self.file.write(page, &chunk)?;
        self.done.push(page);
        Ok(())
    }

    /// Writes the last page and all reserved objects.
    pub(super) fn finish(mut self) -> Result<()> {
        self.end_page()?;
        let shown = self.regular.show(&format!(" of {}", self.done.len()));
        let mut drawing = Content::new();
        let [red, green, blue] = FAINT;
        drawing.begin_text().set_font(Name(b"R"), EDGE_SIZE).set_fill_rgb(red, green, blue).show(Str(&shown.glyphs)).end_text();
        let drawing = drawing.finish();
        let mut chunk = Chunk::new();
        let mut form = chunk.form_xobject(self.total, drawing.as_slice());
        form.bbox(Rect::new(0.0, -EDGE_SIZE, NUMBERS, EDGE_SIZE * 2.0)).resources().fonts().pair(Name(b"R"), self.fonts[0]);
        form.finish();
        self.file.write(self.total, &chunk)?;

        for (face, number) in [&self.regular, &self.bold].into_iter().zip(self.fonts) {
            face.write(number, &mut self.file)?;
        }
        let mut chunk = Chunk::new();
        let mut resources = chunk.indirect(self.resources).start::<pdf_writer::writers::Resources<'_>>();
        resources.fonts().pair(Name(b"R"), self.fonts[0]).pair(Name(b"B"), self.fonts[1]);
        let mut objects = resources.x_objects();
        objects.pair(Name(b"Total"), self.total);
        if let Some(logo) = self.logo {
            objects.pair(Name(b"Logo"), logo);
        }
        objects.finish();
        resources.finish();
        self.file.write(self.resources, &chunk)?;

        let mut chunk = Chunk::new();
        chunk.pages(self.tree).count(self.done.len() as i32).kids(self.done.iter().copied());
        self.file.write(self.tree, &chunk)?;
        let mut chunk = Chunk::new();
        let mut catalogue = chunk.indirect(self.catalogue).start::<pdf_writer::writers::Catalog<'_>>();
        catalogue.pages(self.tree).lang(TextStr("en"));
        catalogue.viewer_preferences().pair(Name(b"DisplayDocTitle"), true);
        catalogue.finish();
        self.file.write(self.catalogue, &chunk)?;
        let number = self.file.promise();
        let mut chunk = Chunk::new();
        let mut info = chunk.indirect(number).start::<pdf_writer::writers::DocumentInfo<'_>>();
        info.title(TextStr(&self.title)).producer(TextStr("Switchyard"));
        if let Some(made) = self.created {
            info.creation_date(made);
        }
        info.finish();
        self.file.write(number, &chunk)?;
        self.file.finish(self.catalogue, number)
    }
}

/// Returns the time of creation as a text for users.
pub(super) fn made_at(made: Micros, zone: &TimeZone) -> String {
    local(made, zone).map_or_else(String::new, |made| made.strftime("%Y-%m-%d %H:%M:%S").to_string())
}

/// Returns the time of creation with its offset from UTC, for the metadata of the file.
fn created((at, zone): (Micros, &TimeZone)) -> Option<Date> {
    let made = local(at, zone)?;
    let part = |value: i8| value as u8;
    let offset = zone.to_offset(jiff::Timestamp::from_microsecond(at.0).ok()?).seconds() / 60;
    let date = Date::new(made.year() as u16).month(part(made.month())).day(part(made.day()));
    let date = date.hour(part(made.hour())).minute(part(made.minute())).second(part(made.second()));
    Some(date.utc_offset_hour((offset / 60) as i8).utc_offset_minute((offset.abs() % 60) as u8))
}
