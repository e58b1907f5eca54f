//! The document of the api.

pub(crate) mod openapi_json;
