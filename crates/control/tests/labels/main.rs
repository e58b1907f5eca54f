//! 2,000 random operations in random states of the demo's network: the decisions of the product and their reasons are those of `label.py`, which reads the exported
//! network and shares no code with the product. Its labels are in `labels.txt`, for machines without Python.
//!
//! Two things differ from the demo: isolators and earth switches can be operated too, and the areas of responsibility are random.

mod states;
mod utility;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use control::{Judgement, judge};
use grid::area::{Containers, HeldArea, OutsideArea, Part, Responsibility};
use grid::command::TagRecord;
use grid::control::tag::TagScope;
use grid::control::{AddCause, Throw};
use grid::manual_entry::{EntryRule, EntryTerms};
use grid::{AreaId, DeskId, MemberId, PointId, Quality, Reading};
use network::Phases;
use network::description::Description;
use network::temporary::TemporaryChange;
use network_files::{Positions, own_csv};
use registry::{ActiveNetwork, Field};
use serde_json::json;
use simulators::utility::Client;
use store::manual_entry::{EntrySubject, ManualEntry};
use store::network::VersionNumber;
use store::registry::AssetRecord;
use store::temporary_change::TemporaryRecord;

use states::{Areas, Case, Drawn, Entered, Holder, Inhibit, OPERATIONS, STATES, State};
use utility::{ACTIVE, CLIENT, Circumstances, NOW, Operation, Utility, reading, request, value};

/// The labels of the script, below the folder of the crate.
const COMMITTED: &str = "tests/labels/labels.txt";
/// Where the labels go if they differ from the committed ones.
const NEW_LABELS: &str = "/tmp/labels.txt";
/// A reason that depends on a position that is unknown or only assumed.
const UNKNOWN: &str = "/unknown";
/// Every earth in the way is behind a transformer.
const BEHIND: &str = "/behind";
/// Only portable earths are in the way.
const PORTABLE: &str = "/portable";
const NOT_ONTO_EARTH: &str = "network-not-onto-earth";

/// Age of positions, s. Voltages are newer: those from before a loss of supply do not count.
const POSITION_AGE_S: i64 = 10;
const VOLTAGE_AGE_S: i64 = 1;

fn committed() -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(COMMITTED)).expect("the labels")
}

fn client() -> Client {
    simulators::utility::demo(33).clients.remove(0)
}

fn manual_entries(state: &State) -> Vec<ManualEntry> {
    let entry = |(id, (equipment, entered)): (i64, (&String, &Entered))| {
        let at = NOW.plus_millis(-1_000 * entered.age_s);
        let rule = if entered.is_until_withdrawn { EntryRule::UntilWithdrawn } else { EntryRule::UntilReported };
        ManualEntry {
            id,
            subject: EntrySubject::Equipment { id: equipment.clone(), version: VersionNumber(1) },
            quantity: "Pos".to_owned(),
            phases: Phases::NONE,
            value: if entered.is_closed { 2.0 } else { 1.0 },
            reason: "seen".to_owned(),
            by: "A. Nair".to_owned(),
            terms: EntryTerms { rule, observed: at, entered: at, seen: None },
        }
    };
    (1..).zip(&state.entered).map(entry).collect()
}

/// Returns the portable earths as they are stored.
fn temporary(state: &State) -> Vec<TemporaryRecord> {
    let record = |(number, node): (&i64, &String)| TemporaryRecord {
        id: *number,
        change: TemporaryChange::PortableEarth { node: node.clone(), phases: Phases::ABC },
        at: Vec::new(),
        place: node.clone(),
        location: None,
        reason: "Crew at work".to_owned(),
        is_seen_dead: true,
        version: VersionNumber(1),
        by: "A. Nair".to_owned(),
        placed: NOW,
        removal: None,
    };
    state.portable_earths.iter().map(record).collect()
}

