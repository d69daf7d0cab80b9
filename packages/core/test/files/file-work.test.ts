import { testClock } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { settled } from "../../../../test/support/settled.ts";
import { until } from "../../../../test/support/until.ts";
import { sha256 } from "../../src/base/sha256.ts";
import { inspectFile } from "../../src/files/inspect-file.ts";
import { memoryFiles } from "../../src/index.ts";
import { FILE_LIMITS, userFiles } from "../../src/runtime/files/files-within.ts";
import { refusalOf, toKeep, withoutFacts } from "../support/file-runs.ts";
import { pdf, png, utf8 } from "../support/files.ts";

/** Users' files over a store that counts what is read, written and inspected, also at the same time. */
function counted(limits: Partial<typeof FILE_LIMITS> = {}) {
  const store = memoryFiles();
  const clock = testClock();
  const count = { inspected: 0, read: 0, listed: 0, atOnce: 0, mostAtOnce: 0, bytes: 0, mostBytes: 0 };
  /** While it is closed, calls for bytes do not end. */
  const gate = { isOpen: true };
  const isBytes = (path: string) => /\/[0-9a-f]{64}$/.test(path) && path.split("/").length === 3;
  const slow = async <T>(path: string, size: number, work: () => Promise<T>): Promise<T> => {
    if (!isBytes(path)) return await work();
    count.atOnce += 1;
    count.bytes += size;
    count.mostAtOnce = Math.max(count.mostAtOnce, count.atOnce);
    count.mostBytes = Math.max(count.mostBytes, count.bytes);
    await settled();
    if (!gate.isOpen) await until(() => gate.isOpen);
    count.atOnce -= 1;
    count.bytes -= size;
    return await work();
  };
  const sizes = new Map<string, number>();
  const watched = {
    ...store,
    put: async (path: string, content: string | Uint8Array) => {
      if (isBytes(path)) sizes.set(path.slice(-64), content.length);
      await slow(path, content.length, () => store.put(path, content));
    },
    get: async (path: string) => {
      if (isBytes(path)) count.read += 1;
      return await slow(path, sizes.get(path.slice(-64)) ?? 0, () => store.get(path));
    },
    list: async (folder?: string) => {
      const found = await store.list(folder);
      count.listed += found.length;
      return found;
    },
  };
  const files = userFiles(watched, {
    clock: { ...clock, now: Date.now },
    limits: { ...FILE_LIMITS, ...limits } as typeof FILE_LIMITS,
    inspect: async (content) => {
      count.inspected += 1;
      return await inspectFile(content);
    },
  });
  return { store, clock, count, gate, files };
}

const large = (seed: number) => png(1, 1, { bytes: 1_000_000, seed });

