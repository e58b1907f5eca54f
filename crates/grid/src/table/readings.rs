//! The live readings of one asset: one row per quantity with its three phases, its total, and today's minimum and maximum.

use super::shortest;
use crate::point::{Point, PointKind};
use crate::power_quality::Phasor;
use crate::{Micros, PointId, Quality, Reading};

/// A quantity as displayed. The order is that of the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Parameter {
    /// Phase to earth, kV.
    Voltage,
    /// Phase to phase, kV.
    LineVoltage,
    /// A.
    Current,
    /// MW.
    Active,
    /// `MVAr`.
    Reactive,
    /// MVA.
    Apparent,
    /// Per unit.
    PowerFactor,
    /// Hz.
    Frequency,
    /// Degrees from the voltage of phase R, counter-clockwise.
    VoltageAngle,
    /// Degrees from the voltage of phase R, counter-clockwise.
    CurrentAngle,
    /// Negative over positive sequence voltage, % (EN 50160; IEC 61000-4-30).
    Unbalance,
    /// % of the fundamental.
    VoltageDistortion,
    /// % of the fundamental.
    CurrentDistortion,
    /// °C.
    OilTemperature,
    /// °C.
    WindingTemperature,
    /// %.
    OilLevel,
    /// Step.
    Tap,
}

/// Minimum and maximum of a point since the start of the day.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Extremes {
    /// Minimum.
    pub min: f64,
    /// Maximum.
    pub max: f64,
}

impl Extremes {
    /// Creates them from one value.
    pub fn of(value: f64) -> Self {
        Self { min: value, max: value }
    }

    /// Combines both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// Returns the value if it counts: present and of a quality better than stale. Rollups use the same rule (not quality 3 and above).
    pub fn counts(reading: &Reading) -> Option<f64> {
        reading.value.filter(|_| reading.quality < Quality::Stale)
    }
}

/// The source of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    /// A point.
    Point(PointId),
    /// Voltage between two phases, computed from their voltages and angles.
    Between { volts: [PointId; 2], angles: [PointId; 2] },
}

/// The points of one row.
#[derive(Debug, Clone, PartialEq)]
pub struct Layout {
    /// The quantity.
    pub parameter: Parameter,
    /// Unit of its values.
    pub unit: String,
    /// Number of decimals to display.
    pub decimals: u8,
    /// Shortest age limit of its points, ms; `None` if all report by exception.
    pub age_limit_ms: Option<i64>,
    /// Sources of R, Y, B and total.
    sources: [Option<Source>; 4],
}

/// The present values of one row.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadingsRow {
    /// Values of R, Y and B.
    pub phases: [Option<f64>; 3],
    /// Value of all phases, or the only value.
    pub total: Option<f64>,
    /// Extremes since the start of the day: of the total if the asset measures it, otherwise of the phases. `None` for angles, which wrap around, and
    /// for computed values.
    pub day: Option<Extremes>,
    /// Worst quality of the row, including points without a value.
    pub quality: Quality,
    /// Source time of the newest value.
    pub reported: Option<Micros>,
}

/// Codes of R, Y, B and the total.
type Codes = [&'static str; 4];

impl Parameter {
    /// All quantities, in the order of the rows.
    pub const ALL: [Self; 17] = [
        Self::Voltage,
        Self::LineVoltage,
        Self::Current,
        Self::Active,
        Self::Reactive,
        Self::Apparent,
        Self::PowerFactor,
        Self::Frequency,
        Self::VoltageAngle,
        Self::CurrentAngle,
        Self::Unbalance,
        Self::VoltageDistortion,
        Self::CurrentDistortion,
        Self::OilTemperature,
        Self::WindingTemperature,
        Self::OilLevel,
        Self::Tap,
    ];

    /// Returns the name used on screens and as the key of a row.
    pub fn name(self) -> &'static str {
        self.row().0
    }

    fn codes(self) -> Codes {
        self.row().1
    }

    fn row(self) -> (&'static str, Codes) {
        match self {
            Self::Voltage => ("Voltage L-N", ["Vr", "Vy", "Vb", ""]),
            Self::LineVoltage => ("Voltage L-L", ["Vry", "Vyb", "Vbr", "V"]),
            Self::Current => ("Current", ["Ir", "Iy", "Ib", "I"]),
            Self::Active => ("Active power", ["Pr", "Py", "Pb", "P"]),
            Self::Reactive => ("Reactive power", ["Qr", "Qy", "Qb", "Q"]),
            Self::Apparent => ("Apparent power", ["Sr", "Sy", "Sb", "S"]),
            Self::PowerFactor => ("Power factor", ["", "", "", "Pf"]),
            Self::Frequency => ("Frequency", ["", "", "", "Hz"]),
            Self::VoltageAngle => ("Angle of voltage", ["AVr", "AVy", "AVb", ""]),
            Self::CurrentAngle => ("Angle of current", ["AIr", "AIy", "AIb", ""]),
            Self::Unbalance => ("Unbalance (VUF, V2/V1)", ["", "", "", "Vuf"]),
            Self::VoltageDistortion => ("THD voltage", ["ThdVr", "ThdVy", "ThdVb", ""]),
            Self::CurrentDistortion => ("THD current", ["ThdIr", "ThdIy", "ThdIb", ""]),
            Self::OilTemperature => ("OTI", ["", "", "", "OTI"]),
            Self::WindingTemperature => ("WTI", ["", "", "", "WTI"]),
            Self::OilLevel => ("Oil level", ["", "", "", "OilLevel"]),
            Self::Tap => ("Tap position", ["", "", "", "Tap"]),
        }
    }

    /// Whether minimum and maximum of a day are meaningful.
    fn has_extremes(self) -> bool {
        !matches!(self, Self::VoltageAngle | Self::CurrentAngle)
    }
}

