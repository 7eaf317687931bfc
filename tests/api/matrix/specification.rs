//! The rows of the specification's tables 4.1 and 4.2, all of them. An operation that is in the code and
//! not in here, or the other way round, fails the test of parity, and one that is not in the API document
//! with its scheme and its scopes fails that of the document.

use domain::access::Scheme;

/// A row: whose tokens, method, path, scopes, and the statuses under "Other statuses".
pub type Row = (Scheme, &'static str, &'static str, &'static str, &'static [u16]);

/// What has a path under the bot, in both schemes: method, `{rel}`, the scopes of a bot token, and
/// the other statuses. Table 4.1 has each of them at `/api/external/bot{rel}`, and section 4.2 says
/// that each exists at `/api/external/projectapi/bots/{botId}{rel}` as well, with 404 in any case.
const ON_BOT: [(&str, &str, &str, &[u16]); 28] = [
    ("GET", "", "bot:read", &[404]),
    ("PUT", "", "bot:write", &[404, 422]),
    ("DELETE", "", "bot:write", &[404]),
    ("GET", "/changelog", "changelog:read", &[]),
    ("POST", "/duplicate", "bot:write", &[404]),
    ("GET", "/embedding", "embedding:read", &[]),
    ("POST", "/embedding", "embedding:write", &[422]),
    ("GET", "/embedding/{scrapeId}", "embedding:read", &[404]),
    ("PUT", "/embedding/{scrapeId}", "embedding:write", &[404, 422]),
    ("DELETE", "/embedding/{scrapeId}", "embedding:write", &[404]),
    ("GET", "/feedback", "stats:read", &[]),
    ("GET", "/fusion", "fusion:read", &[]),
    ("POST", "/fusion", "fusion:write", &[422]),
    ("GET", "/fusion/{fusionId}", "fusion:read", &[404]),
    ("PUT", "/fusion/{fusionId}", "fusion:write", &[404, 422]),
    ("DELETE", "/fusion/{fusionId}", "fusion:write", &[404]),
    ("POST", "/fusion/{fusionId}/upload", "fusion:write", &[404, 415]),
    ("GET", "/skills", "skills:read", &[]),
    ("POST", "/skills", "skills:write", &[409, 422]),
    ("GET", "/skills/{skillId}", "skills:read", &[404]),
    ("PUT", "/skills/{skillId}", "skills:write", &[404, 409, 422]),
    ("DELETE", "/skills/{skillId}", "skills:write", &[404]),
    ("GET", "/stages", "stages:read", &[]),
    ("POST", "/stages", "stages:write", &[422]),
    ("GET", "/stages/{stageId}", "stages:read", &[404]),
    ("PUT", "/stages/{stageId}", "stages:write", &[404, 422]),
    ("DELETE", "/stages/{stageId}", "stages:write", &[404]),
    ("GET", "/usage", "stats:read", &[]),
];

/// The key-value entries of a bot: method, what follows `/api/external/keyval`, and the other
/// statuses. Section 4.2 says that each exists at `/api/external/projectapi/keyval` as well, for the
/// entries of the project.
const KEYVAL: [(&str, &str, &[u16]); 7] = [
    ("GET", "", &[]),
    ("GET", "/{userId}", &[]),
    ("DELETE", "/{userId}", &[]),
    ("GET", "/{userId}/{type}/{key}", &[404]),
    ("PUT", "/{userId}/{type}/{key}", &[403]),
    ("DELETE", "/{userId}/{type}/{key}", &[404]),
    ("POST", "/bulk-delete", &[]),
];

/// What has not, or in one scheme only.
const BESIDE: [Row; 30] = [
    (Scheme::Bot, "GET", "/api/external/checkauth", "", &[]),
    (Scheme::Project, "GET", "/api/external/projectapi/checkauth", "", &[]),
    (Scheme::Bot, "GET", "/api/external/supervisor/chats", "supervisor:read", &[403]),
    (Scheme::Bot, "GET", "/api/external/supervisor/chats/{userId}", "supervisor:read", &[403]),
    (Scheme::Bot, "GET", "/api/external/supervisor/users", "supervisor:read", &[403]),
    (Scheme::Bot, "POST", "/api/external/useraccess/resetstats", "", &[403]),
    (Scheme::Bot, "POST", "/api/external/useraccess/user", "", &[403]),
    (Scheme::Bot, "PUT", "/api/external/useraccess/user", "", &[403]),
    (Scheme::Bot, "GET", "/api/external/useraccess/user/byGuestId/{guestId}", "", &[]),
    (Scheme::Bot, "GET", "/api/external/useraccess/user/byId/{userId}", "", &[]),
    (Scheme::Bot, "GET", "/api/external/useraccess/user/usersinorg", "", &[]),
    (Scheme::Bot, "GET", "/api/external/useraccess/users", "", &[]),
    (Scheme::Bot, "DELETE", "/api/external/useraccess/users", "", &[]),
    (Scheme::Project, "GET", "/api/external/projectapi/bots", "bots:read", &[]),
    (Scheme::Project, "POST", "/api/external/projectapi/bots", "bots:write", &[404, 422]),
    (Scheme::Project, "GET", "/api/external/projectapi/keyval/maxage", "", &[]),
    (Scheme::Project, "POST", "/api/external/projectapi/keyval/maxage", "", &[422]),
    (Scheme::Project, "PUT", "/api/external/projectapi/keyval/maxage/{ruleId}", "", &[404, 422]),
    (Scheme::Project, "DELETE", "/api/external/projectapi/keyval/maxage/{ruleId}", "", &[422]),
    (
        Scheme::Project,
        "POST",
        "/api/external/projectapi/bots/{botId}/doc/assign",
        "bots:write projectdoc:write",
        &[404, 422],
    ),
    (
        Scheme::Project,
        "POST",
        "/api/external/projectapi/bots/{botId}/doc/unassign",
        "bots:write projectdoc:write",
        &[404, 422],
    ),
    (
        Scheme::Project,
        "POST",
        "/api/external/projectapi/bots/{botId}/doc/upload",
        "projectdoc:write",
        &[404, 422, 500],
    ),
    (
        Scheme::Project,
        "POST",
        "/api/external/projectapi/doc/extract/{docId}",
        "projectdoc:chunk",
        &[404, 500],
    ),
    (Scheme::Project, "GET", "/api/external/projectapi/doc/files", "projectdoc:read", &[]),
    (
        Scheme::Project,
        "GET",
        "/api/external/projectapi/doc/files/{docId}",
        "projectdoc:read",
        &[404],
    ),
    (
        Scheme::Project,
        "DELETE",
        "/api/external/projectapi/doc/files/{docId}",
        "projectdoc:write",
        &[404],
    ),
    (
        Scheme::Project,
        "GET",
        "/api/external/projectapi/doc/files/{docId}/chunks",
        "projectdoc:read",
        &[404],
    ),
    (
        Scheme::Project,
        "GET",
        "/api/external/projectapi/doc/files/{docId}/download",
        "projectdoc:read",
        &[404],
    ),
    (
        Scheme::Project,
        "PUT",
        "/api/external/projectapi/doc/replace/{docId}",
        "projectdoc:write",
        &[404, 422, 500],
    ),
    (
        Scheme::Project,
        "POST",
        "/api/external/projectapi/doc/upload",
        "projectdoc:write",
        &[404, 422, 500],
    ),
];

