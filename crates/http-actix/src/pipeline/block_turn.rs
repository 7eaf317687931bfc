//! Turns in which the streamed lists of a project are made.
//!
//! A thread that makes a block of a list answers no other request meanwhile. Clients that read many lists as fast as
//! they are made would keep all threads from everybody else. So a thread makes one block for a project, looks at its
//! sockets, and then makes the next one, and all threads together make as many at once as there are half of the cores.
//!
//! What a block is made of is read by another thread or process, which takes a core as well. While other projects make
//! requests, a turn includes that, so that half of the cores are left to them.

use std::future::Future as _;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use domain::id::ProjectId;
use domain::per_key::{PerProject, half_of_the_cores};
use futures_util::FutureExt as _;
use futures_util::future::LocalBoxFuture;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Sleep, sleep};

use super::active_projects::ActiveProjects;

thread_local! {
    /// The permit of each project on this thread.
    static OF_THREAD: PerProject<Semaphore> = const { PerProject::new(|| Semaphore::new(1)) };
}

/// The permits of all threads together.
static PERMITS: PerProject<Semaphore> = PerProject::new(|| Semaphore::new(half_of_the_cores()));

/// How long a turn lasts while its block is read. What takes longer may be waiting for memory that lists without a turn
/// have taken.
const READ_WITHIN: Duration = Duration::from_millis(10);

/// The turns of one list.
pub(super) struct BlockTurn {
    project: ProjectId,
    active: ActiveProjects,
    /// The wait for the next turn.
    next: Option<LocalBoxFuture<'static, BlockPermit>>,
    /// The turn, while its block is read.
    reading: Option<BlockPermit>,
    /// When such a turn ends, even if the block is not made.
    read_deadline: Option<Pin<Box<Sleep>>>,
}

/// A turn, in which one block is made. Dropped, it leaves the turn to another list.
pub(super) struct BlockPermit {
    _of_thread: Option<OwnedSemaphorePermit>,
    _of_all: Option<OwnedSemaphorePermit>,
}

impl BlockTurn {
    /// The turns of a list of this project.
    pub(super) fn of(project: ProjectId, active: ActiveProjects) -> Self {
        Self { project, active, next: None, reading: None, read_deadline: None }
    }

    /// Waits for the next turn, after those of the lists that wait already.
    pub(super) fn poll(&mut self, context: &mut Context<'_>) -> Poll<BlockPermit> {
        if let Some(permit) = self.reading.take() {
            return Poll::Ready(permit);
        }
        let project = self.project;
        let next = self.next.get_or_insert_with(|| begin(project).boxed_local());
        let permit = next.poll_unpin(context);
        if permit.is_ready() {
            self.next = None;
        }
        permit
    }

    /// Waits until the block of this turn is read: with the turn, if other projects are active and it does not take too
    /// long.
    pub(super) fn keep_while_reading(&mut self, permit: BlockPermit, context: &mut Context<'_>) {
        if !self.active.has_other(self.project, Instant::now()) {
            return;
        }
        let deadline = self.read_deadline.get_or_insert_with(|| Box::pin(sleep(READ_WITHIN)));
        if deadline.as_mut().poll(context).is_pending() {
            self.reading = Some(permit);
        }
    }

    /// Ends a turn whose block is made. The next list has its turn once the worker has looked at its sockets.
    pub(super) fn made(&mut self, permit: BlockPermit) {
        self.read_deadline = None;
        actix_web::rt::spawn(async move {
            // Deferred by the runtime until it has looked for events, which it does not while tasks are ready.
            tokio::task::yield_now().await;
            drop(permit);
        });
    }
}

