//! Commands to switches and their answers, as metrics of a DCMD and of DDATA (docs/reference/mqtt.md, Commands to a
//! gateway).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use grid::control::{Action, AddCause, CommandId, GatewayAnswer, Throw};

use crate::sparkplug::{DataType, Metric, MetricValue, Payload};
use crate::topic::NAME_LIMIT;

/// Metric in the NBIRTH of a gateway that requires signatures: a number that is new at each boot and part of the signed
/// content.
pub const COMMAND_EPOCH: &str = "Node Control/CommandEpoch";

/// A command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    /// The asset within the device.
    pub asset: String,
    /// The command id. A select has a new id, an execute or cancel the id of its select, a direct operate a new one.
    pub id: CommandId,
    /// Select, execute, cancel or direct operate.
    pub action: Action,
    /// The target position.
    pub target: Throw,
    /// The expected current position; the gateway refuses the command if it differs.
    pub from: Throw,
    /// The user who issued the command, for the gateway's log.
    pub operator: String,
    /// The gateway refuses the command from this time on, epoch ms.
    pub expires_at: u64,
    /// The signature, for a gateway that requires one.
    pub seal: Option<Seal>,
}

/// Proves that the owner of the key issued the command. It is valid only until the next boot of the gateway.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seal {
    /// The [`COMMAND_EPOCH`] of the gateway.
    pub epoch: u64,
    /// Ed25519 over [`Order::signed`], 64 bytes.
    pub signature: Vec<u8>,
}

/// The reason why a payload is not a valid command.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{asset}: {reason}")]
pub struct NoOrder {
    /// The asset, if it can be decoded; otherwise empty.
    pub asset: String,
    /// The command id, if it can be decoded. The gateway can use it to answer with a refusal.
    pub id: Option<CommandId>,
    /// The error.
    pub reason: &'static str,
}

impl Order {
    /// Encodes the payload of the DCMD.
    pub fn encode(&self, now_ms: u64) -> Payload {
        let metric = |name: &str, value| Metric::new(format!("{}/Oper/{name}", self.asset), value).at(now_ms);
        let mut metrics = vec![
            metric("CmdId", MetricValue::Text(self.id.to_string())),
            metric("Action", MetricValue::Text(self.action.as_str().to_owned())),
            metric("CtlVal", MetricValue::Int32(self.target.code())),
            metric("FromPos", MetricValue::Int32(self.from.code())),
            metric("Operator", MetricValue::Text(self.operator.clone())),
            metric("ExpiresAt", MetricValue::UInt64(self.expires_at)),
        ];
        if let Some(seal) = &self.seal {
            metrics.push(metric("Epoch", MetricValue::UInt64(seal.epoch)));
            metrics.push(metric("Sig", MetricValue::Text(STANDARD.encode(&seal.signature))));
        }
        Payload { timestamp: Some(now_ms), seq: None, metrics }
    }

    /// Decodes the payload of a DCMD, which must be exactly one complete command. `None` if the payload has no metrics
    /// of a command.
    pub fn decode(payload: &Payload) -> Option<Result<Self, NoOrder>> {
        if !payload.metrics.iter().any(|metric| metric.name.as_deref().is_some_and(is_oper)) {
            return None;
        }
        Some(read(payload))
    }

    /// Returns the bytes that are signed: one line for each part. The operator is last because it is the only free
    /// text.
    pub fn signed(&self, group: &str, node: &str, device: &str, epoch: u64) -> Vec<u8> {
        let Self { asset, id, action, target, from, operator, expires_at, seal: _ } = self;
        let (action, target, from) = (action.as_str(), target.code(), from.code());
        format!(
            "switchyard-command-1\n{group}\n{node}\n{device}\n{asset}\n{epoch}\n{id}\n{action}\n{target}\n{from}\n{expires_at}\n{operator}"
        )
        .into_bytes()
    }
}

