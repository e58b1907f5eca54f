//! Prints the figures of a month. Unknown figures are printed as unknown and never as 0.

use std::collections::BTreeMap;

use analysis::calendar::{Calendar, Period, month_name};
use grid::Micros;
use grid::energy::Total;
use grid::link::LinkStatistics;
use jiff::civil::Date;
use sheet::pdf::{About, Chart, Document, Figure, Series, Shape};
use sheet::{Cell, Column, ColumnKind};
use wire::flag::Flag;
use wire::trends::FaultTrends;

use crate::capital::capital;
use crate::imprint::Imprint;
use crate::monthly::figures::{AreaFigures, Compared, Completeness, Demand, Energy, Links, Month, Reliability, online_percent};
use crate::monthly::months::TITLE;
use crate::monthly::write::page::{Done, Out, column};

mod health;
mod page;
mod terms;

/// Maximum number of feeders with faults that are listed.
const FEEDERS_MAX: usize = 15;
/// Maximum number of gateways that are listed. If there are more, the gateways with the least time online are listed.
const GATEWAYS_MAX: usize = 15;
/// Factor from MWh to kWh.
const MWH: f64 = 1_000.0;

/// Prints the whole document.
pub(super) fn document(
    imprint: Imprint,
    places: &[AreaFigures],
    month: Period,
    calendar: &Calendar,
    kept_since: Option<Micros>,
) -> Result<Vec<u8>, sheet::Error> {
    let names: Vec<&str> = places.iter().map(|place| place.name.as_str()).collect();
    let (_, to) = places.first().map_or((calendar.now, calendar.now), |place| place.span);
    let mut facts = vec![("Place".to_owned(), names.join(", "))];
    let last = month.end.yesterday().unwrap_or(month.end);
    facts.extend([("From".to_owned(), month.first.to_string()), ("To".to_owned(), last.to_string())]);
    let is_over = calendar.day(to) >= month.end;
    if !is_over {
        facts.push(("So far".to_owned(), "the month is not over: figures are up to when this was made".to_owned()));
    }
    facts.extend(kept_since.map(|since| ("Kept since".to_owned(), calendar.day(since).to_string())));
    let period = long(month);
    let about = About {
        utility: imprint.utility,
        title: TITLE.to_owned(),
        period,
        facts,
        zone: calendar.zone().clone(),
        made: calendar.now,
        made_by: imprint.made_by,
        logo: imprint.logo,
    };
    let mut out = Vec::new();
    let mut document = Document::new(&about, &mut out)?;
    for place in places {
        if places.len() > 1 {
            document.part(&place.name)?;
        }
        place.print(&mut document, month, is_over)?;
    }
    document.heading("What the figures mean")?;
    document.terms(terms::TERMS)?;
    document.finish()?;
    Ok(out)
}

/// Formats a month as `October 2026`.
fn long(month: Period) -> String {
    month.first.strftime("%B %Y").to_string()
}

/// Formats a month as `Oct 2026`.
fn short(month: Period) -> String {
    format!("{} {}", month_name(month.first), month.first.year())
}

fn number(value: f64, decimals: usize) -> String {
    // A negative number that is rounded to 0 has no sign.
    let text = format!("{value:.decimals$}");
    if text.trim_start_matches('-').chars().all(|letter| letter == '0' || letter == '.') {
        text.trim_start_matches('-').to_owned()
    } else {
        text
    }
}

/// Returns a key figure with its values of one month and one year before.
fn figure(name: &str, unit: &str, decimals: usize, compared: Compared, months: [&str; 2]) -> Figure {
    let note = |(against, month): (usize, &str)| {
        let Some((value, known)) = compared.0[against] else { return format!("{month}: not known") };
        let value = number(value, decimals);
        match (compared.change(against), known) {
            (Some(change), _) => format!("{month}: {value} ({change:+.1} %)"),
            (None, Completeness::Percent(share)) => format!("{month}: {value} ({share:.0} % known)"),
            (None, Completeness::Part) => format!("{month}: {value} (known in part)"),
            (None, Completeness::Whole) => format!("{month}: {value}"),
        }
    };
    let mut notes: Vec<String> = [1, 2].into_iter().zip(months).map(note).collect();
    match compared.0[0] {
        Some((_, Completeness::Percent(share))) => notes.push(format!("of {share:.0} % of the time")),
        Some((_, Completeness::Part)) => notes.push("known in part".to_owned()),
        _ => {}
    }
    Figure { name: name.to_owned(), value: compared.now().map(|value| number(value, decimals)), unit: unit.to_owned(), notes }
}

