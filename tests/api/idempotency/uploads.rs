//! Uploads with keys: a form is the same whatever stands between its parts, and its answer the one that the first
//! request got, which has waited for the chunks.

use botyard_tests::{Client, Form, Response, each_database};

use super::{fresh, replayed};

const UPLOAD: &str = "/api/external/projectapi/doc/upload";
const FILES: &str = "/api/external/projectapi/doc/files";

fn send(client: &Client<'_>, path: &str, key: &str, form: &Form) -> Response {
    client.request("POST", path).header("Idempotency-Key", key).form(form).send()
}

fn form(boundary: &str, content: &str) -> Form {
    let form = Form::with_boundary(boundary).file("a.md", "text/markdown", content.as_bytes());
    form.text("skillId", "a")
}

each_database! {
    fn an_upload_is_known_by_its_parts(app: &TestApp) {
        let tenant = app.tenant();
        let client = tenant.as_project();
        let upload = |key: &str, form: &Form| send(&client, UPLOAD, key, form);
        let first = fresh(&upload("a", &form("one", "# A\n\ntext")));
        assert_eq!(first["projectDoc"]["extraction"]["status"], "finished");
        assert_eq!(replayed(&upload("a", &form("another", "# A\n\ntext"))), first);
        for other in [
            form("one", "# B\n\ntext"),
            form("one", "# A\n\ntext").text("functionName", "f"),
            Form::with_boundary("one").file("b.md", "text/markdown", b"# A\n\ntext").text("skillId", "a"),
        ] {
            upload("a", &other).problem(422, "idempotency_key_reused");
        }
        assert_eq!(client.get(FILES).ok().as_array().unwrap().len(), 1);
        let second = fresh(&upload("b", &form("one", "# A\n\ntext")));
        assert_ne!(second["projectDoc"]["_id"], first["projectDoc"]["_id"]);
    }

    fn a_file_that_is_skipped_is_answered_again_too(app: &TestApp) {
        let bot = app.tenant().with_project_token();
        let path = format!("{}?onDuplicate=skip", bot.path("/doc/upload"));
        let upload = |key: &str, content: &str| send(&bot.client, &path, key, &form("one", content));
        let first = fresh(&upload("a", "text"));
        let skipped = fresh(&upload("b", "other text"));
        assert_eq!(skipped["projectDoc"]["_id"], first["projectDoc"]["_id"]);
        assert_eq!(replayed(&upload("b", "other text")), skipped);
        upload("b", "text").problem(422, "idempotency_key_reused");
    }

    fn what_fails_to_be_extracted_is_tried_again(app: &TestApp) {
        let tenant = app.tenant();
        let client = tenant.as_project();
        let bytes = Form::new().file("a.bin", "application/octet-stream", b"\0\x01\x02");
        let made = fresh(&send(&client, UPLOAD, "a", &bytes));
        let id = made["projectDoc"]["_id"].as_str().unwrap();
        let path = format!("/api/external/projectapi/doc/extract/{id}");
        for _ in 0..2 {
            let request = client.request("POST", &path).header("Idempotency-Key", "b");
            request.send().problem(500, "extraction_failed");
        }
    }
}
