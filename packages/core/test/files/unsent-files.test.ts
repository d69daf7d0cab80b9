import { describe, expect, it } from "vitest";
import { memoryFiles, systemClock } from "../../src/index.ts";
import { userFiles } from "../../src/runtime/files/files-within.ts";
import { filing, refusalOf, toKeep, withoutFacts } from "../support/file-runs.ts";
import { png } from "../support/files.ts";

const HOUR = 60 * 60 * 1_000;
const hello = { text: "I see." };

/** Files of users with a clock that the test moves. */
function clocked() {
  const clock = { ms: Date.UTC(2026, 0, 1) };
  const now = () => clock.ms;
  const store = memoryFiles({ now });
  const paths = async () => withoutFacts(await store.list()).map((path) => path.replace(/[0-9a-f]{60}/, "…"));
  return { clock, store, paths, files: userFiles(store, { clock: { ...systemClock, now } }) };
}

describe("files that were uploaded and never sent", () => {
  it("F1 are deleted a day later, with the next upload of their user", async () => {
    const { clock, files, paths } = clocked();
    const { id } = await files.put("ada", png(1, 1));
    await files.put("eve", png(1, 1));
    clock.ms += 23 * HOUR;
    await files.put("ada", png(2, 2));
    expect(await paths()).toHaveLength(3);
    clock.ms += 2 * HOUR;
    await files.put("ada", png(3, 3));
    expect((await paths()).filter((path) => path.startsWith("ada/unsent/"))).toHaveLength(2);
    expect((await paths()).filter((path) => path.startsWith("eve/"))).toHaveLength(1);
    expect(await refusalOf(files.get("ada", id))).toContain("not_found");
  });

  it("F1 are deleted for one user or for all, and nothing else in the file store is", async () => {
    const { clock, files, store, paths } = clocked();
    const other = [
      "ada/notes/a.md",
      `ada/unsent/${"0".repeat(64)}/x`,
      `ada/x/unsent/${"0".repeat(64)}`,
      "ada/unsent/note",
    ];
    for (const path of other) await store.put(path, "note");
    for (const user of ["ada", "eve", "../odd"]) await files.put(user, png(1, 1));
    await files.keep("ada", "s1", [await toKeep(png(2, 2))]);
    clock.ms += 25 * HOUR;
    await files.deleteUnsent("ada");
    expect(await paths()).toHaveLength(8);
    await files.deleteUnsent();
    expect(await paths()).toHaveLength(6);
    for (const path of other) expect(await store.get(path)).toBeDefined();
  });

  it("F1 stay for a day from their last upload on", async () => {
    const { clock, files, paths } = clocked();
    const { id } = await files.put("ada", png(1, 1));
    clock.ms += 23 * HOUR;
    await files.put("ada", png(1, 1));
    clock.ms += 23 * HOUR;
    await files.deleteUnsent();
    expect(await paths()).toHaveLength(1);
    expect((await files.get("ada", id)).id).toBe(id);
  });

  it("F1 may have 200 MB for each user; a file that is sent leaves room for others", async () => {
    const { clock, files } = clocked();
    const large = (seed: number) => png(1, 1, { bytes: 7_800_000, seed });
    for (let seed = 0; seed < 25; seed += 1) await files.put("ada", large(seed));
    expect(await refusalOf(files.put("ada", large(25)))).toContain(
      "invalid_input: Too many files were uploaded",
    );
    await files.put("ada", large(24));
    await files.put("eve", large(25));
    const { id } = await files.put("ada", large(3));
    await files.keep("ada", "s1", [await files.describe("ada", id)]);
    await files.put("ada", large(25));
    expect(await refusalOf(files.put("ada", large(26)))).toContain("invalid_input");
    clock.ms += 25 * HOUR;
    await files.put("ada", large(26));
  });
});

describe("files that were uploaded and sent", () => {
  it("F1 are stored once, and are found while they are being sent", async () => {
    const { say, pawl, files, log } = filing([hello]);
    const { id } = await pawl.files.put("ada", png(1, 1));
    const { put } = files;
    const found: string[] = [];
    files.put = async (...given) => {
      await put(...given);
      found.push((await pawl.files.get("ada", id)).id);
    };
    const { sessionId } = await say([{ type: "file", id }]);
    expect(new Set(found)).toEqual(new Set([id]));
    const paths = withoutFacts(await files.list()).map((path) => path.split("/").slice(0, 3).join("/"));
    expect(paths).toEqual([`ada/uploads/${id}`, `ada/uploads/${id}`]);
    expect((await log(sessionId)).some(({ type }) => type === "user_message")).toBe(true);
  });

  it("F1 are found if they are sent between the two looks", async () => {
    const { files, store } = clocked();
    const { id } = await files.put("ada", png(1, 1));
    const { get } = store;
    store.get = async (path) => {
      const isFirst = path.includes("/uploads/");
      if (!isFirst) return await get(path);
      store.get = get;
      const uploaded = await files.describe("ada", id);
      return await get(path).finally(() => files.keep("ada", "s1", [uploaded]));
    };
    expect((await files.get("ada", id)).id).toBe(id);
  });

  it("F1 leave no copy behind if they were uploaded again and their message is redacted", async () => {
    const { say, pawl, files } = filing([hello]);
    const { id } = await pawl.files.put("ada", png(1, 1));
    const { sessionId } = await say([{ type: "file", id }]);
    await pawl.files.put("ada", png(1, 1));
    await pawl.redact(sessionId, 3, { userId: "ada" });
    expect(await files.list()).toEqual([]);
  });
});

describe("files of sessions", () => {
  it("F1 are noted as used before their bytes are stored, so that no deletion comes in between", async () => {
    const { store, files } = clocked();
    const { put } = store;
    const order: number[] = [];
    store.put = async (path, content) => {
      order.push(path.split("/").length);
      await put(path, content);
    };
    await files.keep("ada", "s1", await Promise.all([png(1, 1), png(2, 2)].map(toKeep)));
    expect(order).toEqual([4, 3, 3, 4, 3, 3]);
  });

  it("F1 of other sessions are not touched when one is deleted", async () => {
    const { store, files } = clocked();
    await files.keep("ada", "s1", await Promise.all([png(1, 1), png(2, 2)].map(toKeep)));
    await files.keep("ada", "s2", await Promise.all([png(2, 2), png(3, 3)].map(toKeep)));
    const touched = new Set<string>();
    const remove = store.delete;
    store.delete = async (path) => {
      touched.add(path.split("/")[2]?.replace(".facts", "") ?? "");
      await remove(path);
    };
    await files.delete("ada", { sessionId: "s1" });
    expect(touched.size).toBe(2);
    expect(withoutFacts(await store.list("ada/uploads"))).toHaveLength(4);
  });

  it("F1 are refused by their size before anything is decoded or copied", async () => {
    const { files } = clocked();
    const blob = { size: 2_000_000_000, arrayBuffer: () => Promise.reject(new Error("read")) };
    Object.setPrototypeOf(blob, Blob.prototype);
    const large = [new Uint8Array(20_000_001), "#".repeat(26_700_000), blob as unknown as Blob];
    for (const content of large)
      expect(await refusalOf(files.put("ada", content))).toMatch(/^invalid_input: The file has \d+ bytes/);
  });
});
