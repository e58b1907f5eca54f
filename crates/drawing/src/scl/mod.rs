//! Imports the substation section of an SCL file (IEC 61850-6: SSD or SCD): what stands there, what is connected to what, and where it is drawn.
//!
//! With coordinates (attributes x, y and dir of the namespace for them, each counted from the thing around it) it is drawn as it was; without, it is
//! laid out. Symbols carry the names of their connectivity nodes, so what is connected does not depend on how the lines run.

mod lay;
mod model;
mod place;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use crate::attach::{Imported, Matcher};
use crate::fault::{self, Fault};
use crate::layout::{Asset, ITEMS_MAX};
use crate::schema::Nodes;

use model::Model;

/// Bytes that a file may have: with its IEDs a large station's is some 10 MB.
pub const BYTES_MAX: usize = 24 * 1024 * 1024;

/// Reads a file. `wanted` names the substation in it, when there are several; `assets` are those that its symbols may show.
pub fn read(bytes: &[u8], wanted: Option<&str>, assets: &[Asset]) -> Result<Imported, Fault> {
    let text = fault::text(bytes, BYTES_MAX)?;
    let mut model = model::read(text, wanted)?;
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
    let file = if let Err(why) = places_are_known(&model) {
        notes.extend(why);
        let (plan, more) = lay::plan(&model, &buses);
        notes.extend(more);
        let drawn = crate::layout::draw(&plan).map_err(|error| Fault::at(text, model.begin, error.to_string()))?;
        notes.extend(drawn.notes);
        drawn.file
    } else {
        place::file(&model, &buses)
    };
    notes.extend(matcher.told());
    Ok(Imported { file, notes })
}

/// Whether it can be drawn as it was, or why it is laid out: nothing has a place (nothing to say), or only some things have.
fn places_are_known(model: &Model) -> Result<(), Option<String>> {
    if model.devices.iter().all(|device| device.at.is_none()) {
        return Err(None);
    }
    let lost = model.devices.iter().find(|device| device.at.is_none());
    let why =
        |device: &model::Device| format!("{} has no coordinates, though others do: the whole is laid out anew", fault::shown(&device.path));
    lost.map_or(Ok(()), |device| Err(Some(why(device))))
}
