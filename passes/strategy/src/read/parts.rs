//! Reads the parts of a configuration: objectives, constraints, fusion, directives.

use super::json::Value;
use super::keys;
use super::reader::{At, Reader, shorten};
use crate::constraint_parse::reserved;
use crate::suggest::{closest, normalise};
use crate::{
    Alternative, Code, Constraint, ConstraintGroup, CostFunction, DimensionSelector, Directive, DirectiveKind, Fusion, NewVariable,
    Objective, Partition, When,
};

/// Most entries of `new_variables`.
const MAX_VARIABLES: usize = 1000;

impl Reader<'_> {
    pub(crate) fn variables(&mut self, at: &At<'_>) -> Vec<NewVariable> {
        let mut all: Vec<NewVariable> = Vec::new();
        for e in self.list(at, "a list of names") {
            let Some(v) = self.variable(&e) else { continue };
            if all.iter().any(|o| o.name == v.name) {
                self.error(&e, Code::BadVariable, format!("the variable '{}' is declared twice", v.name));
            } else if all.len() == MAX_VARIABLES {
                self.error(&e, Code::TooLarge, format!("more than {MAX_VARIABLES} variables"));
                break;
            } else {
                all.push(v);
            }
        }
        all
    }

    fn variable(&mut self, at: &At<'_>) -> Option<NewVariable> {
        if let Value::String { text, .. } = &at.node.value {
            return self.variable_name(at, text).map(NewVariable::new);
        }
        let mut variable = NewVariable::new("");
        let mut named = false;
        for (key, at) in self.object(at, "a name or an object {name, min, max, integer}", keys::VARIABLE)? {
            match key {
                "name" => {
                    let text = self.string(&at, "a name")?;
                    variable.name = self.variable_name(&at, text)?;
                    named = true;
                }
                "min" => {
                    variable.min = match &at.node.value {
                        Value::Null => None,
                        _ => Some(self.integer(&at, i64::MIN, i64::MAX)?),
                    }
                }
                "max" => {
                    variable.max = match &at.node.value {
                        Value::Null => None,
                        _ => Some(self.integer(&at, i64::MIN, i64::MAX)?),
                    }
                }
                _ => variable.integer = self.boolean(&at)?,
            }
        }
        if !named {
            self.error(at, Code::MissingKey, "a variable needs a name");
            return None;
        }
        if let (Some(low), Some(high)) = (variable.min, variable.max)
            && low > high
        {
            self.error(
                at,
                Code::BadVariable,
                format!("the variable '{}' has no value: min {low}, max {high}", variable.name),
            );
            return None;
        }
        Some(variable)
    }

    fn variable_name(&mut self, at: &At<'_>, name: &str) -> Option<String> {
        let mut letters = name.chars();
        let identifier = letters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
            && letters.all(|c| c.is_ascii_alphanumeric() || c == '_')
            && name.len() <= 100;
        if !identifier {
            let message = format!(
                "'{}' is no variable name: letters, digits and _, not beginning with a digit",
                shorten(name)
            );
            self.error(at, Code::BadVariable, message);
            return None;
        }
        let built_in = CostFunction::BUILT_IN.iter().any(|(n, _)| normalise(n) == normalise(name));
        if built_in || reserved(name) {
            let what = if built_in { "a cost function" } else { "a coefficient or bound" };
            self.error(
                at,
                Code::BadVariable,
                format!("'{name}' is {what}, so no variable can be called that"),
            );
            return None;
        }
        Some(name.to_owned())
    }

    pub(crate) fn cost_functions(&mut self, at: &At<'_>, variables: &[NewVariable]) -> Vec<CostFunction> {
        let mut all = Vec::new();
        for e in self.list(at, "a list of cost functions") {
            let Some(name) = self.string(&e, "a list of names") else { continue };
            let Some(cost) = self.cost_function(&e, name, variables) else {
                continue;
            };
            if all.contains(&cost) {
                self.error(&e, Code::BadValue, format!("the cost function '{cost}' is listed twice"));
            } else {
                all.push(cost);
            }
        }
        all
    }

    fn cost_function(&mut self, at: &At<'_>, name: &str, variables: &[NewVariable]) -> Option<CostFunction> {
        if variables.iter().any(|v| v.name == name) {
            return Some(CostFunction::Variable(name.to_owned()));
        }
        let wanted = normalise(name);
        if let Some((_, cost)) = CostFunction::BUILT_IN.iter().find(|(n, _)| normalise(n) == wanted) {
            return Some(cost.clone());
        }
        let known = CostFunction::BUILT_IN
            .iter()
            .map(|(n, _)| *n)
            .chain(variables.iter().map(|v| v.name.as_str()));
        let all: Vec<&str> = known.collect();
        let help = match closest(name, all.iter().copied()) {
            Some(near) => format!("did you mean '{near}'?"),
            None => format!("there are {}, and the variables of new_variables", all.join(", ")),
        };
        self.error_help(at, Code::UnknownCost, format!("unknown cost function '{}'", shorten(name)), help);
        None
    }

    pub(crate) fn dimension(&mut self, at: &At<'_>) -> Option<DimensionSelector> {
        let what = "a number from 0, \"default\", \"last\" or [first, last]";
        match &at.node.value {
            Value::Int(-1) => Some(DimensionSelector::Default),
            Value::Int(n) if (0..=i64::from(u32::MAX)).contains(n) => usize::try_from(*n).ok().map(DimensionSelector::At),
            Value::String { text, .. } if text == "default" => Some(DimensionSelector::Default),
            Value::String { text, .. } if text == "last" => Some(DimensionSelector::Last),
            Value::Array(ends) if ends.len() == 2 => {
                let ends = self.list(at, what);
                let (low, high) = (self.index(&ends[0])?, self.index(&ends[1])?);
                if low > high {
                    self.error(at, Code::BadValue, format!("the range [{low}, {high}] holds no dimension"));
                    return None;
                }
                Some(DimensionSelector::Range(low, high))
            }
            _ => {
                self.expected(at, what);
                None
            }
        }
    }

    pub(crate) fn objective(&mut self, at: &At<'_>, variables: &[NewVariable]) -> Option<Objective> {
        let members = self.object(at, "a list of objects {scheduling_dimension, cost_functions}", keys::OBJECTIVE)?;
        let mut objective = Objective {
            dimension: DimensionSelector::Default,
            cost: vec![CostFunction::Proximity],
            when: When::Always,
            alternatives: Vec::new(),
            place: self.place(at),
        };
        for (key, at) in members {
            match key {
                "scheduling_dimension" => objective.dimension = self.dimension(&at)?,
                "cost_functions" => objective.cost = self.cost_functions(&at, variables),
                "when" => objective.when = self.named(&at)?,
                _ => objective.alternatives = self.alternatives(&at, variables),
            }
        }
        Some(objective)
    }

    pub(crate) fn alternatives(&mut self, at: &At<'_>, variables: &[NewVariable]) -> Vec<Alternative> {
        let mut all = Vec::new();
        for e in self.list(at, "a list of objects {cost_functions, constraints, alternatives}") {
            let Some(members) = self.object(&e, "an object {cost_functions, constraints, alternatives}", keys::ALTERNATIVE) else {
                continue;
            };
            let mut alternative = Alternative {
                cost: None,
                constraints: Vec::new(),
                then: Vec::new(),
            };
            for (key, at) in members {
                match key {
                    "cost_functions" => alternative.cost = Some(self.cost_functions(&at, variables)),
                    "constraints" => alternative.constraints = self.constraints(&at, variables),
                    _ => alternative.then = self.alternatives(&at, variables),
                }
            }
            all.push(alternative);
        }
        all
    }

    pub(crate) fn constraints(&mut self, at: &At<'_>, variables: &[NewVariable]) -> Vec<Constraint> {
        let mut all = Vec::new();
        for e in self.list(at, "a list of constraints such as \"S0_it_0 >= 1\"") {
            let Value::String { text, plain } = &e.node.value else {
                self.expected(&e, "a list of constraints such as \"S0_it_0 >= 1\"");
                continue;
            };
            let mut place = self.place(&e);
            // Columns count inside the string where it stands in the file as it is.
            let columns = *plain && self.has_columns();
            if columns {
                place.column = place.column.saturating_add(1);
            }
            match Constraint::parse(text, &place, variables) {
                Ok(c) => all.push(c),
                Err(mut error) => {
                    if !columns {
                        error.place = place;
                    }
                    self.push(error);
                }
            }
        }
        all
    }

    pub(crate) fn constraint_group(&mut self, at: &At<'_>, variables: &[NewVariable]) -> Option<ConstraintGroup> {
        let members = self.object(at, "a list of objects {scheduling_dimension, constraints}", keys::CONSTRAINTS)?;
        let mut group = ConstraintGroup {
            dimension: DimensionSelector::Default,
            constraints: Vec::new(),
            place: self.place(at),
        };
        let mut given = false;
        for (key, at) in members {
            match key {
                "scheduling_dimension" => group.dimension = self.dimension(&at)?,
                _ => {
                    group.constraints = self.constraints(&at, variables);
                    given = true;
                }
            }
        }
        if !given {
            self.error(at, Code::MissingKey, "an entry of custom_constraints needs constraints");
        }
        Some(group)
    }

    /// A statement: its number, as a number or a string, also with an S before it.
    pub(crate) fn statement(&mut self, at: &At<'_>) -> Option<usize> {
        match &at.node.value {
            Value::String { text, .. } => {
                let digits = text.strip_prefix('S').unwrap_or(text);
                let number = (!digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())).then(|| digits.parse::<u32>().ok());
                match number.flatten() {
                    Some(n) => usize::try_from(n).ok(),
                    None => {
                        self.expected(at, "numbers of statements such as \"0\"");
                        None
                    }
                }
            }
            Value::Int(_) => self.index(at),
            _ => {
                self.expected(at, "numbers of statements such as \"0\"");
                None
            }
        }
    }

    /// Groups of statements, none in two of them.
    pub(crate) fn groups(&mut self, at: &At<'_>) -> Vec<Vec<usize>> {
        let what = "a list of lists of statements such as [[\"0\", \"1\"], [\"2\"]]";
        let mut seen = std::collections::BTreeSet::new();
        let mut groups = Vec::new();
        for e in self.list(at, what) {
            let mut group = Vec::new();
            for s in self.list(&e, what) {
                let Some(stmt) = self.statement(&s) else { continue };
                if seen.insert(stmt) {
                    group.push(stmt);
                } else {
                    self.error(&s, Code::StatementTwice, format!("statement {stmt} is in the partition twice"));
                }
            }
            if !group.is_empty() {
                groups.push(group);
            }
        }
        groups
    }

    pub(crate) fn fusion(&mut self, at: &At<'_>) -> Option<Fusion> {
        let members = self.object(at, "a list of objects {scheduling_dimension, stmts_fusion}", keys::FUSION)?;
        let mut dimension = DimensionSelector::Default;
        let (mut total, mut groups) = (false, None);
        for (key, at) in &members {
            match *key {
                "scheduling_dimension" => dimension = self.dimension(at)?,
                "total_distribution" => total = self.boolean(at)?,
                _ => groups = Some(self.groups(at)),
            }
        }
        self.partition(at, total, groups).map(|partition| Fusion {
            dimension,
            partition,
            place: self.place(at),
        })
    }

    pub(crate) fn partition(&mut self, at: &At<'_>, total: bool, groups: Option<Vec<Vec<usize>>>) -> Option<Partition> {
        match (total, groups) {
            (true, Some(g)) if !g.is_empty() => {
                let message = "total_distribution and stmts_fusion exclude each other";
                self.error_help(
                    at,
                    Code::BadValue,
                    message,
                    "leave one of them out: total_distribution makes one group of each component",
                );
                None
            }
            (true, _) => Some(Partition::Total),
            (false, Some(g)) => Some(Partition::Groups(g)),
            (false, None) => {
                self.error(
                    at,
                    Code::MissingKey,
                    "an entry of fusion needs stmts_fusion, or total_distribution: true",
                );
                None
            }
        }
    }

    pub(crate) fn directive(&mut self, at: &At<'_>) -> Option<Directive> {
        let members = self.object(at, "a list of objects {type, stmts, iterator}", keys::DIRECTIVE)?;
        let (mut kind, mut stmts, mut iterator) = (None, None, None);
        for (key, at) in members {
            match key {
                "type" => kind = Some(self.named(&at)?),
                "stmts" => {
                    let list = self.list(&at, "a list of statements such as [\"0\", \"1\"]");
                    stmts = Some(list.iter().filter_map(|s| self.statement(s)).collect::<Vec<_>>());
                }
                _ => iterator = Some(self.index(&at)?),
            }
        }
        let missing = [
            ("type", kind.is_none()),
            ("stmts", stmts.is_none()),
            ("iterator", iterator.is_none()),
        ];
        for (key, _) in missing.iter().filter(|(_, missing)| *missing) {
            self.error(at, Code::MissingKey, format!("a directive needs {key}"));
        }
        let mut stmts: Vec<usize> = stmts?;
        stmts.sort_unstable();
        stmts.dedup();
        Some(Directive {
            kind: kind?,
            stmts,
            iterator: iterator?,
            place: self.place(at),
        })
    }

    /// AKG's four maps from statements to lists of iterators.
    pub(crate) fn hints(&mut self, at: &At<'_>) -> Vec<Directive> {
        let mut all = Vec::new();
        let Some(members) = self.object(at, "an object of maps from statements to lists of iterators", keys::HINTS) else {
            return all;
        };
        for (key, at) in members {
            let kind = match key {
                "parallels" => DirectiveKind::Parallel,
                "vectorials" => DirectiveKind::Vectorize,
                "serials" => DirectiveKind::Sequential,
                _ => DirectiveKind::Reduce,
            };
            for (stmt, at) in self.map(&at, "a map from statements to lists of iterators") {
                let digits = stmt.strip_prefix('S').unwrap_or(stmt);
                let Ok(number) = digits.parse::<u32>() else {
                    self.error(&at, Code::BadValue, format!("'{}' is no number of a statement", shorten(stmt)));
                    continue;
                };
                for e in self.list(&at, "a list of iterators") {
                    let Some(iterator) = self.index(&e) else { continue };
                    let stmts = usize::try_from(number).into_iter().collect();
                    all.push(Directive {
                        kind,
                        stmts,
                        iterator,
                        place: self.place(&e),
                    });
                }
            }
        }
        all
    }

    /// Directives that contradict each other for one statement.
    pub(crate) fn clashes(&mut self, directives: &[Directive]) {
        for (n, d) in directives.iter().enumerate() {
            let clash = directives[..n].iter().find(|e| {
                let shared = e.stmts.iter().any(|s| d.stmts.contains(s));
                let kinds = (e.kind, d.kind);
                let vectors = kinds == (DirectiveKind::Vectorize, DirectiveKind::Vectorize) && e.iterator != d.iterator;
                let sequential = (e.kind == DirectiveKind::Sequential) != (d.kind == DirectiveKind::Sequential)
                    && ![e.kind, d.kind].contains(&DirectiveKind::Reduce)
                    && e.iterator == d.iterator;
                shared && (vectors || sequential)
            });
            if let Some(e) = clash {
                let message = format!("this directive contradicts the {} of iterator {} before it", e.kind, e.iterator);
                self.push(crate::StrategyError::new(Code::DirectivesClash, d.place.clone(), message));
            }
        }
    }
}