fn read(payload: &Payload) -> Result<Order, NoOrder> {
    let mut ids = payload.metrics.iter().filter_map(|metric| Some((metric.name.as_deref()?.strip_suffix("/Oper/CmdId")?, &metric.value)));
    let no = |reason| NoOrder { asset: String::new(), id: None, reason };
    let (asset, id) = ids.next().ok_or_else(|| no("no CmdId"))?;
    if ids.next().is_some() {
        return Err(no("more than one order"));
    }
    if asset.is_empty() || asset.len() > NAME_LIMIT || asset.chars().any(char::is_control) {
        return Err(no("no name of an asset"));
    }
    let id = text(Some(id)).and_then(|text| text.parse().ok());
    let no = |reason| NoOrder { asset: asset.to_owned(), id, reason };
    let value = |name: &str| payload.metric(&format!("{asset}/Oper/{name}")).map(|metric| &metric.value);
    let throw = |name: &str| value(name).and_then(MetricValue::as_u64).and_then(|code| Throw::from_code(code.try_into().ok()?));
    let operator = text(value("Operator")).filter(|name| name.len() <= NAME_LIMIT);
    let seal = match (value("Epoch"), value("Sig")) {
        (None, None) => None,
        (epoch, signature) => {
            let epoch = epoch.and_then(MetricValue::as_u64).ok_or_else(|| no("Epoch is no whole number"))?;
            let signature = text(signature).and_then(|text| STANDARD.decode(text).ok()).ok_or_else(|| no("Sig is no base64 text"))?;
            Some(Seal { epoch, signature })
        }
    };
    Ok(Order {
        asset: asset.to_owned(),
        id: id.ok_or_else(|| no("CmdId is no UUID"))?,
        action: text(value("Action")).and_then(Action::parse).ok_or_else(|| no("Action is none of SELECT, EXECUTE, CANCEL and DIRECT"))?,
        target: throw("CtlVal").ok_or_else(|| no("CtlVal is neither 1 nor 2"))?,
        from: throw("FromPos").ok_or_else(|| no("FromPos is neither 1 nor 2"))?,
        operator: operator.ok_or_else(|| no("Operator is no text of at most 200 bytes"))?.to_owned(),
        expires_at: value("ExpiresAt").and_then(MetricValue::as_u64).ok_or_else(|| no("ExpiresAt is no whole number"))?,
        seal,
    })
}

fn text(value: Option<&MetricValue>) -> Option<&str> {
    if let Some(MetricValue::Text(text)) = value { Some(text) } else { None }
}

/// Returns whether a metric belongs to a command or its answer, and therefore is no point.
pub fn is_oper(metric: &str) -> bool {
    metric.rsplit_once('/').is_some_and(|(before, _)| before == "Oper" || before.ends_with("/Oper"))
}

/// The answer of a gateway to a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The asset within the device.
    pub asset: String,
    /// The command.
    pub id: CommandId,
    /// The kind of answer.
    pub state: GatewayAnswer,
    /// The `AddCause`; `None` if the gateway gives none.
    pub cause: Option<AddCause>,
}

impl Answer {
    /// Encodes its metrics, for a DDATA of the device.
    pub fn encode(&self, now_ms: u64) -> Vec<Metric> {
        let metric = |name: &str, value| Metric::new(format!("{}/Oper/{name}", self.asset), value).at(now_ms);
        vec![
            metric("AckCmdId", MetricValue::Text(self.id.to_string())),
            metric("State", MetricValue::Text(self.state.as_str().to_owned())),
            metric("AddCause", MetricValue::Int32(self.cause.unwrap_or(AddCause::None).code().into())),
        ]
    }

    /// Returns the same metrics without values, for the DBIRTH of a device with this asset: a birth declares all
    /// metrics that will be published (Sparkplug 3.0, tck-id-operational-behavior-data-publish-dbirth). They are not an
    /// answer.
    pub fn declare(asset: &str, now_ms: u64) -> Vec<Metric> {
        let metric = |name: &str, datatype| Metric::absent(format!("{asset}/Oper/{name}"), datatype).at(now_ms);
        vec![metric("AckCmdId", DataType::String), metric("State", DataType::String), metric("AddCause", DataType::Int32)]
    }

