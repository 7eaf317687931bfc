//! Documents that are replaced and deleted.

use std::slice;
use std::sync::Arc;
use std::time::Duration;

use crate::samples::documents::all_documents;
use crate::services::document_service::{
    assign, bots_of, delete, document_entries, form, get, now, replace, upload_to_bot,
};
use crate::services::installation::Installation;
use crate::world::{at, wait};
use domain::bot::DeleteMode;
use domain::document::{DocumentOnBots, ExtractionSettings};
use domain::error::{DomainError, Resource};
use domain::id::DocumentId;
use domain::list::ListQuery;
use domain::store::Store;

pub(crate) fn a_replaced_document_leads_its_copies_along(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let world = &installation.world;
    let names = ["bot", "neighbour", "archived", "trashed", "removed", "without"];
    let bots = names.map(|name| world.stored_bot(name));
    let copy = upload_to_bot(&installation, &bots[0], "old.md");
    let id = copy.document.id;
    for bot in &bots[1..5] {
        assign(&installation, &world.claim(bot), &[id.to_string()]).unwrap();
    }
    let modes = [DeleteMode::Archive, DeleteMode::Trash, DeleteMode::Delete];
    for (bot, mode) in bots[2..].iter().zip(modes) {
        wait(installation.botyard.bots.delete(&world.claim(bot), mode)).unwrap();
    }
    let before: Vec<_> =
        bots.iter().map(|bot| document_entries(&installation, bot).len()).collect();
    installation.wait_until(Duration::from_secs(5));
    let texts = [("extract", "false"), ("maxChars", "300"), ("ocrEnabled", "true")];
    let replaced = replace(&installation, id, "new.txt", "new", &texts).unwrap();
    assert_eq!((replaced.id, replaced.created_at, replaced.updated_at), (id, at(0), at(5_000)));
    assert_eq!(replaced.skill_id.as_deref(), Some("s"));
    assert_eq!((replaced.file.file_name.as_str(), replaced.file.size), ("new.txt", 3));
    assert_eq!(now(&installation, id), replaced);
    // The strategy is that of the new file's type; what the request names is taken from there.
    let by_type = ExtractionSettings::of_type("text/plain");
    let settings = ExtractionSettings {
        max_chars: 300,
        max_overlap: 200,
        ocr_enabled: true,
        ..by_type.clone()
    };
    assert_eq!(replaced.extraction.settings, settings);
    for bot in &bots[..2] {
        let scope = world.scope(bot);
        let found = world.read(move |tx| Ok(tx.bot_documents(&scope, &[id])?));
        assert_eq!((&found[0].document, found[0].updated_at), (&replaced, at(0)));
    }
    let changes = r#"[{"field":"fileName","from":null,"to":"new.txt"}]"#.to_owned();
    for (bot, before) in bots.iter().zip(before) {
        let entries = document_entries(&installation, bot);
        // A bot that can be brought back has the change in its changelog as well.
        let has_it = bots[..4].iter().any(|with| with.id == bot.id);
        assert_eq!(entries.len(), before + usize::from(has_it), "{}", bot.config.name);
        if has_it {
            assert_eq!(entries[before], ("upload", id.to_string(), changes.clone()));
        }
    }

    // A strategy that was requested for one type holds for the next file of that type.
    let texts = [("extract", "false"), ("chunking_strategy", "yaml")];
    replace(&installation, id, "new.txt", "newer", &texts).unwrap();
    let again = replace(&installation, id, "newest.txt", "newest", &texts[..1]).unwrap();
    let strategy = again.extraction.settings.strategy;
    assert_eq!((strategy.as_str(), by_type.strategy.as_str()), ("yaml", "text"));
    let again = replace(&installation, id, "n.md", "newest", &texts[..1]).unwrap();
    assert_eq!(again.extraction.settings.strategy.as_str(), "markdown");
    let missing = DomainError::NotFound(Resource::Document);
    let stray = DocumentId::from_uuid(world.id());
    assert_eq!(replace(&installation, stray, "f", "f", &[]), Err(missing.clone()));
    // Nor is one brought back that goes meanwhile.
    let claim = world.claim_on_project();
    let documents = &installation.botyard.documents;
    let (found, mut upload) = wait(documents.begin_replacing(&claim, id)).unwrap();
    wait(upload.write(b"late")).unwrap();
    delete(&installation, id).unwrap();
    let stored = installation.stored();
    let request = form(&installation, &[]);
    assert_eq!(wait(upload.finish_replacing(found, None, None, request)), Err(missing));
    assert_eq!((installation.stored(), all_documents(world, &bots[0])), (stored, Vec::new()));
}

pub(crate) fn a_deleted_document_is_gone_from_every_bot(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let world = &installation.world;
    let bots = ["bot", "archived", "without"].map(|name| world.stored_bot(name));
    let abroad = world.bot_of(&world.other_project());
    let copy = upload_to_bot(&installation, &bots[0], "a.md");
    let (id, kept) = (copy.document.id, upload_to_bot(&installation, &bots[0], "b.md"));
    assign(&installation, &world.claim(&bots[1]), &[id.to_string()]).unwrap();
    wait(installation.botyard.bots.delete(&world.claim(&bots[1]), DeleteMode::Archive)).unwrap();
    assert_eq!(bots_of(&installation, id), [bots[0].id]);
    delete(&installation, id).unwrap();
    let missing = DomainError::NotFound(Resource::Document);
    assert_eq!(delete(&installation, id), Err(missing.clone()));
    assert_eq!(get(&installation, id), Err(missing.clone()));
    assert_eq!(all_documents(world, &bots[0]), slice::from_ref(&kept.document));
    let changes = r#"[{"field":"fileName","from":"a.md","to":null}]"#.to_owned();
    let entry = ("delete", id.to_string(), changes);
    assert_eq!(document_entries(&installation, &bots[0]).last(), Some(&entry));
    assert_eq!(document_entries(&installation, &bots[1]).last(), Some(&entry));
    assert_eq!(document_entries(&installation, &bots[2]), []);

    // The documents of another project are out of reach, and so is one that does not exist.
    let documents = &installation.botyard.documents;
    let project = world.claim(&abroad).project();
    for id in [kept.document.id, DocumentId::NIL] {
        let answer = wait(documents.get(&project, id));
        assert_eq!(answer, Err(missing.clone()), "{id}");
        assert_eq!(wait(documents.get_without_bots(&project, id)), Err(missing.clone()));
        assert_eq!(wait(documents.delete(&project, id)), Err(missing.clone()));
        let answer = wait(documents.extract(&project, id, installation.body("{}")));
        assert_eq!(answer, Err(missing.clone()));
        let answer = wait(documents.begin_replacing(&project, id)).err();
        assert_eq!(answer, Some(missing.clone()));
        let (named, id) = (id.to_string(), id.to_string());
        let answer = assign(&installation, &world.claim(&abroad), &[id]);
        assert_eq!(answer, Err(DomainError::DocumentsNotFound(vec![named])));
    }
    let chunks = wait(documents.chunks(&project, kept.document.id, None, 9));
    assert_eq!(chunks, Err(missing));
    assert_eq!(
        wait(documents.page(&project, &ListQuery::default(), None, 9)),
        Ok((Vec::new(), None))
    );
    let listed = DocumentOnBots { bot_ids: vec![bots[0].id], document: kept.document };
    let page = wait(documents.page(&world.claim_on_project(), &ListQuery::default(), None, 9));
    assert_eq!(page, Ok((vec![listed], None)));
}
