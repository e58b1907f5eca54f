//! The OpenAPI document.

pub(crate) mod openapi_json;
