//! The same for lists that are sorted, filtered and searched.

use diesel::connection::SimpleConnection;
use domain::access::BotScope;
use domain::bot::BotRepository as _;
use domain::clock::Timestamp;
use domain::crawl::CrawlStatus;
use domain::document::{DocumentRepository as _, ExtractionStatus};
use domain::id::{BotId, DocumentId, SkillId, StageId, UserId};
use domain::list::{
    Condition, ListPosition, ListRepository as _, ListSelection, ListedResource, Sort, SortField,
    SortKey,
};
use domain::skill::SkillRepository as _;
use domain::stage::StageRepository as _;
use domain::user::UserRepository as _;

use super::{ID, Watched, postgres, sqlite};
use crate::engine::db::OwnDb;
use crate::engine::tx::Tx;

/// Fills the tables of PostgreSQL, which plans by what there is.
const MANY: &str = "CREATE FUNCTION other (n INT) RETURNS UUID LANGUAGE SQL AS \
     $$ SELECT CAST(lpad(to_hex(n), 8, '0') || '-0000-7000-8000-000000000000' AS UUID) $$; \
     INSERT INTO bots (id, project_id, name, kind, state, config, created_at, updated_at) \
     SELECT other(n), project_id, 'b' || n, kind, state, '{}', n, n \
     FROM bots, generate_series(1, 3000) AS n; \
     INSERT INTO skills (id, project_id, bot_id, name, skill_id, enabled, answer_mode, size, \
     created_at, updated_at) SELECT other(n), project_id, id, 's' || n, 's' || n, TRUE, 'random', \
     9, n, n FROM bots, generate_series(1, 3000) AS n WHERE created_at = 0; \
     INSERT INTO stages (id, project_id, bot_id, title, name, size, created_at, updated_at) \
     SELECT other(n), project_id, id, 's' || n, 's' || n, 9, n, n \
     FROM bots, generate_series(1, 3000) AS n WHERE created_at = 0; \
     INSERT INTO fusion_views (id, project_id, bot_id, type, title, size, created_at, updated_at, \
     metadata) SELECT other(n), project_id, id, '', 't' || n, 9, n, n, '{}' \
     FROM bots, generate_series(1, 3000) AS n WHERE created_at = 0; \
     INSERT INTO page_sets SELECT other(n), project_id, 0, NULL \
     FROM bots, generate_series(1, 3000) AS n WHERE created_at = 0; \
     INSERT INTO website_crawls SELECT other(n), project_id, id, other(n), 'u' || n, 1, NULL, \
     NULL, 'c' || n, TRUE, CASE n % 3 WHEN 0 THEN 'finished' WHEN 1 THEN 'failed' ELSE 'cancelled' \
     END, NULL, 0, 0, FALSE, 0, NULL, n, n, n FROM bots, generate_series(1, 3000) AS n \
     WHERE created_at = 0; \
     INSERT INTO projects SELECT other(p), organisation_id, '', 1 \
     FROM projects, generate_series(1, 20) AS p; \
     INSERT INTO bots (id, project_id, name, kind, state, config, created_at, updated_at) \
     SELECT other(1), id, '', 'regular', 'active', '{}', 1, 1 FROM projects WHERE created_at = 1; \
     INSERT INTO page_sets SELECT other(n), id, 0, NULL \
     FROM projects, generate_series(1, 500) AS n WHERE created_at = 1; \
     INSERT INTO website_crawls SELECT other(n), id, other(1), other(n), 'u' || n, 1, NULL, NULL, \
     'c', TRUE, 'finished', NULL, 0, 0, FALSE, 0, NULL, n, n, n \
     FROM projects, generate_series(1, 500) AS n WHERE created_at = 1; \
     INSERT INTO blobs SELECT other(n), project_id, 'document', lpad(to_hex(n), 64, '0'), 1, \
     'present', 0 FROM bots, generate_series(1, 3000) AS n WHERE created_at = 0; \
     INSERT INTO documents SELECT other(n), project_id, other(n), 'f' || n, 't' || n % 5, n, \
     lpad(to_hex(n), 64, '0'), NULL, NULL, CASE WHEN n % 5 > 0 THEN other(n) END, \
     CASE n % 5 WHEN 0 THEN 'none' ELSE 'finished' END, NULL, NULL, NULL, 0, n, n, '{}' \
     FROM bots, generate_series(1, 3000) AS n WHERE created_at = 0; \
     INSERT INTO bot_documents SELECT other(n), project_id, id, other(n), NULL, NULL, 0, 0 \
     FROM bots, generate_series(1, 3000) AS n WHERE created_at = 0; \
     INSERT INTO bot_documents SELECT other(3000 + n), project_id, other(n % 20 + 1), other(n), \
     NULL, NULL, 0, 0 FROM bots, generate_series(1, 3000) AS n WHERE created_at = 0; \
     ANALYZE bots; ANALYZE skills; ANALYZE stages; ANALYZE fusion_views; ANALYZE website_crawls; \
     ANALYZE documents; ANALYZE bot_documents";

