//! `botyard backup` and `botyard restore`

use anyhow::{Context as _, Result};
use domain::audit::AuditActor;

use crate::backup::{make, prune, restore, verify};
use crate::cli::{BackupArguments, BackupCommand, RestoreArguments};
use crate::output::Output;
use crate::settings::Settings;

/// Makes a backup, or does something with those that are there.
pub async fn run(output: Output, settings: &Settings, arguments: BackupArguments) -> Result<()> {
    match arguments.command {
        None => {
            let to = arguments.to.context("name the folder for backups")?;
            let made = make::make(settings, &to).await?;
            output.one(&made, |made| {
                format!(
                    "{}  database {}, files {} ({}), of these new {} ({})",
                    made.path.display(),
                    size(made.database_bytes),
                    made.files,
                    size(made.file_bytes),
                    made.new_files,
                    size(made.new_bytes)
                )
            })?;
        }
        Some(BackupCommand::Verify { backup }) => {
            let verified = verify::verify(&backup)?;
            output.one(&verified, |verified| {
                format!(
                    "whole  made {}, database {}, files {} ({})",
                    verified.made_at,
                    size(verified.database_bytes),
                    verified.files,
                    size(verified.file_bytes)
                )
            })?;
        }
        Some(BackupCommand::List { folder }) => {
            output.list(&prune::list(&folder)?, |listed| match &listed.fault {
                Some(fault) => format!("{:24}  no backup: {fault}", listed.name),
                None => format!(
                    "{:24}  database {}, files {} ({})",
                    listed.name,
                    size(listed.database_bytes),
                    listed.files,
                    size(listed.file_bytes)
                ),
            })?;
        }
        Some(BackupCommand::Prune { folder, keep }) => {
            let pruned = prune::prune(&folder, keep.get())?;
            output.one(&pruned, |pruned| {
                format!(
                    "removed  backups {}, files {} ({})",
                    pruned.removed.len(),
                    pruned.files,
                    size(pruned.file_bytes)
                )
            })?;
        }
    }
    Ok(())
}

/// Makes an installation of a backup, for whom the audit log is to name.
pub async fn restore(
    output: Output,
    settings: &Settings,
    arguments: &RestoreArguments,
    actor: &AuditActor,
) -> Result<()> {
    let restored = restore::restore(settings, &arguments.backup, actor).await?;
    output.one(&restored, |restored| {
        format!(
            "restored  {}  made {}, files {} ({})",
            restored.database,
            restored.made_at,
            restored.files,
            size(restored.file_bytes)
        )
    })?;
    Ok(())
}

/// Bytes for people.
fn size(bytes: u64) -> String {
    indicatif::HumanBytes(bytes).to_string()
}
