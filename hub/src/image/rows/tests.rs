//! Cost of a full table: one frame per window for all subscribers, however many cells change, and nothing without
//! subscribers.

use std::sync::Arc;
use std::time::Duration;

use grid::measure::Quantity;
use grid::point::kind_of_code;
use grid::{ClientId, GatewayId, Micros, Ordinal, Point, PointId, Quality, Reading, Shard};
use serde_json::Value;
use store::Registry;
use store::registry::{AssetRecord, GatewayRecord};

use super::*;
use crate::frame::{Frame, Post};
use crate::outbox::Outbox;
use crate::room::Room;
use crate::table::Use;

const FEEDERS: i64 = 400;
const CODES: [&str; 20] =
    ["Ir", "Iy", "Ib", "Vr", "Vy", "Vb", "Pr", "Py", "Pb", "P", "Qr", "Qy", "Qb", "Q", "Sr", "Sy", "Sb", "S", "Pf", "Hz"];
const LOCATION: NodeId = NodeId(6);

fn substation() -> NodeRecord {
    NodeRecord {
        id: LOCATION,
        client: ClientId(1),
        level: Level::Substation,
        parent: None,
        code: "S".into(),
        name: "S".into(),
        kv: None,
        lat: None,
        lon: None,
        drawing_stored: None,
        path: vec![LOCATION],
    }
}

fn feeder(id: i64) -> AssetRecord {
    AssetRecord {
        id: AssetId(id),
        client: ClientId(1),
        location: LOCATION,
        code: format!("F{id}"),
        name: format!("Feeder {id}"),
        type_id: 1,
        class_name: "feeder".into(),
        device: format!("F{id}"),
        kv: None,
        customers: 0,
        customers_known: false,
        control_asset_req: false,
        is_sbo_supported: false,
        feeds: None,
    }
}

fn image() -> Image {
    let client = ClientId(1);
    let point = |id: i64| {
        let (asset, code) = (id / CODES.len() as i64, CODES[id as usize % CODES.len()]);
        let quantity = Quantity::of_code(code);
        Point {
            id: PointId(id),
            client,
            gateway: GatewayId(1),
            device: format!("F{asset}"),
            metric: format!("F{asset}/{code}"),
            code: code.into(),
            asset: AssetId(asset),
            asset_name: format!("Feeder {asset}"),
            asset_type: 1,
            location: LOCATION,
            kind: kind_of_code(code),
            quantity,
            unit: quantity.unit().into(),
            decimals: quantity.decimals(),
            scale: 1.0,
            expected_ms: Some(1_000),
        }
    };
    let gateway = GatewayRecord {
        id: GatewayId(1),
        client,
        code: "RTU".into(),
        name: "RTU".into(),
        location: LOCATION,
        online: true,
        since: Some(Micros(1)),
        order: grid::LinkOrder::default(),
        last_seen: None,
        discovered: false,
    };
    let mut image = Image::default();
    image.set_leases(vec![grid::Lease { shard: Shard::default(), since: grid::LinkOrder::default() }]);
    let points = (0..FEEDERS * CODES.len() as i64).map(point).collect();
    let registry = Registry {
        nodes: vec![substation()],
        assets: (0..FEEDERS).map(feeder).collect(),
        points,
        gateways: vec![gateway],
        ..Registry::default()
    };
    let links = registry.links();
    image.describe(Arc::new(registry.into()));
    for (gateway, link) in links.gateways {
        image.set_link(gateway, link);
    }
    image
}

/// Changes the value of every point.
fn all_change(image: &mut Image, moment: i64) {
    for id in 0..FEEDERS * CODES.len() as i64 {
        let at = Micros::from_millis(moment);
        let reading = Reading {
            value: Some((id + moment) as f64 * 0.01),
            quality: Quality::Good,
            source: at,
            received: at,
            ordinal: Ordinal::default(),
        };
        assert!(image.take(PointId(id), reading, at));
    }
}

fn mark(image: &Image, room: &mut Room) {
    for id in 0..FEEDERS * CODES.len() as i64 {
        let uses = image.tables.uses(PointId(id));
        assert!(uses.contains(&Use::Table(Table::Energy)));
        room.mark_row(id / CODES.len() as i64, false);
    }
}

#[test]
fn eight_thousand_cells_are_one_frame_for_all_who_look() {
    let mut image = image();
    all_change(&mut image, 1_000);
    let stream = Stream::Table(Table::Energy, Scope::Node(LOCATION));
    let mut room = Room::new("energy/location/6".into(), stream, "e".into(), 0);
    let outboxes: Vec<Arc<Outbox>> = (0..3).map(|_| Arc::new(Outbox::new(16 << 20, Duration::from_mins(1)))).collect();
    let snapshot: Value = serde_json::from_str(room.snapshot(&image).expect("a picture").get()).expect("JSON");
    assert_eq!((snapshot["rows"].as_array().map(Vec::len), snapshot["columns"].as_array().map(Vec::len)), (Some(400), Some(22)));
    for (id, outbox) in outboxes.iter().enumerate() {
        room.join(id as u64, outbox.clone());
    }
    mark(&image, &mut room);
    assert_eq!(room.flush(&image), 0, "everybody has these rows");
    all_change(&mut image, 2_000);
    mark(&image, &mut room);
    assert_eq!(room.flush(&image), outboxes.len(), "one frame each");
    for outbox in &outboxes {
        let frames: Vec<Frame> = outbox.take(usize::MAX).into_iter().flat_map(Post::frames).collect();
        let [Frame::Text(text)] = &frames[..] else { panic!("one: {}", frames.len()) };
        let event: Value = serde_json::from_str(text.as_str().trim_start_matches("42/live,")).expect("JSON");
        let rows = event[1]["rows"].as_array().expect("rows");
        assert_eq!((rows.len(), &event[1]["from"], &event[1]["offset"]), (400, &0.into(), &1.into()));
        assert!(rows.iter().all(|row| row["reportedDateTime"] == "1970-01-01T00:00:02.000Z"));
    }
    mark(&image, &mut room);
    assert_eq!((room.flush(&image), room.top()), (0, 1), "the same again does not leave");
    image.set_link(
        GatewayId(1),
        grid::LinkState { online: false, since: Micros(2), order: grid::LinkOrder { term: grid::Term(1), count: 2 } },
    );
    mark(&image, &mut room);
    assert_eq!((room.flush(&image), room.top()), (outboxes.len(), 2), "behind a dead link they are others");
}
