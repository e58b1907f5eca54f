//! The signed-in person, and setting a password for those who cannot sign in.

pub(crate) mod by_email;
pub(crate) mod generate_password;
pub(crate) mod logout;
pub(crate) mod second_factor;
pub(crate) mod set_password;
