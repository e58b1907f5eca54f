//! Compares cable and plant health with the tables and results of the R package CNAIM (source and method: vectors/cnaim.json).

use grid::cable_health::{
    Ageing, Bands, CableKind, Condition, Conductor, Consequence, Criticality, Discharge, FaultHistory, HealthIndex, Housing, Insulation,
    Leakage, Metal, Modifier, Plant, PlantState, Section, Sheath, TransformerPart, Voltage, failure_rate,
};
use serde_json::Value;

const TOLERANCE: f64 = 1e-6;

fn vectors() -> Value {
    serde_json::from_str(include_str!("../vectors/cnaim.json")).expect("JSON")
}

fn number(value: &Value) -> f64 {
    value.as_f64().or_else(|| value.as_str()?.parse().ok()).unwrap_or_else(|| panic!("{value} is no number"))
}

fn known(value: &Value) -> Option<f64> {
    (value != "Default").then(|| number(value))
}

fn close(what: &str, ours: f64, theirs: f64, tolerance: f64) {
    assert!((ours - theirs).abs() <= tolerance, "{what}: {ours}, expected {theirs}");
}

fn list(value: &Value) -> &Vec<Value> {
    value.as_array().unwrap_or_else(|| panic!("{value} is no list"))
}

/// Parses "33kV UG Cable (Oil)".
fn kind(name: &str) -> Option<CableKind> {
    let (kv, rest) = name.split_once("kV UG Cable (")?;
    let insulation = match rest.trim_end_matches(')') {
        "Non Pressurised" => Insulation::NonPressurised,
        "Oil" => Insulation::Oil,
        "Gas" => Insulation::Gas,
        other => panic!("{other} is no insulation"),
    };
    Some(CableKind { voltage: Voltage::of_kv(kv.parse().expect("a number of kV")).expect("a voltage of CNAIM"), insulation })
}

/// Parses "Lead sheath - Copper conductor".
fn metals(name: &str) -> (Metal, Conductor) {
    let (sheath, conductor) = name.split_once(" - ").expect("sheath - conductor");
    (
        if sheath == "Lead sheath" { Metal::Lead } else { Metal::Aluminium },
        if conductor == "Copper conductor" { Conductor::Copper } else { Conductor::Aluminium },
    )
}

fn sheath(name: &str) -> Sheath {
    match name {
        "Default" => Sheath::Unknown,
        "Pass" => Sheath::Pass,
        "Failed Minor" => Sheath::FailedMinor,
        "Failed Major" => Sheath::FailedMajor,
        other => panic!("{other} is no test"),
    }
}

fn discharge(name: &str) -> Discharge {
    match name {
        "Default" => Discharge::Unknown,
        "Low" => Discharge::Low,
        "Medium" => Discharge::Medium,
        "High" => Discharge::High,
        other => panic!("{other} is no partial discharge"),
    }
}

fn leakage(name: &str) -> Leakage {
    match name {
        "Default" => Leakage::Unknown,
        "No (or very low) historic leakage recorded" => Leakage::None,
        "Low/ moderate" => Leakage::LowModerate,
        "High" => Leakage::High,
        "Very High" => Leakage::VeryHigh,
        other => panic!("{other} is no leakage"),
    }
}

fn faults(rate: Option<f64>) -> FaultHistory {
    match rate {
        None => FaultHistory::Unknown,
        Some(0.0) => FaultHistory::NoneRecorded,
        Some(rate) => FaultHistory::Rate(rate),
    }
}

fn section(inputs: &Value) -> Section {
    let text = |name: &str| inputs[name].as_str().expect("a text");
    let kind = kind(text("cable_type")).expect("a cable");
    let (sheath_metal, conductor) = metals(text("sub_division"));
    let condition = match kind.insulation {
        Insulation::NonPressurised => Condition::NonPressurised {
            sheath: sheath(text("sheath_test")),
            discharge: discharge(text("partial_discharge")),
            faults: faults(known(&inputs["fault_hist"])),
        },
        Insulation::Oil => Condition::Oil(leakage(text("leakage"))),
        Insulation::Gas => Condition::Gas(leakage(text("leakage"))),
    };
    Section {
        utilisation_percent: known(&inputs["utilisation_pct"]),
        voltage_percent: known(&inputs["operating_voltage_pct"]),
        condition,
        reliability: known(&inputs["reliability_factor"]).unwrap_or(1.0),
        ..Section::new(kind, sheath_metal, conductor, number(&inputs["age"]), 1.0)
    }
}

