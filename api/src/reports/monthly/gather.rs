//! Asks for everything that a month's document tells of a place.

use grid::cable_health::HealthIndex;
use grid::downsample::Resolution;
use grid::energy::Total;
use grid::{Level, Micros, Scope};
use store::series::Wanted;

use super::of::{Cables, Compared, Demand, Energy, Health, Known, Links, Month, Outage, Place, Reliability};
use super::{edges, months_before};
use crate::area::Area;
use crate::error::Error;
use crate::extract::View;
use crate::reports::request::name_of;
use crate::routes::analytics::demand::Powers;
use crate::routes::analytics::demand_peaks::Told;
use crate::routes::analytics::energy_calendar;
use crate::routes::analytics::energy_meters::{Metered, substations};
use crate::routes::analytics::energy_sums::{energy, sum};
use crate::routes::analytics::fault_trends::trends;
use crate::routes::analytics::reliability_calendar::{Calendar, Period};
use crate::routes::analytics::reliability_figures::{Figures, feeders, words};
use crate::routes::assethealth::cable_assessed::{Judged, judged};
use crate::routes::assethealth::plant_health::plant;
use crate::routes::assethealth::rtu_status::heard_over;
use crate::state::Services;

/// Outages that are told one by one.
const WORST_MAX: usize = 10;
/// Substations whose cables and plant are told.
const HEALTH_MAX: usize = 20;

/// The month, the one before, and the same a year before.
type Three = [Period; 3];

/// Everything of one place.
pub(super) async fn place(services: &Services, view: &View, area: Area, month: Period, calendar: &Calendar) -> Result<Place, Error> {
    let three = [month, months_before(month, 1)?, months_before(month, 12)?];
    let of = |period: Period| -> Result<(Micros, Micros), Error> {
        let (from, to) = calendar.span(period)?;
        Ok((from, to.min(calendar.now).max(from.plus_millis(1))))
    };
    let spans = [of(three[0])?, of(three[1])?, of(three[2])?];
    Ok(Place {
        name: name_of(view, area),
        span: spans[0],
        reliability: reliability(services, view, area, month).await?,
        energy: energies(services, view, area, spans, calendar).await?,
        demand: demand(services, view, area, month, spans, calendar).await?,
        faults: [
            trends(services, view, area, spans[0]).await?,
            trends(services, view, area, spans[1]).await?,
            trends(services, view, area, spans[2]).await?,
        ],
        links: links(services, view, area, three, calendar).await?,
        health: health(services, view, area, month).await?,
    })
}

async fn reliability(services: &Services, view: &View, area: Area, month: Period) -> Result<Reliability, Error> {
    let first = months_before(month, 12)?.first;
    // Together once: each month's figures are those of the month alone.
    let figures = Figures::read(services, view, &feeders(view, area), Period { first, end: month.end }).await?;
    let mut months = Vec::with_capacity(13);
    for back in (0..=12).rev() {
        let of = months_before(month, back)?;
        let told = figures.told(of)?;
        let part = |is_part: bool| if is_part { Known::Part } else { Known::Whole };
        let (known, heard) = (part(told.flags.contains("partial")), part(!told.is_heard));
        months.push(Month { of, indices: figures.indices(&told), is_known: told.is_known, known, heard });
    }
    let told = figures.told(month)?;
    let within = || figures.outages.iter().filter(|outage| month.has(figures.calendar.day(outage.started)));
    let excluded = within().filter(|outage| figures.excluded_because(outage).is_some()).count();
    let counted = within().filter(|outage| figures.excluded_because(outage).is_none());
    let mut worst: Vec<Outage> = counted
        .filter_map(|outage| {
            let (asset, location) = (view.field.asset(outage.asset)?, view.field.node(outage.location)?);
            Some(Outage {
                started: outage.started,
                location: location.name.clone(),
                feeder: asset.name.clone(),
                minutes: figures.minutes(outage),
                lasts: outage.ended.is_none(),
                cause: outage.cause().word(),
                customers: (asset.customers > 0).then(|| f64::from(asset.customers)),
            })
        })
        .collect();
    let weight = |outage: &Outage| (outage.customers.unwrap_or(0.0) * outage.minutes, outage.minutes);
    worst.sort_by(|one, other| {
        let (one, other) = ((weight(one), other.started), (weight(other), one.started));
        other.0.0.total_cmp(&one.0.0).then(other.0.1.total_cmp(&one.0.1)).then(other.1.cmp(&one.1))
    });
    worst.truncate(WORST_MAX);
    let outages = told.is_known.then_some(told.outages);
    Ok(Reliability { months, served: figures.served, outages, worst, excluded, flags: words(&told.flags) })
}

