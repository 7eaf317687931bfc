//! Randomness as an input.

/// A source of random bytes fit for secrets; tests seed it.
pub trait Entropy: Send + Sync {
    /// Fills the whole buffer.
    fn fill(&self, buffer: &mut [u8]);
}
