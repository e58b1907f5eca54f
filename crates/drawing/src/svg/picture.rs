//! Positions in an SVG: those of groups with ids, and of the lines in them.

use std::collections::HashMap;

use roxmltree::{Document, Node};

use super::placed::Spot;
use crate::fault::{Fault, shown};
use crate::schema::CORNERS_MAX;
use crate::xml::fault;

/// Largest coordinate.
pub(super) const FAR: f64 = 100_000.0;
/// Elements that a diagram does not need and a browser would execute or load.
const ACTIVE: [&str; 8] = ["script", "foreignObject", "iframe", "embed", "object", "animate", "set", "handler"];

/// The elements of an SVG by id.
#[derive(Debug)]
pub(super) struct Picture<'a> {
    text: &'a str,
    by_id: HashMap<&'a str, Vec<Node<'a, 'a>>>,
    root: Node<'a, 'a>,
}

/// A position as an affine transformation: the images of both axes and of the origin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Place {
    right: Spot,
    down: Spot,
    origin: Spot,
}

impl Place {
    const HERE: Self = Self::moved(0.0, 0.0);

    const fn moved(x: f64, y: f64) -> Self {
        Self { right: [1.0, 0.0], down: [0.0, 1.0], origin: [x, y] }
    }

    const fn scaled(x: f64, y: f64) -> Self {
        Self { right: [x, 0.0], down: [0.0, y], origin: [0.0, 0.0] }
    }

    fn turned(degrees: f64) -> Self {
        let (sin, cos) = degrees.to_radians().sin_cos();
        Self { right: [cos, sin], down: [-sin, cos], origin: [0.0, 0.0] }
    }

    /// Converts a point of the element to a point of the sheet.
    pub(super) fn apply(self, [x, y]: Spot) -> Spot {
        [0, 1].map(|axis| self.right[axis] * x + self.down[axis] * y + self.origin[axis])
    }

    /// Whether it is rotated by about 90°.
    pub(super) fn is_turned(self) -> bool {
        self.right[1].abs() > self.right[0].abs()
    }

    fn then(self, inner: Self) -> Self {
        let direction = |[x, y]: Spot| [0, 1].map(|axis| self.right[axis] * x + self.down[axis] * y);
        Self { right: direction(inner.right), down: direction(inner.down), origin: self.apply(inner.origin) }
    }
}

impl<'a> Picture<'a> {
    /// Indexes a document; refuses active content.
    pub(super) fn of(text: &'a str, document: &'a Document<'a>) -> Result<Self, Fault> {
        let root = document.root_element();
        if root.tag_name().name() != "svg" {
            return Err(fault(text, root, format!("{}: an SVG begins with svg", shown(root.tag_name().name()))));
        }
        let mut by_id: HashMap<&str, Vec<Node>> = HashMap::new();
        for node in root.descendants().filter(Node::is_element) {
            let name = node.tag_name().name();
            if ACTIVE.iter().any(|active| name.eq_ignore_ascii_case(active)) {
                return Err(fault(text, node, format!("{} has no place in a diagram", shown(name))));
            }
            for attribute in node.attributes() {
                if attribute.name().get(..2).is_some_and(|begin| begin.eq_ignore_ascii_case("on"))
                    || attribute.value().trim_start().to_ascii_lowercase().starts_with("javascript:")
                {
                    return Err(fault(text, node, format!("attribute {} has no place in a diagram", shown(attribute.name()))));
                }
            }
            if let Some(id) = node.attribute("id") {
                by_id.entry(id).or_default().push(node);
            }
        }
        Ok(Self { text, by_id, root })
    }

    /// Returns the elements with an id. PowSyBl gives the same id to the junctions on both sides of a symbol.
    pub(super) fn elements(&self, id: &str) -> Result<&[Node<'a, 'a>], Fault> {
        self.by_id.get(id).map(Vec::as_slice).ok_or_else(|| {
            let what = format!("there is no element {}, which the metadata has: export the SVG and its metadata together", shown(id));
            fault(self.text, self.root, what)
        })
    }

    /// Returns the only element with an id.
    pub(super) fn element(&self, id: &str) -> Result<Node<'a, 'a>, Fault> {
        match self.elements(id)? {
            [one, second, ..] => {
                let line = Fault::at(self.text, one.range().start, "").line;
                let what =
                    format!("there are two elements {}, the first on line {line}: give each its own id, in the metadata too", shown(id));
                Err(fault(self.text, *second, what))
            }
            several => Ok(several[0]),
        }
    }

    /// Returns the position of an element.
    pub(super) fn place(&self, node: Node<'a, 'a>) -> Result<Place, Fault> {
        let place = self.place_of(node)?;
        if [place.right, place.down, place.origin].iter().flatten().all(|number| number.abs() <= FAR) {
            Ok(place)
        } else {
            Err(fault(self.text, node, "lies too far out"))
        }
    }

