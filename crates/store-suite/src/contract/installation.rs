//! The installation that the database belongs to.

use std::sync::Arc;

use crate::world::{OPERATOR, World, at};
use domain::id::InstallationId;
use domain::installation::Installation;
use domain::store::Store;

pub(crate) fn there_is_one_installation(store: Arc<dyn Store>) {
    let world = World::new(store);
    let stored = || world.read(|tx| Ok(tx.installation(OPERATOR)?));
    assert_eq!(stored(), None);
    let [first, second] = [(); 2]
        .map(|()| Installation { id: InstallationId::from_uuid(world.id()), marked_at: None });
    for begun in [first, second] {
        world.write(move |tx| Ok(tx.insert_installation_once(OPERATOR, &begun)?));
        assert_eq!(stored(), Some(first));
    }
    for changed in [Installation { marked_at: Some(at(7)), ..first }, second] {
        world.write(move |tx| Ok(tx.update_installation(OPERATOR, &changed)?));
        assert_eq!(stored(), Some(changed));
    }
}
