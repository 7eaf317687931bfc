//! The right of the person at the command line, who runs this installation.

use domain::access::Operator;

/// The right to look across tenants. No other file of the program makes one.
pub const OPERATOR: Operator = Operator::of_this_installation();
