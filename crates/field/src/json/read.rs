//! Decodes a payload by its mapping.

use std::borrow::Cow;
use std::collections::HashMap;

use grid::quality::RawQuality;
use serde_json::Value;

use super::mapping::{Format, Mapping, Quality, Record, Time, Unit, parts};
use super::message::{Message, PAYLOAD_LIMIT, RECORD_LIMIT, ReadError};
use crate::sparkplug::{Metric, MetricValue};

/// Sparkplug's qualities good and bad, and questionable between them.
const GOOD: i32 = 192;
const BAD: i32 = 0;
const QUESTIONABLE: i32 = 64;

/// An item, with the whole payload and the named topic levels.
struct Item<'a> {
    whole: &'a Value,
    value: &'a Value,
    key: Option<Cow<'a, str>>,
    segments: &'a HashMap<&'a str, &'a str>,
}

pub(super) fn message(mapping: &Mapping, segments: &HashMap<&str, &str>, payload: &[u8]) -> Result<Message, ReadError> {
    if payload.len() > PAYLOAD_LIMIT {
        return Err(ReadError::Long(payload.len()));
    }
    let whole = match mapping.format {
        // Nesting is limited by the parser, to 128.
        Format::Json => serde_json::from_slice(payload).map_err(|error| ReadError::Malformed(format!("no JSON: {error}")))?,
        Format::Text => {
            Value::String(std::str::from_utf8(payload).map_err(|error| ReadError::Malformed(error.to_string()))?.trim().to_owned())
        }
    };
    let around = Item { whole: &whole, value: &whole, key: None, segments };
    let missing = |what: String| ReadError::Missing { mapping: mapping.name.clone(), what };
    let fill = |template: &str, item: &Item<'_>| item.fill(template).ok_or_else(|| missing(format!("nothing for `{template}`")));
    let mut message = Message { group: fill(&mapping.group, &around)?, node: fill(&mapping.node, &around)?, devices: Vec::new() };
    let (mut count, mut negative) = (0, 0);
    for record in &mapping.records {
        for item in around.items(record.each.as_deref()) {
            if item.is_set(&record.negative) {
                negative += 1;
                continue;
            }
            // A payload without the point does not have this record; an item of a list must have it.
            let Some(point) = item.fill(&record.point) else {
                if record.each.is_none() {
                    continue;
                }
                return Err(missing(format!("no point by `{}`", record.point)));
            };
            let value = match item.value_of(record) {
                Some(value) => value,
                // The value is null: without a reading, the previous value would remain. If the value is not even
                // named, the record is not in this payload, but other records of the mapping may be.
                None if record.each.is_some() || item.has_any(&record.value) => MetricValue::Null,
                None => continue,
            };
            count += 1;
            if count > RECORD_LIMIT {
                return Err(ReadError::Many);
            }
            let mut metric = item.quality(record.quality.as_ref());
            if record.time.as_ref().is_some_and(|time| item.is_set(&time.iv)) {
                // The device does not know the time: the receive time is used.
                metric.quality = metric.quality.map_or(Some(QUESTIONABLE), |quality| Some(quality.min(QUESTIONABLE)));
            } else {
                metric.timestamp = item.time(record.time.as_ref()).map_err(missing)?;
            }
            metric.name = Some(point);
            metric.value = value;
            metric.historical = record.historical.as_ref().and_then(|at| item.at(at)).is_some_and(is_true);
            let device = fill(record.device.as_ref().unwrap_or(&mapping.device), &item)?;
            match message.devices.iter_mut().find(|(known, _)| *known == device) {
                Some((_, metrics)) => metrics.push(metric),
                None => message.devices.push((device, vec![metric])),
            }
        }
    }
    if message.devices.is_empty() && negative > 0 {
        return Err(ReadError::Negative);
    }
    if message.devices.is_empty() {
        return Err(missing("no value where it looks for one".to_owned()));
    }
    Ok(message)
}

impl<'a> Item<'a> {
    fn items(&'a self, each: Option<&str>) -> Vec<Item<'a>> {
        let entry = |value, key| Item { whole: self.whole, value, key, segments: self.segments };
        let inside = match each {
            None => return vec![entry(self.value, None)],
            Some("*") if !self.whole.is_array() => return vec![entry(self.value, None)],
            Some("*") => Some(self.whole),
            Some(pointer) => self.at(pointer),
        };
        match inside {
            Some(Value::Array(values)) => {
                values.iter().enumerate().map(|(key, value)| entry(value, Some(key.to_string().into()))).collect()
            }
            Some(Value::Object(values)) => values.iter().map(|(key, value)| entry(value, Some(key.into()))).collect(),
            _ => Vec::new(),
        }
    }

    /// Returns the value at a pointer, which may be null.
    fn find(&self, pointer: &str) -> Option<&'a Value> {
        match pointer.strip_prefix('^') {
            Some(pointer) => self.whole.pointer(pointer),
            None => self.value.pointer(pointer),
        }
    }

