//! Hatching for chart columns, so that series can be distinguished in greyscale.

use std::io::Write;

use super::page::{Colour, Pages};

/// Distance between the lines of a hatch, points.
const APART: f32 = 3.4;
const THICK: f32 = 0.9;
/// Largest number of lines in one column; a page has no space for more.
const LINES_MAX: usize = 400;

/// Returns the directions of the lines for a series, by its number.
fn ways(number: usize) -> (bool, bool, bool) {
    // Rising, horizontal, falling.
    [(false, false, false), (true, false, false), (false, true, false), (true, false, true)][number % 4]
}

/// Draws a filled rectangle; `y` is its lower edge.
pub(super) fn hatched<W: Write>((x, y): (f32, f32), (width, height): (f32, f32), colour: Colour, number: usize, pages: &mut Pages<W>) {
    pages.fill(x, y, width, height, colour);
    let (rises, lies, falls) = ways(number);
    if !(rises || lies || falls) || width < 1.0 || height < 1.0 {
        return;
    }
    let content = &mut pages.content;
    content.save_state().rect(x, y, width, height).clip_nonzero().end_path();
    content.set_stroke_rgb(1.0, 1.0, 1.0).set_line_width(THICK);
    let steps = |room: f32| (0..LINES_MAX).map(|nth| (nth as f32 + 0.5) * APART).take_while(move |step| *step < room);
    if lies {
        for step in steps(height) {
            content.move_to(x, y + step).line_to(x + width, y + step);
        }
    }
    // Diagonal lines start outside of the rectangle and are clipped at its edges.
    if rises {
        for step in steps(width + height) {
            content.move_to(x + step - height, y).line_to(x + step, y + height);
        }
    }
    if falls {
        for step in steps(width + height) {
            content.move_to(x + step - height, y + height).line_to(x + step, y);
        }
    }
    content.stroke().restore_state();
}
