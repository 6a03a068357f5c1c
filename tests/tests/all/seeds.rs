//! Claims of the five seed documents, each as a small scenario with what it expects (`tests/seeds`; the table is
//! `docs/seeds.md`), and runs that a search once found. They are run as `podscope run` does it.

use std::fs;

use podscope_session::scenario;
use podscope_session::timeline::{Session, Slice};
use podscope_tests::files;

use super::scenarios::complaints_of;

/// The facts stand in the files.
#[test]
fn claims_of_the_seed_documents_hold() {
    let mut complaints = Vec::new();
    for path in files("tests/seeds", ".yaml") {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).expect("a scenario");
        match scenario::load(&[(format!("{name}.yaml"), text)]) {
            Ok(loaded) => {
                let until = loaded.default_until();
                let mut session = Session::new(loaded).expect("a session");
                assert_eq!(session.advance(until, u64::MAX), Slice::Done, "{name}");
                complaints.extend(complaints_of(&name, &session));
            }
            Err(problems) => complaints.push(format!("{name}: {problems:?}")),
        }
    }
    assert!(
        complaints.is_empty(),
        "{} complaints:\n{}",
        complaints.len(),
        complaints.join("\n")
    );
}
