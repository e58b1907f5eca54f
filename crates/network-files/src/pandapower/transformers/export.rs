//! Transformers for pandapower: from ohms and siemens to percent of their ratings.

use network::description::{Connection, Tap, Transformer, TransformerEnd};
use serde_json::{Value, json};

use crate::rounding::round;

/// The columns of transformers with two ends, with their types.
pub(in crate::pandapower) const TWO_ENDS: &[(&str, &str)] = &[
    ("name", "object"),
    ("std_type", "object"),
    ("hv_bus", "uint32"),
    ("lv_bus", "uint32"),
    ("sn_mva", "float64"),
    ("vn_hv_kv", "float64"),
    ("vn_lv_kv", "float64"),
    ("vk_percent", "float64"),
    ("vkr_percent", "float64"),
    ("vk0_percent", "float64"),
    ("vkr0_percent", "float64"),
    ("pfe_kw", "float64"),
    ("i0_percent", "float64"),
    ("shift_degree", "float64"),
    ("vector_group", "object"),
    ("tap_side", "object"),
    ("tap_neutral", "float64"),
    ("tap_min", "float64"),
    ("tap_max", "float64"),
    ("tap_step_percent", "float64"),
    ("tap_step_degree", "float64"),
    ("tap_pos", "float64"),
    ("tap_changer_type", "object"),
    ("tap_dependency_table", "bool"),
    ("parallel", "uint32"),
    ("df", "float64"),
    ("in_service", "bool"),
];

/// The columns of transformers with three ends, with their types.
pub(in crate::pandapower) const THREE_ENDS: &[(&str, &str)] = &[
    ("name", "object"),
    ("std_type", "object"),
    ("hv_bus", "uint32"),
    ("mv_bus", "uint32"),
    ("lv_bus", "uint32"),
    ("sn_hv_mva", "float64"),
    ("sn_mv_mva", "float64"),
    ("sn_lv_mva", "float64"),
    ("vn_hv_kv", "float64"),
    ("vn_mv_kv", "float64"),
    ("vn_lv_kv", "float64"),
    ("vk_hv_percent", "float64"),
    ("vk_mv_percent", "float64"),
    ("vk_lv_percent", "float64"),
    ("vkr_hv_percent", "float64"),
    ("vkr_mv_percent", "float64"),
    ("vkr_lv_percent", "float64"),
    ("pfe_kw", "float64"),
    ("i0_percent", "float64"),
    ("shift_mv_degree", "float64"),
    ("shift_lv_degree", "float64"),
    ("vector_group", "object"),
    ("loss_side", "object"),
    ("tap_side", "object"),
    ("tap_neutral", "float64"),
    ("tap_min", "float64"),
    ("tap_max", "float64"),
    ("tap_step_percent", "float64"),
    ("tap_step_degree", "float64"),
    ("tap_pos", "float64"),
    ("tap_at_star_point", "bool"),
    ("tap_changer_type", "object"),
    ("tap_dependency_table", "bool"),
    ("in_service", "bool"),
];

/// Returns the table and the columns of a transformer, without its buses.
pub(in crate::pandapower) fn export(transformer: &Transformer) -> (&'static str, Value) {
    match transformer.ends.as_slice() {
        [high, medium, low] => ("trafo3w", three_ends([high, medium, low])),
        [high, low] => ("trafo", two_ends(high, low)),
        _ => ("trafo", json!({ "parallel": 1, "df": 1.0 })),
    }
}

fn two_ends(high: &TransformerEnd, low: &TransformerEnd) -> Value {
    // A transformer without a rating: percent of 1 MVA.
    let sn_mva = high.rated_kva.or(low.rated_kva).map_or(1.0, |kva| kva / 1_000.0);
    let (vk, vkr) = percent(high.series.r_ohm, high.series.x_ohm, high.rated_kv, sn_mva);
    let zero = high.series.r0_ohm.zip(high.series.x0_ohm).map(|(r0, x0)| percent(r0, x0, high.rated_kv, sn_mva));
    // Zeros are what tools write who know nothing of it.
    let zero = zero.filter(|(vk0, _)| *vk0 != 0.0);
    let (losses, current) = core(high, sn_mva);
    let mut row = json!({
        "sn_mva": round(sn_mva), "vn_hv_kv": round(high.rated_kv), "vn_lv_kv": round(low.rated_kv), "vk_percent": vk, "vkr_percent": vkr,
        "vk0_percent": zero.map(|(vk0, _)| vk0), "vkr0_percent": zero.map(|(_, vkr0)| vkr0), "pfe_kw": losses, "i0_percent": current,
        "shift_degree": f64::from(low.clock) * 30.0, "vector_group": vector_group(&[high, low]), "parallel": 1, "df": 1.0,
    });
    add_tap(&mut row, &[(high.tap, "hv"), (low.tap, "lv")]);
    row
}

