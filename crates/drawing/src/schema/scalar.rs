//! Numbers and texts with limits, which are checked when they are parsed.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

macro_rules! number {
    ($(#[$doc:meta])* $name:ident, $min:expr, $max:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
        #[serde(try_from = "f64", into = "f64")]
        pub struct $name(f64);

        impl $name {
            /// Returns the number.
            pub fn get(self) -> f64 {
                self.0
            }

            /// Returns the nearest permitted number. A number that is not finite becomes 0, or the smallest permitted
            /// one.
            pub fn nearest(number: f64) -> Self {
                let (min, max): (f64, f64) = ($min, $max);
                Self(if number.is_finite() { number.clamp(min, max) } else { 0.0_f64.clamp(min, max) })
            }
        }

        impl TryFrom<f64> for $name {
            type Error = String;

            fn try_from(number: f64) -> Result<Self, String> {
                if ($min..=$max).contains(&number) { Ok(Self(number)) } else { Err(format!("{number} is not between {} and {}", $min, $max)) }
            }
        }

        impl From<$name> for f64 {
            fn from(number: $name) -> f64 {
                number.0
            }
        }

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "number", "minimum": $min, "maximum": $max })
            }
        }
    };
}

number!(
    /// A coordinate on the sheet, in drawing units; y increases downwards.
    Coordinate, -1_000_000.0, 1_000_000.0
);
number!(
    /// Width or height of a sheet, in drawing units.
    Extent, 1.0, 1_000_000.0
);
number!(
    /// A nominal voltage, kV.
    Kv, 0.001, 1_500.0
);
number!(
    /// A rated power, MVA or MVAr.
    Rating, 0.0, 10_000.0
);

number!(
    /// A load, kW.
    Kilowatts, 0.0, 10_000_000.0
);

macro_rules! text {
    ($(#[$doc:meta])* $name:ident, $min:literal, $max:literal $(, $part:literal)?) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// Returns the text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $name {
            type Error = String;

            fn try_from(text: String) -> Result<Self, String> {
                let length = text.chars().count();
                if !($min..=$max).contains(&length) {
                    return Err(format!("{} has {length} characters, allowed are {} to {}", crate::fault::shown(&text), $min, $max));
                }
                if text.chars().any(char::is_control) {
                    return Err(format!("{} has control characters", crate::fault::shown(&text)));
                }
                $(if !text.contains($part) {
                    return Err(format!("{} has no {:?}", crate::fault::shown(&text), $part));
                })?
                Ok(Self(text))
            }
        }

        impl TryFrom<&str> for $name {
            type Error = String;

            fn try_from(text: &str) -> Result<Self, String> {
                Self::try_from(text.to_owned())
            }
        }

        impl From<$name> for String {
            fn from(text: $name) -> String {
                text.0
            }
        }

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                #[allow(unused_mut, unused_assignments, reason = "a text with a part in it is described anew; most have none")]
                let mut pattern = "^[^\\x00-\\x1f\\x7f-\\x9f]*$".to_owned();
                $(pattern = format!("^[^\\x00-\\x1f\\x7f-\\x9f]*{}[^\\x00-\\x1f\\x7f-\\x9f]*$", $part);)?
                json_schema!({ "type": "string", "minLength": $min, "maxLength": $max, "pattern": pattern })
            }
        }
    };
}

text!(
    /// The id of an element, unique within its drawing.
    Id, 1, 128
);
text!(
    /// The code of an asset of the substation.
    AssetCode, 1, 64
);
text!(
    /// The id of equipment in the network model.
    EquipmentRef, 1, 200
);
text!(
    /// The address of a point: `device/metric`, such as `F1/F1CB/Pos`.
    Address, 3, 200, '/'
);
text!(
    /// The name of a node, such as the path of a connectivity node.
    NodeName, 1, 200
);
text!(
    /// A name for users.
    Name, 0, 200
);
text!(
    /// A second line of text below a name.
    Label, 0, 200
);
text!(
    /// A text on the sheet.
    Note, 1, 500
);
text!(
    /// A unit, such as `A` or `°C oil`.
    Unit, 0, 24
);
text!(
    /// A device number of IEEE C37.2, such as `51`.
    Ansi, 1, 8
);
text!(
    /// A vector group, such as `Dyn11`.
    VectorGroup, 1, 16
);

/// Shortens texts of imported files to the permitted length.
macro_rules! shortened {
    ($($name:ident: $max:literal),*) => {
        $(impl $name {
            /// Returns as much of a text as is permitted, without control characters.
            pub fn shortened(text: &str) -> Self {
                Self(text.chars().filter(|letter| !letter.is_control()).take($max).collect())
            }
        })*
    };
}

shortened!(Name: 200, Label: 200);
