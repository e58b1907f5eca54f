//! Areas with the statistics of their feeders: how many distribution transformers, customers, lengths and sizes.
//!
//! A figure marked [read] was read in the source, one marked [recalled] is from memory and was not checked, one marked [own] is this project's choice.
//!
//! - **Shares of areas**: 15 percent of the 15.1 million distribution transformers of India are in towns, 85 percent in the country (Central Electricity
//!   Authority, status of metering, March 2024) [read].
//! - **Lengths**: of 476,000 km of distribution lines in Telangana, 66 percent are low voltage, 30 percent 11 kV and 4 percent 33 kV, for 12 million
//!   customers (Power Line, June 2017) [read]. These are 26 m of low voltage, 12 m of 11 kV and 1.6 m of 33 kV a customer.
//! - **Transformers**: the same utilities have 47,108 MVA, of which 54 percent are distribution transformers [read]: 2.1 kVA a customer. Ratings are those
//!   of IS 1180.
//! - **Customers**: 73 percent residential, 16 percent agricultural, 9 percent commercial, 1 percent industrial (the same) [read].
//! - **Customers with transformers of their own**: the median utility of Europe has one for each 354 customers at low voltage (Joint Research Centre,
//!   DSO Observatory, EUR 27927, 2016) [read].
//! - **Customers of a transformer**: about 76 for the median utility of Europe (the same report) [recalled], 20 to 50 for utilities of India, more than 150
//!   in cities [recalled]. A pump set has 5 HP [recalled].
//! - **Low-voltage lines** of a transformer reach 200 to 300 m, up to 1,500 m (studies of German networks cited by the project ding0) [read].
//! - **Feeders**: 11 kV feeders are cables with ring-main units in cities, and overhead lines with branches elsewhere; numbers of transformers, ways
//!   and poles [own], chosen so that the lengths and ratings above result.

/// The kind of area that a feeder supplies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SupplyArea {
    /// A city: cables and ring-main units.
    City,
    /// A small town: overhead lines.
    Town,
    /// Villages: long overhead lines with many branches.
    Village,
    /// Fields with pump sets.
    Pumps,
    /// Factories, each with a transformer of its own.
    Works,
}

/// The description of a feeder with its low-voltage networks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FeederDetail {
    /// The kind of its area.
    pub area: SupplyArea,
    /// The number of its distribution transformers.
    pub transformers: u32,
}

/// The statistics of the feeders of an area. Ranges are inclusive.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct AreaStatistics {
    /// Distribution transformers of a feeder.
    pub(super) transformers: (u32, u32),
    /// Customers of a distribution transformer.
    pub(super) customers: (u32, u32),
    /// The load of a customer at the time of the highest total load, kW.
    pub(super) kw: f64,
    /// Distance between transformers of the trunk, km.
    pub(super) trunk_km: (f64, f64),
    /// Distance between transformers of a branch, km.
    pub(super) branch_km: f64,
    /// The share of the transformers that are on branches.
    pub(super) on_branches: f64,
    /// Transformers of a branch.
    pub(super) branch: usize,
    /// Whether the transformers are at ring-main units; otherwise they are on poles, with a switch in the line after every few transformers.
    pub(super) has_ring_main_units: bool,
    /// Low-voltage ways of a transformer; 0 if its only customer is at the transformer.
    pub(super) ways: u32,
    /// Poles with service connections of a way.
    pub(super) poles: (u32, u32),
    /// Distance between poles with service connections, km.
    pub(super) pole_km: f64,
    /// Length of a service connection, km.
    pub(super) service_km: f64,
}

impl SupplyArea {
    /// Returns the statistics.
    pub(super) const fn statistics(self) -> AreaStatistics {
        match self {
            Self::City => AreaStatistics {
                transformers: (12, 16),
                customers: (150, 190),
                kw: 1.1,
                trunk_km: (0.22, 0.38),
                branch_km: 0.25,
                on_branches: 0.2,
                branch: 1,
                has_ring_main_units: true,
                ways: 4,
                poles: (6, 8),
                pole_km: 0.05,
                service_km: 0.02,
            },
            Self::Town => AreaStatistics {
                transformers: (16, 20),
                customers: (48, 72),
                kw: 1.0,
                trunk_km: (0.3, 0.5),
                branch_km: 0.35,
                on_branches: 0.4,
                branch: 2,
                has_ring_main_units: false,
                ways: 3,
                poles: (5, 7),
                pole_km: 0.065,
                service_km: 0.02,
            },
            Self::Village => AreaStatistics {
                transformers: (22, 28),
                customers: (18, 32),
                kw: 0.6,
                trunk_km: (0.7, 1.1),
                branch_km: 0.7,
                on_branches: 0.55,
                branch: 3,
                has_ring_main_units: false,
                ways: 2,
                poles: (6, 8),
                pole_km: 0.085,
                service_km: 0.025,
            },
            Self::Pumps => AreaStatistics {
                transformers: (26, 34),
                customers: (6, 10),
                kw: 3.2,
                trunk_km: (0.5, 0.8),
                branch_km: 0.6,
                on_branches: 0.5,
                branch: 3,
                has_ring_main_units: false,
                ways: 2,
                poles: (4, 5),
                pole_km: 0.13,
                service_km: 0.03,
            },
            Self::Works => AreaStatistics {
                transformers: (14, 20),
                customers: (1, 1),
                kw: 150.0,
                trunk_km: (0.2, 0.35),
                branch_km: 0.3,
                on_branches: 0.2,
                branch: 1,
                has_ring_main_units: true,
                ways: 0,
                poles: (0, 0),
                pole_km: 0.0,
                service_km: 0.0,
            },
        }
    }
}
