//! Uploads of packages: bytes and rows in step.

use std::sync::Arc;
use std::time::Duration;

use crate::acting_store::ActingStore;
use crate::samples::fusion_views::all_views;
use crate::services::installation::{Installation, package};
use crate::world::{OPERATOR, at, together, wait};
use domain::Limits;
use domain::blob::{BlobError, REMOVE_BLOB};
use domain::error::{Busy, DomainError, Quota, Resource, StorageError};
use domain::store::Store;
use domain::testing::RunUnits as _;

const HOUR: Duration = Duration::from_secs(60 * 60);

pub(crate) fn a_package_becomes_the_file_of_its_view(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let bot = installation.world.stored_bot("bot");
    let claim = installation.world.claim(&bot);
    let view = installation.create_view(&claim);
    installation.wait_until(Duration::from_secs(5));
    let mut upload = installation.begin_upload(&claim, &view).unwrap();
    for byte in package("content") {
        wait(upload.write(&[byte])).unwrap();
    }
    let (id, file) = wait(upload.finish(Some("C:\\Übung.zip"))).unwrap();
    let uploaded = wait(installation.botyard.fusion.get(&claim, id)).unwrap();
    assert_eq!((uploaded.id, uploaded.file.as_ref()), (view.id, Some(&file)));
    assert_eq!((file.file_name.as_str(), file.size, file.entries), ("Übung.zip", 11, 1));
    assert_eq!((file.uploaded_at, uploaded.updated_at), (at(5_000), at(5_000)));
    assert_eq!(installation.stored(), [file.blob_id]);
    assert_eq!(installation.counted_bytes(&bot), 11);
    let bytes = wait(async {
        let key = installation.blobs.keys().remove(0);
        let mut reader = domain::blob::Blobs::read(&*installation.blobs, &key, 0..99).await?;
        reader.next().await
    });
    assert_eq!(bytes, Ok(Some(package("content"))));
    let entry = installation.changelog_entries(&bot).pop().unwrap();
    assert_eq!((entry.0, entry.1, entry.2), ("upload", "fusion", view.id.to_string()));
    let expected = format!(
        r#"[{{"field":"file","from":null,"to":{{"fileName":"Übung.zip","mimeType":"application/zip","size":11,"sha256":"{}","entries":1,"uploadedAt":"{}"}}}}]"#,
        file.sha256,
        at(5_000)
    );
    assert_eq!(entry.3, expected);
}

pub(crate) fn the_same_content_is_stored_once_in_a_project(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let world = &installation.world;
    let bots = ["a", "b"].map(|name| world.stored_bot(name));
    let abroad = world.bot_of(&world.other_project());
    let upload = |bot| {
        let claim = world.claim(bot);
        let view = installation.create_view(&claim);
        installation.upload(&claim, &view, "same").unwrap().blob_id
    };
    let first = upload(&bots[0]);
    assert_eq!((upload(&bots[0]), upload(&bots[1])), (first, first));
    let foreign = upload(&abroad);
    assert_ne!(foreign, first);
    assert_eq!(installation.stored(), [first, foreign]);
    assert_eq!((installation.counted_bytes(&bots[1]), installation.counted_bytes(&abroad)), (8, 8));
}

pub(crate) fn the_same_content_at_once_is_stored_once(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let world = &installation.world;
    let bots = ["a", "b"].map(|name| world.stored_bot(name));
    let views: Vec<_> =
        (0..8).map(|number| installation.create_view(&world.claim(&bots[number % 2]))).collect();
    let uploaded = together(8, |number| {
        installation.upload(&world.claim(&bots[number % 2]), &views[number], "same")
    });
    let mut blobs: Vec<_> = uploaded.into_iter().map(|view| view.unwrap().blob_id).collect();
    blobs.dedup();
    assert_eq!(installation.stored(), blobs);
    assert_eq!(installation.counted_bytes(&bots[0]), 8);
}

pub(crate) fn a_replaced_file_is_released(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let bot = installation.world.stored_bot("bot");
    let claim = installation.world.claim(&bot);
    let view = installation.create_view(&claim);
    let first = installation.upload(&claim, &view, "first").unwrap().blob_id;
    // The same again replaces nothing.
    assert_eq!(installation.upload(&claim, &view, "first").unwrap().blob_id, first);
    assert_eq!(installation.jobs(), []);
    let second = installation.upload(&claim, &view, "second").unwrap().blob_id;
    let [job] = &installation.jobs()[..] else { panic!("{:?}", installation.jobs()) };
    assert_eq!((&job.kind, &job.subject), (&REMOVE_BLOB, &first.to_string()));
    assert_eq!((job.run_at, job.project_id), (at(0).plus(HOUR), Some(bot.project_id)));
    assert_eq!(installation.work(), []);
    assert_eq!(installation.stored(), [first, second]);

    installation.wait_until(HOUR);
    assert_eq!(installation.work(), [REMOVE_BLOB]);
    assert_eq!(installation.stored(), [second]);
    assert_eq!(installation.counted_bytes(&bot), 10);
    wait(installation.botyard.fusion.delete(&claim, view.id)).unwrap();
    installation.wait_until(2 * HOUR);
    assert_eq!(installation.work(), [REMOVE_BLOB]);
    assert_eq!(installation.stored(), []);
    assert_eq!((installation.counted_bytes(&bot), installation.jobs()), (0, Vec::new()));
}

