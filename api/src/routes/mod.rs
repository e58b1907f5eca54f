//! The handlers, a folder an area of the api and a file a call: parse, decide, read, reply.

pub(crate) mod admin;
pub(crate) mod analytics;
pub(crate) mod app;
pub(crate) mod appsconfig;
pub(crate) mod asset;
pub(crate) mod assethealth;
pub(crate) mod audit;
pub(crate) mod circle;
pub(crate) mod client;
pub(crate) mod digiops;
pub(crate) mod division;
pub(crate) mod feedback;
pub(crate) mod hierarchy;
pub(crate) mod iecgw;
pub(crate) mod member;
pub(crate) mod monitoring;
pub(crate) mod role;
pub(crate) mod section;
pub(crate) mod service;
pub(crate) mod sld;
pub(crate) mod subdivision;
pub(crate) mod substation;
pub(crate) mod tags;
pub(crate) mod token;
pub(crate) mod town;