describe("what a file contains", () => {
  it("F1 B7 is found once, when it is stored, and not at any download, message or request", async () => {
    const { files, count } = counted();
    const uploaded = await files.put("ada", pdf(3));
    expect(uploaded).toMatchObject({ mediaType: "application/pdf", pages: 3 });
    for (let times = 0; times < 5; times += 1) {
      const { content, ...file } = await files.get("ada", uploaded.id);
      expect(file).toEqual(uploaded);
      expect(content).toEqual(pdf(3));
    }
    await files.keep("ada", "s1", [await files.describe("ada", uploaded.id)]);
    expect(await files.read("ada", uploaded)).toEqual(pdf(3));
    expect(await files.describe("ada", uploaded.id)).toEqual(uploaded);
    await files.keep("ada", "s2", [await files.inspect("ada", pdf(3))]);
    expect(count.inspected).toBe(1);
  });

  it("F1 B7 is told without reading the file, and only to its user", async () => {
    const { files, count } = counted();
    const { id } = await files.put("ada", pdf(3));
    for (let times = 0; times < 5; times += 1) await files.describe("ada", id);
    expect(count.read).toBe(0);
    for (const unknown of [id.toUpperCase(), `${id}.facts`, "", "../ada/unsent/x"])
      expect(await refusalOf(files.describe("ada", unknown))).toContain("not_found");
    expect(await refusalOf(files.describe("eve", id))).toContain("not_found");
  });

  it.each([
    ["were stored before there were facts", undefined],
    ["have damaged facts", "{"],
    ["have facts of another form", '{"mediaType":"image/png","bytes":-1}'],
    ["have facts of nothing", "null"],
    ["have odd pages", '{"mediaType":"application/pdf","bytes":9,"pages":"many"}'],
  ])("F1 B7 is found once in each process for files that %s", async (_, facts) => {
    const { files, store, count } = counted();
    const id = await sha256(pdf(3));
    await store.put(`ada/uploads/${id}`, pdf(3));
    if (facts !== undefined) await store.put(`ada/uploads/${id}.facts`, facts);
    for (let times = 0; times < 3; times += 1) {
      expect(await files.describe("ada", id)).toMatchObject({ id, pages: 3, bytes: pdf(3).length });
      expect(await files.get("ada", id)).toMatchObject({ id, pages: 3 });
    }
    expect(count.inspected).toBe(1);
  });

  it("F1 is deleted before the file is, and what a crash has left of it is cleaned", async () => {
    const { files, store } = counted();
    const order: string[] = [];
    const remove = store.delete;
    const gone = userFiles({
      ...store,
      delete: async (path) => {
        order.push(path.replace(/[0-9a-f]{64}/, "id"));
        await remove(path);
      },
    });
    const { id } = await files.put("ada", png(1, 1));
    await files.keep("ada", "s1", [await toKeep(png(2, 2))]);
    await gone.keep("ada", "s1", [await files.describe("ada", id)]);
    await gone.delete("ada", { sessionId: "s1" });
    await files.put("ada", png(3, 3));
    await gone.delete("ada");
    expect(order.filter((path) => /id(\.facts)?$/.test(path)).join(" ")).toMatch(
      /^(ada\/(unsent|uploads)\/id\.facts ada\/\2\/id ?)+$/,
    );
    expect(await store.list()).toEqual([]);
    const later = userFiles(store, { clock: { ...testClock(), now: () => Date.now() + 90_000_000 } });
    await store.put(`ada/unsent/${id}.facts`, "{}");
    await later.deleteUnsent();
    expect(await store.list()).toEqual([]);
  });
});

describe("a message that names an uploaded file", () => {
  it("F1 B7 reads its bytes when they are moved, and never again where they are already", async () => {
    const { files, store, count } = counted();
    const { id } = await files.put("ada", png(1, 1));
    await files.keep("ada", "s1", [await files.describe("ada", id)]);
    // It is looked for among those that were sent, and then read where it was uploaded.
    expect(count.read).toBe(2);
    expect(withoutFacts(await store.list()).map((path) => path.split("/").length)).toEqual([3, 4]);
    await files.keep("ada", "s2", [await files.describe("ada", id)]);
    expect(count.read).toBe(2);
    expect(withoutFacts(await store.list())).toHaveLength(3);
  });

  it("F1 is refused if the upload was deleted in between", async () => {
    const { files, store } = counted();
    const file = await files.put("ada", png(1, 1));
    await store.delete(`ada/unsent/${file.id}`);
    expect(await refusalOf(files.keep("ada", "s1", [file]))).toBe(
      "invalid_input: A file of the message does not exist. Upload it again.",
    );
  });
});

