//! Tests commands to breakers: each command operates at most once, whatever crashes meanwhile. Late, repeated and foreign commands operate nothing.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use bytes::Bytes;
use field::command::{Order, Seal};
use field::sparkplug::Payload;
use rand::rngs::StdRng;
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{RngExt, SeedableRng};
use serde_json::Value;
use simulators::rtu::link::now_ms;
use tokio::time::sleep;

use crate::check::Findings;
use crate::gateways::GROUP;
use crate::operators::{Breaker, Operators, allow, begun, breakers, until_operable};
use crate::proxy::Fault;
use crate::recorder::{Message, PlainPublisher, Recorder};
use crate::site::{Shape, Site, call_json};
use crate::strike::kill;
use crate::trial::{Report, Trial};

/// Time limit for a process to work again.
const PATIENCE: Duration = Duration::from_mins(1);
/// The final states of a command.
const FINAL: [&str; 6] = ["DONE", "NO_FEEDBACK", "REFUSED", "EXPIRED", "CANCELLED", "UNKNOWN"];

/// A site with the demo's RTUs.
pub(super) struct Orders {
    site: Site,
    breakers: Vec<Breaker>,
    token: String,
    random: StdRng,
    short: bool,
    report: Report,
}

impl Orders {
    pub(super) async fn start(name: &str, trial: &Trial, shape: &Shape) -> anyhow::Result<Self> {
        let mut site = Site::start(shape).await?;
        allow(&site).await?;
        site.add_field(&trial.switchyard)?;
        let token = site.token().await?;
        let mut random = StdRng::seed_from_u64(trial.seed);
        let mut breakers = breakers(&site).await?;
        breakers.shuffle(&mut random);
        breakers.truncate(if trial.short { 6 } else { 16 });
        let report = Report { name: name.into(), seed: trial.seed, short: trial.short, findings: Findings::default(), checks: Vec::new() };
        let started = Self { site, breakers, token, random, short: trial.short, report };
        started.ready().await?;
        Ok(started)
    }

    async fn ready(&self) -> anyhow::Result<()> {
        for breaker in &self.breakers {
            until_operable(&self.site, &self.token, breaker, PATIENCE).await?;
        }
        Ok(())
    }

    /// P19: operates breakers while api, gateways and broker are killed and some command messages are duplicated.
    pub(super) async fn at_most_once(mut self, operations: usize, kills: u32) -> anyhow::Result<Report> {
        let recorder = Recorder::record(&self.site.broker.url(), &format!("spBv1.0/{GROUP}/DCMD/#")).await?;
        let doubling = tokio::spawn(double(self.site.broker.url()));
        let operators = Operators::start(self.site.service("api")?.port(), &self.token, &self.breakers, self.report.seed);
        let mut struck: BTreeMap<&str, u32> = BTreeMap::new();
        for number in 0..kills {
            let part = ["api", "simulate", "broker"][number as usize % 3];
            let (before, down) = (self.random.random_range(1.0..3.0), self.random.random_range(0.1..0.8));
            sleep(Duration::from_secs_f64(before)).await;
            kill(&mut self.site, part, Duration::from_secs_f64(down)).await?;
            *struck.entry(part).or_default() += 1;
        }
        let began = Instant::now();
        while operators.operations.load(Ordering::Relaxed) < operations {
            anyhow::ensure!(began.elapsed() < 5 * PATIENCE, "only {} orders in time", operators.operations.load(Ordering::Relaxed));
            sleep(Duration::from_millis(100)).await;
        }
        let sent = operators.operations.load(Ordering::Relaxed);
        operators.finish().await;
        doubling.abort();
        self.until_over().await?;
        let messages = recorder.stop().await;
        self.report.check(format!("{sent} orders sent, killed meanwhile: {struck:?}"), sent >= operations);
        self.account(&messages).await?;
        Ok(self.report)
    }

    /// Waits until all commands are in a final state.
    async fn until_over(&self) -> anyhow::Result<()> {
        let (client, began) = (self.site.sql().await?, Instant::now());
        let finals: Vec<&str> = FINAL.to_vec();
        loop {
            let open: i64 = client.query_one("SELECT count(*) FROM command WHERE state <> ALL ($1)", &[&finals]).await?.get(0);
            if open == 0 {
                return Ok(());
            }
            anyhow::ensure!(began.elapsed() < PATIENCE, "{open} commands do not end");
            sleep(Duration::from_millis(100)).await;
        }
    }