async fn energies(
    services: &Services,
    view: &View,
    area: Area,
    spans: [(Micros, Micros); 3],
    calendar: &Calendar,
) -> Result<Energy, Error> {
    let (store, client) = (services.store(), view.principal.client);
    let metered = Metered::of(store, view, area).await?;
    let settled = calendar.now.plus_millis(-metered.settles_ms());
    let (mut days, mut totals) = (Vec::new(), [Total::default(); 3]);
    for (nth, span) in spans.into_iter().enumerate() {
        let energy = energy(store, client, &metered, span, Wanted::Of(Resolution::Day)).await?;
        // A day that is not over has no balance yet.
        let over = energy.edges.iter().skip(1).take_while(|end| **end <= settled).count().min(energy.units.len());
        totals[nth] = sum(&energy.units[..over]);
        if nth == 0 {
            days = energy.units[..over].iter().zip(&energy.edges).map(|(total, start)| (calendar.day(*start), *total)).collect();
        }
    }
    Ok(Energy { days, totals, missing: metered.missing })
}

async fn demand(
    services: &Services,
    view: &View,
    area: Area,
    month: Period,
    spans: [(Micros, Micros); 3],
    calendar: &Calendar,
) -> Result<Demand, Error> {
    let powers = Powers::of(services, view, area).await?;
    let clock = energy_calendar::Calendar::of(view);
    let (mut days, mut peaks, mut at, mut block_minutes) = (Vec::new(), [None; 3], None, 0);
    for (nth, span) in spans.into_iter().enumerate() {
        let blocks = powers.blocks(services, view, span).await?;
        let told = Told::of(view, area, &clock, &blocks);
        let row = told.row("month", &blocks);
        peaks[nth] = row.peak_demand.map(|peak| (peak, Known::of(row.coverage)));
        if nth == 0 {
            (at, block_minutes) = (row.date.zip(row.time).map(|(date, time)| format!("{date} {time}")), row.block_minutes);
            let edges = edges(month, calendar)?;
            for (day, edge) in month.days().zip(edges.windows(2)) {
                days.push((day, told.row("day", &blocks.within(edge[0], edge[1])).peak_demand));
            }
        }
    }
    Ok(Demand { unit: powers.unit, block_minutes, days, peaks: Compared(peaks), at, missing: powers.missing })
}

async fn links(services: &Services, view: &View, area: Area, three: Three, calendar: &Calendar) -> Result<Option<Links>, Error> {
    let node = match area.0 {
        None => None,
        Some(Scope::Node(node)) => view.field.node(node).cloned(),
        // An asset is heard through what stands in its substation.
        Some(Scope::Asset(asset)) => view.field.asset(asset).and_then(|asset| view.field.node(asset.location)).cloned(),
    };
    let mut found = Vec::with_capacity(3);
    for period in three {
        match heard_over(services, view, node.clone(), &edges(period, calendar)?).await {
            Ok(gateways) => found.push(gateways),
            Err(Error::BadRequest(_)) => return Ok(None),
            Err(error) => return Err(error),
        }
    }
    let share = |nth: usize| super::write::heard(found[nth].iter().map(|gateway| &gateway.whole));
    let before = [share(1), share(2)];
    Ok(Some(Links { gateways: found.swap_remove(0), before }))
}

async fn health(services: &Services, view: &View, area: Area, month: Period) -> Result<Vec<Health>, Error> {
    let kept = services.store().cable_stations(view.principal.client).await?;
    let mut found = Vec::new();
    for station in substations(view, area).into_iter().filter(|node| node.level == Level::Substation) {
        let asked = i32::from(month.first.year());
        let year = kept.iter().find(|kept| kept.location == station.id && kept.first <= asked).map(|kept| kept.last.min(asked));
        let Some(year) = year else { continue };
        let cables = cables(&judged(services, view, station.id, year).await?);
        let plant = plant(services, view, station.id, year).await?;
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
