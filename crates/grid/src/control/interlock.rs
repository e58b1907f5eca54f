//! Interlocks of a bay, as a table of rules about positions. An uncertain position fulfils no rule.
//!
//! A bay is the Sparkplug device that reports its switches. The rules protect against switching under load and against closing onto earth. They do
//! not replace the interlocks of the bay controller, which has more information.

use super::{AddCause, Refusal, Throw};
use crate::position::Position;
use crate::{AssetId, Quality};

/// The classes of switches in the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    /// Breaks load and fault current.
    Breaker,
    /// Separates conductors that carry no current.
    Isolator,
    /// Connects to earth.
    EarthSwitch,
    /// An isolator or an earth switch: the registry does not show which of the two, so the rules of both apply.
    IsolatorOrEarthSwitch,
}

impl Class {
    /// Returns the class from an asset's class name and the category of its symbol (specification 2, section 3); `None` if it is no switch. Both
    /// isolators and earth switches are drawn with the class `isolator`, so without a known category it can be either.
    pub fn of(class_name: &str, category: Option<&str>) -> Option<Self> {
        match (class_name, category) {
            ("earthSwitch", _) => Some(Self::EarthSwitch),
            // An asset that was registered from a birth message has the class breaker, whatever switch it is.
            ("isolator" | "disconnector" | "switch" | "breaker", Some(category)) if category.starts_with("earthSwitch") => {
                Some(Self::EarthSwitch)
            }
            ("breaker" | "recloser", _) => Some(Self::Breaker),
            ("isolator", Some("isolator")) | ("disconnector", _) => Some(Self::Isolator),
            ("isolator" | "switch", _) => Some(Self::IsolatorOrEarthSwitch),
            _ => None,
        }
    }

    /// Whether a rule about `other` applies to this class.
    fn counts_as(self, other: Self) -> bool {
        self == other || self == Self::IsolatorOrEarthSwitch && matches!(other, Self::Isolator | Self::EarthSwitch)
    }
}

/// A switch of the substation with its present position.
#[derive(Debug, Clone, PartialEq)]
pub struct Switch {
    /// The asset.
    pub asset: AssetId,
    /// Its name, used in messages.
    pub name: String,
    /// The device of the asset, which is its bay.
    pub bay: String,
    /// Its class.
    pub class: Class,
    /// Its position; `None` if none was ever reported.
    pub position: Option<Position>,
    /// Its displayed quality, including age and link.
    pub quality: Quality,
}

impl Switch {
    /// Whether it is open with good quality. An open position of worse quality does not count as open.
    fn is_open(&self) -> bool {
        self.position == Some(Position::Open) && self.quality == Quality::Good
    }
}

/// A rule: `class` may move to `target` (any position if `None`) only while every `must_be_open` switch of the bay is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// Its name, used in records.
    pub name: &'static str,
    /// The class of the operated switch.
    pub class: Class,
    /// The commanded position; `None` for both.
    pub target: Option<Throw>,
    /// The class of the switches that must be open.
    pub must_be_open: Class,
    /// The condition as a text for users.
    pub demand: &'static str,
}

/// The rules that apply to every bay.
pub const RULES: [Rule; 5] = [
    Rule {
        name: "breaker-not-onto-earth",
        class: Class::Breaker,
        target: Some(Throw::Closed),
        must_be_open: Class::EarthSwitch,
        demand: "The breaker may be closed only while the bay's earth switches are open",
    },
    Rule {
        name: "isolator-not-onto-earth",
        class: Class::Isolator,
        target: Some(Throw::Closed),
        must_be_open: Class::EarthSwitch,
        demand: "The isolator may be closed only while the bay's earth switches are open",
    },
    Rule {
        name: "isolator-without-load",
        class: Class::Isolator,
        target: None,
        must_be_open: Class::Breaker,
        demand: "The isolator may be operated only while the bay's breakers are open",
    },
    Rule {
        name: "earth-behind-open-breaker",
        class: Class::EarthSwitch,
        target: Some(Throw::Closed),
        must_be_open: Class::Breaker,
        demand: "The earth switch may be closed only while the bay's breakers are open",
    },
    Rule {
        name: "earth-behind-open-isolator",
        class: Class::EarthSwitch,
        target: Some(Throw::Closed),
        must_be_open: Class::Isolator,
        demand: "The earth switch may be closed only while the bay's isolators are open",
    },
];

/// The result of a rule for one operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The rule's name.
    pub rule: &'static str,
    /// The condition and, if it is not fulfilled, the switches that violate it.
    pub message: String,
    /// Whether the rule permits the operation.
    pub fulfilled: bool,
}

