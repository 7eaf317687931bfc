//! The Rust client against a server: the methods of both clients send what the operations take. That it reads every
//! answer, the harness checks on each of them.

use std::future::Future;

use botyard_tests::{Mint, TestApp, each_database};
use client::bot::{DeleteBot, DeleteMode, DuplicateBot, ListBotsQuery, UpdateBot};
use client::changelog::ListChangelogQuery;
use client::download::DownloadQuery;
use client::event_stream::StreamEventsQuery;
use client::feedback::ListFeedbackQuery;
use client::fusion_view::{CreateFusionView, UploadFusionPackage};
use client::key_value_entry::{
    BulkDeleteKeyvalEntries, DeleteKeyvalEntryQuery, ListKeyvalEntriesQuery, PutKeyvalEntry,
};
use client::max_age_rule::{CreateMaxAgeRule, UpdateMaxAgeRule};
use client::project_document::{
    AssignDocuments, ExtractDocument, Strategy, UploadBotDocument, UploadBotDocumentQuery,
    UploadDocument, UploadDocumentQuery,
};
use client::shared::EventType;
use client::shared::Scheme;
use client::skill::{AnswerMode, CreateSkill, ListSkillsQuery, UpdateSkill};
use client::stage::{CreateStage, UpdateStage};
use client::usage::ListUsageQuery;
use client::user::{CreateUser, DeleteUsers, ListUsersQuery, ResetUserStats, UpdateUser};
use client::website_crawl::{CreateWebsiteCrawl, UpdateWebsiteCrawl};
use client::{BotClient, Day, Error, File, Json, PageQuery, ProjectClient};
use serde_json::{Map, json};
use time::macros::date;

use crate::fusion::archive;

fn run<T>(calls: impl Future<Output = client::Result<T>>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.unwrap().block_on(calls).unwrap_or_else(|error| panic!("{error:?}"))
}

/// A project client, and a bot of its project.
fn of_project(app: &TestApp) -> (ProjectClient, uuid::Uuid) {
    let tenant = app.tenant();
    let token = tenant.project_token(Mint::default());
    let project = ProjectClient::new(&app.server().url(), token.secret()).unwrap();
    (project, tenant.bot().to_string().parse().unwrap())
}

fn of_bot(app: &TestApp) -> BotClient {
    let tenant = app.tenant();
    let token = tenant.bot_token(tenant.bot(), Mint::default());
    BotClient::new(&app.server().url(), token.secret()).unwrap()
}

#[track_caller]
fn is_refused<T>(result: client::Result<T>, status: i64, code: &str) {
    match result {
        Err(Error::Refused(refusal)) => {
            assert_eq!((refusal.problem.status, refusal.problem.code.as_str()), (status, code));
        }
        Err(error) => panic!("{error:?}"),
        Ok(_) => panic!("it is done"),
    }
}

fn members(value: serde_json::Value) -> Map<String, serde_json::Value> {
    value.as_object().unwrap().clone()
}

