//! The columns of the import files for cables and plant, with their meanings and units.

use std::fmt::Write;

use super::kind::CableFileKind;

/// A column.
#[derive(Debug, Clone, Copy)]
pub(super) struct Column {
    /// Name of the column in the first line of the file.
    pub(super) name: &'static str,
    /// Name of the column in the database; for a reference to an asset or section, the name of the column of the id.
    pub(super) stored: &'static str,
    /// Whether the column is required.
    pub(super) needed: bool,
    /// Meaning, unit, and meaning of an empty cell. Without commas and quotes, because spreadsheets would put quotes around the text.
    meaning: &'static str,
}

const fn needed(name: &'static str, stored: &'static str, meaning: &'static str) -> Column {
    Column { name, stored, needed: true, meaning }
}

const fn optional(name: &'static str, stored: &'static str, meaning: &'static str) -> Column {
    Column { name, stored, needed: false, meaning }
}

const REGISTER: [Column; 22] = [
    needed("cable_object_id", "code", "what the utility knows the section by; unique in the utility; 1 to 64 characters"),
    needed("substation", "location_id", "code of the substation"),
    needed("feeder", "asset_id", "code of the feeder or incoming line in that substation"),
    needed("cable", "cable", "name of the cable; 1 to 200 characters"),
    needed("section", "section", "name of the section within the cable; 1 to 200 characters"),
    needed("voltage_kv", "kv", "nominal voltage in kV; above 0 and up to 1000; there is a model of 33 and 66 and 132 kV"),
    optional("insulation", "insulation", "non_pressurised (polymer or paper) or oil or gas; empty = not known and so not modelled"),
    optional("sheath", "sheath", "metal of the sheath: aluminium or lead; needed of oil and gas"),
    optional("conductor", "conductor", "metal of the conductor: aluminium or copper; needed of gas in aluminium"),
    needed("installed_year", "installed", "year in which it was laid; 1850 up to this year"),
    optional("removed_year", "removed", "year in which it was taken out; empty = it is in use"),
    optional(
        "withdrawn",
        "withdrawn",
        "day from which it is out of service as YYYY-MM-DD; in removed_year if that is there; empty = it is in use",
    ),
    needed("length_km", "length_km", "length in km; above 0 and up to 1000"),
    optional("faults_since_year", "faults_since", "first year of which all its faults are on record; empty = not known"),
    optional("load_mva", "load_mva", "load that hangs on it in MVA; 0 to 10000; empty = the reference load of its voltage"),
    optional("secure", "secure", "yes if supply survives its failure or no; empty = yes"),
    optional("financial_factor", "financial", "cost of repair beside the reference; 0 to 100; empty = 1"),
    optional("safety_factor", "safety", "cost to safety beside the reference; 0 to 100; empty = 1"),
    optional("environmental_factor", "environmental", "cost to the environment beside the reference; 0 to 100; empty = 1"),
    optional("consumers", "consumers", "consumers that hang on the section; a whole number; empty = not known"),
    optional("cable_consumers", "cable_consumers", "consumers that hang on the whole cable; a whole number; empty = not known"),
    optional(
        "line",
        "line",
        "where it runs: longitude and latitude in degrees (WGS 84) of 2 to 200 places such as 83.217 17.701; 83.219 17.703",
    ),
];

const CONDITION: [Column; 8] = [
    needed("cable_object_id", "section_id", "the section"),
    needed("year", "year", "year of which this is the condition; not before it was laid"),
    optional("utilisation_percent", "utilisation", "highest load in normal running in percent of its rating; 0 to 1000; empty = not known"),
    optional("operating_voltage_percent", "voltage", "operating voltage in percent of what it is built for; 0 to 1000; empty = not known"),
    optional("sheath_test", "sheath_test", "pass or failed_minor or failed_major; of solid insulation; empty = not tested"),
    optional("partial_discharge", "discharge", "low or medium or high; of solid insulation; empty = not measured"),
    optional("leakage", "leakage", "none or low_moderate or high or very_high; of oil and gas; empty = not known"),
    optional("reliability_factor", "reliability", "how cables of its make have done; 0.6 to 1.5; empty = not known"),
];

