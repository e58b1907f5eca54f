//! Computes the areas that symbols and their names need on the screen, and shortens names that do not fit.
//!
//! The sizes are those of the web's drawing (`web/src/features/diagram/symbols`).

use std::collections::HashMap;

use crate::layout::SymbolKind;
use crate::schema::{Category, Element, Name, Orientation};

/// Mean width of a letter relative to the size of its font.
const LETTER: f64 = 0.62;
/// Space between two texts, drawing units.
const SPACE: f64 = 4.0;
/// Height of the rows in which boxes are looked up, drawing units.
const ROW: f64 = 40.0;
/// Maximum number of rows in which one rectangle is entered.
const ROWS_MAX: usize = 1_000;
/// A shorter name says nothing.
const LETTERS_MIN: usize = 3;

/// The distances from the middle of a symbol to its outermost parts on both sides, with its name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Area {
    pub left: f64,
    pub right: f64,
}

/// A rectangle: left, top, right, bottom.
type Rectangle = [f64; 4];

/// Where the name of a symbol is, relative to its middle.
struct Place {
    x: f64,
    y: f64,
    align: Align,
    size: f64,
}

#[derive(Clone, Copy)]
enum Align {
    Left,
    Center,
    Right,
}

impl Place {
    fn new(x: f64, y: f64, align: Align, size: f64) -> Self {
        Self { x, y, align, size }
    }

    fn rectangle(&self, [x, y]: [f64; 2], letters: usize) -> Rectangle {
        let width = letters as f64 * self.size * LETTER;
        let (x, y) = (x + self.x, y + self.y);
        let left = match self.align {
            Align::Left => x,
            Align::Center => x - width / 2.0,
            Align::Right => x - width,
        };
        [left, y - self.size / 2.0, left + width, y + self.size / 2.0]
    }
}

/// Returns the room of a symbol with its name.
pub(crate) fn area_of(kind: SymbolKind, lies: Orientation, name: &str) -> Area {
    let is_lying = lies == Orientation::Horizontal;
    let (place, [left, _, right, _]) = match kind {
        SymbolKind::Breaker => (Some(breaker(is_lying)), SMALL),
        SymbolKind::Transformer => (Some(TRANSFORMER), if is_lying { [-26.0, -26.0, 26.0, 33.0] } else { [-33.0, -26.0, 26.0, 26.0] }),
        SymbolKind::Isolator => (None, ISOLATOR),
        SymbolKind::EarthSwitch if !is_lying => (None, EARTH_RIGHT),
        SymbolKind::Feeder => (Some(FEEDER), SMALL),
        SymbolKind::Source => (Some(SOURCE), SMALL),
        SymbolKind::Generator | SymbolKind::Motor => (Some(MACHINE), [-15.0, -15.0, 15.0, 15.0]),
        SymbolKind::Capacitor => (Some(CAPACITOR), SMALL),
        SymbolKind::Reactor => (Some(REACTOR), SMALL),
        SymbolKind::Battery => (Some(BATTERY), SMALL),
        _ => (None, SMALL),
    };
    let name = place.map_or([0.0; 4], |place| place.rectangle([0.0; 2], name.chars().count()));
    Area { left: -left.min(name[0]) + SPACE, right: right.max(name[2]) + SPACE }
}

const SMALL: Rectangle = [-10.0, -10.0, 10.0, 10.0];
/// With the mark of an unknown position beside the symbol.
const ISOLATOR: Rectangle = [-12.0, -10.0, 18.0, 10.0];
const EARTH_RIGHT: Rectangle = [-4.0, -10.0, 50.0, 10.0];
const EARTH_DOWN: Rectangle = [-10.0, -4.0, 10.0, 50.0];
const TRANSFORMER: Place = Place { x: 30.0, y: -16.0, align: Align::Left, size: 13.0 };
const FEEDER: Place = Place { x: 0.0, y: 20.0, align: Align::Center, size: 13.0 };
const SOURCE: Place = Place { x: 0.0, y: -20.0, align: Align::Center, size: 13.0 };
const MACHINE: Place = Place { x: 0.0, y: 26.0, align: Align::Center, size: 12.0 };
const CAPACITOR: Place = Place { x: 0.0, y: 46.0, align: Align::Center, size: 12.0 };
const REACTOR: Place = Place { x: 16.0, y: 0.0, align: Align::Left, size: 12.0 };
const BATTERY: Place = Place { x: 22.0, y: 0.0, align: Align::Left, size: 12.0 };
const BUSBAR: Place = Place { x: 0.0, y: -14.0, align: Align::Left, size: 13.0 };

fn breaker(is_lying: bool) -> Place {
    if is_lying { Place::new(0.0, -18.0, Align::Center, 11.0) } else { Place::new(-16.0, 0.0, Align::Right, 11.0) }
}