#[test]
fn five_cables() {
    let vectors = vectors();
    let cases = list(&vectors["cases_cable"]);
    assert_eq!(cases.len(), 5);
    for case in cases {
        let what = case["inputs"].to_string();
        let assessed = section(&case["inputs"]).assess(Bands::V2_1).unwrap();
        close(&what, assessed.health.score(), number(&case["outputs"]["current_health_score"]), TOLERANCE);
        close(&what, assessed.failures_per_km, number(&case["outputs"]["pof_per_km_year_STANDARD_floor_H4"]), TOLERANCE);
        assert_eq!(assessed.band.as_str(), case["outputs"]["HI_band_v21"], "{what}");
    }
}

#[test]
fn a_cable_for_a_hundred_years() {
    let kind = CableKind { voltage: Voltage::Kv66, insulation: Insulation::NonPressurised };
    let none = Condition::NonPressurised { sheath: Sheath::Pass, discharge: Discharge::Low, faults: FaultHistory::NoneRecorded };
    let section = Section {
        utilisation_percent: Some(75.0),
        voltage_percent: Some(70.0),
        condition: none,
        ..Section::new(kind, Metal::Aluminium, Conductor::Aluminium, 10.0, 1.0)
    };
    let assessed = section.assess(Bands::V2_1).unwrap();
    let vectors = vectors();
    let years = list(&vectors["cases_future"]["outputs"]);
    assert_eq!(years.len(), 101);
    for row in years {
        let year = number(&row["year"]);
        close(&format!("score of year {year}"), assessed.health.after(year), number(&row["future_health_score"]), TOLERANCE);
        close(&format!("failures of year {year}"), assessed.failures_per_km_after(year), number(&row["PoF"]), TOLERANCE);
    }
    let remaining = assessed.health.remaining_years();
    assert!(remaining > 95.0 && remaining < 96.0, "between 7.98 in year 95 and 8.19 in year 96: {remaining}");
}

#[test]
fn what_failures_cost() {
    let vectors = vectors();
    let cases = list(&vectors["cases_cof"]);
    assert_eq!(cases.len(), 3);
    for case in cases {
        let kind = kind(case["asset"].as_str().unwrap()).unwrap();
        let consequence = Consequence {
            load_mva: Some(number(&case["actual_load_mva"])),
            secure: case["secure"].as_bool().unwrap(),
            // The cases are 95 m from water and have bunds, which halves the factor for oil.
            environmental: if kind.insulation == Insulation::Oil { 0.5 } else { 1.0 },
            ..Consequence::default()
        };
        let cost = consequence.cost(kind.reference_cost(), kind.voltage.reference_mva());
        for (part, ours) in [
            ("financial", cost.financial),
            ("safety", cost.safety),
            ("environmental", cost.environmental),
            ("network", cost.network),
            ("total", cost.total()),
        ] {
            close(&format!("{kind}, {part}"), ours, number(&case[part]), TOLERANCE);
        }
        let insecure = Consequence { secure: false, ..consequence }.cost(kind.reference_cost(), kind.voltage.reference_mva());
        close("not secure", insecure.network, 2.5 * cost.network, TOLERANCE);
    }
}

#[test]
fn typical_failures_and_the_weights_of_the_matrix() {
    let vectors = vectors();
    let typical = list(&vectors["typical_pof"]["computed"]);
    for (band, row) in HealthIndex::ALL.into_iter().zip(typical) {
        assert_eq!(band.as_str(), row["band"]);
        close("typical score", band.typical_score(), number(&row["health_score"]), 0.0);
        for (insulation, name) in Insulation::ALL.into_iter().zip(["non_pressurised", "oil", "gas"]) {
            close(name, failure_rate(insulation.k_percent(), band.typical_score()), number(&row[name]), TOLERANCE);
        }
    }
    for (name, published) in vectors["typical_pof"]["published"].as_object().unwrap() {
        let insulation = kind(name).unwrap().insulation;
        for (band, figure) in HealthIndex::ALL.into_iter().zip(list(published)) {
            close(name, failure_rate(insulation.k_percent(), band.typical_score()), number(figure), TOLERANCE);
        }
    }
}

