use super::*;

fn many(count: usize) -> Violations {
    let mut violations = Violations::none();
    for number in 0..count {
        violations.body(format!("/{number}"), ViolationCode::UnknownField, "unknown");
    }
    violations
}

#[test]
fn what_is_not_listed_is_counted() {
    let mut violations = many(Violations::MAX + 1);
    violations.body_with(ViolationCode::UnknownField, || panic!("its text is not needed"));
    assert_eq!(
        (violations.iter().count(), violations.total()),
        (Violations::MAX, Violations::MAX + 2)
    );
    let mut first = Violations::one("", ViolationCode::TooDeep, "too deep");
    first.extend(violations);
    assert_eq!((first.iter().count(), first.total()), (Violations::MAX, Violations::MAX + 3));
    assert_eq!(first.iter().next().map(|violation| violation.code), Some(ViolationCode::TooDeep));
}

#[test]
fn violations_of_the_query_leave_room_for_those_of_the_body() {
    let mut violations = Violations::none();
    for number in 0..Violations::MAX + 5 {
        violations.query(&number.to_string(), "unknown");
    }
    violations.extend(many(3));
    let of_body = violations.iter().filter(|violation| violation.part == InputPart::Body);
    assert_eq!((of_body.count(), violations.iter().count()), (3, Violations::MAX + 3));
    assert_eq!(violations.total(), Violations::MAX + 8);
}

#[test]
fn a_pointer_escapes_names_and_stays_short() {
    assert_eq!(pointer(["a/b", "~", ""]), "/a~1b/~0/");
    assert_eq!(pointer(["n".repeat(POINTER_MAX - 1)]).len(), POINTER_MAX);
    assert_eq!(pointer(["a".to_owned(), "n".repeat(POINTER_MAX - 2), "b".to_owned()]), "/a");
    assert_eq!(pointer(["~".repeat(POINTER_MAX / 2)]), "");
}