/// Waits for both permits. That of the thread comes first: while a list waits for the other one, those behind it would
/// have to wait as well.
async fn begin(project: ProjectId) -> BlockPermit {
    let of_thread = OF_THREAD.with(|permits| permits.of(project)).acquire_owned().await.ok();
    let of_all = PERMITS.of(project).acquire_owned().await.ok();
    BlockPermit { _of_thread: of_thread, _of_all: of_all }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::future::poll_fn;
    use std::rc::Rc;

    use futures_util::future::{Either, select};

    use super::*;

    const ONE: &str = "00000000-0000-4000-8000-000000000001";
    const OTHER: &str = "00000000-0000-4000-8000-000000000002";
    const THIRD: &str = "00000000-0000-4000-8000-000000000003";

    fn project(id: &str) -> ProjectId {
        ProjectId::parse(id).unwrap()
    }

    /// Makes so many blocks, and notes each.
    async fn list(name: &'static str, of: ProjectId, made: Rc<RefCell<Vec<&'static str>>>) {
        let mut turn = BlockTurn::of(of, ActiveProjects::default());
        for _ in 0..3 {
            let permit = poll_fn(|context| turn.poll(context)).await;
            made.borrow_mut().push(name);
            turn.made(permit);
        }
    }

    #[actix_web::test]
    async fn lists_of_a_project_are_made_in_turns() {
        let made = Rc::new(RefCell::new(Vec::new()));
        let permit = || OF_THREAD.with(|permits| permits.of(project(ONE))).acquire_owned();
        let before = permit().await;
        let lists = ["a", "b", "c"].map(|name| list(name, project(ONE), made.clone()));
        let all_wait = async { drop(before) };
        futures_util::future::join(futures_util::future::join_all(lists), all_wait).await;
        assert_eq!(made.borrow().concat(), "abcabcabc");
        // The last turn ends after the thread has looked at its sockets.
        drop(permit().await);
    }

    #[actix_web::test]
    async fn a_list_waits_for_no_other_project_and_for_none_that_makes_nothing() {
        let [one, other] = [ONE, OTHER].map(|id| project(&id.replace("4000", "4001")));
        let mut turns = [one, one, other].map(|of| BlockTurn::of(of, ActiveProjects::default()));
        let [first, second, of_other] = &mut turns;
        let permit = poll_fn(|context| first.poll(context)).await;
        let _of_other = poll_fn(|context| of_other.poll(context)).await;
        let waits = poll_fn(|context| Poll::Ready(second.poll(context).is_pending())).await;
        assert!(waits, "a thread makes one block at a time, however many cores there are");
        drop(permit);
        poll_fn(|context| second.poll(context)).await;
    }

    #[actix_web::test]
    async fn lists_on_other_threads_take_turns_with_them() {
        let of = project(THIRD);
        let all = u32::try_from(half_of_the_cores()).unwrap();
        let made_elsewhere = PERMITS.of(of).acquire_many_owned(all).await;
        let mut turn = BlockTurn::of(of, ActiveProjects::default());
        let waits = poll_fn(|context| Poll::Ready(turn.poll(context).is_pending())).await;
        assert!(waits);
        drop(made_elsewhere);
        poll_fn(|context| turn.poll(context)).await;
    }

    /// Two lists of a project, while the block of the first one is read without an end; whether the second one gets a turn
    /// at once.
    async fn gets_a_turn_during_a_read(of: ProjectId, active: &ActiveProjects) -> bool {
        let [mut first, mut second] = [(); 2].map(|()| BlockTurn::of(of, active.clone()));
        // Polled again when the turn says so, as a body is.
        let mut reads = poll_fn(|context| {
            if let Poll::Ready(permit) = first.poll(context) {
                first.keep_while_reading(permit, context);
            }
            Poll::<()>::Pending
        });
        let begun = poll_fn(|context| Poll::Ready(reads.poll_unpin(context)));
        assert!(begun.await.is_pending());
        let gets = poll_fn(|context| Poll::Ready(second.poll(context).is_ready())).await;
        if !gets {
            // In the end it does: the time of a test goes on when nothing else is left to be done.
            let turn = poll_fn(|context| second.poll(context));
            assert!(matches!(select(reads, turn).await, Either::Right(_)));
        }
        gets
    }

    #[actix_web::test]
    async fn a_turn_includes_a_short_read_while_other_projects_are_active() {
        tokio::time::pause();
        let [one, other] = [ONE, OTHER].map(|id| project(&id.replace("4000", "4002")));
        let active = ActiveProjects::default();
        active.note(one, Instant::now());
        assert!(gets_a_turn_during_a_read(one, &active).await);
        // Active for as long as this may take.
        active.note(other, Instant::now() + Duration::from_secs(3_600));
        assert!(!gets_a_turn_during_a_read(one, &active).await);
    }
}
