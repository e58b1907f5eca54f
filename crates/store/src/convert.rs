//! Conversion between types of the database and of the domain.

use std::error::Error as StdError;

use bytes::{BufMut, BytesMut};
use grid::point::PointKind;
use grid::position::Encoding;
use grid::{Micros, Ordinal, Quality, Reading};
use postgres_types::{FromSql, IsNull, ToSql, Type, accepts, to_sql_checked};
use tokio_postgres::Row;

use crate::{Error, Result};

/// Returns the text of a statement by its path under `sql/`. Several files are joined: text that several statements share has a file of its own, and the last
/// path is the statement.
macro_rules! sql {
    ($($path:literal),+) => {
        concat!($(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/sql/", $path, ".sql"))),+)
    };
}
pub(crate) use sql;

/// A time as timestamptz. Both are 64-bit microseconds and differ only in their epoch, so no calendar is involved.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stamp(pub(crate) Micros);

/// The epoch of PostgreSQL, 2000-01-01 00:00 UTC, in µs since 1970.
const POSTGRES_EPOCH: i64 = 946_684_800_000_000;
/// Latest time that can be stored, µs since 1970. PostgreSQL accepts years up to 294276 AD (manual, table 8.9); half of that is later than any device's clock.
const LARGEST: i64 = 4_000_000_000_000_000_000;
/// Earliest time that can be stored, µs since 1970: year 1. Before it, text formats and calendars differ.
pub(crate) const SMALLEST: i64 = -62_135_596_800_000_000;

/// Returns whether a time can be stored.
pub(crate) fn is_storable(instant: Micros) -> bool {
    (SMALLEST..=LARGEST).contains(&instant.0)
}

impl Stamp {
    /// Returns the value in PostgreSQL's binary format.
    pub(crate) fn encoded(self) -> Result<i64> {
        if is_storable(self.0) {
            return Ok(self.0.0 - POSTGRES_EPOCH);
        }
        Err(Error::Data(format!("{} µs is no time that can be stored", self.0.0)))
    }
}

impl ToSql for Stamp {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn StdError + Sync + Send>> {
        out.put_i64(self.encoded()?);
        Ok(IsNull::No)
    }

    accepts!(TIMESTAMPTZ);
    to_sql_checked!();
}

impl FromSql<'_> for Stamp {
    fn from_sql(_: &Type, raw: &[u8]) -> Result<Self, Box<dyn StdError + Sync + Send>> {
        let since_2000 = i64::from_be_bytes(raw.try_into()?);
        Ok(Self(Micros(since_2000.saturating_add(POSTGRES_EPOCH))))
    }

    accepts!(TIMESTAMPTZ);
}

/// Reads a timestamptz column.
pub(crate) fn micros(row: &Row, column: &str) -> Result<Micros> {
    Ok(row.try_get::<_, Stamp>(column)?.0)
}

/// Reads a timestamptz column that may be NULL.
pub(crate) fn micros_or_null(row: &Row, column: &str) -> Result<Option<Micros>> {
    Ok(row.try_get::<_, Option<Stamp>>(column)?.map(|stamp| stamp.0))
}

/// Reads a quality column.
pub(crate) fn quality(row: &Row) -> Result<Quality> {
    let code: i16 = row.try_get("quality")?;
    u8::try_from(code).ok().and_then(Quality::from_code).ok_or_else(|| Error::Unreadable(format!("quality {code}")))
}

/// Reads the columns of a reading, named as in `latest`.
pub(crate) fn reading(row: &Row) -> Result<Reading> {
    Ok(Reading {
        value: row.try_get("value")?,
        quality: quality(row)?,
        source: micros(row, "source_ts")?,
        received: micros(row, "recv_ts")?,
        ordinal: Ordinal { epoch: row.try_get("epoch")?, seq: row.try_get("seq")? },
    })
}

/// The encoding column of a kind of point; `None` for a measurand.
pub(crate) fn encoding_column(kind: PointKind) -> Option<&'static str> {
    match kind {
        PointKind::Measurand => None,
        PointKind::Status(encoding) => Some(encoding.as_str()),
    }
}

/// Reads the encoding column; NULL is a measurand.
pub(crate) fn kind(row: &Row) -> Result<PointKind> {
    let Some(text) = row.try_get::<_, Option<&str>>("encoding")? else { return Ok(PointKind::Measurand) };
    Encoding::parse(text).map(PointKind::Status).ok_or_else(|| Error::Unreadable(format!("encoding {text}")))
}

/// Replaces NUL characters. PostgreSQL's text cannot contain them, but a topic or metric name of an attacker can.
pub(crate) fn without_nul(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instant_survives_and_an_impossible_one_is_refused() {
        for instant in [0, 1, -1, 1_785_000_000_123_456, SMALLEST, LARGEST] {
            let mut bytes = BytesMut::new();
            Stamp(Micros(instant)).to_sql(&Type::TIMESTAMPTZ, &mut bytes).unwrap();
            assert_eq!(Stamp::from_sql(&Type::TIMESTAMPTZ, &bytes).unwrap().0, Micros(instant));
        }
        for instant in [i64::MAX, i64::MIN, SMALLEST - 1] {
            assert!(Stamp(Micros(instant)).to_sql(&Type::TIMESTAMPTZ, &mut BytesMut::new()).is_err());
        }
    }
}
