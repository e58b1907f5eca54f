//! Derives a plan from a substation without coordinates: from each busbar, the highest voltage first, along each line to its
//! end.

use std::collections::{BTreeMap, HashSet};

use super::model::{Model, one_terminal};
use super::place::bus_name;
use crate::fault::{LineIndex, shown};
use crate::layout::{Asset, Bay, Hang, Item, Plan, Section, SymbolKind};
use crate::schema::{AssetCode, Kv, Nodes};

/// Returns the plan, and notes about what it cannot show.
pub(super) fn plan(model: &Model, lines: &LineIndex, assets: &BTreeMap<usize, &Asset>) -> (Plan, Vec<String>) {
    let mut on = vec![Vec::new(); model.nets.len()];
    for (at, device) in model.devices.iter().enumerate() {
        device.nets.iter().for_each(|net| on[*net].push(at));
    }
    let islands = islands(model, &on);
    let mut buses: Vec<usize> = (0..model.nets.len()).filter(|net| model.nets[*net].is_bus).chain(islands.iter().copied()).collect();
    buses.sort_by(|a, b| model.nets[*b].kv.map_or(0.0, Kv::get).total_cmp(&model.nets[*a].kv.map_or(0.0, Kv::get)));
    let section = |net: &usize| {
        let own = &model.nets[*net];
        let asset = assets.get(net).and_then(|asset| AssetCode::try_from(asset.code.as_str()).ok());
        Section { asset, name: bus_name(&own.name, own.kv), kv: own.kv, rows: Vec::new(), nodes: Nodes::named(&[&own.path]) }
    };
    let sections = buses.iter().map(section).collect();
    let mut walk = Walk {
        model,
        lines,
        on,
        buses: &buses,
        seen: HashSet::new(),
        plan: Plan { name: model.name.clone(), sections, ..Plan::default() },
        notes: Vec::new(),
    };
    for net in islands {
        let net = &model.nets[net];
        let what = format!("{} is drawn as a busbar: nothing connects its devices to one", shown(&net.path));
        walk.notes.push(lines.finding(net.byte, what));
    }
    for (section, bus) in buses.iter().enumerate() {
        for first in walk.on[*bus].clone() {
            walk.bay(section, first);
        }
    }
    for (at, device) in model.devices.iter().enumerate() {
        if walk.seen.insert(at) {
            if device.item.kind != SymbolKind::Battery {
                walk.note(at, "is connected to no busbar and is drawn apart");
            }
            walk.plan.loose.push(device.item.clone());
        }
    }
    (walk.plan, walk.notes)
}

/// Returns a node of each group of connected devices without a busbar: the one with the most devices.
fn islands(model: &Model, on: &[Vec<usize>]) -> Vec<usize> {
    let mut seen = vec![false; model.nets.len()];
    let mut found = Vec::new();
    for first in 0..model.nets.len() {
        let (mut group, mut next) = (Vec::new(), vec![first]);
        while let Some(net) = next.pop() {
            if !std::mem::replace(&mut seen[net], true) {
                group.push(net);
                // A third winding is drawn without its line, so what hangs on it needs a busbar of its own.
                let devices = on[net].iter().map(|device| &model.devices[*device].nets);
                next.extend(devices.filter(|nets| nets.get(2) != Some(&net)).flat_map(|nets| nets.iter().take(2)));
            }
        }
        let devices: HashSet<usize> = group.iter().flat_map(|net| &on[*net]).copied().collect();
        if devices.len() > 1 && !group.iter().any(|net| model.nets[*net].is_bus) {
            found.extend(group.into_iter().max_by_key(|net| (on[*net].len(), std::cmp::Reverse(*net))));
        }
    }
    found
}

struct Walk<'a> {
    model: &'a Model,
    lines: &'a LineIndex,
    /// The devices at each net.
    on: Vec<Vec<usize>>,
    buses: &'a [usize],
    seen: HashSet<usize>,
    plan: Plan,
    notes: Vec<String>,
}

impl Walk<'_> {
    fn note(&mut self, device: usize, what: &str) {
        let device = &self.model.devices[device];
        self.notes.push(self.lines.finding(device.byte, format!("{} {what}", shown(&device.path))));
    }

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
        let (mut other, mut last) = (None, None);
        loop {
            let (item, next) = self.through(device, from);
            items.push(item);
            let Some(next) = next else { break };
            last = Some(next);
            if let Some(section) = self.section(next) {
                other = Some(section);
                break;
            }
            let Some(after) = self.branch(next, &mut items) else { break };
            (device, from) = (after, next);
        }
        self.hang(section, other, items, first, last);
    }

    /// Returns a device as seen from a node, and the node on its other side.
    fn through(&self, at: usize, from: usize) -> (Item, Option<usize>) {
        let device = &self.model.devices[at];
        let mut item = device.item.clone();
        if one_terminal(item.kind) {
            return (item, None);
        }
        let next = device.nets.iter().copied().find(|net| *net != from);
        // The node from which the line comes is first: it is on top.
        let side = device.nets.iter().position(|net| *net == from).unwrap_or(0);
        item.nodes = item.nodes.map(|nodes| nodes.exchanged(side));
        if item.kind == SymbolKind::Transformer {
            let mut levels = [item.kv, item.kv_low, item.kv_tertiary];
            levels.swap(0, side);
            [item.kv, item.kv_low, item.kv_tertiary] = levels;
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
                self.note(*at, "is drawn apart: its line goes to a bay that is drawn elsewhere");
            }
        }
        if let Some(at) = onward {
            self.seen.insert(at);
            if let Some(end) = ends.first() {
                self.note(*end, "stands amid a line and is drawn apart");
            }
            return Some(at);
        }
        if let Some((end, rest)) = ends.split_first() {
            self.seen.insert(*end);
            items.push(self.model.devices[*end].item.clone());
            for at in rest {
                self.note(*at, "ends a line that has an end already and is drawn apart");
            }
        }
        None
    }

    /// Returns the text at the end of a bay that continues at the third winding of a transformer, which is drawn in the bay of its other windings.
    fn third_winding(&mut self, net: usize, first: usize) -> Option<String> {
        let unit = self.on[net].iter().copied().find(|at| self.model.devices[*at].nets.get(2) == Some(&net))?;
        let name = self.model.devices[unit].item.name.clone();
        self.note(first, &format!("begins the bay of the third winding of {}: they are connected by name, without a line", shown(&name)));
        Some(format!("third winding of {name}"))
    }

    fn hang(&mut self, section: usize, other: Option<usize>, items: Vec<Item>, first: usize, last: Option<usize>) {
        let kv = |section: usize| self.plan.sections[section].kv.map_or(0.0, Kv::get);
        let units = items.iter().filter(|item| item.kind == SymbolKind::Transformer).count();
        let hang = match other {
            Some(other) if units == 1 && kv(section) > kv(other) => Hang::Between(section, other),
            Some(other) if units == 0 && other != section && kv(section).to_bits() == kv(other).to_bits() => Hang::Couple(section, other),
            Some(_) => {
                self.note(first, "begins a bay that leads to a busbar where no line can be drawn: its line ends before it");
                Hang::Below(section)
            }
            None if items.iter().any(|item| matches!(item.kind, SymbolKind::Source | SymbolKind::Generator)) && units == 0 => {
                Hang::Above(section)
            }
            None => Hang::Below(section),
        };
        let end_text = last.and_then(|net| self.third_winding(net, first));
        self.plan.bays.push(Bay { hang, items, end_text });
    }
}