/// Shortens names that would lie on a symbol or on another name. Returns the index and the former name of each element that is changed.
pub(crate) fn fit(elements: &mut [Element]) -> Vec<(usize, String)> {
    let mut taken = Taken::default();
    for (at, element) in elements.iter().enumerate() {
        if let Some(rectangle) = symbol_of(element) {
            taken.add(at, rectangle);
        }
    }
    let mut changed = Vec::new();
    for (at, element) in elements.iter_mut().enumerate() {
        let other_end = other_end(element);
        let Some((middle, place, name)) = name_of(element) else { continue };
        let Some(full) = name.as_ref().map(|name| name.as_str().to_owned()).filter(|full| !full.is_empty()) else { continue };
        let letters = full.chars().count();
        let fitting = |middle| {
            let width = taken.room(at, &place, middle, letters);
            ((width / (place.size * LETTER)).floor().max(0.0) as usize).min(letters)
        };
        let (middle, fitting) = match other_end {
            Some(other) if fitting(other) > fitting(middle) => (other, fitting(other)),
            _ => (middle, fitting(middle)),
        };
        if fitting < letters {
            let short: String = full.chars().take(fitting.saturating_sub(1)).chain(['…']).collect();
            *name = (fitting > LETTERS_MIN).then(|| Name::shortened(&short));
            changed.push((at, full));
        }
        if fitting == letters || fitting > LETTERS_MIN {
            taken.add(usize::MAX, place.rectangle(middle, fitting));
        }
        if Some(middle) == other_end {
            turn(element);
        }
    }
    changed
}

/// Returns the other end of a horizontal busbar, which is a second possible place for its name.
fn other_end(element: &Element) -> Option<[f64; 2]> {
    let Element::Busbar(bar) = element else { return None };
    ((bar.y1.get() - bar.y2.get()).abs() < 1.0).then(|| [bar.x2.get(), bar.y2.get()])
}

/// Exchanges the ends of a busbar.
fn turn(element: &mut Element) {
    if let Element::Busbar(bar) = element {
        (bar.x1, bar.x2, bar.y1, bar.y2) = (bar.x2, bar.x1, bar.y2, bar.y1);
    }
}

/// Rectangles by the rows that they cross, with the element that they belong to.
#[derive(Default)]
struct Taken(HashMap<i64, Vec<(usize, Rectangle)>>);

impl Taken {
    fn rows([_, top, _, bottom]: Rectangle) -> std::ops::RangeInclusive<i64> {
        (top / ROW).floor() as i64..=(bottom / ROW).floor() as i64
    }

    fn add(&mut self, element: usize, rectangle: Rectangle) {
        // The limit keeps a hostile file from filling the memory; no station is as high.
        for row in Self::rows(rectangle).take(ROWS_MAX) {
            self.0.entry(row).or_default().push((element, rectangle));
        }
    }

    /// Returns the width that the name of an element can have.
    fn room(&self, element: usize, place: &Place, middle: [f64; 2], letters: usize) -> f64 {
        let [left, top, right, bottom] = place.rectangle(middle, letters);
        let x = middle[0] + place.x;
        // A half of a letter beyond the width keeps a name whole that fits exactly.
        let mut room = right - left + place.size * LETTER / 2.0;
        // The sheet begins at 0.
        match place.align {
            Align::Left => {}
            Align::Right => room = room.min(x),
            Align::Center => room = room.min(2.0 * x),
        }
        for (other, [l, t, r, b]) in Self::rows([left, top, right, bottom]).filter_map(|row| self.0.get(&row)).flatten() {
            if *other == element || *l >= right + SPACE || *r + SPACE <= left || *t >= bottom || *b <= top {
                continue;
            }
            let (before, after) = (x - (r + SPACE), l - SPACE - x);
            room = room.min(match place.align {
                Align::Left => after,
                Align::Right => before,
                Align::Center => 2.0 * before.max(after),
            });
        }
        room
    }
}

