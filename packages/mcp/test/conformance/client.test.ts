import { execFile } from "node:child_process";
import { promisify } from "node:util";
import pLimit from "p-limit";
import { describe, it } from "vitest";
import { bundled } from "../../../../test/support/bundled.ts";
import { KITS, type Kit } from "./baseline.ts";

// The kit starts a server for a scenario, and `kit-client.ts` beside it, and judges what was sent.

const isSoak = process.env.PAWL_SOAK === "1";

const TIMEOUT_MS = 120_000;

const run = promisify(execFile);
const node = process.execPath;
const client = await bundled(new URL("kit-client.ts", import.meta.url).pathname);
const command = `${node} --conditions=@pawl/source --no-warnings ${client}`;
/** A scenario is two programs that start. */
const limit = pLimit(2);

const programOf = ({ name }: Kit): string =>
  new URL(`../../node_modules/@modelcontextprotocol/${name}/dist/index.js`, import.meta.url).pathname;

/** Returns the names of a kit's scenarios, of the revision that is tested. Extensions are in no revision. */
async function scenariosOf(kit: Kit): Promise<string[]> {
  const { stdout } = await run(node, [programOf(kit), "list", "--client"]);
  const listed = [...stdout.matchAll(/^ {2}- (\S+) \[(.*)\]$/gm)];
  const tested = listed.filter(([, , revisions = ""]) => revisions.includes(kit.revision ?? ""));
  return tested.map(([, name = ""]) => name).filter((name) => isSoak || kit.short.includes(name));
}

/** Returns what a kit says about a scenario that fails; `undefined` if it passes. */
async function failureOf(kit: Kit, scenario: string): Promise<string | undefined> {
  const revision = kit.revision === undefined ? [] : ["--spec-version", kit.revision];
  const args = [programOf(kit), "client", "--command", command, "--scenario", scenario, ...revision];
  return await run(node, args, { timeout: TIMEOUT_MS }).then(
    () => undefined,
    ({ stdout, stderr }: { stdout: string; stderr: string }) => `${stderr}\n${stdout}`,
  );
}

for (const kit of KITS) {
  const scenarios = await scenariosOf(kit);
  describe.concurrent(`${kit.name}, as an agent's client`, () => {
    it.each(scenarios)(
      "B10 F24 %s",
      async (scenario) => {
        const failure = await limit(() => failureOf(kit, scenario));
        const reason = kit.failing[scenario];
        if (reason === undefined && failure !== undefined) throw new Error(failure);
        if (reason !== undefined && failure === undefined)
          throw new Error(`"${scenario}" passes by now. Remove it from baseline.ts.`);
      },
      TIMEOUT_MS * 2,
    );
  });
}
