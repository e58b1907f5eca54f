//! Imports a diagram drawn as SVG with separate metadata, as PowSyBl writes them. Positions come from the SVG, equipment and connections from the metadata. The
//! import keeps no part of the SVG itself. Nevertheless, an SVG with active content is refused.

mod component;
mod metadata;
mod picture;
mod placed;
mod three;
mod wires;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::attach::{Imported, Matcher};
use crate::fault::{Fault, LineIndex, shown};
use crate::layout::{Asset, ITEMS_MAX, Item, SymbolKind, symbol};
use crate::schema::{AssetCode, Busbar, Coordinate, Element, File, Id, Kv, Line, Name, Nodes, Orientation, Path};
use crate::wiring::THIRD_WINDING;

use component::{has_three_windings, is_joint, is_leg, is_transformer, kind};
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
/// Distance by which a symbol on a busbar is moved off it, units of the SVG.
const OFF_BUSBAR: f64 = 12.0;
/// Length of the straight end of a line at a transformer with three windings, drawing units.
const STUB: f64 = 14.0;

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
    let text = crate::encoding::decode(svg, BYTES_MAX)?;
    let document = crate::xml::parse(&text, 1_000_000)?;
    let picture = Picture::of(&text, &document)?;
    let mut import = Import {
        metadata: &metadata,
        picture: &picture,
        lines: LineIndex::new(&text),
        transformers: transformers(&metadata, &picture),
        wire_counts: wire_counts(&metadata),
        placed: Vec::new(),
        notes: Vec::new(),
        matcher: Matcher::new(assets, metadata.nodes.iter().filter(|node| node.is_drawn()).map(|node| node.path.as_str())),
    };
    for node in &metadata.nodes {
        import.place(node)?;
    }
    let wires = wires::follow(&mut import.placed, &metadata, &picture)?;
    import.finish(name, &wires)
}

/// Returns the name and the label of each transformer that is drawn as a symbol. PowSyBl writes the label beside the legs.
fn transformers(metadata: &Metadata, picture: &Picture) -> HashMap<String, Option<String>> {
    let of_kind = |is_kind: fn(&str) -> bool| metadata.nodes.iter().filter(move |node| node.component.as_deref().is_some_and(is_kind));
    let mut found: HashMap<String, Option<String>> = of_kind(is_transformer).map(|node| (node.name.clone(), None)).collect();
    for leg in of_kind(is_leg) {
        let label = picture.elements(&leg.id).ok().and_then(|elements| Picture::label(*elements.first()?));
        if let Some(held) = found.get_mut(whole(&leg.name)) {
            *held = held.take().or_else(|| label.map(str::to_owned));
        }
    }
    found
}

/// Returns the name of a leg's transformer. Old metadata has only ids, such as `TX1_ONE`.
fn whole(leg: &str) -> &str {
    ["_ONE", "_TWO", "_THREE"].iter().find_map(|end| leg.strip_suffix(end)).unwrap_or(leg)
}

fn wire_counts(metadata: &Metadata) -> HashMap<&str, usize> {
    let mut counts = HashMap::new();
    for end in metadata.wires.iter().flat_map(|wire| [&wire.from, &wire.to]) {
        *counts.entry(end.as_str()).or_insert(0) += 1;
    }
    counts
}

struct Import<'a> {
    metadata: &'a Metadata,
    picture: &'a Picture<'a>,
    lines: LineIndex,
    /// The transformers that are symbols, with their labels; their legs are junctions.
    transformers: HashMap<String, Option<String>>,
    /// The number of wires at each node.
    wire_counts: HashMap<&'a str, usize>,
    placed: Vec<Placed>,
    notes: Vec<String>,
    matcher: Matcher<'a>,
}

/// The role of a node in the drawing.
enum Role {
    Joint,
    Symbol(SymbolKind, What),
}