pub(crate) fn nothing_is_kept_of_an_upload_that_fails(store: Arc<dyn Store>) {
    let installation = Installation::new(store.clone());
    let world = &installation.world;
    let bot = world.stored_bot("bot");
    let claim = world.claim(&bot);
    let view = installation.create_view(&claim);
    let entries = installation.changelog_entries(&bot);
    let nothing_is_kept = || {
        assert_eq!((installation.stored(), installation.counted_bytes(&bot)), (Vec::new(), 0));
        assert_eq!(
            (installation.changelog_entries(&bot), installation.jobs()),
            (entries.clone(), Vec::new())
        );
    };
    // The place fails when the bytes are stored.
    let mut upload = installation.begin_upload(&claim, &view).unwrap();
    wait(upload.write(&package("content"))).unwrap();
    installation.blobs.fail(true);
    let failed = wait(upload.finish(None));
    assert!(matches!(failed, Err(DomainError::Blob(BlobError::Failed(_)))), "{failed:?}");
    let failed = installation.begin_upload(&claim, &view).err();
    assert!(matches!(failed, Some(DomainError::Blob(_))), "{failed:?}");
    installation.blobs.fail(false);
    nothing_is_kept();

    // What comes is no archive, or too much of one; or nothing more comes at all.
    for bytes in [&b"PX"[..], b"PK\x03\x05", b"\0"] {
        let mut upload = installation.begin_upload(&claim, &view).unwrap();
        let refused = wait(upload.write(bytes));
        assert!(matches!(refused, Err(DomainError::UnsupportedMediaType(_))), "{refused:?}");
    }
    let small = Installation::with(store, Limits { archive_bytes: 10, ..Limits::default() });
    let small_bot = small.world.stored_bot("bot");
    let small_claim = small.world.claim(&small_bot);
    let small_view = small.create_view(&small_claim);
    assert!(small.upload(&small_claim, &small_view, "sixsix").is_ok());
    assert_eq!(
        small.upload(&small_claim, &small_view, "seven!!"),
        Err(DomainError::BodyTooLarge(10))
    );
    drop(installation.begin_upload(&claim, &view).unwrap());
    nothing_is_kept();

    // The Fusion-View goes meanwhile.
    let doomed = installation.create_view(&claim);
    let mut upload = installation.begin_upload(&claim, &doomed).unwrap();
    wait(upload.write(&package("content"))).unwrap();
    wait(installation.botyard.fusion.delete(&claim, doomed.id)).unwrap();
    let missing = DomainError::NotFound(Resource::FusionView);
    assert_eq!(wait(upload.finish(None)), Err(missing));
    assert_eq!((installation.stored(), installation.counted_bytes(&bot)), (Vec::new(), 0));
    assert_eq!(all_views(world, &bot), [view]);
}

pub(crate) fn bytes_stay_when_it_is_unknown_whether_their_row_is_there(store: Arc<dyn Store>) {
    let installation = Installation::new(store.clone());
    let bot = installation.world.stored_bot("bot");
    let claim = installation.world.claim(&bot);
    let view = installation.create_view(&claim);
    let lost = StorageError::Unavailable("lost in the commit".to_owned());
    for (error, stay) in [(StorageError::Overloaded, false), (lost, true)] {
        let answer = DomainError::Storage(error);
        let given = answer.clone();
        let botyard = installation.behind(ActingStore::by(store.clone(), move |_| Err(given)));
        let failed = wait(async {
            let mut upload = botyard.fusion.begin_upload(&claim, view.id).await?;
            upload.write(&package("content")).await?;
            upload.finish(None).await
        });
        assert_eq!(failed, Err(answer));
        assert_eq!(installation.stored().len(), usize::from(stay));
    }
}

