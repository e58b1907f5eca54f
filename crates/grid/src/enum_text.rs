//! Enums without data and their texts in the database and on the wire. One declaration defines the conversion in both
//! directions.
//!
//! It is a macro of ours because `grid` has no dependencies.

/// Declares the text of each variant of an enum: `ALL`, `as_str` and `parse`.
///
/// Two variants with the same text do not compile, so `parse` returns the variant of every `as_str`.
#[macro_export]
macro_rules! enum_text {
    ($(#[$about:meta])* $name:ident { $($variant:ident = $text:literal),+ $(,)? }) => {
        impl $name {
            /// All variants.
            pub const ALL: [Self; [$($text),+].len()] = [$(Self::$variant),+];

            $(#[$about])*
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text),+ }
            }

            /// Returns the variant of a text; `None` if no variant has it.
            pub fn parse(text: &str) -> Option<Self> {
                match text {
                    $($text => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }

        const _: () = assert!($crate::texts_differ(&[$($text),+]), "two variants have the same text");
    };
}

/// Whether no two of the texts are equal. For [`enum_text!`], at compile time.
#[doc(hidden)]
pub const fn texts_differ(texts: &[&str]) -> bool {
    let mut one = 0;
    while one < texts.len() {
        let mut other = one + 1;
        while other < texts.len() {
            if are_equal(texts[one].as_bytes(), texts[other].as_bytes()) {
                return false;
            }
            other += 1;
        }
        one += 1;
    }
    true
}

const fn are_equal(one: &[u8], other: &[u8]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    let mut at = 0;
    while at < one.len() {
        if one[at] != other[at] {
            return false;
        }
        at += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::texts_differ;

    macro_rules! assert_round_trips {
        ($($name:path),+ $(,)?) => {$({
            use $name as Enum;
            for variant in Enum::ALL {
                assert_eq!(Enum::parse(variant.as_str()), Some(variant), "{}: {variant:?}", stringify!($name));
            }
            assert_eq!(Enum::parse("no such text"), None, stringify!($name));
        })+};
    }

    #[test]
    fn every_text_parses_to_its_variant() {
        assert_round_trips!(
            crate::alarm::State,
            crate::alarm::AlarmKind,
            crate::alarm::Change,
            crate::area::handover::RequestKind,
            crate::area::handover::RequestEnd,
            crate::area::handover::HeldSince,
            crate::outage::Cause,
            crate::position::Encoding,
            crate::control::tag::TagKind,
            crate::control::Mode,
            crate::control::State,
            crate::control::Action,
            crate::control::GatewayAnswer,
            crate::forecast::Measure,
            crate::forecast::Method,
            crate::cable_health::HealthIndex,
            crate::cable_health::Criticality,
            crate::cable_health::Insulation,
            crate::cable_health::Metal,
            crate::cable_health::Conductor,
            crate::cable_health::Sheath,
            crate::cable_health::Discharge,
            crate::cable_health::Leakage,
            crate::protection::Curve,
            crate::protection::Element,
            crate::thermal::Cooling,
            crate::thermal::Regime,
            crate::thermal::Paper
        );
    }

    #[test]
    fn equal_texts_are_found() {
        assert!(texts_differ(&[]) && texts_differ(&["a", "ab", "b", ""]));
        assert!(!texts_differ(&["a", "b", "a"]));
    }
}
