//! Outages follow what users have entered by hand: positions, presences of sources, jumpers and cuts.

use std::time::{Duration, Instant};

use grid::manual_entry::{EntryRule, EntryTerms};
use grid::reliability::{CustomersWithoutSupply, Step, Threshold, sums};
use grid::{Micros, PointId};
use network::description::{Consumption, Electrical, Node, Switch};
use network::temporary::{NamedTerminal, TemporaryChange};
use network::{Description, EquipmentKind, Phases};
use store::audit::Origin;
use store::manual_entry::{EntrySubject, NewManualEntry, SamePosition, Withdrawal};
use store::network::{ActiveVersion, VersionNumber};
use store::temporary_change::{CheckedWith, NewRemoval, NewTemporaryChange, Placing, RemovalRecord, Removing, SafetyCheck};

use crate::network::{activate_version, description, equipment, store_version};
use crate::site::{CLOSED, OPEN, Service, Site, now};

/// The customers of both feeders.
const SERVED: f64 = 130.0;

/// The first feeder has 100 customers behind a section switch. A normally open tie connects them with the end of the second feeder, which has 30 customers.
/// Neither the section switch nor the tie has a point.
fn sectioned(section: EquipmentKind) -> Description {
    let mut description = description();
    description.nodes.push(Node { id: "f1-far".into(), ..description.nodes[0].clone() });
    description.equipment.retain(|equipment| equipment.id != "N/F1/C");
    let switch = |is_normally_open| Electrical::Switch(Switch { is_normally_open, ..Switch::default() });
    let consumer = Electrical::Consumer(Consumption { customers: 100, kw: 1.0, ..Consumption::default() });
    description.equipment.extend([
        equipment("N/F1/SW", section, "N/F1", &["f1-end", "f1-far"], switch(false)),
        equipment("N/F1/C", EquipmentKind::EnergyConsumer, "N/F1", &["f1-far"], consumer),
        equipment("N/F1/TIE", EquipmentKind::LoadBreakSwitch, "N/F1", &["f1-far", "f2-end"], switch(true)),
    ]);
    description
}

/// A site in which the breakers have always been closed, and the start of its time.
struct Past {
    site: Site,
    start: Micros,
    service: Service,
}

impl Past {
    async fn of(description: Description) -> Self {
        let mut site = Site::new().await;
        let start = now().plus_millis(-24 * 3_600_000);
        let [one, two] = site.positions;
        activate_version(&site, description, start.plus_millis(-1_000)).await;
        let (incoming, voltage) = (site.incoming, site.voltage);
        site.store_values(&[(one, CLOSED, start), (two, CLOSED, start), (incoming, CLOSED, start), (voltage, 11.0, start)]).await;
        // These values were received when they were measured.
        site.database.client().await.batch_execute("UPDATE latest SET recv_ts = source_ts").await.expect("updated");
        let service = site.start(1_000);
        Self { site, start, service }
    }

    fn at(&self, minute: i64) -> Micros {
        self.start.plus_millis(minute * 60_000)
    }

    fn origin(&self) -> Origin {
        Origin { client: Some(self.site.client), from: "console".to_owned(), ..Origin::default() }
    }

    /// Enters a position and returns the number of the entry.
    async fn enter(&self, subject: EntrySubject, value: f64, phases: &str, rule: EntryRule, minute: i64) -> i64 {
        let new = NewManualEntry {
            same: SamePosition::default(),
            points: Vec::new(),
            subject,
            quantity: "Pos".into(),
            phases: Phases::parse(phases).unwrap_or(Phases::NONE),
            value,
            reason: "seen on site".into(),
            member: None,
            by: "Asha Rao".into(),
            terms: EntryTerms { rule, observed: self.at(minute), entered: self.at(minute), seen: None },
        };
        let entered = self.site.store.enter_manually(self.site.client, &new, &[], &self.origin()).await.expect("stored");
        entered.entered().expect("not too many").id
    }

    /// Enters the position of equipment until it is reported.
    async fn see(&self, id: &str, value: f64, minute: i64) -> i64 {
        self.enter(equipment_of(id), value, "", EntryRule::UntilReported, minute).await
    }

