//! Stores what the births of one session declare: the devices that were born, and the alias and type of each metric. A
//! node may assign other aliases and types at each birth (Sparkplug 3.0, 6.4.6).

use std::collections::HashMap;

use field::sparkplug::{DataType, Payload};

/// Maximum number of declared aliases and types of a node, which is about three for each of 10,000 points. Further ones are
/// not remembered, so such metrics must be sent with their names and types.
const DECLARED_LIMIT: usize = 32_768;

/// Maximum number of devices of a node: the default maximum of points of a gateway. Further ones are not remembered as
/// born, so they are reported offline if they have points.
const DEVICES_LIMIT: usize = 10_000;

/// The declarations of a node and its devices. The node itself is the device without a name.
#[derive(Debug, Default)]
pub(super) struct Declarations {
    devices: HashMap<String, Device>,
    count: usize,
    /// Whether undeclared metrics arrived since the last birth.
    has_undeclared: bool,
}

/// The declarations of one birth.
#[derive(Debug, Default)]
struct Device {
    aliases: HashMap<u64, String>,
    types: HashMap<String, DataType>,
    /// Whether the device died since.
    is_dead: bool,
}

impl Device {
    fn count(&self) -> usize {
        self.aliases.len() + self.types.len()
    }
}

impl Declarations {
    /// Removes all declarations, because the session has ended or births may have been lost.
    pub(super) fn clear(&mut self) {
        self.devices.clear();
        (self.count, self.has_undeclared) = (0, false);
    }

    /// Removes the aliases and keeps the types. After another birth a name still means the same metric, but an alias
    /// may mean a different one.
    pub(super) fn forget_aliases(&mut self) {
        for device in self.devices.values_mut() {
            self.count -= device.aliases.len();
            device.aliases.clear();
        }
    }

    /// Records undeclared metrics. Returns whether they are the first since the last birth of the node.
    pub(super) fn note_undeclared(&mut self) -> bool {
        !std::mem::replace(&mut self.has_undeclared, true)
    }

    /// Returns whether undeclared metrics arrived since the last birth of the node.
    pub(super) fn has_undeclared(&self) -> bool {
        self.has_undeclared
    }

    /// Adds a birth, replacing an earlier one of the same device.
    pub(super) fn put(&mut self, device: &str, birth: &Payload) {
        if let Some(earlier) = self.devices.remove(device) {
            self.count -= earlier.count();
        }
        if self.devices.len() >= DEVICES_LIMIT {
            return;
        }
        let room = DECLARED_LIMIT - self.count;
        let mut declared = Device::default();
        for metric in &birth.metrics {
            let Some(name) = &metric.name else { continue };
            if let Some(alias) = metric.alias.filter(|_| declared.count() < room) {
                declared.aliases.insert(alias, name.clone());
            }
            if let Some(datatype) = metric.datatype.filter(|_| declared.count() < room) {
                declared.types.insert(name.clone(), datatype);
            }
        }
        self.count += declared.count();
        self.devices.insert(device.to_owned(), declared);
    }

    /// Records the death of a device. Its aliases stay valid until its next birth, because some clients continue
    /// without a birth.
    pub(super) fn note_death(&mut self, device: &str) {
        if let Some(declared) = self.devices.get_mut(device) {
            declared.is_dead = true;
        }
    }

    /// Returns whether the device was born in this session and has not died.
    pub(super) fn is_born(&self, device: &str) -> bool {
        self.devices.get(device).is_some_and(|declared| !declared.is_dead)
    }

    /// Returns whether a birth of the device is known, even if it died since.
    pub(super) fn knows(&self, device: &str) -> bool {
        self.devices.contains_key(device)
    }

    /// Returns the name of an alias. Aliases are unique within the node; clients that number them for each device are
    /// supported too.
    pub(super) fn name(&self, device: &str, alias: u64) -> Option<&str> {
        let of = |device: &str| self.devices.get(device)?.aliases.get(&alias).map(String::as_str);
        of(device).or_else(|| of(""))
    }

    /// Returns the declared type of a metric.
    pub(super) fn datatype(&self, device: &str, name: &str) -> Option<DataType> {
        self.devices.get(device)?.types.get(name).copied()
    }
}

#[cfg(test)]
mod tests {
    use field::sparkplug::Metric;

    use super::*;

    fn birth(metrics: std::ops::Range<u64>) -> Payload {
        let metric = |alias: u64| Metric {
            name: Some(format!("M{alias}")),
            alias: Some(alias),
            datatype: Some(DataType::Int32),
            ..Metric::default()
        };
        Payload { metrics: metrics.map(metric).collect(), ..Payload::default() }
    }

    #[test]
    fn birth_replaces_earlier_birth_of_same_device() {
        let mut declarations = Declarations::default();
        declarations.put("F3", &birth(1..3));
        declarations.put("F4", &birth(5..6));
        declarations.put("F3", &birth(2..4));
        assert_eq!([1, 2, 3].map(|alias| declarations.name("F3", alias)), [None, Some("M2"), Some("M3")]);
        assert_eq!((declarations.datatype("F3", "M1"), declarations.datatype("F3", "M3")), (None, Some(DataType::Int32)));
        assert_eq!(declarations.name("F4", 5), Some("M5"));
    }

    #[test]
    fn dead_device_keeps_aliases_until_next_birth() {
        let mut declarations = Declarations::default();
        declarations.put("F3", &birth(1..2));
        declarations.note_death("F3");
        assert!(!declarations.is_born("F3") && declarations.knows("F3"));
        assert_eq!(declarations.name("F3", 1), Some("M1"));
        declarations.put("F3", &birth(1..2));
        assert!(declarations.is_born("F3"));
    }

    #[test]
    fn declarations_are_bounded() {
        let mut declarations = Declarations::default();
        for device in 0..100 {
            declarations.put(&format!("D{device}"), &birth(0..1_000));
        }
        assert_eq!(declarations.count, DECLARED_LIMIT);
        assert!(declarations.is_born("D99"), "a device needs no room for its birth to count");
        declarations.put("D0", &birth(0..1));
        assert!(declarations.is_born("D0") && declarations.count < DECLARED_LIMIT, "what an earlier birth took is free again");
        for device in 0..=DEVICES_LIMIT {
            declarations.put(&format!("D{device}"), &birth(0..0));
        }
        assert_eq!(declarations.devices.len(), DEVICES_LIMIT);
        declarations.put("D0", &birth(0..1));
        assert!(declarations.is_born("D0"), "one that is remembered may be born again");
    }
}
