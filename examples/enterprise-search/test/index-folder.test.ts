import { existsSync, readdirSync, readFileSync } from "node:fs";
import { cp, mkdir, mkdtemp, rename, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { pause } from "../../../test/support/pause.ts";
import { soak } from "../../../test/support/soak.ts";
import { companyFolder, obstacleIn } from "../src/embedded/company-folder.ts";
import { FORMAT } from "../src/embedded/format.ts";
import { openIndex } from "../src/embedded/open-index.ts";
import { type EmbeddedCompany, embeddedCompany } from "../src/index.ts";
import { prepareCompany } from "./support/prepared-company.ts";

const chen = { workspaceId: "harborline", email: "alex.chen@harborline.example" };
const rivera = { workspaceId: "harborline", email: "alex.rivera@harborline.example" };
const draft = { name: "Contract finder", description: "Finds contracts.", instructions: "Search files." };

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "pawl-search-folder-"));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

const here = () => companyFolder(dataDir, { format: FORMAT, seed: "harborline", documents: 1_000 });

/** Opens the company on disk, works with it and closes it. */
async function withCompany<T>(work: (company: EmbeddedCompany, stages: string[]) => Promise<T>): Promise<T> {
  const stages: string[] = [];
  const company = embeddedCompany({
    dataDir,
    documents: 1_000,
    onProgress: ({ stage }) => void (stages.at(-1) !== stage && stages.push(stage)),
  });
  try {
    await company.ready();
    return await work(company, stages);
  } finally {
    await company.close();
  }
}

const idsFor = async (company: EmbeddedCompany, caller = chen) =>
  (await company.agents.list(caller)).map(({ id }) => id);

const BUILT = ["start", "draw", "documents", "words", "ready"];

/** Moments to close the company at while it opens, in milliseconds. */
const MOMENTS = [0, 20, 110, 300];
const MORE_MOMENTS = [5, 50, 80, 150, 200, 500];

describe("X4 the folder of an index", () => {
  it("X4 keeps the agents of people if the index is damaged, of another format or gone", async () => {
    await prepareCompany(dataDir);
    const { index, path } = here();
    const made = await withCompany(async ({ agents }) => {
      const one = await agents.create(chen, { ...draft, sharedWith: [rivera.email] });
      if (one.status !== "ok") throw new Error(one.error.message);
      await agents.update(chen, one.agent.id, { ...draft, name: "Contracts", sharedWith: [rivera.email] });
      const two = await agents.create(rivera, { ...draft, sources: ["drive"], sharedWith: "workspace" });
      if (two.status !== "ok") throw new Error(two.error.message);
      expect(await agents.remove(rivera, "pipeline-watch")).toMatchObject({ status: "ok" });
      return [one.agent.id, two.agent.id];
    });
    const lists = async (company: EmbeddedCompany) => [
      await company.agents.list(chen),
      await company.agents.list(rivera),
    ];
    const before = await withCompany(async (company, stages) => {
      expect(stages).toEqual(["start", "ready"]);
      return await lists(company);
    });
    expect(before.flat().map(({ id }) => id)).toEqual(expect.arrayContaining(made));
    expect(before.flat().map(({ id }) => id)).not.toContain("pipeline-watch");

    const unusable = {
      damaged: () => truncate(join(index, "global/pg_control"), 100),
      "of another Postgres": () => writeFile(join(index, "PG_VERSION"), "17\n"),
      "of another format": () => rename(index, join(path, "index-0123abcd")),
      gone: () => rm(index, { recursive: true }),
    };
    for (const [how, happens] of Object.entries(unusable)) {
      await happens();
      await withCompany(async (company, stages) => {
        expect([how, stages]).toEqual([how, BUILT]);
        expect(await lists(company)).toEqual(before);
      });
      // The unusable index is deleted once there is another one.
      expect([how, readdirSync(path).filter((name) => name.startsWith("index-"))]).toEqual([
        how,
        [`index-${FORMAT}`],
      ]);
    }
  }, 120_000);

  it("X4 takes the agents of people out of indexes of former versions, and then deletes these", async () => {
    await prepareCompany(dataDir);
    const { index, path } = here();
    const id = await withCompany(async ({ agents }) => {
      const made = await agents.create(chen, draft);
      return made.status === "ok" ? made.agent.id : "";
    });
    // The folders of former versions, which had no file of agents.
    const former = (format: string, documents = 1_000) =>
      join(dataDir, `search-${format}-harborline-${documents}`);
    await mkdir(former("0123abcd"));
    await rename(index, join(former("0123abcd"), "postgres"));
    await rm(path, { recursive: true });
    await mkdir(join(former("11111111"), "postgres"), { recursive: true });
    await writeFile(join(former("11111111"), "postgres", "PG_VERSION"), "17\n");
    await mkdir(former("22222222"));
    await mkdir(former("0123abcd", 2_000));
    await withCompany(async (company) => expect(await idsFor(company)).toContain(id));
    expect(readdirSync(dataDir).sort()).toEqual([
      "company-harborline-1000",
      // Another size is another company. An index that cannot be read may have agents.
      ...["search-0123abcd-harborline-2000", "search-11111111-harborline-1000"],
    ]);
    await withCompany(async (company) => expect(await idsFor(company)).toContain(id));
  }, 60_000);

  it("X4 is left as it is by a process that ends while it opens it, and by one that finds it locked", async () => {
    await prepareCompany(dataDir);
    const { index, agents, path } = here();
    const id = await withCompany(async ({ agents: store }) => {
      const made = await store.create(chen, draft);
      return made.status === "ok" ? made.agent.id : "";
    });
    await writeFile(join(index, "mark"), "the same index");
    const copy = readFileSync(agents, "utf8");
    expect(copy).toContain(id);
    for (const ms of [...MOMENTS, ...MORE_MOMENTS.slice(0, soak(0, MORE_MOMENTS.length))]) {
      const company = embeddedCompany({ dataDir, documents: 1_000 });
      void company.ready().catch(() => undefined);
      await pause(ms, "a process ends at some moment while it opens the index");
      await company.close();
    }
    await withCompany(async (company, stages) => {
      const other = embeddedCompany({ dataDir, documents: 1_000 });
      await expect(other.ready()).rejects.toThrow(/in use by another process/);
      expect(stages).toEqual(["start", "ready"]);
      expect(await idsFor(company)).toContain(id);
    });
    expect(readFileSync(join(index, "mark"), "utf8")).toBe("the same index");
    expect(readFileSync(agents, "utf8")).toBe(copy);
    expect(readdirSync(path).sort()).toEqual(["agents.json", "in-use.lock", `index-${FORMAT}`]);
  }, 60_000);

  it("X4 refuses a file of agents that cannot be read, and keeps it", async () => {
    const { agents, index, path } = here();
    await mkdir(path);
    for (const text of ['{"agents": [', '{"agents": [{"id": 1}]}', "[]"]) {
      await writeFile(agents, text);
      await expect(withCompany(async () => {})).rejects.toThrow(
        /agents.json" has the agents that people made/,
      );
      expect(readFileSync(agents, "utf8")).toBe(text);
    }
    await rm(agents);
    await withCompany(async (_, stages) => expect(stages).toEqual(BUILT));
    expect(existsSync(index)).toBe(true);
  }, 60_000);
});

