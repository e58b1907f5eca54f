//! Derives a plan from a substation without coordinates: from each busbar, the highest voltage first, along each line to its
//! end.

use std::collections::{BTreeMap, HashSet};

use super::model::{Model, one_terminal};
use super::place::bus_name;
use crate::fault::shown;
use crate::layout::{Asset, Bay, Hang, Item, Plan, Section, SymbolKind};
use crate::schema::{AssetCode, Kv, Nodes};

/// Returns the plan, and notes about what it cannot show.
pub(super) fn plan(model: &Model, assets: &BTreeMap<usize, &Asset>) -> (Plan, Vec<String>) {
    let mut buses: Vec<usize> = (0..model.nets.len()).filter(|net| model.nets[*net].is_bus).collect();
    buses.sort_by(|a, b| model.nets[*b].kv.map_or(0.0, Kv::get).total_cmp(&model.nets[*a].kv.map_or(0.0, Kv::get)));
    let section = |net: &usize| {
        let own = &model.nets[*net];
        let asset = assets.get(net).and_then(|asset| AssetCode::try_from(asset.code.as_str()).ok());
        Section { asset, name: bus_name(&own.name, own.kv), kv: own.kv, rows: Vec::new(), nodes: Nodes::named(&[&own.path]) }
    };
    let mut on = vec![Vec::new(); model.nets.len()];
    for (at, device) in model.devices.iter().enumerate() {
        device.nets.iter().for_each(|net| on[*net].push(at));
    }
    let sections = buses.iter().map(section).collect();
    let mut walk = Walk {
        model,
        on,
        buses: &buses,
        seen: HashSet::new(),
        plan: Plan { name: model.name.clone(), sections, ..Plan::default() },
        notes: Vec::new(),
    };
    for (section, bus) in buses.iter().enumerate() {
        for first in walk.on[*bus].clone() {
            walk.bay(section, first);
        }
    }
    for (at, device) in model.devices.iter().enumerate() {
        if walk.seen.insert(at) {
            if device.item.kind != SymbolKind::Battery {
                walk.notes.push(format!("{} is connected to no busbar and is drawn apart", shown(&device.path)));
            }
            walk.plan.loose.push(device.item.clone());
        }
    }
    (walk.plan, walk.notes)
}

struct Walk<'a> {
    model: &'a Model,
    /// The devices at each net.
    on: Vec<Vec<usize>>,
    buses: &'a [usize],
    seen: HashSet<usize>,
    plan: Plan,
    notes: Vec<String>,
}

impl Walk<'_> {
    fn section(&self, net: usize) -> Option<usize> {
        self.buses.iter().position(|bus| *bus == net)
    }

    /// Adds the bay that starts with a device at a busbar.
    fn bay(&mut self, section: usize, first: usize) {
        if !self.seen.insert(first) {
            return;
        }
        let bus = self.buses[section];
        // Skip a low-voltage winding directly at its busbar: its bay is found from the high-voltage side.
        let (mut items, mut device, mut from) = (Vec::new(), first, bus);
        let mut other = None;
        loop {
            let (item, next) = self.through(device, from);
            items.push(item);
            let Some(next) = next else { break };
            if let Some(section) = self.section(next) {
                other = Some(section);
                break;
            }
            let Some(after) = self.branch(next, &mut items) else { break };
            (device, from) = (after, next);
        }
        self.hang(section, other, items);
    }

    /// Returns a device as seen from a node, and the node on its other side.
    fn through(&self, at: usize, from: usize) -> (Item, Option<usize>) {
        let device = &self.model.devices[at];
        let mut item = device.item.clone();
        if one_terminal(item.kind) {
            return (item, None);
        }
        let next = device.nets.iter().copied().find(|net| *net != from);
        // The nodes of a transformer are always in the order high, low voltage.
        if item.kind != SymbolKind::Transformer && device.nets.first() != Some(&from) {
            item.nodes = item.nodes.map(Nodes::reversed);
        }
        (item, next)
    }

    /// Adds the devices with one terminal at a node. Returns the device with which the line continues.
    fn branch(&mut self, net: usize, items: &mut Vec<Item>) -> Option<usize> {
        let free: Vec<usize> = self.on[net].iter().copied().filter(|at| !self.seen.contains(at)).collect();
        let (hung, through): (Vec<usize>, Vec<usize>) = free.into_iter().partition(|at| one_terminal(self.model.devices[*at].item.kind));
        let (ends, beside): (Vec<usize>, Vec<usize>) = hung.into_iter().partition(|at| self.model.devices[*at].item.kind.is_end());
        for at in beside {
            self.seen.insert(at);
            items.push(self.model.devices[at].item.clone());
        }
        // Of several continuations, the one that does not lead directly to a busbar belongs to the bay; the others are selectors
        // of other busbars.
        let leads_to_bus = |at: &usize| self.model.devices[*at].nets.iter().any(|other| *other != net && self.section(*other).is_some());
        let onward = through.iter().copied().find(|at| !leads_to_bus(at)).or_else(|| through.first().copied().filter(|_| ends.is_empty()));
        for at in &through {
            if Some(*at) != onward {
                self.notes.push(format!(
                    "{} is drawn apart: its line goes to a bay that is drawn elsewhere",
                    shown(&self.model.devices[*at].path)
                ));
            }
        }
        if let Some(at) = onward {
            self.seen.insert(at);
            if let Some(end) = ends.first() {
                self.notes.push(format!("{} stands amid a line and is drawn apart", shown(&self.model.devices[*end].path)));
            }
            return Some(at);
        }
        if let Some((end, rest)) = ends.split_first() {
            self.seen.insert(*end);
            items.push(self.model.devices[*end].item.clone());
            for at in rest {
                self.notes.push(format!("{} ends a line that has an end already and is drawn apart", shown(&self.model.devices[*at].path)));
            }
        }
        None
    }

    fn hang(&mut self, section: usize, other: Option<usize>, items: Vec<Item>) {
        let kv = |section: usize| self.plan.sections[section].kv.map_or(0.0, Kv::get);
        let units = items.iter().filter(|item| item.kind == SymbolKind::Transformer).count();
        let hang = match other {
            Some(other) if units == 1 && kv(section) > kv(other) => Hang::Between(section, other),
            Some(other) if units == 0 && other != section && kv(section).to_bits() == kv(other).to_bits() => Hang::Couple(section, other),
            Some(_) => {
                let name = items.first().map_or("", |item| item.name.as_str());
                self.notes.push(format!("the bay of {} leads to a busbar where no line can be drawn: it ends before it", shown(name)));
                Hang::Below(section)
            }
            None if items.iter().any(|item| matches!(item.kind, SymbolKind::Source | SymbolKind::Generator)) && units == 0 => {
                Hang::Above(section)
            }
            None => Hang::Below(section),
        };
        self.plan.bays.push(Bay { hang, items });
    }
}