/// Checks the areas of a switch as the transaction of a command does.
fn outside_area(field: &Field, asset: &AssetRecord, areas: &Areas) -> Option<OutsideArea> {
    const OWN: DeskId = DeskId(1);
    let holder = |holder: Holder| match holder {
        Holder::Own => Some((OWN, "Own".to_owned())),
        Holder::Other => Some((DeskId(2), "Other".to_owned())),
        Holder::Nobody => None,
    };
    let area = |id: i64, of: Holder| HeldArea { id: AreaId(id), name: format!("Area {id}"), is_rest: id == 1, holder: holder(of) };
    let responsibility = Responsibility {
        areas: vec![area(1, areas.rest), area(2, areas.node.1), area(3, areas.container.1)],
        parts: [(Part::Node(areas.node.0), AreaId(2)), (Part::Container(areas.container.0.clone()), AreaId(3))].into_iter().collect(),
        // The network in memory is the active one.
        containers: Containers::None,
    };
    responsibility.permit(Some(OWN), &field.places_of_asset(asset)).err()
}

fn tags(utility: &Utility, state: &State) -> Vec<TagRecord> {
    let record = |(id, inhibit): (i64, &Inhibit)| {
        let (name, scope) = match inhibit {
            Inhibit::Switch(switch) => (switch, TagScope::Device),
            Inhibit::Feeder { asset, .. } => (asset, TagScope::Bay),
        };
        let asset = &utility.assets[name];
        TagRecord {
            id,
            scope,
            asset: Some(asset.id),
            asset_name: asset.name.clone(),
            bay: asset.device.clone(),
            location: asset.location,
            kind: "inhibit".to_owned(),
            holder: "A. Nair".to_owned(),
            holder_id: MemberId(1),
            reason: "Crew at work".to_owned(),
            placed: NOW,
            expires: None,
        }
    };
    (1..).zip(&state.inhibits).map(record).collect()
}

/// Decides about all operations of a state. Returns a line for each, as the script writes it, and the judgement.
fn decided(utility: &Utility, stored: &Arc<ActiveNetwork>, number: usize, state: &State) -> Vec<(String, Judgement)> {
    let records = temporary(state);
    let active = Arc::new(ActiveNetwork::with_temporary(stored, &records).expect("a network"));
    assert!(records.iter().all(|record| active.misfit(record.id).is_none()), "state {number}: the portable earths fit");
    let network = stored.description();
    let positions: HashMap<&str, &str> = network
        .measurements
        .iter()
        .filter(|measurement| measurement.quantity == "Pos")
        .filter_map(|measurement| Some((measurement.equipment.as_str(), measurement.point.as_deref()?)))
        .collect();
    let point_of = |switch: &str| &utility.points[positions[switch]];
    let mut readings: HashMap<PointId, Reading> = state
        .reports
        .iter()
        .map(|(name, report)| {
            let point = &utility.points[name];
            let quality = if report.is_good { Quality::Good } else { Quality::Invalid };
            let age_s = if point.encoding().is_some() { POSITION_AGE_S } else { VOLTAGE_AGE_S };
            (point.id, reading(report.value, quality, age_s))
        })
        .collect();
    // The local/remote switch of each substation is on remote.
    readings.extend(
        utility.points.values().filter(|point| point.code == "Loc").map(|point| (point.id, reading(0.0, Quality::Good, POSITION_AGE_S))),
    );
    let manual = manual_entries(state);
    let tags = tags(utility, state);
    let moving: Vec<PointId> = state.commanded.iter().map(|switch| point_of(switch).id).collect();
    let config = json!({ "control": { "enabled": true, "stepupAll": false, "synchronismChecked": state.synchronism_checked } });
    let field = utility.field(active, &manual);
    let numbers: Vec<i64> = records.iter().map(|record| record.id).collect();
    let around = Circumstances { readings: &readings, tags: &tags, moving: &moving, manual: &manual, temporary: &numbers, config: &config };
    let decide = |(at, case): (usize, &Case)| {
        let from = if case.closes { Throw::Open } else { Throw::Closed };
        let point = point_of(&case.switch);
        assert_eq!(readings[&point.id].value, Some(value(point.encoding(), from)), "{}: its position", case.switch);
        let outside_area = case.areas.as_ref().and_then(|areas| outside_area(&field, &utility.assets[&case.switch], areas));
        let (site, facts) = utility.facts(&Operation { point, outside_area }, &around);
        let judgement = judge(&field, utility.drawing(point.location), 1, &site, &facts, &request(from));
        let reasons = reasons(&judgement);
        let decision = if judgement.refusals.is_empty() { "permitted" } else { "refused" };
        let to = if case.closes { "closed" } else { "open" };
        let line: Vec<&str> = [case.switch.as_str(), to, decision].into_iter().chain(reasons.iter().map(String::as_str)).collect();
        (format!("{number} {at} {}", line.join(" ")), judgement)
    };
    state.operations.iter().enumerate().map(decide).collect()
}

