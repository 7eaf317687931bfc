//! Queries that are refused: a misspelt filter must not widen what is listed or deleted.

use serde_json::json;

use super::each_level;

each_level! {
    fn key_and_key_prefix_exclude_each_other(on: &OnKeyval) {
        for query in ["?key=a&keyPrefix=a", "?keyPrefix=b&key=a", "?key=a&keyPrefix="] {
            on.get(query).has_violations(&[("/keyPrefix", "bad_query")]);
        }
    }

    fn an_empty_filter_is_none(on: &OnKeyval) {
        for name in ["userId", "type", "key"] {
            for query in [format!("?{name}="), format!("?{name}")] {
                on.get(&query).has_violations(&[(&format!("/{name}"), "bad_query")]);
            }
        }
        on.get("?userId=&type=&key=").has_violations(&[
            ("/userId", "bad_query"),
            ("/type", "bad_query"),
            ("/key", "bad_query"),
        ]);
        for answer in [on.get("/u?type="), on.delete("/u?type=")] {
            answer.has_violations(&[("/type", "bad_query")]);
        }
        let _ = on.store(("u", "t", "k"), &json!(1));
        for rel in ["?keyPrefix=", "?keyPrefix", "/u?keyPrefix="] {
            assert_eq!(on.get(rel).items().len(), 1, "{rel}");
        }
    }

    fn filters_are_as_long_as_what_they_filter(on: &OnKeyval) {
        for (name, max) in [("userId", 256), ("type", 256), ("key", 1_024), ("keyPrefix", 1_024)] {
            for (letter, width) in [("x", 1), ("%C3%A4", 2)] {
                let fits = format!("?{name}={}", letter.repeat(max / width));
                assert_eq!(on.get(&fits).items().len(), 0);
                let pointer = format!("/{name}");
                on.get(&format!("{fits}x")).has_violations(&[(&pointer, "bad_query")]);
            }
        }
        let long = "x".repeat(1_025);
        for answer in [on.get(&format!("/u?keyPrefix={long}")), on.delete(&format!("/u?keyPrefix={long}"))] {
            answer.has_violations(&[("/keyPrefix", "bad_query")]);
        }
    }

    fn whatever_is_odd_is_refused(on: &OnKeyval) {
        on.store_all([("u", "t", "k"), ("u", "t", "l")]);
        let before = on.tenant.snapshot();
        for (query, pointers) in [
            ("userid=u", vec!["/userid"]),
            ("user=u", vec!["/user"]),
            ("keyprefix=k", vec!["/keyprefix"]),
            ("prefix=k", vec!["/prefix"]),
            ("Type=t", vec!["/Type"]),
            ("type=t&type=t", vec!["/type"]),
            ("type=t&%74ype=s", vec!["/type"]),
            ("keyPrefix=k&keyPrefix=", vec!["/keyPrefix"]),
            ("keyPrefix=%", vec!["/keyPrefix"]),
            ("keyPrefix=%zz", vec!["/keyPrefix"]),
            ("keyPrefix=%ff", vec!["/keyPrefix"]),
            ("keyPrefix=a%00", vec!["/keyPrefix"]),
            ("keyPrefix[]=k", vec!["/keyPrefix[]"]),
            ("type=%00&nope=1&%ff=1", vec!["/type", "/nope", "/"]),
        ] {
            let expected: Vec<_> = pointers.into_iter().map(|at| (at, "bad_query")).collect();
            let rel = format!("/u?{query}");
            for answer in [on.get(&format!("?{query}")), on.get(&rel), on.delete(&rel)] {
                answer.has_violations(&expected);
            }
        }
        before.assert_unchanged(&on.tenant);
    }

    fn each_path_has_parameters_of_its_own(on: &OnKeyval) {
        on.store_all([("u", "t", "k")]);
        let before = on.tenant.snapshot();
        for (answer, pointer) in [
            (on.get("?keepPermanent=true"), "/keepPermanent"),
            (on.get("/u?userId=u"), "/userId"),
            (on.get("/u?key=k"), "/key"),
            (on.get("/u?keepPermanent=false"), "/keepPermanent"),
            (on.delete("/u?userId=u"), "/userId"),
            (on.delete("/u?key=k"), "/key"),
            (on.delete("/u?limit=1"), "/limit"),
            (on.get("/u/t/k?type=t"), "/type"),
            (on.get("/u/t/k?keepPermanent=true"), "/keepPermanent"),
            (on.delete("/u/t/k?keyPrefix=k"), "/keyPrefix"),
            (on.delete("/u/t/k?keepPermanent=true&force=1"), "/force"),
        ] {
            answer.has_violations(&[(pointer, "bad_query")]);
        }
        let path = on.path("/bulk-delete?keyPrefix=k");
        let answer = on.client.post(&path, &json!({"keyPrefix": "k"}));
        answer.has_violations(&[("/keyPrefix", "bad_query")]);
        before.assert_unchanged(&on.tenant);
    }

    fn true_and_false_are_written_in_one_way(on: &OnKeyval) {
        on.store_all([("u", "t", "k")]);
        let before = on.tenant.snapshot();
        for value in ["", "1", "0", "yes", "True", "FALSE", "true%20", "null", "false,false"] {
            for rel in ["/u", "/u/t/k"] {
                let answer = on.delete(&format!("{rel}?keepPermanent={value}"));
                answer.has_violations(&[("/keepPermanent", "bad_query")]);
            }
        }
        on.delete("/u?keepPermanent=false&keepPermanent=false")
            .has_violations(&[("/keepPermanent", "bad_query")]);
        before.assert_unchanged(&on.tenant);
        assert_eq!(on.delete("/u?keepPermanent=true").ok(), json!({"deleted": 1}));
    }
}
