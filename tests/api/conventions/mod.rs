//! What holds for all operations: paths, methods, headers, sizes, connections.

mod bodies;
mod connections;
mod cors;
mod methods;
mod paths;
mod request_id;
mod trace;
