//! Turns in which the streamed lists of a project are made.
//!
//! A thread that makes a piece of a list answers no other request meanwhile. Clients that read many lists as fast as
//! they are made would keep it from everybody else, so each worker makes one piece for a project, looks at its
//! sockets, and then makes the next one.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll};

use domain::id::ProjectId;
use futures_util::FutureExt as _;
use futures_util::future::LocalBoxFuture;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

thread_local! {
    /// One permit for each project whose lists this worker streams.
    static PERMITS: RefCell<HashMap<ProjectId, Weak<Semaphore>>> = RefCell::default();
}

/// The turns of one list.
pub(super) struct PieceTurn {
    project: ProjectId,
    /// The wait for the next turn.
    next: Option<LocalBoxFuture<'static, Option<OwnedSemaphorePermit>>>,
}

/// A turn, in which one piece is made. Dropped, it leaves the turn to another list.
pub(super) struct Making {
    _permit: Option<OwnedSemaphorePermit>,
}

impl PieceTurn {
    /// The turns of a list of this project.
    pub(super) fn of(project: ProjectId) -> Self {
        Self { project, next: None }
    }

    /// Waits for the next turn, after those of the lists that wait already.
    pub(super) fn poll(&mut self, context: &mut Context<'_>) -> Poll<Making> {
        let project = self.project;
        let next = self.next.get_or_insert_with(|| {
            let permit = permits(project).acquire_owned();
            permit.map(Result::ok).boxed_local()
        });
        let permit = next.poll_unpin(context);
        if permit.is_ready() {
            self.next = None;
        }
        permit.map(|permit| Making { _permit: permit })
    }
}

impl Making {
    /// Leaves the turn to another list once the worker has looked at its sockets.
    pub(super) fn made(self) {
        actix_web::rt::spawn(async move {
            // Deferred by the runtime until it has looked for events, which it does not while tasks are ready.
            tokio::task::yield_now().await;
            drop(self);
        });
    }
}

/// The one permit of a project on this worker.
fn permits(project: ProjectId) -> Arc<Semaphore> {
    PERMITS.with_borrow_mut(|permits| {
        if let Some(permit) = permits.get(&project).and_then(Weak::upgrade) {
            return permit;
        }
        permits.retain(|_, permit| permit.strong_count() > 0);
        let permit = Arc::new(Semaphore::new(1));
        permits.insert(project, Arc::downgrade(&permit));
        permit
    })
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::future::poll_fn;
    use std::rc::Rc;

    use super::*;

    const ONE: &str = "00000000-0000-4000-8000-000000000001";
    const OTHER: &str = "00000000-0000-4000-8000-000000000002";

    fn project(id: &str) -> ProjectId {
        ProjectId::parse(id).unwrap()
    }

    /// Makes so many pieces, and notes each.
    async fn list(name: &'static str, of: ProjectId, made: Rc<RefCell<Vec<&'static str>>>) {
        let mut turn = PieceTurn::of(of);
        for _ in 0..3 {
            let making = poll_fn(|context| turn.poll(context)).await;
            made.borrow_mut().push(name);
            making.made();
        }
    }

    #[actix_web::test]
    async fn lists_of_a_project_are_made_in_turns() {
        let made = Rc::new(RefCell::new(Vec::new()));
        let before = permits(project(ONE)).acquire_owned().await;
        let lists = ["a", "b", "c"].map(|name| list(name, project(ONE), made.clone()));
        let all_wait = async { drop(before) };
        futures_util::future::join(futures_util::future::join_all(lists), all_wait).await;
        assert_eq!(made.borrow().concat(), "abcabcabc");
        // The last turn ends after the worker has looked at its sockets.
        let last = permits(project(ONE)).acquire_owned().await;
        drop(last);
        let _other = permits(project(OTHER));
        PERMITS.with_borrow(|permits| assert_eq!(permits.len(), 1, "idle projects are forgotten"));
    }

    #[actix_web::test]
    async fn a_list_waits_for_no_other_project_and_for_none_that_makes_nothing() {
        let mut turns = [ONE, ONE, OTHER].map(|id| PieceTurn::of(project(id)));
        let [first, second, other] = &mut turns;
        let making = poll_fn(|context| first.poll(context)).await;
        let _other = poll_fn(|context| other.poll(context)).await;
        let waits = poll_fn(|context| Poll::Ready(second.poll(context).is_pending())).await;
        assert!(waits);
        drop(making);
        poll_fn(|context| second.poll(context)).await;
    }
}
