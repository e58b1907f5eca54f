//! Energy over time: the sum of the meters of an area for each unit of time, read in groups of substations.

use std::collections::{HashMap, HashSet};

use grid::downsample::Resolution;
use grid::energy::{Counted, Section, Total, counted, net};
use grid::{ClientId, Micros, PointId};
use store::Store;
use store::series::{REGISTERS_MAX, Registers, Wanted};
use wire::flag::Flag;

use crate::energy_meters::{Meter, Metered, Station};
use crate::error::Error;

/// Energy by unit of time.
#[derive(Debug, Clone, PartialEq)]
pub struct Energy {
    /// The length of a unit.
    pub of: Resolution,
    /// Number of units in a bucket of the answer.
    pub times: usize,
    /// The starts of the units, and the end of the last one.
    pub edges: Vec<Micros>,
    /// The energy of each unit.
    pub units: Vec<Total>,
}

impl Energy {
    /// Returns the sum of the units that begin within a span.
    pub fn within(&self, from: Micros, to: Micros) -> Total {
        let first = self.edges.partition_point(|edge| *edge < from).min(self.units.len());
        let end = self.edges.partition_point(|edge| *edge < to).clamp(first, self.units.len());
        sum(&self.units[first..end])
    }
}

/// Returns the sum of several totals.
pub fn sum<'a>(totals: impl IntoIterator<Item = &'a Total>) -> Total {
    totals.into_iter().fold(Total::default(), |mut all, total| {
        all.add(total);
        all
    })
}

/// Reads and balances energy. Only one result of the database is in memory at a time.
pub async fn energy(
    store: &Store,
    client: ClientId,
    metered: &Metered,
    (from, to): (Micros, Micros),
    resolution: Wanted,
) -> Result<Energy, Error> {
    let mut energy: Option<Energy> = None;
    let ends: HashSet<usize> = metered.transfers.iter().flat_map(|transfer| [transfer.from, transfer.to]).collect();
    // For each unit: whether a station at an end of a transfer counts, and the energy of the transfer.
    let mut counts: HashMap<usize, Vec<bool>> = HashMap::new();
    let mut carried: HashMap<(usize, usize), Vec<Counted>> = HashMap::new();
    let mut nth = 0;
    for stations in parts(&metered.stations) {
        let points: Vec<PointId> = stations.iter().flat_map(Station::meters).flat_map(Meter::points).collect();
        // The first group decides the units of all groups.
        let (span, resolution) = match &energy {
            Some(known) => (known.edges.first().copied().zip(known.edges.last().copied()), Wanted::Of(known.of)),
            None => (None, resolution),
        };
        let registers = store.registers(client, &points, span.unwrap_or((from, to)), resolution).await?;
        let energy = energy.get_or_insert_with(|| Energy {
            of: registers.of,
            times: registers.times,
            edges: registers.edges[..(registers.count + 1).min(registers.edges.len())].to_vec(),
            units: vec![Total::default(); registers.count],
        });
        for station in stations {
            let section = Section { ins: energy_of_meters(&registers, &station.ins), outs: energy_of_meters(&registers, &station.outs) };
            let mut known = Vec::new();
            for (unit, total) in energy.units.iter_mut().enumerate() {
                let ms = energy.edges.get(unit + 1).map_or(0, |end| end.millis_since(energy.edges[unit]));
                let own = section.total(unit, ms);
                known.push(own.known_ms > 0);
                total.add(&own);
            }
            if ends.contains(&nth) {
                counts.insert(nth, known);
                for transfer in metered.transfers.iter().filter(|transfer| transfer.from == nth) {
                    carried.insert((nth, transfer.out), section.outs.get(transfer.out).cloned().unwrap_or_default());
                }
            }
            nth += 1;
        }
    }
    if let Some(energy) = &mut energy {
        let does_count = |station: usize, unit: usize| counts.get(&station).and_then(|known| known.get(unit)).is_some_and(|known| *known);
        for transfer in &metered.transfers {
            let Some(carried) = carried.get(&(transfer.from, transfer.out)) else { continue };
            for (unit, total) in energy.units.iter_mut().enumerate() {
                // If one end does not count, the transfer crosses the border of the stations that count.
                if does_count(transfer.from, unit)
                    && does_count(transfer.to, unit)
                    && let Some(kwh) = carried.get(unit).and_then(|counted| counted.known())
                {
                    total.stay_within(kwh);
                }
            }
        }
    }
    Ok(energy.unwrap_or(Energy { of: Resolution::Hour, times: 1, edges: Vec::new(), units: Vec::new() }))
}

/// Groups substations up to the limit of registers. A substation that exceeds the limit by itself forms its own group, which the store
/// refuses.
fn parts(stations: &[Station]) -> Vec<&[Station]> {
    let (mut parts, mut begin, mut held) = (Vec::new(), 0, 0);
    for (at, station) in stations.iter().enumerate() {
        let count: usize = station.meters().map(|meter| meter.points().count()).sum();
        if held > 0 && held + count > REGISTERS_MAX {
            parts.push(&stations[begin..at]);
            (begin, held) = (at, 0);
        }
        held += count;
    }
    if begin < stations.len() {
        parts.push(&stations[begin..]);
    }
    parts
}

/// Returns the energy of each meter in each unit, kWh.
pub fn energy_of_meters(registers: &Registers, meters: &[Meter]) -> Vec<Vec<Counted>> {
    let unit_ms = registers.of.ms();
    let counted = |(point, kwh): (PointId, f64), meter: &Meter| {
        let Some(line) = registers.lines.iter().find(|line| line.point == point) else { return vec![Counted::Unknown; registers.count] };
        let bound = meter.bound.of_unit(kwh);
        let bound = bound.confirming(registers.confirmed_of(point));
        // A gap of one unit, or of one missing reading, is bridged.
        counted(line.before, &line.cells, &registers.edges, unit_ms.max(2 * meter.expected_ms), &bound)
    };
    let meter = |meter: &Meter| {
        let imported = counted(meter.imported, meter);
        let exported = meter.exported.map(|(point, kwh)| (counted((point, kwh), meter), kwh));
        net((&imported, meter.imported.1), exported.as_ref().map(|(exported, kwh)| (exported.as_slice(), *kwh)))
    };
    meters.iter().map(meter).collect()
}

/// Returns flags that qualify a total.
pub fn flags(total: &Total) -> Vec<Flag> {
    Flag::that_apply([
        (total.known_ms == 0, Flag::NoData),
        (total.known_ms > 0 && total.known_ms < total.span_ms, Flag::Partial),
        (total.has_reset, Flag::RegisterReset),
        (total.has_refused, Flag::RegisterStep),
        (total.loss().is_some_and(|loss| loss < 0.0), Flag::NegativeLoss),
    ])
}

/// Returns the flags of a whole answer: each flag of its rows once, and the flag for missing meters.
pub fn all_flags<'a>(rows: impl IntoIterator<Item = &'a Vec<Flag>>, missing: &[String]) -> Vec<Flag> {
    let mut all = Vec::new();
    for flag in rows.into_iter().flatten().copied().chain((!missing.is_empty()).then_some(Flag::NotMetered)) {
        if !all.contains(&flag) {
            all.push(flag);
        }
    }
    all
}
