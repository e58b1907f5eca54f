//! Transformers of pandapower: from percent of their ratings to ohms and siemens.

mod export;

use network::EquipmentKind;
use network::description::{Connection, Electrical, SequenceImpedance, Tap, Transformer, TransformerEnd};

pub(super) use export::{THREE_ENDS, TWO_ENDS, export};

use super::Import;
use crate::table::Row;
use crate::{ImportError, Note};

/// The imported columns of transformers with two ends.
const OF_TWO_ENDS: [&str; 23] = [
    "hv_bus",
    "lv_bus",
    "sn_mva",
    "vn_hv_kv",
    "vn_lv_kv",
    "vk_percent",
    "vkr_percent",
    "vk0_percent",
    "vkr0_percent",
    "pfe_kw",
    "i0_percent",
    "shift_degree",
    "vector_group",
    "tap_side",
    "tap_neutral",
    "tap_min",
    "tap_max",
    "tap_step_percent",
    "tap_step_degree",
    "tap_pos",
    "tap_changer_type",
    "tap_phase_shifter",
    "parallel",
];

/// The imported columns of transformers with three ends.
const OF_THREE_ENDS: [&str; 32] = [
    "hv_bus",
    "mv_bus",
    "lv_bus",
    "sn_hv_mva",
    "sn_mv_mva",
    "sn_lv_mva",
    "vn_hv_kv",
    "vn_mv_kv",
    "vn_lv_kv",
    "vk_hv_percent",
    "vk_mv_percent",
    "vk_lv_percent",
    "vkr_hv_percent",
    "vkr_mv_percent",
    "vkr_lv_percent",
    "pfe_kw",
    "i0_percent",
    "shift_mv_degree",
    "shift_lv_degree",
    "vector_group",
    "loss_side",
    "tap_side",
    "tap_neutral",
    "tap_min",
    "tap_max",
    "tap_step_percent",
    "tap_step_degree",
    "tap_pos",
    "tap_changer_type",
    "tap_phase_shifter",
    "tap_at_star_point",
    "type",
];

/// The text of the note about rows without connections of the windings.
const NO_VECTOR_GROUP: &str = "have no vector_group: their windings are taken as star without earth";

impl Import<'_> {
    pub(super) fn add_transformers(&mut self) -> Result<(), ImportError> {
        let table = self.table("trafo")?;
        self.note_columns("trafo", &table, &OF_TWO_ENDS);
        let (mut without, mut without_group) = (0, 0);
        for row in table.rows() {
            let Some([high, low]) = self.buses(row, ["hv_bus", "lv_bus"])? else { continue };
            let connections = connections(row, 2, &mut without_group);
            let transformer = two_ends(row, [high.nominal_kv, low.nominal_kv], &connections, &mut self.notes)?;
            without += usize::from(transformer.is_none());
            let electrical = transformer.map_or(Electrical::Nothing, Electrical::Transformer);
            self.add(row, EquipmentKind::PowerTransformer, [high.node.as_str(), low.node.as_str()], electrical)?;
        }
        self.note_without_values("trafo", "sn_mva and vk_percent", without);
        if without_group > 0 {
            self.note("trafo", format!("{without_group} rows {NO_VECTOR_GROUP}"));
        }
        self.note_ends("trafo");
        Ok(())
    }

    pub(super) fn add_transformers_with_three_ends(&mut self) -> Result<(), ImportError> {
        let table = self.table("trafo3w")?;
        self.note_columns("trafo3w", &table, &OF_THREE_ENDS);
        let (mut without, mut without_group) = (0, 0);
        for row in table.rows() {
            let Some(buses) = self.buses(row, ["hv_bus", "mv_bus", "lv_bus"])? else { continue };
            let connections = connections(row, 3, &mut without_group);
            let nominal = [0, 1, 2].map(|end| buses[end].nominal_kv);
            let transformer = three_ends(row, nominal, &connections, &mut self.notes)?;
            without += usize::from(transformer.is_none());
            let electrical = transformer.map_or(Electrical::Nothing, Electrical::Transformer);
            self.add(row, EquipmentKind::PowerTransformer, buses.iter().map(|bus| bus.node.as_str()), electrical)?;
        }
        self.note_without_values("trafo3w", "ratings and vk_hv_percent", without);
        if without_group > 0 {
            self.note("trafo3w", format!("{without_group} rows {NO_VECTOR_GROUP}"));
        }
        self.note_ends("trafo3w");
        Ok(())
    }
}