impl<'a> Import<'a> {
    fn place(&mut self, node: &Node) -> Result<(), Fault> {
        let Some(word) = node.component.as_deref() else { return Ok(()) };
        if word == "BUSBAR_SECTION" {
            return self.busbar(node);
        }
        let elements = self.picture.elements(&node.id)?;
        let Role::Symbol(kind, what) = self.role(node, word, elements[0].range().start)? else {
            for element in elements {
                let joint = self.placed_at(node, word, *element, What::Joint)?;
                self.placed.push(joint);
            }
            if let [first, others @ ..] = elements
                && !others.is_empty()
            {
                let lines: Vec<String> = others.iter().map(|other| self.lines.line(other.range().start).to_string()).collect();
                let what =
                    format!("junction {} is drawn again on line {}: each wire goes to the nearest one", shown(&node.id), lines.join(", "));
                self.notes.push(self.lines.finding(first.range().start, what));
            }
            return Ok(());
        };
        let mut placed = self.placed_at(node, word, self.picture.element(&node.id)?, what)?;
        placed.item.kind = kind;
        if let Some(Some(label)) = self.transformers.get(&node.name) {
            placed.item.name.clone_from(label);
        }
        self.matcher.attach(&mut placed.item, &node.path);
        self.placed.push(placed);
        Ok(())
    }

    fn busbar(&mut self, node: &Node) -> Result<(), Fault> {
        let element = self.picture.element(&node.id)?;
        let [from, to] = self.picture.bar(&node.id)?;
        let mut item = Item { name: Picture::label(element).unwrap_or(&node.name).to_owned(), ..Item::default() };
        if let Some(asset) = self.matcher.find(&node.path) {
            item.asset = AssetCode::try_from(asset.code.as_str()).ok();
            item.kv = asset.kv.and_then(|kv| Kv::try_from(kv).ok());
        }
        let byte = element.range().start;
        self.placed.push(Placed { id: node.id.clone(), what: What::Bar(to), item, at: from, lies: Orientation::Vertical, byte });
        Ok(())
    }

    fn placed_at(&self, node: &Node, word: &str, element: roxmltree::Node<'a, 'a>, what: What) -> Result<Placed, Fault> {
        let place = self.picture.place(element)?;
        // The rotation is given by the transform of the symbol, or by the metadata if the symbol itself is drawn rotated.
        let is_turned = place.is_turned() || (node.rotation.unwrap_or(0.0).rem_euclid(180.0) - 90.0).abs() < 45.0;
        let lies = if is_turned { Orientation::Horizontal } else { Orientation::Vertical };
        let [width, height] = self.metadata.size(word);
        let at = place.apply([width / 2.0, height / 2.0]);
        if !at.iter().all(|number| number.abs() <= picture::FAR) {
            return Err(Fault::whole(format!("metadata: {} lies too far out", shown(&node.id))));
        }
        let item = Item { name: Picture::label(element).unwrap_or(&node.name).to_owned(), ..Item::default() };
        Ok(Placed { id: node.id.clone(), what, item, at, lies, byte: element.range().start })
    }

    /// Decides how a node is drawn, and adds a note if it is drawn differently than in the file.
    fn role(&mut self, node: &Node, word: &str, byte: usize) -> Result<Role, Fault> {
        let beginning = format!("{} is a {}, which is", shown(&node.name), shown(word));
        let mut report = |what: &str| self.notes.push(self.lines.finding(byte, format!("{beginning} {what}")));
        if is_leg(word) {
            if self.transformers.contains_key(whole(&node.name)) {
                return Ok(Role::Joint);
            }
            report("drawn as a feeder: its transformer is not in the file");
            return Ok(Role::Symbol(SymbolKind::Feeder, What::End));
        }
        let wires = self.wire_counts.get(node.id.as_str()).copied().unwrap_or(0);
        match kind(word) {
            Some(kind) if has_three_windings(word) => Ok(Role::Symbol(kind, What::ThreeWindings)),
            Some(kind @ (SymbolKind::Breaker | SymbolKind::Isolator | SymbolKind::Transformer)) => Ok(Role::Symbol(kind, What::Through)),
            Some(kind) => Ok(Role::Symbol(kind, What::End)),
            None if is_joint(word) => Ok(Role::Joint),
            None if wires < 2 => {
                report("not drawn; its wires are");
                Ok(Role::Joint)
            }
            // A junction would always count as conducting.
            None if wires == 2 => {
                report("drawn as an isolator: what lies beyond it is known if its asset has a position");
                Ok(Role::Symbol(SymbolKind::Isolator, What::Through))
            }
            None => Err(Fault::whole(format!(
                "metadata: {beginning} not known, and {wires} wires come to it: replace it by symbols with two wires, or remove it"
            ))),
        }
    }