    async fn withdraw(&self, entry: i64, minute: i64) {
        let withdrawal = Withdrawal { by: "Ben Roy", reason: "seen again", at: self.at(minute) };
        let withdrawn = self.site.store.withdraw_manual_entry(self.site.client, entry, withdrawal, &[], &self.origin()).await;
        assert!(withdrawn.expect("stored").is_some());
    }

    async fn active(&self) -> ActiveVersion {
        self.site.store.active_network(self.site.client, now()).await.expect("read").expect("a network is active")
    }

    async fn place(&self, change: TemporaryChange, minute: i64) -> i64 {
        let named = |equipment: &str, terminal, node: &str| NamedTerminal { equipment: equipment.into(), terminal, node: node.into() };
        let at = match &change {
            TemporaryChange::Cut { .. } => vec![named("N/F1/S", 1, "f1")],
            _ => vec![named("N/F1/TIE", 1, "f1-far"), named("N/F1/TIE", 2, "f2-end")],
        };
        let active = self.active().await;
        let new = NewTemporaryChange {
            change,
            at,
            place: "N".into(),
            location: None,
            reason: "fault on the line".into(),
            is_seen_dead: true,
            version: active.version,
            since: active.since,
            checked_with: Vec::new(),
            member: None,
            by: "Asha Rao".into(),
            placed: self.at(minute),
            key: None,
        };
        let unchecked = SafetyCheck { points: Vec::new(), permit: &|_| Ok(()) };
        let placing =
            self.site.store.place_temporary_change(self.site.client, &new, &unchecked, &[], &self.origin()).await.expect("stored");
        let Placing::Placed(placed) = placing else { panic!("{placing:?}") };
        placed.id
    }

    async fn remove(&self, change: i64, minute: i64) {
        let removal = RemovalRecord { by: "Ben Roy".into(), reason: "repaired".into(), at: self.at(minute) };
        let removal = NewRemoval { removal, key: None };
        let active = self.active().await;
        let temporary = self.site.store.temporary_changes(self.site.client).await.expect("read").iter().map(|record| record.id).collect();
        let safety = SafetyCheck { points: Vec::new(), permit: &|_| Ok(()) };
        let checked = CheckedWith { version: active.version, since: active.since, temporary, safety };
        let removed =
            self.site.store.remove_temporary_change(self.site.client, change, &removal, Some(&checked), &[], &self.origin()).await;
        assert!(matches!(removed.expect("stored"), Removing::Removed(_)));
    }

    /// Enters that a version became active in the past.
    async fn activate(&self, version: i64, minute: i64) {
        let statement = format!(
            "INSERT INTO network_activation (client_id, since, version, entered) SELECT {}, to_timestamp({}::float8 / 1e6), {version}, now()",
            self.site.client.0,
            self.at(minute).0
        );
        self.site.database.client().await.batch_execute(&statement).await.expect("activated");
    }

    async fn events(&mut self, events: &[(PointId, f64, i64)]) {
        let events: Vec<_> = events.iter().map(|(point, value, minute)| (*point, *value, self.at(*minute))).collect();
        self.site.store_events(&events).await;
    }