fn two_ends(
    row: Row<'_>,
    nominal_kv: [Option<f64>; 2],
    connections: &[Connection],
    notes: &mut Vec<Note>,
) -> Result<Option<Transformer>, ImportError> {
    let (Some(sn_mva), Some(vk)) = (row.positive("sn_mva")?, row.number("vk_percent")?) else { return Ok(None) };
    let (Some(high_kv), Some(low_kv)) = (row.positive("vn_hv_kv")?.or(nominal_kv[0]), row.positive("vn_lv_kv")?.or(nominal_kv[1])) else {
        return Ok(None);
    };
    let parallel = row.positive("parallel")?.unwrap_or(1.0);
    let sn_mva = sn_mva * parallel;
    let base = high_kv * high_kv / sn_mva;
    let (r, x) = impedance(vk, row.number_or("vkr_percent", 0.0)?);
    let zero = match (row.number("vk0_percent")?, row.number_or("vkr0_percent", 0.0)?) {
        (Some(vk0), vkr0) if vk0 != 0.0 => Some(impedance(vk0, vkr0)),
        _ => None,
    };
    let (g_s, b_s) = core(row, sn_mva, high_kv, parallel)?;
    let rated_kva = Some(sn_mva * 1_000.0);
    let mut ends = vec![
        TransformerEnd {
            rated_kv: high_kv,
            rated_kva,
            connection: connections[0],
            series: SequenceImpedance {
                r_ohm: r * base,
                x_ohm: x * base,
                r0_ohm: zero.map(|(r0, _)| r0 * base),
                x0_ohm: zero.map(|(_, x0)| x0 * base),
            },
            g_s,
            b_s,
            ..TransformerEnd::default()
        },
        TransformerEnd {
            rated_kv: low_kv,
            rated_kva,
            connection: connections[1],
            clock: clock(row, "shift_degree", notes)?,
            ..TransformerEnd::default()
        },
    ];
    if let Some(tap) = tap(row, notes)? {
        match row.text("tap_side") {
            Some("hv") => ends[0].tap = Some(tap),
            Some("lv") => ends[1].tap = Some(tap),
            _ => {}
        }
    }
    Ok(Some(Transformer { ends }))
}