/// Returns the rectangle of a symbol.
fn symbol_of(element: &Element) -> Option<Rectangle> {
    let at = |x: f64, y: f64, [left, top, right, bottom]: Rectangle| [x + left, y + top, x + right, y + bottom];
    Some(match element {
        Element::Breaker(it) => at(it.x.get(), it.y.get(), SMALL),
        Element::Isolator(it) => {
            let earth = match it.category {
                Some(Category::EarthSwitchRight) => EARTH_RIGHT,
                Some(Category::EarthSwitchDown) => EARTH_DOWN,
                _ => ISOLATOR,
            };
            at(it.x.get(), it.y.get(), earth)
        }
        Element::Transformer(it) => {
            let is_lying = it.orientation == Some(Orientation::Horizontal);
            at(it.x.get(), it.y.get(), if is_lying { [-26.0, -18.0, 26.0, 18.0] } else { [-20.0, -26.0, 20.0, 26.0] })
        }
        Element::Ct(it) => at(it.x.get(), it.y.get(), SMALL),
        Element::Pt(it) => at(it.x.get(), it.y.get(), SMALL),
        Element::Arrester(it) => at(it.x.get(), it.y.get(), SMALL),
        Element::Fuse(it) => at(it.x.get(), it.y.get(), SMALL),
        Element::Capacitor(it) => at(it.x.get(), it.y.get(), [-12.0, -4.0, 12.0, 32.0]),
        Element::Reactor(it) => at(it.x.get(), it.y.get(), [-6.0, -18.0, 10.0, 18.0]),
        Element::Generator(it) => at(it.x.get(), it.y.get(), [-15.0, -15.0, 15.0, 15.0]),
        Element::Motor(it) => at(it.x.get(), it.y.get(), [-15.0, -15.0, 15.0, 15.0]),
        Element::Source(it) => at(it.x.get(), it.y.get(), SMALL),
        Element::Feeder(it) => at(it.x.get(), it.y.get(), SMALL),
        Element::Battery(it) => at(it.x.get(), it.y.get(), SMALL),
        Element::Busbar(it) => {
            let ([left, right], [top, bottom]) = (sorted(it.x1.get(), it.x2.get()), sorted(it.y1.get(), it.y2.get()));
            [left, top - 2.0, right, bottom + 2.0]
        }
        _ => return None,
    })
}

fn sorted(a: f64, b: f64) -> [f64; 2] {
    if a < b { [a, b] } else { [b, a] }
}

/// Returns the position of an element, where its name is, and the name.
fn name_of(element: &mut Element) -> Option<([f64; 2], Place, &mut Option<Name>)> {
    Some(match element {
        Element::Breaker(it) => {
            let place = breaker(it.orientation == Some(Orientation::Horizontal));
            ([it.x.get(), it.y.get()], place, &mut it.name)
        }
        Element::Transformer(it) => ([it.x.get(), it.y.get()], TRANSFORMER, &mut it.name),
        Element::Feeder(it) => ([it.x.get(), it.y.get()], FEEDER, &mut it.name),
        Element::Source(it) => ([it.x.get(), it.y.get()], SOURCE, &mut it.name),
        Element::Generator(it) => ([it.x.get(), it.y.get()], MACHINE, &mut it.name),
        Element::Motor(it) => ([it.x.get(), it.y.get()], MACHINE, &mut it.name),
        Element::Capacitor(it) => ([it.x.get(), it.y.get()], CAPACITOR, &mut it.name),
        Element::Reactor(it) => ([it.x.get(), it.y.get()], REACTOR, &mut it.name),
        Element::Battery(it) => ([it.x.get(), it.y.get()], BATTERY, &mut it.name),
        Element::Busbar(it) => ([it.x1.get(), it.y1.get()], BUSBAR, &mut it.name),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{Breaker, Busbar, Coordinate, Id, Isolator};

    fn breaker(id: &str, x: f64, name: &str) -> Element {
        let mut element = Breaker::new(Id::try_from(id).expect("an id"), x, 0.0);
        element.name = Some(Name::shortened(name));
        element.into()
    }

    #[test]
    fn names_are_shortened_where_others_are() {
        let mut elements = vec![breaker("a", 200.0, "CB1"), breaker("b", 300.0, "CB of a long name"), breaker("c", 330.0, "CB3")];
        let changed = fit(&mut elements);
        assert_eq!(changed, [(1, "CB of a long name".to_owned()), (2, "CB3".to_owned())]);
        let names: Vec<Option<String>> =
            elements.iter_mut().map(|element| name_of(element)?.2.as_ref().map(|name| name.as_str().to_owned())).collect();
        assert_eq!(names, [Some("CB1".to_owned()), Some("CB of a l…".to_owned()), None]);
        assert!(fit(&mut elements).is_empty(), "it fits now");
    }

    #[test]
    fn name_of_a_busbar_goes_to_the_end_with_more_room() {
        let [x1, x2, y] = [100.0, 300.0, 50.0].map(Coordinate::nearest);
        let id = |text: &str| Id::try_from(text).expect("an id");
        let name = Some(Name::shortened("11 kV Bus-A"));
        let bar = Busbar { id: id("bar"), x1, y1: y, x2, y2: y, kv: None, asset: None, equipment: None, name, nodes: None };
        let mut elements: Vec<Element> = vec![bar.into(), Isolator::new(id("is"), 130.0, 36.0).into()];
        assert!(fit(&mut elements).is_empty());
        let Element::Busbar(bar) = &elements[0] else { panic!("a busbar") };
        assert_eq!((bar.x1.get(), bar.x2.get()), (300.0, 100.0));
    }
}