    fn place_of(&self, node: Node<'a, 'a>) -> Result<Place, Fault> {
        // The depth of the document is limited.
        node.ancestors().filter_map(|around| Some((around, around.attribute("transform")?))).try_fold(
            Place::HERE,
            |inner, (around, transform_text)| {
                let outer = transform(transform_text).ok_or_else(|| {
                    fault(
                        self.text,
                        around,
                        format!("transform {}: translate, rotate, scale and matrix are understood", shown(transform_text)),
                    )
                })?;
                Ok(outer.then(inner))
            },
        )
    }

    /// Returns the text that PowSyBl writes beside a symbol.
    pub(super) fn label(node: Node<'a, 'a>) -> Option<&'a str> {
        let is_label = |inner: &Node| inner.tag_name().name() == "text" && inner.attribute("class") == Some("sld-label");
        node.descendants().find(is_label)?.text().map(str::trim).filter(|text| !text.is_empty())
    }

    /// Returns the ends of a busbar.
    pub(super) fn bar(&self, id: &str) -> Result<[Spot; 2], Fault> {
        let node = self.element(id)?;
        let line = node.descendants().find(|inner| {
            inner.has_tag_name((inner.tag_name().namespace().unwrap_or_default(), "line")) || inner.tag_name().name() == "line"
        });
        let line = line.ok_or_else(|| fault(self.text, node, format!("busbar {} has no line", shown(id))))?;
        let place = self.place_of(line)?;
        let number = |name: &str| match line.attribute(name) {
            None => Ok(0.0),
            Some(attribute) => {
                number(attribute).ok_or_else(|| fault(self.text, line, format!("{name} is {}, no number", shown(attribute))))
            }
        };
        let ends = [[number("x1")?, number("y1")?], [number("x2")?, number("y2")?]].map(|spot| place.apply(spot));
        if (ends[0][0] - ends[1][0]).hypot(ends[0][1] - ends[1][1]) < 0.5 {
            return Err(fault(self.text, line, format!("busbar {} has no length", shown(id))));
        }
        ends.iter().flatten().all(|number| number.abs() <= FAR).then_some(ends).ok_or_else(|| fault(self.text, line, "lies too far out"))
    }

    /// Returns the corner points of each line with the id of a wire. A wire between busbars is not drawn.
    pub(super) fn wires(&self, id: &str) -> Result<Vec<Vec<Spot>>, Fault> {
        let elements = self.by_id.get(id).map(Vec::as_slice).unwrap_or_default();
        let lines = elements.iter().filter_map(|node| node.descendants().find(|inner| inner.tag_name().name() == "polyline"));
        lines.map(|line| self.wire(line)).collect()
    }

    fn wire(&self, line: Node<'a, 'a>) -> Result<Vec<Spot>, Fault> {
        let attribute = line.attribute("points").unwrap_or_default();
        let numbers: Option<Vec<f64>> =
            attribute.split([',', ' ', '\n', '\r', '\t']).filter(|part| !part.is_empty()).take(CORNERS_MAX * 2 + 1).map(number).collect();
        let numbers = numbers.filter(|numbers| numbers.len() % 2 == 0 && (4..=CORNERS_MAX * 2).contains(&numbers.len()));
        let numbers = numbers
            .ok_or_else(|| fault(self.text, line, format!("points are {}: 2 to {CORNERS_MAX} pairs of numbers", shown(attribute))))?;
        let place = self.place_of(line)?;
        let corners: Vec<Spot> = numbers.chunks_exact(2).map(|pair| place.apply([pair[0], pair[1]])).collect();
        if corners.iter().flatten().all(|number| number.abs() <= FAR) {
            Ok(corners)
        } else {
            Err(fault(self.text, line, "lies too far out"))
        }
    }
}

fn number(text: &str) -> Option<f64> {
    text.trim().parse::<f64>().ok().filter(|number| number.abs() <= FAR)
}

/// Parses a transform attribute.
fn transform(transform_text: &str) -> Option<Place> {
    let mut place = Place::HERE;
    let mut rest = transform_text.trim();
    for _ in 0..16 {
        if rest.is_empty() {
            return Some(place);
        }
        let (name, after) = rest.split_once('(')?;
        let (inside, after) = after.split_once(')')?;
        let numbers: Vec<f64> = inside.split([',', ' ']).filter(|part| !part.is_empty()).take(7).map(number).collect::<Option<_>>()?;
        place = place.then(match (name.trim(), &numbers[..]) {
            ("translate", [x]) => Place::moved(*x, 0.0),
            ("translate", [x, y]) => Place::moved(*x, *y),
            ("scale", [both]) => Place::scaled(*both, *both),
            ("scale", [x, y]) => Place::scaled(*x, *y),
            ("matrix", [right_x, right_y, down_x, down_y, x, y]) => {
                Place { right: [*right_x, *right_y], down: [*down_x, *down_y], origin: [*x, *y] }
            }
            ("rotate", [angle]) => Place::turned(*angle),
            ("rotate", [angle, x, y]) => Place::moved(*x, *y).then(Place::turned(*angle)).then(Place::moved(-*x, -*y)),
            _ => return None,
        });
        rest = after.trim_start_matches([',', ' ', '\n']);
    }
    None
}