/// Returns for a row with "Lower" and "Upper" a value just inside and the upper limit.
fn inside(row: &Value) -> Option<(f64, f64)> {
    let (lower, upper) = (row["Lower"].as_str()?, row["Upper"].as_str()?);
    (lower != "Default" && !lower.starts_with("No ")).then(|| {
        let lower = lower.parse().unwrap_or(0.0_f64).max(0.0);
        (lower, upper.parse::<f64>().ok().filter(|upper| upper.is_finite()).unwrap_or(lower + 100.0))
    })
}

#[test]
fn the_tables_of_duty() {
    let vectors = vectors();
    let kind = CableKind { voltage: Voltage::Kv33, insulation: Insulation::NonPressurised };
    let new = Section::new(kind, Metal::Lead, Conductor::Copper, 0.0, 1.0);
    let duty = |section: Section| 100.0 / section.assess(Bands::V2_1).unwrap().expected_life_years;
    for row in list(&vectors["duty1"]) {
        let expected = 0.5 * number(&row["Duty Factor (EHV & 132kV)"]) + 0.5;
        let Some((lower, upper)) = inside(row) else {
            close("load not known", duty(new), expected, TOLERANCE);
            continue;
        };
        for percent in [lower + 0.01, upper] {
            close(&format!("load {percent} %"), duty(Section { utilisation_percent: Some(percent), ..new }), expected, TOLERANCE);
        }
    }
    for row in list(&vectors["duty2"]) {
        let expected = 0.5 + 0.5 * number(&row["Duty Factor"]);
        let Some((lower, upper)) = inside(row) else {
            close("voltage not known", duty(new), expected, TOLERANCE);
            continue;
        };
        for percent in [lower + 0.01, upper] {
            close(&format!("voltage {percent} %"), duty(Section { voltage_percent: Some(percent), ..new }), expected, TOLERANCE);
        }
    }
}

fn same(what: &str, ours: Modifier, row: &Value) {
    close(what, ours.factor, number(&row["Condition Input Factor"]), 0.0);
    close(what, ours.cap, number(&row["Condition Input Cap"]), 0.0);
    close(what, ours.collar, number(&row["Condition Input Collar"]), 0.0);
}

#[test]
fn the_tables_of_condition() {
    let vectors = vectors();
    let (good, silent, unknown) = (Sheath::Unknown, Discharge::Unknown, FaultHistory::Unknown);
    for row in list(&vectors["mci_sheath"]) {
        let name = row["Condition Criteria: Sheath Test Result"].as_str().unwrap();
        same(name, Condition::NonPressurised { sheath: sheath(name), discharge: silent, faults: unknown }.modifier(), row);
    }
    for row in list(&vectors["mci_pd"]) {
        let name = row["Condition Criteria: Partial Discharge Test Result"].as_str().unwrap();
        same(name, Condition::NonPressurised { sheath: good, discharge: discharge(name), faults: unknown }.modifier(), row);
    }
    for row in list(&vectors["mci_faults"]) {
        let of = |faults| Condition::NonPressurised { sheath: good, discharge: silent, faults }.modifier();
        match (inside(row), row["Lower"].as_str()) {
            (Some((lower, upper)), _) => {
                for rate in [lower.max(1e-9), upper - 1e-9] {
                    same(&format!("{rate} faults per km"), of(FaultHistory::Rate(rate)), row);
                }
            }
            (None, Some("Default")) => same("no list", of(FaultHistory::Unknown), row),
            (None, _) => same("an empty list", of(FaultHistory::NoneRecorded), row),
        }
    }
    for (table, of) in [("mci_oil_leak", Condition::Oil as fn(Leakage) -> Condition), ("mci_gas_leak", Condition::Gas)] {
        let rows = list(&vectors[table]);
        assert_eq!(rows.len(), 5);
        for row in rows {
            let name = row["Condition Criteria: Leakage Rate"].as_str().unwrap();
            same(name, of(leakage(name)).modifier(), row);
        }
    }
}