pub(crate) fn content_that_is_being_removed_is_stored_anew(store: Arc<dyn Store>) {
    let installation = Installation::new(store.clone());
    let bot = installation.world.stored_bot("bot");
    let claim = installation.world.claim(&bot);
    let view = installation.create_view(&claim);
    let old = installation.upload(&claim, &view, "same").unwrap().blob_id;
    wait(installation.botyard.fusion.delete(&claim, view.id)).unwrap();

    // The removal begins after the upload has seen the old bytes and before it refers to them.
    let view = installation.create_view(&claim);
    let removing = ActingStore::by(store, move |store| {
        wait(store.write(move |tx| Ok(tx.mark_blob_deleting(OPERATOR, old)?)))
    });
    let botyard = installation.behind(removing);
    let uploaded = wait(async {
        let mut upload = botyard.fusion.begin_upload(&claim, view.id).await?;
        upload.write(&package("same")).await?;
        upload.finish(None).await
    });
    let new = uploaded.unwrap().1.blob_id;
    assert_ne!(new, old);
    let stored = installation.stored();
    assert!(stored.len() == 2 && stored.contains(&old) && stored.contains(&new));
    assert_eq!(installation.counted_bytes(&bot), 16);
    // The removal that had begun goes on, and hits only the old bytes.
    installation.wait_until(HOUR);
    assert_eq!(installation.work(), [REMOVE_BLOB]);
    assert_eq!(installation.stored(), [new]);
    assert_eq!(installation.counted_bytes(&bot), 8);
}

pub(crate) fn the_bytes_of_a_project_are_bounded(store: Arc<dyn Store>) {
    let limits = Limits { blob_bytes_per_project: 20, ..Limits::default() };
    let installation = Installation::with(store, limits);
    let world = &installation.world;
    let bot = world.stored_bot("bot");
    let claim = world.claim(&bot);
    let view = installation.create_view(&claim);
    installation.upload(&claim, &view, "12345678").unwrap();
    let other = installation.create_view(&claim);
    let full = DomainError::QuotaExceeded(Quota::BlobBytesPerProject(20));
    assert_eq!(installation.upload(&claim, &other, "12345"), Err(full.clone()));
    assert_eq!(installation.stored().len(), 1);
    // What the project has already takes no room, and the last byte can be used.
    installation.upload(&claim, &other, "12345678").unwrap();
    installation.upload(&claim, &other, "1234").unwrap();
    assert_eq!(installation.counted_bytes(&bot), 20);
    assert_eq!(installation.upload(&claim, &view, ""), Err(full));
    let abroad = world.bot_of(&world.other_project());
    let foreign = installation.create_view(&world.claim(&abroad));
    installation.upload(&world.claim(&abroad), &foreign, "12345").unwrap();
}

pub(crate) fn uploads_at_once_do_not_share_the_last_room(store: Arc<dyn Store>) {
    let limits = Limits { blob_bytes_per_project: 20, ..Limits::default() };
    let installation = Installation::with(store, limits);
    let bot = installation.world.stored_bot("bot");
    let claim = installation.world.claim(&bot);
    let views: Vec<_> = (0..8).map(|_| installation.create_view(&claim)).collect();
    let answers = together(8, |number| {
        installation.upload(&claim, &views[number], &format!("12345{number}"))
    });
    let full = DomainError::QuotaExceeded(Quota::BlobBytesPerProject(20));
    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 2);
    assert_eq!(answers.iter().filter(|answer| **answer == Err(full.clone())).count(), 6);
    assert_eq!((installation.stored().len(), installation.counted_bytes(&bot)), (2, 20));
}

pub(crate) fn so_many_uploads_at_once_and_no_more(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let world = &installation.world;
    let bot = world.stored_bot("bot");
    let claim = world.claim(&bot);
    let view = installation.create_view(&claim);
    let mut uploads: Vec<_> =
        (0..8).map(|_| installation.begin_upload(&claim, &view).unwrap()).collect();
    let busy = || installation.begin_upload(&claim, &view).err();
    assert_eq!(busy(), Some(DomainError::Busy(Busy::Uploads(8))));
    let abroad = world.bot_of(&world.other_project());
    let foreign = installation.create_view(&world.claim(&abroad));
    assert!(installation.begin_upload(&world.claim(&abroad), &foreign).is_ok());
    // One that ends, however it does, makes room for another.
    uploads.pop();
    assert_eq!(busy(), None);
    let mut last = uploads.pop().unwrap();
    wait(last.write(&package("content"))).unwrap();
    uploads.push(installation.begin_upload(&claim, &view).unwrap());
    assert_eq!(busy(), Some(DomainError::Busy(Busy::Uploads(8))));
    wait(last.finish(None)).unwrap();
    assert_eq!(busy(), None);
}

pub(crate) fn only_some_types_have_a_package(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let world = &installation.world;
    let (bot, neighbour) = (world.stored_bot("bot"), world.stored_bot("neighbour"));
    let claim = world.claim(&bot);
    let request = installation.body(r#"{"type":"note","title":"t"}"#);
    let note = wait(installation.botyard.fusion.create(&claim, request)).unwrap();
    let refused = installation.begin_upload(&claim, &note).err();
    let types = installation.botyard.input_settings().package_types.clone();
    assert_eq!(refused, Some(DomainError::UploadNotSupported(types)));
    let view = installation.create_view(&claim);
    let foreign = installation.begin_upload(&world.claim(&neighbour), &view).err();
    assert_eq!(foreign, Some(DomainError::NotFound(Resource::FusionView)));
}
