//! A source map, and the originals of places in its script.

use crate::{
    address,
    ignored::Ignored,
    outline::{Outline, Written},
    variables::{Bundle, Owner},
};
use heapquarry_base::Order;
use sourcemap::{DecodedMap, SourceMapHermes, Token};
use std::{fmt, sync::Arc};

/// A place in a script: where V8 says that a function is, the parenthesis of its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Line, from 0.
    pub line: u32,
    /// Column in UTF-16 units, from 0.
    pub column: u32,
}

/// What a place was made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Original {
    /// The name of the function or class that is written there, empty for a function without one. `None` if the map
    /// does not tell: it has no text of the source, or no function begins there.
    pub name: Option<Arc<str>>,
    /// Path or URL of the source.
    pub source: Arc<str>,
    /// Where it is written in the source.
    pub place: Place,
    /// Whether the map's ignore list has the source: somebody else wrote it.
    pub is_ignored: bool,
}

/// Why a map cannot be used.
#[derive(Debug)]
pub struct Broken(String);

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Broken {}

/// A source map in memory.
#[derive(Debug)]
pub struct SourceMap {
    map: DecodedMap,
    ignored: Ignored,
}

/// A part of a map that has mappings of its own.
struct Section<'a> {
    /// Where it begins in the script.
    start: Place,
    map: &'a sourcemap::SourceMap,
    /// Names of functions of Metro and Hermes.
    functions: Option<&'a SourceMapHermes>,
    /// What the map's ignore list has, by its old key.
    ignored: Option<&'a Ignored>,
}

impl Section<'_> {
    /// Whether its ignore list has a source.
    fn ignores(&self, source: u32) -> bool {
        self.ignored.is_some_and(|ignored| ignored.has(source))
            || self.map.ignore_list().any(|&listed| listed == source)
    }
}

/// The mapping of a place.
struct Mapped<'a> {
    /// The section, and the source in it.
    source: (usize, u32),
    token: Token<'a>,
    /// The place in the source.
    place: Place,
    is_exact: bool,
}