    /// Waits until the outages are these: feeder, first and last minute, and the customers that were interrupted.
    async fn becomes(&self, expected: &[(usize, i64, Option<i64>, u64)]) {
        let minute = |at: Micros| at.millis_since(self.start) / 60_000;
        let patience = Instant::now();
        loop {
            let outages = self.site.outages().await;
            let mut found: Vec<_> = outages
                .iter()
                .map(|outage| {
                    let feeder = self.site.feeders.iter().position(|feeder| *feeder == outage.asset).expect("a feeder") + 1;
                    let customers = outage.customers.as_ref().expect("counted").interrupted();
                    (feeder, minute(outage.started), outage.ended.map(minute), customers)
                })
                .collect();
            found.sort_unstable();
            if found == expected {
                return;
            }
            assert!(patience.elapsed().as_secs() < 20, "{found:?} instead of {expected:?}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Returns the SAIDI, in minutes.
    async fn saidi(&self) -> f64 {
        let outages = self.site.outages().await;
        let steps = outages.iter().flat_map(|outage| {
            let groups = outage.customers.as_ref().expect("counted").groups((outage.started, outage.ended.expect("ended")));
            let base = outage.asset.0.unsigned_abs() << 28;
            groups.into_iter().map(move |group| Step {
                interruption: outage.incident,
                started: outage.started,
                minutes: group.minutes,
                lasts: false,
                whom: CustomersWithoutSupply::Range { first: base + group.first, end: base + group.end },
            })
        });
        let steps: Vec<Step> = steps.collect();
        sums(&steps, Threshold::default()).indices(SERVED, f64::INFINITY).expect("served").saidi
    }
}

fn equipment_of(id: &str) -> EntrySubject {
    EntrySubject::Equipment { id: id.into(), version: VersionNumber(1) }
}

fn jumper() -> TemporaryChange {
    TemporaryChange::Jumper { nodes: ["f1-far".into(), "f2-end".into()], phases: Phases::ABC }
}

/// Asserts a SAIDI that was calculated by hand.
fn assert_minutes(saidi: f64, customer_minutes: f64) {
    assert!((saidi - customer_minutes / SERVED).abs() < 1e-9, "{saidi} instead of {}", customer_minutes / SERVED);
}

#[tokio::test]
async fn entered_position_interrupts_from_its_entry_to_its_withdrawal() {
    let past = Past::of(sectioned(EquipmentKind::LoadBreakSwitch)).await;
    let entry = past.see("N/F1/SW", OPEN, 600).await;
    past.becomes(&[(1, 600, None, 100)]).await;
    past.withdraw(entry, 660).await;
    past.becomes(&[(1, 600, Some(660), 100)]).await;
    assert_minutes(past.saidi().await, 100.0 * 60.0);
    past.service.stop().await;
}

#[tokio::test]
async fn entered_positions_end_the_outage_that_a_crew_has_ended() {
    let mut past = Past::of(sectioned(EquipmentKind::LoadBreakSwitch)).await;
    let [one, _] = past.site.positions;
    past.events(&[(one, OPEN, 600), (one, CLOSED, 840)]).await;
    past.becomes(&[(1, 600, Some(840), 100)]).await;
    assert_minutes(past.saidi().await, 100.0 * 240.0);
    past.see("N/F1/SW", OPEN, 620).await;
    past.see("N/F1/TIE", CLOSED, 620).await;
    past.becomes(&[(1, 600, Some(620), 100)]).await;
    assert_minutes(past.saidi().await, 100.0 * 20.0);
    past.service.stop().await;
}

#[tokio::test]
async fn entered_phases_interrupt_when_all_of_them_are_open() {
    let past = Past::of(sectioned(EquipmentKind::Fuse)).await;
    let enter = async |phases, value, minute| past.enter(equipment_of("N/F1/SW"), value, phases, EntryRule::UntilReported, minute).await;
    enter("A", OPEN, 100).await;
    enter("BC", OPEN, 200).await;
    past.becomes(&[(1, 200, None, 100)]).await;
    enter("A", CLOSED, 260).await;
    past.becomes(&[(1, 200, Some(260), 100)]).await;
    past.service.stop().await;
}

#[tokio::test]
async fn entered_position_yields_to_the_first_newer_report_by_its_rule() {
    let mut past = Past::of(sectioned(EquipmentKind::LoadBreakSwitch)).await;
    let [one, two] = past.site.positions;
    past.events(&[(two, CLOSED, 0)]).await;
    past.see("N/F1CB", OPEN, 100).await;
    past.becomes(&[(1, 100, None, 100)]).await;
    // The device reports the same, and then that it is closed again. The entry does not count any more, although nobody has withdrawn it.
    past.events(&[(one, OPEN, 120), (one, CLOSED, 160)]).await;
    past.becomes(&[(1, 100, Some(160), 100)]).await;
    // What the device reports is known to be wrong.
    let entry = past.enter(equipment_of("N/F1CB"), OPEN, "", EntryRule::UntilWithdrawn, 300).await;
    past.events(&[(one, CLOSED, 330)]).await;
    past.becomes(&[(1, 100, Some(160), 100), (1, 300, None, 100)]).await;
    past.withdraw(entry, 400).await;
    past.becomes(&[(1, 100, Some(160), 100), (1, 300, Some(400), 100)]).await;
    past.service.stop().await;
}

#[tokio::test]
async fn entered_position_yields_to_a_report_that_only_repeats_the_position() {
    let mut past = Past::of(sectioned(EquipmentKind::LoadBreakSwitch)).await;
    let [one, _] = past.site.positions;
    past.see("N/F1CB", OPEN, 100).await;
    past.becomes(&[(1, 100, None, 100)]).await;
    // The link is there again. This is no event, because the last report had the same position.
    let at = past.at(145);
    past.site.store_values(&[(one, CLOSED, at)]).await;
    past.becomes(&[(1, 100, Some(145), 100)]).await;
    past.service.stop().await;
}

#[tokio::test]
async fn entered_presence_of_a_source_is_one_outage_of_all_that_it_feeds() {
    let mut description = sectioned(EquipmentKind::LoadBreakSwitch);
    description.measurements.retain(|measured| measured.equipment != "N/G");
    let past = Past::of(description).await;
    past.see("N/G", OPEN, 100).await;
    past.becomes(&[(1, 100, None, 100), (2, 100, None, 30)]).await;
    past.see("N/G", CLOSED, 130).await;
    past.becomes(&[(1, 100, Some(130), 100), (2, 100, Some(130), 30)]).await;
    let outages = past.site.outages().await;
    assert_eq!(outages[0].incident, outages[1].incident);
    assert_minutes(past.saidi().await, 130.0 * 30.0);
    past.service.stop().await;
}

#[tokio::test]
async fn what_is_entered_while_the_service_is_stopped_counts_after_its_start() {
    let mut past = Past::of(sectioned(EquipmentKind::LoadBreakSwitch)).await;
    let [_, two] = past.site.positions;
    past.events(&[(two, OPEN, 10), (two, CLOSED, 40)]).await;
    past.becomes(&[(2, 10, Some(40), 30)]).await;
    let Past { site, start, service } = past;
    service.stop().await;
    // The service cannot know whether this was entered before it had stopped.
    let minutes = now().millis_since(start) / 60_000;
    let stopped = Past { service: Service::none(), site, start };
    stopped.see("N/F1/SW", OPEN, minutes).await;
    let past = Past { service: stopped.site.start(1_000), ..stopped };
    past.becomes(&[(1, minutes, None, 100), (2, 10, Some(40), 30)]).await;
    past.service.stop().await;
}

#[tokio::test]
async fn position_entered_for_a_point_counts_in_a_drawn_substation() {
    let mut site = Site::new().await;
    site.draw().await;
    let start = now().plus_millis(-24 * 3_600_000);
    let ([one, two], incoming) = (site.positions, site.incoming);
    site.store_values(&[(two, CLOSED, start), (incoming, CLOSED, start)]).await;
    site.store_events(&[(one, CLOSED, start)]).await;
    let service = site.start(1_000);
    let past = Past { site, start, service };
    let entry = past.enter(EntrySubject::Point(two), OPEN, "", EntryRule::UntilWithdrawn, 100).await;
    let began = |past: &Past| (2, 100 * 60, past.start);
    let ended = async |past: &Past, end: Option<i64>| {
        let patience = Instant::now();
        while past.site.outages_since(began(past).2).await != [(2, 100 * 60, end, "unknown")] {
            assert!(patience.elapsed().as_secs() < 20, "{:?}", past.site.outages().await);
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    ended(&past, None).await;
    past.withdraw(entry, 130).await;
    ended(&past, Some(130 * 60)).await;
    past.service.stop().await;
}

#[tokio::test]
async fn jumper_ends_the_outage_from_the_time_when_it_was_placed() {
    let mut past = Past::of(sectioned(EquipmentKind::LoadBreakSwitch)).await;
    let [one, _] = past.site.positions;
    past.events(&[(one, OPEN, 100), (one, CLOSED, 340)]).await;
    past.becomes(&[(1, 100, Some(340), 100)]).await;
    let jumper = past.place(jumper(), 120).await;
    past.becomes(&[(1, 100, Some(120), 100)]).await;
    assert_minutes(past.saidi().await, 100.0 * 20.0);
    // It is removed too early: until the breaker is closed, nobody feeds them.
    past.remove(jumper, 310).await;
    past.becomes(&[(1, 100, Some(120), 100), (1, 310, Some(340), 100)]).await;
    assert_minutes(past.saidi().await, 100.0 * (20.0 + 30.0));
    past.service.stop().await;
}

#[tokio::test]
async fn cut_interrupts_what_is_behind_it_until_it_is_removed() {
    let past = Past::of(sectioned(EquipmentKind::LoadBreakSwitch)).await;
    let cut = TemporaryChange::Cut { equipment: "N/F1/S".into(), terminal: 1, phases: Phases::ABC };
    let cut = past.place(cut, 100).await;
    past.becomes(&[(1, 100, None, 100)]).await;
    past.remove(cut, 130).await;
    past.becomes(&[(1, 100, Some(130), 100)]).await;
    assert_minutes(past.saidi().await, 100.0 * 30.0);
    past.service.stop().await;
}

#[tokio::test]
async fn change_that_does_not_fit_the_version_of_its_time_has_no_effect_there() {
    let mut past = Past::of(sectioned(EquipmentKind::LoadBreakSwitch)).await;
    let [one, _] = past.site.positions;
    past.place(jumper(), 50).await;
    past.events(&[(one, OPEN, 100), (one, CLOSED, 340)]).await;
    past.site.settled().await;
    past.becomes(&[]).await;
    past.events(&[(one, OPEN, 500), (one, CLOSED, 540)]).await;
    // The next version has another name for a node of the jumper.
    let mut renamed = sectioned(EquipmentKind::LoadBreakSwitch);
    let nodes = renamed.nodes.iter_mut().map(|node| &mut node.id);
    let terminals = renamed.equipment.iter_mut().flat_map(|of| &mut of.terminals).map(|terminal| &mut terminal.node);
    nodes.chain(terminals).filter(|id| *id == "f2-end").for_each(|id| *id = "end-of-f2".into());
    // It became active between both.
    store_version(&past.site, renamed).await;
    past.activate(2, 400).await;
    past.becomes(&[(1, 500, Some(540), 100)]).await;
    let times = past.site.store.unfitting_times(past.site.client, (past.start, now()), 10).await.expect("read");
    assert!(matches!(times[..], [(since, None)] if since.millis_since(past.at(400)).abs() < 1), "{times:?}");
    assert_eq!(past.site.store.unfitting_times(past.site.client, (past.start, past.at(399)), 10).await.expect("read"), []);
    past.service.stop().await;
}

#[tokio::test]
async fn entry_for_equipment_that_a_version_lacked_does_not_count_later() {
    let mut past = Past::of(sectioned(EquipmentKind::LoadBreakSwitch)).await;
    let [one, _] = past.site.positions;
    past.see("N/F1/SW", OPEN, 600).await;
    past.becomes(&[(1, 600, None, 100)]).await;
    // The second version has a line in place of the switch, and the third one has the switch again.
    let mut replaced = sectioned(EquipmentKind::LoadBreakSwitch);
    let switch = replaced.equipment.iter_mut().find(|of| of.id == "N/F1/SW").expect("the switch");
    (switch.id, switch.kind, switch.electrical) = ("N/F1/S2".into(), EquipmentKind::LineSegment, Electrical::Nothing);
    store_version(&past.site, replaced).await;
    store_version(&past.site, sectioned(EquipmentKind::LoadBreakSwitch)).await;
    past.activate(2, 660).await;
    past.activate(3, 720).await;
    past.events(&[(one, OPEN, 780), (one, CLOSED, 840)]).await;
    past.becomes(&[(1, 600, Some(660), 100), (1, 780, Some(840), 100)]).await;
    past.service.stop().await;
}
