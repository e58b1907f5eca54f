//! The caller's own second factor: time-based one-time codes (RFC 6238) in addition to the password.

use serde::{Deserialize, Serialize};

/// Why a sign-in or operation with the right password is refused. It is in `result` of the failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum SecondFactorReason {
    /// A code is required: repeat the request with `otp`.
    SecondFactorRequired,
    /// The code is wrong, expired or already used.
    SecondFactorWrong,
    /// The role requires a second factor and the user has none. This session can only set one up.
    SecondFactorSetup,
}

/// `result` of a call that is refused because of the second factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct SecondFactorRefusal {
    /// Why the call is refused.
    pub code: SecondFactorReason,
}

/// State of the caller's second factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SecondFactorState {
    /// Whether the user has a second factor.
    pub on: bool,
    /// Whether a second factor can be set up.
    pub offered: bool,
    /// Whether the caller's role requires a second factor.
    pub required: bool,
    /// Number of unused recovery codes.
    pub recovery_codes_left: i64,
}

/// The caller's password, required again.
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

/// The secret for the user's authenticator device. It is shown only once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SecondFactorSecret {
    /// The secret in Base32, for typing.
    pub secret: String,
    /// The secret as a URI for a QR code: `otpauth://totp/…`.
    pub uri: String,
    /// Number of digits of a code.
    pub digits: u8,
    /// How long a code is valid, s.
    pub period_s: u64,
}

/// A code from the authenticator device.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Otp {
    /// Six digits.
    pub otp: String,
}

/// Recovery codes for a lost authenticator device. They are shown only once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct RecoveryCodes {
    /// The codes. Each one can be used once, in place of `otp`.
    pub codes: Vec<String>,
}