describe("the files that a process works on at once", () => {
  it("B7 are limited in number, whatever they are worked on for", async () => {
    const { files, count } = counted({ atOnce: 4 } as never);
    const users = Array.from({ length: 8 }, (_, at) => `u${at}`);
    const sent = await Promise.all(users.map((user, at) => files.put(user, large(at))));
    expect(count.mostAtOnce).toBe(4);
    await Promise.all(
      users.flatMap((user, at) => {
        const file = sent[at] ?? { id: "", mediaType: "", bytes: 0 };
        return [
          files.get(user, file.id),
          files.put(user, large(at + 100)),
          files.keep(user, "s", [file]),
          files.read(user, file),
          files.inspect(user, large(at + 200)).then((one) => files.keep(user, "s", [one])),
        ];
      }),
    );
    expect(count.mostAtOnce).toBe(4);
  });

  it("B7 are limited in bytes", async () => {
    const { files, count } = counted({ bytes: 3_500_000 } as never);
    const users = Array.from({ length: 10 }, (_, at) => `u${at}`);
    const sent = await Promise.all(users.map((user, at) => files.put(user, large(at))));
    await Promise.all(users.map((user, at) => files.get(user, sent[at]?.id ?? "")));
    expect(count.mostBytes).toBe(3_000_000);
  });

  it("B7 are half of one user, so that others go on", async () => {
    const { files, gate, count } = counted({ atOnce: 4 } as never);
    const { id } = await files.put("ada", large(1));
    const eves = await files.put("eve", large(1));
    gate.isOpen = false;
    const hers = Array.from({ length: 10 }, () => files.get("ada", id));
    await settled();
    expect(count.atOnce).toBe(2);
    const other = files.get("eve", eves.id);
    await settled();
    expect(count.atOnce).toBe(3);
    gate.isOpen = true;
    await Promise.all([...hers, other]);
  });

  it("B7 count until a client has them, and then make room", async () => {
    const { files, count, clock } = counted({ bytes: 2_500_000 } as never);
    const users = ["a", "b", "c"];
    const [, , last] = await Promise.all(users.map((user, at) => files.put(user, large(at))));
    const open = await Promise.all(
      users.slice(0, 2).map(async (user, at) => files.open(user, await sha256(large(at)))),
    );
    const before = count.read;
    const third = files.open("c", last?.id ?? "");
    await settled();
    expect(count.read).toBe(before);
    // A run that has begun does not wait for other users' clients.
    expect(await files.read("c", last ?? { id: "", bytes: 0 })).toBeDefined();
    open[0]?.close();
    expect((await third).content).toHaveLength(1_000_000);
    const refused = refusalOf(files.get("d", last?.id ?? ""));
    await clock.advance(10_000);
    expect(await refused).toContain("overloaded: Too many files are in use at once.");
  });

  it("B7 are refused after a while, and those of a run never", async () => {
    const { files, gate, clock } = counted({ atOnce: 1 } as never);
    const { id } = await files.put("ada", large(1));
    gate.isOpen = false;
    const first = files.get("ada", id);
    await settled();
    const outcomes = [
      files.get("ada", id),
      files.put("eve", large(2)),
      files.inspect("eve", large(3)),
      files.keep("eve", "s1", [await toKeep(large(3))]),
      files.put(
        "eve",
        piecesOf(large(4), () => Promise.resolve()),
      ),
    ].map(refusalOf);
    const ofRun = [
      files.read("ada", { id, bytes: 1_000_000 }),
      files.inspect("ada", large(5), { isOfRun: true }),
      files.keep("ada", "s1", [await toKeep(large(6))], { isOfRun: true }),
    ];
    await clock.advance(9_999);
    await clock.advance(1);
    for (const outcome of outcomes) expect(await outcome).toContain("overloaded");
    await clock.advance(600_000);
    gate.isOpen = true;
    await Promise.all([first, ...ofRun]);
  });

  it("B7 are given up when their request is", async () => {
    const { files, gate, count } = counted({ atOnce: 1 } as never);
    const { id } = await files.put("ada", large(1));
    gate.isOpen = false;
    const first = files.get("ada", id);
    await settled();
    const control = new AbortController();
    const { signal } = control;
    const waiting = [files.open("ada", id, { signal }), files.put("eve", large(2), { signal })].map(
      refusalOf,
    );
    await settled();
    control.abort(new Error("gone"));
    for (const outcome of waiting) expect(await outcome).toContain("gone");
    expect(count.read).toBe(1);
    gate.isOpen = true;
    await first;
    expect((await files.put("eve", large(2))).bytes).toBe(1_000_000);
  });

  it("B7 leave their place if they are refused, are gone, or their store fails", async () => {
    const { files, store, clock } = counted({ atOnce: 1, bytes: 3_000_000 } as never);
    for (let times = 0; times < 3; times += 1) {
      expect(await refusalOf(files.put("ada", utf8("a\0b")))).toContain("invalid_input");
      expect(await refusalOf(files.get("ada", "0".repeat(64)))).toContain("not_found");
      expect(
        await refusalOf(
          files.put(
            "ada",
            piecesOf(large(1), () => Promise.reject("cut off")),
          ),
        ),
      ).toContain("undefined");
      const down = userFiles({ ...store, put: () => Promise.reject(new Error("full")) });
      expect(await refusalOf(down.put("ada", large(1)))).toContain("store_unavailable");
    }
    expect((await files.put("ada", large(1))).bytes).toBe(1_000_000);
    await clock.advance(60_000);
  });
});

