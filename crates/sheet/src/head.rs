//! The head of a file: title and facts in a form that every format can display.

use crate::cell::{clean_line, local};
use crate::report::{Column, Table, zone_words};
use crate::{Report, Result};

/// Checks a report, adds the facts that all files have, and cleans its texts.
pub(crate) fn checked(report: Report) -> Result<Report> {
    report.check()?;
    let column = |column: &Column| Column { name: clean_line(&column.name), unit: clean_line(&column.unit), ..column.clone() };
    let table = |table: &Table| Table { caption: clean_line(&table.caption), columns: table.columns.iter().map(column).collect() };
    Ok(Report {
        title: clean_line(&report.title),
        facts: facts(&report).map(|(name, value)| (clean_line(&name), clean_line(&value))).collect(),
        utility: clean_line(&report.utility),
        made_by: clean_line(&report.made_by),
        tables: report.tables.iter().map(table).collect(),
        ..report
    })
}

/// Returns all facts: the utility, the facts of the report, zone, user and time.
fn facts(report: &Report) -> impl Iterator<Item = (String, String)> {
    let fact = |name: &str, value: String| (name.to_owned(), value);
    let made = local(report.made, &report.zone).map_or_else(String::new, |made| made.strftime("%Y-%m-%d %H:%M:%S").to_string());
    let zone = fact("Time zone", zone_words(&report.zone, report.made));
    let after = [zone, fact("Made by", report.made_by.clone()), fact("Made at", made)];
    let all = [fact("Utility", report.utility.clone())].into_iter().chain(report.facts.clone()).chain(after);
    all.filter(|(_, value)| !value.is_empty())
}
