//! What can be wrong with a file of keys.

use std::io;

/// Why there are no keys. The text is for the person who runs the installation, and has nothing of a key; the path is
/// not in it.
#[derive(Debug, thiserror::Error)]
pub enum KeyFileError {
    /// There is no such file.
    #[error("the file is not there")]
    Missing,
    /// Every account of the machine may do something with the file.
    #[error("its mode is {0:03o}, which is open to every account of this machine; set it to 600")]
    Open(u32),
    /// It is too large for what it is.
    #[error("the file has more than {0} bytes, so it is no file of keys")]
    TooLarge(u64),
    /// It is no text.
    #[error("the file is no UTF-8 text")]
    NoText,
    /// A line is neither a key nor a comment; lines count from 1.
    #[error("line {0}: {1}")]
    Line(usize, LineError),
    /// There are only comments in it.
    #[error("there is no key in the file")]
    NoKey,
    /// Another process replaces the keys.
    #[error("another process is replacing the keys")]
    Busy,
    /// The system failed.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// What is wrong with a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LineError {
    /// It does not begin with the word for the one kind of key.
    #[error("a key begins with `aes-256-gcm `")]
    Word,
    /// What follows is no base64, or has not the length of a key.
    #[error(
        "after `aes-256-gcm ` come 32 bytes in base64, which are 44 characters, and nothing else"
    )]
    Key,
    /// The key stands further above as well.
    #[error("the key stands further above as well")]
    Repeated,
}
