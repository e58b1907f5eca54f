//! Measures the decision about random operations of switches in the network of the large demo, 100,000 nodes: the decision alone, the transaction with all that it
//! reads, and the request with the drawing. Some of the reported positions change between operations.
//!
//! It measures twice. First, most switches outside of the substations have an unknown position, because nothing reports it and nobody has entered it. Then users have
//! entered 20,000 positions, and crews have placed temporary changes. In every tenth operation, one of the entries was replaced before. `--short` decides about a few
//! operations in the small demo.

#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![allow(clippy::unwrap_used, reason = "a benchmark that cannot run should stop with the reason")]

use std::collections::HashMap;
use std::time::{Duration, Instant};

use control::judge;
use fastrand::Rng;
use grid::control::Throw;
use grid::control::check::{Intent, Request};
use grid::position::{Encoding, Position};
use grid::{ClientId, Lease, LinkOrder, MemberId, Micros, Point, Shard};
use network::description::{Description, Electrical};
use registry::{Fields, FollowSettings, follow};
use simulators::utility::{self, Client};
use store::audit::Origin;
use store::control::{Ask, CallerNow, Decision};
use store::{ReadClass, Store};
use testkit::TestDatabase;
use tokio_util::sync::CancellationToken;

const OPERATIONS: usize = 500;
const OPERATIONS_SHORT: usize = 20;
/// Decisions before the measurement, which prepare statements and load the network.
const WARM_UP: usize = 10;
/// Positions that change between two operations.
const CHANGES: usize = 3;
/// Manual entries of the second measurement, at most.
const ENTRIES: i64 = 20_000;
/// Cuts and portable earths of the second measurement, each.
const TEMPORARY: i64 = 25;
/// Every so many operations, an entry was replaced before.
const REPLACED_EVERY: usize = 10;
/// Time limit for reading the registry and the network.
const LOAD_LIMIT: Duration = Duration::from_mins(2);
/// The highest time of a decision at the 99th percentile, ms.
const AIM: &str = "<= 20";

/// The times of one decision.
struct Took {
    decision: Duration,
    transaction: Duration,
    request: Duration,
    /// Whether a manual entry was replaced before it.
    is_replaced: bool,
}

#[tokio::main]
async fn main() {
    let is_short = std::env::args().any(|argument| argument == "--short");
    let (client, count) = if is_short { (utility::demo(33).clients.remove(0), OPERATIONS_SHORT) } else { (utility::large(33), OPERATIONS) };
    let network = utility::network(&client);
    let (nodes, database) = (network.nodes.len(), testkit::database().await);
    seed(&database, is_short);
    let store = Store::connect(database.url(), 4).await.unwrap();
    let id = store.clients().await.unwrap().into_iter().find(|stored| stored.code == client.code).unwrap().id;
    store_latest(&database, id, &client, &network).await;

    let shutdown = CancellationToken::new();
    let registry = follow(store.clone(), FollowSettings::new(database.url()), shutdown.clone()).await.unwrap();
    let networks = registry.networks().clone();
    let fields = Fields::new(registry, &store, || vec![Lease { shard: Shard::default(), since: LinkOrder::default() }]);
    let loading = async { networks.loaded().await && networks.refresh().await && networks.settled(id).await };
    assert!(tokio::time::timeout(LOAD_LIMIT, loading).await.is_ok_and(|is_loaded| is_loaded), "the network is not loaded");
    let field = fields.get(id).await.unwrap();
    assert!(field.active_network().is_some(), "no network is active");
    let switches: Vec<Point> = field.points().filter(|point| point.code == "Pos").cloned().collect();
    println!("{nodes} nodes, {} switches with a point, {} points of the network", switches.len(), field.network_points().len());

    let bench = Bench { fields: &fields, store: &store, database: &database, client: id, switches: &switches };
    let mut rng = Rng::with_seed(26);
    print("", &bench.measure(count, false, &mut rng).await);
    bench.enter_and_place().await;
    assert!(networks.refresh().await && networks.settled(id).await, "the network is not loaded");
    let entries = fields.get(id).await.unwrap().entries().len();
    println!("{entries} manual entries");
    print("with entries, ", &bench.measure(count, true, &mut rng).await);
    shutdown.cancel();
}

