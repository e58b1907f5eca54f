//! Holds the registry in memory: the utilities, their hierarchy, assets, gateways and points.
//!
//! A service loads it once with [`follow`] and then follows the log that each change writes in its own transaction (`store::registry_log`). A notice of the
//! database says when to look; a look every few seconds covers notices that were lost. Readers get an [`Image`], which never changes: they may keep it for as
//! long as a piece of work takes. One changed point replaces one point; everything else is shared between the old image and the new one.
//!
//! The state of links (online or not, since when) is not part of the registry: it is live state, and comes from the bus.

mod field;
mod follow;
mod image;
mod page;
mod utility;

pub use field::{Field, Fields};
pub use follow::{FollowSettings, Registry, follow};
pub use image::{Differences, Gateway, Image};
pub use utility::Utility;
