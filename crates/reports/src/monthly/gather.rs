//! Collects the data of the monthly document for an area.

use analysis::cable_health::{Judged, judged};
use analysis::calendar::{Calendar, Period};
use analysis::communication::{OnlineShare, online_share};
use analysis::demand::Powers;
use analysis::energy_meters::{Metered, substations};
use analysis::energy_sums::{energy, sum};
use analysis::fault_trends::trends;
use analysis::plant_health::plant;
use analysis::reliability::{Figures, feeders};
use grid::cable_health::HealthIndex;
use grid::downsample::Resolution;
use grid::energy::Total;
use grid::reliability::Class;
use grid::{Level, Micros, Scope};
use identity::{Area, View};
use store::series::Wanted;
use wire::flag::Flag;
use wire::reliability::ReliabilityIndices;

use crate::Reports;
use crate::error::Error;
use crate::monthly::figures::{
    AreaFigures, Cables, Compared, Completeness, Demand, Energy, Health, Links, Month, OnlineTime, Outage, Reliability,
};
use crate::monthly::months::{edges, months_before};
use crate::valid_request::name_of;

/// Maximum number of outages that are listed.
const WORST_MAX: usize = 10;
/// Maximum number of substations for which the health of cables and plant is listed.
const HEALTH_MAX: usize = 20;

/// Number of months: the month of the document and the twelve before.
const MONTHS: usize = 13;

/// Collects the data of one area.
pub(super) async fn place(reports: &Reports, view: &View, area: Area, month: Period, calendar: &Calendar) -> Result<AreaFigures, Error> {
    let three = [month, months_before(month, 1)?, months_before(month, 12)?];
    let of = |period: Period| -> Result<(Micros, Micros), Error> {
        let (from, to) = calendar.span(period)?;
        Ok((from, to.min(calendar.now).max(from.plus_millis(1))))
    };
    let spans = [of(three[0])?, of(three[1])?, of(three[2])?];
    let links = links(reports, view, area, month, calendar).await?;
    let online = links.each_ref().map(|found| found.as_deref().map_or(OnlineTime::TooMany, OnlineTime::of));
    Ok(AreaFigures {
        name: name_of(view, area),
        span: spans[0],
        reliability: reliability(reports, view, area, month, &online).await?,
        energy: energies(reports, view, area, three, spans, calendar).await?,
        demand: demand(reports, view, area, month, spans, calendar).await?,
        faults: [
            trends(reports.store(), view, area, spans[0]).await?,
            trends(reports.store(), view, area, spans[1]).await?,
            trends(reports.store(), view, area, spans[2]).await?,
        ],
        links: match [&links[0], &links[1], &links[12]] {
            [Some(now), Some(before), Some(year_before)] => {
                Some(Links::of([now, before, year_before], spans.map(|(from, to)| to.0.saturating_sub(from.0))))
            }
            _ => None,
        },
        health: health(reports, view, area, month).await?,
    })
}

async fn reliability(
    reports: &Reports,
    view: &View,
    area: Area,
    month: Period,
    online: &[OnlineTime; MONTHS],
) -> Result<Reliability, Error> {
    let first = months_before(month, 12)?.first;
    // One query reads all months. The figures of each month still cover that month only.
    let figures = Figures::read(reports.store(), view, &feeders(view, area), Period { first, end: month.end }).await?;
    let mut months = Vec::with_capacity(13);
    for (back, online) in online.iter().enumerate().rev() {
        let of = months_before(month, back as i64)?;
        let totals = figures.sums_of(of)?;
        let is_known_of_feeders = totals.is_known && figures.has_feeders();
        let of_share = |is_partial: bool| Completeness::of_online_time(is_partial, totals.outages, online).filter(|_| is_known_of_feeders);
        let known = of_share(totals.flags.contains(&Flag::Partial));
        // The number of faults does not depend on the customers of the feeders.
        let faults = of_share(!totals.has_data_from_start).unwrap_or(Completeness::Part);
        let indices = if known.is_some() { figures.indices(&totals) } else { ReliabilityIndices::default() };
        months.push(Month { of, indices, is_known: known.is_some(), known: known.unwrap_or(Completeness::Part), faults });
    }
    let of_year = figures.sums_of(Period { first: months_before(month, 11)?.first, end: month.end })?;
    let year = if months[1..].iter().any(|month| month.is_known) { figures.indices(&of_year) } else { ReliabilityIndices::default() };
    let mut totals = figures.sums_of(month)?;
    let is_known = months.last().is_some_and(|month| month.is_known);
    if !figures.has_feeders() {
        totals.flags.insert(Flag::NoFeeder);
    } else if !is_known {
        totals.flags.insert(Flag::NoData);
    } else if online[0].has_gaps() {
        totals.flags.insert(Flag::Silent);
    }
    let within = || figures.outages.iter().filter(|outage| month.has(figures.calendar.day(outage.started)));
    let excluded = within().filter(|outage| figures.excluded_because(outage).is_some()).count();
    let counted = within().filter(|outage| figures.excluded_because(outage).is_none());
    // Those of the SAIDI beside the list: sustained ones, by what each adds to it.
    let mut worst: Vec<Outage> = counted
        .filter(|outage| figures.class(outage) == Some(Class::Sustained))
        .filter_map(|outage| {
            let (asset, location) = (view.field.asset(outage.asset)?, view.field.node(outage.location)?);
            Some(Outage {
                started: outage.started,
                location: location.name.clone(),
                feeder: asset.name.clone(),
                minutes: figures.minutes(outage),
                lasts: outage.ended.is_none(),
                cause: outage.cause(),
                weight: figures.weight(outage)?,
            })
        })
        .collect();
    let weight = |outage: &Outage| (outage.weight * outage.minutes, outage.minutes);
    worst.sort_by(|one, other| {
        let (one, other) = ((weight(one), other.started), (weight(other), one.started));
        other.0.0.total_cmp(&one.0.0).then(other.0.1.total_cmp(&one.0.1)).then(other.1.cmp(&one.1))
    });
    worst.truncate(WORST_MAX);
    let outages = is_known.then_some((totals.sustained, totals.momentary));
    let (served, weighting) = (figures.served, figures.configuration.weighting);
    Ok(Reliability { months, year, served, weighting, outages, worst, excluded, flags: totals.flags.into_iter().collect() })
}

