//! Encodes plain types to protobuf exactly as the standard requires.

use srad_types::payload as proto;
use srad_types::payload::DataType;

use super::names::{QDS, QUALITY};
use super::payload::{Metric, MetricValue, Payload};

pub(super) fn payload(payload: &Payload) -> proto::Payload {
    proto::Payload {
        timestamp: payload.timestamp,
        metrics: payload.metrics.iter().map(metric).collect(),
        seq: payload.seq,
        uuid: None,
        body: None,
    }
}

fn metric(metric: &Metric) -> proto::Metric {
    let value = value(&metric.value);
    proto::Metric {
        name: metric.name.clone(),
        alias: metric.alias,
        timestamp: metric.timestamp,
        datatype: metric.datatype.or_else(|| datatype(&metric.value)).map(|datatype| datatype as u32),
        is_historical: metric.historical.then_some(true),
        is_transient: None,
        is_null: value.is_none().then_some(true),
        metadata: None,
        properties: properties(metric),
        value,
    }
}

fn properties(metric: &Metric) -> Option<proto::PropertySet> {
    let quality = metric.quality.map(|quality| (QUALITY.to_owned(), MetricValue::Int32(quality)));
    let qds = metric.qds.map(|bits| (QDS.to_owned(), MetricValue::Int32(bits.into())));
    let (keys, values): (Vec<_>, Vec<_>) =
        quality.into_iter().chain(qds).chain(metric.properties.iter().cloned()).map(|(key, value)| (key, property(&value))).unzip();
    (!keys.is_empty()).then_some(proto::PropertySet { keys, values })
}

/// Writes a value. It is a macro because the generated types of metrics and of properties have the same variants but no
/// common trait.
macro_rules! written {
    ($written:ty, $value:expr) => {{
        type Written = $written;
        match $value {
            MetricValue::Null | MetricValue::Other => None,
            MetricValue::Boolean(value) => Some(Written::BooleanValue(*value)),
            MetricValue::Int32(value) => Some(Written::IntValue(*value as u32)),
            MetricValue::UInt32(value) => Some(Written::IntValue(*value)),
            MetricValue::Int64(value) => Some(Written::LongValue(*value as u64)),
            MetricValue::UInt64(value) | MetricValue::DateTime(value) => Some(Written::LongValue(*value)),
            MetricValue::Float(value) => Some(Written::FloatValue(*value)),
            MetricValue::Double(value) => Some(Written::DoubleValue(*value)),
            MetricValue::Text(value) => Some(Written::StringValue(value.clone())),
        }
    }};
}

fn property(value: &MetricValue) -> proto::PropertyValue {
    let written = written!(proto::property_value::Value, value);
    proto::PropertyValue {
        r#type: Some(datatype(value).unwrap_or(DataType::String) as u32),
        is_null: written.is_none().then_some(true),
        value: written,
    }
}

fn value(value: &MetricValue) -> Option<proto::metric::Value> {
    written!(proto::metric::Value, value)
}

fn datatype(value: &MetricValue) -> Option<DataType> {
    match value {
        MetricValue::Null | MetricValue::Other => None,
        MetricValue::Boolean(_) => Some(DataType::Boolean),
        MetricValue::Int32(_) => Some(DataType::Int32),
        MetricValue::Int64(_) => Some(DataType::Int64),
        MetricValue::UInt32(_) => Some(DataType::UInt32),
        MetricValue::UInt64(_) => Some(DataType::UInt64),
        MetricValue::Float(_) => Some(DataType::Float),
        MetricValue::Double(_) => Some(DataType::Double),
        MetricValue::Text(_) => Some(DataType::String),
        MetricValue::DateTime(_) => Some(DataType::DateTime),
    }
}
