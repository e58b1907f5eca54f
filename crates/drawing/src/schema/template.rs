//! A bay template as written in a file.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Parameter;

/// A bay template.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Template {
    /// Its parameters with defaults; null if the bay must give a value. A default can use parameters that come before it in the alphabet or have no default.
    #[serde(default)]
    #[schemars(extend("maxProperties" = 40))]
    pub parameters: BTreeMap<String, Option<Parameter>>,
    /// Its elements as in a drawing, with positions relative to the bay, ids that become `bay/id`, and `{parameter}` in texts.
    #[schemars(length(max = 200))]
    pub elements: Vec<Map<String, Value>>,
}