const FAULTS: [Column; 4] = [
    needed("fault_id", "code", "what the utility knows the fault by; unique in the utility; 1 to 64 characters"),
    needed("cable_object_id", "section_id", "the section"),
    needed("date", "day", "day of the fault as YYYY-MM-DD; not before the section was laid and not after today"),
    optional("cause", "cause", "up to 200 characters"),
];

const PLANT: [Column; 21] = [
    needed("substation", "location_id", "code of the substation"),
    needed("asset", "asset_id", "code of the transformer or breaker in that substation"),
    optional("part", "part", "main or tap_changer (of transformers); empty = main"),
    needed("year", "year", "year of which this is the state; not before it was made"),
    needed("kind", "kind", "transformer or breaker"),
    needed("voltage_kv", "kv", "higher voltage of a transformer or voltage of a breaker in kV; above 0 and up to 1000"),
    needed("made_year", "made", "year in which it was made; 1850 up to this year"),
    optional("primary", "in_primary", "yes if a breaker stands in a primary substation or no; empty = yes"),
    optional("gas_insulated", "gas", "yes if the busbars of a breaker lie in gas or no; empty = no"),
    optional("outdoor", "outdoor", "yes if a breaker stands in the open or no; empty = no"),
    optional("duty_factor", "duty", "by how much duty shortens its life; 0.1 to 10; empty = 1"),
    optional("location_factor", "location", "by how much its place shortens its life; 0.1 to 10; empty = 1"),
    optional("condition_factor", "condition_factor", "what was found as a factor of its score; 0.1 to 10; empty = 1"),
    optional("condition_cap", "condition_cap", "highest score that so good a finding allows; 0.5 to 10; empty = 10"),
    optional("condition_collar", "condition_collar", "lowest score that so bad a finding allows; 0.5 to 10; empty = 0.5"),
    optional("reliability_factor", "reliability", "how plant of its make has done; 0.6 to 1.5; empty = 1"),
    optional("secure", "secure", "yes if supply survives its failure or no; empty = yes"),
    optional("financial_factor", "financial", "cost of repair beside the reference; 0 to 100; empty = 1"),
    optional("safety_factor", "safety", "cost to safety beside the reference; 0 to 100; empty = 1"),
    optional("environmental_factor", "environmental", "cost to the environment beside the reference; 0 to 100; empty = 1"),
    optional("withdrawn", "withdrawn", "day from which it is out of service as YYYY-MM-DD; not before it was made; empty = it is in use"),
];

/// Returns the columns of a kind of file.
pub(super) fn of(kind: CableFileKind) -> &'static [Column] {
    match kind {
        CableFileKind::Register => &REGISTER,
        CableFileKind::Condition => &CONDITION,
        CableFileKind::Faults => &FAULTS,
        CableFileKind::Plant => &PLANT,
    }
}

/// Returns the names of columns, separated by commas.
pub(super) fn names(columns: impl IntoIterator<Item = &'static Column>) -> String {
    columns.into_iter().map(|column| column.name).collect::<Vec<_>>().join(",")
}

/// See [`CableFileKind::template`].
pub(super) fn template(kind: CableFileKind) -> String {
    let mut text = format!("# {}: lines that begin with # above the names of the columns are passed over\r\n", kind.as_str());
    for column in of(kind) {
        let needed = if column.needed { "needed" } else { "may be left out" };
        // Writing to a `String` cannot fail.
        let _ = write!(text, "# {} ({needed}): {}\r\n", column.name, column.meaning);
    }
    text.push_str(&names(of(kind)));
    text.push_str("\r\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_is_explained_in_a_way_that_spreadsheets_leave_as_it_is() {
        for kind in CableFileKind::ALL {
            let text = template(kind);
            assert_eq!(text.lines().count(), of(kind).len() + 2, "{text}");
            assert!(of(kind).iter().all(|column| !column.meaning.contains([',', '"', '\n'])), "{text}");
        }
    }
}
