//! Pages that are images, and images on pages.

use std::fs;
use std::io;
use std::path::PathBuf;

use domain::document::ExtractionError;

use crate::limits::Limits;
use crate::read::image::EmbeddedImages;
use crate::read::ocr::{Ocr, run};
use crate::read::pages::tidy;
use crate::worker::FILE;

/// Draws pages, and takes images out of them; both are poppler's.
const PDFTOPPM: &str = "pdftoppm";
const PDFIMAGES: &str = "pdfimages";

/// How many dots an inch has, unless the image of a page would be too large then.
const DOTS: f64 = 200.0;
/// How many points an inch has.
const POINTS: f64 = 72.0;
/// How the image of a page is called, without its ending.
const PAGE: &str = "page";
/// How the names of the images of a page begin.
const IMAGES: &str = "embedded-";

/// The text on a page of this size in points, which is drawn for it.
pub(super) fn page(
    page: u32,
    size: (f64, f64),
    limits: &Limits,
    ocr: &mut Ocr,
) -> Result<String, ExtractionError> {
    let dots = dots(size, limits.image_pixels).to_string();
    let number = page.to_string();
    let only = ["-f", &number, "-l", &number, "-singlefile"];
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
    images: &mut EmbeddedImages,
) -> Result<String, ExtractionError> {
    let number = page.to_string();
    match run(PDFIMAGES, ["-f", &number, "-l", &number, "-png", FILE, IMAGES]) {
        Ok(_) => {}
        // The page has its own text.
        Err(ExtractionError::Corrupt) => return Ok(text),
        Err(error) => return Err(error),
    }
    for path in taken_out().map_err(|_| ExtractionError::Crashed)? {
        let image = fs::read(&path).map_err(|_| ExtractionError::Crashed)?;
        fs::remove_file(&path).map_err(|_| ExtractionError::Crashed)?;
        let found = images.read(&image)?;
        if !found.is_empty() {
            text.push_str("\n\n");
            text.push_str(&found);
        }
    }
    Ok(text)
}

/// Where the images of a page lie, in their order.
fn taken_out() -> io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(".")? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(IMAGES) {
            paths.push(entry.path());
        }
    }
    paths.sort();
    Ok(paths)
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