fn three_ends(
    row: Row<'_>,
    nominal_kv: [Option<f64>; 3],
    connections: &[Connection],
    notes: &mut Vec<Note>,
) -> Result<Option<Transformer>, ImportError> {
    let mut rated_kv = [0.0; 3];
    let mut rated_mva = [0.0; 3];
    // Between high and medium, medium and low, high and low.
    let mut between = [(0.0, 0.0); 3];
    let columns = [
        ("vn_hv_kv", "sn_hv_mva", "vk_hv_percent", "vkr_hv_percent"),
        ("vn_mv_kv", "sn_mv_mva", "vk_mv_percent", "vkr_mv_percent"),
        ("vn_lv_kv", "sn_lv_mva", "vk_lv_percent", "vkr_lv_percent"),
    ];
    for (end, (kv, mva, vk, vkr)) in columns.into_iter().enumerate() {
        let (Some(kv), Some(mva), Some(vk)) = (row.positive(kv)?.or(nominal_kv[end]), row.positive(mva)?, row.number(vk)?) else {
            return Ok(None);
        };
        (rated_kv[end], rated_mva[end]) = (kv, mva);
        between[end] = (vk, row.number_or(vkr, 0.0)?);
    }
    // Each is in percent of the smaller rating of its two ends; all become ohms at the high voltage.
    let pairs = [(0, 1), (1, 2), (0, 2)];
    let base = rated_kv[0] * rated_kv[0];
    let [high_medium, medium_low, high_low] = [0, 1, 2].map(|pair| {
        let ((one, other), (vk, vkr)) = (pairs[pair], between[pair]);
        let (r, x) = impedance(vk, vkr);
        let ohms = base / rated_mva[one].min(rated_mva[other]);
        (r * ohms, x * ohms)
    });
    let star =
        |one: (f64, f64), two: (f64, f64), opposite: (f64, f64)| (0.5 * (one.0 + two.0 - opposite.0), 0.5 * (one.1 + two.1 - opposite.1));
    let of_star =
        [star(high_medium, high_low, medium_low), star(high_medium, medium_low, high_low), star(medium_low, high_low, high_medium)];
    let clocks = [0, clock(row, "shift_mv_degree", notes)?, clock(row, "shift_lv_degree", notes)?];
    let mut ends: Vec<TransformerEnd> = (0..3)
        .map(|end| {
            let (r, x) = of_star[end];
            let ratio = (rated_kv[end] / rated_kv[0]).powi(2);
            TransformerEnd {
                rated_kv: rated_kv[end],
                rated_kva: Some(rated_mva[end] * 1_000.0),
                connection: connections[end],
                clock: clocks[end],
                series: SequenceImpedance { r_ohm: r * ratio, x_ohm: x * ratio, r0_ohm: None, x0_ohm: None },
                ..TransformerEnd::default()
            }
        })
        .collect();
    let side = match row.text("loss_side") {
        Some("mv") => 1,
        Some("lv") => 2,
        _ => 0,
    };
    (ends[side].g_s, ends[side].b_s) = core(row, rated_mva[side], rated_kv[side], 1.0)?;
    if let Some(tap) = tap(row, notes)? {
        if row.flag("tap_at_star_point", false)? && tap.step != tap.neutral {
            notes.push(Note::new(row.id(), "the tap changer is at the star point; it is taken as one at the terminal"));
        }
        match row.text("tap_side") {
            Some("hv") => ends[0].tap = Some(tap),
            Some("mv") => ends[1].tap = Some(tap),
            Some("lv") => ends[2].tap = Some(tap),
            _ => {}
        }
    }
    Ok(Some(Transformer { ends }))
}

/// Returns resistance and reactance per unit from the whole and the resistive part in percent.
fn impedance(vk: f64, vkr: f64) -> (f64, f64) {
    (vkr / 100.0, (vk * vk - vkr * vkr).max(0.0).sqrt().copysign(vk) / 100.0)
}

/// Returns conductance and susceptance of the core from the no-load losses and the no-load current.
fn core(row: Row<'_>, sn_mva: f64, kv: f64, parallel: f64) -> Result<(f64, f64), ImportError> {
    let losses_mw = row.number_or("pfe_kw", 0.0)? / 1_000.0 * parallel;
    let all_mva = row.number_or("i0_percent", 0.0)? / 100.0 * sn_mva;
    let reactive = (all_mva * all_mva - losses_mw * losses_mw).max(0.0).sqrt();
    // Not -0.0, which would be written as such.
    let b_s = if reactive > 0.0 { -reactive / (kv * kv) } else { 0.0 };
    Ok((losses_mw / (kv * kv), b_s))
}

/// Returns a shift as a clock number.
fn clock(row: Row<'_>, column: &'static str, notes: &mut Vec<Note>) -> Result<u8, ImportError> {
    let degrees = row.number_or(column, 0.0)?;
    let hours = (degrees / 30.0).round();
    if (degrees - hours * 30.0).abs() > 1e-6 {
        notes.push(Note::new(row.id(), format!("{column} {degrees} is rounded to {}", hours * 30.0)));
    }
    Ok((hours as i64).rem_euclid(12) as u8)
}

