//! Stages: what services make of it.

use std::sync::Arc;
use std::time::Duration;

use crate::contract::stages::all_stages;
use crate::services::installation::Installation;
use crate::world::{at, wait};
use domain::error::{DomainError, Resource};
use domain::id::StageId;
use domain::store::Store;

pub(crate) fn every_change_of_a_stage_is_recorded(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let world = &installation.world;
    let bot = world.stored_bot("bot");
    let (claim, stages) = (world.claim(&bot), &installation.botyard.stages);
    let created = installation.create_stage(&claim, r#"{"title":"t","skills":["b","a"]}"#);
    let id = created.id;
    assert_eq!(wait(stages.get(&claim, id)), Ok(created.clone()));
    installation.wait_until(Duration::from_secs(5));
    let update = |json| wait(stages.update(&claim, id, installation.body(json)));
    assert_eq!(update(r#"{"name":"t","hidden":null}"#), Ok(created));
    let changed = update(r#"{"hidden":true,"skills":null}"#).unwrap();
    assert_eq!((changed.updated_at, &changed.fields.skills), (at(5_000), &None));
    assert_eq!(all_stages(world, &bot), [changed]);
    assert_eq!(wait(stages.delete(&claim, id)), Ok(id));

    let recorded: Vec<_> = installation
        .changelog_entries(&bot)
        .into_iter()
        .map(|(action, resource, resource_id, changes)| {
            assert_eq!((resource, resource_id), ("stage", id.to_string()));
            (action, changes)
        })
        .collect();
    let expected = [
        (
            "create",
            r#"[{"field":"title","from":null,"to":"t"},{"field":"name","from":null,"to":"t"},{"field":"skills","from":null,"to":["b","a"]}]"#,
        ),
        (
            "update",
            r#"[{"field":"hidden","from":null,"to":true},{"field":"skills","from":["b","a"],"to":null}]"#,
        ),
        ("delete", r#"[{"field":"title","from":"t","to":null}]"#),
    ];
    assert_eq!(recorded, expected.map(|(action, changes)| (action, changes.to_owned())));

    let missing = DomainError::NotFound(Resource::Stage);
    for id in [id, StageId::NIL] {
        assert_eq!(wait(stages.get(&claim, id)), Err(missing.clone()));
        let request = installation.body(r#"{"hidden":true}"#);
        assert_eq!(wait(stages.update(&claim, id, request)), Err(missing.clone()));
        assert_eq!(wait(stages.delete(&claim, id)), Err(missing.clone()));
    }
}
