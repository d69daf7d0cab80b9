import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it, test } from "vitest";
import { parse } from "yaml";

interface Step {
  uses?: string;
  run?: string;
  if?: string;
  with?: Record<string, unknown>;
}

interface Job {
  "runs-on": string;
  "timeout-minutes"?: number;
  strategy?: { matrix: Record<string, (string | number)[]> };
  permissions?: Record<string, string>;
  steps: Step[];
}

interface Workflow {
  on: Record<string, unknown>;
  permissions: Record<string, string>;
  jobs: Record<string, Job>;
}

const at = (path: string) => new URL(`../${path}`, import.meta.url);
const readJson = (path: string) => JSON.parse(readFileSync(at(path), "utf8"));
const names = readdirSync(at(".github/workflows"));
const workflow = (name: string) =>
  parse(readFileSync(at(`.github/workflows/${name}`), "utf8"), { strict: true }) as Workflow;
const runsOf = ({ steps }: Job) => steps.flatMap(({ run }) => run ?? []);

/** The commands that a job runs, with each value of its matrix. */
function commandsOf(job: Job): string[] {
  const matrix = Object.entries(job.strategy?.matrix ?? {});
  return runsOf(job).flatMap((run) => {
    const [key, values] = matrix.find(([name]) => run.includes(`\${{ matrix.${name} }}`)) ?? [];
    return values?.map((value) => run.replace(`\${{ matrix.${key} }}`, String(value))) ?? [run];
  });
}

describe.each(names)("%s", (name) => {
  const { jobs, permissions } = workflow(name);

  it("gives its jobs no right but to read the repository, unless a job asks for more", () => {
    expect(permissions).toEqual({ contents: "read" });
    const more = Object.entries(jobs).filter(([, job]) => job.permissions !== undefined);
    expect(more.map(([job]) => job)).toEqual(name === "release.yml" ? ["publish"] : []);
  });

  it("has only jobs that end, with steps that use an action or run a command", () => {
    for (const job of Object.values(jobs)) {
      expect(job["runs-on"]).toBeTypeOf("string");
      expect(job["timeout-minutes"]).toBeGreaterThan(0);
      for (const step of job.steps) expect([step.uses, step.run].filter(Boolean)).toHaveLength(1);
    }
  });

  it("runs only scripts and files that exist, on Nodes that are installed", () => {
    const { scripts } = readJson("package.json");
    const { dependencies } = readJson("test/runtimes/package.json");
    for (const command of Object.values(jobs).flatMap(commandsOf)) {
      for (const [, script = ""] of command.matchAll(/npm run ([\w:]+)/g))
        expect(Object.keys(scripts)).toContain(script);
      for (const [, file = ""] of command.matchAll(/(?:^|\s)node ([\w/-]+\.mjs)/g))
        expect(() => readFileSync(at(file))).not.toThrow();
      for (const [, node] of command.matchAll(/unit:node -- (.+)/g))
        expect(Object.keys(dependencies)).toContain(`node-${node}`);
    }
  });

  it("uses the actions and the Node that the other workflows use", () => {
    const uses = (from: Workflow) =>
      Object.values(from.jobs).flatMap(({ steps }) => steps.flatMap((step) => (step.uses ? [step] : [])));
    const all = names.flatMap((other) => uses(workflow(other)));
    for (const { uses: action = "", with: given } of uses({ jobs } as Workflow)) {
      const same = all.filter((step) => step.uses?.split("@")[0] === action.split("@")[0]);
      for (const step of same)
        expect([step.uses, step.with?.["node-version"]]).toEqual([action, given?.["node-version"]]);
    }
  });
});

test("a pull request is tested by README's command, on Linux and macOS, and by the unit tests on Node 22 and 26", () => {
  const { on, jobs } = workflow("pull-request.yml");
  expect(on).toHaveProperty("pull_request");
  const [, workOnIt = ""] = readFileSync(at("README.md"), "utf8").split("## Work on it");
  const [, command = ""] = /```sh\n(.+?) +#/.exec(workOnIt) ?? [];
  expect(command).toBe("npm test");
  expect(jobs.test?.strategy?.matrix.os).toEqual(["ubuntu-latest", "macos-latest"]);
  expect(runsOf(jobs.test as Job).at(-1)).toBe(command);
  expect(jobs.test?.steps.at(-1)?.if).toBeUndefined();
  expect(commandsOf(jobs.node as Job)).toEqual(["npm run unit:node -- 22", "npm run unit:node -- 26"]);
});

test("B6 nothing is published before the tests passed, on each Node, with soaks that are newer than the code", () => {
  const { test: tests, publish } = workflow("release.yml").jobs as Record<string, Job & { needs?: string }>;
  expect(publish?.needs).toBe("test");
  expect(runsOf(tests as Job)).toContain("node scripts/check-soak-age.mjs --strict");
  const checkout = tests?.steps.find(({ uses }) => uses?.startsWith("actions/checkout@"));
  expect(checkout?.with?.["fetch-depth"]).toBe(0);
  expect(runsOf(tests as Job)).toEqual(
    expect.arrayContaining(["npm test", "npm run unit:node -- 22", "npm run unit:node -- 26"]),
  );
});
