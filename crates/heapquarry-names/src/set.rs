//! The maps that are at hand, and which of them belongs to a script.

use crate::{Original, Owner, Place, SourceMap, address};
use serde::{Deserialize, Serialize, de::IgnoredAny};
use std::{
    borrow::Cow,
    collections::{BTreeSet, HashMap},
    fmt, fs,
    io::{self, Read},
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

/// Bytes of a script's address of its map that V8 writes into a snapshot.
const LONGEST_URL: usize = 1024;

/// Source maps: files, and all `.map` files of folders. They are read when a script needs them.
#[derive(Debug, Default)]
pub struct SourceMaps {
    files: Vec<File>,
    /// What each file says of itself. Read only if paths alone do not tell.
    heads: OnceLock<Vec<Head>>,
}

/// A file with a map.
#[derive(Debug)]
struct File {
    path: PathBuf,
    /// The path with `/`, for comparisons.
    name: String,
    /// Whether somebody named this file, not a folder or a pattern that it fits.
    is_named: bool,
    /// Why it cannot be used, once it was looked at only for that.
    trouble: OnceLock<Option<String>>,
}

/// What a map says of itself.
#[derive(Debug, Default, Deserialize)]
struct Head {
    #[serde(rename = "debugId")]
    debug_id: Option<String>,
    #[serde(rename = "debug_id")]
    old_debug_id: Option<String>,
    file: Option<String>,
    /// Where functions are in the bytecode that Hermes made of the script.
    x_hermes_function_offsets: Option<IgnoredAny>,
}

impl Head {
    fn id(&self) -> Option<String> {
        self.debug_id.as_ref().or(self.old_debug_id.as_ref()).map(|id| plain(id))
    }
}

/// A debug id without hyphens, in small letters.
fn plain(id: &str) -> String {
    id.chars().filter(|&c| c != '-').map(|c| c.to_ascii_lowercase()).collect()
}

/// A script whose names are looked for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Script<'a> {
    /// Its path or URL.
    pub name: &'a str,
    /// The address of its map that it names: `//# sourceMappingURL=…`, perhaps cut after 1,024 characters.
    pub map_url: Option<&'a str>,
    /// Its debug id: `//# debugId=…`.
    pub debug_id: Option<&'a str>,
    /// Whether it is bytecode of Hermes, which has no name: columns are addresses.
    pub is_bytecode: bool,
    /// How its text begins, perhaps cut after 1,024 characters.
    pub text: Option<&'a str>,
    /// Variables whose names are looked for, too.
    pub variables: &'a [(Owner, &'a str)],
}

/// How maps may be read.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    /// Whether the text of a script may be read from where the script says that it is.
    pub own_files: bool,
    /// Bytes of memory that a map, or the text of a script, may take while it is used; `None` if there is no limit.
    pub room: Option<u64>,
}

impl Default for Access {
    fn default() -> Self {
        Access { own_files: true, room: None }
    }
}

impl Access {
    /// With that many bytes less room.
    #[must_use]
    pub fn less(self, bytes: u64) -> Self {
        Access { room: self.room.map(|room| room.saturating_sub(bytes)), ..self }
    }

    /// Fails if there is no room for that many bytes.
    ///
    /// # Errors
    /// Says how many are needed, and how many are left.
    pub fn check(self, needed: u64) -> io::Result<()> {
        let Some(room) = self.room.filter(|&room| needed > room) else { return Ok(()) };
        let why = format!("it takes about {needed} bytes of memory, and the limit leaves {room}");
        Err(io::Error::new(io::ErrorKind::OutOfMemory, why))
    }
}

/// About how many bytes of memory a map takes while it is used: its text, what is decoded of it, and its mappings.
/// Commas and semicolons separate these.
fn needed(map: &[u8]) -> u64 {
    let marks = memchr::memchr2_iter(b',', b';', map).count() as u64;
    (2 * map.len() as u64).saturating_add(marks.saturating_mul(PER_MAPPING))
}

/// Bytes of memory for each mapping.
const PER_MAPPING: u64 = 28;

/// A map that is stored with the address of its script.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredMap {
    /// Path or URL of the script.
    pub script: String,
    /// The text of the map.
    pub map: String,
}

/// What maps tell of some scripts.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// Of each script the originals of its places; nothing for one without a map.
    pub originals: Vec<Vec<Option<Original>>>,
    /// Of each script the original names of its variables, as far as they are sure; nothing where the text of the
    /// script is not at hand.
    pub variables: Vec<Vec<Option<Arc<str>>>>,
    /// Scripts that have a map.
    pub with_map: Vec<bool>,
    /// Maps that are broken or do not fit, and why: one sentence each. Of maps that no script asks for, only files that
    /// were named themselves.
    pub warnings: Vec<String>,
}

