//! Migrations are compiled in: a new file must make the crate compile again.

fn main() {
    for database in ["sqlite", "postgres"] {
        let folder = format!("migrations/{database}");
        println!("cargo::rerun-if-changed={folder}");
        let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        for migration in entries {
            println!("cargo::rerun-if-changed={}", migration.path().display());
        }
    }
}
