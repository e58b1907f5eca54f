//! The form of enums in files: their texts.

/// Implements the traits of serde for an enum of [`grid::enum_text!`] with its texts.
#[macro_export]
#[doc(hidden)]
macro_rules! as_text {
    ($name:ident) => {
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
                Self::parse(&text).ok_or_else(|| {
                    let allowed = Self::ALL.map(Self::as_str).join(", ");
                    serde::de::Error::custom(format!("{text:?} is not known; allowed are {allowed}"))
                })
            }
        }
    };
}