fn series(name: &str, shape: Shape, values: Vec<Option<f64>>) -> Series {
    Series { name: name.to_owned(), shape, right: false, values }
}

fn chart(title: &str, unit: &str, categories: Vec<String>, series: Vec<Series>) -> Chart {
    Chart { title: title.to_owned(), unit: unit.to_owned(), right_unit: String::new(), categories, series }
}

/// Returns a value for each day of a month.
fn by_day<T: Copy>(month: Period, days: &[(Date, T)], of: impl Fn(T) -> Option<f64>) -> Vec<Option<f64>> {
    month.days().map(|day| days.iter().find(|(known, _)| *known == day).and_then(|(_, found)| of(*found))).collect()
}

fn days(month: Period) -> Vec<String> {
    month.days().map(|day| day.day().to_string()).collect()
}

/// Keeps a heading on the same page as the chart below it.
fn begin(out: &mut Out<'_>, words: &str, has_chart: bool) -> Done {
    if has_chart { out.heading_over_chart(words) } else { out.heading(words) }
}

fn listed(names: &[String]) -> String {
    const NAMED_MAX: usize = 8;
    let more = names.len().saturating_sub(NAMED_MAX);
    let named = names[..names.len() - more].join("; ");
    if more == 0 { named } else { format!("{named} and {more} more") }
}

impl AreaFigures {
    fn print(&self, out: &mut Out<'_>, month: Period, is_over: bool) -> Done {
        self.summary(out, month, is_over)?;
        self.reliability.print(out)?;
        self.energy.print(out, month)?;
        self.demand.print(out, month)?;
        faults(&self.faults[0], out, month, self.reliability.months.last().is_some_and(|month| month.is_known))?;
        if let Some(links) = &self.links {
            links.print(out, month)?;
        } else {
            out.heading("Communication")?;
            out.note("Not available: too many changes of links. Select a lower level.")?;
        }
        health::print(&self.health, out)
    }

    fn summary(&self, out: &mut Out<'_>, month: Period, is_over: bool) -> Done {
        let months = &self.reliability.months;
        let (before, year_before) = (short(months[months.len() - 2].of), short(months[0].of));
        let named = [before.as_str(), year_before.as_str()];
        let index = |of: fn(&wire::reliability::ReliabilityIndices) -> Option<f64>| {
            Compared([months.len() - 1, months.len() - 2, 0].map(|nth| Some((of(&months[nth].indices)?, months[nth].known))))
        };
        let energy = |of: fn(&Total) -> Option<f64>| self.energy.compared(|total| of(total).map(|kwh| kwh / MWH));
        let share = self.energy.compared(|total| Some(100.0 * total.loss()? / total.energy_in.filter(|energy| *energy > 0.0)?));
        let of = [months.len() - 1, months.len() - 2, 0].map(|nth| &months[nth]);
        let began = Compared([0, 1, 2].map(|nth| times(&self.faults[nth], of[nth])));
        let availability = self.links.as_ref().map_or_else(Compared::default, |links| links.share);
        // The days so far cannot be compared with a whole month.
        let row = |name: &str, unit: &str, decimals: usize, compared: Compared| {
            figure(name, unit, decimals, if is_over { compared } else { compared.so_far() }, named)
        };
        let figures = [
            row("SAIDI", "min", 2, index(|indices| indices.saidi)),
            row("SAIFI", "", 4, index(|indices| indices.saifi)),
            row("CAIDI", "min", 2, index(|indices| indices.caidi)),
            row("MAIFI", "", 4, index(|indices| indices.maifi)),
            row("Energy in", "MWh", 1, energy(|total| total.energy_in)),
            row("Energy out", "MWh", 1, energy(|total| total.energy_out)),
            row("Loss", "MWh", 1, energy(Total::loss)),
            row("Loss", "% of energy in", 2, share),
            row("Peak demand", self.demand.unit, 3, self.demand.peaks),
            row("Load factor", "%", 1, self.demand.load_factors),
            row("Faults", "", 0, began),
            row("Gateways heard", "% of time", 2, availability),
        ];
        let is_known = figures.iter().any(|figure| figure.value.is_some());
        out.heading("Summary")?;
        if !is_known {
            out.paragraph(&format!("Nothing is known of {} in {}: no event, no reading and no fault.", self.name, long(month)))?;
        }
        out.figures(&figures)?;
        out.note(&format!(
            "Each figure beside that of {before} and of {year_before}. A change is told where both months are known as a whole; what the figures \
             mean is said at the end."
        ))
    }
}

