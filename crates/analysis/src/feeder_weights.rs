//! The weights of feeders in the reliability indices, by the utility's configuration.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use grid::{AssetId, NodeId};
use identity::View;
use registry::NetworkFeeders;
use store::Store;
use store::outage::FeederSupply;
use store::registry::AssetRecord;
use wire::reliability::{ReliabilityConfiguration, Weighting};

use crate::error::Error;

/// Asset type of a feeder (specification 2, section 9).
pub(crate) const FEEDER: i32 = 1;

/// A feeder with its weight in the indices.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FeederWeight {
    /// Customers, connected kVA, or 1, as the utility configures; `None` if unknown.
    pub(crate) weight: Option<f64>,
    /// The reason why the feeder is not included; `None` if it is included.
    pub(crate) excluded: Option<&'static str>,
    pub(crate) location: NodeId,
}

/// The data on which the weights of a utility's feeders depend.
#[derive(Debug)]
pub(crate) struct FeederWeights {
    weighting: Weighting,
    exclude_agricultural: bool,
    /// The feeders that supply another substation.
    feeds: HashSet<AssetId>,
    supplies: HashMap<AssetId, FeederSupply>,
    /// The feeders of the active network.
    by_network: Arc<NetworkFeeders>,
}

impl FeederWeights {
    pub(crate) async fn read(store: &Store, view: &View, configuration: &ReliabilityConfiguration) -> Result<Self, Error> {
        let client = view.principal.client;
        let (feeds, supplies) = (store.feeds(client).await?, store.feeder_supplies(client).await?);
        Ok(Self {
            weighting: configuration.weighting,
            exclude_agricultural: configuration.exclude_agricultural,
            feeds: feeds.into_iter().map(|(feeder, _)| feeder).collect(),
            supplies: supplies.into_iter().map(|supply| (supply.asset, supply)).collect(),
            by_network: view.field.network_feeders(),
        })
    }

    /// Returns the weight of a feeder. Customers are those of its consumers in the active network. A feeder without consumers in it has the entered number.
    pub(crate) fn of(&self, asset: &AssetRecord) -> FeederWeight {
        let supply = self.supplies.get(&asset.id);
        let weight = match self.weighting {
            Weighting::Customers => {
                let by_network = self.by_network.customers(asset.id).map(|customers| customers as f64);
                by_network.or_else(|| asset.known_customers().map(f64::from))
            }
            Weighting::ConnectedKva => supply.and_then(|supply| supply.connected_kva),
            Weighting::Feeders => Some(1.0),
        };
        let excluded = if self.feeds.contains(&asset.id) {
            Some("feeds_substation")
        } else {
            (self.exclude_agricultural && supply.is_some_and(|supply| supply.agricultural)).then_some("agricultural")
        };
        FeederWeight { weight, excluded, location: asset.location }
    }
}
