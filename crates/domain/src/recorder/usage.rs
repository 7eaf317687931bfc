//! What is added to the usage of a day.

use super::check::stand_in;
use crate::body::{Body, Fields, INTEGER_MAX, Rules, Slot};
use crate::text;
use crate::usage::{Day, UsageAmounts, UsageKey, UsageKind};
use crate::violation::{ViolationCode, Violations};

/// The largest number of seconds, and the highest cost: far more than there can be, but sums of them
/// stay numbers.
const AMOUNT_MAX: f64 = INTEGER_MAX as f64;

/// Usage to be added to that of a day, kind and model.
///
/// As a line: `day`, `kind` and `model` are required, and numbers that are missing are 0.
#[derive(Debug, Clone, PartialEq)]
pub struct NewUsage {
    /// `day`, `kind` and `model`.
    pub of: UsageKey,
    /// `requests`, `inputTokens`, `outputTokens`, `characters`: 0 to 2^53 − 1; `seconds` and `cost`:
    /// 0 to as much, with fractions.
    pub amounts: UsageAmounts,
}

impl NewUsage {
    pub(super) fn check(&self, violations: &mut Violations) {
        text::name("/model", &self.of.model, violations);
        let UsageAmounts { requests, input_tokens, output_tokens, characters, seconds, cost } =
            self.amounts;
        let whole = [
            ("requests", requests),
            ("inputTokens", input_tokens),
            ("outputTokens", output_tokens),
            ("characters", characters),
        ];
        for (member, _) in whole.into_iter().filter(|(_, number)| *number > INTEGER_MAX) {
            out_of_range(violations, member);
        }
        for (member, number) in [("seconds", seconds), ("cost", cost)] {
            if !(0.0..=AMOUNT_MAX).contains(&number) {
                out_of_range(violations, member);
            }
        }
    }
}

fn out_of_range(violations: &mut Violations, member: &str) {
    let what = format_args!("must lie between 0 and {INTEGER_MAX}");
    Slot::member(member).violation(violations, ViolationCode::OutOfRange, what);
}

impl Body for NewUsage {
    fn read(fields: &mut Fields<'_>, _: &Rules) -> Self {
        let of = UsageKey {
            day: fields.required("day").unwrap_or(Day::FIRST),
            kind: fields.required("kind").unwrap_or(UsageKind::ChatCompletion),
            model: fields.required("model").unwrap_or_else(stand_in),
        };
        let amounts = UsageAmounts {
            requests: fields.optional("requests").unwrap_or_default(),
            input_tokens: fields.optional("inputTokens").unwrap_or_default(),
            output_tokens: fields.optional("outputTokens").unwrap_or_default(),
            characters: fields.optional("characters").unwrap_or_default(),
            seconds: fields.optional("seconds").unwrap_or_default(),
            cost: fields.optional("cost").unwrap_or_default(),
        };
        let usage = Self { of, amounts };
        fields.with_violations(|violations| usage.check(violations));
        usage
    }
}
