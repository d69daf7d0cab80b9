import { randomUUID } from "node:crypto";
import { PawlError, readText } from "@pawl/core";
import { supabaseFiles } from "@pawl/supabase";
import { fileStoreContract } from "@pawl/testing";
import { createClient } from "@supabase/supabase-js";
import { afterEach, describe, expect, it } from "vitest";
import { type FakeOptions, type FakeStorage, fakeStorage, SECRET } from "./support/fake-storage.ts";

const bucket = "agent-files";
const alone = { auth: { persistSession: false, autoRefreshToken: false } };

let open: FakeStorage[] = [];
afterEach(async () => {
  for (const fake of open) await fake.close();
  open = [];
});

async function start(options: Partial<FakeOptions> = {}): Promise<FakeStorage> {
  const fake = await fakeStorage({ bucket, ...options });
  open.push(fake);
  return fake;
}

function filesOf(fake: FakeStorage, { key = SECRET, name = bucket } = {}) {
  return supabaseFiles(createClient(fake.url, key, alone), { bucket: name });
}

describe("E9 supabaseFiles over a fake of Storage", () => {
  const make = async () => {
    const fake = await fakeStorage({ bucket });
    return { files: filesOf(fake), close: fake.close };
  };
  for (const { name, run } of fileStoreContract(make)) it(name, run);
});

const { SUPABASE_URL: url, SUPABASE_SECRET_KEY: secret } = process.env;
const hosted = url !== undefined && secret !== undefined;
if (!hosted)
  console.log("Skipped: hosted Storage. Set SUPABASE_URL and SUPABASE_SECRET_KEY of a project for tests.");

describe.skipIf(!hosted)("E9 supabaseFiles on a hosted project", { timeout: 300_000 }, () => {
  const make = async () => {
    const client = createClient(url ?? "", secret ?? "", alone);
    const name = `pawl-test-${randomUUID()}`;
    const { error } = await client.storage.createBucket(name, { public: false });
    if (error !== null) throw error;
    const close = async () => {
      await client.storage.emptyBucket(name);
      await client.storage.deleteBucket(name);
    };
    return { files: supabaseFiles(client, { bucket: name }), close };
  };
  for (const { name, run } of fileStoreContract(make)) it(name, run);
});

describe("supabaseFiles: what is stored", () => {
  it("X1 has plain keys for plain paths and ASCII for all, its type, and is not cached", async () => {
    const fake = await start();
    const files = filesOf(fake);
    await files.put("ada/notes/oslo.md", "It rains.");
    await files.put("ada/Über uns.pdf", new Uint8Array([1]));
    expect(fake.keys()).toEqual(["ada/=c3=9cber=20uns.pdf", "ada/notes/oslo.md"]);
    expect(fake.object("ada/notes/oslo.md")).toMatchObject({
      type: "text/markdown",
      cacheControl: "max-age=0",
    });
    expect(fake.object("ada/=c3=9cber=20uns.pdf")).toMatchObject({ type: "application/pdf" });
    await files.get("ada/notes/oslo.md");
    await files.get("ada/notes/oslo.md");
    const asked = fake.requests.filter((request) => /^GET \S+\?cacheNonce=[0-9a-f-]{36}$/.test(request));
    expect(new Set(asked).size).toBe(2);
  });

  it("X1 does not list files that others put into the bucket", async () => {
    const fake = await start();
    const files = filesOf(fake);
    for (const key of ["ADA/notes.md", "ada/README.md", "ada/.emptyFolderPlaceholder", "ada/x y.md"])
      fake.plant(key);
    await files.put("ada/notes.md", "mine");
    expect((await files.list("ada")).map(({ path }) => path)).toEqual(["ada/notes.md"]);
    expect((await files.list()).map(({ path }) => path)).toEqual(["ada/notes.md"]);
  });

  it("X1 reads every page, also if a server returns fewer entries than requested", async () => {
    for (const maxPage of [1500, 100]) {
      const fake = await start({ maxPage });
      for (let n = 0; n < 2_345; n++) fake.plant(`ada/${String(n).padStart(5, "0")}.md`);
      expect(await filesOf(fake).list("ada")).toHaveLength(2_345);
    }
  });
});

