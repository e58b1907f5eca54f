//! The data of a substation in the registry that are needed for its network.

/// A substation with its data in the registry.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Station {
    /// Its code. It begins the ids of the derived parts.
    pub code: String,
    /// Its name.
    pub name: String,
    /// Longitude and latitude, degrees (WGS 84).
    pub place: Option<[f64; 2]>,
    /// Its assets.
    pub assets: Vec<StationAsset>,
    /// Its points.
    pub points: Vec<StationPoint>,
}

/// An asset of a substation.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StationAsset {
    /// Its code.
    pub code: String,
    /// Its name.
    pub name: String,
    /// Nominal voltage, kV.
    pub kv: Option<f64>,
    /// The number of customers that it supplies.
    pub customers: u64,
}

/// A point of a substation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StationPoint {
    /// The code of its gateway.
    pub gateway: String,
    /// Its address in drawings, `device/metric`.
    pub address: String,
    /// The code of the measured quantity, such as `Pos` or `Ir`.
    pub code: String,
    /// The code of its asset.
    pub asset: String,
    /// Whether it is a measured value and not a position or a signal.
    pub is_measurand: bool,
}
