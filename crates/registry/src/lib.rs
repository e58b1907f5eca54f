//! Holds the registry in memory: the utilities, their hierarchy, assets, gateways and points.
//!
//! A service loads it with [`follow`], which then follows the log that each change writes in its own transaction
//! (`store::registry_log`). A notice of the database triggers a read; a read every ten seconds covers lost notices.
//!
//! Readers get an [`Image`], which never changes and may be kept for the duration of an operation. A changed point
//! replaces only that point; the old and the new image share everything else.
//!
//! [`Networks`] has the network of each utility in the version that is active.
//!
//! The state of links (online or not, since when) is not part of the registry: it is live state. Services take it from
//! the bus; [`Field`] adds what the database has of it, at most two seconds old.

mod active_network;
mod area_places;
mod boundary;
mod codes;
mod entered_positions;
mod entered_values;
mod field;
mod follow;
mod image;
mod network_customers;
mod network_feeders;
mod networks;
mod page;
mod present;
mod station_codes;
mod temporary;
mod utility;

pub use active_network::{ActiveNetwork, EquipmentPoints, MeasuredAt};
pub use entered_values::{EnteredValues, ShownEntry, entered_values};
pub use field::{Field, Fields, Link};
pub use follow::{FirstRead, FollowSettings, Registry, follow, start_following};
pub use image::{Differences, Gateway, Image};
pub use network_feeders::NetworkFeeders;
pub use networks::{ActiveNetworks, Networks, UnavailableNetworks};
pub use present::{BoundPositions, Place, PresentNetwork, Unreported};
pub use temporary::NetworkIdentity;
pub use utility::Utility;
