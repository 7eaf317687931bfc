//! Random bytes for tests.

pub(crate) use domain::testing::SeededEntropy;
