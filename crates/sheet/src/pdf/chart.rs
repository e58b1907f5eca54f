//! Vector charts for print: columns and lines over categories, with axes and a legend.
//!
//! A missing value is a gap: no column, and an interrupted line. Lines also differ by dashes and columns by hatching, for prints in greyscale.

use std::io::Write;

use super::axis::{Axis, drawable};
use super::hatch::hatched;
use super::lines::broken;
use super::page::{Colour, FAINT, INK, Pages, RULE, Weight};

/// A chart of a document.
#[derive(Debug, Clone)]
pub struct Chart {
    /// Title above the chart.
    pub title: String,
    /// Unit of the left axis.
    pub unit: String,
    /// Unit of the right axis, which exists if a series uses it.
    pub right_unit: String,
    /// Labels below the chart, from the left; as many as fit are written. At most [`CATEGORIES_MAX`].
    pub categories: Vec<String>,
    /// At most [`SERIES_MAX`].
    pub series: Vec<Series>,
}

/// The values of one series.
#[derive(Debug, Clone)]
pub struct Series {
    /// Name in the legend.
    pub name: String,
    /// How it is drawn.
    pub shape: Shape,
    /// Whether it uses the right axis.
    pub right: bool,
    /// One value per category; `None` if not known.
    pub values: Vec<Option<f64>>,
}

/// The shape of a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Columns next to those of other series, starting at 0.
    Columns,
    /// Stacked columns; negative values are stacked below 0.
    Stacked,
    /// A line through the values.
    Line,
}

/// Largest number of categories: the hours of a month and some more.
pub const CATEGORIES_MAX: usize = 800;
/// Largest number of series, because more series could not be distinguished.
pub const SERIES_MAX: usize = 8;

/// Colours that can be distinguished with red-green colour blindness, and by lightness in greyscale.
const COLOURS: [Colour; SERIES_MAX] = [
    [0.07, 0.36, 0.62],
    [0.85, 0.45, 0.05],
    [0.13, 0.55, 0.45],
    [0.60, 0.20, 0.40],
    [0.45, 0.70, 0.88],
    [0.65, 0.55, 0.10],
    [0.35, 0.35, 0.40],
    [0.75, 0.62, 0.78],
];
const DASHES: [&[f32]; 4] = [&[], &[5.0, 2.0], &[1.5, 1.5], &[6.0, 2.0, 1.5, 2.0]];

const TITLE_SIZE: f32 = 10.5;
const SIZE: f32 = 7.5;
/// Distance from the edge of the chart to the plot, for the numbers at the sides and the labels below, points.
const SIDE: f32 = 46.0;
const BELOW: f32 = 24.0;

/// A rectangle of the page; `y` is its upper edge.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) x: f32,
    pub(super) y: f32,
    pub(super) width: f32,
    pub(super) height: f32,
}

/// The area of the values; `y` is its lower edge.
#[derive(Clone, Copy)]
struct Plot {
    x: f32,
    y: f32,
    width: f32,
    height: f32,
    /// Width of a category, and number of categories.
    step: f32,
    categories: usize,
}

impl Plot {
    fn across(&self, category: usize) -> f32 {
        self.x + (category as f32 + 0.5) * self.step
    }

    fn up(&self, axis: &Axis, value: f64) -> f32 {
        self.y + axis.share(value) * self.height
    }
}

