//! A feeder outside of its substation: a trunk with a ring-main unit at each bend, and at each unit a fuse, a distribution transformer and customers.

use network::EquipmentKind;
use network::description::{Connection, Consumption, Electrical, Generation, SequenceImpedance, Transformer, TransformerEnd};

use super::conductor::overhead;
use super::draft::{Draft, LOW_VOLTAGE_SHARE};
use crate::physics::load::{self, Class};
use crate::utility::geography::distance_km;
use crate::utility::{Substation, Way};

/// Ratings of distribution transformers, kVA (IS 1180).
const RATINGS_KVA: [f64; 9] = [25.0, 63.0, 100.0, 160.0, 200.0, 315.0, 500.0, 630.0, 1_000.0];
/// Largest load of a distribution transformer when its rating is chosen, per unit of the rating.
const LOADED: f64 = 0.8;
/// The nominal voltage of customers, and the no-load voltage of a distribution transformer, kV.
pub(super) const LOW_KV: (f64, f64) = (0.415, 0.433);
/// The length of a line with a normally-open point, km.
const TIE_KM: f64 = 0.6;
/// The length of a line divided by the distance between its ends.
const DETOUR: f64 = 1.3;

/// A feeder that leaves a substation.
pub(super) struct Outgoing<'a> {
    pub(super) substation: &'a Substation,
    pub(super) index: usize,
    pub(super) way: &'a Way,
}

/// The last ring-main unit of a feeder.
pub(super) struct End {
    pub(super) station: String,
    pub(super) feeder: usize,
    pub(super) bus: String,
    pub(super) kv: f64,
    pub(super) place: [f64; 2],
    /// Whether it may be connected only with an end of its own substation, by a line as long as the distance between them. So there is no normally-open point
    /// without telemetry between two grid substations. Its position would be unknown to the interlocks, so it might connect the two sources.
    pub(super) is_local: bool,
}

/// Returns the busbar of a feeder's ring-main unit.
fn bus(station: &str, feeder: &str, unit: usize) -> String {
    format!("{station}/{feeder}/U{unit}/bus")
}

/// Returns the busbar of the last ring-main unit of a feeder, such as `F1`.
pub(super) fn last_bus(from: &Substation, feeder: &str) -> String {
    let planned = feeder.trim_start_matches('F').parse::<usize>().ok().and_then(|number| from.plan.feeders.get(number.checked_sub(1)?));
    bus(&from.code, feeder, planned.map_or(1, |feeder| crate::utility::geography::steps(feeder.km)))
}

/// Adds the parts that a feeder supplies. Returns its end, if it can be connected with the end of another feeder.
pub(super) fn add(draft: &mut Draft, of: &Outgoing<'_>) -> Option<End> {
    let Outgoing { substation, index, way } = *of;
    let (plan, station) = (&substation.plan, &substation.code);
    let (feeder, kv, name) = (&plan.feeders[index], plan.kv_low, format!("F{}", index + 1));
    let start = format!("{station}/{name}/line");
    let km = way.km();
    if !feeder.in_service {
        return None;
    }
    if !(1.0..=20.0).contains(&kv) {
        // One customer at 33 kV, or a street with low voltage.
        let end = draft.node(&format!("{station}/{name}/end"), kv, way.path.last().copied());
        let scale = if kv < 1.0 { LOW_VOLTAGE_SHARE } else { 1.0 };
        draft.line(&format!("{station}/{name}/S1"), [&start, &end], km * scale, overhead(kv));
        let customers = feeder.customers.unsigned_abs().into();
        consumer(draft, &format!("{station}/{name}/customers"), &end, (customers, feeder.peak_mw * 1_000.0), feeder.class);
        return None;
    }
    let units = way.path.len() - 1;
    let mut from = start;
    for unit in 1..=units {
        let id = |part: &str| format!("{station}/{name}/U{unit}/{part}");
        let place = way.path[unit];
        let here = draft.node(&bus(station, &name, unit), kv, Some(place));
        let arriving = draft.node(&id("A"), kv, Some(place));
        draft.line(&format!("{station}/{name}/S{unit}"), [&from, &arriving], km / units as f64, overhead(kv));
        // A long overhead feeder has a recloser half-way.
        let is_recloser = unit == units / 2 + 1 && units > 4 && matches!(feeder.class, Class::Residential | Class::Agriculture);
        let kind = if is_recloser { EquipmentKind::Recloser } else { EquipmentKind::LoadBreakSwitch };
        draft.switch(&id("SW-A"), kind, [&arriving, &here], false);
        if unit < units {
            let leaving = draft.node(&id("B"), kv, Some(place));
            draft.switch(&id("SW-B"), EquipmentKind::LoadBreakSwitch, [&here, &leaving], false);
            from = leaving;
        }
        let (first, next) = (share(feeder.customers, unit - 1, units), share(feeder.customers, unit, units));
        let kw = feeder.peak_mw * 1_000.0 / units as f64;
        distribution(draft, &id, (&here, kv, place), ((next - first).unsigned_abs().into(), kw), feeder.class);
    }
    if let Some(site) = plan.site.as_ref().filter(|site| site.feeder == index) {
        let at = format!("{station}/{name}/U1/low");
        let of = |kw: f64| Electrical::Generator(Generation { kw: 0.0, rated_kva: Some(kw), ..Generation::default() });
        draft.add(&format!("{station}/SITE1PV"), site.name, EquipmentKind::InverterUnit, &[&at], of(site.kwp));
        draft.add(&format!("{station}/SITE1BAT"), site.name, EquipmentKind::InverterUnit, &[&at], of(site.battery_kw));
    }
    let place = way.path[units];
    Some(End { station: station.clone(), feeder: index, bus: bus(station, &name, units), kv, place, is_local: false })
}

