//! Settings of forecasts.

/// Settings of forecasts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ForecastConfig {
    /// Hours between two issues, 1 to 24; 0 disables forecasts.
    pub every_h: u32,
    /// Past days for which backcasts are computed if no forecast was issued.
    pub backcast_days: u32,
    /// Days for which forecasts are kept; 0 for ever.
    pub keep_days: u32,
}