/// Returns the plant category of a name in the tables.
fn plant(name: &str, part: Option<&str>) -> Option<Plant> {
    match name {
        "6.6/11kV Transformer (GM)" => return Some(Plant::Transformer11),
        "20kV Transformer (GM)" => return Some(Plant::Transformer20),
        _ => {}
    }
    let (kv, rest) = name.split_once("kV ")?;
    let rest = rest.replace(' ', "");
    match (kv, rest.as_str()) {
        ("6.6/11", "CB(GM)Primary" | "CB(GM)Secondary") => return Some(Plant::Breaker11 { primary: rest.ends_with("Primary") }),
        ("20", "CB(GM)Primary" | "CB(GM)Secondary") => return Some(Plant::Breaker20 { primary: rest.ends_with("Primary") }),
        _ => {}
    }
    let voltage = Voltage::of_kv(kv.parse().ok()?).ok()?;
    let part = match part {
        Some("Transformer - Pre 1980") => TransformerPart::MainBefore1980,
        Some("Tapchanger") => TransformerPart::TapChanger,
        _ => TransformerPart::MainSince1980,
    };
    match rest.as_str() {
        "Transformer(GM)" => Some(Plant::Transformer(voltage, part)),
        busbars if busbars.starts_with("CB(") => {
            Some(Plant::Breaker(voltage, Housing { gas: busbars.contains("Gas"), outdoor: busbars.contains("(OD)") }))
        }
        _ => None,
    }
}

#[test]
fn the_tables_of_lives_and_reference_costs() {
    let vectors = vectors();
    let (mut cables, mut plants) = (0, 0);
    for row in list(&vectors["normal_expected_life"]) {
        let (name, life) = (row["Asset Register  Category"].as_str().unwrap(), number(&row["Normal  Expected Life"]));
        if let Some(kind) = kind(name) {
            let (sheath, conductor) = metals(row["Sub-division"].as_str().unwrap());
            close(name, kind.normal_life_years(sheath, conductor), life, 0.0);
            cables += 1;
        } else if let Some(plant) = plant(name, row["Sub-division"].as_str()) {
            close(name, plant.normal_life_years(), life, 0.0);
            plants += 1;
        } else {
            assert!(name.contains("Sub Cable"), "{name} is in the table and not here");
        }
    }
    assert_eq!((cables, plants), (36, 27));
    for row in list(&vectors["reference_cof_gbp"]) {
        let name = row["Asset Register Category"].as_str().unwrap();
        let total = number(&row["Total - (GBP)"]);
        let cost = if let Some(kind) = kind(name) {
            close(name, kind.average_cost(), total, 0.0);
            kind.reference_cost()
        } else if let Some(plant) = plant(name, None) {
            plant.reference_cost()
        } else {
            assert!(name.contains("Sub Cable"), "{name} is in the table and not here");
            continue;
        };
        for (part, ours) in [
            ("Financial - (GBP)", cost.financial),
            ("Safety - (GBP)", cost.safety),
            ("Environmental - (GBP)", cost.environmental),
            ("Network Performance - (GBP)", cost.network),
        ] {
            close(&format!("{name}, {part}"), ours, number(&row[part]), 0.0);
        }
    }
}

