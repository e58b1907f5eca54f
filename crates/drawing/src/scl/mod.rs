//! Imports the substation section of an SCL file (IEC 61850-6: SSD or SCD): equipment, connections and positions.
//!
//! With coordinates (the attributes x, y and dir of the SCL coordinates namespace, each relative to the enclosing element) the drawing keeps the
//! positions. Without them it is laid out automatically. Symbols have the names of their connectivity nodes, so the connections do not depend on the
//! drawn lines.

mod bars;
mod coordinates;
mod lay;
mod model;
mod place;
mod route;
mod scale;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};

use crate::attach::{Imported, Matcher};
use crate::fault::{Fault, LineIndex, shown};
use crate::layout::{Asset, ITEMS_MAX};
use crate::schema::Nodes;

use model::Model;

/// Largest size of a file in bytes. With its IEDs, the file of a large substation has about 10 MB.
pub const BYTES_MAX: usize = 24 * 1024 * 1024;

/// Reads a file. `wanted` is the name of the substation if the file has several. `assets` are those that symbols can be matched to.
pub fn read(bytes: &[u8], substation: Option<&str>, assets: &[Asset]) -> Result<Imported, Fault> {
    let text = crate::encoding::decode(bytes, BYTES_MAX)?;
    let lines = LineIndex::new(&text);
    let mut model = model::read(&text, &lines, substation)?;
    if model.devices.len() + model.nets.len() > ITEMS_MAX {
        return Err(Fault::whole(format!(
            "the substation has {} devices and nodes, {ITEMS_MAX} can be drawn",
            model.devices.len() + model.nets.len()
        )));
    }
    let mut matcher =
        Matcher::new(assets, model.devices.iter().map(|device| device.path.as_str()).chain(model.buses().map(|net| net.bay.as_str())));
    for device in &mut model.devices {
        device.item.nodes = Nodes::named(&device.nets.iter().map(|net| model.nets[*net].path.as_str()).collect::<Vec<_>>());
        matcher.attach(&mut device.item, &device.path);
    }
    let buses: BTreeMap<usize, &Asset> = (0..model.nets.len())
        .filter(|net| model.nets[*net].is_bus)
        .filter_map(|net| Some((net, matcher.find(&model.nets[net].bay)?)))
        .collect();
    let mut notes = std::mem::take(&mut model.notes);
    let mut file = if let Err(why) = places_are_known(&model, &lines) {
        notes.extend(why);
        let (plan, more) = lay::plan(&model, &lines, &buses);
        notes.extend(more);
        let drawn = crate::layout::draw(&plan).map_err(|error| {
            let what = format!("{error}: the substation section needs equipment (an SSD or SCD file)");
            Fault::at(&text, model.begin, what)
        })?;
        notes.extend(drawn.notes);
        drawn.file
    } else {
        let placed = place::file(&model, &lines, &buses);
        notes.extend(placed.notes);
        placed.file
    };
    let named: HashMap<String, usize> = model
        .devices
        .iter()
        .map(|device| (device.item.name.clone(), device.byte))
        .chain(model.nets.iter().map(|net| (place::bus_name(&net.name, net.kv), net.byte)))
        .collect();
    for (_, name) in crate::labels::fit(&mut file.elements) {
        let byte = named.get(&name).copied().unwrap_or(model.begin);
        notes.push(lines.finding(byte, format!("the name {} is shortened to fit", shown(&name))));
    }
    notes.extend(matcher.into_notes());
    Ok(Imported { file, notes })
}

/// Whether positions can be used. The error is the reason for an automatic layout: `None` if no device has a position, a text if only some have one.
fn places_are_known(model: &Model, lines: &LineIndex) -> Result<(), Option<String>> {
    if model.devices.iter().all(|device| device.at.is_none()) {
        return Err(None);
    }
    if let Some(lost) = model.devices.iter().find(|device| device.at.is_none()) {
        let what = format!("{} has no coordinates, though others do: the whole is laid out automatically", shown(&lost.path));
        return Err(Some(lines.finding(lost.byte, what)));
    }
    if let Some((first, second)) = scale::stacked(model) {
        let what = format!(
            "{} is at the same place as {} on line {}: the whole is laid out automatically",
            shown(&second.path),
            shown(&first.path),
            lines.line(first.byte)
        );
        return Err(Some(lines.finding(second.byte, what)));
    }
    Ok(())
}
