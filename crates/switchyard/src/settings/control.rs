//! The settings of commands to gateways.

use std::path::PathBuf;

use anyhow::Context;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;

/// Commands to gateways.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Control {
    /// File with the key that signs commands; empty: commands are not signed.
    pub signing_key_file: PathBuf,
}

impl Control {
    /// Returns the key, if there is one.
    pub(crate) fn signing_key(&self) -> anyhow::Result<Option<control::SigningKey>> {
        if self.signing_key_file.as_os_str().is_empty() {
            return Ok(None);
        }
        let name = || format!("control.signing_key_file: {}", self.signing_key_file.display());
        let text = std::fs::read(&self.signing_key_file).with_context(name)?;
        let bytes = STANDARD.decode(text.trim_ascii()).with_context(name)?;
        let bytes: [u8; 32] = bytes.try_into().ok().context("must hold 32 bytes in base64").with_context(name)?;
        Ok(Some(control::SigningKey::from_bytes(&bytes)))
    }
}
