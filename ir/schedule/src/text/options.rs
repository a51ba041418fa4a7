//! Options of bands as isl writes them: a union set of `separate[k]`, `atomic[k]`, `unroll[k]`, `isolate[[outer] -> [band]]` and
//! `[isolate[] -> unroll[k]]`.

use crate::{Band, LoopType, Member};
use tilia_presburger::{Budget, DimType, Id, Int, Set, Tuple, UnionSet};

fn loop_type(name: Option<&Id>) -> Option<LoopType> {
    match name?.as_str() {
        "separate" => Some(LoopType::Separate),
        "atomic" => Some(LoopType::Atomic),
        "unroll" => Some(LoopType::Unroll),
        _ => None,
    }
}

fn type_name(t: LoopType) -> Option<&'static str> {
    match t {
        LoopType::Default => None,
        LoopType::Separate => Some("separate"),
        LoopType::Atomic => Some("atomic"),
        LoopType::Unroll => Some("unroll"),
    }
}

/// Puts the options into the band's fields.
pub(crate) fn read_options(band: &mut Band, options: &UnionSet) -> Result<(), String> {
    for set in options.sets() {
        let tuple = set.space().out().clone();
        match &tuple.nested {
            Some(n) if is_isolate_marker(&n.0) && n.1.len() == 1 => {
                let t = loop_type(n.1.name.as_ref()).ok_or_else(|| unknown(&tuple))?;
                for_members(band, set, |m| m.isolated_loop_type = t)?;
            }
            Some(n) if tuple.name.as_ref().is_some_and(|n| n.as_str() == "isolate") => {
                if n.1.len() != band.len() {
                    return Err(format!("`isolate` has {} band values, the band {} members", n.1.len(), band.len()));
                }
                band.isolate = Some(set.unwrap().map_err(|e| e.to_string())?);
            }
            None if tuple.len() == 1 => {
                let t = loop_type(tuple.name.as_ref()).ok_or_else(|| unknown(&tuple))?;
                for_members(band, set, |m| m.loop_type = t)?;
            }
            _ => return Err(unknown(&tuple)),
        }
    }
    Ok(())
}

fn unknown(tuple: &Tuple) -> String {
    format!("unknown option {tuple}: expected separate, atomic, unroll or isolate")
}

fn is_isolate_marker(t: &Tuple) -> bool {
    t.is_empty() && t.name.as_ref().is_some_and(|n| n.as_str() == "isolate")
}

/// Calls `f` for the members whose position is in the set.
fn for_members(band: &mut Band, set: &Set, mut f: impl FnMut(&mut Member)) -> Result<(), String> {
    let budget = Budget::default();
    for (k, m) in band.members.iter_mut().enumerate() {
        let here = set.fix(DimType::Out, 0, Int::from(k)).map_err(|e| e.to_string())?;
        if !here.is_empty(&budget).map_err(|e| e.to_string())? {
            f(m);
        }
    }
    Ok(())
}

/// The options of a band as one union set; `None` when all have their default.
pub(crate) fn options_set(band: &Band) -> Option<String> {
    let mut parts = Vec::new();
    let mut params: Vec<Id> = Vec::new();
    if let Some(i) = &band.isolate {
        params = i.space().params().to_vec();
        let wrapped = i.wrap();
        let tuple = Tuple {
            name: Some(Id::new("isolate")),
            ..wrapped.space().out().clone()
        };
        let text = wrapped.set_tuple_name(DimType::Out, Some(Id::new("isolate"))).to_string();
        parts.push(inner(&text, &tuple));
    }
    for (k, m) in band.members.iter().enumerate() {
        if let Some(t) = type_name(m.loop_type) {
            parts.push(format!("{t}[{k}]"));
        }
        if let Some(t) = type_name(m.isolated_loop_type) {
            parts.push(format!("[isolate[] -> {t}[{k}]]"));
        }
    }
    if parts.is_empty() {
        return None;
    }
    let names: Vec<&str> = params.iter().map(Id::as_str).collect();
    let header = if names.is_empty() {
        String::new()
    } else {
        format!("[{}] -> ", names.join(", "))
    };
    Some(format!("{header}{{ {} }}", parts.join("; ")))
}

/// What stands between the braces of a set's text.
fn inner(text: &str, tuple: &Tuple) -> String {
    match (text.find('{'), text.rfind('}')) {
        (Some(a), Some(b)) if a < b => text[a + 1..b].trim().to_string(),
        _ => tuple.to_string(),
    }
}
