//! Converts the rows of each kind of file into columns of the database.

use grid::cable_health::{Conductor, Discharge, Insulation, Leakage, Metal, Sheath};
use jiff::civil::Date;
use serde_json::{Map, Value, json};

use super::columns;
use super::kind::CableFileKind;
use super::sheet::{self, Faults, Row, Sheet};
use super::valid_rows::{Names, RequiredAssetType, ValidRow};

/// Earliest accepted year.
const YEAR_MIN: i32 = 1850;
/// Maximum length of a code and of a name, characters.
const CODE_MAX: usize = 64;
const NAME_MAX: usize = 200;
/// Maximum number of places in a line path.
const PLACES_MAX: usize = 200;
const CONSUMERS_MAX: i32 = 10_000_000;
const PERCENT: (f64, f64) = (0.0, 1_000.0);
const FACTOR: (f64, f64) = (0.0, 100.0);
/// Range of factors that shorten a life or multiply a score.
const SHARE: (f64, f64) = (0.1, 10.0);
const SCORE: (f64, f64) = (0.5, 10.0);
const RELIABILITY: (f64, f64) = (0.6, 1.5);
const KV_MAX: f64 = 1_000.0;

impl RequiredAssetType {
    pub(super) fn fits(self, type_id: i32, class: &str) -> bool {
        match self {
            Self::Feeder => [1, 4].contains(&type_id),
            Self::Transformer => [2, 5].contains(&type_id),
            Self::Breaker => class == "breaker",
        }
    }

    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Feeder => "feeder or incoming line",
            Self::Transformer => "transformer",
            Self::Breaker => "breaker",
        }
    }
}

/// Parses a whole file. `today` is the latest date that it may contain.
pub(super) fn read(kind: CableFileKind, csv: &[u8], today: &str) -> Result<Sheet, Faults> {
    let today: Date = today.parse().map_err(|_| Faults::about(1, "the clock has no date".to_owned()))?;
    let take = |row: &mut Row<'_>| match kind {
        CableFileKind::Register => register(row, today),
        CableFileKind::Condition => condition(row, today),
        CableFileKind::Faults => fault(row, today),
        CableFileKind::Plant => plant(row, today),
    };
    sheet::read(columns::of(kind), csv, take)
}

fn years(today: Date) -> (i32, i32) {
    (YEAR_MIN, i32::from(today.year()))
}

/// Returns the columns of a row in the database.
fn fields<const N: usize>(pairs: [(&str, Value); N]) -> Map<String, Value> {
    pairs.into_iter().map(|(column, value)| (column.to_owned(), value)).collect()
}

