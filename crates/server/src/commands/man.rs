//! `botyard docs man`: the manual pages, for packages.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use anyhow::{Context, Result};
use clap::Command;
use clap_mangen::Man;

use crate::help;

/// Writes the page of each command into a folder, and that of the settings.
pub fn write(folder: &Path) -> Result<()> {
    let mut command = help::command().disable_help_subcommand(true);
    command.build();
    let pages = fs::create_dir_all(folder)
        .and_then(|()| write_commands(&command, folder))
        .and_then(|()| write_settings(folder));
    pages.with_context(|| format!("the pages can't be written into {}", folder.display()))
}

fn write_commands(command: &Command, folder: &Path) -> io::Result<()> {
    page(command.clone()).generate_to(folder)?;
    let mut below = command.get_subcommands().filter(|below| !below.is_hide_set());
    below.try_for_each(|below| write_commands(below, folder))
}

/// The page of the settings has no synopsis, which would name each of them.
fn write_settings(folder: &Path) -> io::Result<()> {
    let page = page(help::settings());
    let mut file = File::create(folder.join(page.get_filename()))?;
    page.render_title(&mut file)?;
    page.render_name_section(&mut file)?;
    page.render_options_section(&mut file)?;
    page.render_extra_section(&mut file)
}

/// The page of a command, which by itself would say that it is of a program called as the command.
fn page(command: Command) -> Man {
    Man::new(command).source(concat!("botyard ", env!("CARGO_PKG_VERSION"))).manual("botyard")
}