/** Yields bytes in two pieces; `between` is awaited before the second one. */
async function* piecesOf(bytes: Uint8Array, between: () => Promise<unknown>) {
  yield bytes.subarray(0, 100);
  await between();
  yield bytes.subarray(100);
}

describe("a file that comes in pieces", () => {
  it("F1 is stored like one that is given whole", async () => {
    const { files } = counted();
    const whole = await files.put("ada", pdf(3));
    const pieces = piecesOf(pdf(3), async () => undefined);
    expect(await files.put("ada", pieces, { bytes: 10 })).toEqual(whole);
    expect((await files.get("ada", whole.id)).content).toEqual(pdf(3));
    async function* odd() {
      yield "text" as never;
    }
    expect(await refusalOf(files.put("ada", odd()))).toContain("The pieces of a file must be Uint8Arrays");
  });

  it("B7 takes nobody's turn while it comes, and is not read beyond the largest size", async () => {
    const { files } = counted({ atOnce: 1 } as never);
    const { promise, resolve } = Promise.withResolvers<void>();
    const slow = files.put(
      "ada",
      piecesOf(large(1), () => promise),
      { bytes: 1_000_000 },
    );
    await settled();
    const { id } = await files.put("eve", large(2));
    expect((await files.get("eve", id)).bytes).toBe(1_000_000);
    resolve();
    expect((await slow).bytes).toBe(1_000_000);
    let yielded = 0;
    async function* endless() {
      for (;;) {
        yielded += 1;
        yield new Uint8Array(1_000_000);
      }
    }
    expect(await refusalOf(files.put("ada", endless()))).toContain(
      "invalid_input: The file has 21000000 bytes",
    );
    expect(yielded).toBe(21);
  });
});

describe("the files that a user has uploaded and not sent", () => {
  it("F1 B7 are at most 200, so that an upload lists a few hundred files at most", async () => {
    const { files, count } = counted();
    const tiny = (seed: number) => utf8(`f${seed}`);
    for (let seed = 0; seed < 200; seed += 1) await files.put("ada", tiny(seed));
    count.listed = 0;
    expect(await refusalOf(files.put("ada", tiny(200)))).toContain(
      "invalid_input: Too many files were uploaded",
    );
    expect(count.listed).toBe(400);
    // Bytes that are stored already may come again, and what is sent makes room.
    const { id } = await files.put("ada", tiny(7));
    await files.keep("ada", "s1", [await files.describe("ada", id)]);
    await files.put("ada", tiny(200));
    expect(await refusalOf(files.put("ada", tiny(201)))).toContain("invalid_input");
    await files.put("eve", tiny(201));
  });
});