impl Layout {
    /// Returns every point that this row depends on.
    pub fn points(&self) -> impl Iterator<Item = PointId> + '_ {
        self.sources.iter().flatten().flat_map(|source| match source {
            Source::Point(point) => vec![*point],
            Source::Between { volts, angles } => [*volts, *angles].concat(),
        })
    }

    /// Returns the points whose extremes of the day are shown.
    pub fn points_with_day_extremes(&self) -> impl Iterator<Item = PointId> + '_ {
        let of = if self.sources[3].is_some() { &self.sources[3..] } else { &self.sources[..3] };
        let direct = |source: &Option<Source>| match source {
            Some(Source::Point(point)) => Some(*point),
            _ => None,
        };
        of.iter().filter(|_| self.parameter.has_extremes()).filter_map(direct)
    }
}

/// Lays out the rows of an asset: one for each quantity that it has a point of.
pub fn layouts<'a>(points: impl Iterator<Item = &'a Point>) -> Vec<Layout> {
    let points: Vec<&Point> = points.filter(|point| point.kind == PointKind::Measurand).collect();
    let find = |code: &str| points.iter().filter(|point| point.code == code && !code.is_empty()).min_by_key(|point| point.id).copied();
    let between = |phases: [usize; 2]| {
        let id = |parameter: Parameter, phase: usize| find(parameter.codes()[phase]).map(|point| point.id);
        let [from, to] = phases;
        Some(Source::Between {
            volts: [id(Parameter::Voltage, from)?, id(Parameter::Voltage, to)?],
            angles: [id(Parameter::VoltageAngle, from)?, id(Parameter::VoltageAngle, to)?],
        })
    };
    let layout = |parameter: Parameter| {
        let found = parameter.codes().map(find);
        let mut sources = found.map(|point| point.map(|point| Source::Point(point.id)));
        let mut first = found.into_iter().flatten().next();
        if parameter == Parameter::LineVoltage && first.is_none() {
            // Not measured, but it can be computed from the measured values.
            first = find(Parameter::Voltage.codes()[0]);
            sources = [between([0, 1]), between([1, 2]), between([2, 0]), None];
        }
        let first = first.filter(|_| sources.iter().any(Option::is_some))?;
        let (unit, decimals) = (first.unit.clone(), first.decimals);
        let mut layout = Layout { parameter, unit, decimals, age_limit_ms: None, sources };
        let limits = layout.points().filter_map(|id| points.iter().find(|point| point.id == id)).map(|point| point.age_limit_ms());
        layout.age_limit_ms = limits.fold(None, shortest);
        Some(layout)
    };
    Parameter::ALL.into_iter().filter_map(layout).collect()
}

/// Returns the present value of a source, with the worst quality and the newest time of its points.
fn say(source: Source, latest: &impl Fn(PointId) -> Option<Reading>) -> (Option<f64>, Quality, Option<Micros>) {
    match source {
        Source::Point(point) => {
            latest(point).map_or((None, Quality::Never, None), |reading| (reading.value, reading.quality, Some(reading.source)))
        }
        Source::Between { volts, angles } => {
            let readings = [volts[0], volts[1], angles[0], angles[1]].map(latest);
            let quality = readings
                .iter()
                .map(|readings| readings.map_or(Quality::Never, |readings| readings.quality))
                .max()
                .unwrap_or(Quality::Never);
            let [from, to, at, until] = readings.map(|readings| readings.and_then(|readings| readings.value));
            let value = match (from, to, at, until) {
                (Some(a), Some(b), Some(at), Some(until)) => Some((Phasor::polar(a, at) - Phasor::polar(b, until)).magnitude()),
                _ => None,
            };
            (value, quality, readings.into_iter().flatten().map(|readings| readings.source).max())
        }
    }
}

