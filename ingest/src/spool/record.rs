//! The format of a batch in the spool: separate row types in postcard, so that changes of the domain types do not
//! affect files on disk.

use grid::{ClientId, GatewayId, LinkOrder, Micros, Ordinal, PointId, Quality, Reading, Term};
use serde::{Deserialize, Serialize};
use store::writer::{Batch, DeadLetter, DeviceMark, Doubt, GatewayCount, GatewayMark, NewEvent, Sample};

/// The first byte of a record, the number of its layout. Layout 1 has no counts. Layouts 1 and 2 have no order of link states. In layouts 1 to 3, each link
/// state is a change. Layouts 1 to 4 have no doubts.
const LAYOUT: u8 = 5;
const UNDOUBTED: u8 = 4;
const UNCONFIRMED: u8 = 3;
const UNORDERED: u8 = 2;
const UNCOUNTED: u8 = 1;

/// A record that this release cannot read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a spooled record is not readable")]
pub struct Unreadable;

#[derive(Serialize, Deserialize)]
struct Record {
    samples: Vec<(At, bool)>,
    events: Vec<(At, i16)>,
    dead: Vec<Dead>,
    gateways: Vec<(i64, Option<bool>, i64)>,
    devices: Vec<(i64, String, bool, i64)>,
}

/// Term and count of each gateway's and of each device's link state, in their order in the record.
type Orders = (Vec<(i64, i64)>, Vec<(i64, i64)>);

/// The counts of a gateway.
#[derive(Serialize, Deserialize)]
struct Count {
    gateway: i64,
    at: i64,
    taken: i64,
    late: i64,
    missing: i64,
    skew_ms: Option<i64>,
    heard: bool,
}

/// A reading of a point.
#[derive(Serialize, Deserialize)]
struct At {
    point: i64,
    client: i64,
    value: Option<f64>,
    quality: u8,
    source: i64,
    received: i64,
    epoch: i64,
    seq: i64,
}

#[derive(Serialize, Deserialize)]
struct Dead {
    client: Option<i64>,
    topic: String,
    reason: String,
    detail: String,
    payload: Vec<u8>,
    received: i64,
}

impl At {
    fn new(point: PointId, client: ClientId, reading: &Reading) -> Self {
        Self {
            point: point.0,
            client: client.0,
            value: reading.value,
            quality: reading.quality.code(),
            source: reading.source.0,
            received: reading.received.0,
            epoch: reading.ordinal.epoch,
            seq: reading.ordinal.seq,
        }
    }

    fn read(self) -> Result<(PointId, ClientId, Reading), Unreadable> {
        let reading = Reading {
            value: self.value,
            quality: Quality::from_code(self.quality).ok_or(Unreadable)?,
            source: Micros(self.source),
            received: Micros(self.received),
            ordinal: Ordinal { epoch: self.epoch, seq: self.seq },
        };
        Ok((PointId(self.point), ClientId(self.client), reading))
    }
}

/// Encodes a batch.
pub fn encode(batch: &Batch) -> Vec<u8> {
    let record = Record {
        samples: batch.samples.iter().map(|sample| (At::new(sample.point, sample.client, &sample.reading), sample.historical)).collect(),
        events: batch.events.iter().map(|event| (At::new(event.point, event.client, &event.reading), event.index)).collect(),
        dead: batch.dead.iter().map(dead).collect(),
        gateways: batch.gateways.iter().map(|mark| (mark.gateway.0, mark.online, mark.at.0)).collect(),
        devices: batch.devices.iter().map(|mark| (mark.gateway.0, mark.device.clone(), mark.online, mark.at.0)).collect(),
    };
    // Encoding to memory cannot fail for these types.
    let counts: Vec<Count> = batch.counts.iter().map(counted).collect();
    let pair = |order: LinkOrder| (order.term.0, order.count);
    let orders: Orders =
        (batch.gateways.iter().map(|mark| pair(mark.order)).collect(), batch.devices.iter().map(|mark| pair(mark.order)).collect());
    let entered: Vec<bool> = batch.gateways.iter().map(|mark| mark.entered).collect();
    let doubts: Vec<At> = batch.doubts.iter().map(|doubt| At::new(doubt.point, doubt.client, &doubt.reading)).collect();
    postcard::to_extend(&record, vec![LAYOUT])
        .and_then(|bytes| postcard::to_extend(&counts, bytes))
        .and_then(|bytes| postcard::to_extend(&orders, bytes))
        .and_then(|bytes| postcard::to_extend(&entered, bytes))
        .and_then(|bytes| postcard::to_extend(&doubts, bytes))
        .unwrap_or_default()
}

