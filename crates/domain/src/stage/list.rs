//! Stages in lists.

use super::Stage;
use crate::id::StageId;
use crate::list::listed_of_bot;

listed_of_bot! {
    Stage of StageId in Stage,
    filtered by (),
    called "name": |stage| &stage.fields.name,
    read by stages, stages_with_ids,
    changed by StageCreated StageUpdated
}
