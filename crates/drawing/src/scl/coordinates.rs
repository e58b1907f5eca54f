//! The coordinates of elements (IEC 61850-6, annex C): `x`, `y` and `dir`, relative to the enclosing element.

use roxmltree::Node;

use crate::fault::shown;
use crate::schema::Orientation;

/// Namespace of the coordinates.
const COORDINATES: &str = "http://www.iec.ch/61850/2003/SCLcoordinates";
/// Largest coordinate relative to the enclosing element.
const FAR: f64 = 100_000.0;

/// The coordinates of one element.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Own {
    Absent,
    At(f64, f64),
    /// One of the two is missing or is no number.
    Unusable,
}

/// Reads the position of an element. Reports a position that cannot be used.
pub(super) fn place(node: Node, report: &mut impl FnMut(String)) -> Own {
    let [x, y] = ["x", "y"].map(|name| node.attribute((COORDINATES, name)));
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|number| number.abs() <= FAR);
    match (x, y) {
        (None, None) => Own::Absent,
        (Some(_), None) => {
            report("has x and no y: its place is not used".to_owned());
            Own::Unusable
        }
        (None, Some(_)) => {
            report("has y and no x: its place is not used".to_owned());
            Own::Unusable
        }
        (Some(x), Some(y)) => {
            if let (Some(x), Some(y)) = (number(x), number(y)) {
                Own::At(x, y)
            } else {
                report(format!("has x {} and y {}, which are not two numbers up to {FAR}: its place is not used", shown(x), shown(y)));
                Own::Unusable
            }
        }
    }
}

/// Reads the orientation of an element. Reports a direction that the standard does not have.
pub(super) fn direction(node: Node, report: &mut impl FnMut(String)) -> Option<Orientation> {
    let text = node.attribute((COORDINATES, "dir"))?;
    let lies = match text.trim().to_ascii_lowercase().as_str() {
        "horizontal" => return Some(Orientation::Horizontal),
        "vertical" => return Some(Orientation::Vertical),
        // Some programs write where the symbol points.
        "east" | "west" => Orientation::Horizontal,
        _ => Orientation::Vertical,
    };
    let word = if lies == Orientation::Horizontal { "horizontal" } else { "vertical" };
    report(format!("has dir {}, which is neither horizontal nor vertical: it is drawn {word}", shown(text)));
    Some(lies)
}