/// Returns the verdict of every rule that applies to moving `asset` to `target`, over all switches of its substation. Empty if `asset` is not
/// among them.
pub fn verdicts(asset: AssetId, target: Throw, switches: &[Switch]) -> Vec<Verdict> {
    let Some(own) = switches.iter().find(|switch| switch.asset == asset) else { return Vec::new() };
    let rules = RULES.iter().filter(|rule| own.class.counts_as(rule.class) && rule.target.is_none_or(|only| only == target));
    rules.map(|rule| verdict(rule, own, switches)).collect()
}

fn verdict(rule: &Rule, own: &Switch, switches: &[Switch]) -> Verdict {
    let beside = switches.iter().filter(|other| other.bay == own.bay && other.asset != own.asset);
    let in_bay = beside.filter(|other| other.class.counts_as(rule.must_be_open));
    let against: Vec<String> = in_bay.filter(|other| !other.is_open()).map(describe).collect();
    let fulfilled = against.is_empty();
    let message = if fulfilled { format!("{}.", rule.demand) } else { format!("{}: {}.", rule.demand, against.join(", ")) };
    Verdict { rule: rule.name, message, fulfilled }
}

fn describe(switch: &Switch) -> String {
    match switch.position {
        Some(Position::Closed) if matches!(switch.quality, Quality::Good | Quality::Substituted) => format!("{} is closed", switch.name),
        _ => format!("the position of {} is not known for certain", switch.name),
    }
}

/// The rule of the network that sources are joined only with a check of their synchronism.
pub const SYNCHRONISM_RULE: &str = "network-sources-not-joined";

/// Returns one refusal for each rule that is not fulfilled.
pub fn refusals(verdicts: &[Verdict]) -> Vec<Refusal> {
    let broken = verdicts.iter().filter(|verdict| !verdict.fulfilled);
    let cause = |verdict: &Verdict| match verdict.rule {
        SYNCHRONISM_RULE => AddCause::BlockedBySynchrocheck,
        _ => AddCause::BlockedByInterlocking,
    };
    broken.map(|verdict| cause(verdict).because(&verdict.message)).collect()
}

/// A switch that is reserved or in operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Busy {
    /// The asset.
    pub asset: AssetId,
    /// Its name.
    pub name: String,
    /// Its bay.
    pub bay: String,
}

