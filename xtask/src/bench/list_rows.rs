//! Long lists, inserted into the database itself.

/// What the databases spell differently.
pub struct Sql {
    new_id: &'static str,
    /// An identifier, around and inside of its 32 digits.
    id: (&'static str, &'static str),
    truth: [&'static str; 2],
    /// The number `n` as 64 digits.
    hash: &'static str,
}

pub const SQLITE: Sql = Sql {
    new_id: "randomblob(16)",
    id: ("x'", "'"),
    truth: ["0", "1"],
    hash: "printf('%064d', n)",
};

pub const POSTGRES: Sql = Sql {
    new_id: "gen_random_uuid()",
    id: ("CAST('", "' AS UUID)"),
    truth: ["FALSE", "TRUE"],
    hash: "lpad(CAST(n AS TEXT), 64, '0')",
};

/// When what has the number `n` was made and changed: in the first second of 2026.
const TIME: &str = "1767225600000 + n % 1000";
/// How documents are extracted.
const SETTINGS: &str = r#"'{"maxChars":2000,"maxOverlap":200,"chunking_strategy":"text","imagesEnabled":false,"ocrEnabled":false,"ocrLanguage":"eng"}'"#;

impl Sql {
    /// Statements that give a project and its bot so many of everything.
    pub fn rows(&self, count: u32, project_id: &str, bot_id: &str) -> Vec<String> {
        let Self { new_id, id: (begin, end), truth: [no, yes], hash } = self;
        let [project, bot] =
            [project_id, bot_id].map(|id| format!("{begin}{}{end}", id.replace('-', "")));
        let numbers = format!(
            "WITH RECURSIVE numbers (n) AS \
             (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {count})"
        );
        let of_bot = format!("{numbers} SELECT {new_id}, {project}, {bot}, {TIME}, {TIME}");
        let of_project = format!("{numbers} SELECT {new_id}, {project}");
        let keys = "id, project_id, bot_id, created_at, updated_at";
        // A hundred of each list are different.
        let rare = format!("% {} = 0", count / 100);
        let name = format!("CASE WHEN n {rare} THEN 'Rare ' ELSE 'Name ' END || n");
        Vec::from([
            format!(
                "INSERT INTO bots (id, project_id, name, kind, state, created_at, updated_at, config) \
                 {of_project}, {name}, 'regular', 'active', {TIME}, {TIME}, \
                 '{{\"name\":\"Name\"}}' FROM numbers"
            ),
            format!(
                "INSERT INTO skills ({keys}, name, skill_id, enabled, answer_mode, size) \
                 {of_bot}, {name}, 's' || n, {yes}, 'random', 2048 FROM numbers"
            ),
            format!(
                "INSERT INTO stages ({keys}, name, title, size) \
                 {of_bot}, {name}, 'Title', 2048 FROM numbers"
            ),
            format!(
                "INSERT INTO fusion_views ({keys}, type, title, size, metadata) \
                 {of_bot}, 'website', {name}, 2048, '{{}}' FROM numbers"
            ),
            format!(
                "INSERT INTO page_sets (id, project_id, created_at) \
                 SELECT id, project_id, 0 FROM skills WHERE bot_id = {bot}"
            ),
            format!(
                "INSERT INTO website_crawls ({keys}, page_set_id, url, depth, name, active, status, \
                 pages_scraped, pages_failed, bytes, finished_at) SELECT {keys}, id, \
                 'http://example.com/' || skill_id, 0, name, {yes}, \
                 CASE WHEN name LIKE 'Rare%' THEN 'failed' ELSE 'finished' END, 0, 0, 0, 0 \
                 FROM skills WHERE bot_id = {bot}"
            ),
            format!(
                "INSERT INTO blobs (id, project_id, kind, sha256, size, state, created_at) \
                 {of_project}, 'document', {hash}, n, 'present', {TIME} FROM numbers"
            ),
            format!(
                "INSERT INTO documents (id, project_id, blob_id, file_name, mime_type, size, sha256, \
                 extraction_id, extraction_status, chunk_count, created_at, updated_at, settings) \
                 SELECT id, project_id, id, 'Name ' || size, \
                 CASE WHEN size {rare} THEN 'text/csv' ELSE 'text/plain' END, size, sha256, \
                 CASE WHEN NOT (size {rare}) THEN id END, \
                 CASE WHEN size {rare} THEN 'none' ELSE 'finished' END, 0, created_at, created_at, \
                 {SETTINGS} FROM blobs WHERE project_id = {project}"
            ),
            format!(
                "INSERT INTO bot_documents ({keys}, document_id) SELECT id, project_id, {bot}, \
                 created_at, created_at, id FROM documents WHERE project_id = {project} \
                 AND size {rare}"
            ),
            format!(
                "INSERT INTO users ({keys}, guest_id, messages, tokens, supervised, fields) \
                 {of_bot}, {name}, 0, 0, {no}, '{{}}' FROM numbers"
            ),
        ])
    }
}