describe("X4 an index that cannot be opened", () => {
  const broken = new Error("PGlite failed to initialize properly");

  /** Opens an index that exists, with a database that fails in a way. */
  async function opening(failures: { create?: unknown; fill?: unknown; obstacle?: string }) {
    const folder = here();
    await mkdir(folder.index, { recursive: true });
    await writeFile(join(folder.index, "mark"), "");
    const failing = { ...failures };
    const once = (name: "create" | "fill") => {
      const error = failing[name];
      delete failing[name];
      if (error !== undefined) throw error;
    };
    let closed = 0;
    const outcome = await openIndex(folder, {
      create: async (directory) => {
        once("create");
        await mkdir(directory, { recursive: true });
        const close = async () => {
          closed += 1;
        };
        return { close };
      },
      fill: async () => once("fill"),
      obstacle: () => failures.obstacle,
    }).then(
      () => "opened",
      (error: unknown) => error,
    );
    const isSame = existsSync(join(folder.index, "mark"));
    const aside = readdirSync(folder.path).filter((name) => name.includes("damaged"));
    for (const name of aside) expect(existsSync(join(folder.path, name, "mark"))).toBe(true);
    await rm(folder.path, { recursive: true });
    return { outcome, isSame, aside: aside.length, closed };
  }

  it("X4 is kept if the file system failed, the disk is full or a right is missing", async () => {
    const full = { name: "ErrnoError", errno: 51 };
    expect(await opening({ create: full })).toEqual({ outcome: full, isSame: true, aside: 0, closed: 0 });
    const locked = Object.assign(new Error("EACCES: permission denied"), { code: "EACCES", errno: -13 });
    expect(await opening({ create: locked })).toMatchObject({ outcome: locked, isSame: true, aside: 0 });
    const message = "There is no space left on the disk.";
    expect(await opening({ create: broken, obstacle: message })).toMatchObject({
      ...{ outcome: new Error(message), isSame: true, aside: 0 },
    });
    const lost = Object.assign(new Error("could not extend file"), { code: "53100" });
    expect(await opening({ fill: lost })).toEqual({ outcome: lost, isSame: true, aside: 0, closed: 1 });
  });

  it("X4 is set aside, and not deleted, if it is damaged", async () => {
    expect(await opening({ create: broken })).toEqual({
      ...{ outcome: "opened", isSame: false, aside: 1, closed: 0 },
    });
    const page = Object.assign(new Error("invalid page in block 0"), { code: "XX001" });
    expect(await opening({ fill: page })).toEqual({ outcome: "opened", isSame: false, aside: 1, closed: 1 });
  });

  it("X4 is tested for rights and space before it counts as damaged", async () => {
    const directory = join(dataDir, "db");
    await mkdir(join(directory, "base"), { recursive: true });
    await cp(import.meta.filename, join(directory, "base", "1"));
    expect(obstacleIn(directory)).toBeUndefined();
    expect(obstacleIn(directory, { free: () => 1_000_000 })).toBe("There is no space left on the disk.");
    const access = (path: unknown) => {
      if (String(path).endsWith("1")) throw new Error("EACCES: permission denied");
    };
    expect(obstacleIn(directory, { access })).toBe("EACCES: permission denied");
    expect(obstacleIn(join(dataDir, "missing"))).toMatch(/ENOENT/);
  });
});
