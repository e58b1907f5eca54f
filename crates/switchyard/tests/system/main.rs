//! The whole product as its users meet it: the real executable as processes, a real database and broker, and clients written by others.

mod child;
mod fire;
mod product;
mod real_clients;
mod replay;