/// Returns the allowed texts of a finding. `unknown` is not one of them, because it is written as an empty cell.
fn found<T: Copy>(all: &[T], word: impl Fn(T) -> &'static str) -> Vec<&'static str> {
    all.iter().map(|one| word(*one)).filter(|word| *word != "unknown").collect()
}

fn register(row: &mut Row<'_>, today: Date) -> Option<ValidRow> {
    let code = row.name("cable_object_id", CODE_MAX);
    let (substation, feeder) = (row.name("substation", CODE_MAX), row.name("feeder", CODE_MAX));
    let (installed, removed) = (row.needed("installed_year", years(today)), row.whole("removed_year", years(today)));
    if let Some((installed, removed)) = installed.zip(removed).filter(|(installed, removed)| removed < installed) {
        row.fault("removed_year", format!("{removed}: not before it was laid in {installed}"));
    }
    let withdrawn = withdrawn(row, installed, today);
    if let Some((withdrawn, removed)) = withdrawn.zip(removed).filter(|(day, removed)| i32::from(day.year()) != *removed) {
        row.fault("withdrawn", format!("{withdrawn}: removed_year says {removed}"));
    }
    let row_columns = fields([
        ("code", json!(code)),
        ("cable", json!(row.name("cable", NAME_MAX))),
        ("section", json!(row.name("section", NAME_MAX))),
        ("kv", json!(row.positive("voltage_kv", KV_MAX, " of kV"))),
        ("insulation", json!(row.word("insulation", &Insulation::ALL.map(Insulation::as_str)))),
        ("sheath", json!(row.word("sheath", &Metal::ALL.map(Metal::as_str)))),
        ("conductor", json!(row.word("conductor", &Conductor::ALL.map(Conductor::as_str)))),
        ("installed", json!(installed)),
        ("removed", json!(removed)),
        ("withdrawn", json!(withdrawn.map(|day| day.to_string()))),
        ("length_km", json!(row.positive("length_km", 1_000.0, " of km"))),
        ("faults_since", json!(row.whole("faults_since_year", years(today)))),
        ("load_mva", json!(row.number("load_mva", (0.0, 10_000.0), " of MVA"))),
        ("secure", json!(row.flag("secure", true))),
        ("financial", json!(row.number("financial_factor", FACTOR, "").unwrap_or(1.0))),
        ("safety", json!(row.number("safety_factor", FACTOR, "").unwrap_or(1.0))),
        ("environmental", json!(row.number("environmental_factor", FACTOR, "").unwrap_or(1.0))),
        ("consumers", json!(row.whole("consumers", (0, CONSUMERS_MAX)))),
        ("cable_consumers", json!(row.whole("cable_consumers", (0, CONSUMERS_MAX)))),
        ("line", json!(row.line("line", PLACES_MAX))),
    ]);
    let names = Names::Asset { substation: substation?, column: "feeder", code: feeder?, required_type: RequiredAssetType::Feeder };
    Some(ValidRow { line: row.line, key: code?, names, row: row_columns })
}

/// Reads the day on which something was taken out of service: not before the year in which it was laid or made, and not after today.
fn withdrawn(row: &mut Row<'_>, made: Option<i32>, today: Date) -> Option<Date> {
    let day = row.day_or_none("withdrawn")?;
    let first = made.unwrap_or(YEAR_MIN);
    if day > today || i32::from(day.year()) < first {
        row.fault("withdrawn", format!("{day}: a day from {first}-01-01 to {today}"));
    }
    Some(day)
}

fn condition(row: &mut Row<'_>, today: Date) -> Option<ValidRow> {
    let (code, year) = (row.name("cable_object_id", CODE_MAX), row.needed("year", years(today)));
    let found_by = |word: Option<&'static str>| json!(word.unwrap_or("unknown"));
    let row_columns = fields([
        ("year", json!(year)),
        ("utilisation", json!(row.number("utilisation_percent", PERCENT, " of percent"))),
        ("voltage", json!(row.number("operating_voltage_percent", PERCENT, " of percent"))),
        ("sheath_test", found_by(row.word("sheath_test", &found(&Sheath::ALL, Sheath::as_str)))),
        ("discharge", found_by(row.word("partial_discharge", &found(&Discharge::ALL, Discharge::as_str)))),
        ("leakage", found_by(row.word("leakage", &found(&Leakage::ALL, Leakage::as_str)))),
        ("reliability", json!(row.number("reliability_factor", RELIABILITY, ""))),
    ]);
    let (code, year) = (code?, year?);
    let names = Names::Section { code: code.clone(), column: "year", year };
    Some(ValidRow { line: row.line, key: format!("{code}\n{year}"), names, row: row_columns })
}

fn fault(row: &mut Row<'_>, today: Date) -> Option<ValidRow> {
    let (code, section) = (row.name("fault_id", CODE_MAX), row.name("cable_object_id", CODE_MAX));
    let day = row.day("date");
    if let Some(day) = day.filter(|day| *day > today || i32::from(day.year()) < YEAR_MIN) {
        row.fault("date", format!("{day}: a day from {YEAR_MIN}-01-01 to {today}"));
    }
    let cause = row.text("cause", NAME_MAX);
    let (code, day) = (code?, day?);
    let row_columns = fields([("code", json!(code)), ("day", json!(day.to_string())), ("cause", json!(cause))]);
    let names = Names::Section { code: section?, column: "date", year: i32::from(day.year()) };
    Some(ValidRow { line: row.line, key: code, names, row: row_columns })
}

fn plant(row: &mut Row<'_>, today: Date) -> Option<ValidRow> {
    let (substation, code) = (row.name("substation", CODE_MAX), row.name("asset", CODE_MAX));
    let kind = row.word("kind", &["transformer", "breaker"]);
    if kind.is_none() {
        row.fault("kind", "must be transformer or breaker".to_owned());
    }
    let part = row.word("part", &["main", "tap_changer"]).unwrap_or("main");
    if kind == Some("breaker") && part != "main" {
        row.fault("part", "only a transformer has a tap_changer".to_owned());
    }
    let (year, made) = (row.needed("year", years(today)), row.needed("made_year", years(today)));
    if let Some((year, made)) = year.zip(made).filter(|(year, made)| year < made) {
        row.fault("year", format!("{year}: not before it was made in {made}"));
    }
    let withdrawn = withdrawn(row, made, today);
    let row_columns = fields([
        ("part", json!(part)),
        ("withdrawn", json!(withdrawn.map(|day| day.to_string()))),
        ("year", json!(year)),
        ("kind", json!(kind)),
        ("kv", json!(row.positive("voltage_kv", KV_MAX, " of kV"))),
        ("made", json!(made)),
        ("in_primary", json!(row.flag("primary", true))),
        ("gas", json!(row.flag("gas_insulated", false))),
        ("outdoor", json!(row.flag("outdoor", false))),
        ("duty", json!(row.number("duty_factor", SHARE, "").unwrap_or(1.0))),
        ("location", json!(row.number("location_factor", SHARE, "").unwrap_or(1.0))),
        ("condition_factor", json!(row.number("condition_factor", SHARE, "").unwrap_or(1.0))),
        ("condition_cap", json!(row.number("condition_cap", SCORE, "").unwrap_or(SCORE.1))),
        ("condition_collar", json!(row.number("condition_collar", SCORE, "").unwrap_or(SCORE.0))),
        ("reliability", json!(row.number("reliability_factor", RELIABILITY, "").unwrap_or(1.0))),
        ("secure", json!(row.flag("secure", true))),
        ("financial", json!(row.number("financial_factor", FACTOR, "").unwrap_or(1.0))),
        ("safety", json!(row.number("safety_factor", FACTOR, "").unwrap_or(1.0))),
        ("environmental", json!(row.number("environmental_factor", FACTOR, "").unwrap_or(1.0))),
    ]);
    let (substation, code, year) = (substation?, code?, year?);
    let required_type = if kind? == "transformer" { RequiredAssetType::Transformer } else { RequiredAssetType::Breaker };
    let key = format!("{substation}\n{code}\n{part}\n{year}");
    Some(ValidRow { line: row.line, key, names: Names::Asset { substation, column: "asset", code, required_type }, row: row_columns })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::import::{FAULTS_MAX, Fault, ROWS_MAX};

    const TODAY: &str = "2026-03-01";
    const REGISTER: &str = "cable_object_id,substation,feeder,cable,section,voltage_kv,installed_year,length_km,insulation,secure,line\n";

    fn faults(kind: CableFileKind, text: &str) -> Vec<String> {
        read(kind, text.as_bytes(), TODAY).map_or_else(|faults| faults.listed.iter().map(Fault::to_string).collect(), |_| Vec::new())
    }

    #[test]
    fn a_template_is_a_file_without_rows_and_explanations_count_as_lines() {
        for kind in CableFileKind::ALL {
            assert!(read(kind, kind.template().as_bytes(), TODAY).is_ok_and(|sheet| sheet.lines.is_empty()));
        }
        let text = format!("\u{feff}{}F1,S1,2027-01-01,\n", CableFileKind::Faults.template());
        assert_eq!(faults(CableFileKind::Faults, &text), ["line 7, column date: 2027-01-01: a day from 1850-01-01 to 2026-03-01"]);
    }

    #[test]
    fn each_fault_names_line_column_and_what_is_allowed() {
        for (row, expected) in [
            (",S,F,C,1,33,2000,1,,,", "line 2, column cable_object_id: \"\": 1 to 64 characters"),
            (
                "=1+1,S,F,C,1,33,2000,1,,,",
                "line 2, column cable_object_id: \"=1+1\": starts with one of = + - @, which spreadsheets read as a formula; remove it",
            ),
            (
                "A,S,F,@SUM(A1),1,33,2000,1,,,",
                "line 2, column cable: \"@SUM(A1)\": starts with one of = + - @, which spreadsheets read as a formula; remove it",
            ),
            ("A,S,F,C\0,1,33,2000,1,,,", "line 2, column cable: \"C\\0\": no control characters are allowed"),
            ("A,S,F,C,1,0,2000,1,,,", "line 2, column voltage_kv: \"0\": a number of kV above 0 and up to 1000"),
            ("A,S,F,C,1,33,2027,1,,,", "line 2, column installed_year: \"2027\": a whole number from 1850 to 2026"),
            ("A,S,F,C,1,33,2000,-1,,,", "line 2, column length_km: \"-1\": a number of km above 0 and up to 1000"),
            ("A,S,F,C,1,33,2000,NaN,,,", "line 2, column length_km: \"NaN\": a number of km above 0 and up to 1000"),
            ("A,S,F,C,1,33,2000,1,xlpe,,", "line 2, column insulation: \"xlpe\": one of non_pressurised, oil, gas"),
            ("A,S,F,C,1,33,2000,1,,maybe,", "line 2, column secure: \"maybe\": yes or no"),
            (
                "A,S,F,C,1,33,2000,1,,,1 2",
                "line 2, column line: \"1 2\": 2 to 200 places, each a longitude from -180 to 180, a space, a latitude from -90 to 90, one from the next by a semicolon",
            ),
            ("A,S,F,C,1,33,2000,1", "line 2: has 8 columns, the names above are 11"),
            ("A,S,F,C,1,33,2000,1,oil,no,83.1 17.2; 83.2 17.3", ""),
        ] {
            let expected: Vec<&str> = [expected].into_iter().filter(|expected| !expected.is_empty()).collect();
            assert_eq!(faults(CableFileKind::Register, &format!("{REGISTER}{row}")), expected, "{row}");
        }
        let twice = format!("{REGISTER}A,S,F,C,1,33,2000,1,,,\n\nA,S,F,C,2,33,2000,1,,,\n");
        assert_eq!(faults(CableFileKind::Register, &twice), ["line 4, column cable_object_id: \"A\" is already on line 2"]);
        for (kind, text, expected) in [
            (CableFileKind::Condition, "cable_object_id,year,sheath_test\nA,2018,unknown\n", "one of pass, failed_minor, failed_major"),
            (
                CableFileKind::Condition,
                "cable_object_id,year\nA,2018\nA,2018\n",
                "line 3, column cable_object_id: \"A 2018\" is already on line 2",
            ),
            (CableFileKind::Faults, "fault_id,cable_object_id,date\nX,A,2018-02-30\n", "a day as YYYY-MM-DD"),
            (
                CableFileKind::Plant,
                "substation,asset,year,kind,voltage_kv,made_year\nS,T,2018,,33,2000\n",
                "must be transformer or breaker",
            ),
            (
                CableFileKind::Plant,
                "substation,asset,year,kind,voltage_kv,made_year\nS,T,1999,breaker,33,2000\n",
                "1999: not before it was made in 2000",
            ),
            (CableFileKind::Register, "", "the file is empty"),
            (CableFileKind::Register, "cable_object_id,colour\n", "column colour: is not known"),
            (CableFileKind::Faults, "fault_id,fault_id,cable_object_id,date\n", "stands there twice"),
        ] {
            let listed = faults(kind, text);
            assert!(listed.iter().any(|fault| fault.contains(expected)), "{text:?}: {listed:?}");
        }
    }

    #[test]
    fn rows_and_faults_have_a_bound() {
        let row = |number: usize| format!("F{number},A,2018-01-01\n");
        let many = |count: usize| format!("fault_id,cable_object_id,date\n{}", (0..count).map(row).collect::<String>());
        assert!(read(CableFileKind::Faults, many(ROWS_MAX).as_bytes(), TODAY).is_ok_and(|sheet| sheet.lines.len() == ROWS_MAX));
        assert_eq!(faults(CableFileKind::Faults, &many(ROWS_MAX + 1)), ["line 20002: the file may have 20000 rows, this is one more"]);
        let wrong = format!("fault_id,cable_object_id,date\n{}", ",,\n".repeat(ROWS_MAX));
        let faults = read(CableFileKind::Faults, wrong.as_bytes(), TODAY).expect_err("faulty");
        assert_eq!((faults.listed.len(), faults.total), (FAULTS_MAX, 3 * ROWS_MAX), "all are counted");
        assert!(read(CableFileKind::Faults, &vec![b'a'; 5 * 1024 * 1024 + 1], TODAY).is_err());
    }

    proptest! {
        #[test]
        fn whatever_comes_is_read_or_refused_within_bounds(bytes in proptest::collection::vec(any::<u8>(), 0..2_000), with_header in any::<bool>()) {
            let file = if with_header { [REGISTER.as_bytes(), &bytes].concat() } else { bytes };
            if let Err(faults) = read(CableFileKind::Register, &file, TODAY) {
                let lines = file.split(|byte| b"\r\n".contains(byte)).count() as u64;
                prop_assert!((1..=FAULTS_MAX).contains(&faults.listed.len()) && faults.total >= faults.listed.len());
                prop_assert!(faults.listed.iter().all(|fault| (1..=lines).contains(&fault.line) && !fault.what.chars().any(char::is_control)), "{faults:?}");
            }
        }
    }
}
