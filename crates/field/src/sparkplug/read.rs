//! Decodes protobuf to plain types, tolerating the deviations of real clients.

use srad_types::payload as proto;
use srad_types::payload::DataType;

use super::names::{QDS, QUALITY};
use super::payload::{Metric, MetricValue, Payload};

pub(super) fn payload(payload: proto::Payload) -> Payload {
    Payload { timestamp: payload.timestamp, seq: payload.seq, metrics: payload.metrics.into_iter().map(metric).collect() }
}

fn metric(metric: proto::Metric) -> Metric {
    let datatype = metric.datatype.and_then(datatype);
    let value = if metric.is_null == Some(true) { MetricValue::Null } else { metric.value.map_or(MetricValue::Null, value) };
    let mut read = Metric {
        name: metric.name,
        alias: metric.alias,
        timestamp: metric.timestamp,
        datatype,
        value: match datatype {
            Some(datatype) => value.read_as(datatype),
            None => value,
        },
        historical: metric.is_historical == Some(true),
        ..Metric::default()
    };
    let properties = metric.properties.unwrap_or_default();
    for (key, property) in properties.keys.into_iter().zip(properties.values) {
        let value = self::property(property);
        let whole = value.as_number().filter(|number| number.fract() == 0.0);
        if key.eq_ignore_ascii_case(QUALITY) {
            read.quality = whole.map(|number| number as i32);
        } else if key.eq_ignore_ascii_case(QDS) {
            read.qds = whole.map(|number| number as u16);
        } else {
            read.properties.push((key, value));
        }
    }
    read
}

fn property(property: proto::PropertyValue) -> MetricValue {
    use proto::property_value::Value;
    if property.is_null == Some(true) {
        return MetricValue::Null;
    }
    let value = match property.value {
        None => MetricValue::Null,
        Some(Value::IntValue(value)) => MetricValue::UInt32(value),
        Some(Value::LongValue(value)) => MetricValue::UInt64(value),
        Some(Value::FloatValue(value)) => MetricValue::Float(value),
        Some(Value::DoubleValue(value)) => MetricValue::Double(value),
        Some(Value::BooleanValue(value)) => MetricValue::Boolean(value),
        Some(Value::StringValue(value)) => MetricValue::Text(value),
        Some(Value::PropertysetValue(_) | Value::PropertysetsValue(_) | Value::ExtensionValue(_)) => MetricValue::Other,
    };
    match property.r#type.and_then(datatype) {
        Some(datatype) => value.read_as(datatype),
        None => value,
    }
}

fn value(value: proto::metric::Value) -> MetricValue {
    use proto::metric::Value;
    match value {
        Value::IntValue(value) => MetricValue::UInt32(value),
        Value::LongValue(value) => MetricValue::UInt64(value),
        Value::FloatValue(value) => MetricValue::Float(value),
        Value::DoubleValue(value) => MetricValue::Double(value),
        Value::BooleanValue(value) => MetricValue::Boolean(value),
        Value::StringValue(value) => MetricValue::Text(value),
        Value::BytesValue(_) | Value::DatasetValue(_) | Value::TemplateValue(_) | Value::ExtensionValue(_) => MetricValue::Other,
    }
}

/// Returns the data type with this number; `None` for `Unknown` and for undefined numbers.
fn datatype(number: u32) -> Option<DataType> {
    DataType::try_from(number).ok().filter(|datatype| *datatype != DataType::Unknown)
}

impl MetricValue {
    /// Returns the same bits with the type that this message or the birth declared: integers are sent unsigned, in
    /// two's complement. A value that does not fit the declared type is unchanged.
    #[must_use]
    pub fn read_as(self, datatype: DataType) -> Self {
        use DataType as T;
        match (datatype, self) {
            (T::Int8, Self::UInt32(bits)) => Self::Int32(signed(bits, 8)),
            (T::Int16, Self::UInt32(bits)) => Self::Int32(signed(bits, 16)),
            (T::Int32, Self::UInt32(bits)) => Self::Int32(bits as i32),
            // Some clients write every integer into the 64-bit field.
            (T::Int64 | T::Int32 | T::Int16 | T::Int8, Self::UInt64(bits)) => {
                let value = bits as i64;
                if datatype == T::Int64 { Self::Int64(value) } else { i32::try_from(value).map_or(Self::Int64(value), Self::Int32) }
            }
            (T::Int64, Self::UInt32(bits)) => Self::Int64(bits.into()),
            (T::UInt64, Self::UInt32(bits)) => Self::UInt64(bits.into()),
            (T::UInt8 | T::UInt16 | T::UInt32, Self::UInt64(bits)) => u32::try_from(bits).map_or(Self::UInt64(bits), Self::UInt32),
            (T::DateTime, Self::UInt64(millis)) => Self::DateTime(millis),
            (T::DateTime, Self::UInt32(millis)) => Self::DateTime(millis.into()),
            (T::Boolean, Self::UInt32(bits)) => Self::Boolean(bits != 0),
            (T::Boolean, Self::UInt64(bits)) => Self::Boolean(bits != 0),
            (_, value) => value,
        }
    }
}

/// Decodes two's complement of `width` bits, whether the sender extended the sign to 32 bits or not.
fn signed(bits: u32, width: u32) -> i32 {
    let extended = bits as i32;
    let shift = 32 - width;
    let narrow = extended.wrapping_shl(shift).wrapping_shr(shift);
    if bits >> width == 0 { narrow } else { extended }
}

/// Counts the metrics of a payload by scanning its top-level fields; `None` if they are not protobuf.
pub(super) fn count_metrics(mut bytes: &[u8]) -> Option<usize> {
    const METRICS: u64 = 2;
    let mut count = 0;
    while !bytes.is_empty() {
        let key = varint(&mut bytes)?;
        let skip = match key & 7 {
            0 => varint(&mut bytes).map(|_| 0)?,
            1 => 8,
            2 => usize::try_from(varint(&mut bytes)?).ok()?,
            5 => 4,
            _ => return None,
        };
        count += usize::from(key >> 3 == METRICS);
        bytes = bytes.get(skip..)?;
    }
    Some(count)
}

fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for place in 0..10 {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << (7 * place).min(63);
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}
