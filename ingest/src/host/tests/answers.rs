//! Tests that answers to commands are published on the bus and are neither stored nor discovered.

use super::*;

fn answer_metrics(id: &str, state: &str, cause: i32) -> Vec<Metric> {
    let text = |name: &str, text: &str| Metric::new(format!("F3CB/Oper/{name}"), MetricValue::Text(text.into()));
    vec![text("AckCmdId", id), text("State", state), Metric::new("F3CB/Oper/AddCause", MetricValue::Int32(cause))]
}

/// A command answer: utility, gateway, device, asset, command, state and AddCause.
type StatusSource<'a> = (i64, i64, &'a str, &'a str, &'a str, &'a str, Option<i64>);

fn answers(out: &Out) -> Vec<StatusSource<'_>> {
    out.live
        .iter()
        .filter_map(|message| match message {
            BusMessage::CommandAnswer { client, gateway, device, asset, command, state, add_cause, .. } => {
                Some((*client, *gateway, device.as_str(), asset.as_str(), command.as_str(), state.as_str(), *add_cause))
            }
            _ => None,
        })
        .collect()
}

fn stored(out: &Out) -> usize {
    out.parcels.iter().map(|parcel| parcel.rows.samples.len() + parcel.rows.events.len() + parcel.rows.dead.len()).sum()
}

#[test]
fn an_answer_goes_to_the_bus_alone_and_the_position_beside_it_is_stored() {
    let mut host = host();
    born_with_outbox(&mut host);
    let mut metrics = answer_metrics("id-1", "REFUSED", 10);
    metrics.push(switch(2, 6));
    let out = take(&mut host, DDATA, 1, boxed(1, 0, false, metrics), 10);
    assert_eq!(answers(&out), [(1, 5, "F3", "F3CB", "id-1", "REFUSED", Some(10))]);
    assert!(out.discoveries.is_empty() && dead(&out).is_empty());
    assert_eq!(stored(&out), 2, "the position as sample and event");
}

#[test]
fn births_late_answers_and_those_of_other_utilities_are_none() {
    let mut host = host();
    born_with_outbox(&mut host);
    let mut declared = answer_metrics("id-0", "TERMINATED", 0);
    declared.push(Metric::new("F3CB/Oper/CtlVal", MetricValue::Int32(1)));
    declared.push(number("F3CB/Oper/ExpiresAt", 5));
    let out = take(&mut host, DBIRTH, 1, declared, 5);
    assert!(answers(&out).is_empty() && out.discoveries.is_empty() && stored(&out) == 0, "{out:?}");
    let out = take(&mut host, DDATA, 2, boxed(1, 0, true, answer_metrics("id-1", "ACCEPTED", 0)), 10);
    assert!(answers(&out).is_empty() && stored(&out) == 0, "{out:?}");
    let out = take(&mut host, "spBv1.0/OTHER/DDATA/RTU/F3", 1, answer_metrics("id-1", "ACCEPTED", 0), 10);
    assert!(answers(&out).is_empty(), "no utility has this code: {out:?}");
    let out = take(&mut host, "spBv1.0/APDL/DDATA/STRANGER/F3", 1, answer_metrics("id-1", "ACCEPTED", 0), 10);
    assert!(answers(&out).is_empty(), "a gateway that nobody knows: {out:?}");
}

#[test]
fn half_an_answer_is_none_and_too_many_are_cut() {
    let mut host = host();
    let out = take(&mut host, DDATA, 1, answer_metrics("id-1", "ACCEPTED", 0)[..1].to_vec(), 10);
    assert!(answers(&out).is_empty());
    let many = (0..100).flat_map(|n| {
        let text = |name: &str| Metric::new(format!("A{n}/Oper/{name}"), MetricValue::Text("x".into()));
        [text("AckCmdId"), text("State")]
    });
    let out = take(&mut host, DDATA, 2, many.collect(), 10);
    assert_eq!(answers(&out).len(), 64);
}

#[test]
fn what_belongs_into_signed_orders_is_told_at_birth_and_again() {
    let epochs = |out: &Out| -> Vec<u64> {
        let epoch = |message: &BusMessage| if let BusMessage::CommandEpoch { epoch, .. } = message { Some(*epoch) } else { None };
        out.live.iter().filter_map(epoch).collect()
    };
    let mut host = host();
    let birth = |bd_seq: u64, epoch: Option<u64>| {
        let mut metrics = vec![number(BD_SEQ, bd_seq)];
        metrics.extend(epoch.map(|epoch| number("Node Control/CommandEpoch", epoch)));
        metrics
    };
    let out = take(&mut host, NBIRTH, 0, birth(0, Some(77)), 0);
    assert!(epochs(&out).is_empty(), "its device is not born yet");
    assert_eq!(epochs(&take(&mut host, DBIRTH, 1, vec![], 0)), [77]);
    let mut ticked = |millis: i64| {
        let mut out = Out::default();
        host.tick(at(millis), &mut out);
        epochs(&out)
    };
    assert_eq!((ticked(5_000), ticked(6_000), ticked(10_000)), (vec![77], vec![], vec![77]));
    let out = take(&mut host, NBIRTH, 0, birth(1, None), 11_000);
    assert!(epochs(&out).is_empty(), "it wants none any more");
    assert!(out.live.iter().any(|message| matches!(message, BusMessage::Gateway { online: false, .. })), "another connection of it");
}