impl SourceMap {
    /// Reads a map: ECMA-426, with sections, or with the names of functions that Metro and Hermes add.
    ///
    /// # Errors
    /// If it is none.
    pub fn read(bytes: &[u8]) -> Result<Self, Broken> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let map = sourcemap::decode_slice(bytes).map_err(|error| Broken(error.to_string()))?;
        if let DecodedMap::Regular(map) = &map
            && map.get_source_count() == 0
        {
            return Err(Broken("it names no sources".into()));
        }
        Ok(SourceMap { map, ignored: Ignored::read(bytes) })
    }

    /// Its parts in the order of the script.
    fn sections(&self) -> Vec<Section<'_>> {
        let mut sections = Vec::new();
        let mut work = vec![(Place { line: 0, column: 0 }, &self.map, Some(&self.ignored))];
        while let Some((start, map, ignored)) = work.pop() {
            match map {
                DecodedMap::Regular(map) => {
                    sections.push(Section { start, map, functions: None, ignored })
                }
                DecodedMap::Hermes(map) => {
                    sections.push(Section { start, map, functions: Some(map), ignored })
                }
                DecodedMap::Index(index) => {
                    work.extend(index.sections().enumerate().filter_map(|(number, section)| {
                        let (line, column) = section.get_offset();
                        let moved = if line == 0 { start.column } else { 0 };
                        let line = start.line.checked_add(line)?;
                        let column = moved.checked_add(column)?;
                        let ignored = ignored.and_then(|ignored| ignored.section(number));
                        Some((Place { line, column }, section.get_sourcemap()?, ignored))
                    }))
                }
            }
        }
        sections.order_by_key(|section| section.start);
        sections
    }

    /// The originals of places, in their order; nothing for a place that no mapping covers. `script` is the address
    /// from which relative addresses of sources are told.
    pub fn originals(&self, script: &str, places: &[Place]) -> Vec<Option<Original>> {
        self.tell(script, places).originals
    }

    /// The originals of places, and whether they can be places of the map's script.
    pub(crate) fn tell(&self, script: &str, places: &[Place]) -> Originals {
        let sections = self.sections();
        let mapped: Vec<_> = places.iter().map(|&place| mapped(&sections, place)).collect();
        let names = (0..places.len()).filter_map(|at| {
            let is_exact = mapped[at].as_ref().is_some_and(|mapped| mapped.is_exact);
            let is_known = is_exact || places[at] == START;
            Some((at, class_name(&sections, places[at]).filter(|_| !is_known)?))
        });
        let names: Vec<(usize, Mapped<'_>)> = names.collect();
        let covering = mapped.iter().enumerate();
        let covering = covering.filter_map(|(at, mapped)| Some((at, mapped.as_ref()?, false)));
        let mut order: Vec<(usize, &Mapped<'_>, bool)> =
            covering.chain(names.iter().map(|(at, mapped)| (*at, mapped, true))).collect();
        // Of a source first the names of classes.
        order.sort_by_key(|&(_, mapped, is_name)| (mapped.source, !is_name));
        let mut originals = vec![None; places.len()];
        let mut is_named = vec![false; places.len()];
        let mut source: Option<(usize, u32)> = None;
        let (mut outline, mut name): (Option<Outline>, Arc<str>) = (None, "".into());
        let mut is_ignored = false;
        for (at, found, is_name) in order {
            if is_named[at] {
                continue;
            }
            let section = &sections[found.source.0];
            let Section { map, functions, .. } = section;
            if source != Some(found.source) {
                source = Some(found.source);
                let written = map.get_source(found.source.1).unwrap_or_default();
                outline = map
                    .get_source_contents(found.source.1)
                    .map(|text| Outline::new(text, has_elements(written)));
                name = source_address(script, written).into();
                is_ignored = section.ignores(found.source.1);
            }
            // The script itself begins there, which is no function of a source; a bundle is not its first source.
            let is_script = places[at] == START;
            if is_script && map.get_source_count() > 1 {
                continue;
            }
            if is_name {
                let text = map.get_source_contents(found.source.1).unwrap_or_default();
                let Place { line, column } = found.place;
                let is_class = |outline: &&Outline| outline.is_name_of_class(text, line, column);
                if outline.as_ref().filter(is_class).is_none() {
                    continue;
                }
                is_named[at] = true;
            }
            let function = match &outline {
                _ if is_script => None,
                Some(outline) => match outline.at(found.place.line, found.place.column) {
                    Written::Head(name) => Some(name.unwrap_or_default().into()),
                    Written::Other => None,
                },
                None => {
                    functions.and_then(|map| map.get_scope_for_token(found.token)).map(Into::into)
                }
            };
            let (source, place) = (name.clone(), found.place);
            originals[at] = Some(Original { name: function, source, place, is_ignored });
        }
        let exact = mapped.iter().flatten().filter(|mapped| mapped.is_exact).count();
        Originals { originals, fits: self.fits(&sections, places, exact) }
    }

    /// The original names of variables of a bundle, whose text this is; `None` where that is not sure.
    pub fn variables(&self, text: &str, asked: &[(Owner, &str)]) -> Vec<Option<Arc<str>>> {
        let sections = self.sections();
        let name = |place| {
            let mapped = mapped(&sections, place).filter(|mapped| mapped.is_exact)?;
            mapped.token.get_name().filter(|name| !name.is_empty())
        };
        let found = Bundle::new(text).originals(asked, name);
        found.into_iter().map(|name| name.map(Into::into)).collect()
    }

    /// Whether these can be places of the map's script: the map has their lines, and some of them are where a mapping
    /// begins. Of the maps of seven tools at least 24 % are.
    fn fits(&self, sections: &[Section<'_>], places: &[Place], exact: usize) -> bool {
        let lines = sections.iter().filter_map(|section| {
            let last = (section.map.get_token_count() as usize).checked_sub(1)?;
            Some(section.start.line.saturating_add(section.map.get_token(last)?.get_dst_line()))
        });
        let last = lines.max().unwrap_or(0);
        let beyond = places.iter().filter(|place| place.line > last).count();
        // Lines without mappings can follow: what a bundler adds at the end.
        if beyond * 2 > places.len() {
            return false;
        }
        exact > 0
            || places.len() < ENOUGH_PLACES
            || sections.iter().all(|section| knows_lines_only(section.map))
    }
}

/// Where a script begins.
const START: Place = Place { line: 0, column: 0 };

/// From so many places on at least one must be where a mapping begins.
const ENOUGH_PLACES: usize = 20;

/// Whether a map has only the starts of lines, as those of webpack's development builds.
fn knows_lines_only(map: &sourcemap::SourceMap) -> bool {
    map.tokens().all(|token| token.get_dst_col() == 0)
}

/// The originals of the places of a script.
pub(crate) struct Originals {
    pub(crate) originals: Vec<Option<Original>>,
    /// Whether the map can be that of the script.
    pub(crate) fits: bool,
}

/// The last mapping of a place's line that begins at the place or before it. Of several that begin there it is the last
/// one: where tools write such, it is the one with the right line.
fn mapped<'a>(sections: &[Section<'a>], place: Place) -> Option<Mapped<'a>> {
    let number = sections.partition_point(|section| section.start <= place).checked_sub(1)?;
    let Section { start, map, .. } = &sections[number];
    let line = place.line - start.line;
    let column = if line == 0 { place.column - start.column } else { place.column };
    let (mut low, mut high) = (0, map.get_token_count() as usize);
    while low < high {
        let middle = low + (high - low) / 2;
        if map.get_token(middle)?.get_dst() <= (line, column) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    let token = map.get_token(low.checked_sub(1)?)?;
    let (token_line, token_column) = token.get_dst();
    let (source_line, source_column) = (token.get_src_line(), token.get_src_col());
    // Negative numbers of a damaged map come out as large ones.
    let is_sound = [source_line, source_column].iter().all(|&number| i32::try_from(number).is_ok());
    let has_source =
        token.has_source() && token.get_source().is_some_and(|source| !source.is_empty());
    (token_line == line && has_source && is_sound).then(|| Mapped {
        source: (number, token.get_src_id()),
        token,
        place: Place { line: source_line, column: source_column },
        is_exact: token_column == column,
    })
}

/// Where the mapping leads that begins where a class that is written at a place has its name. Tools that leave out
/// `export` map the name of a class, but not `class`, where V8 says that a class without a constructor is.
fn class_name<'a>(sections: &[Section<'a>], place: Place) -> Option<Mapped<'a>> {
    let column = place.column.checked_add("class ".len() as u32)?;
    mapped(sections, Place { column, ..place }).filter(|mapped| mapped.is_exact)
}

/// Whether a source can contain elements of JSX. In TypeScript without them `<` begins a type.
fn has_elements(source: &str) -> bool {
    let path = source.split_once('?').map_or(source, |(path, _)| path);
    ![".ts", ".mts", ".cts"].iter().any(|end| path.ends_with(end))
}

/// The address of a source. Relative ones are told from the script.
fn source_address(script: &str, source: &str) -> String {
    match source.split_once("://") {
        // `webpack://name/./src/a.ts`
        Some((scheme, rest)) => format!("{scheme}://{}", rest.replace("/./", "/")),
        None if !script.contains(['/', '\\']) => address::normal(source),
        None => address::resolve(script, source),
    }
}

#[cfg(test)]
pub(crate) mod tests;