/// A list as the plans are asked for it.
struct Asked {
    resource: ListedResource,
    by: SortField,
    conditions: Vec<Condition>,
    since: bool,
}

impl Asked {
    const fn sorted(resource: ListedResource, by: SortField) -> Self {
        Self { resource, by, conditions: Vec::new(), since: false }
    }

    fn with(resource: ListedResource, condition: Condition) -> Self {
        Self { conditions: vec![condition], ..Self::sorted(resource, SortField::CreatedAt) }
    }

    /// Checks that both directions are read in an index, of which SQLite says the columns.
    fn check(&self, watched: &mut Watched, index: &str, sqlite: &str, postgres: &str) {
        let project = watched.project();
        let is_of_project = matches!(self.resource, ListedResource::Bot | ListedResource::Document);
        let key = match self.by {
            SortField::Name => Some(SortKey::Text("n".to_owned())),
            SortField::CreatedAt if self.resource != ListedResource::User => None,
            SortField::CreatedAt | SortField::UpdatedAt | SortField::Size => {
                Some(SortKey::Number(7))
            }
        };
        let position = ListPosition { key, id: ID };
        let directions = if self.since { &[true][..] } else { &[false, true] };
        for &is_descending in directions {
            // The columns are given as they are where the order is ascending.
            let [sqlite, postgres] = [sqlite, postgres].map(|text| match is_descending {
                false => text.to_owned(),
                true => text.chars().map(turned).collect(),
            });
            let sort = Sort { by: self.by, is_descending };
            let (columns, begin) = (format!("{index} ({sqlite})"), format!("{index} ("));
            // The first page is in the same index, and what is filtered row by row changes nothing.
            let filters = [false, self.by != SortField::UpdatedAt];
            for (after, sqlite, postgres) in [
                (Some(&position), columns.as_str(), postgres.as_str()),
                (None, &begin, "Index Cond"),
            ] {
                for is_filtered in filters {
                    let call = |tx: &mut Tx<'_>, scope: &BotScope| {
                        let selection = ListSelection {
                            resource: self.resource,
                            owner: if is_of_project { (&project).into() } else { scope.into() },
                            sort,
                            updated_since: (self.since || is_filtered)
                                .then(|| Timestamp::from_millis(7)),
                            conditions: self.conditions.clone(),
                            with_texts: true,
                            among: None,
                        };
                        tx.candidates(&selection, after, 9)
                    };
                    watched.check(call, sqlite, [index, postgres]);
                }
            }
        }
    }

    /// Checks that the items are counted in an index.
    fn check_count(&self, watched: &mut Watched, index: &str) {
        let project = watched.project();
        let call = |tx: &mut Tx<'_>, _: &BotScope| {
            let selection = ListSelection {
                resource: self.resource,
                owner: (&project).into(),
                sort: Sort::OLDEST_FIRST,
                updated_since: None,
                conditions: self.conditions.clone(),
                with_texts: false,
                among: None,
            };
            tx.count_candidates(&selection, None, 9)
        };
        watched.check(call, index, ["Index Only Scan", index]);
    }
}

const fn turned(comparison: char) -> char {
    match comparison {
        '<' => '>',
        '>' => '<',
        other => other,
    }
}

fn every_order_has_its_index(db: OwnDb) {
    let mut watched = Watched::new(db);
    if let OwnDb::Pg(db) = &mut watched.db {
        db.batch_execute(MANY).unwrap();
    }
    let (of_bot, of_project) = ("project_id=? AND bot_id=? AND ", "project_id=? AND ");
    let (by_name, by_update) = (SortField::Name, SortField::UpdatedAt);
    for (resource, by, index, of, column) in [
        (ListedResource::Bot, by_name, "bots_by_name", of_project, "name"),
        (ListedResource::Bot, by_update, "bots_by_update", of_project, "updated_at"),
        (ListedResource::Skill, by_update, "skills_by_update", of_bot, "updated_at"),
        (ListedResource::Stage, by_name, "stages_by_name", of_bot, "name"),
        (ListedResource::Stage, by_update, "stages_by_update", of_bot, "updated_at"),
        (ListedResource::FusionView, by_name, "fusion_views_by_title", of_bot, "title"),
        (ListedResource::FusionView, by_update, "fusion_views_by_update", of_bot, "updated_at"),
        (ListedResource::WebsiteCrawl, by_name, "website_crawls_by_name", of_bot, "name"),
        (ListedResource::WebsiteCrawl, by_update, "website_crawls_by_update", of_bot, "updated_at"),
        (ListedResource::Document, by_name, "documents_of_name", of_project, "file_name"),
        (ListedResource::Document, SortField::Size, "documents_by_size", of_project, "size"),
        (ListedResource::Document, by_update, "documents_by_update", of_project, "updated_at"),
        (ListedResource::User, SortField::CreatedAt, "users_in_order", of_bot, "created_at"),
        (ListedResource::User, by_update, "users_by_update", of_bot, "updated_at"),
    ] {
        let sqlite = format!("{of}({column},id)>(?,?)");
        let postgres = format!("(ROW({column}, id) > ROW(");
        Asked::sorted(resource, by).check(&mut watched, index, &sqlite, &postgres);
    }
    // A text of which there is one is an order by itself.
    let skills = if matches!(watched.db, OwnDb::Sqlite(_)) {
        "sqlite_autoindex_skills_3"
    } else {
        "skills_project_id_bot_id_name_key"
    };
    for (resource, index, column) in [
        (ListedResource::Skill, skills, "name"),
        (ListedResource::User, "users_guests", "guest_id"),
    ] {
        let sqlite = format!("{of_bot}{column}>?");
        let asked = Asked::sorted(resource, by_name);
        asked.check(&mut watched, index, &sqlite, &format!("({column} > "));
    }
}