impl Reliability {
    /// Returns the label for several months together. If not all of them are known, the label contains the number of known months.
    fn year_label(&self) -> String {
        let year = &self.months[1..];
        let known = year.iter().filter(|month| month.is_known).count();
        if known == year.len() { format!("{known} months") } else { format!("{known} of {} months", year.len()) }
    }

    fn print(&self, out: &mut Out<'_>) -> Done {
        out.heading("Reliability")?;
        let (unit, minutes) = terms::weighted(self.weighting);
        let served = self.served.map_or_else(
            || "It is not known how many are supplied".to_owned(),
            |served| format!("{} {unit} are supplied", number(served, 0)),
        );
        let outages = self.outages.map_or_else(
            || "outages are not known".to_owned(),
            |(sustained, momentary)| format!("{sustained} sustained and {momentary} momentary outages of feeders count"),
        );
        out.paragraph(&format!("{served}; {outages}. {} more are left out by the rules of the utility.", self.excluded))?;
        for words in self.flags.iter().filter_map(|flag| terms::doubt(*flag)) {
            out.note(words)?;
        }
        let year = &self.months[1..];
        let names: Vec<String> = year.iter().map(|month| format!("{} {:02}", month.of.month_name(), month.of.first.year() % 100)).collect();
        let of = |of: fn(&wire::reliability::ReliabilityIndices) -> Option<f64>| year.iter().map(|month| of(&month.indices)).collect();
        out.charts(&[
            chart(
                "SAIDI and CAIDI by month",
                "min",
                names.clone(),
                vec![
                    series("SAIDI", Shape::Columns, of(|indices| indices.saidi)),
                    series("CAIDI", Shape::Line, of(|indices| indices.caidi)),
                ],
            ),
            chart(
                "SAIFI and MAIFI by month",
                "interruptions a customer",
                names,
                vec![
                    series("SAIFI", Shape::Columns, of(|indices| indices.saifi)),
                    series("MAIFI", Shape::Columns, of(|indices| indices.maifi)),
                ],
            ),
        ])?;
        let columns = [
            Column::new("Month", "", ColumnKind::Text).wide(16),
            column("SAIDI", "min", 2),
            column("SAIFI", "", 4),
            column("CAIDI", "min", 2),
            column("MAIFI", "", 4),
        ];
        let mut named: Vec<(String, _)> = self.months.iter().map(|month| (short(month.of), month.indices)).collect();
        named.push((self.year_label(), self.year));
        let rows = named.iter().map(|(name, indices)| {
            [Cell::Text(name), indices.saidi.into(), indices.saifi.into(), indices.caidi.into(), indices.maifi.into()]
        });
        out.table(&columns, rows)?;
        out.subheading("The worst sustained outages of the month")?;
        let columns = [
            Column::new("Began", "", ColumnKind::Minute),
            Column::new("Substation", "", ColumnKind::Text).wide(20),
            Column::new("Feeder", "", ColumnKind::Text).wide(16),
            Column::new("Cause", "", ColumnKind::Text).wide(10),
            column("Lasted", "min", 1),
            column(&capital(unit), "", 0),
            column(minutes, "", 0),
        ];
        let rows = self.worst.iter().map(|outage| {
            [
                Cell::Time(outage.started),
                Cell::Text(&outage.location),
                Cell::Text(&outage.feeder),
                Cell::Text(if outage.lasts { "lasts" } else { terms::cause(outage.cause) }),
                Cell::Number(outage.minutes),
                Cell::Number(outage.weight),
                Cell::Number(outage.weight * outage.minutes),
            ]
        });
        out.table(&columns, rows)
    }
}

