//! Which functions may call themselves, directly or not.

use rustc_hash::FxHashMap;
use tilia_program::{OpKind, Program};

/// For each function whether it lies on a cycle of calls.
#[must_use]
pub fn recursive_functions(program: &Program, numbers: &FxHashMap<&str, usize>) -> Vec<bool> {
    let callees: Vec<Vec<usize>> = program
        .functions
        .iter()
        .map(|f| {
            let mut list = Vec::new();
            if let Some(body) = f.body {
                f.walk(body, |op| {
                    if let OpKind::Call(name) = &f[op].kind
                        && let Some(&n) = numbers.get(name.as_str())
                    {
                        list.push(n);
                    }
                });
            }
            list.sort_unstable();
            list.dedup();
            list
        })
        .collect();
    cycles(&callees)
}

/// Nodes of a graph that lie on cycles (Tarjan's components, with an explicit stack).
fn cycles(next: &[Vec<usize>]) -> Vec<bool> {
    let n = next.len();
    let mut result = vec![false; n];
    let (mut index, mut low) = (vec![usize::MAX; n], vec![0; n]);
    let (mut open, mut on_stack) = (Vec::new(), vec![false; n]);
    let mut counter = 0;
    for root in 0..n {
        if index[root] != usize::MAX {
            continue;
        }
        let mut work = vec![(root, 0)];
        while let Some(&mut (v, ref mut edge)) = work.last_mut() {
            if *edge == 0 {
                index[v] = counter;
                low[v] = counter;
                counter += 1;
                open.push(v);
                on_stack[v] = true;
            }
            if let Some(&w) = next[v].get(*edge) {
                *edge += 1;
                if index[w] == usize::MAX {
                    work.push((w, 0));
                } else if on_stack[w] {
                    low[v] = low[v].min(index[w]);
                }
                continue;
            }
            work.pop();
            if let Some(&(parent, _)) = work.last() {
                low[parent] = low[parent].min(low[v]);
            }
            if low[v] == index[v] {
                let start = open.iter().rposition(|&w| w == v).unwrap_or(0);
                let component = open.split_off(start);
                let cyclic = component.len() > 1 || next[v].contains(&v);
                for w in component {
                    on_stack[w] = false;
                    result[w] = cyclic;
                }
            }
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::cycles;

    #[test]
    fn finds_cycles_only() {
        // 0 -> 1 <-> 2, 3 -> 3, 4 -> 0
        assert_eq!(
            cycles(&[vec![1], vec![2], vec![1], vec![3], vec![0]]),
            [false, true, true, true, false]
        );
        assert_eq!(cycles(&[vec![1, 2], vec![2], vec![]]), [false, false, false]);
        // An edge into a finished component is no cycle.
        assert_eq!(cycles(&[vec![], vec![0], vec![0, 1]]), [false, false, false]);
    }
}
