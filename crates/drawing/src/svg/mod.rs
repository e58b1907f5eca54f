//! Imports a diagram drawn as SVG with separate metadata, as PowSyBl writes them. Positions come from the SVG, equipment and connections from the
//! metadata. Nothing of the SVG itself is kept; an SVG with active content is refused nevertheless.

mod component;
mod metadata;
mod picture;
mod placed;
mod wires;

#[cfg(test)]
mod tests;

use crate::attach::{Imported, Matcher};
use crate::fault::{self, Fault, shown};
use crate::layout::{Asset, ITEMS_MAX, Item, SymbolKind, symbol};
use crate::schema::{AssetCode, Busbar, Coordinate, Element, File, Id, Kv, Line, Name, Nodes, Orientation, Path};

use component::{is_joint, kind};
use metadata::{Metadata, Node};
use picture::Picture;
use placed::{Placed, Spot, What};

/// Largest size of the SVG in bytes.
pub const BYTES_MAX: usize = 24 * 1024 * 1024;
/// Drawing units per unit of the SVG: its symbols are half as large as ours.
const SCALE: f64 = 2.0;
/// Left and upper margin, drawing units.
const MARGIN: f64 = 120.0;
/// Distance from the middle of our transformer symbol to the ends of its lines, drawing units.
const WINDINGS: f64 = 26.0;

/// Reads a diagram. `name` is the name of the substation; `assets` are those that symbols can be matched to.
pub fn read(svg: &[u8], metadata: &[u8], name: &str, assets: &[Asset]) -> Result<Imported, Fault> {
    let in_part = |what: &'static str| move |fault: Fault| Fault { what: format!("{what}: {}", fault.what), ..fault };
    let metadata = Metadata::read(metadata).map_err(in_part("metadata"))?;
    if metadata.nodes.len() + metadata.wires.len() > ITEMS_MAX * 2 {
        return Err(Fault::whole(format!(
            "the diagram has {} nodes and wires, {} can be drawn",
            metadata.nodes.len() + metadata.wires.len(),
            ITEMS_MAX * 2
        )));
    }
    let text = fault::text(svg, BYTES_MAX)?;
    let document = crate::xml::parse(text, 1_000_000)?;
    let picture = Picture::of(text, &document)?;
    let mut import = Import {
        placed: Vec::new(),
        notes: Vec::new(),
        matcher: Matcher::new(assets, metadata.nodes.iter().filter(|node| node.is_drawn()).map(|node| node.path.as_str())),
    };
    for node in &metadata.nodes {
        import.place(node, &metadata, &picture)?;
    }
    let wires = wires::follow(&import.placed, &metadata, &picture)?;
    import.finish(name, &wires)
}

struct Import<'a> {
    placed: Vec<Placed>,
    notes: Vec<String>,
    matcher: Matcher<'a>,
}

