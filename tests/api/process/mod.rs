//! The binary as a process: its command line, its settings, how it starts, ends and is killed, what it
//! does by itself beside the requests, and what it writes.
//!
//! Helpers come first: [`command`] runs a command to its end, [`setup`] makes by commands what a test
//! begins with, [`wire`] is a connection to a server that may go away, and [`writer`] a client that
//! keeps account of what the server has acknowledged.

mod command;
pub mod setup;
pub mod wire;
mod writer;

mod accesses;
mod audit;
mod backup;
mod backup_damage;
mod bots;
mod check;
mod check_damages;
mod completions;
mod configuration;
mod copy;
mod crash;
mod crawls;
mod failover;
mod folders;
mod help;
mod import;
mod import_violations;
mod installation;
mod jobs;
mod listener;
mod logs;
mod manual;
mod metrics;
mod metrics_port;
mod migrations;
mod monitoring;
mod organisations;
mod pooler;
mod remote;
mod repeated;
mod secrets;
mod seed;
mod seed_tokens;
mod signals;
mod slow;
mod spans;
mod start_errors;
mod stop_under_load;
mod teardown;
mod tls;
mod tokens;
mod tokens_beside_a_server;
mod unread;
mod workers;