/// Returns the reasons of a judgement by the names of the script, in order.
fn reasons(judgement: &Judgement) -> BTreeSet<String> {
    let mut reasons = BTreeSet::new();
    for refusal in &judgement.refusals {
        let is_elsewhere = refusal.message.contains("this would energise");
        reasons.extend(match refusal.cause {
            // The interlocks follow.
            AddCause::BlockedByInterlocking | AddCause::BlockedBySynchrocheck => None,
            _ if refusal.is_outside_area => Some("outside-of-area".to_owned()),
            AddCause::OneOfNControl => Some("bay-busy".to_owned()),
            AddCause::BlockedByCommand if is_elsewhere => Some("inhibit-section".to_owned()),
            AddCause::BlockedByCommand => Some("inhibit".to_owned()),
            other => Some(format!("{other:?}: {}", refusal.message)),
        });
    }
    for verdict in judgement.interlocks.iter().filter(|verdict| !verdict.fulfilled) {
        let is_unknown = verdict.rule == NOT_ONTO_EARTH && verdict.message.contains(", because ");
        reasons.insert(format!("{}{}", verdict.rule, if is_unknown { UNKNOWN } else { "" }));
    }
    reasons
}

/// Returns a label of the script without what a message does not say: which positions the other rules depend on, and where an earth is.
fn comparable(label: &str) -> String {
    let reason = |word: &str| {
        let word = word.trim_end_matches(PORTABLE).trim_end_matches(BEHIND);
        if word.starts_with(NOT_ONTO_EARTH) { word.to_owned() } else { word.trim_end_matches(UNKNOWN).to_owned() }
    };
    label.split(' ').map(reason).collect::<Vec<_>>().join(" ")
}

/// Runs the script on the exported network and the operations. `None` without Python.
fn labels_of_the_script(network: &Description, drawn: &Drawn<'_>, states: &[State]) -> Option<String> {
    let is_here = Command::new("python3").arg("--version").stdout(Stdio::null()).status().is_ok_and(|status| status.success());
    assert!(is_here || std::env::var_os("CI").is_none(), "python3 is missing: `scripts/services install` provides it");
    if !is_here {
        eprintln!("SKIPPED: python3 is missing here");
        return None;
    }
    let folder = tempfile::tempdir().expect("a folder");
    for file in own_csv::export(network, &Positions::normal(network)) {
        std::fs::write(folder.path().join(file.name), file.text).expect("written");
    }
    let operations = folder.path().join("operations.json");
    std::fs::write(&operations, drawn.described(states).to_string()).expect("written");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/labels/label.py");
    let done = Command::new("python3").arg("-B").arg(script).arg(folder.path()).arg(&operations).output().expect("started");
    assert!(done.status.success(), "label.py failed:\n{}", String::from_utf8_lossy(&done.stderr));
    Some(String::from_utf8(done.stdout).expect("text"))
}