    fn finish(mut self, name: &str, wires: &wires::Wires) -> Result<Imported, Fault> {
        self.drop_shorted(wires);
        let moved = self.move_off_busbars(wires);
        let corners = self.placed.iter().flat_map(|placed| {
            let other = if let What::Bar(to) = placed.what { to } else { placed.at };
            [placed.at, other]
        });
        let least = corners
            .chain(wires.paths.iter().flat_map(|wire| wire.corners.iter().copied()))
            .fold([f64::MAX; 2], |[x, y], at| [x.min(at[0]), y.min(at[1])]);
        let spot = |at: Spot| [MARGIN + (at[0] - least[0]) * SCALE, MARGIN + (at[1] - least[1]) * SCALE];
        let mut elements: Vec<Element> = Vec::new();
        // The byte of each element in the SVG; lines have no name and need none.
        let mut bytes: Vec<usize> = Vec::new();
        let id = |elements: &Vec<Element>| Id::try_from(format!("e{}", elements.len() + 1)).expect("a letter and a number");
        let nodes = |nets: &[usize]| {
            Nodes::named(&nets.iter().map(|net| format!("n{net}")).collect::<Vec<_>>().iter().map(String::as_str).collect::<Vec<_>>())
        };
        let levels = self.levels(wires);
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
                    equipment: None,
                    name: None,
                    nodes: nodes(&[wire.net]),
                };
                elements.push(line.into());
            }
        }
        for (node, foot, net) in moved {
            let path = Path::through(&[spot(foot), spot(self.placed[node].at)]);
            let (kv, nodes) = (levels.get(&net).copied(), nodes(&[net]));
            elements.push(Line { id: id(&elements), path, kv, asset: None, equipment: None, name: None, nodes }.into());
        }
        bytes.resize(elements.len(), 0);
        for (placed, nets) in self.placed.iter().zip(&wires.nets).filter(|(placed, _)| placed.what != What::Joint) {
            bytes.push(placed.byte);
            let mut item = placed.item.clone();
            item.nodes = nodes(nets);
            item.kv = item.kv.or_else(|| nets.first().and_then(|net| levels.get(net)).copied());
            match placed.what {
                What::Joint => {}
                What::Bar(to) => {
                    let ([x1, y1], [x2, y2]) = (spot(placed.at).map(Coordinate::nearest), spot(to).map(Coordinate::nearest));
                    let name = Some(Name::shortened(&item.name));
                    elements.push(
                        Busbar {
                            id: id(&elements),
                            x1,
                            y1,
                            x2,
                            y2,
                            kv: item.kv,
                            asset: item.asset,
                            equipment: None,
                            name,
                            nodes: item.nodes,
                        }
                        .into(),
                    );
                }
                What::End | What::Through | What::ThreeWindings => {
                    if item.kind == SymbolKind::Transformer {
                        let kv = |winding: usize| nets.get(winding).and_then(|net| levels.get(net)).copied();
                        (item.kv, item.kv_low, item.kv_tertiary) = (kv(0), kv(1), kv(2));
                    }
                    let element = symbol(&item, id(&elements), spot(placed.at), placed.lies);
                    elements.push(element);
                }
            }
        }
        if !self.placed.iter().any(|placed| placed.what != What::Joint) {
            return Err(Fault::whole("the metadata has nothing that can be drawn: export the diagram of a substation or voltage level"));
        }
        let mut notes = self.notes;
        for (element, name) in crate::labels::fit(&mut elements) {
            notes.push(self.lines.finding(bytes[element], format!("the name {} is shortened to fit", shown(&name))));
        }
        notes.extend(self.matcher.into_notes());
        Ok(Imported { file: File::new(Name::shortened(name), elements), notes })
    }

    /// Returns the voltage of each net, from any of its devices that has a voltage.
    fn levels(&self, wires: &wires::Wires) -> BTreeMap<usize, Kv> {
        let mut levels = BTreeMap::new();
        for (placed, nets) in self.placed.iter().zip(&wires.nets) {
            if let (Some(kv), false) = (placed.item.kv, placed.slots() > 1 && placed.item.kind == SymbolKind::Transformer) {
                for net in nets {
                    levels.entry(*net).or_insert(kv);
                }
            }
        }
        levels
    }

    /// Removes devices with two terminals on one net. Such a device separates nothing, and a drawing that contains one is refused.
    fn drop_shorted(&mut self, wires: &wires::Wires) {
        for (placed, nets) in self.placed.iter_mut().zip(&wires.nets) {
            let distinct: HashSet<&usize> = nets.iter().collect();
            if distinct.len() < nets.len() {
                placed.what = What::Joint;
                let what = format!("{} has two of its terminals on one node and is not drawn", shown(&placed.item.name));
                self.notes.push(self.lines.finding(placed.byte, what));
            }
        }
    }

    /// Moves symbols that are drawn on a busbar beside it: on it, an open isolator would look like a cut of the busbar. Returns each with the point
    /// on its busbar and the net of the busbar.
    fn move_off_busbars(&mut self, wires: &wires::Wires) -> Vec<(usize, Spot, usize)> {
        let bars: Vec<(Spot, Spot, usize)> = self
            .placed
            .iter()
            .zip(&wires.nets)
            .filter_map(|(placed, nets)| if let What::Bar(to) = placed.what { Some((placed.at, to, nets[0])) } else { None })
            .collect();
        let mut moved = Vec::new();
        for (at, (placed, nets)) in
            self.placed.iter_mut().zip(&wires.nets).enumerate().filter(|(_, (placed, _))| placed.what == What::Through)
        {
            let (along, across) = if placed.lies == Orientation::Vertical { (0, 1) } else { (1, 0) };
            let is_under = |(from, to, _): &&(Spot, Spot, usize)| {
                let is_level = (from[across] - placed.at[across]).abs() < 1.0 && (to[across] - placed.at[across]).abs() < 1.0;
                is_level && (from[along].min(to[along]) - 1.0..=from[along].max(to[along]) + 1.0).contains(&placed.at[along])
            };
            let Some((_, _, net)) = bars.iter().find(is_under) else { continue };
            let Some(side) = nets.iter().position(|other| other == net) else { continue };
            moved.push((at, placed.at, *net));
            placed.at[across] += if side == 0 { OFF_BUSBAR } else { -OFF_BUSBAR };
        }
        moved
    }

    /// Extends the end of a wire to our symbol, because the symbols of the SVG have other sizes.
    fn lead(&self, corners: &mut Vec<Spot>, first: bool, middle: Spot, node: usize, side: usize) {
        let placed = &self.placed[node];
        if first {
            corners.reverse();
        }
        match placed.what {
            What::Joint | What::Bar(_) => {}
            What::ThreeWindings => {
                let ([dx, dy], [out_x, out_y]) = three::terminal(placed.lies, side, [WINDINGS, WINDINGS, THIRD_WINDING]);
                let target = [middle[0] + dx, middle[1] + dy];
                let stub = [target[0] + out_x * STUB, target[1] + out_y * STUB];
                if corners.len() > 1 {
                    corners.pop();
                }
                // The corner keeps the line outside of the symbol: it passes the symbol before it turns to the terminal.
                if let Some(last) = corners.last().copied() {
                    corners.push(if out_x == 0.0 { [last[0], stub[1]] } else { [stub[0], last[1]] });
                }
                corners.extend([stub, target]);
            }
            What::Through if placed.item.kind == SymbolKind::Transformer => {
                let away = [-WINDINGS, WINDINGS][side];
                let target =
                    if placed.lies == Orientation::Vertical { [middle[0], middle[1] + away] } else { [middle[0] + away, middle[1]] };
                if corners.len() > 1 {
                    corners.pop();
                }
                corners.push(target);
            }
            What::End => corners.push(middle),
            What::Through => {
                // A symbol that was moved off its busbar is on the last piece of its wire.
                if let [.., last] = corners[..]
                    && corners.len() > 1
                    && (last[0] - middle[0]).hypot(last[1] - middle[1]) <= OFF_BUSBAR * SCALE
                {
                    corners.pop();
                }
                corners.push(middle);
            }
        }
        if first {
            corners.reverse();
        }
    }
}