impl Import<'_> {
    fn place(&mut self, node: &Node, metadata: &Metadata, picture: &Picture) -> Result<(), Fault> {
        let Some(word) = node.component.as_deref() else { return Ok(()) };
        let place = picture.place(&node.id)?;
        // The rotation is given by the transform of the symbol, or by the metadata if the symbol itself is drawn rotated.
        let is_turned = place.is_turned() || (node.rotation.unwrap_or(0.0).rem_euclid(180.0) - 90.0).abs() < 45.0;
        let lies = if is_turned { Orientation::Horizontal } else { Orientation::Vertical };
        let mut placed = Placed {
            id: node.id.clone(),
            what: What::Joint,
            item: Item { name: node.name.clone(), ..Item::default() },
            at: [0.0; 2],
            lies,
        };
        if word == "BUSBAR_SECTION" {
            let [from, to] = picture.bar(&node.id)?;
            (placed.what, placed.at) = (What::Bar(to), from);
            if let Some(asset) = self.matcher.find(&node.path) {
                placed.item.asset = AssetCode::try_from(asset.code.as_str()).ok();
                placed.item.kv = asset.kv.and_then(|kv| Kv::try_from(kv).ok());
            }
            self.placed.push(placed);
            return Ok(());
        }
        let [width, height] = metadata.size(word);
        placed.at = place.apply([width / 2.0, height / 2.0]);
        if !placed.at.iter().all(|number| number.abs() <= picture::FAR) {
            return Err(Fault::whole(format!("metadata: {} lies too far out", shown(&node.id))));
        }
        match kind(word) {
            Some(kind) => {
                placed.item.kind = kind;
                self.matcher.attach(&mut placed.item, &node.path);
                placed.what = if matches!(kind, SymbolKind::Breaker | SymbolKind::Isolator | SymbolKind::Transformer) {
                    What::Through
                } else {
                    What::End
                };
                if word.starts_with("THREE_WINDINGS") {
                    self.notes.push(format!("{} has three windings: two are drawn", shown(&node.name)));
                }
            }
            None if is_joint(word) => {}
            None => {
                let beginning = format!("{} is a {}, which is", shown(&node.name), shown(word));
                match metadata.wires.iter().map(|wire| usize::from(wire.from == node.id) + usize::from(wire.to == node.id)).sum::<usize>() {
                    0 | 1 => self.notes.push(format!("{beginning} not drawn; its wires are")),
                    // A junction would always count as conducting.
                    2 => {
                        placed.item.kind = SymbolKind::Isolator;
                        self.matcher.attach(&mut placed.item, &node.path);
                        placed.what = What::Through;
                        self.notes
                            .push(format!("{beginning} drawn as an isolator: what lies beyond it is known if its asset has a position"));
                    }
                    many => return Err(Fault::whole(format!("metadata: {beginning} not known, and {many} wires come to it"))),
                }
            }
        }
        self.placed.push(placed);
        Ok(())
    }

    fn finish(self, name: &str, wires: &wires::Wires) -> Result<Imported, Fault> {
        let corners = self.placed.iter().flat_map(|placed| {
            let other = if let What::Bar(to) = placed.what { to } else { placed.at };
            [placed.at, other]
        });
        let least = corners
            .chain(wires.paths.iter().flat_map(|wire| wire.corners.iter().copied()))
            .fold([f64::MAX; 2], |[x, y], at| [x.min(at[0]), y.min(at[1])]);
        let spot = |at: Spot| [MARGIN + (at[0] - least[0]) * SCALE, MARGIN + (at[1] - least[1]) * SCALE];
        let mut elements: Vec<Element> = Vec::new();
        let id = |elements: &Vec<Element>| Id::try_from(format!("e{}", elements.len() + 1)).expect("a letter and a number");
        let nodes = |nets: &[usize]| {
            Nodes::named(&nets.iter().map(|net| format!("n{net}")).collect::<Vec<_>>().iter().map(String::as_str).collect::<Vec<_>>())
        };
        // A net has the voltage of any of its devices that has one.
        let mut levels: std::collections::BTreeMap<usize, Kv> = std::collections::BTreeMap::new();
        for (placed, nets) in self.placed.iter().zip(&wires.nets) {
            if let (Some(kv), false) = (placed.item.kv, placed.item.kind == SymbolKind::Transformer && placed.what == What::Through) {
                for net in nets {
                    levels.entry(*net).or_insert(kv);
                }
            }
        }
        for wire in &wires.paths {
            let mut corners: Vec<Spot> = wire.corners.iter().map(|corner| spot(*corner)).collect();
            for (end, (node, side)) in wire.ends.iter().enumerate() {
                self.lead(&mut corners, end == 0, spot(self.placed[*node].at), *node, *side);
            }
            corners.dedup();
            if corners.len() > 1 {
                let line = Line {
                    id: id(&elements),
                    path: Path::through(&corners),
                    kv: levels.get(&wire.net).copied(),
                    asset: None,
                    name: None,
                    nodes: nodes(&[wire.net]),
                };
                elements.push(line.into());
            }
        }
        for (placed, nets) in self.placed.iter().zip(&wires.nets) {
            let mut item = placed.item.clone();
            item.nodes = nodes(nets);
            item.kv = item.kv.or_else(|| nets.first().and_then(|net| levels.get(net)).copied());
            match placed.what {
                What::Joint => {}
                What::Bar(to) => {
                    let ([x1, y1], [x2, y2]) = (spot(placed.at).map(Coordinate::nearest), spot(to).map(Coordinate::nearest));
                    let name = Some(Name::shortened(&item.name));
                    elements
                        .push(Busbar { id: id(&elements), x1, y1, x2, y2, kv: item.kv, asset: item.asset, name, nodes: item.nodes }.into());
                }
                What::End | What::Through => {
                    if item.kind == SymbolKind::Transformer {
                        (item.kv, item.kv_low) =
                            (nets.first().and_then(|net| levels.get(net)).copied(), nets.get(1).and_then(|net| levels.get(net)).copied());
                    }
                    let element = symbol(&item, id(&elements), spot(placed.at), placed.lies);
                    elements.push(element);
                }
            }
        }
        if !self.placed.iter().any(|placed| placed.what != What::Joint) {
            return Err(Fault::whole("the metadata tells of nothing that can be drawn"));
        }
        let mut notes = self.notes;
        notes.extend(self.matcher.into_notes());
        Ok(Imported { file: File::new(Name::shortened(name), elements), notes })
    }

    /// Extends the end of a wire to our symbol, because the symbols of the SVG have other sizes.
    fn lead(&self, corners: &mut Vec<Spot>, first: bool, middle: Spot, node: usize, side: usize) {
        let placed = &self.placed[node];
        let target = match placed.what {
            What::Joint | What::Bar(_) => return,
            What::Through if placed.item.kind == SymbolKind::Transformer => {
                let away = [-WINDINGS, WINDINGS][side];
                if placed.lies == Orientation::Vertical { [middle[0], middle[1] + away] } else { [middle[0] + away, middle[1]] }
            }
            What::End | What::Through => middle,
        };
        let trimmed = placed.item.kind == SymbolKind::Transformer && corners.len() > 1;
        match (first, trimmed) {
            (true, true) => corners[0] = target,
            (false, true) => *corners.last_mut().expect("two corners") = target,
            (true, false) => corners.insert(0, target),
            (false, false) => corners.push(target),
        }
    }
}
