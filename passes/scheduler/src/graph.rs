//! Components of the dependence graph between statements: weakly connected ones, which are scheduled apart, and strongly connected ones, which a scalar row separates.

/// Weakly connected components of `nodes` under the edges whose ends are both among them: each ascending, ordered by their smallest node.
pub(crate) fn components(nodes: &[usize], edges: impl IntoIterator<Item = (usize, usize)>) -> Vec<Vec<usize>> {
    let size = nodes.iter().max().map_or(0, |m| m + 1);
    let mut leader: Vec<usize> = (0..size).collect();
    let member = membership(nodes, size);
    for (a, b) in edges {
        if a < size && b < size && member[a] && member[b] {
            let (x, y) = (find(&mut leader, a), find(&mut leader, b));
            leader[x.max(y)] = x.min(y);
        }
    }
    let mut out: Vec<Vec<usize>> = Vec::new();
    let mut place = vec![usize::MAX; size];
    let mut sorted = nodes.to_vec();
    sorted.sort_unstable();
    for n in sorted {
        let l = find(&mut leader, n);
        if place[l] == usize::MAX {
            place[l] = out.len();
            out.push(Vec::new());
        }
        out[place[l]].push(n);
    }
    out
}

fn membership(nodes: &[usize], size: usize) -> Vec<bool> {
    let mut member = vec![false; size];
    nodes.iter().for_each(|&n| member[n] = true);
    member
}

fn find(leader: &mut [usize], mut n: usize) -> usize {
    while leader[n] != n {
        leader[n] = leader[leader[n]];
        n = leader[n];
    }
    n
}

/// Strongly connected components in topological order; among those that could come next, the one with the smallest node does. Each is ascending.
pub(crate) fn sccs(nodes: &[usize], edges: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let size = nodes.iter().max().map_or(0, |m| m + 1);
    let member = membership(nodes, size);
    let mut next = vec![Vec::new(); size];
    for &(a, b) in edges {
        if a < size && b < size && member[a] && member[b] && a != b {
            next[a].push(b);
        }
    }
    let component = tarjan(nodes, &next);
    let count = nodes.iter().map(|&n| component[n] + 1).max().unwrap_or(0);
    let mut found = vec![Vec::new(); count];
    let mut sorted = nodes.to_vec();
    sorted.sort_unstable();
    sorted.iter().for_each(|&n| found[component[n]].push(n));
    topological(found, &component, &next)
}

/// Kahn's algorithm, smallest node first.
fn topological(found: Vec<Vec<usize>>, component: &[usize], next: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut waiting = vec![0_usize; found.len()];
    let crossing = |group: &[usize]| -> Vec<usize> {
        let from = group.first().map_or(0, |&n| component[n]);
        let targets = group.iter().flat_map(|&n| &next[n]).map(|&t| component[t]);
        targets.filter(|&c| c != from).collect()
    };
    for group in &found {
        crossing(group).iter().for_each(|&c| waiting[c] += 1);
    }
    let mut ready: std::collections::BTreeSet<(usize, usize)> = (0..found.len())
        .filter(|&c| waiting[c] == 0)
        .map(|c| (found[c].first().copied().unwrap_or(0), c))
        .collect();
    let mut out = Vec::with_capacity(found.len());
    while let Some((_, c)) = ready.pop_first() {
        for t in crossing(&found[c]) {
            waiting[t] -= 1;
            if waiting[t] == 0 {
                ready.insert((found[t].first().copied().unwrap_or(0), t));
            }
        }
        out.push(found[c].clone());
    }
    out
}

/// The strongly connected component of each node, by number; with an explicit stack, so that long chains don't exhaust the call stack.
fn tarjan(nodes: &[usize], next: &[Vec<usize>]) -> Vec<usize> {
    const NEW: usize = usize::MAX;
    let size = next.len();
    let (mut index, mut low, mut component) = (vec![NEW; size], vec![0; size], vec![NEW; size]);
    let (mut open, mut count, mut clock) = (Vec::new(), 0, 0);
    for &root in nodes {
        if index[root] != NEW {
            continue;
        }
        let mut calls = vec![(root, 0)];
        while let Some((n, at)) = calls.pop() {
            if at == 0 {
                (index[n], low[n]) = (clock, clock);
                clock += 1;
                open.push(n);
            } else {
                let child: usize = next[n][at - 1];
                low[n] = low[n].min(low[child]);
            }
            let step = (at..next[n].len()).find(|&k| {
                let t = next[n][k];
                if index[t] != NEW && component[t] == NEW {
                    low[n] = low[n].min(index[t]);
                }
                index[t] == NEW
            });
            if let Some(k) = step {
                calls.push((n, k + 1));
                calls.push((next[n][k], 0));
                continue;
            }
            if low[n] == index[n] {
                while let Some(m) = open.pop() {
                    component[m] = count;
                    if m == n {
                        break;
                    }
                }
                count += 1;
            }
        }
    }
    component
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weak_components_ignore_outsiders() {
        let edges = [(0, 1), (2, 3), (1, 4), (3, 9)];
        assert_eq!(components(&[0, 1, 2, 3], edges), [vec![0, 1], vec![2, 3]]);
        assert_eq!(components(&[0, 2, 3, 4], edges), [vec![0], vec![2, 3], vec![4]]);
    }

    #[test]
    fn strong_components_come_in_topological_then_textual_order() {
        assert_eq!(sccs(&[0, 1, 2, 3], &[(2, 0), (0, 1), (1, 0)]), [vec![2], vec![0, 1], vec![3]]);
        assert_eq!(sccs(&[0, 1, 2], &[(0, 1), (1, 2), (2, 0)]), [vec![0, 1, 2]]);
        assert_eq!(sccs(&[0, 1, 2, 3], &[(3, 1), (3, 0)]), [vec![2], vec![3], vec![0], vec![1]]);
    }

    #[test]
    fn every_graph_of_four_nodes_against_reachability() {
        let pairs: Vec<(usize, usize)> = (0..4).flat_map(|a| (0..4).map(move |b| (a, b))).filter(|(a, b)| a != b).collect();
        for bits in 0..1_u32 << pairs.len() {
            let edges: Vec<_> = pairs
                .iter()
                .enumerate()
                .filter(|(k, _)| bits >> k & 1 == 1)
                .map(|(_, &p)| p)
                .collect();
            let mut reach = [[false; 4]; 4];
            edges.iter().for_each(|&(a, b)| reach[a][b] = true);
            for k in 0..4 {
                let through = reach[k];
                for row in reach.iter_mut().filter(|row| row[k]) {
                    row.iter_mut().zip(through).for_each(|(x, y)| *x |= y);
                }
            }
            let got = sccs(&[0, 1, 2, 3], &edges);
            let place = |n: usize| got.iter().position(|g| g.contains(&n)).unwrap();
            for (a, from_a) in reach.iter().enumerate() {
                for (b, from_b) in reach.iter().enumerate().filter(|(b, _)| *b != a) {
                    assert_eq!(place(a) == place(b), from_a[b] && from_b[a], "{edges:?}");
                    assert!(!from_a[b] || place(a) <= place(b), "{edges:?}");
                }
            }
        }
    }

    #[test]
    fn a_long_chain_needs_no_call_stack() {
        let nodes: Vec<usize> = (0..100_000).collect();
        let edges: Vec<_> = (1..nodes.len()).map(|n| (n - 1, n)).collect();
        assert_eq!(sccs(&nodes, &edges).len(), nodes.len());
    }
}