fn what_was_changed_is_found_where_it_begins(db: OwnDb) {
    let mut watched = Watched::new(db);
    if let OwnDb::Pg(db) = &mut watched.db {
        db.batch_execute(MANY).unwrap();
    }
    let (of_bot, of_project) = ("project_id=? AND bot_id=? AND ", "project_id=? AND ");
    for (resource, index, of) in [
        (ListedResource::Bot, "bots_by_update", of_project),
        (ListedResource::Skill, "skills_by_update", of_bot),
        (ListedResource::Document, "documents_by_update", of_project),
        (ListedResource::User, "users_by_update", of_bot),
    ] {
        // Where the order is ascending, that is a position behind which the list goes on.
        let asked = Asked { since: true, ..Asked::sorted(resource, SortField::UpdatedAt) };
        let columns = format!("{of}updated_at<? AND (updated_at,id)>(?,?)");
        asked.check(&mut watched, index, &columns, "(updated_at <= ");
    }
}

fn every_filter_has_its_index(db: OwnDb) {
    let mut watched = Watched::new(db);
    if let OwnDb::Pg(db) = &mut watched.db {
        db.batch_execute(MANY).unwrap();
    }
    let crawls =
        Asked::with(ListedResource::WebsiteCrawl, Condition::CrawlStatus(CrawlStatus::Failed));
    let columns = "project_id=? AND bot_id=? AND status=? AND id>?";
    crawls.check(&mut watched, "website_crawls_by_status", columns, "(id > ");
    let document = ListedResource::Document;
    let status = Condition::ExtractionStatus(ExtractionStatus::None);
    let columns = "project_id=? AND extraction_status=? AND id>?";
    let of_status = Asked::with(document, status.clone());
    of_status.check(&mut watched, "documents_by_status", columns, "(id > ");
    of_status.check_count(&mut watched, "documents_by_status");
    // What else is asked for is filtered row by row, in the same index.
    let both = Asked {
        conditions: vec![status, Condition::MimeType("t1".to_owned()), Condition::Assigned(true)],
        ..Asked::sorted(document, SortField::CreatedAt)
    };
    both.check(&mut watched, "documents_by_status", columns, "(id > ");
    // Each row is filtered by look-ups of its own.
    let project = watched.project();
    for condition in [Condition::Assigned(true), Condition::OnBot(BotId::from_uuid(ID))] {
        let plan = watched.plan(|tx, _| {
            let selection = ListSelection {
                resource: document,
                owner: (&project).into(),
                sort: Sort::ascending(SortField::Size),
                updated_since: None,
                conditions: vec![condition],
                with_texts: false,
                among: None,
            };
            tx.candidates(&selection, None, 9)
        });
        let copies = "bot_documents";
        assert!(plan.contains(copies) && !plan.to_lowercase().contains("hash"), "{plan}");
        let is_looked_up = match watched.db {
            OwnDb::Sqlite(_) => plan.contains("document_id=?") && !plan.contains("SCAN"),
            OwnDb::Pg(_) => plan.contains("document_id = documents.id"),
        };
        assert!(is_looked_up, "{plan}");
    }
    let by_size = Asked { by: SortField::Size, ..both };
    let in_order = "project_id=? AND (size,id)>(?,?)";
    by_size.check(&mut watched, "documents_by_size", in_order, "(ROW(size, id) > ROW(");
    let columns = "project_id=? AND mime_type=? AND id>?";
    let of_type = Asked::with(document, Condition::MimeType("t1".to_owned()));
    of_type.check(&mut watched, "documents_by_type", columns, "(id > ");
    let index = if matches!(watched.db, OwnDb::Sqlite(_)) {
        "sqlite_autoindex_bot_documents_2"
    } else {
        "bot_documents_project_id_bot_id_document_id_key"
    };
    let columns = "project_id=? AND bot_id=? AND document_id>?";
    let on_bot = Asked::with(document, Condition::OnBot(BotId::from_uuid(ID)));
    on_bot.check(&mut watched, index, columns, "(document_id > ");
}

