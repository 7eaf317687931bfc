//! Why there is no answer.

/// Why there is no answer. It says nothing of the network: no address and no text of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EgressError {
    /// The name leads to an address that must not be reached.
    #[error("the address is blocked")]
    BlockedAddress,
    /// The port must not be reached at this address.
    #[error("the port is blocked")]
    BlockedPort,
    /// The name has no addresses, or the name service did not answer in time.
    #[error("the name has no addresses")]
    DnsFailed,
    /// No address accepted the connection in time.
    #[error("nothing accepts connections")]
    Unreachable,
    /// There is a connection, but no TLS: the certificate is not trusted, or the other side speaks something else.
    #[error("TLS failed")]
    TlsFailed,
    /// The answer is not HTTP, or its head is too large.
    #[error("the answer can't be read")]
    BadAnswer,
    /// The connection ended before the head of an answer was there.
    #[error("the connection broke off")]
    BrokenOff,
}
