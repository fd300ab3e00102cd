import type { Leak, LeaksAnswer, LimitCheck } from './answers.js';

export { HeapquarryError } from './index.js';

/** A limit for growth from the first snapshot to the last: a number, or text as in budgets: `64 KiB`, `+5%`. */
export type Growth = number | string;

export interface LeakOptions {
  /** Times that the action runs before the first snapshot. Default: 2. */
  warmup?: number;
  /** Times that the action runs between two snapshots. Default: 5. */
  rounds?: number;
  /** Snapshots; with two, a cache that fills once looks like a leak. Default: 3. */
  snapshots?: number;
  /** By how many objects each of these classes may grow: `{ Session: 0 }`. */
  classes?: Record<string, Growth>;
  /** By how much the whole heap may grow. */
  growth?: Growth;
  /** What leaks may be there: `any` for none, a size such as `100 kB` that each may have, or false to look for none. */
  leaks?: string | number | false;
  /** Places that may grow, by owner or way, such as `Cache.entries`; `*` matches any text. */
  ignore?: string | string[];
  /** Folder in which a folder for the snapshots is made. Default: the system's for temporary files. */
  dir?: string;
  /** Whether snapshots are kept: always, or never. Default: if something leaks. */
  keep?: boolean;
  signal?: AbortSignal;
}

export interface ModuleOptions extends LeakOptions {
  /** Name of the function that the module exports. Default: `default`. */
  export?: string;
  /** Options of Node for the process. */
  execArgv?: string[];
  /** Variables of the environment, besides those of this process. */
  env?: Record<string, string>;
  /** Working directory of the process. */
  cwd?: string;
}

/** Something leaks, or a limit is exceeded. The message is the table of leaks. */
export class LeakError extends Error {
  /** Places that grow, worst first. */
  readonly findings: Leak[];
  /** Limits that are exceeded. */
  readonly checks: LimitCheck[];
  /** Paths of the snapshots; empty if they are not kept. */
  readonly snapshots: string[];
}

/** A session of the DevTools protocol, such as Puppeteer's, Playwright's, or a client of chrome-remote-interface. */
export interface CdpSession {
  send(method: any, params?: any): Promise<any>;
  on(event: any, listener: (...args: any[]) => void): unknown;
}

type PageLike =
  | { createCDPSession(): Promise<CdpSession> }
  | { context(): { newCDPSession(page: any): Promise<CdpSession> } }
  | CdpSession;

/** Fails with a `LeakError` if something in the page grows with every round of the action. */
export function expectNoLeak<P extends PageLike>(
  page: P, action: (page: P, round: number) => unknown, options?: LeakOptions,
): Promise<LeaksAnswer>;
/** The same for this process. */
export function expectNoLeak(action: (round: number) => unknown, options?: LeakOptions): Promise<LeaksAnswer>;
/** The same for a module in a process of its own, by its URL or absolute path. */
export function expectNoLeak(module: string | URL, options?: ModuleOptions): Promise<LeaksAnswer>;