async fn energies(
    reports: &Reports,
    view: &View,
    area: Area,
    three: [Period; 3],
    spans: [(Micros, Micros); 3],
    calendar: &Calendar,
) -> Result<Energy, Error> {
    let (store, client) = (reports.store(), view.principal.client);
    let metered = Metered::of(store, view, area).await?;
    let settled = calendar.now.plus_millis(-metered.settles_ms());
    let (mut days, mut totals, mut is_whole) = (Vec::new(), [Total::default(); 3], [false; 3]);
    for (nth, span) in spans.into_iter().enumerate() {
        let energy = energy(store, client, &metered, span, Wanted::Of(Resolution::Day)).await?;
        // A day that is not over has no balance yet.
        let over = energy.edges.iter().skip(1).take_while(|end| **end <= settled).count().min(energy.units.len());
        totals[nth] = sum(&energy.units[..over]);
        is_whole[nth] = over >= three[nth].days().count();
        if nth == 0 {
            days = energy.units[..over].iter().zip(&energy.edges).map(|(total, start)| (calendar.day(*start), *total)).collect();
        }
    }
    Ok(Energy { days, totals, is_whole, missing: metered.missing })
}

async fn demand(
    reports: &Reports,
    view: &View,
    area: Area,
    month: Period,
    spans: [(Micros, Micros); 3],
    calendar: &Calendar,
) -> Result<Demand, Error> {
    let powers = Powers::of(reports.store(), view, area).await?;
    let (mut block_minutes, mut days, mut at) = (0, Vec::new(), None);
    let (mut peaks, mut load_factors) = ([None; 3], [None; 3]);
    for (nth, span) in spans.into_iter().enumerate() {
        let demand = powers.demand(reports.store(), view, calendar, span).await?;
        let known = Completeness::of(demand.coverage());
        let peak = demand.peak();
        peaks[nth] = peak.map(|(_, peak)| (peak, known));
        load_factors[nth] = demand.load_factor().map(|percent| (percent, known));
        if nth == 0 {
            block_minutes = demand.minutes();
            at = peak.map(|(block, _)| format!("{} {}", calendar.day(block.start), calendar.clock(block.start)));
            let edges = edges(month, calendar)?;
            let of_day = |edge: &[Micros]| demand.within(edge[0], edge[1]).peak().map(|(_, peak)| peak);
            days = month.days().zip(edges.windows(2)).map(|(day, edge)| (day, of_day(edge))).collect();
        }
    }
    let (peaks, load_factors) = (Compared(peaks), Compared(load_factors));
    Ok(Demand { unit: powers.unit, block_minutes, days, peaks, load_factors, at, missing: powers.missing })
}

/// Returns how long gateways were online, by the days of the month and in each of the twelve months before. A month is `None` if it has too
/// many link changes.
async fn links(
    reports: &Reports,
    view: &View,
    area: Area,
    month: Period,
    calendar: &Calendar,
) -> Result<[Option<Vec<OnlineShare>>; MONTHS], Error> {
    let node = match area.0 {
        None => None,
        Some(Scope::Node(node)) => view.field.node(node).cloned(),
        // The communication of an asset is that of its substation.
        Some(Scope::Asset(asset)) => view.field.asset(asset).and_then(|asset| view.field.node(asset.location)).cloned(),
    };
    let mut found = [const { None }; MONTHS];
    for (back, found) in found.iter_mut().enumerate() {
        let mut edges = edges(months_before(month, back as i64)?, calendar)?;
        if back > 0 && edges.len() > 2 {
            edges.drain(1..edges.len() - 1);
        }
        *found = match online_share(reports.store(), view, node.clone(), &edges).await {
            Ok(gateways) => Some(gateways),
            Err(analysis::Error::BadRequest(_)) => None,
            Err(error) => return Err(error.into()),
        };
    }
    Ok(found)
}

async fn health(reports: &Reports, view: &View, area: Area, month: Period) -> Result<Vec<Health>, Error> {
    let kept = reports.store().cable_stations(view.principal.client).await?;
    let mut found = Vec::new();
    for station in substations(view, area).into_iter().filter(|node| node.level == Level::Substation) {
        let report_year = i32::from(month.first.year());
        let year = kept.iter().find(|kept| kept.location == station.id && kept.first <= report_year).map(|kept| kept.last.min(report_year));
        let Some(year) = year else { continue };
        let cables = cables(&judged(reports.store(), view, station.id, year).await?);
        let plant = plant(reports.store(), view, station.id, year).await?;
        if cables.is_none() && plant.is_empty() {
            continue;
        }
        found.push(Health { location: station.name.clone(), year, cables, plant });
        if found.len() == HEALTH_MAX {
            break;
        }
    }
    Ok(found)
}

fn cables(sections: &[Judged]) -> Option<Cables> {
    let of = |band: HealthIndex| sections.iter().filter(|section| section.lies_in(None, Some(band))).count();
    let bands = HealthIndex::ALL.map(of);
    (!sections.is_empty()).then(|| Cables {
        bands,
        not_modelled: sections.len() - bands.iter().sum::<usize>(),
        km: sections.iter().map(|section| section.record.entry.length_km).sum(),
    })
}
