//! The names that the nodes of each class have, so that a search for a name leaves out classes without it.

use crate::{Classes, Heap, StringIndex};

/// Names of a class that are kept. Those of strings and functions are too many.
const MOST: usize = 64;

/// The names of the nodes of each class.
#[derive(Clone, Debug)]
pub struct ClassNames {
    /// By class; `None` for one with too many names.
    names: Vec<Option<Vec<StringIndex>>>,
}

impl ClassNames {
    /// Those of all classes of a heap.
    pub fn new(heap: &Heap, classes: &Classes) -> Self {
        let mut names = vec![Some(Vec::new()); classes.classes.len()];
        for (node, &class) in heap.nodes().all().zip(&classes.of) {
            let known = &mut names[class as usize];
            let Some(of_class) = known else { continue };
            let name = heap.nodes().name_id(node);
            // Nodes of one name often follow each other in the file.
            if of_class.last() == Some(&name) {
                continue;
            }
            match of_class.iter().position(|&of| of == name) {
                Some(at) => {
                    let last = of_class.len() - 1;
                    of_class.swap(at, last);
                }
                None if of_class.len() < MOST => of_class.push(name),
                None => *known = None,
            }
        }
        ClassNames { names }
    }

    /// Whether a node of this class may have a name that is looked for: certainly not if this is `false`.
    pub fn may_have(&self, class: u32, is_wanted: impl FnMut(StringIndex) -> bool) -> bool {
        let names = self.names[class as usize].as_ref();
        names.is_none_or(|names| names.iter().copied().any(is_wanted))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{HeapBuilder, analyze};

    /// Against a look at each node; a class of many names may have any.
    #[test]
    fn a_class_has_the_names_of_its_nodes() {
        let mut builder = HeapBuilder::new();
        builder.node("synthetic", "", 0);
        for at in 0..3 * MOST {
            builder.node("object", ["A", "B"][at % 2], 8);
            builder.node("array", &format!("names {}", at % 5), 8);
            builder.node("string", &format!("text {at}"), 8);
        }
        let heap = builder.build();
        let classes = analyze(&heap, 1).classes;
        let names = ClassNames::new(&heap, &classes);
        let mut many = 0;
        for class in 0..classes.classes.len() as u32 {
            let nodes = heap.nodes().all().zip(&classes.of).filter(|(_, of)| **of == class);
            let own: Vec<StringIndex> = nodes.map(|(node, _)| heap.nodes().name_id(node)).collect();
            many += usize::from(own.len() == 3 * MOST && names.names[class as usize].is_none());
            for name in heap.nodes().all().map(|node| heap.nodes().name_id(node)) {
                let expected = own.contains(&name) || names.names[class as usize].is_none();
                assert_eq!(names.may_have(class, |of| of == name), expected, "{class} {name:?}");
            }
        }
        assert_eq!(many, 1, "only strings have many");
    }
}
