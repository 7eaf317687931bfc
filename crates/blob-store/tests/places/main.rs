//! The store in real places: the suite of the port in both, and what is particular to each.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "these are tests, and so are the functions that they share"
)]

mod bucket;
mod folder;
mod world;

use world::Place;

macro_rules! in_both_places {
    ($($case:ident,)+) => {$(
        mod $case {
            #[tokio::test]
            async fn folder() {
                let place = super::Place::folder();
                store_suite::blobs::$case(&place.blobs).await;
            }

            #[tokio::test]
            async fn bucket() {
                let place = super::Place::bucket();
                store_suite::blobs::$case(&place.blobs).await;
            }
        }
    )+};
}

store_suite::for_each_blob_case!(in_both_places);