pub(super) fn draw<W: Write>(chart: &Chart, place: Place, pages: &mut Pages<W>) {
    let categories = &chart.categories[..chart.categories.len().min(CATEGORIES_MAX)];
    let series = &chart.series[..chart.series.len().min(SERIES_MAX)];
    let title = broken(pages.face(Weight::Bold), &chart.title, place.width / TITLE_SIZE, 1).concat();
    pages.text(place.x, place.y - TITLE_SIZE, Weight::Bold, TITLE_SIZE, INK, &title);
    let legend = legend(series, place, place.y - TITLE_SIZE - 14.0, pages);
    // The units are above their axes.
    let units = legend - 12.0;
    let right = series.iter().any(|one| one.right);
    let top = units - 6.0;
    let y = place.y - place.height + BELOW;
    let width = place.width - SIDE * if right { 2.0 } else { 1.0 };
    let plot =
        Plot { x: place.x + SIDE, y, width, height: top - y, step: width / categories.len().max(1) as f32, categories: categories.len() };

    let values: Vec<_> = series.iter().flat_map(known).collect();
    if values.is_empty() {
        pages.fill(plot.x, plot.y, plot.width, plot.height, [0.965, 0.971, 0.978]);
        pages.text(plot.x + plot.width / 2.0 - 22.0, plot.y + plot.height / 2.0, Weight::Regular, 10.0, FAINT, "No data");
        return;
    }
    let axis = |side: bool| {
        let here = || series.iter().filter(move |one| one.right == side);
        let single = here().filter(|one| one.shape != Shape::Stacked).flat_map(known);
        let ends =
            (0..categories.len()).flat_map(|category| here().scan((0.0, 0.0), move |ends, one| Some(stacked(one, category, ends).1)));
        Axis::over(single.chain(ends.filter(|end| *end != 0.0)), here().any(|one| one.shape != Shape::Line))
    };
    let axes = [axis(false), axis(true)];
    let left = series.iter().any(|one| !one.right);
    scale(&axes[usize::from(!left)], plot, true, &chart_unit(chart, !left), units, pages);
    if right && left {
        scale(&axes[1], plot, false, &chart.right_unit, units, pages);
    }
    words(categories, plot, pages);
    columns(series, &axes, plot, pages);
    lines(series, &axes, plot, pages);
    let axis = &axes[usize::from(!left)];
    let base = if axis.marks.contains(&0.0) { plot.up(axis, 0.0) } else { plot.y };
    pages.line((plot.x, base), (plot.x + plot.width, base), 0.8, FAINT);
}

fn chart_unit(chart: &Chart, right: bool) -> String {
    if right { chart.right_unit.clone() } else { chart.unit.clone() }
}

fn known(series: &Series) -> impl Iterator<Item = f64> {
    series.values.iter().take(CATEGORIES_MAX).flatten().copied().filter(|value| drawable(*value))
}

fn value(series: &Series, category: usize) -> Option<f64> {
    series.values.get(category).copied().flatten().filter(|value| drawable(*value))
}

/// Draws the legend. Returns the height of its lowest line.
fn legend<W: Write>(series: &[Series], place: Place, y: f32, pages: &mut Pages<W>) -> f32 {
    let (mut x, mut y) = (place.x, y);
    for (number, one) in series.iter().enumerate() {
        let name = broken(pages.face(Weight::Regular), &one.name, place.width / 2.0 / SIZE, 1).concat();
        let width = 18.0 + pages.face(Weight::Regular).width(&name) * SIZE + 14.0;
        if x > place.x && x + width > place.x + place.width {
            (x, y) = (place.x, y - 11.0);
        }
        match one.shape {
            Shape::Columns | Shape::Stacked => hatched((x, y), (13.0, 6.0), COLOURS[number], number, pages),
            Shape::Line => {
                dash(number, pages);
                pages.line((x, y + 2.5), (x + 13.0, y + 2.5), 1.4, COLOURS[number]);
                pages.content.set_dash_pattern([], 0.0);
            }
        }
        pages.text(x + 17.0, y, Weight::Regular, SIZE, INK, &name);
        x += width;
    }
    y
}

fn scale<W: Write>(axis: &Axis, plot: Plot, left: bool, unit: &str, units: f32, pages: &mut Pages<W>) {
    for mark in &axis.marks {
        let y = plot.up(axis, *mark);
        let label = axis.label(*mark);
        let width = pages.face(Weight::Regular).width(&label);
        let size = SIZE.min((SIDE - 8.0) / width);
        if left {
            pages.line((plot.x, y), (plot.x + plot.width, y), 0.4, RULE);
            pages.text(plot.x - 5.0 - width * size, y - 2.6, Weight::Regular, size, FAINT, &label);
        } else {
            pages.text(plot.x + plot.width + 5.0, y - 2.6, Weight::Regular, size, FAINT, &label);
        }
    }
    let width = pages.face(Weight::Regular).width(unit) * SIZE;
    let x =
        if left { (plot.x - 5.0 - width).max(plot.x - SIDE) } else { (plot.x + plot.width + 5.0).min(plot.x + plot.width + SIDE - width) };
    pages.text(x, units, Weight::Regular, SIZE, FAINT, unit);
}