    /// Compares the commands in the database with the gateways' journals, the stored events and the messages at the broker.
    async fn account(&mut self, messages: &[Message]) -> anyhow::Result<()> {
        let client = self.site.sql().await?;
        let begun = begun(&self.site)?;
        let mut states: BTreeMap<String, usize> = BTreeMap::new();
        let mut known: HashMap<String, String> = HashMap::new();
        for row in client.query("SELECT id, state FROM command", &[]).await? {
            let (id, state): (String, String) = (row.get(0), row.get(1));
            *states.entry(state.clone()).or_default() += 1;
            known.insert(id, state);
        }
        self.report.check(format!("{} on record: {states:?}", known.len()), known.len() > 1 && states.contains_key("DONE"));
        let twice = begun.values().filter(|times| **times > 1).count();
        self.report.check(format!("{} begun by gateways; begun more than once: {twice}", begun.len()), twice == 0 && !begun.is_empty());

        let audited = "SELECT DISTINCT split_part(subject, ' ', 2) FROM audit WHERE action IN ('command_direct', 'command_execute')";
        let audited: HashSet<String> = client.query(audited, &[]).await?.iter().map(|row| row.get(0)).collect();
        let unaudited: Vec<&String> = begun.keys().filter(|id| !audited.contains(*id) || !known.contains_key(*id)).take(5).collect();
        self.report.check(format!("begun without a record and an audit: {unaudited:?}"), unaudited.is_empty());

        let hollow: Vec<&String> =
            known.iter().filter(|(id, state)| *state == "DONE" && !begun.contains_key(*id)).map(|(id, _)| id).collect();
        self.report.check(format!("called done and never begun: {hollow:?}"), hollow.is_empty());
        // Between a command and the next one of the same switch, the commanded position is reported at most once, and at least once if the command is
        // DONE.
        let arrivals = "SELECT c.id, c.state, count(e.point_id) FILTER (WHERE e.value = c.to_status) AS arrived
            FROM (SELECT *, lead(sent_at) OVER (PARTITION BY point_id ORDER BY sent_at) AS next FROM command WHERE sent_at IS NOT NULL) c
            LEFT JOIN event e ON e.point_id = c.point_id AND e.source_ts >= c.sent_at - INTERVAL '5 milliseconds' AND (c.next IS NULL OR e.source_ts < c.next)
            GROUP BY 1, 2";
        let began = Instant::now();
        let (often, without) = loop {
            let rows = client.query(arrivals, &[]).await?;
            let named = |of: &dyn Fn(&str, i64) -> bool| -> Vec<String> {
                rows.iter().filter(|row| of(row.get(1), row.get(2))).take(5).map(|row| row.get::<_, String>(0)).collect()
            };
            let (often, without) = (named(&|_, arrived| arrived > 1), named(&|state, arrived| state == "DONE" && arrived == 0));
            // A command is DONE as soon as the bus reports the position. Its event is stored a moment later.
            if without.is_empty() || began.elapsed() > PATIENCE / 3 {
                break (often, without);
            }
            sleep(Duration::from_millis(200)).await;
        };
        self.report.check(format!("moved more than once by one order: {often:?}"), often.is_empty());
        self.report.check(format!("called done without a report of the new position: {without:?}"), without.is_empty());

        let mut packets: HashMap<String, usize> = HashMap::new();
        for (_, payload) in messages {
            if let Some(Ok(order)) = Payload::decode(payload).ok().as_ref().and_then(Order::decode)
                && matches!(order.action.as_str(), "DIRECT" | "EXECUTE")
            {
                *packets.entry(order.id.to_string()).or_default() += 1;
            }
        }
        // The api publishes each command once, and `double` repeats it at most once.
        let again: Vec<&String> = packets.iter().filter(|(_, times)| **times > 2).map(|(id, _)| id).take(5).collect();
        let doubled = packets.values().filter(|times| **times == 2).count();
        self.report.check(
            format!("{} orders left, {doubled} doubled here; sent again: {again:?}", packets.len()),
            again.is_empty() && doubled > 0,
        );
        Ok(())
    }