#[test]
fn the_k_of_each_category() {
    let vectors = vectors();
    let k = |begin: &str| {
        let rows = list(&vectors["pof_parameters"]);
        let row = rows.iter().find(|row| row["Functional Failure Category"].as_str().unwrap().starts_with(begin)).unwrap();
        close(begin, number(&row["C-Value"]), 1.087, 0.0);
        close(begin, number(&row["Health Score Limit"]), grid::cable_health::POF_SCORE_MIN, 0.0);
        number(&row["K-Value (%)"])
    };
    let (indoors, part) = (Housing { gas: false, outdoor: false }, TransformerPart::TapChanger);
    for (name, ours) in [
        ("Non Pressurised Cable", Insulation::NonPressurised.k_percent()),
        ("Pressurised Cable (EHV UG Cable (Oil)", Insulation::Oil.k_percent()),
        ("Pressurised Cable (EHV UG Cable (Gas)", Insulation::Gas.k_percent()),
        ("HV Switchgear (GM) - Primary", Plant::Breaker11 { primary: true }.k_percent()),
        ("HV Switchgear (GM) - Distribution", Plant::Breaker20 { primary: false }.k_percent()),
        ("EHV Switchgear (GM) (33kV", Plant::Breaker(Voltage::Kv33, indoors).k_percent()),
        ("EHV Switchgear (GM) (66kV", Plant::Breaker(Voltage::Kv66, indoors).k_percent()),
        ("132kV CBs", Plant::Breaker(Voltage::Kv132, indoors).k_percent()),
        ("HV Transformer (GM)", Plant::Transformer11.k_percent()),
        ("EHV Transformer/ 132kV Transformer", Plant::Transformer(Voltage::Kv66, part).k_percent()),
    ] {
        close(name, ours, k(name), 0.0);
    }
}

#[test]
fn the_bands_of_both_versions() {
    let vectors = vectors();
    for (bands, table, name, lower) in
        [(Bands::V2_1, "hi_bands", "Health Index Band", "Lower"), (Bands::V1_1, "hi_bands_v11", "band", "lower")]
    {
        for row in list(&vectors[table]) {
            let begin = number(&row[lower]);
            assert_eq!(bands.of(begin).as_str(), row[name]);
            assert_eq!(bands.of(begin - 1e-9) == bands.of(begin), begin <= 0.5, "a band begins at {begin}");
        }
    }
    for row in list(&vectors["ci_percentage_factor"]) {
        let band = Criticality::parse(row["Criticality Index Band"].as_str().unwrap()).unwrap();
        close(band.as_str(), band.weight(), number(&row["Percentage Factor to Be Applied to The Reference Costs of Failure"]), 0.0);
    }
    for row in list(&vectors["ci_bands"]) {
        let band = Criticality::parse(row["Criticality Index Band"].as_str().unwrap()).unwrap();
        let lower = row["Lower"].as_f64().unwrap_or(0.0);
        assert_eq!(Criticality::of(lower, 100.0), band);
    }
}

#[test]
fn the_worked_example_of_the_standard() {
    let vectors = vectors();
    let checks = &vectors["other_checks"];
    let example = &checks["E4_transformer"];
    let plant = Plant::Transformer(Voltage::Kv33, TransformerPart::MainBefore1980);
    let state = PlantState {
        age_years: 40.0,
        duty: 1.0,
        location: number(&example["location_factor"]),
        modifier: Modifier::NONE,
        reliability: 1.0,
        consequence: Consequence::default(),
    };
    let assessed = plant.assess(&state, Bands::V2_1).unwrap();
    close("expected life", assessed.expected_life_years, number(&example["expected_life"]), TOLERANCE);
    close("initial score", assessed.health.initial(), number(&example["initial_health_age40"]), TOLERANCE);
    close("rate", Ageing::new(60.0, 1.0, 1.1).rate(), number(&example["b1"]), TOLERANCE);
    close("rate of 10 years", Ageing::new(10.0, 1.0, 1.0).rate(), number(&checks["beta_1_of_10"]), TOLERANCE);
    close("rate of 5 years", Ageing::new(5.0, 1.0, 1.0).rate(), number(&checks["beta_1_of_5"]), TOLERANCE);
    let two = Ageing::new(11.0_f64.ln(), 1.0, 1.0).initial(2.0);
    close("a rate of 1 for two years", two, number(&checks["initial_health_b1_1_age_2"]), TOLERANCE);
    // A score of 1 after 25 years continues at ln 2 / 25.
    let health = Ageing::new(50.0, 1.0, 1.0).health(25.0, Modifier { cap: 1.0, ..Modifier::NONE }, 1.0);
    close("rate from here", health.after(1.0).ln(), number(&checks["beta_2_H1_age25"]), TOLERANCE);
}
