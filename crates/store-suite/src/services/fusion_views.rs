//! Fusion-Views: what services make of it.

use std::sync::Arc;
use std::time::Duration;

use crate::services::installation::Installation;
use crate::world::{at, wait};
use domain::error::{DomainError, Resource};
use domain::id::FusionViewId;
use domain::list::ListQuery;
use domain::store::Store;

pub(crate) fn every_change_of_a_view_is_recorded(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let world = &installation.world;
    let bot = world.stored_bot("bot");
    let (claim, views) = (world.claim(&bot), &installation.botyard.fusion);
    let created = installation.create_view(&claim);
    let id = created.id;
    assert_eq!(wait(views.get(&claim, id)), Ok(created.clone()));
    installation.wait_until(Duration::from_secs(5));
    let update = |json: &str| wait(views.update(&claim, id, installation.body(json)));
    assert_eq!(update(r#"{"title":"View","b":1.10,"nothing":null}"#), Ok(created));
    let changed = update(r#"{"c":null,"b":[1],"title":"New"}"#).unwrap();
    let metadata = serde_json::to_string(&changed.metadata).unwrap();
    assert_eq!((changed.updated_at, metadata.as_str()), (at(5_000), r#"{"b":[1]}"#));
    assert_eq!(wait(views.page(&claim, &ListQuery::default(), None, 9)).unwrap().0, [changed]);
    let of_size = |size| format!(r#"{{"d":"{}"}}"#, "x".repeat(size));
    let alone = update(&of_size(64 << 10));
    assert!(matches!(alone, Err(DomainError::BodyTooLarge(_))), "{alone:?}");
    let together = update(&of_size((64 << 10) - 10));
    assert!(matches!(together, Err(DomainError::Invalid(_))), "{together:?}");
    assert_eq!(wait(views.delete(&claim, id)), Ok(id));
    assert_eq!(installation.jobs(), []);

    let recorded: Vec<_> = installation
        .changelog_entries(&bot)
        .into_iter()
        .map(|(action, resource, resource_id, changes)| {
            assert_eq!((resource, resource_id), ("fusion", id.to_string()));
            (action, changes)
        })
        .collect();
    let expected = [
        (
            "create",
            r#"[{"field":"type","from":null,"to":"h5p"},{"field":"title","from":null,"to":"View"},{"field":"b","from":null,"to":1.10},{"field":"c","from":null,"to":{}}]"#,
        ),
        (
            "update",
            r#"[{"field":"title","from":"View","to":"New"},{"field":"c","from":{},"to":null},{"field":"b","from":1.10,"to":[1]}]"#,
        ),
        ("delete", r#"[{"field":"title","from":"New","to":null}]"#),
    ];
    assert_eq!(recorded, expected.map(|(action, changes)| (action, changes.to_owned())));
    let missing = DomainError::NotFound(Resource::FusionView);
    for id in [id, FusionViewId::NIL] {
        assert_eq!(wait(views.get(&claim, id)), Err(missing.clone()));
        let request = installation.body(r#"{"a":true}"#);
        assert_eq!(wait(views.update(&claim, id, request)), Err(missing.clone()));
        assert_eq!(wait(views.delete(&claim, id)), Err(missing.clone()));
    }
}
