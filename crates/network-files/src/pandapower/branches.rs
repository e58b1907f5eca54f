//! Lines, series elements and lines with direct current of pandapower.

use std::f64::consts::PI;

use network::EquipmentKind;
use network::description::{Electrical, Line, SequenceImpedance};

use super::Import;
use crate::ImportError;
use crate::table::Row;

/// Columns of lines that are taken.
const OF_LINES: [&str; 14] = [
    "from_bus",
    "to_bus",
    "length_km",
    "r_ohm_per_km",
    "x_ohm_per_km",
    "c_nf_per_km",
    "g_us_per_km",
    "r0_ohm_per_km",
    "x0_ohm_per_km",
    "c0_nf_per_km",
    "max_i_ka",
    "df",
    "parallel",
    "type",
];

impl Import<'_> {
    pub(super) fn add_lines(&mut self) -> Result<(), ImportError> {
        let table = self.table("line")?;
        self.note_columns("line", &table, &OF_LINES);
        let mut without = 0;
        for row in table.rows() {
            let Some([from, to]) = self.buses(row, ["from_bus", "to_bus"])? else { continue };
            let line = line(row, self.frequency_hz)?;
            without += usize::from(line.is_none());
            let electrical = line.map_or(Electrical::Nothing, Electrical::Line);
            self.add(row, EquipmentKind::LineSegment, [from.node.as_str(), to.node.as_str()], electrical)?;
        }
        self.note_without_values("line", "r_ohm_per_km and x_ohm_per_km", without);
        self.note_ends("line");
        Ok(())
    }

    pub(super) fn note_without_values(&mut self, table: &'static str, columns: &str, rows: usize) {
        if rows > 0 {
            self.note(table, format!("{rows} rows have no {columns}: nothing is known of their impedance"));
        }
    }

    pub(super) fn add_series(&mut self) -> Result<(), ImportError> {
        let table = self.table("impedance")?;
        let taken = ["from_bus", "to_bus", "rft_pu", "xft_pu", "rtf_pu", "xtf_pu", "rft0_pu", "xft0_pu", "rtf0_pu", "xtf0_pu", "sn_mva"];
        self.note_columns("impedance", &table, &taken);
        let mut without = 0;
        for row in table.rows() {
            let Some([from, to]) = self.buses(row, ["from_bus", "to_bus"])? else { continue };
            // Per unit of the voltage of the first bus.
            let base = match (row.positive("sn_mva")?, from.nominal_kv) {
                (Some(sn_mva), Some(kv)) if row.number("xft_pu")?.is_some() => Some(kv * kv / sn_mva),
                _ => None,
            };
            without += usize::from(base.is_none());
            for (forth, back) in [("rft_pu", "rtf_pu"), ("xft_pu", "xtf_pu")] {
                if row.number(back)?.is_some_and(|back| Some(back) != row.number(forth).ok().flatten()) {
                    self.note(row.id(), format!("{back} differs from {forth} and is not taken"));
                }
            }
            let electrical = match base {
                None => Electrical::Nothing,
                Some(base) => Electrical::Series(SequenceImpedance {
                    r_ohm: row.number_or("rft_pu", 0.0)? * base,
                    x_ohm: row.number_or("xft_pu", 0.0)? * base,
                    r0_ohm: row.number("rft0_pu")?.map(|pu| pu * base),
                    x0_ohm: row.number("xft0_pu")?.map(|pu| pu * base),
                }),
            };
            self.add(row, EquipmentKind::SeriesCompensator, [from.node.as_str(), to.node.as_str()], electrical)?;
        }
        self.note_without_values("impedance", "xft_pu and sn_mva", without);
        let controlled = self.table("tcsc")?;
        self.note_columns("tcsc", &controlled, &["from_bus", "to_bus"]);
        for row in controlled.rows() {
            let Some([from, to]) = self.buses(row, ["from_bus", "to_bus"])? else { continue };
            self.add(row, EquipmentKind::SeriesCompensator, [from.node.as_str(), to.node.as_str()], Electrical::Nothing)?;
        }
        Ok(())
    }

    pub(super) fn add_direct_current(&mut self) -> Result<(), ImportError> {
        let table = self.table("dcline")?;
        self.note_columns("dcline", &table, &["from_bus", "to_bus", "p_mw"]);
        for row in table.rows() {
            let Some([from, to]) = self.buses(row, ["from_bus", "to_bus"])? else { continue };
            let electrical = Electrical::DirectCurrent { kw: row.number_or("p_mw", 0.0)? * 1_000.0 };
            self.add(row, EquipmentKind::DirectCurrentLine, [from.node.as_str(), to.node.as_str()], electrical)?;
        }
        Ok(())
    }
}

/// Returns the values of a line as a whole; `None` if it has no impedance.
fn line(row: Row<'_>, frequency_hz: f64) -> Result<Option<Line>, ImportError> {
    let (Some(r), Some(x)) = (row.number("r_ohm_per_km")?, row.number("x_ohm_per_km")?) else { return Ok(None) };
    let length_km = row.number("length_km")?;
    let length = length_km.unwrap_or(1.0);
    let parallel = row.positive("parallel")?.unwrap_or(1.0);
    let series = |per_km: f64| per_km * length / parallel;
    let susceptance = |c_nf: f64| 2.0 * PI * frequency_hz * c_nf * 1e-9 * length * parallel;
    let derating = row.number_or("df", 1.0)?;
    Ok(Some(Line {
        length_km,
        series: SequenceImpedance {
            r_ohm: series(r),
            x_ohm: series(x),
            r0_ohm: row.number("r0_ohm_per_km")?.map(series),
            x0_ohm: row.number("x0_ohm_per_km")?.map(series),
        },
        g_s: row.number_or("g_us_per_km", 0.0)? * 1e-6 * length * parallel,
        b_s: susceptance(row.number_or("c_nf_per_km", 0.0)?),
        b0_s: row.number("c0_nf_per_km")?.map(susceptance),
        by_phase: None,
        rated_a: row.number("max_i_ka")?.map(|ka| ka * 1_000.0 * derating * parallel),
    }))
}