impl Energy {
    fn print(&self, out: &mut Out<'_>, month: Period) -> Done {
        let has_chart = self.totals[0].known_ms > 0;
        begin(out, "Energy", has_chart)?;
        if !self.missing.is_empty() {
            out.note(&format!("Without a meter, and left out with the whole of their substations: {}.", listed(&self.missing)))?;
        }
        let whole = &self.totals[0];
        if !has_chart {
            return out.paragraph("Nothing was measured in this month.");
        }
        out.note(&format!("Measured in {:.1} % of the month as far as it is over.", whole.coverage()))?;
        if !self.is_whole[0] {
            let (counted, all) = (self.days.len(), month.days().count());
            out.note(&format!("{counted} of {all} days are counted: those that were over, and read to their end, when this was made."))?;
        }
        let mwh = |of: fn(&Total) -> Option<f64>| by_day(month, &self.days, move |total| of(&total).map(|kwh| kwh / MWH));
        out.charts(&[chart(
            "Energy in and out by day",
            "MWh",
            days(month),
            vec![series("In", Shape::Columns, mwh(|total| total.energy_in)), series("Out", Shape::Columns, mwh(|total| total.energy_out))],
        )])?;
        out.charts(&[
            chart("Loss by day", "MWh", days(month), vec![series("Loss", Shape::Columns, mwh(Total::loss))]),
            chart(
                "Coverage by day",
                "%",
                days(month),
                vec![series("Share of the day that is known", Shape::Line, by_day(month, &self.days, |total| Some(total.coverage())))],
            ),
        ])
    }
}

impl Demand {
    fn print(&self, out: &mut Out<'_>, month: Period) -> Done {
        begin(out, "Demand", self.peaks.now().is_some())?;
        if !self.missing.is_empty() {
            out.note(&format!("Power not measured of: {}.", listed(&self.missing)))?;
        }
        let (Some(peak), Some(at)) = (self.peaks.now(), &self.at) else { return out.paragraph("Nothing was measured in this month.") };
        let (unit, minutes) = (self.unit, self.block_minutes);
        out.paragraph(&format!("The highest demand was {peak:.3} {unit}, the mean of the {minutes} minutes from {at}."))?;
        let values = by_day(month, &self.days, |peak| peak);
        out.charts(&[chart("Peak demand by day", unit, days(month), vec![series("Highest of the day", Shape::Line, values)])])
    }
}

/// Returns the number of faults that began. A number of 0 counts as unknown if nothing was received in the month, or if faults of the month have been deleted.
fn times(trends: &FaultTrends, month: &Month) -> Option<(f64, Completeness)> {
    let is_partial = trends.flags.contains(&Flag::Partial);
    let is_counted = !trends.rows.is_empty() || month.is_known && !is_partial;
    is_counted.then(|| (trends.rows.iter().map(|row| row.times as f64).sum(), if is_partial { Completeness::Part } else { month.faults }))
}

fn faults(trends: &FaultTrends, out: &mut Out<'_>, month: Period, is_online: bool) -> Done {
    begin(out, "Faults", !trends.rows.is_empty())?;
    if trends.flags.contains(&Flag::Partial) {
        out.note("Not all faults of the month are told: some have been let go, or there were too many to look at.")?;
    }
    if trends.rows.is_empty() {
        return out.paragraph(if is_online {
            "No fault began in this month."
        } else {
            "Whether a fault began is not known: nothing was heard in this month, or there is no feeder that counts."
        });
    }
    let mut kinds: BTreeMap<&str, BTreeMap<&str, f64>> = BTreeMap::new();
    let mut feeders: BTreeMap<(&str, &str), (f64, f64, f64)> = BTreeMap::new();
    for row in &trends.rows {
        *kinds.entry(&row.fault_type).or_default().entry(&row.day).or_default() += row.times as f64;
        let sum = feeders.entry((&row.location_name, &row.asset_name)).or_default();
        (sum.0, sum.1, sum.2) = (sum.0 + row.times as f64, sum.1 + row.minutes.unwrap_or(0.0), sum.2 + row.open as f64);
    }
    let of_kind = |(kind, days): (&&str, &BTreeMap<&str, f64>)| {
        series(kind, Shape::Stacked, month.days().map(|day| days.get(day.to_string().as_str()).copied()).collect())
    };
    out.charts(&[chart("Faults by day and kind", "faults", days(month), kinds.iter().map(of_kind).collect())])?;
    let mut feeders: Vec<_> = feeders.into_iter().collect();
    feeders
        .sort_by(|(name, one), (other_name, other)| other.0.total_cmp(&one.0).then(other.1.total_cmp(&one.1)).then(name.cmp(other_name)));
    let columns = [
        Column::new("Substation", "", ColumnKind::Text),
        Column::new("Feeder", "", ColumnKind::Text),
        column("Faults", "", 0),
        column("Lasted together", "min", 1),
        column("Still open", "", 0),
    ];
    let rows = feeders.iter().take(FEEDERS_MAX).map(|((location, feeder), (times, minutes, open))| {
        [Cell::Text(location), Cell::Text(feeder), Cell::Number(*times), Cell::Number(*minutes), Cell::Number(*open)]
    });
    out.table(&columns, rows)?;
    let more = feeders.len().saturating_sub(FEEDERS_MAX);
    if more > 0 { out.note(&format!("{more} more feeders had faults.")) } else { Ok(()) }
}

