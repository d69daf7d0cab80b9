import type { TestDatabase } from "../../support/database-on.ts";

/** An attack that was found once, or the way to a defect, for `npm run soak attacks` to try again. */
export type Attack = {
  /** Unique, e.g. `attacks-05`, in the table and in what the test reports. */
  readonly id: string;
  /** What an attacker or a user sees if it works, e.g. "A small PDF costs megabytes at each download". */
  readonly title: string;
  readonly limits?: Limits;
  /**
   * Tries it once, in a process of its own that ends afterwards. Resolves to a few words on what held, e.g.
   * "2 of 20 at once". Throws `Broken` if the attack works, and `NotTried` if this machine cannot try it. All
   * other errors are faults of the attack itself: they fail the test, whatever its state is.
   */
  attempt(given: Given): Promise<string>;
} & (Held | Open);

/** The defect is fixed: the attack must fail. */
interface Held {
  readonly state: "held";
  /** The test of the suite that guards the fix in each `npm test`. */
  readonly guard: Guard;
}

/** The defect is known and not fixed: the attack works. Once it fails, the table must say `held`. */
interface Open {
  readonly state: "open";
}

export interface Guard {
  /** Relative to the root of the project. */
  readonly file: string;
  /** A part of the test's title, as it is written in the file. */
  readonly title: string;
}

export interface Limits {
  /** So many milliseconds after the attempt has begun, the process is killed. Default: 120,000. */
  readonly ms?: number;
  /** The process is killed when it holds more, in MB. Default: 1,500. */
  readonly memoryMb?: number;
}

export interface Given {
  /** An empty directory. It is deleted afterwards; `os.tmpdir()` is the same one. */
  readonly folder: string;
  /** Creates an empty database on the Postgres that all tests share. It is dropped afterwards. */
  database(): Promise<TestDatabase>;
}

/** The attack works. `seen` says in a few words what it achieved. */
export class Broken extends Error {
  readonly seen: string;
  constructor(seen: string) {
    super(seen);
    this.seen = seen;
  }
}

/** This machine lacks what the attack needs, e.g. a browser. */
export class NotTried extends Error {}

/** Throws `Broken` if `works` is true. Returns `seen` otherwise, so that an attempt can end with it. */
export function brokenIf(works: boolean, seen: string): string {
  if (works) throw new Broken(seen);
  return seen;
}

/** Tries one case after the other, e.g. all inputs of one kind, and throws one `Broken` with all that work. */
export async function brokenByAny(cases: Readonly<Record<string, () => Promise<string>>>): Promise<string> {
  const broken: string[] = [];
  for (const [name, attempt] of Object.entries(cases)) {
    try {
      await attempt();
    } catch (error) {
      if (!(error instanceof Broken)) throw new Error(`${name}: ${String(error)}`, { cause: error });
      broken.push(`${name}: ${error.seen}`);
    }
  }
  const count = Object.keys(cases).length;
  if (broken.length > 0) throw new Broken(`${broken.length} of ${count}: ${broken.join("; ")}`);
  return `0 of ${count}`;
}