fn three_ends(ends: [&TransformerEnd; 3]) -> Value {
    let high = ends[0];
    let rated = ends.map(|end| end.rated_kva.unwrap_or(1_000.0) / 1_000.0);
    // The star at the high voltage.
    let star = ends.map(|end| {
        let ratio = (high.rated_kv / end.rated_kv).powi(2);
        (end.series.r_ohm * ratio, end.series.x_ohm * ratio)
    });
    let [high_medium, medium_low, high_low] = [(0, 1), (1, 2), (0, 2)].map(|(one, other): (usize, usize)| {
        let (r, x) = (star[one].0 + star[other].0, star[one].1 + star[other].1);
        percent(r, x, high.rated_kv, rated[one].min(rated[other]))
    });
    let names = ["hv", "mv", "lv"];
    let side = (0..3).find(|end| ends[*end].g_s != 0.0 || ends[*end].b_s != 0.0);
    let (losses, current) = side.map_or((0.0, 0.0), |side| core(ends[side], rated[side]));
    let mut row = json!({
        "sn_hv_mva": round(rated[0]), "sn_mv_mva": round(rated[1]), "sn_lv_mva": round(rated[2]),
        "vn_hv_kv": round(ends[0].rated_kv), "vn_mv_kv": round(ends[1].rated_kv), "vn_lv_kv": round(ends[2].rated_kv),
        "vk_hv_percent": high_medium.0, "vk_mv_percent": medium_low.0, "vk_lv_percent": high_low.0,
        "vkr_hv_percent": high_medium.1, "vkr_mv_percent": medium_low.1, "vkr_lv_percent": high_low.1,
        "pfe_kw": losses, "i0_percent": current, "loss_side": names[side.unwrap_or(0)],
        "shift_mv_degree": f64::from(ends[1].clock) * 30.0, "shift_lv_degree": f64::from(ends[2].clock) * 30.0,
        "vector_group": vector_group(&ends), "tap_at_star_point": false,
    });
    add_tap(&mut row, &[(ends[0].tap, "hv"), (ends[1].tap, "mv"), (ends[2].tap, "lv")]);
    row
}

/// Returns the whole and the resistive part in percent of a rating.
fn percent(r_ohm: f64, x_ohm: f64, kv: f64, mva: f64) -> (f64, f64) {
    let of_base = 100.0 * mva / (kv * kv);
    (round(r_ohm.hypot(x_ohm).copysign(x_ohm) * of_base), round(r_ohm * of_base))
}

/// Returns the no-load losses in kW and the no-load current in percent. For a core without susceptance the current is 0: pandapower computes the susceptance as
/// the root of a difference, and rounding errors would otherwise give a small susceptance.
fn core(end: &TransformerEnd, mva: f64) -> (f64, f64) {
    let square = end.rated_kv * end.rated_kv;
    let current = if end.b_s == 0.0 { 0.0 } else { round(end.g_s.hypot(end.b_s) * square / mva * 100.0) };
    (round(end.g_s * square * 1_000.0), current)
}

/// Returns the vector group; `None` if all windings are stars without earth, which is also so if the source had no vector group.
fn vector_group(ends: &[&TransformerEnd]) -> Option<String> {
    if ends.iter().all(|end| end.connection == Connection::Star) {
        return None;
    }
    let text = ends.iter().enumerate().map(|(at, end)| {
        let letters = end.connection.as_str();
        if at == 0 { letters.to_ascii_uppercase() } else { format!("{}{}", letters.to_ascii_lowercase(), end.clock) }
    });
    Some(text.collect())
}

fn add_tap(row: &mut Value, taps: &[(Option<Tap>, &str)]) {
    row["tap_dependency_table"] = json!(false);
    let Some((tap, side)) = taps.iter().find_map(|(tap, side)| tap.map(|tap| (tap, *side))) else { return };
    row["tap_side"] = json!(side);
    row["tap_pos"] = json!(tap.step);
    row["tap_neutral"] = json!(tap.neutral);
    row["tap_min"] = json!(tap.low);
    row["tap_max"] = json!(tap.high);
    let (percent, degrees) = (round(tap.step_percent), round(tap.step_degrees));
    let steps = f64::from(tap.step - tap.neutral);
    // At the neutral step a ratio and an angle for each step cannot be one added voltage: the ratio is written.
    if tap.step_degrees == 0.0 || (steps == 0.0 && tap.step_percent != 0.0) {
        (row["tap_step_percent"], row["tap_step_degree"], row["tap_changer_type"]) = (json!(percent), json!(0.0), json!("Ratio"));
    } else if tap.step_percent == 0.0 {
        (row["tap_step_percent"], row["tap_step_degree"], row["tap_changer_type"]) = (json!(0.0), json!(degrees), json!("Ideal"));
    } else {
        // One added voltage that gives the ratio and the angle of the present step.
        let (ratio, angle) = (1.0 + tap.step_percent * steps / 100.0, (tap.step_degrees * steps).to_radians());
        let (along, across) = (ratio * angle.cos() - 1.0, ratio * angle.sin());
        let size = along.hypot(across).copysign(steps);
        let direction = if steps < 0.0 { (-across).atan2(-along) } else { across.atan2(along) };
        row["tap_step_percent"] = json!(round(size * 100.0 / steps));
        row["tap_step_degree"] = json!(round(direction.to_degrees()));
        row["tap_changer_type"] = json!("Ratio");
    }
}
