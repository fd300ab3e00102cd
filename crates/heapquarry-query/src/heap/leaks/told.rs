//! What the analysis found, as it is told.

use super::{
    answer::{Confidence, Container, HoldingStep, Leak, LeakContent, LeakGroup, LeakKind},
    cure::cure,
};
use crate::{
    answer::{Bytes, BytesChange, NodeId, Share},
    sections::signed,
};
use heapquarry_graph as graph;

impl From<&graph::Leak> for Leak {
    fn from(leak: &graph::Leak) -> Self {
        let added = match leak.counts.as_deref() {
            Some([first, .., last]) => Some(signed(*last) - signed(*first)),
            _ => None,
        };
        let each = added.and_then(|added| leak.bytes.checked_div(u64::try_from(added).ok()?));
        let mut told = Leak {
            kind: leak.kind.into(),
            confidence: leak.confidence.into(),
            text: String::new(),
            cure: None,
            owner: leak.owner.clone(),
            way: leak.via.clone(),
            container: Container {
                class_name: leak.container.clone(),
                id: leak.container_id.map(NodeId),
                count: leak.containers,
            },
            leaked: leak.leaked.clone(),
            leaked_percent: leak.leaked_share.map(Share::of_thousandths),
            content: leak.content.as_ref().map(|content| LeakContent {
                class_name: content.class.clone(),
                counts: content.counts.clone(),
            }),
            counts: leak.counts.clone(),
            added,
            growth: Bytes(leak.bytes),
            growth_each: each.map(Bytes),
            steps: leak.steps.iter().map(|&step| BytesChange(step)).collect(),
            even_percent: Share::of_thousandths(leak.even),
            kept_percent: leak.kept.map(Share::of_thousandths),
            made_at: leak.made_at.as_ref().map(Into::into),
            stored_by: leak.stored_by.as_ref().map(Into::into),
            held_at: leak.held_at.as_ref().map(Into::into),
            also_held_by: leak.also_held_by.clone(),
            grows_with: leak.grows_with.clone(),
            groups: leak.groups.iter().map(Into::into).collect(),
            path: leak.path.iter().map(Into::into).collect(),
        };
        told.cure = cure(&told);
        told.text = told.paragraph();
        told
    }
}

impl From<&graph::LeakGroup> for LeakGroup {
    fn from(group: &graph::LeakGroup) -> Self {
        LeakGroup {
            label: group.label.clone(),
            class_name: group.class.clone(),
            counts: group.counts.clone(),
            sizes: group.bytes.iter().map(|&size| Bytes(size)).collect(),
        }
    }
}

impl From<&graph::LeakStep> for HoldingStep {
    fn from(step: &graph::LeakStep) -> Self {
        HoldingStep {
            edge: step.edge.clone(),
            edge_type: step.edge_type.name(),
            class_name: step.holder.clone(),
            id: step.id.map(NodeId),
            is_storage: step.is_storage,
        }
    }
}

impl From<graph::LeakKind> for LeakKind {
    fn from(kind: graph::LeakKind) -> Self {
        match kind {
            graph::LeakKind::Count => LeakKind::Count,
            graph::LeakKind::References => LeakKind::References,
            graph::LeakKind::Bytes => LeakKind::Bytes,
            graph::LeakKind::Moving => LeakKind::Moving,
            graph::LeakKind::Unheld => LeakKind::Unheld,
        }
    }
}

impl From<graph::Confidence> for Confidence {
    fn from(confidence: graph::Confidence) -> Self {
        match confidence {
            graph::Confidence::High => Confidence::High,
            graph::Confidence::Medium => Confidence::Medium,
            graph::Confidence::Low => Confidence::Low,
        }
    }
}
