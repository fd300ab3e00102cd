// Where boxes are drawn.

/** Squarified treemap (Bruls, Huizing, van Wijk 2000): boxes of items, sorted by size, in a rectangle. */
function squarify(items, x, y, width, height, place) {
  let left = 0;
  for (const item of items) left += item.size;
  if (!(left > 0)) return;
  let at = 0;
  while (at < items.length && width > 0.5 && height > 0.5) {
    const side = Math.min(width, height);
    const scale = (width * height) / left;
    let [sum, end, best] = [0, at, Infinity];
    // A row grows while its boxes come closer to squares.
    while (end < items.length) {
      const next = sum + items[end].size;
      const thick = (next * scale) / side;
      const ratio = size => { const long = (size * scale) / thick; return Math.max(long / thick, thick / long); };
      const worst = Math.max(ratio(items[at].size), ratio(items[end].size));
      if (end > at && worst > best) break;
      best = worst;
      sum = next;
      end += 1;
    }
    const thick = (sum * scale) / side;
    let along = 0;
    for (; at < end; at++) {
      const long = sum > 0 ? (items[at].size / sum) * side : 0;
      if (width >= height) place(items[at], x, y + along, thick, long);
      else place(items[at], x + along, y, long, thick);
      along += long;
    }
    if (width >= height) {
      x += thick;
      width -= thick;
    } else {
      y += thick;
      height -= thick;
    }
    left -= sum;
  }
}

const HEADER = 17;
const DEEPEST = 7;

/** Boxes of a treemap, outer ones first. */
function treemap(tree, root, width, height) {
  const boxes = [];
  const fill = (item, x, y, w, h, depth) => squarify(tree.children(item), x, y, w, h, (child, bx, by, bw, bh) => {
    if (bw < 1.5 || bh < 1.5) return;
    const box = { item: child, x: bx, y: by, w: bw - 1, h: bh - 1, depth, header: false };
    boxes.push(box);
    if (depth < DEEPEST && bw > 40 && bh > HEADER + 16 && tree.children(child).length) {
      box.header = true;
      fill(child, bx + 2, by + HEADER, bw - 5, bh - HEADER - 3, depth + 1);
    }
  });
  fill(root, 0, 0, width, height, 0);
  return boxes;
}

const ROW = 20;

/** Boxes of an icicle: each row is what the one above holds. */
function icicle(tree, root, width, height) {
  const boxes = [];
  const most = Math.floor(height / ROW);
  let level = [{ item: root, x: 0, w: width }];
  for (let depth = 0; depth < most && level.length; depth++) {
    const next = [];
    for (const { item, x, w } of level) {
      boxes.push({ item, x, y: depth * ROW, w: Math.max(0.6, w - 0.6), h: ROW - 1, depth, header: false });
      let at = x;
      const whole = item.size || 1;
      for (const child of tree.children(item)) {
        const wide = (child.size / whole) * w;
        if (wide < 0.7) break;
        next.push({ item: child, x: at, w: wide });
        at += wide;
      }
    }
    level = next;
  }
  return boxes;
}
