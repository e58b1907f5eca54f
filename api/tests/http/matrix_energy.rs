//! Energy and demand for the matrix of routes and roles: feeders that measure them.

use store::Store;

use crate::energy_field::points;
use crate::field::Utility;
use crate::server::Server;

/// Creates registers and a power of the feeder of a utility.
pub(crate) async fn measure(server: &Server, utility: &Utility) {
    let store = Store::connect(server.database.url(), 1).await.expect("connected");
    points(&store, utility, utility.feeder, "F1", &["EImp", "EExp", "P"]).await;
}
