//! Chats and supervised users in pages.

use botyard_tests::each_database;

use super::{CHATS, Supervised, USERS, guests};

each_database! {
    fn pages_together_are_the_whole_list(app: &TestApp) {
        let on = Supervised::new(app);
        for (second, name) in (1..).zip(["a", "b", "c", "d", "e"]) {
            // Two have the same time.
            on.says(on.user(name), [1, second - second % 2]);
        }
        for list in [CHATS, USERS] {
            let whole = on.client.get(list).items();
            assert_eq!(whole.len(), 5);
            for (limit, expected) in
                [(1, vec![1; 5]), (2, vec![2, 2, 1]), (4, vec![4, 1]), (5, vec![5]), (6, vec![5])]
            {
                let collected = on.client.collect_pages(&format!("{list}?limit={limit}"));
                assert_eq!(collected, (whole.clone(), expected), "{list} {limit}");
            }
        }
    }

    fn a_cursor_without_a_limit_gives_the_whole_rest(app: &TestApp) {
        let on = Supervised::new(app);
        for (second, name) in (1..).zip(["a", "b", "c"]) {
            on.says(on.user(name), [second]);
        }
        for list in [CHATS, USERS] {
            let whole = on.client.get(list).items();
            let page = on.client.get(&format!("{list}?limit=1"));
            assert_eq!(page.items(), whole[..1]);
            let next = page.next_page().unwrap();
            let rest = on.client.get(&next.replace("limit=1&", ""));
            assert_eq!((rest.items(), rest.next_page()), (whole[1..].to_vec(), None));
        }
    }

    fn paging_goes_on_when_chats_move(app: &TestApp) {
        let on = Supervised::new(app);
        let users = ["a", "b", "c", "d"].map(|name| on.user(name));
        for (second, user) in (1..).zip(users) {
            on.says(user, [second]);
        }
        let first = on.client.get(&format!("{CHATS}?limit=2"));
        assert_eq!(guests(&first.items(), &on.tenant), ["d", "c"]);
        on.says(users[0], [9]);
        let rest = on.client.get(&first.next_page().unwrap());
        assert_eq!(guests(&rest.items(), &on.tenant), ["b"]);
        assert_eq!(guests(&on.chats(), &on.tenant), ["a", "d", "c", "b"]);
    }

    fn a_wrong_query_is_refused(app: &TestApp) {
        let on = Supervised::new(app);
        let user = on.user("a");
        on.says(user, [1]);
        let id = format!("cursor={user}");
        for list in [CHATS, USERS] {
            for (query, pointers) in [
                ("limit=0", vec!["/limit"]),
                ("limit=1001", vec!["/limit"]),
                ("limit=1&limit=1", vec!["/limit"]),
                ("cursor=", vec!["/cursor"]),
                ("cursor=1", vec!["/cursor"]),
                ("cursor=1.x", vec!["/cursor"]),
                (&id, vec!["/cursor"]),
                ("userId=x&limit=x", vec!["/userId", "/limit"]),
            ] {
                let expected: Vec<_> =
                    pointers.into_iter().map(|pointer| (pointer, "bad_query")).collect();
                on.client.get(&format!("{list}?{query}")).has_violations(&expected);
            }
        }
    }

    fn a_cursor_of_another_bot_shows_nothing_of_it(app: &TestApp) {
        let (on, other) = (Supervised::new(app), Supervised::new(app));
        for (second, name) in (1..).zip(["a", "b"]) {
            other.says(other.user(name), [second]);
            on.says(on.user(name), [second]);
        }
        for list in [CHATS, USERS] {
            let page = other.client.get(&format!("{list}?limit=1"));
            let query = page.next_page().unwrap().replace(list, "");
            let shown = on.client.get(&format!("{list}{query}")).items();
            let own = on.client.get(list).items();
            assert!(shown.iter().all(|item| own.contains(item)), "{shown:?}");
        }
    }
}