    /// P20: a command that is late, retained, replayed, or from another boot or signer operates nothing.
    pub(super) async fn none_late(mut self) -> anyhow::Result<Report> {
        let recorder = Recorder::record(&self.site.broker.url(), &format!("spBv1.0/{GROUP}/DCMD/#")).await?;
        let publisher = PlainPublisher::connect(&self.site.broker.url(), "somebody").await?;
        let rounds = if self.short { 1 } else { 10 };
        for _ in 0..rounds {
            self.late_over_a_frozen_link().await?;
            self.injected(&recorder, &publisher).await?;
            if !self.short {
                self.gateway_begins_anew(&recorder, &publisher).await?;
            }
        }
        if !self.short {
            kill(&mut self.site, "broker", Duration::from_secs(1)).await?;
            self.ready().await?;
        }
        let kept = self.kept().await?;
        self.report.check(format!("the broker has kept for gateways: {kept:?}"), kept.is_empty());
        publisher.leave().await;
        drop(recorder.stop().await);
        self.until_over().await?;
        let client = self.site.sql().await?;
        let silent = "SELECT count(*) FROM command c WHERE state IN ('REFUSED', 'NO_FEEDBACK', 'UNKNOWN', 'EXPIRED')
            AND NOT EXISTS (SELECT FROM audit WHERE action = 'command_state' AND subject = 'command ' || c.id)";
        let silent: i64 = client.query_one(silent, &[]).await?.get(0);
        self.report.check(format!("that ended badly and are not in the audit: {silent}"), silent == 0);
        Ok(self.report)
    }

    fn any(&mut self) -> Breaker {
        self.breakers.choose(&mut self.random).cloned().unwrap_or_else(|| self.breakers[0].clone())
    }

    /// A command waits in a frozen link until it has expired.
    async fn late_over_a_frozen_link(&mut self) -> anyhow::Result<()> {
        let breaker = self.any();
        let stood = until_operable(&self.site, &self.token, &breaker, PATIENCE).await?;
        let before = begun(&self.site)?.len();
        self.site.links["field/broker"].set(Fault::Frozen);
        let order = breaker.order("directOperate", stood, 3 - stood);
        let key = format!("late-{}", self.random.random::<u64>());
        let port = self.site.service("api")?.port();
        let (status, answer) = call_json(port, "POST", "/api/digiops", &self.token, &key, &order).await.unwrap_or_default();
        let state =
            [&answer["result"]["state"], &answer["result"]["command"]["state"]].into_iter().find_map(Value::as_str).unwrap_or("none");
        let left = ["SENT", "NO_FEEDBACK", "UNKNOWN"].contains(&state);
        self.report.check(format!("with the gateway's link frozen an order is answered {status} {state}"), left);
        // A command is valid for five seconds from its decision; one more second is a margin.
        sleep(Duration::from_secs(6)).await;
        self.site.links["field/broker"].set(Fault::None);
        let stands = until_operable(&self.site, &self.token, &breaker, PATIENCE).await?;
        let acted = begun(&self.site)?.len() - before;
        self.report.check(
            format!("delivered after its time: {acted} acted upon, it stood at {stood} and stands at {stands}"),
            acted == 0 && stands == stood,
        );
        Ok(())
    }

    /// Gives a valid command and records its message, from which the callers make invalid ones.
    async fn overheard(&mut self, recorder: &Recorder) -> anyhow::Result<(Breaker, Order, String)> {
        let breaker = self.any();
        let stood = until_operable(&self.site, &self.token, &breaker, PATIENCE).await?;
        let received = recorder.so_far().len();
        let order = breaker.order("directOperate", stood, 3 - stood);
        let key = format!("good-{}", self.random.random::<u64>());
        let port = self.site.service("api")?.port();
        let answered = call_json(port, "POST", "/api/digiops", &self.token, &key, &order).await;
        anyhow::ensure!(answered.as_ref().is_some_and(|(status, _)| *status == 200), "a good order: {answered:?}");
        until_operable(&self.site, &self.token, &breaker, PATIENCE).await?;
        let began = Instant::now();
        loop {
            let of_this = recorder.so_far().into_iter().skip(received).find_map(|(topic, payload)| {
                let order = Order::decode(&Payload::decode(&payload).ok()?)?.ok()?;
                Some((topic, order))
            });
            if let Some((topic, order)) = of_this {
                return Ok((breaker, order, topic));
            }
            anyhow::ensure!(began.elapsed() < PATIENCE, "the order was not overheard");
            sleep(Duration::from_millis(20)).await;
        }
    }

