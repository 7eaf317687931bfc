//! Visual blocks: what services make of it.

use std::sync::Arc;
use std::time::Duration;

use crate::services::installation::Installation;
use crate::world::{at, wait};
use domain::error::DomainError;
use domain::input::Input as _;
use domain::json::Json;
use domain::store::Store;
use domain::visual_block::NewVisualBlock;

pub(crate) fn a_block_has_a_name_and_a_bounded_content(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let world = &installation.world;
    let bot = world.stored_bot("bot");
    let (claim, blocks) = (world.claim(&bot), &installation.botyard.visual_blocks);
    let put = |name: &str, content: &Json| -> Result<(), DomainError> {
        let block = NewVisualBlock { name: name.to_owned(), content: content.clone() };
        wait(blocks.put(&claim, block.check(installation.botyard.input_settings())?))
    };
    let fits = Json::of(&"x".repeat((1 << 20) - 2));
    assert_eq!(put(" a ", &fits), Ok(()));
    installation.wait_until(Duration::from_secs(5));
    assert_eq!(put("a", &Json::of(&1)), Ok(()));
    let stored = wait(blocks.page(&claim, None, 9)).unwrap();
    let found: Vec<_> =
        stored.iter().map(|block| (block.name.as_str(), block.updated_at)).collect();
    assert_eq!(found, [("a", at(5_000))]);
    let over = Json::of(&"x".repeat((1 << 20) - 1));
    for (name, content) in [("", &fits), ("a\0", &fits), ("a", &over)] {
        assert!(matches!(put(name, content), Err(DomainError::Invalid(_))), "{name:?}");
    }
    assert_eq!(wait(blocks.page(&claim, None, 9)), Ok(stored));
}