/// A path of which nothing was found.
#[derive(Debug)]
pub struct NotFound {
    /// The path as it was given.
    pub path: PathBuf,
    /// Why.
    pub why: String,
}

impl fmt::Display for NotFound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "source maps {}: {}", self.path.display(), self.why)
    }
}

impl std::error::Error for NotFound {}

/// Where the map of a script is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Where<'a> {
    /// The number of a file.
    File(usize),
    /// In the script.
    Data(&'a str),
    /// The number of a stored one.
    Stored(usize),
}

impl SourceMaps {
    /// Lists maps: files, folders, and patterns with `*`, `?`, `[…]` and `**`. A file that is no `.map` is a script, in
    /// which there is a map, or its address.
    ///
    /// # Errors
    /// If there is no such file, or a folder without a map.
    pub fn list<P: AsRef<Path>>(paths: &[P]) -> Result<Self, NotFound> {
        let (mut files, mut named) = (BTreeSet::new(), BTreeSet::new());
        for path in paths.iter().map(AsRef::as_ref) {
            let not_found = |why: String| NotFound { path: path.into(), why };
            let before = files.len();
            let pattern = path.to_str().filter(|text| text.contains(['*', '?', '[']));
            let pattern = pattern.filter(|_| !path.exists());
            let meant = match pattern {
                Some(text) => {
                    let found = glob::glob(text).map_err(|error| not_found(error.to_string()))?;
                    found.filter_map(Result::ok).collect()
                }
                None => vec![path.to_owned()],
            };
            let mut known = 0;
            for path in meant {
                let is_dir =
                    fs::metadata(&path).map_err(|error| not_found(error.to_string()))?.is_dir();
                if is_dir {
                    known += list_folder(&path, &mut files)
                        .map_err(|error| not_found(error.to_string()))?;
                } else {
                    known += 1;
                    if pattern.is_none() {
                        named.insert(path.clone());
                    }
                    files.insert(path);
                }
            }
            if files.len() == before && known == 0 {
                return Err(not_found("no source map is there".into()));
            }
        }
        let files = files.into_iter().map(|path| {
            let name = address::path(&path.to_string_lossy()).into_owned();
            let is_named = named.contains(&path);
            File { path, name, is_named, trouble: OnceLock::new() }
        });
        Ok(SourceMaps { files: files.collect(), heads: OnceLock::new() })
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// The originals of the places of scripts. Each map is read once, used and dropped. Scripts that have none among
    /// these have those that are stored for them.
    pub fn originals(
        &self,
        scripts: &[(Script<'_>, Vec<Place>)],
        stored: &[StoredMap],
        access: Access,
    ) -> Found {
        let of_scripts: HashMap<Cow<'_, str>, usize> = stored
            .iter()
            .enumerate()
            .map(|(number, stored)| (address::script(&stored.script), number))
            .collect();
        let mut found = Found {
            originals: scripts.iter().map(|(_, places)| vec![None; places.len()]).collect(),
            variables: scripts
                .iter()
                .map(|(script, _)| vec![None; script.variables.len()])
                .collect(),
            with_map: vec![false; scripts.len()],
            warnings: Vec::new(),
        };
        let mut of_maps: HashMap<Where<'_>, Vec<usize>> = HashMap::new();
        let mut order = Vec::new();
        for (number, (script, _)) in scripts.iter().enumerate() {
            let stored = of_scripts.get(&address::script(script.name)).copied();
            let Some(place) = self.find(script, stored, access) else { continue };
            let of_map = of_maps.entry(place.clone()).or_default();
            if of_map.is_empty() {
                order.push(place);
            }
            of_map.push(number);
        }
        for place in order {
            let map = match self.read(&place, stored, access) {
                Ok(map) => map,
                Err(why) => {
                    found.warnings.push(why);
                    continue;
                }
            };
            for &number in &of_maps[&place] {
                let (script, places) = &scripts[number];
                let base = match script.map_url {
                    Some(url) if !url.starts_with("data:") => address::resolve(script.name, url),
                    // Sources of bytecode are told as its map has them.
                    _ if script.is_bytecode => String::new(),
                    _ => script.name.to_owned(),
                };
                let told = map.tell(&base, places);
                if told.fits {
                    found.originals[number] = told.originals;
                    found.with_map[number] = true;
                    if !script.variables.is_empty()
                        && let Some(text) = self.text(script, &place, access)
                    {
                        found.variables[number] = map.variables(&text, script.variables);
                    }
                } else {
                    let map = self.describe(&place, stored);
                    found.warnings.push(format!(
                        "{map} does not fit {}: it is perhaps the map of another build",
                        script.name
                    ));
                }
            }
        }
        let unused = self.unused(|file| of_maps.contains_key(&Where::File(file)), access);
        found.warnings.extend(unused);
        found
    }

    /// Why files that somebody named cannot be used, although no script asks for them. That a good map belongs to no
    /// script is nothing to warn of: of two builds each has its own.
    fn unused(
        &self,
        is_used: impl Fn(usize) -> bool,
        access: Access,
    ) -> impl Iterator<Item = String> {
        let files = self.files.iter().enumerate();
        let unused = files.filter(move |(number, file)| file.is_named && !is_used(*number));
        let trouble = move |number| self.read(&Where::File(number), &[], access).err();
        unused
            .filter_map(move |(number, file)| file.trouble.get_or_init(|| trouble(number)).clone())
    }

    /// Finds the map of a script: by what the script says of it, by debug id, by paths, by what maps say of themselves.
    /// `stored` is the one that is stored for it.
    fn find<'a>(
        &self,
        script: &Script<'a>,
        stored: Option<usize>,
        access: Access,
    ) -> Option<Where<'a>> {
        let data = script.map_url.filter(|url| url.starts_with("data:"));
        // One that is cut is perhaps whole elsewhere.
        let is_whole = |url: &&str| url.chars().count() < LONGEST_URL;
        if let Some(url) = data.filter(is_whole) {
            return Some(Where::Data(url));
        }
        let file = self.find_file(script, access).map(Where::File);
        file.or(stored.map(Where::Stored)).or(data.map(Where::Data))
    }

    /// Finds the file with the map of a script.
    fn find_file(&self, script: &Script<'_>, access: Access) -> Option<usize> {
        if script.is_bytecode {
            let is_of_bytecode = |head: &Head| head.x_hermes_function_offsets.is_some();
            return self.only_best(|number| {
                self.heads(access).get(number).map_or(0, |head| usize::from(is_of_bytecode(head)))
            });
        }
        if self.files.is_empty() || script.name.is_empty() {
            return None;
        }
        let id = script.debug_id.map(plain);
        if let Some(id) = &id
            && let Some(file) =
                self.heads(access).iter().position(|head| head.id().as_ref() == Some(id))
        {
            return Some(file);
        }
        let own = address::path(script.name);
        let url = script.map_url.filter(|url| !url.starts_with("data:"));
        let named = url.map(|url| address::resolve(script.name, url));
        let file = named
            .and_then(|named| self.nearest(&named))
            .or_else(|| self.nearest(&format!("{own}.map")))
            .or_else(|| self.nearest(&own))
            .or_else(|| self.by_file(&own, access))?;
        // One with another id is that of another build.
        let of_file = || self.heads(access).get(file).and_then(Head::id);
        if id.is_some() && of_file().is_some() {
            return None;
        }
        Some(file)
    }

    /// The file whose path ends as this one: the most parts are equal, the name at least. `None` if several do.
    fn nearest(&self, path: &str) -> Option<usize> {
        self.only_best(|number| address::shared_end(&self.files[number].name, path))
    }

    /// The file whose map says that it is that of a script of this name.
    fn by_file(&self, script: &str, access: Access) -> Option<usize> {
        self.only_best(|number| {
            let file = self.heads(access).get(number).and_then(|head| head.file.as_deref());
            file.map_or(0, |file| address::shared_end(&address::path(file), script))
        })
    }

    /// The file with the highest mark above 0, if no other one has it.
    fn only_best(&self, mark: impl Fn(usize) -> usize) -> Option<usize> {
        let (mut best, mut highest) = (None, 0);
        for number in 0..self.files.len() {
            let mark = mark(number);
            match mark.cmp(&highest) {
                std::cmp::Ordering::Greater => (best, highest) = (Some(number), mark),
                std::cmp::Ordering::Equal => best = None,
                std::cmp::Ordering::Less => {}
            }
        }
        best
    }

    /// Read once, with the room of the first that asks: a file that does not fit has an empty head for all.
    fn heads(&self, access: Access) -> &[Head] {
        self.heads.get_or_init(|| {
            let head = |file: &File| {
                let bytes = content(&file.path, access).ok()?;
                let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
                serde_json::from_slice(text).ok()
            };
            self.files.iter().map(|file| head(file).unwrap_or_default()).collect()
        })
    }

    fn read(
        &self,
        place: &Where<'_>,
        stored: &[StoredMap],
        access: Access,
    ) -> Result<SourceMap, String> {
        let broken = |why: &dyn fmt::Display| {
            format!("{} cannot be used: {why}", self.describe(place, stored))
        };
        let decoded = |bytes: &[u8]| {
            if access.room.is_some() {
                access.check(needed(bytes)).map_err(|error| broken(&error))?;
            }
            SourceMap::read(bytes).map_err(|error| broken(&error))
        };
        match place {
            Where::Stored(number) => decoded(stored[*number].map.as_bytes()),
            Where::File(file) => {
                decoded(&content(&self.files[*file].path, access).map_err(|error| broken(&error))?)
            }
            Where::Data(url) => {
                let read = address::data(url).map(|bytes| SourceMap::read(&bytes));
                match read {
                    Some(Ok(map)) => Ok(map),
                    _ if url.chars().count() >= LONGEST_URL => {
                        Err(broken(&"the file has only its first 1,024 characters"))
                    }
                    Some(Err(error)) => Err(broken(&error)),
                    None => Err(broken(&"it is no base64")),
                }
            }
        }
    }

    /// The text of a script: it is beside its map, or where the script says that it is. What begins otherwise is that
    /// of another build.
    fn text(&self, script: &Script<'_>, place: &Where<'_>, access: Access) -> Option<String> {
        let start = script.text?;
        let beside = match place {
            Where::File(file) => {
                let path = &self.files[*file].path;
                let is_map = path.extension().is_some_and(|extension| extension == "map");
                Some(if is_map { path.with_extension("") } else { path.clone() })
            }
            Where::Data(_) | Where::Stored(_) => None,
        };
        let own = address::script(script.name);
        let own =
            (access.own_files && Path::new(&*own).is_absolute()).then(|| PathBuf::from(&*own));
        // The last character can be cut in two.
        let start = start.char_indices().next_back().map(|(last, _)| &start[..last])?;
        if start.is_empty() {
            return None;
        }
        let mut texts = beside.into_iter().chain(own);
        texts.find_map(|path| text_that_begins(&path, start, access))
    }

    /// A map in words.
    fn describe(&self, place: &Where<'_>, stored: &[StoredMap]) -> Cow<'static, str> {
        match place {
            Where::File(file) => {
                format!("the source map {}", self.files[*file].path.display()).into()
            }
            Where::Data(_) => "a source map in a script".into(),
            Where::Stored(number) => {
                format!("the source map that was captured of {}", stored[*number].script).into()
            }
        }
    }
}

/// The text of a plain file, if it begins so.
fn text_that_begins(path: &Path, start: &str, access: Access) -> Option<String> {
    let found = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    access.check(found.len()).ok()?;
    let (mut file, mut text) = (fs::File::open(path).ok()?, vec![0; start.len()]);
    file.read_exact(&mut text).ok().filter(|()| text == start.as_bytes())?;
    file.read_to_end(&mut text).ok()?;
    String::from_utf8(text).ok()
}

/// Adds the maps of a folder and of the folders in it, and returns how many there are.
fn list_folder(folder: &Path, files: &mut BTreeSet<PathBuf>) -> io::Result<usize> {
    let (mut folders, mut count) = (vec![folder.to_owned()], 0);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let (path, kind) = (entry.path(), entry.file_type()?);
            if kind.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "map") {
                count += 1;
                files.insert(path);
            }
        }
    }
    Ok(count)
}

/// The map in a file: the file itself, or what a script contains or names.
fn content(path: &Path, access: Access) -> io::Result<Vec<u8>> {
    let bytes = read_plain(path, access)?;
    let start = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
    let is_map = matches!(start, None | Some(b'{' | b')' | 0xef));
    let script = if is_map { None } else { std::str::from_utf8(&bytes).ok() };
    let Some(url) = script.and_then(address::mapping_url) else { return Ok(bytes) };
    if url.starts_with("data:") {
        let damaged = || io::Error::new(io::ErrorKind::InvalidData, "its data: URL is no base64");
        return address::data(url).ok_or_else(damaged);
    }
    read_plain(Path::new(&*address::resolve(&path.to_string_lossy(), url)), access)
}

/// The bytes of a plain file. A FIFO or a device might never end.
fn read_plain(path: &Path, access: Access) -> io::Result<Vec<u8>> {
    let found = fs::metadata(path)?;
    if !found.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no plain file"));
    }
    access.check(found.len())?;
    fs::read(path)
}

#[cfg(test)]
mod tests;