    async fn injected(&mut self, recorder: &Recorder, publisher: &PlainPublisher) -> anyhow::Result<()> {
        let (breaker, good, topic) = self.overheard(recorder).await?;
        // The switch has moved, so the next command starts from its current position.
        let back = Order { id: self.fresh(), from: good.target, target: good.from, expires_at: now_ms() + 4_000, ..good.clone() };
        let epoch = good.seal.as_ref().map_or(0, |seal| seal.epoch);
        let device = topic.rsplit('/').next().unwrap_or_default().to_owned();
        let signed = |order: Order, key: [u8; 32], epoch: u64| {
            let bytes = order.signed(GROUP, &breaker.node, &device, epoch);
            Order { seal: Some(Seal { epoch, signature: crate::site::sign(key, &bytes) }), ..order }
        };
        let own = crate::site::SIGNING_KEY;
        let made: [(&str, Order, bool); 7] = [
            ("replayed", good.clone(), false),
            ("unsigned", Order { seal: None, ..back.clone() }, false),
            ("signed by another hand", signed(back.clone(), [8; 32], epoch), false),
            ("of another boot", signed(back.clone(), own, epoch.wrapping_add(1)), false),
            ("changed after it was signed", Order { expires_at: back.expires_at + 1, ..signed(back.clone(), own, epoch) }, false),
            ("expired", signed(Order { expires_at: now_ms() - 1, ..back.clone() }, own, epoch), false),
            ("valid for too long", signed(Order { expires_at: now_ms() + 60_000, ..back.clone() }, own, epoch), false),
        ];
        let before = begun(&self.site)?.len();
        let stood = until_operable(&self.site, &self.token, &breaker, PATIENCE).await?;
        for (name, order, retain) in made {
            publisher.order(&topic, Bytes::from(order.encode(now_ms()).encode()), retain).await?;
            self.quiet(&breaker).await?;
            let (acted, stands) = (begun(&self.site)?.len() - before, until_operable(&self.site, &self.token, &breaker, PATIENCE).await?);
            self.report
                .check(format!("{name}: {acted} acted upon, it stood at {stood} and stands at {stands}"), acted == 0 && stands == stood);
        }
        Ok(())
    }

    /// Gives a restarted gateway a command from before its restart: once retained by the broker, and once replayed. It must not operate.
    async fn gateway_begins_anew(&mut self, recorder: &Recorder, publisher: &PlainPublisher) -> anyhow::Result<()> {
        let (breaker, good, topic) = self.overheard(recorder).await?;
        let before = begun(&self.site)?.len();
        let payload = Bytes::from(good.encode(now_ms()).encode());
        publisher.order(&topic, payload.clone(), true).await?;
        kill(&mut self.site, "simulate", Duration::from_millis(300)).await?;
        let stands = until_operable(&self.site, &self.token, &breaker, PATIENCE).await?;
        publisher.order(&topic, payload, false).await?;
        self.quiet(&breaker).await?;
        let after = until_operable(&self.site, &self.token, &breaker, PATIENCE).await?;
        // An empty retained message removes the retained one.
        publisher.order(&topic, Bytes::new(), true).await?;
        let acted = begun(&self.site)?.len().saturating_sub(before);
        self.report.check(
            format!("kept by the broker over a restart of the gateway, and replayed: {acted} acted upon"),
            acted == 0 && after == stands,
        );
        Ok(())
    }

    /// Waits until the gateway has processed all earlier messages: it processes them in order and answers a new selection.
    async fn quiet(&mut self, breaker: &Breaker) -> anyhow::Result<()> {
        let stands = until_operable(&self.site, &self.token, breaker, PATIENCE).await?;
        let port = self.site.service("api")?.port();
        for flag in ["isSelect", "isCancel"] {
            let key = format!("quiet-{}", self.random.random::<u64>());
            let answered = call_json(port, "POST", "/api/digiops", &self.token, &key, &breaker.order(flag, stands, 3 - stands)).await;
            anyhow::ensure!(answered.as_ref().is_some_and(|(status, _)| *status == 200), "{flag}: {answered:?}");
        }
        Ok(())
    }