struct Bench<'a> {
    fields: &'a Fields,
    store: &'a Store,
    database: &'a TestDatabase,
    client: ClientId,
    switches: &'a [Point],
}

impl Bench<'_> {
    /// Decides about random operations. `replaces`: some of them come after the replacement of a manual entry.
    async fn measure(&self, count: usize, replaces: bool, rng: &mut Rng) -> Vec<Took> {
        let sql = self.database.client().await;
        let change = "UPDATE latest SET value = $3, quality = $4, source_ts = now(), recv_ts = now(), seq = seq + 1 WHERE client_id = $1 AND point_id = $2";
        let (mut took, mut refused) = (Vec::new(), 0);
        for at in 0..count + WARM_UP {
            for _ in 0..CHANGES {
                let point = &self.switches[rng.usize(..self.switches.len())];
                // A position, or one that is not known: it travels.
                let value = f64::from(rng.u8(0..=2));
                sql.execute(change, &[&self.client.0, &point.id.0, &value, &0_i16]).await.unwrap();
            }
            let is_replaced = replaces && at % REPLACED_EVERY == 0;
            if is_replaced {
                self.replace_entry(rng).await;
            }
            let (one, is_refused) = decide(self.fields, self.store, self.client, &self.switches[rng.usize(..self.switches.len())]).await;
            if at >= WARM_UP {
                took.push(Took { is_replaced, ..one });
                refused += usize::from(is_refused);
            }
        }
        println!("{refused} of {count} operations are refused");
        took
    }

    /// Stores the normal position of switches that nothing reports as entered, each phase of a fuse on its own, with a history of entries that were replaced. Cuts lines
    /// and places portable earths.
    async fn enter_and_place(&self) {
        let sql = self.database.client().await;
        let enter =
            "INSERT INTO manual_entry (client_id, equipment, quantity, phases, value, reason, version, entered_by, entered, observed, rule)
             SELECT client_id, id, 'Pos', phase, CASE WHEN electrical #>> '{Switch,is_normally_open}' = 'true' THEN 1 ELSE 2 END,
                 'seen by the crew on its round', 1, 'Asha Rao', now(), now(), 'untilReported'
             FROM network_equipment e
             CROSS JOIN LATERAL unnest(CASE kind WHEN 'Fuse' THEN ARRAY['A', 'B', 'C'] ELSE ARRAY[''] END) AS phases (phase)
             WHERE client_id = $1 AND last_version IS NULL AND kind IN ('Fuse', 'LoadBreakSwitch', 'Recloser')
             ORDER BY md5(id || phase) LIMIT $2";
        sql.execute(enter, &[&self.client.0, &ENTRIES]).await.unwrap();
        let history = "INSERT INTO manual_entry (client_id, equipment, quantity, phases, value, reason, version, entered_by, entered, observed, rule,
                 withdrawn, withdrawn_by, withdrawn_reason)
             SELECT client_id, equipment, quantity, phases, value, reason, version, entered_by, entered, observed, rule, now(), entered_by, reason
             FROM manual_entry WHERE client_id = $1";
        sql.execute(history, &[&self.client.0]).await.unwrap();
        let place = "INSERT INTO temporary_change (client_id, what, terminals, place, reason, seen_dead, version, placed_by, placed)
             SELECT client_id, CASE WHEN nth % 2 = 0
                     THEN jsonb_build_object('kind', 'cut', 'equipment', id, 'terminal', 1, 'phases', 'ABC')
                     ELSE jsonb_build_object('kind', 'portableEarth', 'node', terminals -> 0 ->> 'node', 'phases', 'ABC') END,
                 jsonb_build_array(jsonb_build_object('equipment', id, 'terminal', 1, 'node', terminals -> 0 ->> 'node')),
                 id, 'work on the line', true, 1, 'Asha Rao', now()
             FROM (
                 SELECT *, row_number() OVER (ORDER BY md5(id)) AS nth FROM network_equipment
                 WHERE client_id = $1 AND last_version IS NULL AND kind = 'ACLineSegment' AND terminals -> 0 ->> 'phases' = 'ABC'
             ) line
             WHERE nth <= 2 * $2::bigint";
        sql.execute(place, &[&self.client.0, &TEMPORARY]).await.unwrap();
        sql.batch_execute("ANALYZE").await.unwrap();
    }

    /// Replaces a manual entry by another one for the same position.
    async fn replace_entry(&self, rng: &mut Rng) {
        let sql = self.database.client().await;
        let replace = "WITH old AS (
                 UPDATE manual_entry SET withdrawn = now(), withdrawn_by = entered_by, withdrawn_reason = reason
                 WHERE id = (SELECT id FROM manual_entry WHERE client_id = $1 AND withdrawn IS NULL ORDER BY id OFFSET $2 LIMIT 1)
                 RETURNING client_id, equipment, quantity, phases, value, reason, version, entered_by, rule
             )
             INSERT INTO manual_entry (client_id, equipment, quantity, phases, value, reason, version, entered_by, entered, observed, rule)
             SELECT client_id, equipment, quantity, phases, value, reason, version, entered_by, now(), now(), rule FROM old";
        sql.execute(replace, &[&self.client.0, &rng.i64(0..100)]).await.unwrap();
    }
}

