//! Samples: objects of three numbers, `{"size":1064,"nodeId":4,"ordinal":87}`.

use crate::{
    ByteOffset, Code, Input, Log, Result,
    json::{Json, NONE, Step, Stop},
    profile::{Index, integer},
};

/// Consecutive samples.
#[derive(Debug, Default)]
pub(super) struct Block {
    pub(super) ordinals: Vec<i64>,
    pub(super) nodes: Vec<i64>,
    pub(super) sizes: Vec<i64>,
}

/// Reads samples.
pub(super) struct Samples<'a> {
    /// `None` at their end.
    json: Option<Json<'a>>,
    /// The greatest id of a node.
    last_node: i64,
}

impl<'a> Samples<'a> {
    /// Starts after the `[` of the samples, if there are any.
    pub(super) fn new(
        input: &'a dyn Input,
        at: Option<ByteOffset>,
        window: usize,
        last_node: i64,
    ) -> Self {
        Samples { json: at.map(|at| Json::new(input, at, window)), last_node }
    }

    /// The next samples, at most `max`.
    pub(super) fn next(
        &mut self,
        max: usize,
        index: &Index,
        log: &mut Log,
    ) -> Result<Option<Block>> {
        let mut block = Block::default();
        while let Some(json) = self.json.as_mut().filter(|_| block.sizes.len() < max) {
            match read(json, &mut block, (index, self.last_node), log) {
                Ok(true) => {}
                // The code that located the array has logged that it has no end.
                Ok(false) | Err(Stop::Cut) => self.json = None,
                Err(Stop::Failed(error)) => return Err(error),
                Err(Stop::Malformed { at, expected }) => {
                    log.add(Code::Malformed, at, || {
                        format!("expected {expected}; the other samples are not read")
                    });
                    self.json = None;
                }
            }
        }
        Ok((!block.sizes.is_empty()).then_some(block))
    }
}

/// Reads one sample; returns `false` at the end.
fn read(
    json: &mut Json<'_>,
    block: &mut Block,
    (index, last_node): (&Index, i64),
    log: &mut Log,
) -> Step<bool> {
    while json.next()? == b',' {
        json.bump();
    }
    let at = json.at();
    match json.next()? {
        b']' => return Ok(false),
        b'{' => json.bump(),
        b'}' | b':' => return json.malformed("a sample, `,` or `]`"),
        _ => {
            json.skip_value()?;
            log.add(Code::BadNesting, at, || "samples: not an object".into());
            return Ok(true);
        }
    }
    let (mut size, mut node, mut ordinal) = (NONE, NONE, NONE);
    while let Some(key) = json.key()? {
        match json.bytes(&key.span) {
            b"size" => size = integer(json, "size", log)?,
            b"nodeId" => node = integer(json, "nodeId", log)?,
            b"ordinal" => ordinal = integer(json, "ordinal", log)?,
            _ => json.skip_value()?,
        }
    }
    if node != NONE && index.node(node).is_none() {
        // V8 allocates names while it writes the tree, and samples these, too: such a node is younger than all others,
        // and ids count up (V8: `SamplingHeapProfiler::TranslateAllocationNode`).
        let code = if node > last_node { Code::LateNode } else { Code::UnknownNode };
        log.add(code, at, || format!("a sample names a node {node} that is not there"));
    }
    block.ordinals.push(ordinal);
    block.nodes.push(node);
    block.sizes.push(size);
    Ok(true)
}
