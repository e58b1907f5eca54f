//! Between the database's types and the domain's.