    /// Returns the value at a pointer, unless it is null.
    fn at(&self, pointer: &str) -> Option<&'a Value> {
        self.find(pointer).filter(|value| !value.is_null())
    }

    fn has_any(&self, pointers: &[String]) -> bool {
        pointers.iter().any(|pointer| self.find(pointer).is_some())
    }

    /// Returns whether the first existing flag is set.
    fn is_set(&self, pointers: &[String]) -> bool {
        self.first(pointers).is_some_and(is_true)
    }

    fn first(&self, pointers: &[String]) -> Option<&'a Value> {
        pointers.iter().find_map(|pointer| self.at(pointer))
    }

    /// Fills in a template; `None` if a part is missing.
    fn fill(&self, template: &str) -> Option<String> {
        let mut filled = String::new();
        for (text, name) in parts(template)? {
            filled.push_str(text);
            match name {
                None => {}
                Some("@key") => filled.push_str(self.key.as_deref()?),
                Some(pointers) if pointers.starts_with(['/', '^']) => match pointers.split('|').find_map(|pointer| self.at(pointer))? {
                    Value::String(text) => filled.push_str(text),
                    Value::Number(number) => filled.push_str(&number.to_string()),
                    _ => return None,
                },
                Some(name) => filled.push_str(self.segments.get(name)?),
            }
        }
        Some(filled)
    }

    /// Returns the value of a record; `None` if it is missing.
    fn value_of(&self, record: &Record) -> Option<MetricValue> {
        if record.value.is_empty() {
            return Some(MetricValue::Null);
        }
        Some(match self.first(&record.value)? {
            Value::Bool(value) => MetricValue::Boolean(*value),
            // A number out of range is rejected later as not finite.
            Value::Number(number) => MetricValue::Double(number.as_f64().unwrap_or(f64::INFINITY)),
            Value::String(text) => match text.to_ascii_lowercase().as_str() {
                "true" | "on" => MetricValue::Boolean(true),
                "false" | "off" => MetricValue::Boolean(false),
                number => number.parse().map_or_else(|_| MetricValue::Text(text.clone()), MetricValue::Double),
            },
            _ => MetricValue::Other,
        })
    }

    /// Returns the source time, epoch ms; `None` if the payload has none.
    fn time(&self, time: Option<&Time>) -> Result<Option<u64>, String> {
        let Some((time, found)) = time.and_then(|time| Some((time, self.first(&time.at)?))) else { return Ok(None) };
        let wrong = || format!("`{found}` is no time in {:?}", time.unit);
        let text = match found {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            _ => return Err(wrong()),
        };
        if time.unit == Unit::Iso {
            let at = wire::time::parse_iso(&text).ok_or_else(wrong)?;
            return u64::try_from(at.millis()).map(Some).map_err(|_| wrong());
        }
        // Parse as a decimal number, so that nanoseconds keep their digits.
        let (whole, fraction) = text.split_once('.').unwrap_or((&text, "0"));
        if fraction.is_empty() || !fraction.bytes().all(|digit| digit.is_ascii_digit()) {
            return Err(wrong());
        }
        let number: u64 = whole.parse().map_err(|_| wrong())?;
        Ok(Some(match time.unit {
            Unit::S => {
                let thousandths = fraction
                    .chars()
                    .chain("00".chars())
                    .take(3)
                    .fold(0, |sum, digit| sum * 10 + u64::from(digit.to_digit(10).unwrap_or(0)));
                number.checked_mul(1_000).and_then(|millis| millis.checked_add(thousandths)).ok_or_else(wrong)?
            }
            Unit::Us => number / 1_000,
            Unit::Ns => number / 1_000_000,
            Unit::Ms | Unit::Iso => number,
        }))
    }

    /// Returns a metric with the quality only.
    fn quality(&self, quality: Option<&Quality>) -> Metric {
        let of = |good: bool| Metric { quality: Some(if good { GOOD } else { BAD }), ..Metric::default() };
        match quality {
            None => Metric::default(),
            Some(Quality::Bits { iv, bl, ov, sb, nt, test }) => {
                let bits = [(iv, RawQuality::IV), (bl, RawQuality::BL), (ov, RawQuality::OV), (sb, RawQuality::SB), (nt, RawQuality::NT)];
                let set = bits.into_iter().filter(|(at, _)| self.is_set(at)).fold(0, |all, (_, bit)| all | bit);
                // Outside of a test, its values are processed as invalid (IEC 61850-7-4, annex A).
                Metric { qds: Some(set), quality: self.is_set(test).then_some(BAD), ..Metric::default() }
            }
            Some(Quality::Error { error }) => of(self.at(error).is_none_or(|code| code.as_f64() == Some(0.0))),
            Some(Quality::Good { at, good }) => of(self.at(at).is_none_or(|quality| good.contains(quality))),
        }
    }
}

/// Returns whether it is true, or a number other than 0.
fn is_true(value: &Value) -> bool {
    value.as_bool().unwrap_or_else(|| value.as_f64().is_some_and(|number| number != 0.0))
}