fn counted(count: &GatewayCount) -> Count {
    let GatewayCount { gateway, at, taken, late, missing, skew_ms, heard } = *count;
    Count { gateway: gateway.0, at: at.0, taken, late, missing, skew_ms, heard }
}

fn dead(letter: &DeadLetter) -> Dead {
    Dead {
        client: letter.client.map(|client| client.0),
        topic: letter.topic.clone(),
        reason: letter.reason.clone(),
        detail: letter.detail.clone(),
        payload: letter.payload.clone(),
        received: letter.received.0,
    }
}

/// Decodes a batch.
pub fn decode(bytes: &[u8]) -> Result<Batch, Unreadable> {
    let Some((&layout @ (UNCOUNTED | UNORDERED | UNCONFIRMED | UNDOUBTED | LAYOUT), body)) = bytes.split_first() else {
        return Err(Unreadable);
    };
    let (record, rest): (Record, &[u8]) = postcard::take_from_bytes(body).map_err(|_| Unreadable)?;
    let (counts, rest): (Vec<Count>, &[u8]) =
        if layout == UNCOUNTED { (Vec::new(), rest) } else { postcard::take_from_bytes(rest).map_err(|_| Unreadable)? };
    let ((gateways, devices), rest): (Orders, &[u8]) =
        if layout >= UNCONFIRMED { postcard::take_from_bytes(rest).map_err(|_| Unreadable)? } else { (Orders::default(), rest) };
    let (entered, rest): (Vec<bool>, &[u8]) =
        if layout >= UNDOUBTED { postcard::take_from_bytes(rest).map_err(|_| Unreadable)? } else { (Vec::new(), rest) };
    let doubts: Vec<At> = if layout >= LAYOUT { postcard::from_bytes(rest).map_err(|_| Unreadable)? } else { Vec::new() };
    // A link state without an order is older than any with one.
    let order = |orders: &[(i64, i64)], at: usize| {
        orders.get(at).map_or_else(LinkOrder::default, |&(term, count)| LinkOrder { term: Term(term), count })
    };
    let count = |Count { gateway, at, taken, late, missing, skew_ms, heard }: Count| GatewayCount {
        gateway: GatewayId(gateway),
        at: Micros(at),
        taken,
        late,
        missing,
        skew_ms,
        heard,
    };
    let sample = |(at, historical): (At, bool)| {
        at.read().map(|(point, client, reading)| Sample { point, client, reading, historical, repeated: false })
    };
    let event = |(at, index): (At, i16)| at.read().map(|(point, client, reading)| NewEvent { point, client, index, reading });
    let doubt = |at: At| at.read().map(|(point, client, reading)| Doubt { point, client, reading });
    let letter = |dead: Dead| DeadLetter {
        client: dead.client.map(ClientId),
        topic: dead.topic,
        reason: dead.reason,
        detail: dead.detail,
        payload: dead.payload,
        received: Micros(dead.received),
    };
    Ok(Batch {
        samples: record.samples.into_iter().map(sample).collect::<Result<_, _>>()?,
        events: record.events.into_iter().map(event).collect::<Result<_, _>>()?,
        dead: record.dead.into_iter().map(letter).collect(),
        doubts: doubts.into_iter().map(doubt).collect::<Result<_, _>>()?,
        gateways: record
            .gateways
            .into_iter()
            .enumerate()
            .map(|(place, (id, online, at))| GatewayMark {
                gateway: GatewayId(id),
                online,
                at: Micros(at),
                order: order(&gateways, place),
                entered: entered.get(place).copied().unwrap_or(true),
            })
            .collect(),
        devices: record
            .devices
            .into_iter()
            .enumerate()
            .map(|(place, (id, device, online, at))| DeviceMark {
                gateway: GatewayId(id),
                device,
                online,
                at: Micros(at),
                order: order(&devices, place),
            })
            .collect(),
        counts: counts.into_iter().map(count).collect(),
    })
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;

    fn reading() -> impl Strategy<Value = Reading> {
        let value = proptest::option::of(any::<f64>().prop_filter("a stored value is a number", |value| value.is_finite()));
        (value, 0..7_u8, any::<i64>(), any::<i64>(), any::<i64>(), any::<i64>()).prop_map(
            |(value, quality, source, received, epoch, seq)| Reading {
                value,
                quality: Quality::from_code(quality).unwrap(),
                source: Micros(source),
                received: Micros(received),
                ordinal: Ordinal { epoch, seq },
            },
        )
    }

    /// An arbitrary batch.
    pub(in crate::spool) fn batch() -> impl Strategy<Value = Batch> {
        let sample = (any::<i64>(), any::<i64>(), reading(), any::<bool>()).prop_map(|(point, client, reading, historical)| Sample {
            point: PointId(point),
            client: ClientId(client),
            reading,
            historical,
            repeated: false,
        });
        let event = (any::<i64>(), any::<i64>(), any::<i16>(), reading()).prop_map(|(point, client, index, reading)| NewEvent {
            point: PointId(point),
            client: ClientId(client),
            index,
            reading,
        });
        let doubt = (any::<i64>(), any::<i64>(), reading()).prop_map(|(point, client, reading)| Doubt {
            point: PointId(point),
            client: ClientId(client),
            reading,
        });
        let dead = (proptest::option::of(any::<i64>()), any::<String>(), any::<String>(), any::<Vec<u8>>(), any::<i64>()).prop_map(
            |(client, topic, detail, payload, received)| DeadLetter {
                client: client.map(ClientId),
                topic,
                reason: "malformed".into(),
                detail,
                payload,
                received: Micros(received),
            },
        );
        let order = || (any::<i64>(), any::<i64>()).prop_map(|(term, count)| LinkOrder { term: Term(term), count });
        let mark = (any::<i64>(), any::<Option<bool>>(), any::<i64>(), order(), any::<bool>());
        let gateway = mark.prop_map(|(id, online, at, order, entered)| GatewayMark {
            gateway: GatewayId(id),
            online,
            at: Micros(at),
            order,
            entered,
        });
        let device = (any::<i64>(), any::<String>(), any::<bool>(), any::<i64>(), order())
            .prop_map(|(id, device, online, at, order)| DeviceMark { gateway: GatewayId(id), device, online, at: Micros(at), order });
        let numbers = (any::<i64>(), any::<i64>(), any::<i64>(), any::<i64>(), any::<i64>());
        let count = (numbers, any::<Option<i64>>(), any::<bool>()).prop_map(|((id, at, taken, late, missing), skew_ms, heard)| {
            GatewayCount { gateway: GatewayId(id), at: Micros(at), taken, late, missing, skew_ms, heard }
        });
        let few = || 0..5_usize;
        (
            proptest::collection::vec(sample, few()),
            proptest::collection::vec(event, few()),
            proptest::collection::vec(dead, few()),
            proptest::collection::vec(gateway, few()),
            proptest::collection::vec(device, few()),
            proptest::collection::vec(count, few()),
            proptest::collection::vec(doubt, few()),
        )
            .prop_map(|(samples, events, dead, gateways, devices, counts, doubts)| Batch {
                samples,
                events,
                dead,
                doubts,
                gateways,
                devices,
                counts,
            })
    }

    proptest! {
        #[test]
        fn a_batch_is_read_as_it_was_written(batch in batch()) {
            prop_assert_eq!(decode(&encode(&batch)), Ok(batch));
        }

        #[test]
        fn bytes_of_any_kind_are_read_or_refused(bytes in any::<Vec<u8>>()) {
            let _ = decode(&bytes);
        }
    }

    #[test]
    fn a_record_of_the_release_before_is_read() {
        let mark = GatewayMark {
            gateway: GatewayId(7),
            online: Some(true),
            at: Micros(9),
            order: LinkOrder { term: Term(3), count: 4 },
            entered: true,
        };
        let mut bytes = encode(&Batch { gateways: vec![mark], ..Batch::default() });
        let unordered = Batch { gateways: vec![GatewayMark { order: LinkOrder::default(), ..mark }], ..Batch::default() };
        // The record ends with the number of doubts, whether each state is a change, and the orders: one of a gateway, none of a device.
        assert_eq!(bytes.pop(), Some(0));
        bytes[0] = UNDOUBTED;
        assert_eq!(decode(&bytes), Ok(Batch { gateways: vec![mark], ..Batch::default() }));
        bytes.truncate(bytes.len() - 2);
        bytes[0] = UNCONFIRMED;
        assert_eq!(decode(&bytes), Ok(Batch { gateways: vec![mark], ..Batch::default() }));
        bytes.truncate(bytes.len() - 4);
        bytes[0] = UNORDERED;
        assert_eq!(decode(&bytes), Ok(unordered.clone()));
        bytes[0] = UNCOUNTED;
        // An empty list of counts is its length, 0.
        assert_eq!(bytes.pop(), Some(0));
        assert_eq!(decode(&bytes), Ok(unordered));
    }

    #[test]
    fn another_layout_is_refused() {
        let mut bytes = encode(&Batch::default());
        bytes[0] = LAYOUT + 1;
        assert_eq!(decode(&bytes), Err(Unreadable));
    }
}
