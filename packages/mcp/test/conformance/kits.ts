import { execFile } from "node:child_process";
import { promisify } from "node:util";
import pLimit from "p-limit";
import { expect } from "vitest";
import type { Kit, Side } from "./baseline.ts";

const run = promisify(execFile);

const TIMEOUT_MS = 120_000;

/** How long a test of a scenario may take: it waits for others. */
export const SCENARIO_MS = TIMEOUT_MS * 2;

/** A scenario is one or two programs that start. */
const limit = pLimit(2);

const programOf = ({ name }: Kit): string =>
  new URL(`../../node_modules/@modelcontextprotocol/${name}/dist/index.js`, import.meta.url).pathname;

/** The scenarios of a kit for one side, by name. */
export interface Scenarios {
  /** Those of the revision that is tested, and of the extensions that Pawl has. */
  tested: string[];
  /** Those of other extensions. */
  others: string[];
}

/** The lists of the kits, which take a process each. */
const lists = new Map<string, Promise<string>>();

async function listOf(kit: Kit): Promise<string> {
  const list =
    lists.get(kit.name) ?? run(process.execPath, [programOf(kit), "list"]).then((out) => out.stdout);
  lists.set(kit.name, list);
  return await list;
}

/**
 * Lists a kit's scenarios. Those of other revisions are left out: the kit would pass over them. Those of
 * extensions are in no revision.
 */
export async function scenariosOf(kit: Kit, side: "client" | "server"): Promise<Scenarios> {
  const parts = (await listOf(kit)).split(/^(?=\S.* scenarios \()/m);
  const part = parts.find((one) => one.toLowerCase().startsWith(`${side} scenarios`)) ?? "";
  const listed = Array.from(part.matchAll(/^ {2}- (\S+) \[(.*)\]$/gm), ([, name = "", revisions = ""]) => ({
    name,
    revisions: revisions.split(","),
  }));
  const isExtension = ({ revisions }: (typeof listed)[number]) => revisions.includes("extension");
  const isTested = (one: (typeof listed)[number]) =>
    isExtension(one)
      ? kit[side].extensions?.test(one.name) === true
      : kit.revision === undefined || one.revisions.includes(kit.revision);
  const namesOf = (some: typeof listed) => some.map(({ name }) => name);
  return {
    tested: namesOf(listed.filter(isTested)),
    others: namesOf(listed.filter((one) => isExtension(one) && !isTested(one))),
  };
}

/** Returns the scenarios that a run of the tests takes: a few, and all with `PAWL_SOAK=1`. */
export async function scenariosToRun(kit: Kit, side: "client" | "server"): Promise<readonly string[]> {
  // `page.test.ts` checks that the kit has the few.
  return process.env.PAWL_SOAK === "1" ? (await scenariosOf(kit, side)).tested : kit[side].short;
}

/** Runs a scenario, and compares its outcome with the baseline. `args` say what the kit is to test. */
export async function checkScenario(
  kit: Kit,
  { failing, extensions }: Side,
  scenario: string,
  args: string[],
): Promise<void> {
  const revision = kit.revision === undefined ? [] : ["--spec-version", kit.revision];
  // Extensions are in no revision.
  const force = extensions?.test(scenario) === true ? ["--force"] : [];
  const all = [programOf(kit), ...args, "--scenario", scenario, ...revision, ...force];
  const failure = await limit(() => failureOf(all));
  if (failing[scenario] === undefined) expect(failure).toBeUndefined();
  else expect(failure, `"${scenario}" passes by now. Remove it from the baseline.`).toBeDefined();
}

/** Returns what the kit says about a scenario that fails; `undefined` if it passes. */
async function failureOf(args: string[]): Promise<string | undefined> {
  try {
    const { stdout } = await run(process.execPath, args, { timeout: TIMEOUT_MS });
    return /Passed: 0\/0/.test(stdout) ? "The kit has judged nothing." : undefined;
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    return `${stderr}\n${stdout}`;
  }
}