/// Decides about one operation as a request does. Nothing is stored. Returns whether it is refused.
async fn decide(fields: &Fields, store: &Store, client: ClientId, point: &Point) -> (Took, bool) {
    let began = Instant::now();
    let field = fields.get(client).await.unwrap();
    let places = field.asset(point.asset).map(|asset| field.places_of_asset(asset)).unwrap_or_default();
    let network = field.active_network().map(|_| field.network_points());
    let ask = Ask { session: 1, now: now(), direction: None, key: None, window_ms: 60_000, burst: 3, network, places };
    let origin = Origin { client: Some(client), actor: None, session: None, from: "bench".to_owned(), correlation: String::new() };
    let drawing = store.in_class(ReadClass::Reserved).drawing(client, point.location).await.unwrap();
    let started = Instant::now();
    let decided = store.decide(client, point.id, &ask, "interlock", &origin, |site, facts| {
        // The session is that of a user with permission to operate everything.
        let mut facts = facts.clone();
        facts.outside_area = None;
        facts.caller = Some(CallerNow {
            member: MemberId(1),
            name: "Bench".to_owned(),
            role_id: 2,
            node: None,
            can_operate: true,
            demo: false,
            signed_in: site.now,
        });
        let present = site.latest.zip(site.encoding).and_then(|(reading, encoding)| Throw::of(Position::decode(encoding, reading.value?)));
        let from = present.unwrap_or(Throw::Open);
        let request = Request {
            intent: Intent::Direct,
            from: Some(from),
            target: Some(from.other()),
            requested: site.now,
            scheduled: None,
            test: false,
        };
        let began = Instant::now();
        let found = judge(&field, drawing.as_ref(), 1, site, &facts, &request);
        Decision::nothing((began.elapsed(), !found.refusals.is_empty()))
    });
    let (_, (decision, is_refused)) = decided.await.unwrap().unwrap();
    (Took { decision, transaction: started.elapsed(), request: began.elapsed(), is_replaced: false }, is_refused)
}

