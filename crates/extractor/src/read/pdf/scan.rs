//! Pages that are images, and images on pages.

use std::fs;
use std::io;

use domain::document::ExtractionError;

use super::paintings::{Painting, listed};
use crate::limits::Limits;
use crate::read::error::ReadError;
use crate::read::image::EmbeddedImages;
use crate::read::ocr::Ocr;
use crate::read::pages::tidy;
use crate::read::program::run;
use crate::work_dir_files::FILE;

/// Draws pages, and takes images out of them; both are poppler's.
const PDFTOPPM: &str = "pdftoppm";
const PDFIMAGES: &str = "pdfimages";

/// How many dots an inch has, unless the image of a page would be too large then.
const DOTS: f64 = 200.0;
/// How many points an inch has.
const POINTS: f64 = 72.0;
/// How the image of a page is called, without its ending.
const PAGE: &str = "page";
/// How the names of the images of a page begin, before a hyphen and their number.
const IMAGES: &str = "embedded";
/// How often images may be drawn on a page of which some are read: with them all of it is put down, another
/// copy each time, before the first can be read.
const PAINTINGS: usize = 10_000;
/// How many times the pixels of the largest image all of these may have together.
const LARGEST: u64 = 4;

/// The text on a page of this size in points, which is drawn for it.
pub(super) fn page(
    page: u32,
    size: (f64, f64),
    limits: &Limits,
    ocr: &mut Ocr,
) -> Result<String, ReadError> {
    let dots = dots(size, limits.image_pixels).to_string();
    let number = page.to_string();
    let only = ["-q", "-f", &number, "-l", &number, "-singlefile"];
    let form = ["-r", &dots, "-gray", "-png", FILE, PAGE];
    run(PDFTOPPM, only.into_iter().chain(form))?;
    Ok(tidy(&ocr.read(&format!("{PAGE}.png"))?))
}

/// With how many dots an inch a page of this size has no more pixels than so many.
fn dots((width, height): (f64, f64), pixels: u64) -> u32 {
    let inches = (width / POINTS) * (height / POINTS);
    #[expect(clippy::cast_precision_loss, reason = "a pixel more or less does not matter")]
    let most = (pixels as f64 / inches).sqrt();
    // Nothing fits onto a page of no size, and everything onto it.
    let dots = if most.is_finite() { most.clamp(1.0, DOTS) } else { DOTS };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is in bounds")]
    let dots = dots as u32;
    dots
}

/// The text of a page, and below it that in its images.
pub(super) fn with_images(
    mut text: String,
    page: u32,
    limits: &Limits,
    images: &mut EmbeddedImages,
) -> Result<String, ReadError> {
    let number = page.to_string();
    let only = ["-q", "-f", &number, "-l", &number];
    let Some(list) = unless_corrupt(run(PDFIMAGES, only.into_iter().chain(["-list", FILE])))?
    else {
        return Ok(text);
    };
    let paintings = listed(&list);
    let wanted = wanted(&paintings, limits, images)?;
    if wanted.is_empty() {
        return Ok(text);
    }
    let taking_out = run(PDFIMAGES, only.into_iter().chain(["-png", FILE, IMAGES]));
    if unless_corrupt(taking_out)?.is_some() {
        for painting in wanted {
            let found = images.read_at(&format!("{IMAGES}-{:03}.png", painting.number))?;
            if !found.is_empty() {
                text.push_str("\n\n");
                text.push_str(&found);
            }
        }
    }
    clear().map_err(|error| ReadError::of_system(&error))?;
    Ok(text)
}

/// What a program says; `None` if it can't understand the file: the page has its own text.
fn unless_corrupt(said: Result<Vec<u8>, ReadError>) -> Result<Option<Vec<u8>>, ReadError> {
    match said {
        Ok(said) => Ok(Some(said)),
        Err(ReadError::File(ExtractionError::Corrupt)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Which paintings are to be read, each image once, if there is room for all that are put down with them.
fn wanted<'a>(
    paintings: &'a [Painting],
    limits: &Limits,
    images: &mut EmbeddedImages,
) -> Result<Vec<&'a Painting>, ExtractionError> {
    let is_wanted = |painting: &&Painting| {
        !painting.is_known && images.are_of_size(painting.width, painting.height)
    };
    let wanted: Vec<_> = paintings.iter().filter(is_wanted).collect();
    let pixels = paintings
        .iter()
        .map(|painting| painting.width.saturating_mul(painting.height))
        .fold(0, u64::saturating_add);
    let are_too_many = wanted.len() > images.ocr().left() as usize
        || paintings.len() > PAINTINGS
        || pixels > limits.image_pixels.saturating_mul(LARGEST);
    if are_too_many && !wanted.is_empty() { Err(ExtractionError::TooLarge) } else { Ok(wanted) }
}

/// Removes the images of a page.
fn clear() -> io::Result<()> {
    for entry in fs::read_dir(".")? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(IMAGES) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_page_is_drawn_with_fewer_dots() {
        assert_eq!(dots((595.0, 842.0), 50_000_000), 200);
        // 200 inches each way.
        assert_eq!(dots((14_400.0, 14_400.0), 50_000_000), 35);
        assert_eq!(dots((0.0, 842.0), 50_000_000), 200);
        assert_eq!(dots((f64::NAN, 842.0), 50_000_000), 200);
        assert_eq!(dots((f64::INFINITY, 842.0), 50_000_000), 1);
    }
}