each_database! {
    fn a_bot_token_reaches_everything_of_its_bot(app: &TestApp) {
        let bot = of_bot(app);
        run(async {
            let token = bot.checkauth().await?;
            assert_eq!((token.scheme, token.read_only), (Scheme::APIKeyHeader, false));
            let change = UpdateBot { temperature: Some(Some(0.5)), custom_js: Some(None), ..UpdateBot::default() };
            assert_eq!(bot.update_bot(&change).await?.temperature, Some(0.5));
            let id = bot.get_bot().await?.id;

            let skill = CreateSkill {
                name: "Greeting".to_owned(),
                skill_id: Some("greet".to_owned()),
                answer_mode: Some(AnswerMode::Random),
                ..CreateSkill::default()
            };
            let skill = bot.create_skill(&skill).await?;
            assert_eq!((skill.bot_id, &skill.answer_mode), (id, &AnswerMode::Random));
            let change = UpdateSkill { description: Some(Some("Says hello".to_owned())), ..UpdateSkill::default() };
            assert_eq!(bot.update_skill("greet", &change).await?.description.as_deref(), Some("Says hello"));
            let change = UpdateSkill { description: Some(None), ..UpdateSkill::default() };
            assert_eq!(bot.update_skill("greet", &change).await?.description, None);

            let stage = CreateStage { name: Some("First".to_owned()), ..CreateStage::default() };
            let stage = bot.create_stage(&stage).await?;
            let change = UpdateStage { skills: Some(Some(vec!["greet".to_owned()])), ..UpdateStage::default() };
            assert_eq!(bot.update_stage(stage.id, &change).await?.skills, Some(vec!["greet".to_owned()]));
            bot.delete_skill("greet").await?;
            assert_eq!(bot.get_stage(stage.id).await?.skills, Some(Vec::new()));
            bot.delete_stage(stage.id).await?;
            is_refused(bot.get_stage(stage.id).await, 404, "stage_not_found");

            let others = members(json!({"language": "en"}));
            let view = CreateFusionView { r#type: "h5p".to_owned(), title: "Course".to_owned(), others };
            let view = bot.create_fusion_view(&view).await?;
            assert_eq!(view.others["language"], "en");
            let archive = File::new("course.h5p", archive("a page"));
            bot.upload_fusion_package(view.id, UploadFusionPackage::new(archive)).await?;
            bot.delete_fusion_view(view.id).await?;

            let oldest = StreamEventsQuery { after: Some("0".to_owned()), ..StreamEventsQuery::default() };
            let mut stream = bot.stream_events_of_bot(&oldest).await?;
            let first = stream.next().await?.expect("the stream goes on");
            assert_eq!(first.r#type, EventType::BotCreated);
            assert_eq!(stream.cursor(), Some(first.cursor.as_str()));
            let after = StreamEventsQuery { after: Some(first.cursor), ..StreamEventsQuery::default() };
            let next = bot.stream_events_of_bot(&after).await?.next().await?.expect("the stream goes on");
            assert_eq!(next.bot_id, Some(id));
            let ticket = bot.create_event_ticket_of_bot().await?;
            assert!(ticket.ticket.starts_with("byt_"));

            let history = bot.list_changelog(&ListChangelogQuery::default()).await?;
            assert!(history.items.iter().all(|entry| entry.bot_id == id) && history.items.len() > 5);
            let year = ListUsageQuery { from: Some(Day(date!(2026 - 01 - 01))), ..ListUsageQuery::default() };
            assert!(bot.list_usage(&year).await?.items.is_empty());
            assert!(bot.list_feedback(&ListFeedbackQuery::default()).await?.items.is_empty());
            assert!(bot.list_supervisor_users(&PageQuery::default()).await?.items.is_empty());

            let copy = bot.duplicate_bot(&DuplicateBot::default()).await?;
            assert_ne!(copy.id, id);
            bot.delete_bot(&DeleteBot { mode: Some(DeleteMode::Archive) }).await?;
            is_refused(bot.get_bot().await, 404, "bot_not_found");
            Ok(())
        });
    }

    fn users_have_free_members(app: &TestApp) {
        let bot = of_bot(app);
        run(async {
            let others = members(json!({"team": "A/B", "age": 7}));
            let user = CreateUser { guest_id: Some("guest 1/ü".to_owned()), others };
            let user = bot.create_user(&user).await?;
            assert_eq!(user.others["age"], 7);
            let found = bot.get_user_by_guest_id("guest 1/ü").await?;
            assert_eq!(found.as_ref().map(|found| found.id), Some(user.id));
            assert_eq!(*bot.get_user_by_guest_id("guest 2").await?, None);
            let change = UpdateUser {
                id: Some(Some(user.id.to_string())),
                others: members(json!({"age": null})),
                ..UpdateUser::default()
            };
            let changed = bot.update_user(&change).await?;
            assert!(!changed.others.contains_key("age") && changed.others.contains_key("team"));
            bot.reset_user_stats(&ResetUserStats { user_id: user.id.to_string() }).await?;
            assert_eq!(bot.list_users(&ListUsersQuery::default()).await?.items.len(), 1);
            let deleted = bot.delete_users(&DeleteUsers { user_ids: vec![user.id.to_string()] }).await?;
            assert_eq!(deleted.deleted, 1);
            Ok(())
        });
    }

    fn a_project_token_reaches_its_bots_and_documents(app: &TestApp) {
        let (project, bot) = of_project(app);
        run(async {
            let skill = CreateSkill { name: "Greeting".to_owned(), ..CreateSkill::default() };
            let skill = project.create_skill(bot, &skill).await?;
            assert_eq!(project.get_skill(bot, &skill.skill_id).await?, skill);
            let crawl = CreateWebsiteCrawl {
                url: "http://127.0.0.1:9/".to_owned(),
                depth: Some(0),
                ..CreateWebsiteCrawl::default()
            };
            let crawl = project.create_website_crawl(bot, &crawl).await?;
            let change = UpdateWebsiteCrawl { active: Some(false), ..UpdateWebsiteCrawl::default() };
            assert!(!project.update_website_crawl(bot, crawl.id, &change).await?.active);
            project.delete_website_crawl(bot, crawl.id).await?;

            let text = "# Opening hours\n\nWe are open from 9 to 17.\n";
            let form = UploadDocument {
                max_chars: Some(500),
                ocr_enabled: Some(false),
                chunking_strategy: Some(Strategy::Markdown),
                ..UploadDocument::new(File::new("hours ü.md", text))
            };
            let document = project.upload_document(&UploadDocumentQuery::default(), form).await?.project_doc;
            assert_eq!((document.file_name.as_str(), document.extraction.chunk_count), ("hours ü.md", 1));
            let chunks = project.list_document_chunks(document.id, &PageQuery::default()).await?;
            assert!(chunks.items[0].text.contains("9 to 17"), "{chunks:?}");
            let whole = project.download_document(document.id, &DownloadQuery::default()).await?;
            let tag = whole.entity_tag().unwrap().to_owned();
            assert_eq!((whole.is_part(), whole.length()), (false, Some(43)));
            assert_eq!(whole.bytes().await?, text.as_bytes());
            let part = DownloadQuery { range: Some("bytes=2-8".to_owned()), ..DownloadQuery::default() };
            let part = project.download_document(document.id, &part).await?;
            assert!(part.is_part());
            assert_eq!(part.bytes().await?, "Opening");
            let known = DownloadQuery { if_none_match: Some(tag), ..DownloadQuery::default() };
            assert!(project.download_document(document.id, &known).await?.is_not_modified());

            let ids = vec![document.id.to_string()];
            let assigned = project.assign_documents(bot, &AssignDocuments { doc_ids: ids }).await?;
            assert_eq!(assigned[0].bot_id, Some(bot));
            let again = ExtractDocument { max_chars: Some(200), ..ExtractDocument::default() };
            project.extract_document(document.id, &again).await?;
            let second = UploadBotDocument::new(File::new("second.txt", "Second"));
            project.upload_bot_document(bot, &UploadBotDocumentQuery::default(), second).await?;
            project.delete_document(document.id).await?;
            is_refused(project.get_document(document.id).await, 404, "document_not_found");
            Ok(())
        });
    }

    fn entries_have_any_names_but_those_that_a_url_can_not_have(app: &TestApp) {
        let (project, _) = of_project(app);
        run(async {
            for key in ["a/b", "100 %", "?#&+", "é", "..."] {
                let body = PutKeyvalEntry { value: Json::of(&[key]).unwrap() };
                let stored = project.put_keyval_entry("user 1/2", "a.b", key, &body).await?;
                assert_eq!((stored.key.as_str(), stored.permanent), (key, false));
                let entry = project.get_keyval_entry("user 1/2", "a.b", key).await?;
                assert_eq!((entry.id, &entry.value), (stored.id, &body.value));
            }
            let refused = project.get_keyval_entry("user 1/2", "..", "..").await;
            assert!(matches!(refused, Err(Error::Path(_))), "{refused:?}");
            let query = ListKeyvalEntriesQuery { r#type: Some("a.b".to_owned()), ..ListKeyvalEntriesQuery::default() };
            assert_eq!(project.list_keyval_entries(&query).await?.items.len(), 5);
            project.delete_keyval_entry("user 1/2", "a.b", "a/b", &DeleteKeyvalEntryQuery::default()).await?;
            let rest = BulkDeleteKeyvalEntries { r#type: Some("a.b".to_owned()), ..BulkDeleteKeyvalEntries::default() };
            assert_eq!(project.bulk_delete_keyval_entries(&rest).await?.deleted, 4);

            let rule = CreateMaxAgeRule { key_pattern: "session:*".to_owned(), max_age_seconds: 1.5 };
            let rule = project.create_max_age_rule(&rule).await?;
            let change = UpdateMaxAgeRule { max_age_seconds: Some(3600.0), ..UpdateMaxAgeRule::default() };
            assert_eq!(project.update_max_age_rule(rule.id, &change).await?.max_age_seconds, 3600.0);
            project.delete_max_age_rule(rule.id).await?;
            Ok(())
        });
    }

    fn lists_come_page_by_page(app: &TestApp) {
        let (project, bot) = of_project(app);
        run(async {
            for name in ["a", "b", "c", "d"] {
                let skill = CreateSkill { name: name.to_owned(), ..CreateSkill::default() };
                project.create_skill(bot, &skill).await?;
            }
            let mut names = Vec::new();
            let mut query = ListSkillsQuery {
                sort: Some("-name".to_owned()),
                count: Some(true),
                limit: Some(3),
                ..ListSkillsQuery::default()
            };
            loop {
                let page = project.list_skills(bot, &query).await?;
                assert_eq!(page.total, Some(4));
                names.push(page.items.into_iter().map(|skill| skill.name).collect::<String>());
                if page.next.is_none() {
                    break;
                }
                query.cursor = page.next;
            }
            assert_eq!(names, ["dcb", "a"]);
            Ok(())
        });
    }

    fn a_change_with_a_key_is_made_once(app: &TestApp) {
        let (project, bot) = of_project(app);
        run(async {
            let new = CreateSkill { name: "a".to_owned(), ..CreateSkill::default() };
            let once = project.once("a key");
            is_refused(once.create_skill(bot, &new).await, 422, "bad_idempotency_key");
            let once = project.once("a-key");
            let made = once.create_skill(bot, &new).await?;
            assert_eq!(once.create_skill(bot, &new).await?, made);
            let other = CreateSkill { name: "b".to_owned(), ..CreateSkill::default() };
            is_refused(once.create_skill(bot, &other).await, 422, "idempotency_key_reused");
            is_refused(project.create_skill(bot, &new).await, 409, "taken");
            Ok(())
        });
    }

    fn a_refusal_says_what_is_wrong(app: &TestApp) {
        let (project, bot) = of_project(app);
        run(async {
            let change = UpdateBot { temperature: Some(Some(7.0)), ..UpdateBot::default() };
            let Err(Error::Refused(refusal)) = project.update_bot(bot, &change).await else {
                panic!("it is done");
            };
            let errors = refusal.problem.errors.as_deref().unwrap_or_default();
            assert_eq!(errors[0].pointer, "/temperature");
            assert_eq!(refusal.retry_after, None);
            let shown = refusal.to_string();
            assert!(shown.ends_with("(out_of_range)") && shown.lines().count() == 1, "{shown}");
            let change = UpdateBot { name: Some(String::new()), ..change };
            let Err(Error::Refused(refusal)) = project.update_bot(bot, &change).await else {
                panic!("it is done");
            };
            let shown = refusal.to_string();
            assert!(shown.contains("\n/temperature: ") && shown.contains("\n/name: "), "{shown}");
            let anonymous = ProjectClient::new(&app.server().url(), "byp_unknown")?;
            is_refused(anonymous.list_bots(&ListBotsQuery::default()).await, 401, "unauthenticated");
            let elsewhere = ProjectClient::new(&format!("{}/elsewhere", app.server().url()), "byp_unknown")?;
            is_refused(elsewhere.list_bots(&ListBotsQuery::default()).await, 404, "unknown_path");
            Ok(())
        });
    }
}