fn rows_are_read_by_their_identifiers(db: OwnDb) {
    let mut watched = Watched::new(db);
    if let OwnDb::Pg(db) = &mut watched.db {
        db.batch_execute(MANY).unwrap();
    }
    let project = watched.project();
    let (skill, stage, user) =
        (SkillId::from_uuid(ID), StageId::from_uuid(ID), UserId::from_uuid(ID));
    let sqlite = "project_id=? AND bot_id=? AND id=?)";
    watched.check(
        |tx, scope| tx.skills_with_ids(scope, &[skill; 500]),
        sqlite,
        ["using skills_", "id = ANY"],
    );
    watched.check(
        |tx, scope| tx.stages_with_ids(scope, &[stage; 500]),
        sqlite,
        ["using stages_", "id = ANY"],
    );
    watched.check(
        |tx, scope| tx.users_with_ids(scope, &[user; 500]),
        sqlite,
        ["using users_", "id = ANY"],
    );
    let (bot, document) = (BotId::from_uuid(ID), DocumentId::from_uuid(ID));
    watched.check(
        |tx, _| tx.live_bots_with_ids(&project, &[bot; 500]),
        "bots USING INDEX sqlite_autoindex_bots_1 (project_id=? AND id=?)",
        ["using bots_", "id = ANY"],
    );
    watched.check(
        |tx, _| tx.documents_with_ids(&project, &[document; 500]),
        "(project_id=? AND id=?)",
        ["using documents_", "id = ANY"],
    );
}

fn what_is_asked_of_known_items_is_found_by_their_identifiers(db: OwnDb) {
    let mut watched = Watched::new(db);
    if let OwnDb::Pg(db) = &mut watched.db {
        db.batch_execute(MANY).unwrap();
    }
    let project = watched.project();
    let ids = [ID; 500];
    let status = Condition::CrawlStatus(CrawlStatus::Finished);
    let of_documents = vec![
        Condition::OnBot(BotId::from_uuid(ID)),
        Condition::ExtractionStatus(ExtractionStatus::Finished),
        Condition::MimeType("t1".to_owned()),
    ];
    let of_bot = "project_id=? AND bot_id=? AND id=?)";
    for (resource, conditions, sqlite, table) in [
        (ListedResource::Bot, vec![], "bots_1 (project_id=? AND id=?)", "bots_"),
        (ListedResource::Skill, vec![], of_bot, "skills_"),
        (ListedResource::Stage, vec![], of_bot, "stages_"),
        (ListedResource::FusionView, vec![], of_bot, "fusion_views_"),
        (ListedResource::WebsiteCrawl, vec![status], of_bot, "website_crawls_"),
        (ListedResource::User, vec![], of_bot, "users_"),
        (
            ListedResource::Document,
            of_documents,
            "documents_1 (project_id=? AND id=?)",
            "documents_",
        ),
    ] {
        let is_of_project = matches!(resource, ListedResource::Bot | ListedResource::Document);
        let plan = watched.plan(|tx, scope| {
            let selection = ListSelection {
                resource,
                owner: if is_of_project { (&project).into() } else { scope.into() },
                sort: Sort::OLDEST_FIRST,
                updated_since: None,
                conditions: conditions.clone(),
                with_texts: true,
                among: Some(&ids),
            };
            tx.candidates(&selection, None, 500)
        });
        let is_found = match watched.db {
            OwnDb::Sqlite(_) => plan.contains(sqlite) && !plan.contains("SCAN"),
            OwnDb::Pg(_) => plan.contains(&format!("using {table}")) && plan.contains("id = ANY"),
        };
        assert!(is_found, "{resource:?}: {plan}");
    }
}

#[test]
fn on_sqlite() {
    what_is_asked_of_known_items_is_found_by_their_identifiers(sqlite());
    rows_are_read_by_their_identifiers(sqlite());
    every_order_has_its_index(sqlite());
    what_was_changed_is_found_where_it_begins(sqlite());
    every_filter_has_its_index(sqlite());
}

#[test]
fn on_postgres() {
    what_is_asked_of_known_items_is_found_by_their_identifiers(postgres());
    rows_are_read_by_their_identifiers(postgres());
    every_order_has_its_index(postgres());
    what_was_changed_is_found_where_it_begins(postgres());
    every_filter_has_its_index(postgres());
}
