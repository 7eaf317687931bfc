//! Servers that are killed while packages come in.

use std::fs;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use botyard_tests::waiting::until;
use botyard_tests::{Form, TestApp, each_database};

use super::files::{files, nameless};
use super::held::{Held, taken};
use super::{archive, archive_of, new_view, sha256, upload, upload_at};

/// Each Fusion-View with a package: its `_id`, the hash of the package and the key of its blob.
fn packages(app: &TestApp) -> Vec<(String, String, String)> {
    let columns = ["f.id", "b.project_id", "b.id"];
    let [view, project, blob] = columns.map(|column| app.sql().text_of(column));
    let rows = app.sql().texts(&format!(
        "SELECT {view} || ' ' || f.file_sha256 || ' ' || \
         {project} || '/' || b.kind || '/' || b.sha256 || '-' || {blob} AS value \
         FROM fusion_views f JOIN blobs b ON b.id = f.blob_id AND b.state = 'present'"
    ));
    let words = |row: &String| -> Option<(String, String, String)> {
        let mut words = row.split(' ').map(str::to_owned);
        Some((words.next()?, words.next()?, words.next()?))
    };
    rows.iter().map(|row| words(row).unwrap()).collect()
}

each_database! {
    fn a_server_that_is_killed_half_way_leaves_nothing(database: Database) {
        let mut app = TestApp::start(database, &[("LIMITS__UPLOADS_PER_PROJECT", "1")]);
        {
            let bot = app.tenant().with_project_token();
            let id = new_view(&bot);
            let form = Form::archive(&archive_of(4 << 20, b'a'));
            let held = taken(&bot, &id, || Held::half(&bot, &id, &form));
            assert_eq!(files(&app), [""; 0]);
            until("the bytes come in", || nameless(&app).is_none_or(|count| count == 1));
            app.server().signal("KILL");
            drop(held);
        }
        app.server_mut().wait();
        let _server = app.installation().serve(&[]);
        assert_eq!(files(&app), [""; 0]);
        assert_eq!(packages(&app), []);
    }

    fn an_acknowledged_package_outlasts_a_kill(database: Database) {
        let mut app = TestApp::start(database, &[("LIMITS__UPLOADS_PER_PROJECT", "32")]);
        let content = |thread: usize, number: usize| archive(&format!("{thread} {number}"));
        let acknowledged: Vec<(String, usize)> = {
            let bot = app.tenant().with_project_token();
            let views: Vec<_> = (0..4).map(|_| new_view(&bot)).collect();
            let (total, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
            std::thread::scope(|scope| {
                let threads: Vec<_> = views
                    .iter()
                    .enumerate()
                    .map(|(thread, id)| {
                        let (bot, total, is_over) = (&bot, &total, &is_over);
                        scope.spawn(move || {
                            let path = bot.path(&upload_at(id));
                            let mut count = 0;
                            while !is_over.load(Ordering::SeqCst) {
                                let form = Form::archive(&content(thread, count + 1));
                                let request = bot.client.request("POST", &path).form(&form);
                                let Ok(answer) = request.try_send() else { break };
                                let _ = answer.ok();
                                count += 1;
                                total.fetch_add(1, Ordering::SeqCst);
                            }
                            (id.clone(), count)
                        })
                    })
                    .collect();
                until("packages are acknowledged", || total.load(Ordering::SeqCst) > 30);
                app.server().signal("KILL");
                is_over.store(true, Ordering::SeqCst);
                threads.into_iter().map(|thread| thread.join().unwrap()).collect()
            })
        };
        app.server_mut().wait();
        let _server = app.installation().serve(&[]);
        let packages = packages(&app);
        for (thread, (id, count)) in acknowledged.iter().enumerate() {
            let found = packages.iter().find(|(view, _, _)| view == id);
            let hash = found.map(|(_, hash, _)| hash.as_str()).unwrap_or_default();
            // The last one may have been stored without having been acknowledged.
            let expected = [*count, count + 1].map(|number| sha256(&content(thread, number)));
            assert!(*count == 0 || expected.iter().any(|known| known == hash), "{hash}, {count}");
        }
        for (_, hash, key) in packages {
            let bytes = fs::read(app.installation().data_dir().join("blobs").join(&key)).unwrap();
            assert_eq!(sha256(&bytes), hash, "{key}");
        }
    }

    fn a_server_that_is_stopped_lets_an_upload_end(database: Database) {
        let mut app = TestApp::start(database, &[("LIMITS__UPLOADS_PER_PROJECT", "1")]);
        {
            let bot = app.tenant().with_bot_token();
            let id = new_view(&bot);
            let _ = upload(&bot, &id, &archive("first"));
            let form = Form::archive(&archive_of(1 << 20, b'a'));
            let held = taken(&bot, &id, || Held::half(&bot, &id, &form));
            app.server().signal("TERM");
            let _ = held.finish().ok();
        }
        assert_eq!(app.server_mut().wait(), 0);
        let hashes: Vec<_> = packages(&app).into_iter().map(|(_, hash, _)| hash).collect();
        assert_eq!(hashes, [sha256(&archive_of(1 << 20, b'a'))]);
    }
}
