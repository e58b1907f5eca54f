//! The calls about a person's own second factor: codes of the time (RFC 6238) beside the password.

use serde::{Deserialize, Serialize};

/// What a call needs in addition to the password; in `result` of its refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Wanted {
    /// The password is right, and a code is needed: send the same again with `otp`.
    SecondFactorRequired,
    /// The code is wrong, too old, or was taken already.
    SecondFactorWrong,
    /// The role must have a second factor: in this session one can be set up, and nothing else done.
    SecondFactorSetup,
}

/// `result` of such a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Want {
    /// The missing part.
    pub code: Wanted,
}

/// Whether the caller has a second factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SecondFactorState {
    /// Whether the user has a second factor.
    pub on: bool,
    /// Whether one can be set up.
    pub offered: bool,
    /// Whether the caller's role must have one.
    pub required: bool,
    /// Recovery codes that are left.
    pub recovery_codes_left: i64,
}

/// The caller's password, once more.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct OwnPassword {
    /// The password.
    pub password: String,
}

/// The caller's password again, and a code if the caller has a second factor.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct OwnProof {
    /// The password.
    pub password: String,
    /// Six digits, or a recovery code.
    #[serde(default)]
    pub otp: Option<String>,
}

/// The secret for the user's device, which is shown only once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SecondFactorSecret {
    /// Base32, to be typed.
    pub secret: String,
    /// The same for a QR code: `otpauth://totp/…`.
    pub uri: String,
    /// Digits of a code.
    pub digits: u8,
    /// How long a code is valid, s.
    pub period_s: u64,
}

/// A code from the device.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Otp {
    /// Six digits.
    pub otp: String,
}

/// Codes for when the device is lost, shown this once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct RecoveryCodes {
    /// Each code works once, instead of `otp`.
    pub codes: Vec<String>,
}
