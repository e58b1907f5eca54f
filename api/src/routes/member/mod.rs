//! The signed-in user, and password resets.

pub(crate) mod by_email;
pub(crate) mod generate_password;
pub(crate) mod logout;
pub(crate) mod second_factor;
pub(crate) mod set_password;
