// Types of the parts that heapquarry-html shares (shared.rs), for the type check.

type Child = Node | string | number | null | undefined | false | Child[];

export function el(tag: string, properties?: Record<string, any>, ...children: Child[]): any;
export function replace(element: Element, ...children: Child[]): void;
export function bar(part: number, whole: number): SVGElement;
export function announce(text: string): void;
export function copyButton(label: string, text: string): HTMLButtonElement;
export function debounced(work: () => void): () => void;
export function share(part: number, whole: number): string;
export function signed(format: (value: number) => string, value: number): string;
export function area(color: string): string;
export function colored(sums: Map<string, number>, rank: (name: string) => number): Map<string, string>;
export function rankOfClass(name: string): number;
export function groupOfScript(url: string, name?: string | null): string;
export const live: HTMLElement;
export const dark: MediaQueryList;
export const PALETTE: string[];
export const OTHER: string;
export const formats: Record<'bytes' | 'micros' | 'nanos' | 'count', (value: number) => string>;

/** A box of an item at a place. */
export interface Placed { item: any; x: number; y: number; w: number; h: number; depth: number }
type Layout = (tree: { children(item: any): any[] }, root: any, width: number, height: number) => Placed[];
export const treemap: Layout;
export const icicle: Layout;

/** Memory over time, as `Curves` of heapquarry-html. */
export class Curves {
  constructor(model: any, label: string);
  element: HTMLElement;
}

export class Chart {
  constructor(label: string);
  canvas: HTMLCanvasElement;
  context: CanvasRenderingContext2D;
  element: HTMLElement;
  width: number;
  height: number;
  boxes: Placed[];
  draw: () => void;
  format: (value: number) => string;
  tooltip: (item: any) => string[][];
  at(x: number, y: number): Placed | null;
  point(event: MouseEvent): [number, number];
  fitted(text: string, room: number): string;
  paint(boxes: Placed[], how: { color(item: any): string; isDimmed(item: any): boolean; selected: any }): void;
}
