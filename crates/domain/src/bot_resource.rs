//! What the repositories of the resources of a bot have in common.

/// Declares methods of the repository of a bot's resource, each under a name of its own: any of `page`, `with_ids`,
/// `insert`, `update`, `delete`, `copy` and `remove`.
macro_rules! bot_resource_methods {
    ($Resource:ident, $Id:ident;) => {};
    ($Resource:ident, $Id:ident; page $name:ident $($rest:tt)*) => {
        /// Those of the bot, oldest first, at most `limit`, after `after` if that is given.
        fn $name(
            &mut self,
            scope: &$crate::access::BotScope,
            after: Option<$Id>,
            limit: u32,
        ) -> Result<$crate::batch::Batch<$Resource>, $crate::error::StorageError>;

        $crate::bot_resource::bot_resource_methods! { $Resource, $Id; $($rest)* }
    };
    ($Resource:ident, $Id:ident; with_ids $name:ident $($rest:tt)*) => {
        /// Those of the bot that have these identifiers, in any order.
        fn $name(
            &mut self,
            scope: &$crate::access::BotScope,
            ids: &[$Id],
        ) -> Result<Vec<$Resource>, $crate::error::StorageError>;

        $crate::bot_resource::bot_resource_methods! { $Resource, $Id; $($rest)* }
    };
    ($Resource:ident, $Id:ident; insert $name:ident $($rest:tt)*) => {
        /// Stores a new one.
        fn $name(
            &mut self,
            scope: &$crate::access::BotScope,
            new: &$Resource,
        ) -> Result<(), $crate::error::StorageError>;

        $crate::bot_resource::bot_resource_methods! { $Resource, $Id; $($rest)* }
    };
    ($Resource:ident, $Id:ident; update $name:ident $($rest:tt)*) => {
        /// Stores the change of one that is there. What `from`, which is what is stored, and `to` have in common need not
        /// be written again.
        fn $name(
            &mut self,
            scope: &$crate::access::BotScope,
            from: &$Resource,
            to: &$Resource,
        ) -> Result<(), $crate::error::StorageError>;

        $crate::bot_resource::bot_resource_methods! { $Resource, $Id; $($rest)* }
    };
    ($Resource:ident, $Id:ident; delete $name:ident $($rest:tt)*) => {
        /// Deletes one that is there.
        fn $name(
            &mut self,
            scope: &$crate::access::BotScope,
            id: $Id,
        ) -> Result<(), $crate::error::StorageError>;

        $crate::bot_resource::bot_resource_methods! { $Resource, $Id; $($rest)* }
    };
    ($Resource:ident, $Id:ident; copy $name:ident $($rest:tt)*) => {
        /// Copies those of one bot to another of the same project, in their order, under identifiers from `next_id` and
        /// made `now`. Their content does not leave the database, and they share their files. It goes on where `step`
        /// is, as far as that goes, and returns whether all are copied.
        fn $name(
            &mut self,
            bots: (&$crate::access::BotScope, &$crate::access::BotScope),
            now: $crate::clock::Timestamp,
            step: &mut $crate::copy_step::CopyStep,
            next_id: &mut dyn FnMut() -> $Id,
        ) -> Result<bool, $crate::error::StorageError>;

        $crate::bot_resource::bot_resource_methods! { $Resource, $Id; $($rest)* }
    };
    ($Resource:ident, $Id:ident; remove $name:ident $($rest:tt)*) => {
        /// Removes at most `limit` of a bot that is being torn down; returns their number.
        fn $name(
            &mut self,
            scope: &$crate::access::BotScope,
            limit: u32,
        ) -> Result<u32, $crate::error::StorageError>;

        $crate::bot_resource::bot_resource_methods! { $Resource, $Id; $($rest)* }
    };
}
pub(crate) use bot_resource_methods;
