//! What a chat runtime writes, which has no endpoint.

use domain::id::{BotId, UserId};
use domain::input::{Input, InputSettings, Valid};
use domain::recorder::Record;
use domain::user::CreateUser;
use serde_json::{Value, json};

use crate::tenant::Tenant;

/// A record from the JSON of its line.
///
/// # Panics
/// If that is invalid.
#[must_use]
#[track_caller]
pub fn record<R: Input>(line: &Value) -> Record
where
    Valid<R>: Into<Record>,
{
    let record = R::parse(line.to_string().as_bytes(), &InputSettings::default());
    record.unwrap_or_else(|violations| panic!("{violations:?}")).into()
}

impl Tenant<'_> {
    /// Records things of a bot.
    ///
    /// # Panics
    /// If that is refused.
    #[track_caller]
    pub fn record(&self, bot: BotId, records: impl IntoIterator<Item = Record>) {
        let (app, claim) = (self.app(), self.bot_claim(bot));
        let records = records.into_iter().collect();
        let done = app.block_on(app.botyard().recorder.record(&claim, records));
        done.expect("the records are written");
    }

    /// Makes a user of a bot.
    ///
    /// # Panics
    /// If that is refused.
    #[must_use]
    #[track_caller]
    pub fn new_user(&self, bot: BotId, guest_id: &str) -> UserId {
        let (app, claim) = (self.app(), self.bot_claim(bot));
        let body = json!({"guestId": self.text(guest_id), "name": self.text("A name")});
        let body = CreateUser::parse(body.to_string().as_bytes(), &InputSettings::default());
        let made = app.botyard().users.create(&claim, body.expect("a valid body"));
        app.block_on(made).expect("the user is made").id
    }

    /// Deletes a user of a bot past the API, with all that belongs to the user.
    ///
    /// # Panics
    /// If there is no such user.
    #[track_caller]
    pub fn delete_user(&self, bot: BotId, user: UserId) {
        let (app, claim) = (self.app(), self.bot_claim(bot));
        let request = domain::user::DeleteUsers { user_ids: vec![user] };
        let request = request.check(&InputSettings::default()).expect("a valid request");
        let deleted = app.block_on(app.botyard().users.delete(&claim, request));
        assert_eq!(deleted.expect("the user goes"), 1);
    }
}