/// Stores the demo with `switchyard seed`.
fn seed(database: &TestDatabase, is_short: bool) {
    let program = std::env::var("SWITCHYARD_BIN").expect("SWITCHYARD_BIN is the path of switchyard; scripts/bench sets it");
    let large = (!is_short).then_some("--large");
    let done =
        std::process::Command::new(program).args(["seed", "--demo"]).args(large).env("DATABASE_URL", database.url()).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

/// Stores the normal position of each switch that has a point, and the nominal voltage of each point that measures one.
async fn store_latest(database: &TestDatabase, client: ClientId, from: &Client, network: &Description) {
    let sql = database.client().await;
    sql.batch_execute("UPDATE gateway SET online = true, since = now(), last_seen = now(), link_term = 4, link_count = 7").await.unwrap();
    let nominal: HashMap<&str, f64> = network.nodes.iter().filter_map(|node| Some((node.id.as_str(), node.nominal_kv?))).collect();
    let equipment: HashMap<&str, _> = network.equipment.iter().map(|equipment| (equipment.id.as_str(), equipment)).collect();
    let kinds: HashMap<String, _> = from
        .substations
        .iter()
        .flat_map(|station| {
            station.points.iter().map(move |point| (format!("{}/{}/{}", station.code, point.device, point.metric()), point.kind))
        })
        .collect();
    let (mut names, mut values) = (Vec::new(), Vec::new());
    for measurement in &network.measurements {
        let Some((name, of)) = measurement.point.clone().zip(equipment.get(measurement.equipment.as_str())) else { continue };
        let value = match (&of.electrical, measurement.quantity.starts_with('V')) {
            (Electrical::Switch(switch), false) if measurement.quantity == "Pos" => {
                let closed = f64::from(u8::from(!switch.is_normally_open));
                if kinds[&name] == grid::point::PointKind::Status(Encoding::SinglePoint) { closed } else { closed + 1.0 }
            }
            (_, true) => nominal[of.terminals[0].node.as_str()],
            _ => continue,
        };
        names.push(name);
        values.push(value);
    }
    let insert = "INSERT INTO latest (client_id, point_id, source_ts, recv_ts, epoch, seq, value, quality)
         SELECT p.client_id, p.id, now(), now(), 0, 1, max(v.value), 0
         FROM unnest($2::text[], $3::float8[]) v (name, value)
         JOIN gateway g ON g.client_id = $1 AND g.code = split_part(v.name, '/', 1)
         JOIN point p ON p.gateway_id = g.id AND g.code || '/' || p.device || '/' || p.metric = v.name
         GROUP BY p.client_id, p.id
         ON CONFLICT DO NOTHING";
    sql.execute(insert, &[&client.0, &names, &values]).await.unwrap();
    // The local/remote switch of each substation is on remote.
    let remote = "INSERT INTO latest (client_id, point_id, source_ts, recv_ts, epoch, seq, value, quality)
         SELECT client_id, id, now(), now(), 0, 1, 0, 0 FROM point WHERE client_id = $1 AND code = 'Loc' ON CONFLICT DO NOTHING";
    sql.execute(remote, &[&client.0]).await.unwrap();
    sql.batch_execute("ANALYZE").await.unwrap();
}

fn now() -> Micros {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    Micros(i64::try_from(since.as_micros()).unwrap())
}

/// Prints the times of decisions. `of` begins each name.
fn print(of: &str, took: &[Took]) {
    print_times(&format!("{of}decision"), took.iter().map(|took| took.decision));
    print_times(&format!("{of}transaction with all reads"), took.iter().map(|took| took.transaction));
    print_times(&format!("{of}transaction and drawing"), took.iter().map(|took| took.request));
    let replaced: Vec<Duration> = took.iter().filter(|took| took.is_replaced).map(|took| took.transaction).collect();
    if !replaced.is_empty() {
        print_times(&format!("{of}transaction after one was replaced"), replaced.into_iter());
    }
}

fn print_times(what: &str, took: impl Iterator<Item = Duration>) {
    let mut ms: Vec<f64> = took.map(|took| took.as_secs_f64() * 1_000.0).collect();
    ms.sort_by(f64::total_cmp);
    let at = |share: f64| ms[((ms.len() - 1) as f64 * share).round() as usize];
    println!("= interlock, {what}: median, ms | {:.1} |", at(0.5));
    println!("= interlock, {what}: 99th percentile, ms | {:.1} | {AIM}", at(0.99));
    println!("= interlock, {what}: highest of {}, ms | {:.1} |", ms.len(), at(1.0));
}