#[test]
fn committed_labels_are_those_of_the_script() {
    let client = client();
    let (utility, network) = (Utility::new(&client), simulators::utility::network(&client));
    let drawn = Drawn::new(&utility, &network);
    let Some(labels) = labels_of_the_script(&network, &drawn, &drawn.states()) else { return };
    if labels != committed() {
        std::fs::write(NEW_LABELS, labels).expect("written");
        panic!("the labels of the script are others now. Find out why; then copy {NEW_LABELS} to crates/control/tests/labels/labels.txt");
    }
}

#[test]
fn decisions_are_those_of_the_script() {
    let client = client();
    let (utility, network) = (Utility::new(&client), simulators::utility::network(&client));
    let states = Drawn::new(&utility, &network).states();
    let stored = Arc::new(ActiveNetwork::new(CLIENT, ACTIVE, network.clone()).expect("a network"));
    let committed = committed();
    let labels: Vec<&str> = committed.lines().collect();
    assert_eq!(labels.len(), STATES * OPERATIONS);
    let half = states.len() / 2;
    let decide = |range: std::ops::Range<usize>| -> Vec<(String, Judgement)> {
        range.flat_map(|number| decided(&utility, &stored, number, &states[number])).collect()
    };
    let mut decisions = std::thread::scope(|scope| {
        let second = scope.spawn(|| decide(half..states.len()));
        let mut all = decide(0..half);
        all.extend(second.join().expect("decided"));
        all
    });
    let mut different: Vec<String> = Vec::new();
    for ((decision, judgement), label) in decisions.iter_mut().zip(&labels) {
        if *decision != comparable(label) {
            let messages: Vec<&str> = judgement.refusals.iter().map(|refusal| refusal.message.as_str()).collect();
            different.push(format!("script:  {label}\nproduct: {decision}\n    {}", messages.join("\n    ")));
        }
        // The earth that is named is the one that a crew has placed.
        if label.contains(PORTABLE) {
            let verdict = judgement.interlocks.iter().find(|verdict| verdict.rule == NOT_ONTO_EARTH && !verdict.fulfilled);
            let message = verdict.map(|verdict| verdict.message.clone()).unwrap_or_default();
            if !message.contains("portable earth ") || !message.contains("placed by A. Nair") {
                different.push(format!("script: {label}\nthe portable earth is not named: {message}"));
            }
        }
    }
    let shown = different.iter().take(20).map(String::as_str).collect::<Vec<_>>().join("\n");
    assert!(different.is_empty(), "{} of {} differ:\n{shown}", different.len(), labels.len());
}

#[test]
fn each_reason_occurs_a_hundred_times() {
    let committed = committed();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for label in committed.lines() {
        let words: Vec<&str> = label.split(' ').skip(4).collect();
        let mut kinds: BTreeSet<&str> = words.iter().map(|word| word.split('/').next().unwrap_or_default()).collect();
        if words.iter().any(|word| word.contains(UNKNOWN)) {
            kinds.insert("unknown or assumed on the way");
        }
        if words.iter().any(|word| word.contains(PORTABLE)) {
            kinds.insert("onto a portable earth");
        }
        if words.iter().any(|word| word.contains(BEHIND)) {
            kinds.insert("onto an earth behind a transformer");
        }
        for kind in kinds {
            *counts.entry(kind).or_default() += 1;
        }
    }
    println!("{counts:#?}");
    let needed = [
        "permitted",
        "refused",
        NOT_ONTO_EARTH,
        "network-earth-not-onto-supply",
        "network-sources-not-joined",
        "network-disconnector-without-load",
        "inhibit-section",
        "onto a portable earth",
        "unknown or assumed on the way",
        "outside-of-area",
    ];
    let rare: Vec<String> = needed
        .into_iter()
        .map(|kind| (kind, counts.get(kind).copied().unwrap_or_default()))
        .filter(|(_, count)| *count < 100)
        .map(|(kind, count)| format!("{kind}: {count}"))
        .collect();
    assert!(rare.is_empty(), "too rare: {rare:?}");
}