/// Returns the number of a feeder's customers at its first units.
fn share(customers: i32, units: usize, of: usize) -> i32 {
    (i64::from(customers) * units as i64 / of as i64) as i32
}

/// Adds a fuse, a distribution transformer, and the customers behind it.
fn distribution(draft: &mut Draft, id: &impl Fn(&str) -> String, at: (&str, f64, [f64; 2]), (customers, kw): (u64, f64), class: Class) {
    let low = transformer(draft, id, at, kw, class);
    consumer(draft, &id("customers"), &low, (customers, kw), class);
}

/// Adds a fuse and a distribution transformer for a load. Returns the node behind them.
pub(super) fn transformer(
    draft: &mut Draft,
    id: &impl Fn(&str) -> String,
    (bus, kv, place): (&str, f64, [f64; 2]),
    kw: f64,
    class: Class,
) -> String {
    let fused = draft.node(&id("fused"), kv, Some(place));
    let low = draft.node(&id("low"), LOW_KV.0, Some(place));
    draft.switch(&id("FUSE"), EquipmentKind::Fuse, [bus, &fused], false);
    let needed = kw / load::power_factor(class) / LOADED;
    let kva = RATINGS_KVA.into_iter().find(|kva| *kva >= needed).unwrap_or(RATINGS_KVA[RATINGS_KVA.len() - 1]);
    // Larger needs have several transformers side by side, which are one here.
    let kva = kva * (needed / kva).ceil().max(1.0);
    let ohm = kv.powi(2) * 1_000.0 / kva;
    // 4.5 percent impedance; losses by IS 1180, about 1.2 percent at full load and 0.2 percent without load.
    let series = SequenceImpedance { r_ohm: 0.012 * ohm, x_ohm: 0.0434 * ohm, ..SequenceImpedance::default() };
    let high = TransformerEnd {
        rated_kv: kv,
        rated_kva: Some(kva),
        connection: Connection::Delta,
        series,
        g_s: 0.002 / ohm,
        b_s: -0.012 / ohm,
        ..TransformerEnd::default()
    };
    let low_end = TransformerEnd {
        rated_kv: LOW_KV.1,
        rated_kva: Some(kva),
        connection: Connection::StarEarthed,
        clock: 11,
        ..TransformerEnd::default()
    };
    let transformer = Electrical::Transformer(Transformer { ends: vec![high, low_end] });
    draft.add(&id("TX"), &format!("{kva} kVA"), EquipmentKind::PowerTransformer, &[&fused, &low], transformer);
    low
}

/// Adds customers at a node.
pub(super) fn consumer(draft: &mut Draft, id: &str, node: &str, (customers, kw): (u64, f64), class: Class) {
    let kvar = kw * load::power_factor(class).acos().tan();
    let consumption = Consumption { customers, kw, kvar, ..Consumption::default() };
    draft.add(id, "", EquipmentKind::EnergyConsumer, &[node], Electrical::Consumer(consumption));
}

/// Connects the ends of feeders in pairs by lines with normally-open points. First, neighbouring feeders of one substation are connected. Each remaining end is
/// connected with the nearest end of another substation.
pub(super) fn add_ties(draft: &mut Draft, ends: &[End]) {
    let mut left: Vec<&End> = Vec::new();
    let mut waiting: Option<&End> = None;
    for end in ends {
        match waiting.take() {
            Some(before) if before.station == end.station => tie(draft, before, end),
            Some(before) => {
                left.push(before);
                waiting = Some(end);
            }
            None => waiting = Some(end),
        }
    }
    left.extend(waiting);
    left.retain(|end| !end.is_local);
    while let Some(end) = left.pop() {
        let distance = |other: &End| (other.place[0] - end.place[0]).hypot(other.place[1] - end.place[1]);
        let nearest = (0..left.len()).min_by(|one, other| distance(left[*one]).total_cmp(&distance(left[*other])));
        if let Some(nearest) = nearest {
            tie(draft, end, left.swap_remove(nearest));
        }
    }
}

fn tie(draft: &mut Draft, one: &End, other: &End) {
    let id = format!("{}/F{}/TIE-{}-F{}", one.station, one.feeder + 1, other.station, other.feeder + 1);
    let behind = draft.node(&format!("{id}/line"), one.kv, Some(one.place));
    draft.switch(&id, EquipmentKind::LoadBreakSwitch, [&one.bus, &behind], true);
    let km = if one.is_local { TIE_KM.max(distance_km(one.place, other.place) * DETOUR) } else { TIE_KM };
    draft.line(&format!("{id}/S"), [&behind, &other.bus], km, overhead(one.kv));
}
