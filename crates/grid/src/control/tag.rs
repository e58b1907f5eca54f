//! Tags that users place on a device, a bay or a substation: a caution warns, an inhibit blocks. A device can have several. A caution is active until
//! it is removed or expires. An inhibit is active until it is removed: nobody must find a device operable because time has passed.

use super::{AddCause, Refusal};
use crate::Micros;
use crate::enum_text;

/// The kind of a tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TagKind {
    /// Shown before operating; blocks nothing.
    Caution,
    /// Blocks every operation in both directions.
    Inhibit,
}

enum_text! {
    /// The text in messages and in the database.
    TagKind {
        Caution = "caution",
        Inhibit = "inhibit",
    }
}

/// What a tag covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TagScope {
    /// One device.
    Device,
    /// All switches of a bay, which is a Sparkplug device of a gateway.
    Bay,
    /// All switches of a substation.
    Station,
}

enum_text! {
    /// The text in messages and in the database.
    TagScope {
        Device = "device",
        Bay = "bay",
        Station = "station",
    }
}

/// A tag on a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag {
    /// Its kind.
    pub kind: TagKind,
    /// Name of the user that placed it.
    pub holder: String,
    /// Reason.
    pub reason: String,
    /// When a caution expires; `None` if it stays until it is removed.
    pub expires: Option<Micros>,
}

impl Tag {
    /// Whether it is still active.
    pub fn is_active(&self, now: Micros) -> bool {
        self.kind == TagKind::Inhibit || self.expires.is_none_or(|expires| now < expires)
    }
}

/// Returns one refusal for each active inhibit.
pub fn refusals(tags: &[Tag], now: Micros) -> Vec<Refusal> {
    let blocking = tags.iter().filter(|tag| tag.kind == TagKind::Inhibit && tag.is_active(now));
    blocking.map(|tag| AddCause::BlockedByCommand.because(format!("Tagged by {}: {}", tag.holder, tag.reason))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tag(kind: TagKind, reason: &str, expires: Option<i64>) -> Tag {
        Tag { kind, holder: "A. Nair".into(), reason: reason.into(), expires: expires.map(Micros) }
    }

    #[test]
    fn a_caution_warns_an_inhibit_blocks_and_each_stands_for_itself() {
        let tags = [
            tag(TagKind::Inhibit, "men at work", None),
            tag(TagKind::Inhibit, "hot line", Some(100)),
            tag(TagKind::Caution, "slow spring", Some(100)),
            tag(TagKind::Caution, "new relay", None),
        ];
        let messages = |now: i64| refusals(&tags, Micros(now)).into_iter().map(|refusal| refusal.message).collect::<Vec<_>>();
        assert_eq!(messages(99), ["Tagged by A. Nair: men at work", "Tagged by A. Nair: hot line"]);
        assert_eq!(messages(100), messages(99), "an inhibit never expires by itself");
        assert_eq!([99, 100].map(|now| tags[2].is_active(Micros(now))), [true, false], "a caution does");
        assert_eq!(refusals(&tags[2..], Micros(99)), []);
        assert_eq!(TagKind::parse("inhibit"), Some(TagKind::Inhibit));
    }
}
