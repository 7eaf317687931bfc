//! Answers about bots that are given again as long as nothing has changed.

use bytes::Bytes;
use domain::clock::Timestamp;
use domain::entity_tag::EntityTag;
use domain::id::{BotId, ProjectId};
use moka::sync::Cache;

/// A longer answer is not kept: memory for contents is counted by project, and this one is not.
const LONGEST: usize = 16 << 10;
/// How many bytes are kept.
const CAPACITY: u64 = 8 << 20;

/// Written answers by the bot that they are about. One counts only under the version of its project's content
/// that was current before it was looked up (see [`domain::store::Store::content_version`]).
pub struct AnswerCache(Cache<(ProjectId, BotId), CachedAnswer>);

#[derive(Clone)]
struct CachedAnswer {
    version: u64,
    until: Option<Timestamp>,
    body: Bytes,
    tag: EntityTag,
}

impl Default for AnswerCache {
    fn default() -> Self {
        let weight =
            |_: &_, answer: &CachedAnswer| u32::try_from(answer.body.len()).unwrap_or(u32::MAX);
        Self(Cache::builder().max_capacity(CAPACITY).weigher(weight).build())
    }
}

impl AnswerCache {
    /// The answer of this version and its tag, if it holds at `now`.
    pub(crate) fn find(
        &self,
        bot: (ProjectId, BotId),
        version: u64,
        now: Timestamp,
    ) -> Option<(Bytes, EntityTag)> {
        let kept = self.0.get(&bot)?;
        let holds = kept.version == version && kept.until.is_none_or(|until| now < until);
        holds.then_some((kept.body, kept.tag))
    }

    /// Keeps an answer of this version, which holds until the given time.
    pub(crate) fn keep(
        &self,
        bot: (ProjectId, BotId),
        version: u64,
        until: Option<Timestamp>,
        (body, tag): (&Bytes, EntityTag),
    ) {
        if body.len() <= LONGEST {
            self.0.insert(bot, CachedAnswer { version, until, body: body.clone(), tag });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOT: (ProjectId, BotId) = (ProjectId::NIL, BotId::NIL);

    fn tag() -> EntityTag {
        EntityTag::parse("\"0123456789abcdef0123456789abcdef\"").unwrap()
    }

    #[test]
    fn an_answer_counts_for_its_version_and_its_time() {
        let cache = AnswerCache::default();
        let [early, end] = [1, 2].map(Timestamp::from_millis);
        assert_eq!(cache.find(BOT, 7, early), None);
        let body = Bytes::from_static(b"{}");
        cache.keep(BOT, 7, Some(end), (&body, tag()));
        assert_eq!(cache.find(BOT, 7, early), Some((body.clone(), tag())));
        assert_eq!(cache.find(BOT, 8, early), None);
        assert_eq!(cache.find(BOT, 7, end), None);
        cache.keep(BOT, 8, None, (&body, tag()));
        assert_eq!(cache.find(BOT, 8, end), Some((body, tag())));
    }

    #[test]
    fn a_long_answer_is_not_kept() {
        let cache = AnswerCache::default();
        cache.keep(BOT, 7, None, (&vec![b' '; LONGEST + 1].into(), tag()));
        assert_eq!(cache.find(BOT, 7, Timestamp::default()), None);
    }
}
