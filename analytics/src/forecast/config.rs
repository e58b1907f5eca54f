//! How forecasts are issued.

/// How the service works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ForecastConfig {
    /// Hours between two issues, 1 to 24; 0: none are issued.
    pub every_h: u32,
    /// Days before now that are made up where nothing was issued.
    pub backcast_days: u32,
    /// Days that forecasts are kept; 0: for ever.
    pub keep_days: u32,
}
