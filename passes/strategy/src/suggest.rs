//! "Did you mean": the known name closest to one that isn't known.

/// Letters alone, in lower case: how names are compared, so that `ILP_construction`, `ilpConstruction` and `ilp-construction` are one.
pub(crate) fn normalise(name: &str) -> String {
    name.chars()
        .filter(|c| !matches!(c, '_' | '-'))
        .flat_map(char::to_lowercase)
        .collect()
}

/// The name nearest to `name`, if any is near.
pub(crate) fn closest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > 100 {
        return None;
    }
    let wanted = normalise(name);
    known
        .into_iter()
        .map(|k| (strsim::damerau_levenshtein(&wanted, &normalise(k)), k))
        .filter(|(distance, k)| *distance <= (k.len().max(wanted.len()) / 3).max(1))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, k)| k)
}