/// What the specification does not have.
const BEYOND: [Row; 16] = [
    (Scheme::Project, "POST", "/api/external/projectapi/doc/plan", "projectdoc:read", &[422]),
    (Scheme::Bot, "GET", "/api/external/bot/events", "events:read", &[410]),
    (Scheme::Project, "GET", "/api/external/projectapi/events", "events:read", &[410]),
    (Scheme::Bot, "GET", "/api/external/bot/events/stream", "events:read", &[410]),
    (Scheme::Project, "GET", "/api/external/projectapi/events/stream", "events:read", &[410]),
    (Scheme::Bot, "POST", "/api/external/bot/events/ticket", "events:read", &[]),
    (Scheme::Project, "POST", "/api/external/projectapi/events/ticket", "events:read", &[]),
    (Scheme::Project, "GET", "/api/external/projectapi/webhooks", "webhooks:read", &[]),
    (Scheme::Project, "POST", "/api/external/projectapi/webhooks", "webhooks:write", &[422]),
    (
        Scheme::Project,
        "GET",
        "/api/external/projectapi/webhooks/{webhookId}",
        "webhooks:read",
        &[404],
    ),
    (
        Scheme::Project,
        "PUT",
        "/api/external/projectapi/webhooks/{webhookId}",
        "webhooks:write",
        &[404, 422],
    ),
    (
        Scheme::Project,
        "DELETE",
        "/api/external/projectapi/webhooks/{webhookId}",
        "webhooks:write",
        &[404],
    ),
    (
        Scheme::Project,
        "POST",
        "/api/external/projectapi/webhooks/{webhookId}/rotate",
        "webhooks:write",
        &[404],
    ),
    (
        Scheme::Project,
        "POST",
        "/api/external/projectapi/webhooks/{webhookId}/test",
        "webhooks:write",
        &[404, 409],
    ),
    (
        Scheme::Project,
        "GET",
        "/api/external/projectapi/webhooks/{webhookId}/deliveries",
        "webhooks:read",
        &[404],
    ),
    (
        Scheme::Project,
        "POST",
        "/api/external/projectapi/webhooks/{webhookId}/deliveries/{deliveryId}/retry",
        "webhooks:write",
        &[404, 409],
    ),
];

/// One operation as the specification has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Specified {
    pub scheme: Scheme,
    pub method: String,
    pub path: String,
    pub scopes: String,
    pub other_statuses: Vec<u16>,
}

/// Every operation of the specification, and those beyond it.
pub fn specified() -> Vec<Specified> {
    let beside =
        BESIDE.iter().chain(&BEYOND).map(|(scheme, method, path, scopes, statuses)| Specified {
            scheme: *scheme,
            method: (*method).to_owned(),
            path: (*path).to_owned(),
            scopes: (*scopes).to_owned(),
            other_statuses: statuses.to_vec(),
        });
    let on_bot = ON_BOT.iter().flat_map(|(method, rel, scopes, statuses)| {
        let own = Specified {
            scheme: Scheme::Bot,
            method: (*method).to_owned(),
            path: format!("/api/external/bot{rel}"),
            scopes: (*scopes).to_owned(),
            other_statuses: statuses.to_vec(),
        };
        let of_project = Specified {
            scheme: Scheme::Project,
            path: format!("/api/external/projectapi/bots/{{botId}}{rel}"),
            scopes: in_a_project(scopes),
            other_statuses: statuses.iter().copied().chain([404]).collect(),
            ..own.clone()
        };
        [own, of_project]
    });
    let keyval = KEYVAL.iter().flat_map(|(method, rest, statuses)| {
        [(Scheme::Bot, ""), (Scheme::Project, "/projectapi")].map(|(scheme, base)| Specified {
            scheme,
            method: (*method).to_owned(),
            path: format!("/api/external{base}/keyval{rest}"),
            scopes: String::new(),
            other_statuses: statuses.to_vec(),
        })
    });
    beside.chain(on_bot).chain(keyval).collect()
}

/// The scopes of a project token in place of those of a bot token.
pub fn in_a_project(scopes: &str) -> String {
    scopes.replace("bot:", "bots:")
}