    /// Returns the retained messages on the topics of commands, as a new subscriber receives them.
    async fn kept(&self) -> anyhow::Result<Vec<String>> {
        let listening = Recorder::record(&self.site.broker.url(), &format!("spBv1.0/{GROUP}/+/#")).await?;
        let began = Instant::now();
        // Retained messages arrive first. Telemetry arrives every second, so its first message ends the retained ones.
        while !listening.so_far().iter().any(|(topic, _)| topic.contains("/DDATA/")) {
            anyhow::ensure!(began.elapsed() < PATIENCE, "nothing is heard");
            sleep(Duration::from_millis(50)).await;
        }
        let kept = listening.kept();
        drop(listening.stop().await);
        Ok(kept)
    }

    fn fresh<I: std::str::FromStr>(&mut self) -> I
    where
        I::Err: std::fmt::Debug,
    {
        let random = self.random.random::<u128>();
        let hex = format!("{random:032x}");
        let text = format!("{}-{}-4{}-8{}-{}", &hex[..8], &hex[8..12], &hex[13..16], &hex[17..20], &hex[20..]);
        text.parse().expect("eight, four, four, four and twelve hexadecimal digits are a UUID")
    }

    /// P16 for control: setting a wall clock extends no selection, and no selection leads to an operation.
    pub(super) async fn over_set_clocks(mut self) -> anyhow::Result<Report> {
        let services: &[&str] = if self.short { &["api"] } else { &["api", "ingest1", "simulate"] };
        let clocks: &[(&str, &str)] = if self.short {
            &[("ten minutes back", "-600")]
        } else {
            &[("an hour ahead", "+3600"), ("ten minutes back", "-600"), ("fast by half", "+0 x1.5")]
        };
        let client = self.site.sql().await?;
        for service in services {
            for (word, clock) in clocks {
                let breaker = self.any();
                let stands = until_operable(&self.site, &self.token, &breaker, PATIENCE).await?;
                let port = self.site.service("api")?.port();
                let key = format!("clock-{}", self.random.random::<u64>());
                let order = breaker.order("isSelect", stands, 3 - stands);
                let selected = Instant::now();
                let answered = call_json(port, "POST", "/api/digiops", &self.token, &key, &order).await;
                let state = answered.as_ref().map(|(_, body)| body["result"]["state"].clone()).unwrap_or_default();
                anyhow::ensure!(state == "SELECTED", "{answered:?}");
                self.site.set_clock(service, clock)?;
                let open = "SELECT count(*) FROM reservation WHERE released IS NULL AND point_id = $1";
                while client.query_one(open, &[&breaker.point]).await?.get::<_, i64>(0) > 0 && selected.elapsed() < Duration::from_secs(30)
                {
                    sleep(Duration::from_millis(50)).await;
                }
                let held = selected.elapsed();
                // Five seconds, and a margin for the database and a busy machine.
                let what = format!("a selection of 5 s ended after {held:.1?}, with {service} {word}");
                self.report.figure(what, held < Duration::from_millis(6_500));
                self.report.check(format!("it did end, with {service} {word}"), held < Duration::from_secs(30));
                self.site.set_clock(service, "+0")?;
                // `libfaketime` reads its file once per second.
                sleep(Duration::from_millis(1_500)).await;
                until_operable(&self.site, &self.token, &breaker, PATIENCE).await?;
            }
        }
        let acted = begun(&self.site)?.len();
        self.report.check(format!("{acted} movements, and nobody ordered one"), acted == 0);
        Ok(self.report)
    }
}

/// Repeats every third command message at once, as a broker or a network may do.
async fn double(url: String) -> anyhow::Result<()> {
    let (mut received, mut reported) = (0, HashSet::new());
    let publisher = PlainPublisher::connect(&url, "doubler").await?;
    let recorder = Recorder::record_as(&url, &format!("spBv1.0/{GROUP}/DCMD/#"), "doubler-recorder").await?;
    loop {
        let messages = recorder.so_far();
        for (topic, payload) in messages.iter().skip(received) {
            let Some(Ok(order)) = Payload::decode(payload).ok().as_ref().and_then(Order::decode) else { continue };
            // Its own words come back to it.
            if reported.insert((order.id.to_string(), order.action.as_str())) && reported.len() % 3 == 0 {
                let _ = publisher.order(topic, payload.clone(), false).await;
            }
        }
        received = messages.len();
        sleep(Duration::from_millis(5)).await;
    }
}
