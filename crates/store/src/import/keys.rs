//! Keys of nodes and assets, before and after they have an id.

use std::collections::HashMap;
use std::fmt;
use std::hash::Hash;

use grid::Level;

use crate::{Error, Result};

/// Key of a node: level and code.
pub(super) type NodeKey = (Level, String);
/// Key of an asset: id of its substation, and code.
pub(super) type AssetKey = (i64, String);

pub(super) fn id_of<K: Eq + Hash + fmt::Debug>(ids: &HashMap<K, i64>, key: &K) -> Result<i64> {
    ids.get(key).copied().ok_or_else(|| Error::Unreadable(format!("{key:?} was put and did not come back")))
}
