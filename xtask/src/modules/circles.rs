//! Circles in a graph of dependencies.

use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};

/// The groups of more than one node, of `nodes`, that can all be reached from each other; each in order.
pub fn circles(nodes: usize, edges: impl IntoIterator<Item = (usize, usize)>) -> Vec<Vec<usize>> {
    let mut graph = DiGraph::<(), ()>::new();
    let indices: Vec<_> = (0..nodes).map(|_| graph.add_node(())).collect();
    for (from, to) in edges {
        if let (Some(from), Some(to)) = (indices.get(from), indices.get(to)) {
            graph.add_edge(*from, *to, ());
        }
    }
    let groups = tarjan_scc(&graph).into_iter().filter(|group| group.len() > 1);
    groups
        .map(|group| {
            let mut group: Vec<_> = group.into_iter().map(NodeIndex::index).collect();
            group.sort_unstable();
            group
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_that_reach_each_other_are_a_circle() {
        let edges = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 3), (5, 0)];
        assert_eq!(circles(6, edges), [vec![3, 4], vec![0, 1, 2]]);
        assert!(circles(3, [(0, 1), (0, 2), (1, 2)]).is_empty());
    }
}
