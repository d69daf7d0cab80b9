import assert from "node:assert/strict";
import { readText } from "@pawl/core";
import { type FileCheck, refuses } from "./file-bench.ts";

/** Checks of writing, reading and deleting. */
export const fileWriteChecks: readonly FileCheck[] = [
  {
    name: "X1 E5 a text comes out as it went in, with the type of its ending",
    async run({ at, files, text }) {
      for (const content of [
        "",
        "# Oslo\r\n\n",
        "\ufeffbom",
        "漢字🏋️‍♀️ é e\u0301 \u0000 \u2028",
        "%PDF =c3=9c",
      ]) {
        await files.put(at("note.md"), content);
        assert.equal(await text("note.md"), content);
      }
      const { path, contentType } = await files.get(at("note.md"));
      assert.deepEqual({ path, contentType }, { path: at("note.md"), contentType: "text/markdown" });
    },
  },
  {
    name: "X1 E5 bytes come out as they went in, as copies",
    async run({ at, files }) {
      const bytes = Uint8Array.from({ length: 70_000 }, (_, index) => index % 251);
      const part = bytes.subarray(1, 60_001);
      const expected = part.slice();
      await files.put(at("plan.pdf"), part);
      bytes.fill(0);
      const first = await files.get(at("plan.pdf"));
      assert.equal(first.contentType, "application/pdf");
      assert.deepEqual(first.content, expected);
      first.content.fill(0);
      assert.deepEqual((await files.get(at("plan.pdf"))).content, expected);
    },
  },
  {
    name: "X1 the last content counts, also when it is shorter",
    async run({ at, files, text, paths }) {
      await files.put(at("note.md"), "a longer one");
      await files.put(at("note.md"), "new");
      assert.equal(await text("note.md"), "new");
      assert.deepEqual(await paths(), ["note.md"]);
    },
  },
  {
    name: "X1 of many that write at once one wins, whole",
    async run({ at, files, text, paths }) {
      const contents = Array.from({ length: 12 }, (_, index) =>
        String.fromCharCode(97 + index).repeat(50_000),
      );
      const reads: Promise<string>[] = [];
      await files.put(at("deep/er/note.md"), contents[0] ?? "");
      await Promise.all(
        contents.map(async (content) => {
          await files.put(at("deep/er/note.md"), content);
          reads.push(text("deep/er/note.md"));
        }),
      );
      for (const content of await Promise.all(reads))
        assert.ok(contents.includes(content), "a read returned a mixture of two writes");
      assert.deepEqual(await paths(), ["deep/er/note.md"]);
    },
  },
  {
    name: "X1 what is deleted is gone, also a second time, and can be written again",
    async run({ at, files, text, paths }) {
      await files.delete(at("never.md"));
      await files.delete(at("no/such/folder.md"));
      await files.put(at("note.md"), "old");
      await files.put(at("note.mdx"), "other");
      await files.delete(at("note.md"));
      await files.delete(at("note.md"));
      await refuses(() => files.get(at("note.md")), "not_found", "deleted");
      assert.deepEqual(await paths(), ["note.mdx"]);
      await files.put(at("note.md"), "new");
      assert.equal(await text("note.md"), "new");
    },
  },
  {
    name: "X1 what is not there is not_found",
    async run({ at, files }) {
      await files.put(at("notes/oslo.md"), "x");
      for (const path of ["notes", "notes/oslo", "notes/oslo.md/x", "oslo.md", "no/such.md"]) {
        await refuses(() => files.get(at(path)), "not_found", path);
      }
    },
  },
  {
    name: "X1 a text with half a surrogate pair is refused, and so is reading a file that is not UTF-8 as text",
    async run({ at, files, paths }) {
      await refuses(() => files.put(at("note.md"), "half \ud800"), "invalid_input", "half a pair");
      assert.deepEqual(await paths(), []);
      await files.put(at("note.md"), new Uint8Array([0xff, 0xfe, 0x00]));
      await refuses(() => readText(files, at("note.md")), "invalid_input", "no text");
    },
  },
];