/// Returns the present row, reading each point with `latest` and its extremes of the day with `day`. The qualities that `latest` returns must be
/// those to display.
pub fn row(layout: &Layout, latest: impl Fn(PointId) -> Option<Reading>, day: impl Fn(PointId) -> Option<Extremes>) -> ReadingsRow {
    let values = layout.sources.map(|source| source.map(|source| say(source, &latest)));
    let value = |place: usize| values[place].and_then(|(value, ..)| value);
    ReadingsRow {
        phases: [value(0), value(1), value(2)],
        total: value(3),
        day: layout.points_with_day_extremes().filter_map(day).reduce(Extremes::and),
        quality: values.iter().flatten().map(|(_, quality, _)| *quality).max().unwrap_or(Quality::Never),
        reported: values.iter().flatten().filter_map(|(.., at)| *at).max(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{point, reading};
    use super::*;

    fn of(codes: &[&str]) -> Vec<Layout> {
        let points: Vec<Point> = codes.iter().enumerate().map(|(id, code)| point(id as i64, 10, 2, code)).collect();
        layouts(points.iter())
    }

    fn names(layouts: &[Layout]) -> Vec<&str> {
        layouts.iter().map(|layout| layout.parameter.name()).collect()
    }

    #[test]
    fn only_what_is_measured_has_a_row_and_the_order_is_fixed() {
        assert_eq!(
            names(&of(&["Tap", "Hz", "OTI", "P", "Iy", "Pos", "Odd"])),
            ["Current", "Active power", "Frequency", "OTI", "Tap position"]
        );
        assert!(of(&[]).is_empty());
        assert!(Parameter::ALL.is_sorted());
    }

    #[test]
    fn what_has_never_come_marks_its_row_and_no_other() {
        let rows = of(&["Ir", "Iy", "Ib", "P"]);
        let latest = |id: PointId| (id.0 != 1).then(|| reading(10.0 + id.0 as f64, id.0));
        let current = row(&rows[0], latest, |_| None);
        assert_eq!((current.phases, current.total), ([Some(10.0), None, Some(12.0)], None));
        assert_eq!((current.quality, current.reported, current.day), (Quality::Never, Some(Micros::from_millis(2_000)), None));
        assert_eq!((row(&rows[1], latest, |_| None).total, row(&rows[1], latest, |_| None).quality), (Some(13.0), Quality::Good));
    }

    #[test]
    fn the_day_is_that_of_the_total_where_there_is_one() {
        let day = |id: PointId| Some(Extremes { min: id.0 as f64, max: 100.0 + id.0 as f64 });
        let rows = of(&["Ir", "Iy", "Ib", "Pr", "P", "AVr"]);
        let days: Vec<_> = rows.iter().map(|layout| row(layout, |_| None, day).day.map(|day| (day.min, day.max))).collect();
        assert_eq!(names(&rows), ["Current", "Active power", "Angle of voltage"]);
        assert_eq!(days, [Some((0.0, 102.0)), Some((4.0, 104.0)), None]);
        let bad = Reading { quality: Quality::Stale, ..reading(7.0, 1) };
        assert_eq!((Extremes::counts(&reading(7.0, 1)), Extremes::counts(&bad)), (Some(7.0), None));
    }

    #[test]
    fn the_voltage_between_phases_follows_from_voltages_and_angles() {
        let rows = of(&["Vr", "Vy", "Vb", "AVr", "AVy", "AVb"]);
        assert_eq!(names(&rows), ["Voltage L-N", "Voltage L-L", "Angle of voltage"]);
        let values = [6.35, 6.35, 6.35, 0.0, -120.0, 120.0];
        let line = row(&rows[1], |id| Some(reading(values[id.0 as usize], 1)), |id| Some(Extremes::of(id.0 as f64)));
        for phase in line.phases {
            assert!((phase.expect("a value") - 6.35 * 3.0_f64.sqrt()).abs() < 1e-9, "{phase:?}");
        }
        assert_eq!((line.day, line.quality, rows[1].points().count()), (None, Quality::Good, 12));
        let measured = of(&["Vr", "Vy", "AVr", "AVy", "V"]);
        assert_eq!(row(&measured[1], |_| Some(reading(11.0, 1)), |_| None).total, Some(11.0), "what is measured is not worked out");
        assert_eq!(names(&of(&["Vr", "AVr"])), ["Voltage L-N", "Angle of voltage"]);
    }
}
