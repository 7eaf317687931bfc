//! The database and the blob store know that they belong together.

use std::fs;
use std::path::Path;

use botyard_tests::{Database, Installation, each_database};
use s3_server::S3Server;

use super::command::{Ran, botyard, run};

/// The file with which a place is marked.
const MARK: &str = "installation";

#[track_caller]
fn served(installation: &Installation, settings: &[(&str, &str)]) {
    assert_eq!(installation.serve(settings).stop(), 0);
}

fn at_place(installation: &Installation, place: &Path, command: &[&str]) -> Ran {
    let url = format!("file:{}", place.display());
    run(installation.command(&[("BLOB_URL", &url)]).args(command))
}

fn mark_in(place: &Path) -> String {
    fs::read_to_string(place.join(MARK)).expect("a mark").trim_end().to_owned()
}

each_database! {
    fn a_place_of_files_that_is_another_one_is_refused(database: Database) {
        let [first, second] = [(); 2].map(|()| Installation::empty(database));
        for installation in [&first, &second] {
            served(installation, &[]);
            served(installation, &[]);
        }
        let [own, other] = [&first, &second].map(|of| of.data_dir().join("blobs"));
        let [id, other_id] = [&own, &other].map(|place| mark_in(place));
        assert_ne!(id, other_id);
        let new = first.data_dir().join("new");
        for command in [&["serve"][..], &["seed"]] {
            let refused = at_place(&first, &other, command);
            let said = format!(
                "setting blob_url: file:{}: it has the files of another installation than the database: \
                 the mark is `{other_id}` instead of `{id}` (the file `{MARK}` in it)",
                other.display()
            );
            assert_eq!(refused.failed(), said, "{command:?}");
            let refused = at_place(&first, &new, command);
            let said = format!("it is not where the files of this database are: the mark `{id}` is missing");
            assert!(refused.failed().contains(&said), "{command:?}: {refused:?}");
        }
        for place in [&other, &new] {
            let found = at_place(&first, place, &["check"]);
            assert!(found.found().starts_with("file_place "), "{found:?}");
        }
        fs::write(own.join(MARK), "nothing").expect("a mark");
        let refused = at_place(&first, &own, &["serve"]);
        assert!(refused.failed().ends_with("has no identifier of an installation"), "{refused:?}");
        // An administrator who knows that it is the right place can write the mark.
        fs::write(new.join(MARK), &id).expect("a mark");
        at_place(&first, &new, &["seed"]).done();
        at_place(&first, &new, &["check"]).done();
    }

    fn a_place_from_before_it_had_marks_gets_one(database: Database) {
        let installation = Installation::empty(database);
        botyard(&installation, &["seed"]).done();
        let place = installation.data_dir().join("blobs");
        fs::remove_file(place.join(MARK)).expect("the mark goes");
        let _ = installation.sql().execute("DELETE FROM installation");
        served(&installation, &[]);
        let id = installation.sql().text_of("id");
        let ids = installation.sql().texts(&format!("SELECT {id} AS value FROM installation WHERE marked_at > 0"));
        assert_eq!(ids, [mark_in(&place)]);
        // A server that was killed between the two goes on.
        let _ = installation.sql().execute("UPDATE installation SET marked_at = NULL");
        served(&installation, &[]);
        let marked = "SELECT count(*) AS value FROM installation WHERE marked_at > 0";
        assert_eq!((installation.sql().number(marked), mark_in(&place)), (1, ids[0].clone()));
    }
}

#[test]
fn a_bucket_has_a_mark_as_well_sqlite() {
    let bucket = S3Server::start();
    let variables = bucket.variables();
    let url = format!("s3://{}/prefix", bucket.bucket);
    let mut settings = vec![("BLOB_URL", url.as_str())];
    settings.extend(variables.iter().map(|(name, value)| (name.as_str(), value.as_str())));
    let [first, second] = [(); 2].map(|()| Installation::empty(Database::Sqlite));
    for _ in 0..2 {
        served(&first, &settings);
        assert_eq!(bucket.keys(), ["prefix/installation"]);
    }
    botyard(&second, &["migrate"]).done();
    let refused = run(second.command(&settings).arg("serve"));
    assert!(refused.failed().starts_with(&format!("setting blob_url: {url}: ")), "{refused:?}");
}