/// Draws the labels of the categories, as many as fit.
fn words<W: Write>(categories: &[String], plot: Plot, pages: &mut Pages<W>) {
    let longest = categories.iter().map(|word| pages.face(Weight::Regular).width(word) * SIZE).fold(0.0, f32::max).min(90.0);
    let each = ((longest + 8.0) / plot.step).ceil().max(1.0) as usize;
    for (place, word) in categories.iter().enumerate().step_by(each) {
        let word = broken(pages.face(Weight::Regular), word, 90.0 / SIZE, 1).concat();
        let width = pages.face(Weight::Regular).width(&word) * SIZE;
        let middle = plot.across(place);
        pages.line((middle, plot.y), (middle, plot.y - 3.0), 0.5, FAINT);
        pages.text(middle - width / 2.0, plot.y - 12.0, Weight::Regular, SIZE, FAINT, &word);
    }
}

fn columns<W: Write>(series: &[Series], axes: &[Axis; 2], plot: Plot, pages: &mut Pages<W>) {
    let all: Vec<_> = series.iter().enumerate().filter(|(_, one)| one.shape != Shape::Line).collect();
    // All stacked series share one column.
    let has_stack = all.iter().any(|(_, one)| one.shape == Shape::Stacked);
    let places = all.iter().filter(|(_, one)| one.shape == Shape::Columns).count() + usize::from(has_stack);
    let width = plot.step * 0.72 / places.max(1) as f32;
    for category in 0..plot.categories {
        let (mut ends, mut place) = ([(0.0, 0.0); 2], usize::from(has_stack));
        for (number, one) in &all {
            let axis = &axes[usize::from(one.right)];
            let (nth, found) = if one.shape == Shape::Stacked {
                let (from, to) = stacked(one, category, &mut ends[usize::from(one.right)]);
                (0, ((to - from).abs() > 0.0).then_some((from, to)))
            } else {
                place += 1;
                (place - 1, value(one, category).map(|value| (0.0, value)))
            };
            let Some((from, to)) = found else { continue };
            let (base, end) = (plot.up(axis, from), plot.up(axis, to));
            let x = plot.across(category) + (nth as f32 - places as f32 / 2.0) * width;
            hatched((x, base.min(end)), (width * 0.92, (end - base).abs()), COLOURS[*number], *number, pages);
        }
    }
}

/// Returns start and end of a series in its stack and advances the ends of the stack above and below 0. Both are equal if the value is not
/// known.
fn stacked(series: &Series, category: usize, (above, below): &mut (f64, f64)) -> (f64, f64) {
    if series.shape != Shape::Stacked {
        return (0.0, 0.0);
    }
    let value = value(series, category).unwrap_or(0.0);
    let end = if value < 0.0 { below } else { above };
    let from = *end;
    *end += value;
    (from, *end)
}

fn lines<W: Write>(series: &[Series], axes: &[Axis; 2], plot: Plot, pages: &mut Pages<W>) {
    for (number, one) in series.iter().enumerate().filter(|(_, one)| one.shape == Shape::Line) {
        let axis = &axes[usize::from(one.right)];
        let [red, green, blue] = COLOURS[number];
        dash(number, pages);
        pages.content.set_stroke_rgb(red, green, blue).set_line_width(1.4);
        let mut drawn = false;
        for category in 0..one.values.len().min(CATEGORIES_MAX) {
            let Some(now) = value(one, category) else {
                drawn = false;
                continue;
            };
            let (x, y) = (plot.across(category), plot.up(axis, now));
            let alone = !drawn && value(one, category + 1).is_none();
            if alone {
                // A single value between gaps has no line; a short one is drawn instead.
                pages.content.move_to(x - 2.5, y).line_to(x + 2.5, y);
            } else if drawn {
                pages.content.line_to(x, y);
            } else {
                pages.content.move_to(x, y);
            }
            drawn = !alone;
        }
        pages.content.stroke().set_dash_pattern([], 0.0);
    }
}

fn dash<W: Write>(number: usize, pages: &mut Pages<W>) {
    pages.content.set_dash_pattern(DASHES[number % DASHES.len()].iter().copied(), 0.0);
}