    /// Decodes every complete answer in a DDATA, at most one for each asset. Other metrics are ignored.
    pub fn decode(payload: &Payload) -> Vec<Self> {
        let acknowledged = payload.metrics.iter().filter_map(|metric| {
            let asset = metric.name.as_deref()?.strip_suffix("/Oper/AckCmdId")?;
            let value = |name: &str| payload.metric(&format!("{asset}/Oper/{name}")).map(|metric| &metric.value);
            let id = text(Some(&metric.value))?.parse().ok()?;
            let state = text(value("State")).and_then(GatewayAnswer::parse)?;
            let cause = value("AddCause").and_then(MetricValue::as_u64).and_then(|code| AddCause::from_code(code.try_into().ok()?));
            Some(Self { asset: asset.to_owned(), id, state, cause: cause.filter(|cause| *cause != AddCause::None) })
        });
        acknowledged.collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn anything() -> impl Strategy<Value = MetricValue> {
        prop_oneof![
            Just(MetricValue::Null),
            any::<i32>().prop_map(MetricValue::Int32),
            (0..4_u32).prop_map(MetricValue::UInt32),
            any::<i64>().prop_map(MetricValue::Int64),
            any::<u64>().prop_map(MetricValue::UInt64),
            any::<f64>().prop_map(MetricValue::Double),
            "(SELECT|EXECUTE|DIRECT|[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|[A-Za-z0-9+/=]{0,8}|.{0,8})"
                .prop_map(MetricValue::Text),
        ]
    }

    proptest! {
        #[test]
        fn whatever_comes_is_an_order_that_reads_the_same_again_or_none(
            values in proptest::collection::vec(anything(), 8), asset in "(F1CB|.{0,4})", present in any::<u8>(), good in any::<u8>(),
        ) {
            let mut payload = Order { asset: asset.clone(), ..order() }.encode(1);
            payload.metrics.push(Metric::new(format!("{asset}/Oper/Epoch"), MetricValue::UInt64(7)));
            payload.metrics.push(Metric::new(format!("{asset}/Oper/Sig"), MetricValue::Text("AAAA".into())));
            for (index, (metric, value)) in payload.metrics.iter_mut().zip(values).enumerate() {
                if good >> index & 1 == 0 {
                    metric.value = value;
                }
            }
            let mut index = 0;
            payload.metrics.retain(|_| {
                index += 1;
                present >> (index - 1) & 1 == 1 || good >> (index - 1) & 1 == 1
            });
            if let Some(Ok(order)) = Order::decode(&travel(&payload)) {
                prop_assert_eq!(Order::decode(&travel(&order.encode(1))), Some(Ok(order)));
            }
        }
    }

    fn order() -> Order {
        Order {
            asset: "F1CB".into(),
            id: CommandId(0x0189_c9a5_3c21_7d04_b1f2_0000_0000_a001),
            action: Action::Direct,
            target: Throw::Open,
            from: Throw::Closed,
            operator: "A. Nair".into(),
            expires_at: 1_800_000_000_000,
            seal: None,
        }
    }

    /// Encodes and decodes a payload.
    fn travel(payload: &Payload) -> Payload {
        Payload::decode(&payload.encode()).unwrap()
    }

    /// Decodes the command with one metric replaced or removed.
    fn with(name: &str, value: Option<MetricValue>) -> Result<Order, NoOrder> {
        let name = format!("F1CB/Oper/{name}");
        let mut payload = order().encode(1);
        payload.metrics.retain(|metric| metric.name.as_ref() != Some(&name));
        payload.metrics.extend(value.map(|value| Metric::new(name, value)));
        Order::decode(&travel(&payload)).unwrap()
    }

    #[test]
    fn an_order_comes_back_as_it_was_sent() {
        let sealed = Order { seal: Some(Seal { epoch: 7, signature: vec![9; 64] }), action: Action::Select, ..order() };
        for order in [order(), sealed] {
            assert_eq!(Order::decode(&travel(&order.encode(5))), Some(Ok(order)));
        }
    }

    #[test]
    fn clients_that_write_other_integers_are_understood() {
        assert_eq!(with("CtlVal", Some(MetricValue::Int64(1))), Ok(order()));
        assert_eq!(with("ExpiresAt", Some(MetricValue::DateTime(1_800_000_000_000))), Ok(order()));
    }

    #[test]
    fn what_is_incomplete_is_no_order_and_says_which_command_it_was() {
        let cases = [
            ("Action", None, "Action is none of SELECT, EXECUTE, CANCEL and DIRECT"),
            ("Action", Some(MetricValue::Text("execute".into())), "Action is none of SELECT, EXECUTE, CANCEL and DIRECT"),
            ("CtlVal", Some(MetricValue::Int32(3)), "CtlVal is neither 1 nor 2"),
            ("CtlVal", Some(MetricValue::Int32(-1)), "CtlVal is neither 1 nor 2"),
            ("FromPos", Some(MetricValue::Int32(0)), "FromPos is neither 1 nor 2"),
            ("FromPos", None, "FromPos is neither 1 nor 2"),
            ("Operator", Some(MetricValue::Text("x".repeat(201))), "Operator is no text of at most 200 bytes"),
            ("ExpiresAt", Some(MetricValue::Double(1.0)), "ExpiresAt is no whole number"),
            ("Sig", Some(MetricValue::Text("AAAA".into())), "Epoch is no whole number"),
            ("Epoch", Some(MetricValue::UInt64(1)), "Sig is no base64 text"),
        ];
        for (name, value, reason) in cases {
            assert_eq!(with(name, value), Err(NoOrder { asset: "F1CB".into(), id: Some(order().id), reason }), "{name}");
        }
        let nameless = NoOrder { asset: "F1CB".into(), id: None, reason: "CmdId is no UUID" };
        assert_eq!(with("CmdId", Some(MetricValue::Text("1".into()))), Err(nameless));
        assert_eq!(with("CmdId", None).unwrap_err().reason, "no CmdId");
        let mut double = order().encode(1);
        double.metrics.push(Metric::new("F2CB/Oper/CmdId", MetricValue::Text(order().id.to_string())));
        assert_eq!(Order::decode(&double).unwrap().unwrap_err().reason, "more than one order");
        let setting = Payload { metrics: vec![Metric::new("F1CB/Threshold", MetricValue::Int32(1))], ..Payload::default() };
        assert_eq!(Order::decode(&setting), None);
    }

    #[test]
    fn every_part_of_an_order_is_signed() {
        let signed = |order: &Order| order.signed("G", "N", "F1", 7);
        let whole = signed(&order());
        assert_eq!(
            String::from_utf8_lossy(&whole),
            "switchyard-command-1\nG\nN\nF1\nF1CB\n7\n0189c9a5-3c21-7d04-b1f2-00000000a001\nDIRECT\n1\n2\n1800000000000\nA. Nair"
        );
        let others = [
            Order { asset: "F2CB".into(), ..order() },
            Order { id: CommandId(1), ..order() },
            Order { action: Action::Execute, ..order() },
            Order { target: Throw::Closed, ..order() },
            Order { from: Throw::Open, ..order() },
            Order { operator: "B".into(), ..order() },
            Order { expires_at: 1, ..order() },
        ];
        assert!(others.iter().all(|other| signed(other) != whole));
        assert!(
            [("X", "N", "F1", 7), ("G", "X", "F1", 7), ("G", "N", "X", 7), ("G", "N", "F1", 8)]
                .iter()
                .all(|(g, n, d, e)| order().signed(g, n, d, *e) != whole)
        );
    }

    #[test]
    fn answers_come_back_as_they_were_sent() {
        let refused =
            Answer { asset: "F1CB".into(), id: CommandId(5), state: GatewayAnswer::Refused, cause: Some(AddCause::BlockedByInterlocking) };
        let selected = Answer { asset: "F1IS".into(), id: CommandId(6), state: GatewayAnswer::Selected, cause: None };
        let mut metrics = [refused.encode(1), selected.encode(1)].concat();
        metrics.push(Metric::new("F2CB/Oper/AckCmdId", MetricValue::Text(CommandId(7).to_string())));
        metrics.push(Metric::new("F1CB/Pos", MetricValue::Int32(1)));
        let names: Vec<String> = metrics.iter().filter_map(|metric| metric.name.clone()).collect();
        let payload = travel(&Payload { metrics, ..Payload::default() });
        assert_eq!(Answer::decode(&payload), [refused, selected], "an answer without a state is none");
        assert_eq!(names.iter().filter(|name| !is_oper(name)).collect::<Vec<_>>(), ["F1CB/Pos"]);
    }
}
