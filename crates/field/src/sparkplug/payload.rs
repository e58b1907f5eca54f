//! The parts of a message as plain types: the payload, its metrics and their values.

use srad_types::payload::DataType;

/// One message.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Payload {
    /// Sending time, epoch ms.
    pub timestamp: Option<u64>,
    /// The number of the message within its session, 0 to 255.
    pub seq: Option<u64>,
    /// The metrics.
    pub metrics: Vec<Metric>,
}

/// One metric of a message.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Metric {
    /// The name within node or device; absent if an alias is used.
    pub name: Option<String>,
    /// A number that replaces the name in later messages, after a birth has declared both.
    pub alias: Option<u64>,
    /// Source time, epoch ms.
    pub timestamp: Option<u64>,
    /// The declared type. If absent, the encoder uses the type of the value.
    pub datatype: Option<DataType>,
    /// The value.
    pub value: MetricValue,
    /// Whether it was sent late from an outbox. Then it is stored in the history only.
    pub historical: bool,
    /// The property `Quality`.
    pub quality: Option<i32>,
    /// The property `QDS`.
    pub qds: Option<u16>,
    /// All other properties with plain values.
    pub properties: Vec<(String, MetricValue)>,
}

/// The value of a metric or property.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum MetricValue {
    /// Explicitly or implicitly absent.
    #[default]
    Null,
    /// Boolean.
    Boolean(bool),
    /// Int8, Int16 and Int32.
    Int32(i32),
    /// Int64.
    Int64(i64),
    /// UInt8, UInt16, UInt32, and a 32-bit integer without a declared type.
    UInt32(u32),
    /// UInt64, and a 64-bit integer without a declared type.
    UInt64(u64),
    /// Float.
    Float(f32),
    /// Double.
    Double(f64),
    /// String, Text and UUID.
    Text(String),
    /// DateTime, epoch ms.
    DateTime(u64),
    /// A type that this product does not use: data set, template, bytes, array.
    Other,
}

impl MetricValue {
    /// Returns the value as a number; Booleans are 0 and 1. `None` for other types.
    pub fn as_number(&self) -> Option<f64> {
        match *self {
            Self::Boolean(value) => Some(f64::from(u8::from(value))),
            Self::Int32(value) => Some(value.into()),
            Self::Int64(value) => Some(value as f64),
            Self::UInt32(value) => Some(value.into()),
            Self::UInt64(value) | Self::DateTime(value) => Some(value as f64),
            Self::Float(value) => Some(value.into()),
            Self::Double(value) => Some(value),
            Self::Null | Self::Text(_) | Self::Other => None,
        }
    }

    /// Returns the value as an unsigned integer; `None` if it is not one.
    pub fn as_u64(&self) -> Option<u64> {
        match *self {
            Self::UInt64(value) | Self::DateTime(value) => Some(value),
            Self::UInt32(value) => Some(value.into()),
            Self::Int64(value) => value.try_into().ok(),
            Self::Int32(value) => value.try_into().ok(),
            _ => None,
        }
    }
}

impl Metric {
    /// Creates a metric with this name and value.
    pub fn new(name: impl Into<String>, value: MetricValue) -> Self {
        Self { name: Some(name.into()), value, ..Self::default() }
    }

    /// Creates a metric with a type and without a value, as births declare metrics.
    pub fn absent(name: impl Into<String>, datatype: DataType) -> Self {
        Self { datatype: Some(datatype), ..Self::new(name, MetricValue::Null) }
    }

    /// Returns the metric with this source time, epoch ms.
    #[must_use]
    pub fn at(mut self, timestamp: u64) -> Self {
        self.timestamp = Some(timestamp);
        self
    }

    /// Returns a plain property other than the quality, by its exact key.
    pub fn property(&self, key: &str) -> Option<&MetricValue> {
        self.properties.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }
}

impl Payload {
    /// Returns the metric with this name.
    pub fn metric(&self, name: &str) -> Option<&Metric> {
        self.metrics.iter().find(|metric| metric.name.as_deref() == Some(name))
    }
}
