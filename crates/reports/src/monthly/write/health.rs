//! Prints the health of cables and plant in the monthly document.

use grid::cable_health::HealthIndex;
use sheet::{Cell, Column, ColumnKind};
use wire::cable_health::PlantRow;

use crate::monthly::figures::Health;
use crate::monthly::write::page::{Done, Out, column};

/// Maximum number of transformers and breakers that are listed. If there are more, the ones in the worst health are
/// listed.
const PLANT_MAX: usize = 15;

pub(super) fn print(health: &[Health], out: &mut Out<'_>) -> Done {
    if health.is_empty() {
        return Ok(());
    }
    out.heading("Health of cables and plant")?;
    cables(health, out)?;
    counted(health, out)?;
    worst(health, out)
}

fn columns() -> Vec<Column> {
    let mut columns = vec![Column::new("Substation", "", ColumnKind::Text).wide(20), Column::new("End of", "", ColumnKind::Text).wide(8)];
    columns.extend(HealthIndex::ALL.map(|band| column(band.as_str(), "", 0).wide(6)));
    columns.push(column("Not modelled", "", 0));
    columns
}

fn cells<'a>(location: &'a str, year: &'a str, bands: [usize; 5], not_modelled: usize) -> Vec<Cell<'a>> {
    let mut cells = vec![Cell::Text(location), Cell::Text(year)];
    cells.extend(bands.into_iter().chain([not_modelled]).map(|count| Cell::Number(count as f64)));
    cells
}

fn cables(health: &[Health], out: &mut Out<'_>) -> Done {
    let known: Vec<_> =
        health.iter().filter_map(|health| Some((health.location.as_str(), health.year.to_string(), health.cables.as_ref()?))).collect();
    if known.is_empty() {
        return Ok(());
    }
    out.subheading("Sections of cable by health index")?;
    let mut columns = columns();
    columns.push(column("Length", "km", 1));
    let rows = known.iter().map(|(location, year, cables)| {
        let mut cells = cells(location, year, cables.bands, cables.not_modelled);
        cells.push(Cell::Number(cables.km));
        cells
    });
    out.table(&columns, rows)
}

fn counted(health: &[Health], out: &mut Out<'_>) -> Done {
    let known: Vec<_> = health.iter().filter(|health| !health.plant.is_empty()).map(|health| (health, health.year.to_string())).collect();
    if known.is_empty() {
        return Ok(());
    }
    out.subheading("Transformers and breakers by health index")?;
    let rows = known.iter().map(|(health, year)| {
        let of = |band: HealthIndex| health.plant.iter().filter(|plant| plant.health_index_band.as_deref() == Some(band.as_str())).count();
        let not_modelled = health.plant.iter().filter(|plant| plant.health_index_band.is_none()).count();
        cells(&health.location, year, HealthIndex::ALL.map(of), not_modelled)
    });
    out.table(&columns(), rows)
}

/// Lists the plant in the worst health. Plant without an assessment is only in the counts.
fn worst(health: &[Health], out: &mut Out<'_>) -> Done {
    let mut judged: Vec<(&str, &PlantRow, f64)> = health
        .iter()
        .flat_map(|health| health.plant.iter().filter_map(|plant| Some((health.location.as_str(), plant, plant.health_score?))))
        .collect();
    if judged.is_empty() {
        return Ok(());
    }
    judged.sort_by(|one, other| {
        other
            .2
            .total_cmp(&one.2)
            .then_with(|| (one.0, &one.1.asset_name, one.1.asset_id).cmp(&(other.0, &other.1.asset_name, other.1.asset_id)))
    });
    let more = judged.len().saturating_sub(PLANT_MAX);
    judged.truncate(PLANT_MAX);
    out.subheading("Transformers and breakers in the worst health")?;
    let columns = [
        Column::new("Substation", "", ColumnKind::Text).wide(20),
        Column::new("Plant", "", ColumnKind::Text).wide(16),
        Column::new("Kind", "", ColumnKind::Text).wide(18),
        Column::new("Decided by", "", ColumnKind::Text).wide(13),
        column("Age", "years", 0),
        Column::new("Index", "", ColumnKind::Text).wide(7),
        column("Score", "", 2),
        column("Failures", "a year", 5),
    ];
    let rows = judged.iter().map(|(location, plant, score)| {
        [
            Cell::Text(location),
            Cell::Text(&plant.asset_name),
            Cell::Text(&plant.kind),
            Cell::Text(part(plant)),
            Cell::Number(f64::from(plant.age_of_plant)),
            Cell::Text(plant.health_index_band.as_deref().unwrap_or_default()),
            Cell::Number(*score),
            plant.pof.into(),
        ]
    });
    out.table(&columns, rows)?;
    if more > 0 { out.note(&format!("{more} more are in better health, or as good.")) } else { Ok(()) }
}

/// Returns the label of the part that determines the health of a transformer with two parts.
fn part(plant: &PlantRow) -> &'static str {
    match plant.part.as_deref() {
        Some("tap_changer") => "tap changer",
        Some("main") => "main part",
        _ => "",
    }
}