impl Links {
    fn print(&self, out: &mut Out<'_>, month: Period) -> Done {
        let has_chart = online_percent(self.gateways.iter().map(|gateway| &gateway.whole)).is_some();
        begin(out, "Communication", has_chart)?;
        if !has_chart {
            return out.paragraph("It is not known when gateways were heard in this month.");
        }
        let parts = self.gateways.iter().map(|gateway| gateway.parts.len()).max().unwrap_or(0);
        let of = |nth: usize| online_percent(self.gateways.iter().filter_map(|gateway| gateway.parts.get(nth)));
        let values = (0..parts).map(of).collect();
        out.charts(&[chart("Gateways heard by day", "% of time", days(month), vec![series("All gateways", Shape::Line, values)])])?;
        let mut gateways: Vec<_> = self.gateways.iter().collect();
        gateways.sort_by(|one, other| {
            let share = |tally: &LinkStatistics| tally.percent().unwrap_or(-1.0);
            share(&one.whole).total_cmp(&share(&other.whole)).then(one.gateway_name.cmp(&other.gateway_name))
        });
        let columns = [
            Column::new("Substation", "", ColumnKind::Text),
            Column::new("Gateway", "", ColumnKind::Text),
            column("Heard", "% of time", 2),
            column("Not heard", "min", 1),
            column("Times lost", "", 0),
        ];
        let rows = gateways.iter().take(GATEWAYS_MAX).map(|gateway| {
            let lost = gateway.whole.percent().map(|_| f64::from(gateway.whole.lost));
            let (percent, missed) = (gateway.whole.percent(), gateway.whole.missed_minutes());
            [Cell::Text(&gateway.location_name), Cell::Text(&gateway.gateway_name), percent.into(), missed.into(), lost.into()]
        });
        out.table(&columns, rows)?;
        let more = gateways.len().saturating_sub(GATEWAYS_MAX);
        if more > 0 { out.note(&format!("{more} more gateways were online at least as long.")) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_figure_says_what_it_was_and_what_is_not_known() {
        let of = |compared| figure("SAIDI", "min", 2, compared, ["Sep 2026", "Oct 2025"]);
        let written = of(Compared::whole([Some(44.0), Some(40.0), None]));
        assert_eq!(
            (written.value.as_deref(), written.notes.join("; ").as_str()),
            (Some("44.00"), "Sep 2026: 40.00 (+10.0 %); Oct 2025: not known")
        );
        let partial =
            of(Compared([Some((44.0, Completeness::of(62.0))), Some((40.0, Completeness::Whole)), Some((3.0, Completeness::Part))]));
        assert_eq!(partial.notes, ["Sep 2026: 40.00", "Oct 2025: 3.00 (known in part)", "of 62 % of the time"]);
        assert_eq!(of(Compared::default()).value, None);
        assert_eq!((number(-0.001, 2).as_str(), number(-1.5, 1).as_str(), number(0.0, 0).as_str()), ("0.00", "-1.5", "0"));
    }
}
