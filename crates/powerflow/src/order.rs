//! Islands of buses, and the order of the buses within each: from the source outwards.

use network::EquipmentId;
use num_complex::Complex64;

use crate::Finding;
use crate::case::{Branch, Draw, Injection, Island, NONE};
use crate::two_port::TwoPort;

/// Two voltages count as equal if they differ by less than this, per unit.
const SAME_VOLTAGE: f64 = 1e-9;

/// The new order of all buses.
#[derive(Debug)]
pub(crate) struct Order {
    pub(crate) new_number: Vec<u32>,
    pub(crate) islands: Vec<Island>,
    /// In the new order, see [`crate::Case`].
    pub(crate) parents: Vec<u32>,
    pub(crate) from_parent: Vec<TwoPort>,
}

impl Order {
    /// Orders the buses. Fails if two sources hold different voltages at one bus.
    pub(crate) fn new(
        count: usize,
        branches: &[Branch],
        injections: &[Injection],
        findings: &mut Vec<Finding>,
    ) -> Result<Self, [EquipmentId; 2]> {
        let sources = sources_by_bus(count, injections)?;
        let mut order = Self {
            new_number: vec![NONE; count],
            islands: Vec::new(),
            parents: Vec::with_capacity(count),
            from_parent: Vec::with_capacity(count),
        };
        let neighbours = Neighbours::new(count, branches);
        for injection in injections.iter().filter(|injection| matches!(injection.draw, Draw::Source(_))) {
            if order.new_number[injection.bus as usize] == NONE {
                order.add_island(injection.bus, branches, &neighbours);
            }
        }
        for (bus, source) in sources.iter().enumerate() {
            if let Some((_, voltage)) = source {
                let number = order.new_number[bus];
                order.island_mut(number).sources.push((number, *voltage));
            }
        }
        for island in &mut order.islands {
            island.sources.sort_by_key(|(number, _)| *number);
        }
        order.add_held(injections, findings);
        for (index, branch) in branches.iter().enumerate() {
            let number = order.new_number[branch.from as usize];
            if number != NONE {
                order.island_mut(number).branches.push(index as u32);
            }
        }
        for island in &mut order.islands {
            let is_tree = island.branches.len() + 1 == island.buses.len();
            island.is_radial = is_tree && island.sources.len() == 1 && island.held.is_empty();
        }
        let dead = order.live()..;
        for (number, next) in order.new_number.iter_mut().filter(|number| **number == NONE).zip(dead) {
            *number = next;
        }
        Ok(order)
    }

    /// Returns the number of buses in islands with a source.
    pub(crate) fn live(&self) -> u32 {
        self.parents.len() as u32
    }

    fn island_mut(&mut self, number: u32) -> &mut Island {
        let at = self.islands.partition_point(|island| island.buses.end <= number);
        &mut self.islands[at]
    }

    /// Numbers all buses that branches connect with a bus. Each bus gets a number after the bus from which it is
    /// reached, and close to it.
    fn add_island(&mut self, start: u32, branches: &[Branch], neighbours: &Neighbours) {
        let first = self.live();
        let mut stack = vec![(start, NONE, TwoPort::series(Complex64::ZERO))];
        while let Some((bus, parent, port)) = stack.pop() {
            if self.new_number[bus as usize] != NONE {
                continue;
            }
            let number = self.live();
            self.new_number[bus as usize] = number;
            self.parents.push(parent);
            self.from_parent.push(port);
            for index in neighbours.of(bus) {
                let branch = &branches[*index as usize];
                let (next, port) = if branch.from == bus { (branch.to, branch.port) } else { (branch.from, branch.port.reversed()) };
                if self.new_number[next as usize] == NONE {
                    stack.push((next, number, port));
                }
            }
        }
        let buses = first..self.live();
        self.islands.push(Island { buses, branches: Vec::new(), sources: Vec::new(), held: Vec::new(), is_radial: false });
    }

    fn add_held(&mut self, injections: &[Injection], findings: &mut Vec<Finding>) {
        let mut found: Vec<(u32, f64, EquipmentId)> = injections
            .iter()
            .filter_map(|injection| match injection.draw {
                Draw::Held { voltage, .. } => Some((self.new_number[injection.bus as usize], voltage, injection.equipment)),
                _ => None,
            })
            .filter(|(number, ..)| *number != NONE)
            .collect();
        found.sort_by_key(|(number, _, equipment)| (*number, *equipment));
        for (number, voltage, equipment) in found {
            let island = self.island_mut(number);
            let source = island.sources.iter().find(|(bus, _)| *bus == number).map(|(_, voltage)| voltage.norm());
            let held = island.held.last().filter(|(bus, _)| *bus == number).map(|(_, voltage)| *voltage);
            match source.or(held) {
                Some(present) if (present - voltage).abs() > SAME_VOLTAGE => findings.push(Finding::OtherVoltage(equipment)),
                Some(_) => {}
                None => island.held.push((number, voltage)),
            }
        }
    }
}

/// Returns the voltage that a source holds at each bus.
fn sources_by_bus(count: usize, injections: &[Injection]) -> Result<Vec<Option<(EquipmentId, Complex64)>>, [EquipmentId; 2]> {
    let mut sources: Vec<Option<(EquipmentId, Complex64)>> = vec![None; count];
    for injection in injections {
        let Draw::Source(voltage) = injection.draw else { continue };
        match &mut sources[injection.bus as usize] {
            Some((first, present)) if (*present - voltage).norm() > SAME_VOLTAGE => return Err([*first, injection.equipment]),
            Some(_) => {}
            held => *held = Some((injection.equipment, voltage)),
        }
    }
    Ok(sources)
}

/// The branches at each bus, as compressed rows.
struct Neighbours {
    first: Vec<u32>,
    branches: Vec<u32>,
}

impl Neighbours {
    fn new(count: usize, branches: &[Branch]) -> Self {
        let mut first = vec![0_u32; count + 1];
        for branch in branches {
            first[branch.from as usize + 1] += 1;
            first[branch.to as usize + 1] += 1;
        }
        for bus in 0..count {
            first[bus + 1] += first[bus];
        }
        let mut at = first.clone();
        let mut found = vec![0; branches.len() * 2];
        for (index, branch) in branches.iter().enumerate() {
            for bus in [branch.from, branch.to] {
                found[at[bus as usize] as usize] = index as u32;
                at[bus as usize] += 1;
            }
        }
        Self { first, branches: found }
    }

    fn of(&self, bus: u32) -> &[u32] {
        &self.branches[self.first[bus as usize] as usize..self.first[bus as usize + 1] as usize]
    }
}
