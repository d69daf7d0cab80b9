import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { isAlive } from "../../packages/mcp/test/support/servers.ts";
import { HEAD, judge } from "../attacks/frame/judge.ts";
import { filesIn, type Listed, list, tryAttack } from "../attacks/frame/try-attack.ts";
import { soak } from "../support/soak.ts";

const root = new URL("../..", import.meta.url).pathname;
const FOLDER = new URL("../attacks", import.meta.url).pathname;
/** How many are tried at the same time, each in a process of its own. */
const AT_ONCE = 2;
/** Those that `npm test` tries: fast ones, of several kinds. */
const SAMPLE: readonly string[] = ["session-ids", "local-issuer", "attacks-18b", "attacks-22"];

let attacks: Listed[];
beforeAll(async () => {
  attacks = await list(filesIn(FOLDER));
}, 120_000);

/** Tries attacks, and returns what became of each, in their order. */
async function tryAll(chosen: readonly Listed[]) {
  const outcomes: ReturnType<typeof judge>[] = [];
  const waiting = [...chosen.entries()];
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [at, attack] = next;
      outcomes[at] = judge(attack, await tryAttack(attack.file, attack.limits, inject("postgres")));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return outcomes;
}

describe("B6 attacks and defects that were found once", () => {
  it("B6 are as their table says: those that are held fail, and those that are open work", async () => {
    const chosen = attacks.filter(({ id }) => soak(SAMPLE.includes(id) ? 1 : 0, 1) === 1);
    const outcomes = await tryAll(chosen);
    for (const line of [...HEAD, ...outcomes.map(({ row }) => row)]) soak.report(line);
    const open = attacks.filter(({ state }) => state === "open").length;
    const tried = outcomes.filter(({ isTried }) => isTried);
    soak.report(`${tried.length} of ${attacks.length} tried; ${open} are open`);
    expect(outcomes.flatMap(({ problem }) => problem ?? [])).toEqual([]);
  }, 900_000);

  it("have ids of their own", () => {
    const ids = attacks.map(({ id }) => id);
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
    expect(SAMPLE.filter((id) => !ids.includes(id))).toEqual([]);
  });

  it("are guarded by a test of the suite, once they are held", () => {
    expect(attacks.flatMap(unguarded)).toEqual([]);
  });
});

/** Returns the reason why a held attack has no guard. */
function unguarded(attack: Listed): string[] {
  if (attack.state === "open") return [];
  const { file, title } = attack.guard;
  const isThere = readFileSync(join(root, file), "utf8").includes(title);
  return isThere ? [] : [`${attack.id}: ${file} has no test "${title}"`];
}

describe("B6 the frame, tried with planted attacks", () => {
  const PLANTED = join(FOLDER, "frame", "planted");
  let planted: Map<string, Listed>;
  beforeAll(async () => {
    const files = readdirSync(PLANTED).map((file) => join(PLANTED, file));
    planted = new Map((await list(files)).map((one) => [basename(one.file, ".ts"), one]));
  }, 60_000);
  const tried = async (name: string) => {
    const attack = planted.get(name);
    if (attack === undefined) throw new Error(`There is no planted attack ${name}.`);
    const verdict = await tryAttack(attack.file, attack.limits);
    return { ...judge(attack, verdict), verdict };
  };

  it.each([
    ["a held attack that works fails", "broken-held", "BROKEN", /works again: 4 of 4/],
    ["an open attack that holds fails", "holding-open", "HOLDS NOW", /say held.*: 0 of 4/],
    ["a mistake in an attack fails, although it is open", "fault", "FAULT", /TypeError: a mistake/],
    ["a process that ends without an answer fails", "leaving", "FAULT", /ended with 3 .* its last words/s],
    ["a process that takes too much memory is killed, and fails", "greedy", "FAULT", /more than 200/],
  ])("%s", async (_, name, result, problem) => {
    const outcome = await tried(name);
    expect(outcome.row).toContain(`| ${result} |`);
    expect(outcome.problem).toMatch(problem);
  });

  it.each([
    ["an open attack that works is printed", "broken-open", "| open | 1 of 2: first: seen \\| once |"],
    ["one that cannot be tried is printed with the reason", "not-tried", "| not tried | no such thing |"],
    ["a held attack that holds is printed", "holding-held", "| held | "],
  ])("%s", async (_, name, row) => {
    const outcome = await tried(name);
    expect(outcome.problem).toBeUndefined();
    expect(outcome.row).toContain(row);
    expect(outcome.isTried).toBe(name !== "not-tried");
  });

  it("a process that stands still is killed at its limit, with all that it has started", async () => {
    const folder = mkdtempSync(join(tmpdir(), "pawl-planted-"));
    process.env.PLANTED_PID = join(folder, "pid");
    try {
      const { row, problem } = await tried("endless");
      expect(row).toContain("| FAULT | did not end within 1.5 s |");
      expect(problem).toBeDefined();
      const program = Number(readFileSync(process.env.PLANTED_PID, "utf8"));
      await expect.poll(() => isAlive(program)).toBe(false);
    } finally {
      delete process.env.PLANTED_PID;
      rmSync(folder, { recursive: true });
    }
  });

  it("an attempt leaves no files behind", async () => {
    const { verdict } = await tried("holding-held");
    expect(verdict.kind).toBe("held");
    expect(existsSync(verdict.seen)).toBe(false);
  });

  it("a held attack whose guard is missing is named", () => {
    expect([...planted.values()].flatMap(unguarded)).toEqual([
      'planted-4: test/trips.test.ts has no test "no such title"',
    ]);
  });
});
