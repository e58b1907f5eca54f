//! A real database per test, a broker, fixtures. Dev-only.
