//! The page index of a column chunk: positions, rows and bounds of its data pages, so that readers can skip pages as
//! they skip row groups.

use super::{bounds::Bounds, chunk::DataPage};
use parquet::{
    basic::{BoundaryOrder, Type},
    errors::Result,
    file::{
        metadata::{ColumnIndexBuilder, OffsetIndexBuilder},
        page_index::{column_index::ColumnIndexMetaData, offset_index::OffsetIndexMetaData},
    },
};

/// Positions of the pages, relative to the chunk.
pub(super) fn offsets(pages: &[DataPage]) -> OffsetIndexMetaData {
    let mut index = OffsetIndexBuilder::new();
    for page in pages {
        // Pages are smaller than 2 GiB.
        index.append_offset_and_size(page.bytes.start as i64, page.bytes.len() as i32);
        index.append_row_count(page.rows.rows.len() as i64);
    }
    index.build()
}

/// Contents of the pages. `None` if the bounds of any page are unknown: the format requires all of them.
pub(super) fn columns(pages: &[DataPage], physical: Type) -> Result<Option<ColumnIndexMetaData>> {
    let mut index = ColumnIndexBuilder::new(physical);
    for DataPage { rows, bounds, .. } in pages {
        let Some([min, max]) = bounds.clone().plain(physical) else { return Ok(None) };
        let nulls = rows.rows.len() - rows.values.len();
        index.append(rows.values.is_empty(), min, max, nulls as i64, None);
    }
    index.set_boundary_order(order(pages));
    index.build().map(Some)
}

/// Whether the bounds of pages with values are ascending or descending.
fn order(pages: &[DataPage]) -> BoundaryOrder {
    let bounds = || pages.iter().map(|page| &page.bounds).filter(|bounds| **bounds != Bounds::None);
    let pairs = || bounds().zip(bounds().skip(1));
    if pairs().all(|(before, after)| before.at_most(after)) {
        BoundaryOrder::ASCENDING
    } else if pairs().all(|(before, after)| after.at_most(before)) {
        BoundaryOrder::DESCENDING
    } else {
        BoundaryOrder::UNORDERED
    }
}

#[cfg(test)]
mod tests {
    use super::{super::rows::PageRows, *};

    #[test]
    fn pages_are_in_order_if_both_bounds_are() {
        const ASCENDING: BoundaryOrder = BoundaryOrder::ASCENDING;
        const DESCENDING: BoundaryOrder = BoundaryOrder::DESCENDING;
        const UNORDERED: BoundaryOrder = BoundaryOrder::UNORDERED;
        for (bounds, expected) in [
            (&[][..], ASCENDING),
            (&[(1, 2)], ASCENDING),
            (&[(1, 2), (1, 2)], ASCENDING),
            (&[(1, 3), (2, 3), (2, 9)], ASCENDING),
            (&[(2, 9), (2, 3), (1, 3)], DESCENDING),
            (&[(1, 9), (2, 3)], UNORDERED),
            (&[(2, 3), (1, 9)], UNORDERED),
            (&[(1, 2), (3, 4), (2, 3)], UNORDERED),
            (&[(3, 4), (1, 2), (2, 3)], UNORDERED),
        ] {
            let int = |&(min, max): &(u8, u8)| Bounds::Int(min.into(), max.into());
            let float = |&(min, max): &(u8, u8)| Bounds::Float(min.into(), max.into());
            let text = |&(min, max): &(u8, u8)| Bounds::Text(vec![min], vec![max]);
            for of in [&int as &dyn Fn(&(u8, u8)) -> Bounds, &float, &text] {
                // Pages of nulls in between change nothing.
                let with_nulls = bounds.iter().flat_map(|page| [of(page), Bounds::None]);
                for all in [bounds.iter().map(of).collect::<Vec<_>>(), with_nulls.collect()] {
                    let page = |bounds| {
                        let rows = PageRows { rows: 0..1, values: 0..1 };
                        DataPage { bytes: 0..1, rows, bounds }
                    };
                    let pages: Vec<DataPage> = all.into_iter().map(page).collect();
                    assert_eq!(order(&pages), expected, "{bounds:?}");
                }
            }
        }
    }
}
