//! Which part of an archive leads to which (ECMA-376, part 2).

use std::collections::HashMap;

use super::{Node, Package};
use crate::read::error::ReadError;

/// Where a part leads to.
#[derive(Debug, Default)]
pub(in crate::read) struct Relations(HashMap<String, Relation>);

#[derive(Debug)]
struct Relation {
    /// What is there: the end of an address.
    kind: String,
    /// The name of the part.
    part: String,
}

impl Relations {
    /// Where a part leads to; the archive itself has the name `""`.
    pub(in crate::read) fn of(package: &mut Package, part: &str) -> Result<Self, ReadError> {
        let (folder, name) = part.rsplit_once('/').unwrap_or(("", part));
        let Some(bytes) = package.part(&relative(part, &format!("_rels/{name}.rels")))? else {
            return Ok(Self::default());
        };
        let mut relations = HashMap::new();
        let mut xml = package.xml(&bytes);
        while let Some(node) = xml.next()? {
            let Node::Start(tag) = node else { continue };
            let is_outside = tag.attribute("TargetMode").is_some_and(|mode| mode == "External");
            let (id, kind) = (tag.attribute("Id"), tag.attribute("Type"));
            if let (Some(id), Some(kind), Some(target), false) =
                (id, kind, tag.attribute("Target"), is_outside)
            {
                let part = relative(&format!("{folder}/"), &target);
                relations.insert(id, Relation { kind, part });
            }
        }
        Ok(Self(relations))
    }

    /// The part to which an id leads.
    pub(in crate::read) fn part(&self, id: &str) -> Option<&str> {
        self.0.get(id).map(|relation| relation.part.as_str())
    }

    /// The part of this kind.
    pub(in crate::read) fn of_kind(&self, kind: &str) -> Option<&str> {
        let is_it = |relation: &&Relation| {
            relation.kind.rsplit_once('/').is_some_and(|(_, last)| last == kind)
        };
        self.0.values().filter(is_it).map(|relation| relation.part.as_str()).min()
    }
}

/// The name of a part as another one writes it.
pub(in crate::read) fn relative(from: &str, target: &str) -> String {
    let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
    let (folder, target) = target.strip_prefix('/').map_or((folder, target), |rest| ("", rest));
    let mut segments: Vec<&str> = Vec::new();
    for segment in folder.split('/').chain(target.split('/')) {
        match segment {
            "" | "." => {}
            ".." => _ = segments.pop(),
            _ => segments.push(segment),
        }
    }
    segments.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_found_from_another() {
        assert_eq!(relative("ppt/slides/slide1.xml", "../media/a.png"), "ppt/media/a.png");
        assert_eq!(relative("ppt/presentation.xml", "/ppt/slides/s.xml"), "ppt/slides/s.xml");
        assert_eq!(relative("content.opf", "./text/../a.xhtml"), "a.xhtml");
        assert_eq!(relative("a/b", "../../../../c"), "c");
    }
}
