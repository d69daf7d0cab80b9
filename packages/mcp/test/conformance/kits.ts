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

/** Lists a kit's scenarios. Those of other revisions are left out: the kit would pass over them. */
export async function scenariosOf(kit: Kit, side: "client" | "server"): Promise<Scenarios> {
  const { stdout } = await run(process.execPath, [programOf(kit), "list", `--${side}`]);
  const listed = [...stdout.matchAll(/^ {2}- (\S+) \[(.*)\]$/gm)];
  const isOurs = (name: string) => kit[side].extensions?.test(name) === true;
  const isTested = (name: string, revisions: string) =>
    revisions.includes(kit.revision ?? "") || isOurs(name);
  const named = (isWanted: typeof isTested) =>
    listed.flatMap(([, name = "", revisions = ""]) => (isWanted(name, revisions) ? [name] : []));
  return {
    tested: named(isTested),
    others: named((name, revisions) => revisions.includes("extension") && !isTested(name, revisions)),
  };
}

/** Returns the scenarios that a run of the tests takes: a few, and all with `PAWL_SOAK=1`. */
export async function scenariosToRun(kit: Kit, side: "client" | "server"): Promise<string[]> {
  const { tested } = await scenariosOf(kit, side);
  return process.env.PAWL_SOAK === "1" ? tested : tested.filter((name) => kit[side].short.includes(name));
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
