import assert from "node:assert/strict";
import { type FileCheck, refuses } from "./file-bench.ts";

/** Checks of `list`. */
export const fileListChecks: readonly FileCheck[] = [
  {
    name: "X1 a folder has the files below it at any depth, and not those of folders that are called alike",
    async run({ at, files, paths }) {
      const all = ["ada/b/c/d.md", "ada/b.md", "ada/b/x.md", "ada", "adam/x.md", "Ada/x.md", "ad/a.md"];
      for (const path of all) await files.put(at(path), path);
      assert.deepEqual(await paths("ada"), ["ada/b.md", "ada/b/c/d.md", "ada/b/x.md"]);
      assert.deepEqual(await paths("ada/b"), ["ada/b/c/d.md", "ada/b/x.md"]);
      assert.deepEqual(await paths("ada/b.md"), []);
      assert.deepEqual(await paths("nobody"), []);
      assert.deepEqual(await paths(), all.toSorted());
      const everything = await files.list();
      for (const path of all) assert.ok(everything.some((file) => file.path === at(path)));
      assert.deepEqual(await files.list(""), everything);
    },
  },
  {
    name: "F1 a file, what is noted beside it, and the folder of its name are three things",
    async run({ at, files, paths }) {
      const [bytes, facts, use] = ["ada/9f86", "ada/9f86.facts", "ada/9f86/5e88"];
      for (const path of [bytes, facts, use]) await files.put(at(path), path === use ? "" : path);
      assert.deepEqual(await paths("ada/9f86"), [use]);
      assert.deepEqual(await paths("ada"), [bytes, facts, use]);
      assert.equal((await files.get(at(facts))).contentType, (await files.get(at(bytes))).contentType);
      await files.delete(at(facts));
      await refuses(() => files.get(at(facts)), "not_found", "deleted");
      assert.equal(new TextDecoder().decode((await files.get(at(bytes))).content), bytes);
      await files.delete(at(bytes));
      assert.deepEqual(await paths("ada"), [use]);
      assert.equal((await files.get(at(use))).content.length, 0);
    },
  },
  {
    name: "X1 E5 a listed file says its type, size in bytes and time",
    async run({ at, files }) {
      await files.put(at("plan.pdf"), "für");
      const [file, ...more] = await files.list(at("plan.pdf").split("/")[0]);
      assert.ok(file !== undefined && more.length === 0);
      const { modifiedAt, ...rest } = file;
      assert.deepEqual(rest, { path: at("plan.pdf"), contentType: "application/pdf", size: 4 });
      assert.match(modifiedAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/);
    },
  },
  {
    name: "X1 a folder of many files is listed whole",
    async run({ at, files, paths }) {
      const names = Array.from(
        { length: 230 },
        (_, index) => `many/${index % 7}/${String(index).padStart(4, "0")}.md`,
      );
      for (let from = 0; from < names.length; from += 23) {
        await Promise.all(names.slice(from, from + 23).map((name) => files.put(at(name), name)));
      }
      assert.deepEqual(await paths("many"), names.toSorted());
    },
  },
];
