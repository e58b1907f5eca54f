//! Columns of charts that can be told apart in grey: each series is filled in its own way besides its colour.

use std::io::Write;

use super::page::{Colour, Pages};

/// Between the lines of a hatch.
const APART: f32 = 3.4;
const THICK: f32 = 0.9;
/// Lines of one column at most: a page has no room for more.
const LINES_MAX: usize = 400;

/// Which lines lie on the colour of a series, by its number.
fn ways(number: usize) -> (bool, bool, bool) {
    // Rising, level, falling.
    [(false, false, false), (true, false, false), (false, true, false), (true, false, true)][number % 4]
}

/// A filled rectangle, `y` being its lower edge.
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
    // Aslant they begin beside the rectangle, whose edges cut them.
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