/// Returns the other switch of `bay` that is reserved or in operation: only one operation per bay is permitted.
pub fn busy<'a>(asset: AssetId, bay: &str, active: &'a [Busy]) -> Option<&'a Busy> {
    active.iter().find(|other| other.asset != asset && other.bay == bay)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CB: AssetId = AssetId(1);
    const IS: AssetId = AssetId(2);
    const ES: AssetId = AssetId(3);

    fn switch(asset: AssetId, bay: &str, class: Class, position: Option<Position>, quality: Quality) -> Switch {
        Switch { asset, name: format!("SW{asset}"), bay: bay.into(), class, position, quality }
    }

    fn bay(cb: Position, is: Position, es: Position) -> Vec<Switch> {
        vec![
            switch(CB, "F1", Class::Breaker, Some(cb), Quality::Good),
            switch(IS, "F1", Class::Isolator, Some(is), Quality::Good),
            switch(ES, "F1", Class::EarthSwitch, Some(es), Quality::Good),
            // These are in another bay and have no effect here.
            switch(AssetId(9), "F2", Class::EarthSwitch, Some(Position::Closed), Quality::Good),
            switch(AssetId(8), "F2", Class::Breaker, Some(Position::Closed), Quality::Good),
        ]
    }

    fn broken(asset: AssetId, target: Throw, switches: &[Switch]) -> Vec<&'static str> {
        verdicts(asset, target, switches).into_iter().filter(|verdict| !verdict.fulfilled).map(|verdict| verdict.rule).collect()
    }

    #[test]
    fn each_rule_forbids_what_it_is_for_and_nothing_else() {
        use Position::{Closed as C, Open as O};
        let none: &[&str] = &[];
        let cases: [(_, _, _, _, _, &[&str]); 11] = [
            (CB, Throw::Closed, O, C, O, none),
            (CB, Throw::Closed, O, O, C, &["breaker-not-onto-earth"]),
            (CB, Throw::Open, C, C, C, none),
            (IS, Throw::Open, O, C, O, none),
            (IS, Throw::Open, C, C, O, &["isolator-without-load"]),
            (IS, Throw::Closed, C, O, O, &["isolator-without-load"]),
            (IS, Throw::Closed, O, O, C, &["isolator-not-onto-earth"]),
            (IS, Throw::Open, O, C, C, none),
            (ES, Throw::Closed, O, O, O, none),
            (ES, Throw::Closed, C, C, O, &["earth-behind-open-breaker", "earth-behind-open-isolator"]),
            (ES, Throw::Open, C, C, C, none),
        ];
        for (asset, target, cb, is, es, expected) in cases {
            assert_eq!(broken(asset, target, &bay(cb, is, es)), expected, "{asset} {target:?} with {cb:?} {is:?} {es:?}");
        }
    }

    #[test]
    fn what_may_be_either_counts_as_both() {
        use Position::{Closed as C, Open as O};
        let none: &[&str] = &[];
        let at = |index: usize, cb, is, es| {
            let mut switches = bay(cb, is, es);
            switches[index].class = Class::IsolatorOrEarthSwitch;
            switches
        };
        // An earth switch that the registry does not identify as one.
        assert_eq!(broken(CB, Throw::Closed, &at(2, O, C, C)), ["breaker-not-onto-earth"]);
        assert_eq!(broken(CB, Throw::Closed, &at(2, O, C, O)), none);
        assert_eq!(broken(CB, Throw::Open, &at(2, C, C, C)), none);
        assert_eq!(broken(IS, Throw::Closed, &at(2, O, O, C)), ["isolator-not-onto-earth"]);
        assert_eq!(broken(ES, Throw::Open, &at(2, C, C, C)), ["isolator-without-load"]);
        let both = ["isolator-without-load", "earth-behind-open-breaker", "earth-behind-open-isolator"];
        assert_eq!(broken(ES, Throw::Closed, &at(2, C, C, O)), both);
        // An isolator that the registry does not identify as one: earthing behind it is not permitted.
        assert_eq!(broken(ES, Throw::Closed, &at(1, O, C, O)), ["earth-behind-open-isolator"]);
        assert_eq!(broken(CB, Throw::Closed, &at(1, O, C, O)), ["breaker-not-onto-earth"]);
    }

    #[test]
    fn a_position_that_is_not_certain_fulfils_nothing() {
        let doubtful = [
            (Some(Position::Intermediate), Quality::Good),
            (Some(Position::Bad), Quality::Good),
            (Some(Position::Open), Quality::Stale),
            (Some(Position::Open), Quality::CommLost),
            (Some(Position::Open), Quality::Substituted),
            (None, Quality::Never),
        ];
        for (position, quality) in doubtful {
            let mut switches = bay(Position::Open, Position::Closed, Position::Open);
            switches[2] = switch(ES, "F1", Class::EarthSwitch, position, quality);
            let verdicts = verdicts(CB, Throw::Closed, &switches);
            let refusals = refusals(&verdicts);
            assert_eq!(refusals.len(), 1, "{position:?} {quality:?}");
            assert_eq!(refusals[0].cause, AddCause::BlockedByInterlocking);
            assert!(refusals[0].message.ends_with("the position of SW3 is not known for certain."), "{}", refusals[0].message);
        }
    }

    #[test]
    fn a_bay_takes_one_operation_at_a_time() {
        let active = [Busy { asset: IS, name: "F1IS".into(), bay: "F1".into() }];
        assert_eq!(busy(CB, "F1", &active), Some(&active[0]));
        assert_eq!(busy(IS, "F1", &active), None, "its own command is the reservation's business");
        assert_eq!(busy(CB, "F2", &active), None);
    }

    #[test]
    fn drawn_classes_are_sorted() {
        assert_eq!(Class::of("isolator", Some("earthSwitchDown")), Some(Class::EarthSwitch));
        assert_eq!(Class::of("isolator", Some("isolator")), Some(Class::Isolator));
        assert_eq!(Class::of("breaker", Some("earthSwitchDown")), Some(Class::EarthSwitch));
        assert_eq!(Class::of("breaker", Some("isolator")), Some(Class::Breaker));
        assert_eq!(Class::of("disconnector", None), Some(Class::Isolator));
        assert_eq!(Class::of("recloser", None), Some(Class::Breaker));
        assert_eq!(Class::of("earthSwitch", None), Some(Class::EarthSwitch));
        assert_eq!(Class::of("earthSwitch", Some("isolator")), Some(Class::EarthSwitch), "the register counts");
        for category in [None, Some(""), Some("disconnector")] {
            assert_eq!(Class::of("isolator", category), Some(Class::IsolatorOrEarthSwitch), "{category:?}");
        }
        assert_eq!(Class::of("breaker", None), Some(Class::Breaker));
        assert_eq!(Class::of("relay", Some("relay")), None);
    }
}
