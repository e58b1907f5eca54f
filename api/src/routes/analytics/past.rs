//! The period of a request about the past, in days and hours of local time.

use grid::Micros;
use serde::Deserialize;
use wire::time::parse_iso;

use crate::error::Error;

/// The longest period, ms: ten years with up to three leap days.
pub(super) const SPAN_MAX_MS: i64 = 3_653 * 24 * 3_600_000;

/// The period of the answer.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams))]
#[cfg_attr(test, into_params(parameter_in = Query))]
pub(crate) struct Past {
    /// Start; ISO 8601.
    pub(super) from: Option<String>,
    /// End, ISO 8601; default: now, and never later. At most ten years after the start.
    pub(super) to: Option<String>,
}

impl Past {
    /// Parses the period. `from_default` returns the default start for its end.
    pub(super) fn read(&self, now: Micros, from_default: impl FnOnce(Micros) -> Micros) -> Result<(Micros, Micros), Error> {
        let to = instant("to", self.to.as_deref())?.unwrap_or(now).min(now);
        let from = instant("from", self.from.as_deref())?.unwrap_or_else(|| from_default(to));
        if !(1..=SPAN_MAX_MS).contains(&to.millis_since(from)) {
            return Err(Error::BadRequest("from must lie before to and before now, by at most ten years".to_owned()));
        }
        Ok((from, to))
    }
}

/// Parses a time of the query. It must be within the range of the calendar and of the database.
pub(crate) fn instant(name: &str, text: Option<&str>) -> Result<Option<Micros>, Error> {
    /// The accepted times: 1970 to 2199.
    const KNOWN: std::ops::Range<i64> = 0..7_258_118_400_000_000;
    let Some(text) = text.filter(|text| !text.is_empty()) else { return Ok(None) };
    let read = parse_iso(text).filter(|at| KNOWN.contains(&at.0));
    read.map(Some).ok_or_else(|| Error::BadRequest(format!("{name} must be a time such as 2026-11-03T08:00:00Z, between 1970 and 2200")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Micros {
        parse_iso(text).expect("a time")
    }

    #[test]
    fn a_span_lies_in_the_past_and_is_bounded() {
        let now = at("2026-11-22T10:00:00Z");
        let read = |from: Option<&str>, to: Option<&str>| {
            let past = Past { from: from.map(str::to_owned), to: to.map(str::to_owned) };
            past.read(now, |to| to.plus_millis(-1_000)).ok()
        };
        assert_eq!(read(None, None), Some((now.plus_millis(-1_000), now)));
        assert_eq!(read(None, Some("2030-01-01T00:00:00Z")), Some((now.plus_millis(-1_000), now)), "what is to come is not asked for");
        let (from, to) = ("2026-11-01T00:00:00Z", "2026-11-02T05:30:00+05:30");
        assert_eq!(read(Some(from), Some(to)), Some((at(from), at(to))));
        for (from, to) in
            [(to, from), (from, from), ("2027-01-01T00:00:00Z", "2028-01-01T00:00:00Z"), ("1990-01-01T00:00:00Z", from), ("soon", to)]
        {
            assert_eq!(read(Some(from), Some(to)), None, "{from} to {to}");
        }
    }
}