/// Returns the tap changer; `None` if it changes nothing.
fn tap(row: Row<'_>, notes: &mut Vec<Note>) -> Result<Option<Tap>, ImportError> {
    let (Some(position), Some(neutral)) = (row.number("tap_pos")?, row.number("tap_neutral")?) else { return Ok(None) };
    let percent = row.number_or("tap_step_percent", 0.0)?;
    let degrees = row.number_or("tap_step_degree", 0.0)?;
    let is_ideal = if row.has("tap_changer_type") {
        match row.text("tap_changer_type") {
            Some("Ideal") => true,
            Some("Ratio" | "Symmetrical") => false,
            // pandapower ignores the position.
            _ => return Ok(None),
        }
    } else {
        row.flag("tap_phase_shifter", false)?
    };
    let steps = position - neutral;
    // The ratio and the angle at the present position.
    let (ratio, angle) = match (is_ideal, degrees == 0.0) {
        (true, false) => (0.0, degrees * steps),
        (true, true) => (0.0, 2.0 * (steps * percent / 200.0).clamp(-1.0, 1.0).asin().to_degrees()),
        (false, true) => (percent * steps, 0.0),
        (false, false) => {
            let (added, at) = (steps * percent / 100.0, degrees.to_radians());
            let (along, across) = (1.0 + added * at.cos(), added * at.sin());
            ((along.hypot(across) - 1.0) * 100.0, (across / along).atan().to_degrees())
        }
    };
    let is_whole = [position, neutral].iter().all(|number| number.fract() == 0.0);
    let bound = |column, default: i32| Ok::<i32, ImportError>(row.number(column)?.map_or(default, |number| number.round() as i32));
    let is_linear = is_whole && (degrees == 0.0) != is_ideal;
    let neutral = neutral.round() as i32;
    let step = if is_whole { position as i32 } else { neutral + 1 };
    let steps = if is_whole { steps } else { 1.0 };
    let (step_percent, step_degrees) = match (is_linear, steps == 0.0) {
        (true, _) => (if is_ideal { 0.0 } else { percent }, if is_ideal { degrees } else { 0.0 }),
        (false, true) => (percent, 0.0),
        (false, false) => (ratio / steps, angle / steps),
    };
    if !is_linear && steps != 0.0 && (ratio != 0.0 || angle != 0.0) {
        notes.push(Note::new(row.id(), "the steps of the tap changer are those at its present position; at others they differ a little"));
    }
    Ok(Some(Tap {
        step,
        neutral,
        low: bound("tap_min", step.min(neutral))?,
        high: bound("tap_max", step.max(neutral))?,
        step_percent,
        step_degrees,
    }))
}

/// Returns the connections of the windings, from the first letters of the vector group, and counts the rows without one.
fn connections(row: Row<'_>, ends: usize, without: &mut usize) -> Vec<Connection> {
    let found = row.text("vector_group").map(parse_vector_group).unwrap_or_default();
    if found.len() == ends {
        return found;
    }
    *without += 1;
    vec![Connection::default(); ends]
}

/// Parses a vector group such as `Dyn5` or `YNyn0d11`: a letter for each end, an N after the letter of an earthed end,
/// and the clock numbers.
fn parse_vector_group(text: &str) -> Vec<Connection> {
    let mut found = Vec::new();
    let mut letters = text.chars().map(|letter| letter.to_ascii_uppercase()).filter(char::is_ascii_alphabetic).peekable();
    while let Some(letter) = letters.next() {
        let is_earthed = letters.next_if_eq(&'N').is_some();
        found.push(match (letter, is_earthed) {
            ('D', false) => Connection::Delta,
            ('Y', false) => Connection::Star,
            ('Y', true) => Connection::StarEarthed,
            ('Z', false) => Connection::Zigzag,
            ('Z', true) => Connection::ZigzagEarthed,
            ('I', false) => Connection::Single,
            _ => return Vec::new(),
        });
    }
    found
}