describe("supabaseFiles: what a user may do", () => {
  const all = ["insert", "select", "update", "delete"] as const;

  it("E11 X1 does not list a folder whose name differs only by a `_`", async () => {
    const fake = await start();
    const files = filesOf(fake);
    for (const folder of ["user_1", "user-1", "userx1"]) await files.put(`${folder}/${folder}_of.md`, folder);
    for (const folder of ["user_1", "user-1", "userx1"])
      expect((await files.list(folder)).map(({ path }) => path)).toEqual([`${folder}/${folder}_of.md`]);
    expect(await files.list()).toHaveLength(3);
  });

  it("E11 keeps users out of each other's folders", async () => {
    const fake = await start({ policies: all });
    const [ada, eve] = [filesOf(fake, { key: "ada" }), filesOf(fake, { key: "eve" })];
    await ada.put("ada/notes.md", "hers");
    await expect(eve.get("ada/notes.md")).rejects.toMatchObject({ code: "not_found" });
    await expect(eve.put("ada/notes.md", "forged")).rejects.toMatchObject({
      code: "store_unavailable",
      details: { path: "ada/notes.md", status: 403, code: "AccessDenied" },
    });
    await eve.delete("ada/notes.md");
    expect(await eve.list("ada")).toEqual([]);
    expect(await readText(ada, "ada/notes.md")).toBe("hers");
  });

  it("E11 reports that a policy for uploads is missing", async () => {
    for (const missing of ["insert", "select", "update"] as const) {
      const fake = await start({ policies: all.filter((policy) => policy !== missing) });
      const work = filesOf(fake, { key: "ada" }).put("ada/notes.md", "x");
      await expect(work).rejects.toMatchObject({ code: "store_unavailable", details: { status: 403 } });
    }
  });

  it("X1 fails to delete a file if no policy allows it", async () => {
    const fake = await start({ policies: ["insert", "select", "update"] });
    const files = filesOf(fake, { key: "ada" });
    await files.put("ada/notes.md", "x");
    await expect(files.delete("ada/notes.md")).rejects.toMatchObject({ code: "store_unavailable" });
    await files.delete("ada/never.md");
  });
});

describe("supabaseFiles: failures", () => {
  it("X1 a file beyond the bucket's limits is invalid_input", async () => {
    const fake = await start({ maxBytes: 10, types: ["text/markdown"] });
    const files = filesOf(fake);
    await files.put("a.md", "0123456789");
    await expect(files.put("a.md", "0123456789!")).rejects.toMatchObject({ code: "invalid_input" });
    await expect(files.put("a.pdf", "x")).rejects.toMatchObject({ code: "invalid_input" });
    expect(await readText(files, "a.md")).toBe("0123456789");
  });

  it("X1 a missing bucket is not reported as a missing file", async () => {
    const files = filesOf(await start(), { name: "elsewhere" });
    for (const work of [
      () => files.put("a.md", "x"),
      () => files.get("a.md"),
      () => files.list(),
      () => files.delete("a.md"),
    ]) {
      await expect(work()).rejects.toMatchObject({ code: "store_unavailable" });
    }
  });

  it("X1 a server that fails, talks nonsense, cuts the answer or is gone is store_unavailable, and no key is revealed", async () => {
    const fake = await start();
    const files = filesOf(fake);
    await files.put("a.md", "x");
    const faults: FakeStorage["faults"] = [
      (response) => void response.writeHead(500).end(),
      (response) => void response.writeHead(502).end("<html>Bad gateway</html>"),
      (response) =>
        void response.writeHead(544).end('{"statusCode":"544","code":"DatabaseTimeout","message":"timeout"}'),
      (response) =>
        void response
          .writeHead(429)
          .end('{"statusCode":"429","message":"Too many connections issued to the database"}'),
      (response) => void response.destroy(),
      (response) => {
        response.writeHead(200, { "content-length": "1000" }).write("{");
        setTimeout(() => response.destroy(), 10);
      },
    ];
    for (const fault of faults) {
      for (const work of [
        () => files.put("a.md", "y"),
        () => files.get("a.md"),
        () => files.list(),
        () => files.delete("a.md"),
      ]) {
        fake.faults.push(fault);
        const error = await work().catch((thrown: unknown) => thrown);
        expect(PawlError.is(error, "store_unavailable"), String(error)).toBe(true);
        expect(`${error} ${JSON.stringify((error as PawlError).details)}`).not.toContain(SECRET);
      }
    }
    expect(await readText(files, "a.md")).toBe("x");
    await fake.close();
    await expect(files.get("a.md")).rejects.toMatchObject({ code: "store_unavailable" });
    await expect(files.delete("a.md")).rejects.toMatchObject({ code: "store_unavailable" });
  });

  it("X1 treats a client that throws like one that answers with errors", async () => {
    const client = createClient((await start()).url, SECRET, alone);
    const bucketOf = (name: string) => client.storage.from(name).throwOnError();
    const files = supabaseFiles({ storage: { from: bucketOf } }, { bucket });
    await files.put("a.md", "x");
    await expect(files.get("b.md")).rejects.toMatchObject({ code: "not_found" });
    await files.delete("b.md");
  });
});
