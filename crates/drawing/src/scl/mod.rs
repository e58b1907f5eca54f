//! SCL.
