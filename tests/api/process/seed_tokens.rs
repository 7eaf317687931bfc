//! Tokens of the samples: into the variables of a shell, and what is said when they can't be shown any more.

use std::io::{self, BufRead as _, BufReader, PipeReader};
use std::process::{Child, Command, Stdio};

use botyard_tests::{Installation, audit, each_database};

use super::command::{Ran, botyard, run};
use super::setup::{migrated, organisation, text};

/// The printed command lines that mint tokens.
fn mint_lines(printed: &str) -> Vec<String> {
    printed.lines().filter(|line| line.contains(" token mint ")).map(str::to_owned).collect()
}

/// Has a shell run a line, with the settings of an installation.
#[track_caller]
fn run_in_shell(installation: &Installation, line: &str) -> Ran {
    let mut shell = Command::new("sh");
    let of_the_binary = installation.command(&[]);
    for (name, value) in of_the_binary.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    shell.env("BINARY", of_the_binary.get_program());
    run(shell.args(["-c", line]).current_dir(installation.data_dir()))
}

/// The bot that the sample bot tokens are bound to.
fn first_bot(installation: &Installation) -> String {
    let seeded = botyard(installation, &["seed", "--json"]).json();
    text(&seeded["botIds"][0])
}

/// Serves with samples, with results and log on the same pipe, as on a terminal.
fn serve_onto_one_pipe(installation: &Installation) -> (BufReader<PipeReader>, Ended) {
    let (reader, writer) = io::pipe().expect("a pipe");
    let settings = [("LOG__LEVEL", "debug"), ("METRICS__LISTEN", "127.0.0.1:0")];
    let mut command = installation.command(&settings);
    command.args(["serve", "--seed"]).stdin(Stdio::null());
    command.stdout(writer.try_clone().expect("a pipe")).stderr(writer);
    (BufReader::new(reader), Ended(command.spawn().expect("the binary can be started")))
}

/// A server that is killed when the test is done with it.
struct Ended(Child);

impl Ended {
    fn end(&mut self) {
        // It has ended already, unless the test failed.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Drop for Ended {
    fn drop(&mut self) {
        self.end();
    }
}

each_database! {
    fn what_mints_lost_tokens_anew_can_be_copied(database: Database) {
        let installation = Installation::empty(database);
        botyard(&installation, &["seed"]).done();
        let folder = installation.data_dir().display().to_string();
        // Variables of the shell need no flags, and flags are repeated.
        for arguments in [&["seed"][..], &["seed", "--data-dir", &folder]] {
            let again = botyard(&installation, arguments);
            let lines = mint_lines(again.done());
            assert_eq!(lines.len(), 3, "{again:?}");
            for (line, flags) in lines.iter().zip([
                &["--project", "--name 'Sample project token'"][..],
                &["--bot", "--name 'Sample bot token'"],
                &["--bot", "--name 'Sample read-only bot token'", "--read-only"],
            ]) {
                let repeats = line.ends_with(&format!(" --data-dir {folder}"));
                assert_eq!(repeats, arguments.len() > 1, "{line}");
                assert!(flags.iter().all(|flag| line.contains(flag)), "{line}");
                assert!(audit::has_token(run_in_shell(&installation, line).done()), "{line}");
            }
            let afresh = again.done().lines().last().unwrap();
            assert!(afresh.contains("begin afresh") && afresh.contains(&folder), "{afresh}");
        }
        let read_only = botyard(&installation, &["token", "list", "--bot", &first_bot(&installation)]);
        assert_eq!(read_only.done().matches("  read-only  ").count(), 3, "{read_only:?}");
    }

    fn a_shell_takes_the_samples_into_its_variables(database: Database) {
        let installation = Installation::empty(database);
        let script = "eval \"$(\"$BINARY\" seed --env --listen 127.0.0.1:7)\" && echo \"$API $PROJECT $BOT \
                      $PROJECT_TOKEN $BOT_TOKEN $READ_ONLY_BOT_TOKEN\"";
        let ran = run_in_shell(&installation, script);
        let words: Vec<_> = ran.done().split_whitespace().collect();
        let [api, project, bot, tokens @ ..] = &words[..] else { panic!("{ran:?}") };
        assert_eq!(*api, "http://127.0.0.1:7/api/external");
        assert_eq!(*bot, first_bot(&installation));
        let known = botyard(&installation, &["project", "list", "--json"]).json();
        assert_eq!(known[0]["_id"], *project);
        let begin: Vec<_> = tokens.iter().filter_map(|token| token.get(..4)).collect();
        assert_eq!(begin, ["byp_", "byb_", "byb_"]);
        assert!(tokens.iter().all(|token| audit::has_token(token)), "{ran:?}");

        // There is nothing to evaluate without the tokens, and why is not evaluated.
        let again = botyard(&installation, &["seed", "--env"]);
        assert!(again.failed().contains(" seed` prints the commands"), "{again:?}");
        let both = botyard(&installation, &["seed", "--env", "--json"]);
        assert!(both.misused().contains("--json"), "{both:?}");
    }

    fn no_line_of_the_log_stands_between_results(database: Database) {
        let installation = Installation::empty(database);
        let (reader, mut server) = serve_onto_one_pipe(&installation);
        let mut lines = Vec::new();
        for line in reader.lines() {
            lines.push(line.expect("a line"));
            if lines.last().is_some_and(|line| line.starts_with("listening on ")) {
                break;
            }
        }
        server.end();
        let log = lines.iter().take_while(|line| line.starts_with('{')).count();
        let (log, results) = lines.split_at(log);
        assert!(log.iter().any(|line| line.contains("\"botyard serves\"")), "{log:?}");
        assert!(results.len() > 10, "{results:?}");
        assert!(!results.iter().any(|line| line.starts_with('{')), "{results:?}");
    }

    fn serve_leaves_a_database_alone_that_is_not_empty(database: Database) {
        let installation = migrated(database);
        organisation(&installation, "Somebody");
        let mut server = installation.serve_with(&[], &["--seed"]);
        let listening = format!("listening on http://{}", server.address());
        let [why, mint, afresh, last] = server.printed() else { panic!("{:?}", server.printed()) };
        assert!(why.starts_with("The database is not empty, so it was not seeded. "), "{why}");
        assert!(mint.ends_with(" token mint --project ID --name NAME --scopes all"), "{mint}");
        assert!(afresh.starts_with("To begin afresh, stop the server, "), "{afresh}");
        assert_eq!(*last, listening);
        let count = "SELECT count(*) AS value FROM projects";
        assert_eq!(installation.sql().number(count), 0);
        assert_eq!(server.stop(), 0);
    }

    fn serve_says_how_to_get_at_the_samples_that_are_there(database: Database) {
        let installation = Installation::new(database);
        botyard(&installation, &["seed"]).done();
        let mut server = installation.serve_with(&[], &["--seed"]);
        let printed = server.printed().join("\n");
        assert!(printed.starts_with("The database is not empty") && !audit::has_token(&printed));
        let mint = mint_lines(&printed);
        assert_eq!(mint.len(), 3, "{printed}");
        assert!(audit::has_token(run_in_shell(&installation, &mint[0]).done()));
        assert_eq!(server.stop(), 0);
    }
}
