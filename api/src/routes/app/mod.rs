//! What a site shows before anybody has signed in.

pub(crate) mod site_brand;
