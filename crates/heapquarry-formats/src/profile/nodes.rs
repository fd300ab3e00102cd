//! Reads nodes: an array of nodes with ids of their children or parent, or a tree of nested nodes.
//!
//! One loop reads all forms, with a stack of open containers, so depth costs memory and not recursion. It can stop
//! after any node and resume.

use super::{
    frames::{Frame, Frames, NO, Name},
    number::integer,
    tree::Tree,
};
use crate::{
    ByteOffset, Code, Log,
    json::{Json, NONE, Step, Value},
};
use heapquarry_scan::{Odd, read_odd};

/// An open container.
#[derive(Debug)]
enum Open {
    /// An array of nodes, or of ids of nodes: children of that node, or nodes of the profile.
    Array(Option<u32>),
    /// A node. In the old form of CPU profiles, the members of the frame are in the node itself.
    Node { node: u32, frame: Option<Box<Frame>> },
}

/// Layout of the nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// An array of nodes.
    Flat,
    /// The root, which contains all others.
    Nested,
}

/// Lines with samples, of several nodes.
#[derive(Debug, Default)]
pub(crate) struct Ticks {
    pub(crate) nodes: Vec<u32>,
    pub(crate) lines: Vec<i64>,
    pub(crate) ticks: Vec<i64>,
}

impl Ticks {
    /// Removes the lines of the node that was read last.
    fn drop_last(&mut self, node: u32) {
        while self.nodes.last() == Some(&node) {
            self.nodes.pop();
            self.lines.pop();
            self.ticks.pop();
        }
    }
}

/// What nodes are read into.
pub(crate) struct Target<'t> {
    pub(crate) tree: &'t mut Tree,
    pub(crate) frames: &'t mut Frames,
    pub(crate) ticks: &'t mut Ticks,
    pub(crate) log: &'t mut Log,
}

/// Reads nodes into a tree.
#[derive(Debug)]
pub(crate) struct NodesReader {
    stack: Vec<Open>,
    shape: Shape,
}

impl NodesReader {
    /// Begins at a `[` or `{`; `None` for anything else.
    pub(crate) fn begin(json: &mut Json<'_>, tree: &mut Tree) -> Step<Option<Self>> {
        let (open, shape) = match json.next()? {
            b'[' => (Open::Array(None), Shape::Flat),
            b'{' => {
                let Some(node) = tree.add(None) else { return Ok(None) };
                (Open::Node { node, frame: None }, Shape::Nested)
            }
            _ => return Ok(None),
        };
        json.bump();
        Ok(Some(NodesReader { stack: vec![open], shape }))
    }

    pub(crate) fn shape(&self) -> Shape {
        self.shape
    }

    /// Whether all nodes that began are complete.
    pub(crate) fn is_between(&self) -> bool {
        self.stack.len() <= 1 && self.shape == Shape::Flat || self.stack.is_empty()
    }

    /// Continues to the end of a node after the offset `until`; returns whether all have been read.
    pub(crate) fn read(
        &mut self,
        json: &mut Json<'_>,
        target: &mut Target<'_>,
        until: ByteOffset,
    ) -> Step<bool> {
        while let Some(open) = self.stack.last_mut() {
            let next = match open {
                Open::Array(parent) => element(*parent, json, target)?,
                Open::Node { node, frame } => member(*node, frame, json, target)?,
            };
            match next {
                Next::Continue => {}
                Next::Open(open) => self.stack.push(open),
                Next::Close => {
                    let closed = self.stack.pop();
                    if matches!(closed, Some(Open::Node { .. })) && json.at() >= until {
                        return Ok(self.stack.is_empty());
                    }
                }
            }
        }
        Ok(true)
    }

    /// Handles a document that ends within the nodes: keeps what was read of the open ones.
    pub(crate) fn abandon(&mut self, target: &mut Target<'_>) {
        let Target { tree, frames, ticks, .. } = target;
        let mut innermost = true;
        while let Some(open) = self.stack.pop() {
            let Open::Node { node, frame } = open else { continue };
            if let Some(frame) = frame {
                close(node, *frame, tree, frames);
            }
            if innermost && node as usize + 1 == tree.len() && tree.frames[node as usize] == NO {
                tree.drop_last();
                ticks.drop_last(node);
            }
            innermost = false;
        }
    }
}

/// What comes after an element or a member.
enum Next {
    /// Another one.
    Continue,
    /// Those of a container within.
    Open(Open),
    /// The end of the container.
    Close,
}

