//! Data of a site that are public: its brand on the sign-in page.

pub(crate) mod site_brand;