/// Reads an element of an array of nodes, or of ids of nodes.
fn element(parent: Option<u32>, json: &mut Json<'_>, target: &mut Target<'_>) -> Step<Next> {
    match json.next()? {
        b',' => json.bump(),
        b']' => {
            json.bump();
            return Ok(Next::Close);
        }
        b'{' => {
            let Some(node) = target.tree.add(parent) else {
                return json.malformed("fewer than 2^32 nodes");
            };
            json.bump();
            return Ok(Next::Open(Open::Node { node, frame: None }));
        }
        b'}' | b':' => return json.malformed("a node, `,` or `]`"),
        _ => {
            let at = json.at();
            let child = match (json.value()?, parent) {
                (Value::Int(child), Some(_)) => Some(child),
                (Value::Text(t), Some(_)) => id(read_odd(json.bytes(&t.span)).0),
                (Value::Odd(odd, _), Some(_)) => id(odd),
                _ => None,
            };
            match (child, parent) {
                (Some(child), Some(parent)) => target.tree.add_child(parent, child),
                _ => target
                    .log
                    .add(Code::BadNesting, at, || "neither a node nor the id of one".into()),
            }
        }
    }
    Ok(Next::Continue)
}

/// The id that is written in another form than a plain integer. Where the node has it, its form is logged.
fn id(odd: Odd) -> Option<i64> {
    match odd {
        Odd::Negative(id) | Odd::Form(id) => Some(id),
        _ => None,
    }
}

/// Reads a member of a node.
fn member(
    node: u32,
    frame: &mut Option<Box<Frame>>,
    json: &mut Json<'_>,
    target: &mut Target<'_>,
) -> Step<Next> {
    let Target { tree, frames, ticks, log } = target;
    let Some(key) = json.key()? else {
        if let Some(frame) = frame {
            close(node, **frame, tree, frames);
        }
        return Ok(Next::Close);
    };
    match json.bytes(&key.span) {
        b"callFrame" => {
            json.next()?;
            tree.frames[node as usize] = frames.read(json, log)?;
        }
        b"id" => tree.ids.set(node as usize, integer(json, "id", log)?),
        b"hitCount" => tree.weights.set(node as usize, integer(json, "hitCount", log)?),
        b"selfSize" => tree.weights.set(node as usize, integer(json, "selfSize", log)?),
        b"parent" => {
            let parent = integer(json, "parent", log)?;
            if parent != NONE {
                tree.name_parent(node, parent);
            }
        }
        b"children" => {
            if json.next()? == b'[' {
                json.bump();
                return Ok(Next::Open(Open::Array(Some(node))));
            }
            not_an_array(json, "children", log)?;
        }
        b"positionTicks" => {
            if json.next()? == b'[' {
                json.bump();
                position_ticks(node, json, ticks, frames, log)?;
            } else {
                not_an_array(json, "positionTicks", log)?;
            }
        }
        b"deoptReason" | b"bailoutReason" => {
            let reason = frames.text(json, "deoptReason", log)?;
            if reason != NO {
                tree.reasons.push((node, reason));
            }
        }
        // Numbers that only their writer can interpret.
        b"callUID" | b"locationId" => json.skip_value()?,
        name => match Name::of(name) {
            Name::Other => {
                let at = json.at();
                frames.unknown(json.bytes(&key.span), at, log);
                json.skip_value()?;
            }
            name => {
                let frame = frame.get_or_insert_with(|| Box::new(Frame::EMPTY));
                frames.member(frame, name, json, log)?;
            }
        },
    }
    Ok(Next::Continue)
}

/// The old form counts lines and columns from 1, with 0 for none.
fn close(node: u32, mut frame: Frame, tree: &mut Tree, frames: &mut Frames) {
    for position in [&mut frame.line, &mut frame.column] {
        if *position != NONE {
            *position -= 1;
        }
    }
    tree.frames[node as usize] = frames.number(frame);
}

/// Handles another value where an array is expected.
fn not_an_array(json: &mut Json<'_>, what: &'static str, log: &mut Log) -> Step<()> {
    let at = json.at();
    match json.value()? {
        Value::Odd(_, span) if json.bytes(&span) == b"null" => {}
        _ => log.add(Code::BadNesting, at, || format!("{what}: not an array")),
    }
    Ok(())
}

/// The elements of `positionTicks`: `{"line":12,"ticks":3}`.
fn position_ticks(
    node: u32,
    json: &mut Json<'_>,
    ticks: &mut Ticks,
    frames: &mut Frames,
    log: &mut Log,
) -> Step<()> {
    loop {
        match json.next()? {
            b',' => json.bump(),
            b']' => {
                json.bump();
                return Ok(());
            }
            b'{' => {
                json.bump();
                let (mut line, mut count) = (NONE, NONE);
                while let Some(key) = json.key()? {
                    match json.bytes(&key.span) {
                        b"line" => line = integer(json, "line", log)?,
                        b"ticks" => count = integer(json, "ticks", log)?,
                        name => {
                            frames.unknown(name, json.at(), log);
                            json.skip_value()?;
                        }
                    }
                }
                ticks.nodes.push(node);
                ticks.lines.push(line);
                ticks.ticks.push(count);
            }
            b'}' | b':' => return json.malformed("an object, `,` or `]`"),
            _ => {
                let at = json.at();
                json.value()?;
                log.add(Code::BadNesting, at, || "positionTicks: not an object".into());
            }
        }
    }
}
